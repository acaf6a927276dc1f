//! Reads the traces of processes that are gone ahead of the engine: other threads read, unpack and decode, all ranks a
//! little at a time, so that what ranks did at about the same time comes together and little is in flight.
//!
//! The order does not depend on the threads: each reads its ranks in turns, and the turns are taken rank by rank.
//!
//! ```text
//! RankReader -> Batch (a Sink) -> channel -> Laps (may count) -> Onlooker::look
//!                                                             -> Linker::take (numbers of processes) -> Engine::take
//! ```
//!
//! From the batch on each event is an [`EventRef`].

mod batch;
mod call_key;
mod elsewhere;
mod laps;
mod messages;
mod rounds;
mod stretches;
mod watch;

use crate::Engine;
use crate::link::Linker;
use batch::{Batch, Home, Room};
use elsewhere::counting::LapSums;
pub use elsewhere::{
    CountOrder, Elsewhere, LastRounds, Positions, Share, Shelf, Turns, Wish, Wishes, agree, read_for_another,
};
use elsewhere::{Helpers, Returned};
use laps::Laps;
use rounds::RoundFinder;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread;
use trace_reader::reader::{EventRef, Keeps, RankReader};
use watch::Watch;

/// Blocks of a rank at a time at most.
const BLOCKS: usize = 4;

/// Events of all ranks in one pass over them, and of one rank at least and at most, by their cost. With twice as many, 64
/// ranks that do not repeat themselves take a tenth longer with all checks (`docs/internals/budget.md`).
const PASS: usize = 1 << 11;

const FEWEST: usize = 32;

const MOST: usize = 1 << 10;

/// Events of which the turns are handed over together: to wake another thread takes as long as to read some hundred.
const TOGETHER: usize = 1 << 10;

/// As [`TOGETHER`], where ranks go round in loops.
const LIGHT_TOGETHER: usize = 1 << 12;

/// A rank that was given less in one turn, since its events hold much, is given that part of a turn more in the next one at most.
const LITTLE: isize = 16;

/// As [`PASS`], where ranks go round in loops, and most events are only counted: of one that was read beyond its turn, the next
/// turns are left out.
const LIGHT_PASS: usize = 1 << 13;

/// How often so many a thread may be ahead. More are in no near cache any more when their turn comes.
const AHEAD: usize = 1;

/// Turns of a rank after which it is said how far it was read.
const OFTEN: u32 = 64;

/// Threads that read. Where laps are counted the engine has next to nothing to do; else it is slower than a few of them.
const MOST_THREADS: usize = 8;

/// Bytes of traces for which the deadlock replay gets a thread of its own: some 20 ms.
const WORTH_A_THREAD: u64 = 1 << 18;

/// Looks on while the engine is fed with traces, each of which has its place among the readers.
pub trait Onlooker {
    /// The engine is given this event next.
    fn look(&mut self, place: usize, event: &EventRef);

    /// So many calls were counted, and the engine was not given them.
    fn leapt(&mut self, place: usize, calls: u64);

    /// So many bytes are still to be read. Said now and then.
    fn unread(&mut self, place: usize, bytes: u64);

    /// It cannot be read any further.
    fn failed(&mut self, place: usize, why: String);

    /// Is more to be read? What was read ahead comes in any case.
    fn goes_on(&self) -> bool;
}

/// The way of events to the engine.
struct Feed<'a> {
    linker: &'a mut Linker,
    engine: &'a mut Engine,
    onlooker: &'a mut dyn Onlooker,
    /// Laps are counted, so that the engine has next to nothing to do.
    counts_laps: &'a AtomicBool,
    /// Others read.
    helpers: Option<Helpers<'a>>,
}

impl Feed<'_> {
    /// Hands on the next event of the rank at this place.
    #[inline]
    fn take(&mut self, (place, rank): (usize, i32), event: EventRef) {
        self.onlooker.look(place, &event);
        self.linker.take(rank, event, self.engine);
    }

    /// Nothing more comes of this rank.
    fn is_over(&mut self, rank: i32) {
        // Between worlds, events may have been held back.
        if self.linker.is_one_world() {
            self.engine.forget_kept(rank);
        }
    }

    /// May calls be counted that are as others? With several worlds it matters how far each has come.
    fn may_leap(&self) -> bool {
        self.linker.is_one_world() && self.engine.may_leap()
    }
}

