//! Reads the traces of processes that are gone ahead of the engine: other threads read, unpack and decode, all ranks a
//! little at a time, so that what ranks did at about the same time comes together and little is in flight.
//!
//! The order does not depend on the threads: each reads its ranks in turns, and the turns are taken rank by rank.

pub mod laps;
mod period;
mod tokens;

use period::{Periods, Span, Watch};
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use trace_format::pack::CallTimes;
use trace_reader::args::Args;
use trace_reader::call::Call;
use trace_reader::reader::{Again, Keeps, LeanEvent, RankEvent, RankReader, Rounds, Sink};

/// Blocks of a rank at a time at most.
const BLOCKS: usize = 4;
/// Events of all ranks in one round, and of one rank at least and at most, by their weight. With twice as many, 64 ranks that do
/// not repeat themselves take a tenth longer with all checks (`docs/benchmarks.md`).
const ROUND: usize = 1 << 12;
const FEWEST: usize = 32;
const MOST: usize = 1 << 10;
/// Events of which the turns are handed over together: to wake another thread takes as long as to read some hundred.
const TOGETHER: usize = 1 << 10;
/// So many calls of rounds take as much memory as an event, and less time.
const LIGHT: usize = 8;
/// A rank that was given less in one turn, since its events hold much, is given that part of a turn more in the next one at most.
const LITTLE: isize = 16;
/// As [`ROUND`], where ranks go round in loops: of one that was read beyond its turn, the next turns are left out.
const LIGHT_ROUND: usize = 1 << 13;
/// How often so many a thread may be ahead.
const AHEAD: usize = 8;
/// Turns of a rank after which it is said how far it was read.
const OFTEN: u32 = 64;
/// Threads that read. Where laps are counted the engine has next to nothing to do; else it is slower than a few of them.
const MOST_THREADS: usize = 8;

/// What was read of one rank in one turn.
pub struct Turn {
    /// Its place among the readers.
    pub place: usize,
    pub batch: Batch,
    /// Bytes of it that are still to be read, said now and then.
    pub unread: Option<u64>,
    /// Why it cannot be read any further.
    pub failed: Option<String>,
    /// There may be more of it.
    more: bool,
    /// So many of its next turns are left out, since it is ahead of the others by that.
    skipped: usize,
}

/// What was read, in its order. Most calls are as earlier ones.
pub struct Batch {
    keeps: Keeps,
    steps: Vec<Step>,
    events: Vec<LeanEvent>,
    rounds: Vec<Repeated>,
    times: Vec<CallTimes>,
    /// What they hold beside themselves, in events.
    weight: usize,
    /// How many all steps stand for.
    len: usize,
    next: Next,
    /// The last call of a round that was taken.
    again: Again,
    /// What looks where the rank repeats itself, while it is read.
    periods: Option<Periods>,
    spans: Vec<Span>,
}

/// What of a batch is to be taken next.
#[derive(Default)]
struct Next {
    step: usize,
    /// Of the rounds at hand, if that is the step.
    call: usize,
    event: usize,
    rounds: usize,
    /// So many were taken.
    taken: usize,
}

impl Next {
    /// So many of the `calls` of the rounds at hand are taken.
    fn pass(&mut self, taken: usize, calls: usize) {
        self.taken += taken;
        self.call += taken;
        if self.call == calls {
            self.call = 0;
            self.rounds += 1;
            self.step += 1;
        }
    }
}

enum Step {
    /// The next of the events.
    Event,
    /// The next of the events is a call to be kept in this place.
    Keep(u16),
    Again(Again),
    /// So many calls: the next of the rounds.
    Rounds(usize),
}

/// Rounds of a loop: see [`Rounds`].
struct Repeated {
    round: Arc<[Again]>,
    index: u64,
    /// Of all times of the batch, where these begin.
    from: usize,
}

impl Repeated {
    /// The call at this place of the rounds, as far as it is as those before it.
    fn as_before(&self, place: usize) -> &Again {
        &self.round[place % self.round.len()]
    }
}

