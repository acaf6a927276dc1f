//! The files that agents send, in the directory that `mpivet run` reads.

use super::stage::StageMirror;
use crate::wire::message::{FromAgent, Place};
use crate::wire::refused;
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use trace_format::file::plain_host;
use trace_format::owner_only;

/// No file of a trace is longer.
const LONGEST: u64 = 1 << 44;

/// The files of one agent.
pub struct Mirror {
    dir: PathBuf,
    host: String,
    files: HashMap<Place, (PathBuf, File)>,
    stages: HashMap<Place, (PathBuf, StageMirror)>,
}

impl Mirror {
    /// The files of the node with this name, in this directory.
    pub fn new(dir: &Path, host: &str) -> Mirror {
        Mirror { dir: dir.to_owned(), host: host.to_owned(), files: HashMap::new(), stages: HashMap::new() }
    }

    /// Does what the message says, if it is about files. Fails if it makes no sense, or the disk is full.
    pub fn add(&mut self, message: &FromAgent, owners: &mut Owners) -> io::Result<()> {
        match message {
            FromAgent::Bytes { place, at, is_new, bytes } => self.bytes(place, *at, *is_new, bytes, owners),
            FromAgent::Stage { place, news } => {
                if !self.stages.contains_key(place) {
                    let path = self.path(place, owners)?;
                    let stage = StageMirror::new(&path, news.room)?;
                    self.stages.insert(place.clone(), (path, stage));
                }
                self.stages.get_mut(place).map_or(Ok(()), |(_, stage)| stage.add(news))
            }
            FromAgent::Removed { place } => {
                let file = self.files.remove(place).map(|(path, _)| path);
                let stage = self.stages.remove(place).map(|(path, _)| path);
                file.into_iter().chain(stage).for_each(|path| _ = std::fs::remove_file(path));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn bytes(&mut self, place: &Place, at: u64, is_new: bool, bytes: &[u8], owners: &mut Owners) -> io::Result<()> {
        if at.saturating_add(bytes.len() as u64) > LONGEST {
            return Err(refused("a file is too long"));
        }
        if is_new {
            let path = self.path(place, owners)?;
            let file = match same_trace(&path, bytes) {
                Some(file) => file,
                None => owner_only::make_file(&path, OpenOptions::new().write(true))?,
            };
            self.files.insert(place.clone(), (path, file));
        }
        let Some((_, file)) = self.files.get(place) else {
            return Err(refused("a file has no beginning"));
        };
        file.write_all_at(bytes, at)
    }

    /// Where the file is on this host. Directories are made.
    fn path(&self, place: &Place, owners: &mut Owners) -> io::Result<PathBuf> {
        let path = place.under(&self.dir).ok_or_else(|| refused("a file lies outside of the directory of traces"))?;
        if let Some(dir) = path.parent() {
            owner_only::make_dir(dir)?;
        }
        Ok(owners.own(&path, &self.host))
    }
}

/// The trace that another agent of the node has sent a part of: readers have opened it, and go on in it. It begins with the number
/// of its process.
fn same_trace(path: &Path, begin: &[u8]) -> Option<File> {
    const ENOUGH: usize = 256;
    if path.extension().is_none_or(|end| end != "mpv") || begin.len() < ENOUGH {
        return None;
    }
    let file = OpenOptions::new().read(true).write(true).custom_flags(NOFOLLOW).open(path).ok()?;
    let mut there = [0; ENOUGH];
    file.read_exact_at(&mut there, 0).ok()?;
    (there[..] == begin[..ENOUGH]).then_some(file)
}

/// A link is not followed.
const NOFOLLOW: i32 = rustix::fs::OFlags::NOFOLLOW.bits() as i32;

/// The hosts that the traces with plain names come from. Nodes that share no directory do not know of each other's names.
#[derive(Default)]
pub struct Owners(HashMap<PathBuf, String>);

impl Owners {
    /// The path, with another name if a process of another host has this one.
    fn own(&mut self, path: &Path, host: &str) -> PathBuf {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((stem, rest)) = name.split_once('.').filter(|(stem, _)| stem.starts_with("rank-")) else {
            return path.to_owned();
        };
        let trace = path.with_file_name(format!("{stem}.mpv"));
        let is_theirs = match self.0.get(&trace) {
            Some(owner) => owner != host,
            None => trace.exists(),
        };
        if !is_theirs {
            self.0.insert(trace, host.to_owned());
            return path.to_owned();
        }
        path.with_file_name(format!("{stem}.{}.{rest}", plain_host(host)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_belongs_to_one_host() {
        let dir = tempfile::tempdir().unwrap();
        let mut owners = Owners::default();
        let mut own = |name: &str, host: &str| {
            owners.own(&dir.path().join(name), host).file_name().unwrap().to_string_lossy().into_owned()
        };
        assert_eq!(own("rank-0.mpv", "node1"), "rank-0.mpv");
        assert_eq!(own("rank-0.t1.stage", "node1"), "rank-0.t1.stage");
        assert_eq!(own("rank-0.mpv", "node2.site"), "rank-0.node2-site.mpv");
        assert_eq!(own("rank-0.t0.stage", "node2.site"), "rank-0.node2-site.t0.stage");
        assert_eq!(own("job.json", "node2.site"), "job.json");
        std::fs::write(dir.path().join("rank-7.mpv"), "of a process of this host").unwrap();
        assert_eq!(own("rank-7.mpv", "node1"), "rank-7.node1.mpv");
        assert!(trace_format::file::rank_of_stem("rank-7.node1") == Some((7, false)));
    }
}