/// Takes turns, and hands their events on.
struct Taker<'a> {
    laps: Laps,
    feed: Feed<'a>,
}

impl Taker<'_> {
    /// Is more wanted?
    fn take(&mut self, mut turn: Turn) -> bool {
        let Taker { laps, feed } = self;
        turn.failed.take().into_iter().for_each(|why| feed.onlooker.failed(turn.place, why));
        turn.unread.into_iter().for_each(|bytes| feed.onlooker.unread(turn.place, bytes));
        laps.take(turn, feed);
        !feed.linker.holds_any() && feed.onlooker.goes_on()
    }

    /// Nothing more was read.
    fn finish(mut self) {
        self.laps.finish(&mut self.feed);
    }
}

/// The events of one rank that one turn has read.
struct Turn {
    /// Its place among the readers.
    place: usize,
    batch: Batch,
    /// Bytes of it that are still to be read, said now and then.
    unread: Option<u64>,
    /// Why it cannot be read any further.
    failed: Option<String>,
    /// There may be more of it.
    more: bool,
    /// So many of its next turns are left out, since it is ahead of the others by that.
    skipped: usize,
    /// Laps that were counted where it was read since the last turn of the same process, or from where on it counts them.
    laps: Option<Box<LapSums>>,
}

/// Readers of the traces.
pub enum Readers<'a> {
    /// Threads of this process.
    Here(Vec<&'a mut RankReader>),
    /// Other processes.
    Elsewhere(Elsewhere<'a>),
}

impl Readers<'_> {
    fn ranks(&self) -> Vec<i32> {
        match self {
            Readers::Here(readers) => readers.iter().map(|reader| reader.rank()).collect(),
            Readers::Elsewhere(elsewhere) => elsewhere.ranks.clone(),
        }
    }

    fn unread(&self) -> u64 {
        match self {
            Readers::Here(readers) => readers.iter().map(|reader| reader.unread()).sum(),
            Readers::Elsewhere(elsewhere) => elsewhere.unread,
        }
    }
}

/// Feeds the engine with all these traces to their ends, until a process is held back (see [`Linker`]), or as long as
/// `onlooker` wants.
pub fn feed(readers: Readers, linker: &mut Linker, engine: &mut Engine, onlooker: &mut dyn Onlooker) {
    let keeps = engine.keeps();
    let threads = processors();
    let apart = threads > 1 && readers.unread() >= WORTH_A_THREAD;
    if apart {
        engine.replay_apart();
    }
    let laps = Laps::new(readers.ranks().into_iter());
    let counts_laps = &AtomicBool::new(false);
    match readers {
        Readers::Here(readers) => {
            let feed = Feed { linker, engine: &mut *engine, onlooker, counts_laps, helpers: None };
            let mut taker = Taker { laps, feed };
            read(threads.min(MOST_THREADS), readers, keeps, counts_laps, |turn| taker.take(turn));
            taker.finish();
        }
        Readers::Elsewhere(Elsewhere { source_of, sources, stop, wishes, .. }) => {
            let sources = sources.into_iter().map(|turns| Source::new(Turning::Elsewhere(turns))).collect();
            let sources = RefCell::new(sources);
            let helpers = Some(Helpers { sources: &sources, source_of: &source_of, wishes });
            let feed = Feed { linker, engine: &mut *engine, onlooker, counts_laps, helpers };
            let mut taker = Taker { laps, feed };
            take_turns(&sources, source_of.clone(), stop, &mut |turn| taker.take(turn));
            taker.finish();
        }
    }
    if apart {
        engine.replay_here();
    }
}

