//! Agents without a way to `mpivet run` tell by files of the directory that the nodes share which processes have ended.

use super::{Hub, lock};
use crate::ends::End;
use crate::wire::message::ProcessId;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;
use trace_format::run::node_ends::{NodeEnd, NodeEnds};
use trace_format::stored::{self, Mark};

/// The files that were read.
#[derive(Default)]
pub(super) struct ToldByFiles {
    seen: BTreeMap<PathBuf, Mark>,
    hosts: BTreeSet<String>,
}

impl ToldByFiles {
    /// The ends of hosts that tell something new.
    fn read(&mut self, dir: &Path) -> Vec<(String, NodeEnd)> {
        let mut all = Vec::new();
        for path in NodeEnds::all(dir).unwrap_or_default() {
            let Ok(Some((mark, NodeEnds { host, ends }))) = stored::read(&path, self.seen.get(&path).copied()) else {
                continue;
            };
            self.seen.insert(path, mark);
            all.extend(ends.into_iter().map(|end| (host.clone(), end)));
            self.hosts.insert(host);
        }
        all
    }
}

impl Hub {
    /// Reads what is told by files. The order of these ends is known for each host alone.
    pub fn read_files(&self) {
        let mut state = lock(&self.state);
        let now = Instant::now();
        for (host, NodeEnd { pid, start, status, is_alone }) in state.told_by_files.read(&self.dir) {
            let process = ProcessId { pid, start };
            if !state.ends.iter().any(|(there, end)| *there == host && end.process == process) {
                state.ends.push((host, End { process, at: now, status, is_alone }));
            }
        }
    }

    /// Does this host tell by files?
    pub fn tells_by_files(&self, host: &str) -> bool {
        lock(&self.state).told_by_files.hosts.contains(host)
    }

    /// Would it be known if a process of this host had ended?
    pub fn knows_ends(&self, host: &str) -> bool {
        let state = lock(&self.state);
        state.agents.contains_key(host) || state.told_by_files.hosts.contains(host)
    }

    /// Removes the files that were read.
    pub(super) fn remove_files(&self) {
        let seen = std::mem::take(&mut lock(&self.state).told_by_files.seen);
        seen.into_keys().for_each(|path| _ = std::fs::remove_file(path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_once() {
        let dir = tempfile::tempdir().unwrap();
        let hub = Hub::start(dir.path(), None).unwrap();
        hub.read_files();
        assert!(hub.ends().is_empty() && !hub.knows_ends("node7"));
        let path = NodeEnds::path(dir.path(), "node7");
        let file = stored::make(&path).unwrap();
        let end = |pid: u32| NodeEnd { pid, start: 5, status: Some(9), is_alone: pid == 1 };
        let host = "node7".to_owned();
        stored::write(&file, &NodeEnds { host: host.clone(), ends: Vec::new() }).unwrap();
        hub.read_files();
        assert!(hub.ends().is_empty() && hub.knows_ends("node7") && !hub.knows_ends("node8"));
        for ends in [vec![end(1)], vec![end(1), end(2)]] {
            stored::write(&file, &NodeEnds { host: host.clone(), ends }).unwrap();
            hub.read_files();
            hub.read_files();
        }
        let pids: Vec<u32> = hub.ends().iter().map(|(_, end)| end.process.pid).collect();
        assert_eq!(pids, [1, 2]);
        assert!(hub.has_ended("node7", ProcessId { pid: 2, start: 5 }));
        drop(hub);
        assert!(!path.exists());
    }
}
