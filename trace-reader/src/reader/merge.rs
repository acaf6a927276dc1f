//! The events of a rank's threads by time. Threads of a process share a clock, so that one order of all their calls is
//! known. An event must wait while another thread may still record an earlier one.

use super::{LeanEvent, OpenError, Place, RankEvent, RankReader};
use crate::reader::thread::Thread;
use std::cell::Cell;
use std::time::{Duration, Instant};

/// A thread takes the time of a call before the record can be seen, and may lose its processor in between. So the records of
/// the others are held back this long while the job runs and a thread is silent.
const GRACE: Duration = Duration::from_millis(50);

/// How far the threads of a running process have surely been seen.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Up to this time stamp, the stages hold everything.
    horizon: u64,
    /// The latest time stamp in a stage so far.
    seen: u64,
    /// A moment, and `seen` as it was then.
    sample: Option<(Instant, u64)>,
}

impl Pace {
    /// Looks at the stages of all threads. They hold everything up to the latest time that was seen a while before.
    pub(super) fn look<'a>(&mut self, threads: impl Iterator<Item = &'a mut Thread>) {
        let now = Instant::now();
        if let Some((_, seen)) = self.sample.take_if(|(then, _)| now - *then >= GRACE) {
            self.horizon = self.horizon.max(seen);
        }
        self.seen = threads.map(Thread::take_stage).fold(self.seen, u64::max);
        self.sample.get_or_insert((now, self.seen));
    }

    /// Looks at copies in their place, which were made at one moment: they hold everything up to the latest time in any of them.
    pub(super) fn look_at_copies<'a>(&mut self, threads: impl Iterator<Item = &'a mut Thread>, are_new: bool) {
        let latest = threads.map(Thread::look_at_stage).max().unwrap_or(0);
        if are_new {
            self.horizon = self.horizon.max(latest);
        }
    }
}

/// The next thing to hand over.
enum Next {
    /// An event of this thread, as long as its time is before the next event of another.
    Of { number: u16, until: (u64, u16) },
    /// Everything that may be handed over was.
    Nothing,
    /// More must be read first.
    Wait,
}

impl RankReader {
    /// Hands over events by time until they are enough; reads further blocks where needed. True if something is held back.
    pub(super) fn merge(
        &mut self,
        budget: &mut usize,
        (most, taken): (usize, &Cell<usize>),
        sink: &mut dyn FnMut(LeanEvent),
    ) -> Result<bool, OpenError> {
        let numbers: Vec<u16> = self.threads.numbers().collect();
        for number in &numbers {
            let mut returns = Vec::new();
            self.with_returns(&mut returns, sink, |reader, sink| reader.use_stage(*number, sink))?;
            self.keep(*number, returns);
        }
        loop {
            for number in &numbers {
                self.fill(*number, budget, sink)?;
            }
            match self.choose() {
                Next::Nothing => return Ok(false),
                Next::Wait => return Ok(true),
                Next::Of { number, until } => {
                    while let Some(thread) = self.threads.get_mut(number)
                        && thread.next_time().is_some_and(|t| (t, number) < until)
                        && let Some(event) = thread.next_event(until.0)
                    {
                        sink(event);
                        self.fill(number, budget, sink)?;
                        if taken.get() >= most {
                            return Ok(true);
                        }
                        if !self.threads.get(number).is_some_and(Thread::is_ready) {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Runs `f` and passes on what it hands over, but collects the returns of open calls.
    fn with_returns<T>(
        &mut self,
        returns: &mut Vec<LeanEvent>,
        sink: &mut dyn FnMut(LeanEvent),
        f: impl FnOnce(&mut RankReader, &mut dyn FnMut(LeanEvent)) -> T,
    ) -> T {
        f(self, &mut |event| match event {
            RankEvent::Return { .. } => returns.push(event),
            event => sink(event),
        })
    }

    fn keep(&mut self, number: u16, returns: Vec<LeanEvent>) {
        if let Some(thread) = self.threads.get_mut(number) {
            returns.into_iter().for_each(|event| thread.add_return(event));
        }
    }

    /// Decodes the next record of a thread, if that is not done yet.
    fn fill(&mut self, number: u16, budget: &mut usize, sink: &mut dyn FnMut(LeanEvent)) -> Result<(), OpenError> {
        loop {
            let Some(thread) = self.threads.get_mut(number).filter(|t| !t.has_head()) else { return Ok(()) };
            match thread.next_record(&self.blobs) {
                Some(Ok(event)) => thread.set_head(event),
                Some(Err(what)) => Place::of(&self.blocks).damaged(&mut self.defects, what),
                None => {
                    let mut returns = Vec::new();
                    let more =
                        self.with_returns(&mut returns, sink, |reader, sink| reader.use_block(number, budget, sink))?;
                    self.keep(number, returns);
                    if !more {
                        return Ok(());
                    }
                    if let Some(thread) = self.threads.get_mut(number) {
                        thread.note_block();
                    }
                }
            }
        }
    }

    fn choose(&self) -> Next {
        let silent_until = if self.blocks.finished { u64::MAX } else { self.pace.horizon };
        let (mut first, mut second) = (None, (u64::MAX, u16::MAX));
        for thread in self.threads.values() {
            if !thread.is_ready() {
                return Next::Wait;
            }
            if !thread.has_head() {
                second = second.min((silent_until, u16::MAX));
            }
            let Some(time) = thread.next_time() else { continue };
            let number = thread.number();
            match first {
                Some(f) if f < (time, number) => second = second.min((time, number)),
                _ => second = second.min(first.replace((time, number)).unwrap_or((u64::MAX, u16::MAX))),
            }
        }
        match first {
            None => Next::Nothing,
            Some((time, number)) if (time, number) < second => Next::Of { number, until: second },
            Some(_) => Next::Wait,
        }
    }
}