/// Processors that this process may use.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Reads all of these to their ends by so many threads. `take` is given each turn, and says whether to go on: if not, what
/// was read already still comes. `counts_laps`: who takes them does little with them.
fn read(
    threads: usize,
    readers: Vec<&mut RankReader>,
    keeps: Keeps,
    counts_laps: &AtomicBool,
    mut take: impl FnMut(Turn) -> bool,
) {
    let plan = Plan::of(readers.len(), keeps);
    let threads = threads.min(readers.len()).max(1);
    // With two processors, another thread that reads only gets in the way of the engine and the replay, unless laps are counted.
    let looks_for_rounds = keeps == Keeps::Alike && RoundFinder::is_for(plan.ranks);
    let shares = if threads == 2 && looks_for_rounds { 1 } else { threads };
    let source_of: Vec<usize> = (0..readers.len()).map(|place| place % shares).collect();
    let stop = AtomicBool::new(false);
    let mut all: Vec<Vec<(usize, &mut RankReader)>> = Vec::new();
    all.resize_with(shares, Vec::new);
    for (place, reader) in readers.into_iter().enumerate() {
        all[source_of[place]].push((place, reader));
    }
    thread::scope(|scope| {
        let (senders, sources): (Vec<_>, Vec<_>) = (0..threads)
            .map(|_| {
                let (sender, receiver) = sync_channel(AHEAD);
                (sender, Source::new(Turning::Here(receiver)))
            })
            .unzip();
        let mut senders = senders.into_iter();
        for share in all {
            let (sender, stop) = (senders.next(), &stop);
            let second = if threads > shares { senders.next() } else { None };
            let Some(sender) = sender else { continue };
            scope.spawn(move || {
                let mut reading = Reading::new(share, plan);
                if let Some(second) = second {
                    let is_halved = reading.read_until(counts_laps, &mut handed_to(&sender, stop));
                    if is_halved && sender.send(Handed::Halved).is_ok() {
                        let mut other = reading.halve();
                        scope.spawn(move || other.read_all(&mut handed_to(&second, stop)));
                    }
                }
                reading.read_all(&mut handed_to(&sender, stop));
            });
        }
        take_turns(&RefCell::new(sources), source_of, &stop, &mut take);
    });
}

/// Hands turns over, and says whether more are wanted.
fn handed_to(sender: &SyncSender<Handed>, stop: &AtomicBool) -> impl FnMut(Vec<Turn>) -> bool {
    // A receiver that takes no more does not miss them.
    |turns| sender.send(Handed::Turns(turns)).is_ok() && !stop.load(Ordering::Relaxed)
}

/// Takes turns from the sources of all ranks. Each source goes through its share in order, so that what comes of it is always the
/// turn of the rank whose turn it is: all ranks advance alike, with any number of sources.
fn take_turns(
    sources: &RefCell<Vec<Source>>,
    mut source_of: Vec<usize>,
    stop: &AtomicBool,
    take: &mut dyn FnMut(Turn) -> bool,
) {
    let mut places: Vec<(usize, usize)> = (0..source_of.len()).map(|place| (place, 0)).collect();
    while !places.is_empty() {
        places.retain_mut(|(place, skipped)| {
            if *skipped > 0 {
                *skipped -= 1;
                return true;
            }
            let turn = loop {
                // Not longer: whoever takes the turn may want to have something brought back.
                let next = sources.borrow_mut().get_mut(source_of[*place]).map_or(Err(NoTurn::Over), Source::next);
                match next {
                    Ok(turn) => break turn,
                    Err(NoTurn::Halved) => {
                        source_of.iter_mut().enumerate().for_each(|(place, of)| *of = half_of(place))
                    }
                    Err(NoTurn::Over) => return false,
                }
            };
            debug_assert_eq!(turn.place, *place, "it is the turn of another rank");
            let more = turn.more;
            *skipped = turn.skipped;
            if !take(turn) {
                stop.store(true, Ordering::Relaxed);
            }
            more
        });
    }
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
        let of_each = |pass: usize| (pass / ranks.max(1)).clamp(FEWEST, MOST);
        let turn = of_each(PASS);
        Plan { keeps, ranks, turn, extra: of_each(LIGHT_PASS) - turn }
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
    /// Its last events were of a loop.
    goes_round: bool,
    turns: u32,
}

/// Memory of batches that the engine has taken.
struct Memory {
    home: Home,
    taken: Receiver<Room>,
    spare: Vec<Room>,
    /// The events that came whole in the last turn, of whatever rank, and its entries: the next one is much like it.
    wanted: (usize, usize),
}

