//! Ctrl-C at a job that has the terminal reaches the process group of the job alone, and each launcher has another exit
//! code for it. A process that does nothing is in that group: its end tells which signal came.

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use std::cell::Cell;
use std::ffi::CStr;
use std::fs::File;
use std::io::PipeWriter;
use std::os::fd::AsRawFd as _;
use std::path::Path;

/// Reads until there is nobody left who could write.
const COMMAND: &CStr = c"/bin/cat";

/// Signals of a terminal. Others come from the job itself: `kill 0` in a script sends SIGTERM.
const OF_TERMINALS: [Signal; 3] = [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGHUP];

/// The process that stands in the group of a job.
pub(super) struct Sentinel {
    pid: Pid,
    /// The signal that has ended it.
    signal: Cell<Option<Signal>>,
    is_over: Cell<bool>,
    /// The process ends when this is closed, also because mpivet was killed.
    _open: PipeWriter,
}

impl Sentinel {
    /// Starts it in the process group, where it takes the signals of terminals as the job does. `None`: signals from
    /// the terminal stay unknown.
    pub(super) fn start(group: Pid, mask: &SigSet) -> Option<Sentinel> {
        let (reader, open) = std::io::pipe().ok()?;
        let nothing = File::options().write(true).open("/dev/null").ok()?;
        let mut attributes = PosixSpawnAttr::init().ok()?;
        attributes.set_flags(PosixSpawnFlags::POSIX_SPAWN_SETPGROUP | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK).ok()?;
        attributes.set_pgroup(group).ok()?;
        attributes.set_sigmask(&all_but_those_of_terminals(mask)).ok()?;
        let mut actions = PosixSpawnFileActions::init().ok()?;
        actions.add_dup2(reader.as_raw_fd(), 0).ok()?;
        actions.add_dup2(nothing.as_raw_fd(), 1).ok()?;
        actions.add_dup2(nothing.as_raw_fd(), 2).ok()?;
        let path = Path::new(COMMAND.to_str().ok()?);
        let pid = posix_spawn(path, &actions, &attributes, &[COMMAND], &[] as &[&CStr]).ok()?;
        Some(Sentinel { pid, signal: Cell::new(None), is_over: Cell::new(false), _open: open })
    }

    /// The signal that came from the terminal, if one did.
    pub(super) fn signal(&self) -> Option<Signal> {
        if !self.is_over.get() {
            match waitpid(self.pid, Some(WaitPidFlag::WNOHANG)) {
                Ok(WaitStatus::StillAlive) => {}
                Ok(WaitStatus::Signaled(_, signal, _)) => {
                    self.signal.set(Some(signal).filter(|signal| OF_TERMINALS.contains(signal)));
                    self.is_over.set(true);
                }
                _ => self.is_over.set(true),
            }
        }
        self.signal.get()
    }
}

/// The signals that the sentinel blocks: a signal from the job must not end it before Ctrl-C comes.
fn all_but_those_of_terminals(jobs: &SigSet) -> SigSet {
    let mut mask = SigSet::all();
    OF_TERMINALS.into_iter().filter(|signal| !jobs.contains(*signal)).for_each(|signal| mask.remove(signal));
    mask
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        self.signal();
        if !self.is_over.get() {
            _ = kill(self.pid, Signal::SIGKILL);
            _ = waitpid(self.pid, None);
        }
    }
}
