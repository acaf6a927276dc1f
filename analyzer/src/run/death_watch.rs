//! The order in which processes of this host end. The system tells it at once; their launcher, which ends the others for that,
//! takes longer.

use super::stop::Process;
use analyzer::observe::Observer;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::{BTreeMap, BTreeSet};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::Instant;
use trace_format::run::over::Death;
use trace_format::run::proc;

/// A process may have 1024 files open, if nobody says otherwise.
const MOST: usize = 512;
/// New processes are looked for this often.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// If the first one ends, so many others are looked at.
const LOOKS: usize = 16;

/// A process that is watched.
struct Watched {
    rank: i32,
    pid: u32,
    /// Can be read when the process has ended.
    process: OwnedFd,
}

/// Watches processes in a thread of its own.
pub(super) struct DeathWatch {
    known: BTreeSet<i32>,
    /// Dropped, it ends the thread.
    new: Sender<Watched>,
    thread: JoinHandle<Vec<Death>>,
}

impl DeathWatch {
    pub(super) fn start() -> DeathWatch {
        let (new, arrivals) = channel();
        DeathWatch { known: BTreeSet::new(), new, thread: std::thread::spawn(move || watch(&arrivals)) }
    }

    /// Watches the ranks on this host, as far as they are new.
    pub(super) fn add(&mut self, observer: &Observer, here: &str) {
        for header in observer.traces.headers().filter(|header| header.host == here) {
            if self.known.len() >= MOST || !self.known.insert(header.rank) {
                continue;
            }
            let pid = Pid::from_raw(header.pid as i32);
            let Some(process) = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else { continue };
            // The number is still that process's.
            if Process::of(header).lives() {
                _ = self.new.send(Watched { rank: header.rank, pid: header.pid, process });
            }
        }
    }

    /// The processes that have ended, in this order.
    pub(super) fn finish(self) -> Vec<Death> {
        drop(self.new);
        self.thread.join().unwrap_or_default()
    }
}

fn watch(arrivals: &Receiver<Watched>) -> Vec<Death> {
    ends(arrivals).unwrap_or_default()
}

/// The ends in their order. Several may be found at once: epoll lists them as they came, which poll does not.
fn ends(arrivals: &Receiver<Watched>) -> rustix::io::Result<Vec<Death>> {
    let start = Instant::now();
    let queue = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let (mut all, mut deaths): (BTreeMap<i32, (u32, OwnedFd)>, Vec<Death>) = (BTreeMap::new(), Vec::new());
    let mut events = Vec::with_capacity(MOST);
    loop {
        let is_over = loop {
            match arrivals.try_recv() {
                Ok(Watched { rank, pid, process }) => {
                    epoll::add(&queue, &process, epoll::EventData::new_u64(rank as u64), epoll::EventFlags::IN)?;
                    all.insert(rank, (pid, process));
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
        let after_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let mut is_alone = deaths.is_empty() && events.len() == 1;
        for rank in events.iter().map(|event: &epoll::Event| event.data.u64() as i32) {
            if let Some((_, process)) = all.remove(&rank) {
                _ = epoll::delete(&queue, &process);
                is_alone &= !all.is_empty() && all.values().take(LOOKS).all(|(pid, _)| !proc::is_being_ended(*pid));
                deaths.push(Death { rank, after_ns, is_alone });
            }
        }
        if is_over {
            return Ok(deaths);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;
    use std::time::Duration;

    #[test]
    fn the_order_is_that_of_the_ends() {
        let (new, arrivals) = channel();
        let thread = std::thread::spawn(move || watch(&arrivals));
        let mut all: Vec<_> = (0..3).map(|_| Command::new("sleep").arg("60").spawn().unwrap()).collect();
        for (rank, child) in (0..).zip(&all) {
            let process = pidfd_open(Pid::from_raw(child.id() as i32).unwrap(), PidfdFlags::empty()).unwrap();
            new.send(Watched { rank, pid: child.id(), process }).unwrap();
        }
        for rank in [2, 0, 1] {
            std::thread::sleep(Duration::from_millis(120));
            all[rank].kill().unwrap();
        }
        for child in &mut all {
            child.wait().unwrap();
        }
        drop(new);
        let deaths = thread.join().unwrap();
        assert_eq!(deaths.iter().map(|death| death.rank).collect::<Vec<_>>(), [2, 0, 1]);
        assert!(deaths[0].is_alone && !deaths[1].is_alone && !deaths[2].is_alone, "{deaths:?}");
        assert!(deaths[1].after_ns - deaths[0].after_ns > 50_000_000, "{deaths:?}");
    }
}
