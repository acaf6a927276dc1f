//! Reads the traces of processes that are gone ahead of the engine: other threads read, unpack and decode, all ranks a
//! little at a time, so that what ranks did at about the same time comes together and little is in flight.
//!
//! The order does not depend on the threads: each reads its ranks in turns, and the turns are taken rank by rank.

pub(crate) mod laps;
mod period;

use period::{Periods, Span, Watch};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use trace_format::args::Args;
use trace_format::call::Call;
use trace_format::reader::{Again, Keeps, LeanEvent, RankEvent, RankReader, Sink};

/// Blocks of a rank at a time at most.
const BLOCKS: usize = 4;
/// Events of all ranks in one round, and of one rank at least and at most, by their weight.
const ROUND: usize = 1 << 13;
const FEWEST: usize = 32;
const MOST: usize = 1 << 10;
/// Events of which the turns are handed over together: to wake another thread takes as long as to read some hundred.
const TOGETHER: usize = 1 << 10;
/// How often so many a thread may be ahead.
const AHEAD: usize = 8;
/// Turns of a rank after which it is said how far it was read.
const OFTEN: u32 = 64;
/// Threads that read. Where laps are counted the engine has next to nothing to do; else it is slower than a few of them.
const MOST_THREADS: usize = 8;

/// What was read of one rank in one turn.
pub(crate) struct Turn {
    /// Its place among the readers.
    pub(crate) place: usize,
    pub(crate) batch: Batch,
    /// Bytes of it that are still to be read, said now and then.
    pub(crate) unread: Option<u64>,
    /// Why it cannot be read any further.
    pub(crate) failed: Option<String>,
    /// There may be more of it.
    more: bool,
}

/// What was read, in its order. Most calls are as earlier ones.
pub(crate) struct Batch {
    keeps: Keeps,
    steps: Vec<Step>,
    events: Vec<LeanEvent>,
    /// What they hold beside themselves, in events.
    weight: usize,
    /// Of both the next one to be taken.
    at: usize,
    at_event: usize,
    /// What looks where the rank repeats itself, while it is read.
    periods: Option<Periods>,
    spans: Vec<Span>,
}

enum Step {
    /// The next of the events.
    Event,
    /// The next of the events is a call to be kept in this place.
    Keep(u16),
    Again(Again),
}