/// So much of it is kept.
const MOST_SPARE: usize = 16;

impl Default for Memory {
    fn default() -> Memory {
        let (home, taken) = channel();
        Memory { home, taken, spare: Vec::new(), wanted: (0, 0) }
    }
}

impl Memory {
    /// Memory for a turn.
    fn take(&mut self) -> Room {
        for mut room in self.taken.try_iter() {
            room.clear();
            if self.spare.len() < MOST_SPARE && room.is_for_at_most(2 * MOST) {
                self.spare.push(room);
            }
        }
        let mut room = self.spare.pop().unwrap_or_default();
        room.prepare(self.wanted.0, self.wanted.1);
        room
    }
}

/// The turns of one thread that reads, here or in another process.
struct Source {
    turning: Turning,
    turns: VecDeque<Turn>,
    /// Batches that came back unasked, when the reading was ended.
    returned: Vec<Returned>,
}

/// Where turns come from.
enum Turning {
    Here(Receiver<Handed>),
    Elsewhere(Receiver<Turns>),
}

/// A thread that reads hands this over.
enum Handed {
    Turns(Vec<Turn>),
    /// From here on, every other rank comes from a second source.
    Halved,
}

/// Which of two threads reads a rank, by its place, when they share the ranks.
fn half_of(place: usize) -> usize {
    place % 2
}

/// Why a source has no next turn.
enum NoTurn {
    Over,
    /// See [`Handed::Halved`].
    Halved,
}

impl Source {
    fn new(turning: Turning) -> Source {
        Source { turning, turns: VecDeque::new(), returned: Vec::new() }
    }

    fn next(&mut self) -> Result<Turn, NoTurn> {
        // Turns may be none.
        while self.turns.is_empty() {
            let turns = match &self.turning {
                Turning::Here(receiver) => match receiver.recv() {
                    Ok(Handed::Turns(turns)) => turns,
                    Ok(Handed::Halved) => return Err(NoTurn::Halved),
                    Err(_) => return Err(NoTurn::Over),
                },
                Turning::Elsewhere(receiver) => {
                    let Turns { turns, returned } = receiver.recv().map_err(|_| NoTurn::Over)?;
                    self.returned.extend(returned.into_iter().flatten());
                    turns
                }
            };
            self.turns.extend(turns);
        }
        self.turns.pop_front().ok_or(NoTurn::Over)
    }

    /// The batches that were kept where they were read. Turns in front of them wait. `are_coming`: if they are not here.
    fn bring_back(&mut self, are_coming: bool) -> Vec<Returned> {
        let mut all = std::mem::take(&mut self.returned);
        if let Turning::Elsewhere(receiver) = &self.turning
            && are_coming
        {
            for Turns { turns, returned } in receiver {
                self.turns.extend(turns);
                if let Some(returned) = returned {
                    all.extend(returned);
                    break;
                }
            }
        }
        all
    }
}

/// Ranks that one thread reads in turns.
struct Reading<'a> {
    members: Vec<Member<'a>>,
    plan: Plan,
    memory: Memory,
    /// Turns that were not handed over yet, and the events in them.
    together: Vec<Turn>,
    events: usize,
    wanted: bool,
}

