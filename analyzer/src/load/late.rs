//! Directories that are seen late: on file systems where a store to a mapped file reaches other nodes at some time.

use super::Traces;
use nix::sys::statfs::statfs;
use std::collections::BTreeSet;
use std::path::Path;
use trace_format::run::file_system::{Shared, shared_of};
use trace_reader::reader::Sight;

/// The file system of the directory, if this host sees late there what other nodes store.
pub fn late_file_system(dir: &Path) -> Option<Shared> {
    let found = statfs(dir).ok()?;
    shared_of(found.filesystem_type().0 as u64).filter(|shared| shared.is_late)
}

/// The hosts whose ranks are not seen as they are.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SeenLate {
    /// Their ranks are seen when they rest.
    pub at_rest: BTreeSet<String>,
    /// Memory of their ranks is not seen before they end.
    pub at_the_end: BTreeSet<String>,
}

impl Traces {
    /// The hosts of ranks that are seen late.
    pub fn seen_late(&self) -> SeenLate {
        let mut seen = SeenLate::default();
        for reader in self.ranks.values().map(|trace| &trace.reader) {
            let host = reader.header.host.clone();
            match reader.sight() {
                Sight::Now => {}
                Sight::AtRest => _ = seen.at_rest.insert(host),
                Sight::AtTheEnd => _ = seen.at_the_end.insert(host),
            }
        }
        seen.at_rest.retain(|host| !seen.at_the_end.contains(host));
        seen
    }
}