/// An event as a batch has it.
pub(crate) enum Read<'a> {
    Event(&'a mut LeanEvent),
    /// A call to be kept: see [`Sink::keep`].
    Keep(u16, &'a mut LeanEvent),
    Again(&'a Again),
}

impl Sink for Batch {
    fn event(&mut self, event: LeanEvent) {
        match (&mut self.periods, &event) {
            (Some(periods), RankEvent::Call(call)) => periods.call(None, call),
            (Some(periods), _) => periods.other(),
            (None, _) => {}
        }
        self.weight += event.weight();
        self.steps.push(Step::Event);
        self.events.push(event);
    }

    fn keeps(&self) -> Keeps {
        self.keeps
    }

    #[inline(always)]
    fn call<E>(&mut self, fill: impl FnOnce(&mut Call<Args>) -> Result<Option<u16>, E>) -> Result<(), E> {
        self.events.push(RankEvent::Call(Call::blank()));
        let Some(event) = self.events.last_mut() else { return Ok(()) };
        let RankEvent::Call(call) = event else { return Ok(()) };
        match fill(call) {
            Ok(slot) => {
                self.periods.iter_mut().for_each(|periods| periods.call(slot, call));
                self.steps.push(slot.map_or(Step::Event, Step::Keep));
                self.weight += event.weight();
                Ok(())
            }
            Err(what) => {
                self.events.pop();
                Err(what)
            }
        }
    }

    #[inline(always)]
    fn again(&mut self, again: Again) {
        self.periods.iter_mut().for_each(|periods| periods.again(&again));
        self.steps.push(Step::Again(again));
    }
}

impl Batch {
    /// With room for so many steps and events.
    fn new(keeps: Keeps, (steps, events): (usize, usize), periods: Option<Periods>) -> Batch {
        let (steps, events, spans) = (Vec::with_capacity(steps), Vec::with_capacity(events), Vec::new());
        Batch { keeps, steps, events, weight: 0, at: 0, at_event: 0, periods, spans }
    }

    /// Everything was read; what looks for periods goes on with the next one.
    fn close(&mut self) -> Option<Periods> {
        let mut periods = self.periods.take();
        match &mut periods {
            Some(periods) => self.spans = periods.take(),
            None => self.spans.push(Span { period: 0, len: self.steps.len(), goes_on: false }),
        }
        periods
    }

    fn take_spans(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.spans)
    }

    /// How many were not taken.
    fn left(&self) -> usize {
        self.steps.len() - self.at
    }

    fn next(&mut self) -> Option<Read<'_>> {
        let step = self.steps.get(self.at)?;
        self.at += 1;
        if let Step::Again(again) = step {
            return Some(Read::Again(again));
        }
        let event = self.events.get_mut(self.at_event)?;
        self.at_event += 1;
        Some(if let Step::Keep(slot) = step { Read::Keep(*slot, event) } else { Read::Event(event) })
    }

    /// Those that were not taken.
    fn coming(&self) -> impl Iterator<Item = Coming<'_>> {
        let mut events = self.events[self.at_event..].iter();
        self.steps[self.at..].iter().filter_map(move |step| match step {
            Step::Again(again) => Some(Coming::Again(again)),
            Step::Event | Step::Keep(_) => events.next().map(Coming::Event),
        })
    }

    /// The next ones, which are calls, are left out: so many, or all that are there. How many. `keep` is given those that are
    /// to be kept.
    fn leave_out(&mut self, most: usize, mut keep: impl FnMut(u16, &mut LeanEvent)) -> usize {
        let out = most.min(self.left());
        if self.at_event < self.events.len() {
            for step in &self.steps[self.at..self.at + out] {
                if let Step::Keep(slot) = step {
                    keep(*slot, &mut self.events[self.at_event]);
                }
                self.at_event += usize::from(!matches!(step, Step::Again(_)));
            }
        }
        self.at += out;
        out
    }
}