impl<'a> Reading<'a> {
    fn new(share: Vec<(usize, &'a mut RankReader)>, plan: Plan) -> Reading<'a> {
        let Plan { keeps, ranks, .. } = plan;
        // A receiver that wants to be told of each call is told of each call.
        let finder_of = |stride| {
            let finder = RoundFinder::of_one_of(ranks, stride).filter(|_| keeps == Keeps::Alike);
            finder.map(Box::new)
        };
        let member = |(place, reader): (usize, &'a mut RankReader)| {
            let watch = Watch::new(finder_of(u64::from(reader.header.request_stride)));
            Member { place, reader, watch, ahead: 0, goes_round: false, turns: 0 }
        };
        let members = share.into_iter().map(member).collect();
        Reading { members, plan, memory: Memory::default(), together: Vec::new(), events: 0, wanted: true }
    }

    /// Reads until nothing is left, or `send` does not want more.
    fn read_all(&mut self, send: &mut dyn FnMut(Vec<Turn>) -> bool) {
        while self.wanted && !self.members.is_empty() {
            self.pass(send);
        }
        send(std::mem::take(&mut self.together));
    }

    /// Reads until laps are counted, and hands over what it has. False if nothing is left, or nothing more wanted.
    fn read_until(&mut self, counts_laps: &AtomicBool, send: &mut dyn FnMut(Vec<Turn>) -> bool) -> bool {
        while self.wanted && !self.members.is_empty() {
            self.pass(send);
            if self.members.len() > 1 && counts_laps.load(Ordering::Relaxed) {
                self.events = 0;
                self.wanted = send(std::mem::take(&mut self.together));
                return self.wanted;
            }
        }
        false
    }

    /// Gives every other rank away.
    fn halve(&mut self) -> Reading<'a> {
        let (mine, others) =
            std::mem::take(&mut self.members).into_iter().partition(|member| half_of(member.place) == 0);
        self.members = mine;
        let memory = Memory::default();
        Reading { members: others, plan: self.plan, memory, together: Vec::new(), events: 0, wanted: true }
    }

    /// Reads a turn of each.
    fn pass(&mut self, send: &mut dyn FnMut(Vec<Turn>) -> bool) {
        let Plan { keeps, turn, extra, .. } = self.plan;
        let signed = turn.cast_signed();
        let Reading { members, memory, together, events, wanted, .. } = self;
        members.retain_mut(|Member { place, reader, watch, ahead, goes_round, turns }| {
            if !*wanted {
                return true;
            }
            if *ahead >= signed {
                *ahead -= signed;
                return true;
            }
            let due = turn.saturating_add_signed(-*ahead);
            let (finder, knows_nothing) = watch.begin();
            if knows_nothing {
                reader.keep_anew();
            }
            let mut batch = Batch::new(keeps, memory.take(), Some(memory.home.clone()), finder);
            let defects = reader.defects.count();
            let result = reader.poll_lean(BLOCKS, if *goes_round { due + extra } else { due }, &mut batch);
            watch.end(batch.close(), batch.left());
            *ahead = (batch.left().cast_signed() - due.cast_signed()).max(-signed / LITTLE);
            *goes_round = batch.goes_round();
            memory.wanted = (batch.whole().min(turn), batch.entries().min(turn));
            // Behind damage there may be more.
            let more = match &result {
                Ok(any) => *any && !reader.is_over() || reader.defects.count() > defects,
                Err(_) => false,
            };
            let unread = (!more || *turns % OFTEN == 0).then(|| reader.unread());
            *turns = turns.wrapping_add(1);
            let skipped = (*ahead / signed).max(0).cast_unsigned();
            let failed = result.err().map(|e| e.to_string());
            *events += batch.cost();
            together.push(Turn { place: *place, batch, unread, failed, more, skipped, laps: None });
            if *events >= if *goes_round { LIGHT_TOGETHER } else { TOGETHER } {
                *events = 0;
                *wanted = send(std::mem::take(together));
            }
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
        read(1, vec![&mut reader], Keeps::Nothing, &AtomicBool::new(false), |turn| {
            events += turn.batch.whole();
            heaviest = heaviest.max(turn.batch.memory_cost());
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
                // The tag rises on half of the ranks and comes again on the others; threads have more of these or of those.
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
            let counts_laps = AtomicBool::new(false);
            read(threads, readers.iter_mut().collect(), Keeps::Alike, &counts_laps, |turn| {
                // Two threads share the ranks from somewhere on.
                counts_laps.store(places.len() > 1_000, Ordering::Relaxed);
                places.push((turn.place, turn.batch.left()));
                taken[turn.place] += turn.batch.left();
                in_rounds += turn.batch.in_rounds();
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
            let mut readers: Vec<RankReader> = (0..RANKS).map(open).collect();
            let mut reading = Reading::new(readers.iter_mut().enumerate().collect(), plan);
            assert!(reading.read_until(&counts_laps, &mut |_| true));
            assert_eq!((reading.halve().members.len(), reading.members.len()), (48, 48));
        }
    }
}
