//! Stops a job that can never go on: first asks the launcher to clean up, then kills what is left.

use super::follow::FollowedJob;
use analyzer::observe::Observer;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::time::{Duration, Instant};
use trace_format::file::RankHeader;
use trace_format::run::proc;

/// Time for the job to end by itself.
const GRACE: Duration = Duration::from_millis(300);
/// Time for the launcher, once its ranks are dead.
pub(super) const LAUNCHER_GRACE: Duration = Duration::from_secs(2);

/// A rank's process on this host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) start: u64,
}

impl Process {
    pub(crate) fn of(header: &RankHeader) -> Process {
        Process { pid: header.pid, start: header.pid_start }
    }

    pub(crate) fn lives(self) -> bool {
        proc::lives(self.pid, self.start)
    }
}

/// Have all ranks of the job run on this host, and are they gone?
pub(super) fn are_all_gone(observer: &Observer, here: &str) -> bool {
    observer.is_complete() && observer.traces.headers().all(|h| h.host == here && !Process::of(h).lives())
}

pub(crate) fn stop<J: FollowedJob>(job: &mut J, ranks: &[Process]) {
    job.signal(Signal::SIGTERM);
    // A stopped process does not hear SIGTERM.
    job.signal(Signal::SIGCONT);
    let over = |job: &mut J| job.has_ended() && !ranks.iter().any(|r| r.lives());
    if wait(GRACE, || over(job)) {
        return;
    }
    // Launchers give each rank a process group of its own, so that the group of the launcher is not enough.
    for rank in ranks.iter().filter(|r| r.lives()) {
        _ = kill(Pid::from_raw(rank.pid as i32), Signal::SIGKILL);
    }
    if !wait(LAUNCHER_GRACE, || over(job)) {
        job.signal(Signal::SIGKILL);
        wait(LAUNCHER_GRACE, || job.has_ended());
    }
}

/// Waits until `done`, at most for `limit`.
pub(crate) fn wait(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + limit;
    loop {
        if done() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
