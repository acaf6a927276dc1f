//! The order in which processes of this host end. The system tells it at once; their launcher, which ends the others for that,
//! takes longer.

#![expect(unsafe_code, reason = "a question to the system that has no wrapper")]

use crate::wire::message::ProcessId;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::ioctl::{self, opcode};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Instant;
use trace_format::run::proc::{self, Leaving};

/// A process may have 1024 files open, if nobody says otherwise.
const MOST: usize = 512;
/// New processes are looked for this often.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// If the first one ends, so many others are looked at.
const LOOKS: usize = 64;

/// The end of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct End {
    /// The process.
    pub process: ProcessId,
    /// When it was known. Ends of which nobody knows the order have the same time.
    pub at: Instant,
    /// As `waitpid(2)` tells, where the system has said it.
    pub status: Option<i32>,
    /// It is the first one, and nobody had asked the others to end by then.
    pub is_alone: bool,
}

/// A process that is watched.
struct Watched {
    process: ProcessId,
    /// Can be read when the process has ended.
    descriptor: OwnedFd,
}

/// Watches processes in a thread of its own.
pub struct EndWatch {
    known: BTreeSet<ProcessId>,
    /// Dropped, it ends the thread.
    new: Sender<Watched>,
    thread: JoinHandle<()>,
}

impl EndWatch {
    /// Starts the thread, which says each end at once.
    pub fn start(tell: impl FnMut(End) + Send + 'static) -> EndWatch {
        let (new, arrivals) = channel();
        // An end that nobody hears of is told by others, later.
        let thread = std::thread::spawn(move || _ = watch(&arrivals, tell));
        EndWatch { known: BTreeSet::new(), new, thread }
    }

    /// Watches the process, if it is new and lives.
    pub fn add(&mut self, process: ProcessId) {
        if self.known.len() >= MOST || !self.known.insert(process) {
            return;
        }
        let pid = Pid::from_raw(process.pid as i32);
        let Some(descriptor) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else { return };
        // The number is still that process's.
        if proc::lives(process.pid, process.start) {
            _ = self.new.send(Watched { process, descriptor });
        }
    }

    /// Waits until all ends that there are were said.
    pub fn finish(self) {
        drop(self.new);
        _ = self.thread.join();
    }
}

/// Several ends may be found at once: epoll lists them as they came, which poll does not.
fn watch(arrivals: &Receiver<Watched>, mut tell: impl FnMut(End)) -> rustix::io::Result<()> {
    let queue = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let mut all: BTreeMap<u64, Watched> = BTreeMap::new();
    let (mut next, mut is_first) = (0, true);
    // Processes that had closed their files when the first one was over. A launcher that has seen this ends the others, and the
    // system may then be done with one of these before it is done with the first.
    let mut at_once: BTreeMap<u64, Instant> = BTreeMap::new();
    let mut events = Vec::with_capacity(MOST);
    loop {
        let is_over = loop {
            match arrivals.try_recv() {
                Ok(watched) => {
                    epoll::add(&queue, &watched.descriptor, epoll::EventData::new_u64(next), epoll::EventFlags::IN)?;
                    all.insert(next, watched);
                    next += 1;
                }
                Err(e) => break e == TryRecvError::Disconnected,
            }
        };
        // The last look finds those that have ended until now.
        let pause = if is_over { Timespec::default() } else { PAUSE };
        events.clear();
        match epoll::wait(&queue, rustix::buffer::spare_capacity(&mut events), Some(&pause)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
        let at = Instant::now();
        let may_be_alone = is_first && events.len() == 1;
        for number in events.iter().map(|event: &epoll::Event| event.data.u64()) {
            let Some(Watched { process, descriptor }) = all.remove(&number) else { continue };
            _ = epoll::delete(&queue, &descriptor);
            let looked_at = if is_first { LOOKS } else { 0 };
            let others = all.iter().take(looked_at).map(|(number, other)| (*number, proc::leaving(other.process.pid)));
            let others: Vec<(u64, Leaving)> = others.collect();
            let is_alone = may_be_alone && !all.is_empty() && others.iter().all(|(_, leaving)| *leaving == Leaving::No);
            is_first = false;
            at_once.extend(
                others.iter().filter(|(_, leaving)| *leaving == Leaving::Closed).map(|(number, _)| (*number, at)),
            );
            let at = at_once.remove(&number).unwrap_or(at);
            tell(End { process, at, status: status(process, &descriptor), is_alone });
        }
        if is_over {
            return Ok(());
        }
    }
}

/// How the process ended: the system says it until its parent has asked, and newer ones (Linux 6.15) also then.
fn status(process: ProcessId, descriptor: &OwnedFd) -> Option<i32> {
    of_entry(process).or_else(|| of_descriptor(descriptor)).or_else(|| of_entry(process))
}

/// Field 52 of `/proc/PID/stat`, of a process for which nobody has waited.
fn of_entry(process: ProcessId) -> Option<i32> {
    let text = fs::read_to_string(proc::dir(process.pid).join("stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3).copied();
    let is_it = field(22)?.parse() == Ok(process.start) && matches!(field(3), Some("Z" | "X"));
    is_it.then(|| field(52)?.parse().ok()).flatten()
}

/// `struct pidfd_info` in its first form (linux/pidfd.h).
#[repr(C)]
#[derive(Default)]
struct PidfdInfo {
    mask: u64,
    cgroup: u64,
    ids: [u32; 11],
    exit_code: i32,
}

/// The question, and in the answer: the exit code is known.
const EXIT: u64 = 1 << 3;
const GET_INFO: ioctl::Opcode = opcode::read_write::<PidfdInfo>(0xff, 11);

fn of_descriptor(descriptor: &OwnedFd) -> Option<i32> {
    let mut info = PidfdInfo { mask: EXIT, ..PidfdInfo::default() };
    // SAFETY: the request reads and writes a struct of this size and layout, which its number says.
    let asked = unsafe { ioctl::ioctl(descriptor, ioctl::Updater::<GET_INFO, PidfdInfo>::new(&mut info)) };
    (asked.is_ok() && info.mask & EXIT != 0).then_some(info.exit_code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};
    use std::time::Duration;

    fn id(child: &Child) -> ProcessId {
        ProcessId { pid: child.id(), start: proc::start(child.id()).unwrap() }
    }

    #[test]
    fn the_order_is_that_of_the_ends() {
        let (tell, told) = channel();
        let mut watch = EndWatch::start(move |end| tell.send(end).unwrap());
        let mut all: Vec<_> = (0..3).map(|_| Command::new("sleep").arg("60").spawn().unwrap()).collect();
        let ids: Vec<ProcessId> = all.iter().map(id).collect();
        ids.iter().for_each(|process| watch.add(*process));
        for rank in [2, 0, 1] {
            std::thread::sleep(Duration::from_millis(120));
            all[rank].kill().unwrap();
        }
        let ends: Vec<End> = (0..3).map(|_| told.recv().unwrap()).collect();
        for child in &mut all {
            child.wait().unwrap();
        }
        watch.finish();
        assert_eq!(ends.iter().map(|end| end.process).collect::<Vec<_>>(), [ids[2], ids[0], ids[1]]);
        assert!(ends[0].is_alone && !ends[1].is_alone && !ends[2].is_alone, "{ends:?}");
        assert!(ends[1].at - ends[0].at > Duration::from_millis(50), "{ends:?}");
        assert!(ends.iter().all(|end| end.status == Some(9)), "{ends:?}");
    }
}