/// An event as a batch has it.
pub enum Read<'a> {
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
        self.len += 1;
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
                self.len += 1;
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
        self.len += 1;
        self.steps.push(Step::Again(again));
    }

    fn period(&self) -> Option<usize> {
        self.periods.as_ref()?.period()
    }

    fn knows(&mut self, round: &[Again]) -> bool {
        self.periods.as_mut().is_some_and(|periods| periods.knows(round))
    }

    fn rounds(&mut self, Rounds { round, index, times }: Rounds) {
        self.periods.iter_mut().for_each(|periods| periods.rounds(times.len()));
        self.rounds.push(Repeated { round: Arc::clone(round), index, from: self.times.len() });
        self.times.extend_from_slice(times);
        self.len += times.len();
        self.steps.push(Step::Rounds(times.len()));
    }
}

impl Batch {
    /// With room for so many steps and events.
    fn new(keeps: Keeps, (steps, events): (usize, usize), periods: Option<Periods>) -> Batch {
        let (steps, events, spans) = (Vec::with_capacity(steps), Vec::with_capacity(events), Vec::new());
        let (rounds, times, next, again) = (Vec::new(), Vec::new(), Next::default(), Again::default());
        Batch { keeps, steps, events, rounds, times, weight: 0, len: 0, next, again, periods, spans }
    }

    /// Everything was read; what looks for periods goes on with the next one.
    fn close(&mut self) -> Option<Periods> {
        let mut periods = self.periods.take();
        match &mut periods {
            Some(periods) => self.spans = periods.take(),
            None => self.spans.push(Span { period: 0, len: self.len, goes_on: false }),
        }
        periods
    }

    fn take_spans(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.spans)
    }

    /// Are there rounds that come again, and no event as a whole?
    fn is_light(&self) -> bool {
        self.events.is_empty() && !self.rounds.is_empty()
    }

    /// How many were not taken.
    fn left(&self) -> usize {
        self.len - self.next.taken
    }

    fn next(&mut self) -> Option<Read<'_>> {
        let next = &mut self.next;
        let step = self.steps.get(next.step)?;
        if let Step::Rounds(calls) = step {
            let (repeated, place) = (self.rounds.get(next.rounds)?, next.call);
            let index = repeated.index.wrapping_add(place as u64);
            self.again = repeated.as_before(place).at(index, self.times[repeated.from + place]);
            next.pass(1, *calls);
            return Some(Read::Again(&self.again));
        }
        next.step += 1;
        next.taken += 1;
        if let Step::Again(again) = step {
            return Some(Read::Again(again));
        }
        let event = self.events.get_mut(next.event)?;
        next.event += 1;
        Some(if let Step::Keep(slot) = step { Read::Keep(*slot, event) } else { Read::Event(event) })
    }

    /// The next one that was not taken.
    fn coming(&self) -> Option<Coming<'_>> {
        let next = &self.next;
        Some(match self.steps.get(next.step)? {
            Step::Again(again) => Coming::Again(again),
            Step::Rounds(_) => Coming::Again(self.rounds.get(next.rounds)?.as_before(next.call)),
            Step::Event | Step::Keep(_) => Coming::Event(self.events.get(next.event)?),
        })
    }

    /// The next ones, which are calls, are left out: so many, or all that are there. How many. `keep` is given those that are
    /// to be kept.
    fn leave_out(&mut self, most: usize, mut keep: impl FnMut(u16, &mut LeanEvent)) -> usize {
        let next = &mut self.next;
        let out = most.min(self.len - next.taken);
        let end = next.taken + out;
        if next.event == self.events.len() && next.rounds == self.rounds.len() {
            next.step += out;
            next.taken = end;
        }
        while next.taken < end
            && let Some(step) = self.steps.get(next.step)
        {
            if let Step::Rounds(calls) = step {
                next.pass((end - next.taken).min(calls - next.call), *calls);
                continue;
            }
            if let Step::Keep(slot) = step {
                keep(*slot, &mut self.events[next.event]);
            }
            next.event += usize::from(!matches!(step, Step::Again(_)));
            next.step += 1;
            next.taken += 1;
        }
        out
    }
}

