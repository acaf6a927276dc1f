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
        let age = variable(AGE).and_then(|ms| ms.parse().ok()).map_or(Duration::ZERO, Duration::from_millis);
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
