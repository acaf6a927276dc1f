//! Directories in which the calls of ranks on other nodes are seen late: said once, as long as it matters.

use agents::hub::Hub;
use analyzer::observe::Observer;
use nix::sys::statfs::statfs;
use trace_format::run::file_system::shared_of;

/// Whether it was said.
#[derive(Default)]
pub(super) struct LateFiles {
    done: bool,
}

impl LateFiles {
    /// Tells it if there is a rank on another host than `here` whose agent does not send its trace, and the directory is on such a
    /// file system.
    pub(super) fn tell(&mut self, observer: &Observer, here: &str, hub: Option<&Hub>, name: &str) {
        let is_seen = |host: &str| host == here || hub.is_some_and(|hub| hub.sends(host));
        if self.done || observer.traces.headers().all(|header| is_seen(&header.host)) {
            return;
        }
        self.done = true;
        let dir = observer.traces.dir();
        let shared = statfs(dir).ok().and_then(|found| shared_of(found.filesystem_type().0 as u64));
        if let Some(shared) = shared.filter(|shared| shared.is_late) {
            eprintln!(
                "mpivet: {name}{} is on {}: calls on other nodes are seen late or not at all while the job runs, and so is a \
                 deadlock; the report at the end has them all",
                dir.display(),
                shared.name
            );
        }
    }
}