/// An event that was not taken, as far as it is as those before it.
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
pub fn read(readers: Vec<&mut RankReader>, keeps: Keeps, take: impl FnMut(Turn) -> bool) {
    read_by(processors().min(MOST_THREADS), readers, keeps, take);
}

/// The same by so many threads.
fn read_by(threads: usize, readers: Vec<&mut RankReader>, keeps: Keeps, mut take: impl FnMut(Turn) -> bool) {
    let plan = Plan::of(readers.len(), keeps);
    let mut places: Vec<(usize, usize)> = (0..readers.len()).map(|place| (place, 0)).collect();
    let threads = threads.min(readers.len()).max(1);
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
            scope.spawn(move || read_share(share, plan, &sender, stop));
            sources.push(Source { receiver, turns: VecDeque::new() });
        }
        // Each thread goes through its share in order, so that what comes of it is always the turn of the rank whose turn
        // it is: all ranks advance alike, with any number of threads.
        while !places.is_empty() {
            places.retain_mut(|(place, skipped)| {
                if *skipped > 0 {
                    *skipped -= 1;
                    return true;
                }
                let Some(turn) = sources[*place % threads].next() else { return false };
                debug_assert_eq!(turn.place, *place, "it is the turn of another rank");
                let more = turn.more;
                *skipped = turn.skipped;
                if !take(turn) {
                    stop.store(true, Ordering::Relaxed);
                }
                more
            });
        }
    });
}

/// How ranks are read.
#[derive(Clone, Copy)]
struct Plan {
    keeps: Keeps,
    ranks: usize,
    /// Events of a turn.
    turn: usize,
    /// More of them that are read at once where a rank goes round in a loop.
    extra: usize,
}

impl Plan {
    fn of(ranks: usize, keeps: Keeps) -> Plan {
        let of_each = |round: usize| (round / ranks.max(1)).clamp(FEWEST, MOST);
        let turn = of_each(ROUND);
        Plan { keeps, ranks, turn, extra: of_each(LIGHT_ROUND) - turn }
    }
}

/// A rank that is read.
struct Member<'a> {
    place: usize,
    reader: &'a mut RankReader,
    watch: Watch,
    /// By how many events it is ahead of the others: rounds are read as a whole, and what holds much counts as more than one
    /// event.
    ahead: isize,
    /// What was read of it last is light.
    is_light: bool,
    turns: u32,
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

fn read_share(share: Vec<(usize, &mut RankReader)>, plan: Plan, sender: &SyncSender<Vec<Turn>>, stop: &AtomicBool) {
    let (mut together, mut events) = (Vec::new(), 0);
    turns(share, plan, &mut |turn| {
        events += 1 + turn.batch.steps.len() + turn.batch.times.len() / LIGHT + turn.batch.weight;
        together.push(turn);
        if events < TOGETHER {
            return true;
        }
        events = 0;
        sender.send(std::mem::take(&mut together)).is_ok() && !stop.load(Ordering::Relaxed)
    });
    // A receiver that takes no more does not miss it.
    _ = sender.send(together);
}

