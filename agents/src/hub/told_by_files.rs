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
    /// The ends on a host, if its file tells something new.
    fn read(&mut self, dir: &Path, host: &str) -> Vec<NodeEnd> {
        let path = NodeEnds::path(dir, host);
        let known = self.seen.get(&path).copied();
        match stored::read::<NodeEnds>(&path, known) {
            Ok(Some((mark, told))) if told.host == host => {
                self.seen.insert(path, mark);
                self.hosts.insert(told.host);
                told.ends
            }
            _ => Vec::new(),
        }
    }
}

impl Hub {
    /// Reads what is told by files of these hosts, as far as they have no agent with a connection. The order of these ends is known
    /// for each host alone.
    pub fn read_files<'a>(&self, hosts: impl Iterator<Item = &'a str>) {
        let mut state = lock(&self.state);
        let now = Instant::now();
        let alone: BTreeSet<&str> = hosts.filter(|host| !state.agents.contains_key(*host)).collect();
        for host in alone {
            for NodeEnd { pid, start, status, is_alone } in state.told_by_files.read(&self.dir, host) {
                let process = ProcessId { pid, start };
                if !state.ends.iter().any(|(there, end)| there == host && end.process == process) {
                    state.ends.push((host.to_owned(), End { process, at: now, status, is_alone }));
                }
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
        let read = || hub.read_files(["node7", "node8", "node7"].into_iter());
        read();
        assert!(hub.ends().is_empty() && !hub.knows_ends("node7"));
        let path = NodeEnds::path(dir.path(), "node7");
        let file = stored::make(&path).unwrap();
        let end = |pid: u32| NodeEnd { pid, start: 5, status: Some(9), is_alone: pid == 1 };
        let host = "node7".to_owned();
        stored::write(&file, &NodeEnds { host: host.clone(), ends: Vec::new() }).unwrap();
        read();
        assert!(hub.ends().is_empty() && hub.knows_ends("node7") && !hub.knows_ends("node8"));
        for ends in [vec![end(1)], vec![end(1), end(2)]] {
            stored::write(&file, &NodeEnds { host: host.clone(), ends }).unwrap();
            read();
            read();
        }
        let pids: Vec<u32> = hub.ends().iter().map(|(_, end)| end.process.pid).collect();
        assert_eq!(pids, [1, 2]);
        assert!(hub.has_ended("node7", ProcessId { pid: 2, start: 5 }));
        drop(hub);
        assert!(!path.exists());
    }
}
