//! Stops threads of the target for a moment: registers cannot be read otherwise.
//!
//! PTRACE_SEIZE sends no signal, and the kernel lets the target go on if this process ends in whatever way.

use crate::error::{Error, Result};
use crate::process::Process;
use nix::errno::Errno;
use nix::sys::ptrace;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::time::{Duration, Instant};

/// A thread that sleeps for a device cannot be stopped.
const PATIENCE: Duration = Duration::from_secs(2);

/// A thread that stands still until this is dropped.
#[derive(Debug)]
pub struct StoppedThread {
    thread: Pid,
    /// It is stopped, not only traced.
    stands: bool,
}

impl StoppedThread {
    pub fn new(tid: i32) -> Result<StoppedThread> {
        let thread = Pid::from_raw(tid);
        ptrace::seize(thread, ptrace::Options::empty()).map_err(Error::from_errno)?;
        let mut stopped = StoppedThread { thread, stands: false };
        ptrace::interrupt(thread).map_err(Error::from_errno)?;
        stopped.wait()?;
        Ok(stopped)
    }

    fn wait(&mut self) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            match waitpid(self.thread, Some(WaitPidFlag::__WALL | WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) if Instant::now() < until => std::thread::sleep(Duration::from_micros(50)),
                Ok(WaitStatus::StillAlive) => return Err(Error::Other("a thread cannot be stopped".into())),
                Ok(WaitStatus::PtraceEvent(..)) => {
                    self.stands = true;
                    return Ok(());
                }
                // A signal for the program came in between: the program gets it, and is stopped after that.
                Ok(WaitStatus::Stopped(_, signal)) => {
                    ptrace::cont(self.thread, signal).map_err(Error::from_errno)?;
                    ptrace::interrupt(self.thread).map_err(Error::from_errno)?;
                }
                Ok(_) | Err(Errno::ECHILD | Errno::ESRCH) => return Err(Error::Gone),
                Err(errno) => return Err(Error::from_errno(errno)),
            }
        }
    }

    /// General registers of the thread.
    pub fn registers(&self) -> Result<libc::user_regs_struct> {
        ptrace::getregs(self.thread).map_err(Error::from_errno)
    }
}

impl Drop for StoppedThread {
    fn drop(&mut self) {
        // The kernel releases a thread that is not stopped when this process ends.
        if self.stands {
            _ = ptrace::detach(self.thread, None);
        }
    }
}

/// Stops all threads. Those that begin in the meantime are stopped, too.
pub fn all_threads(process: Process) -> Result<Vec<StoppedThread>> {
    let mut stopped: Vec<StoppedThread> = Vec::new();
    loop {
        let new: Vec<i32> =
            process.threads().into_iter().filter(|t| !stopped.iter().any(|s| s.thread.as_raw() == *t)).collect();
        if new.is_empty() {
            return if stopped.is_empty() { Err(Error::Gone) } else { Ok(stopped) };
        }
        for tid in new {
            match StoppedThread::new(tid) {
                Ok(thread) => stopped.push(thread),
                // A process with several threads may lose one at any time.
                Err(Error::Gone) if process.lives() => {}
                Err(e) => return Err(e),
            }
        }
    }
}