/// Reads in turns until nothing is left, or `send` does not want more.
fn turns(share: Vec<(usize, &mut RankReader)>, plan: Plan, send: &mut dyn FnMut(Turn) -> bool) {
    let Plan { keeps, ranks, turn, extra } = plan;
    let mut wanted = true;
    // Of the last turn, of whatever rank: the next one is much like it.
    let mut events = 0;
    // A receiver that wants to be told of each call is told of each call.
    let periods = |stride| Periods::of_one_of(ranks, stride).filter(|_| keeps == Keeps::Alike);
    let member = |(place, reader): (usize, _)| {
        let reader: &mut RankReader = reader;
        let watch = Watch::new(periods(u64::from(reader.header.request_stride)));
        Member { place, reader, watch, ahead: 0, is_light: false, turns: 0 }
    };
    let mut share: Vec<Member> = share.into_iter().map(member).collect();
    let signed = turn.cast_signed();
    while wanted && !share.is_empty() {
        share.retain_mut(|Member { place, reader, watch, ahead, is_light, turns }| {
            if !wanted {
                return true;
            }
            if *ahead >= signed {
                *ahead -= signed;
                return true;
            }
            let due = turn.saturating_add_signed(-*ahead);
            let (periods, knows_nothing) = watch.begin();
            if knows_nothing {
                reader.keep_anew();
            }
            let mut batch = Batch::new(keeps, (due, events), periods);
            let defects = reader.defects.count();
            let result = reader.poll_lean(BLOCKS, if *is_light { due + extra } else { due }, &mut batch);
            watch.end(batch.close(), batch.left());
            *ahead = (batch.left().cast_signed() - due.cast_signed()).max(-signed / LITTLE);
            *is_light = batch.is_light();
            events = batch.events.len().min(turn);
            // Behind damage there may be more.
            let more = match &result {
                Ok(any) => *any || reader.defects.count() > defects,
                Err(_) => false,
            };
            let unread = (!more || *turns % OFTEN == 0).then(|| reader.unread());
            *turns = turns.wrapping_add(1);
            let skipped = (*ahead / signed).max(0).cast_unsigned();
            let failed = result.err().map(|e| e.to_string());
            wanted = send(Turn { place: *place, batch, unread, failed, more, skipped });
            more
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::FnId;
    use trace_reader::call::{Call, Outcome, Value};
    use trace_reader::synthetic::{RankWriter, header};

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

    /// Whatever turns of a rank are left out since it was read ahead of the others.
    #[test]
    fn ranks_stay_together_if_some_go_round_in_loops_and_others_do_not() {
        const RANKS: i32 = 96;
        const CALLS: i64 = 6_000;
        let dir = tempfile::tempdir().unwrap();
        for rank in 0..RANKS {
            let file = std::fs::File::create(trace_format::file::rank_path(dir.path(), rank)).unwrap();
            let mut writer = RankWriter::new(file, &header(rank, RANKS)).unwrap();
            let mut call = Call::new(FnId::MPI_Send);
            call.outcome = Outcome::Returned(0);
            for i in 0..CALLS {
                // Of half of the ranks the tag rises, of the others it comes again; threads have more of these or of those.
                call.ins[4] = Value::Int(if rank % 2 == 0 { i * i } else { i % 5 });
                (call.t_call, call.t_return) = (100 * i as u64, 100 * i as u64 + 10);
                writer.call(&call).unwrap();
            }
            writer.flush().unwrap();
        }
        let plan = Plan::of(RANKS as usize, Keeps::Alike);
        assert!(plan.extra > 0);
        let mut order = None;
        for threads in [1, 2, 3, 8] {
            let open = |rank| {
                let mut reader = RankReader::open(dir.path(), rank).unwrap();
                reader.writer_is_gone();
                reader
            };
            let mut readers: Vec<RankReader> = (0..RANKS).map(open).collect();
            let (mut taken, mut widest, mut skipped, mut in_rounds) = ([0; RANKS as usize], 0, 0, 0);
            let mut places = Vec::new();
            read_by(threads, readers.iter_mut().collect(), Keeps::Alike, |turn| {
                places.push((turn.place, turn.batch.left()));
                taken[turn.place] += turn.batch.left();
                in_rounds += turn.batch.times.len();
                skipped += turn.skipped;
                if taken.iter().all(|taken| *taken < CALLS as usize - plan.turn - plan.extra) {
                    widest = widest.max(taken.iter().max().unwrap() - taken.iter().min().unwrap());
                }
                true
            });
            assert_eq!(taken, [CALLS as usize; RANKS as usize]);
            assert!(skipped > 1_000 && in_rounds > 100_000, "{skipped} {in_rounds}");
            assert!(widest <= 2 * plan.turn + plan.extra + 35, "{threads} threads: {widest}");
            assert_eq!(*order.get_or_insert_with(|| places.clone()), places, "{threads} threads");
        }
    }
}
