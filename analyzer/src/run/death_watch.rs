//! The order in which processes of this host end. The system tells it at once; their launcher, which ends the others for that,
//! takes longer.

use super::stop::Process;
use analyzer::observe::Observer;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use trace_format::run::over::Death;

/// A process may have 1024 files open, if nobody says otherwise.
const MOST: usize = 512;
/// New processes are looked for this often.
const PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

/// A process that is watched.
struct Watched {
    rank: i32,
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
                _ = self.new.send(Watched { rank: header.rank, process });
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
    let start = Instant::now();
    let (mut all, mut deaths): (Vec<Watched>, Vec<Death>) = (Vec::new(), Vec::new());
    loop {
        let is_over = loop {
            match arrivals.try_recv() {
                Ok(watched) => all.push(watched),
                Err(e) => break e == TryRecvError::Disconnected,
            }
        };
        let mut descriptors: Vec<_> = all.iter().map(|one| PollFd::new(&one.process, PollFlags::IN)).collect();
        // The last look finds those that have ended until now.
        let pause = if is_over { Timespec::default() } else { PAUSE };
        if poll(&mut descriptors, Some(&pause)).is_err() {
            std::thread::sleep(Duration::from_millis(1));
        }
        let after_ns = u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let have_ended: Vec<bool> = descriptors.iter().map(|one| !one.revents().is_empty()).collect();
        let mut ended = have_ended.into_iter();
        all.retain(|one| {
            let has_ended = ended.next() == Some(true);
            deaths.extend(has_ended.then_some(Death { rank: one.rank, after_ns }));
            !has_ended
        });
        if is_over {
            return deaths;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_order_is_that_of_the_ends() {
        let (new, arrivals) = channel();
        let thread = std::thread::spawn(move || watch(&arrivals));
        let mut all: Vec<_> = (0..3).map(|_| Command::new("sleep").arg("60").spawn().unwrap()).collect();
        for (rank, child) in (0..).zip(&all) {
            let process = pidfd_open(Pid::from_raw(child.id() as i32).unwrap(), PidfdFlags::empty()).unwrap();
            new.send(Watched { rank, process }).unwrap();
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
        assert!(deaths[1].after_ns - deaths[0].after_ns > 50_000_000, "{deaths:?}");
    }
}
