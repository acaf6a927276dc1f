//! The task of an agent, from what the process that started it has left it: variables, and the socket that makes it the only one.

#![expect(unsafe_code, reason = "a descriptor that was inherited")]

use super::Task;
use crate::wire::message::ProcessId;
use std::env;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use trace_format::run::agent::{
    AGE, BANDWIDTH, DEFAULT_BANDWIDTH, DIRECTORY, FIRST, HUB, IS_LATE, LOCK_DESCRIPTOR, TOKEN,
};
use trace_format::run::jobs::EACH;
use trace_format::run::nonce::NONCE;
use trace_format::run::stages::STAGE_DIR;

/// Time that the batch system takes to start an agent, after it was told how old the job is.
const MARGIN: Duration = Duration::from_secs(2);

/// For how long the process has been there, or a little longer; `None`: the clock says that it will be.
fn age_of(process: ProcessId) -> Option<Duration> {
    /// The system counts starts in steps of this.
    const STEP: Duration = Duration::from_millis(20);
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let now = Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?);
    let start = Duration::from_secs_f64(process.start as f64 / rustix::param::clock_ticks_per_second() as f64);
    Some(now.checked_sub(start)? + STEP)
}

impl Task {
    /// With the socket that makes it the only one. `None`: nobody has started an agent so, or there is one already. It is called
    /// once, when a process begins.
    pub fn inherited() -> Option<(Task, UnixListener)> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let nonce = variable(NONCE)?;
        let first = match variable(FIRST) {
            Some(first) => {
                let (pid, start) = first.split_once('.')?;
                Some(ProcessId { pid: pid.parse().ok()?, start: start.parse().ok()? })
            }
            None => None,
        };
        // Traces that are older than the first process may be what another run has left here. Where the batch system starts the
        // agent, that is not known.
        let told = || variable(AGE)?.parse().ok().map(|ms| Duration::from_millis(ms) + MARGIN);
        let age = first.map_or_else(told, age_of).unwrap_or(MARGIN);
        let lock = match first {
            Some(_) => inherited_lock()?,
            None => super::bind(&nonce).ok()?,
        };
        let task = Task {
            hub: variable(HUB)?,
            token: variable(TOKEN)?.parse().ok()?,
            nonce,
            dir: variable(DIRECTORY)?.into(),
            since: SystemTime::now().checked_sub(age).unwrap_or(UNIX_EPOCH),
            bandwidth: variable(BANDWIDTH)
                .and_then(|megabytes| megabytes.parse::<u64>().ok())
                .unwrap_or(DEFAULT_BANDWIDTH)
                << 20,
            stage_dir: variable(STAGE_DIR).map(PathBuf::from),
            is_seen_late: variable(IS_LATE).is_some(),
            has_several_jobs: variable(EACH).is_some(),
            first,
        };
        Some((task, lock))
    }
}

fn inherited_lock() -> Option<UnixListener> {
    // SAFETY: who sets the variables of an agent has put the socket there for it, and nothing else of this process has opened
    // anything yet; a number without a file is refused by the first use.
    let lock = UnixListener::from(unsafe { OwnedFd::from_raw_fd(LOCK_DESCRIPTOR) });
    rustix::io::fcntl_setfd(&lock, rustix::io::FdFlags::CLOEXEC).ok()?;
    Some(lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::run::proc;

    #[test]
    fn a_process_is_as_old_as_it_is() {
        let pid = std::process::id();
        let own = ProcessId { pid, start: proc::start(pid).unwrap() };
        let before = age_of(own).unwrap();
        assert!(before < Duration::from_secs(3600), "{before:?}");
        std::thread::sleep(Duration::from_millis(50));
        assert!(age_of(own).unwrap() >= before + Duration::from_millis(50));
        assert_eq!(age_of(ProcessId { start: u64::MAX / 1_000_000, ..own }), None);
    }
}