/// An event that was not taken.
enum Coming<'a> {
    Again(&'a Again),
    Event(&'a LeanEvent),
}

/// Processors that this process may use.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Reads all of these to their ends. `take` is given each turn, and says whether to go on: if not, what was read already
/// still comes.
pub(crate) fn read(readers: Vec<&mut RankReader>, keeps: Keeps, mut take: impl FnMut(Turn) -> bool) {
    let most = ((ROUND / readers.len().max(1)).clamp(FEWEST, MOST), keeps, readers.len());
    let mut places: Vec<usize> = (0..readers.len()).collect();
    let threads = processors().min(MOST_THREADS).min(readers.len()).max(1);
    let stop = AtomicBool::new(false);
    let mut shares: Vec<Vec<(usize, &mut RankReader)>> = Vec::new();
    shares.resize_with(threads, Vec::new);
    for (place, reader) in readers.into_iter().enumerate() {
        shares[place % threads].push((place, reader));
    }
    thread::scope(|scope| {
        let mut sources: Vec<Source> = Vec::new();
        for share in shares {
            let (sender, receiver) = sync_channel(AHEAD);
            let stop = &stop;
            scope.spawn(move || read_share(share, most, &sender, stop));
            sources.push(Source { receiver, turns: VecDeque::new() });
        }
        // Each thread goes through its share in order, so that what comes of it is always the turn of the rank whose turn
        // it is: all ranks advance alike, with any number of threads.
        while !places.is_empty() {
            places.retain(|place| {
                let Some(turn) = sources[place % threads].next() else { return false };
                let more = turn.more;
                if !take(turn) {
                    stop.store(true, Ordering::Relaxed);
                }
                more
            });
        }
    });
}

/// What comes of one thread.
struct Source {
    receiver: Receiver<Vec<Turn>>,
    turns: VecDeque<Turn>,
}

impl Source {
    fn next(&mut self) -> Option<Turn> {
        if self.turns.is_empty() {
            self.turns.extend(self.receiver.recv().ok()?);
        }
        self.turns.pop_front()
    }
}

fn read_share(
    share: Vec<(usize, &mut RankReader)>,
    most: (usize, Keeps, usize),
    sender: &SyncSender<Vec<Turn>>,
    stop: &AtomicBool,
) {
    let (mut together, mut events) = (Vec::new(), 0);
    turns(share, most, &mut |turn| {
        events += turn.batch.left() + turn.batch.weight;
        together.push(turn);
        if events < TOGETHER {
            return true;
        }
        events = 0;
        sender.send(std::mem::take(&mut together)).is_ok() && !stop.load(Ordering::Relaxed)
    });
    // Who takes no more does not miss it.
    _ = sender.send(together);
}

/// Reads in turns until nothing is left, or `send` does not want more.
fn turns(
    share: Vec<(usize, &mut RankReader)>,
    (most, keeps, ranks): (usize, Keeps, usize),
    send: &mut dyn FnMut(Turn) -> bool,
) {
    let (mut round, mut wanted) = (0u32, true);
    // Of the last turn, of whatever rank: the next one is much like it.
    let mut events = 0;
    // Who wants to be told of each call is told of each call.
    let periods = |stride| Periods::of_one_of(ranks, stride).filter(|_| keeps == Keeps::Alike);
    let stride = |reader: &RankReader| u64::from(reader.header.request_stride);
    let watch = |reader: &RankReader| Watch::new(periods(stride(reader)));
    let mut share: Vec<_> = share.into_iter().map(|(place, reader)| (place, watch(reader), reader)).collect();
    while wanted && !share.is_empty() {
        share.retain_mut(|(place, watch, reader)| {
            if !wanted {
                return true;
            }
            let (periods, knows_nothing) = watch.begin();
            if knows_nothing {
                reader.keep_anew();
            }
            let mut batch = Batch::new(keeps, (most, events), periods);
            let defects = reader.defects.count();
            let result = reader.poll_lean(BLOCKS, most, &mut batch);
            watch.end(batch.close(), batch.left());
            events = batch.events.len().min(most);
            // Behind damage there may be more.
            let more = match &result {
                Ok(any) => *any || reader.defects.count() > defects,
                Err(_) => false,
            };
            let unread = (!more || round % OFTEN == 0).then(|| reader.unread());
            wanted = send(Turn { place: *place, batch, unread, failed: result.err().map(|e| e.to_string()), more });
            more
        });
        round = round.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::call::{Call, Outcome, Value};
    use trace_format::mpi::FnId;
    use trace_format::synthetic::header;
    use trace_format::writer::RankWriter;

    #[test]
    fn little_is_in_flight_of_calls_that_hold_much() {
        let dir = tempfile::tempdir().unwrap();
        let file = std::fs::File::create(trace_format::file::rank_path(dir.path(), 0)).unwrap();
        let mut writer = RankWriter::new(file, &header(0, 1)).unwrap();
        let mut call = Call::new(FnId::MPI_Waitall);
        call.outcome = Outcome::Returned(0);
        call.ins[1] = Value::Requests { base: 0x1000, handles: vec![7; 10_000] };
        let calls = 200;
        for _ in 0..calls {
            writer.call(&call).unwrap();
        }
        writer.flush().unwrap();
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        reader.writer_is_gone();
        let (mut events, mut heaviest) = (0, 0);
        read(vec![&mut reader], Keeps::Nothing, |turn| {
            events += turn.batch.events.len();
            heaviest = heaviest.max(turn.batch.events.iter().map(LeanEvent::weight).sum());
            true
        });
        assert_eq!(events, calls);
        assert!(heaviest < MOST + 100, "{heaviest}");
    }
}
