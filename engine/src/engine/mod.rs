//! The streaming engine: takes the events of all ranks in any interleaving, interprets those of each rank (requests, objects),
//! unifies communicators, matches messages and collectives, and says who waits for whom.
//!
//! ```text
//! feed -> interpret (a call's effect on its rank) -> p2p, collective (matching) -> checks::{pair, collective}
//! stuck, finish -> wait (who can go on) -> ending (how each rank ended, what is left) -> checks::end
//! ```
//!
//! Operations are forgotten once they are matched, checked and completed: memory grows with what is in flight.
//! The result does not depend on the interleaving: every decision is a function of each rank's own order.

mod call_shapes;
mod conclude;
mod message_halves;
mod snapshot;
mod variables;

use crate::checks;
use crate::clocks::Clock;
use crate::collections::Slab;
use crate::ending::{Ending, Queued, RankEnd};
use crate::model::Model;
use crate::recorded::Ways;
use crate::state::{Comms, Findings, Locks, Order, Rank, Site, Sweeps};
use crate::types::Signatures;
use crate::worlds::Names as Processes;
pub(crate) use call_shapes::{Act, Own, Shape};
pub(crate) use message_halves::{
    CallMessages, CallSeen, Filling, Known, ListedBuffers, MessageHalf, SeenBuffers, WholeCalls, is_looked_into,
};
use rustc_hash::{FxHashMap, FxHashSet};
pub(crate) use snapshot::{Counts, InFlight, Snapshot};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use trace_format::catalogue::{INCORRECT_SEND_SIZE, NO_PROGRESS};
use trace_format::definition::Id;
use trace_format::finding::{CallRef, Finding};
use trace_format::run::job::Buffering;
use trace_format::run::over::EndsSeen;
use trace_format::run::witness::Witness;
use trace_format::settings::selection::Selection;
use trace_format::system::Signal;
use trace_format::variables::BufferingLimit;
use trace_reader::reader::{EventRef, Keeps, LeanEvent, RankEvent};

/// Ranks that cannot go on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stuck {
    /// All of them, ascending.
    pub ranks: Vec<i32>,
    /// Ranks among them whose call might still return by itself (a standard send that the library may buffer, a
    /// collective that need not synchronise): the caller needs evidence that they really are stuck.
    pub uncertain: Vec<i32>,
    /// All of them, with the threads that wait in MPI calls. The caller needs evidence that no other thread of the
    /// process can do anything: it may have some that have called nothing yet.
    pub threads: Vec<(i32, Vec<u16>)>,
    /// How long the caller must have seen this, at least: what is under way takes its time.
    pub patience: Duration,
}

/// The caller's knowledge of a rank whose calls it asks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It does what its calls say.
    Waits,
    /// It can go on, whatever its calls say.
    GoesOn,
    /// Its process is no more.
    IsGone,
}

/// The caller's knowledge of the end of the run.
#[derive(Debug, Clone, Default)]
pub struct End {
    /// mpivet stopped the job because of [`Stuck`], with evidence.
    pub stopped: bool,
    /// The ranks that this evidence is about; there is none about others.
    pub proven: Vec<i32>,
    /// Ranks whose processes were gone before.
    pub gone: Vec<i32>,
    /// The ends of processes, as far as they were seen.
    pub seen: EndsSeen,
    /// Ranks without a trace.
    pub missing: Vec<i32>,
    /// Parts of the traces were lost.
    pub lost: bool,
    /// Not all of the traces was read, since the user has ended that.
    pub cut: bool,
    /// The user has interrupted the run later than this, in nanoseconds since 1970: that ranks that lived then came to no end
    /// is no mistake of theirs.
    pub interrupted: Option<u64>,
}

/// A summary of one rank.
#[derive(Debug, Clone)]
pub struct RankSummary {
    pub rank: i32,
    pub end: RankEnd,
    pub exit_status: Option<i32>,
    pub calls: u64,
    pub sends: u64,
    pub recvs: u64,
    pub collectives: u64,
    /// Operations started and never completed.
    pub unfinished: u64,
    /// The sends among these; the others are receives and collective operations.
    pub unfinished_sends: u64,
    pub unfinished_recvs: u64,
    /// The call that was open at the end.
    pub current: Option<CallRef>,
    pub events: u64,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct Analysis {
    pub findings: Vec<Finding>,
    /// Findings beyond the limit.
    pub hidden: Vec<crate::limit::Hidden>,
    pub ranks: Vec<RankSummary>,
    /// Questions that were not decided, in words.
    pub open_questions: Vec<String>,
    /// How wildcards can be made to take what leads to a deadlock, without the name of the program.
    pub witnesses: Vec<Witness>,
    /// The ways of its wildcards, if [`Engine::explore`] asks for them.
    pub ways: Ways,
    /// The message queues at the end of a run that did not come to its end.
    pub queues: Vec<Queued>,
    /// The program has put arrays of its own into the traces.
    pub has_dumps: bool,
}

/// Clocks of two processors of a machine may differ by a second divided by this.
const CLOCK_SLACK: u64 = 1_000_000;

/// See the module.
pub struct Engine {
    model: Model,
}

impl Engine {
    /// An engine for a run of this many ranks.
    pub fn new(ranks: i32) -> Engine {
        let ranks = ranks.max(0);
        let mut list = Vec::new();
        list.resize_with(ranks as usize, Rank::default);
        Engine {
            model: Model {
                ranks: list,
                blind: false,
                has_gaps: false,
                has_dumps: false,
                spare: Vec::new(),
                spare_patterns: Vec::new(),
                epoch: 0,
                comms: Comms::new(ranks),
                windows: Vec::new(),
                begun_access: None,
                order: Order::default(),
                locks: Locks::default(),
                ops: Slab::default(),
                signatures: Signatures::new(),
                predefined: Default::default(),
                bridges: FxHashMap::default(),
                undecided: Vec::new(),
                suspects: FxHashMap::default(),
                damaged: FxHashMap::default(),
                sweeps: Sweeps::default(),
                rules: &checks::AllRules,
                findings: Findings::default(),
                too_small: Vec::new(),
                unlike: Vec::new(),
                names: Processes::default(),
                constants: BTreeMap::new(),
                buffering: None,
                buffering_limit: None,
                selection: Selection::default(),
                short_sends: Selection::default().is_on(&INCORRECT_SEND_SIZE),
                deadlock_replay: crate::deadlock_replay::DeadlockReplay::default(),
                leapt: 0,
                listeners: crate::listeners::Listeners::default(),
            },
        }
    }

    /// Has anybody said what the named constants are?
    pub fn knows_constants(&self) -> bool {
        !self.model.constants.is_empty()
    }

    /// Gives the values of the named constants of the MPI library.
    pub fn set_constants(&mut self, constants: BTreeMap<String, i64>) {
        self.model.constants = constants;
    }

    /// Gives the buffering of the MPI library as it was measured, and as its variables have it.
    pub fn set_buffering(&mut self, buffering: Option<Buffering>, limit: Option<BufferingLimit>) {
        self.model.buffering = buffering;
        self.model.buffering_limit = limit;
    }

    /// Says which findings the user wants; to be said before any event is fed.
    pub fn select(&mut self, selection: Selection) {
        self.model.deadlock_replay.select(&selection);
        self.model.short_sends = selection.is_on(&INCORRECT_SEND_SIZE);
        self.model.selection = selection;
    }

    /// Other runs will be made, to take other messages: looks for them, apart from the matchings that are known. To be said
    /// after [`Engine::select`] and before any event is fed.
    pub fn explore(&mut self, known: Arc<FxHashSet<u64>>) {
        self.model.deadlock_replay.explore(known);
    }

    /// Tells `listener` what happens, too; to be said before any event is fed.
    pub fn listen(&mut self, listener: Box<dyn crate::listeners::Listener>) {
        self.model.listeners.listen(listener);
    }

    /// The clock of a rank.
    pub fn set_clock(&mut self, rank: i32, host: &str, clock: Clock) {
        if let Some(r) = self.model.rank_mut(rank) {
            r.slack = clock.ticks_per_second / CLOCK_SLACK;
            r.clock = clock;
        }
        self.model.listeners.introduce(rank, host, clock);
    }

    /// There are more processes now; what they are called.
    pub fn grow(&mut self, processes: i32, names: Processes) {
        let processes = processes.max(self.model.ranks.len() as i32);
        self.model.ranks.resize_with(processes as usize, Rank::default);
        self.model.comms.grow(processes);
        self.model.epoch = self.model.epoch.wrapping_add(1);
        self.model.names = names;
    }

    /// The communicator `comm` of a rank is an intercommunicator to another world, the same one for all who are told
    /// the same number. `others`: its remote group.
    pub fn bridge(&mut self, rank: i32, comm: Id, number: u64, others: &[i32]) {
        if let Some(r) = self.model.rank_mut(rank) {
            r.objects.bridges.insert(comm, number);
            r.met.extend(others);
        }
    }

    /// Bytes from one element of an array of requests to the next, on this rank.
    pub fn set_request_stride(&mut self, rank: i32, bytes: u32) {
        if let Some(r) = self.model.rank_mut(rank) {
            r.requests.stride = u64::from(bytes);
        }
    }

    /// Several threads of a rank may call MPI at once, also some that have made no call yet.
    pub fn may_have_threads(&mut self, rank: i32) {
        if let Some(r) = self.model.rank_mut(rank) {
            r.multiple = true;
        }
    }

    /// Calls of the rank are unknown, before or after, and nothing may be concluded from them.
    pub fn lose(&mut self, rank: i32) {
        self.model.make_dim(rank, |r| r.lost = true);
    }

    /// [`Engine::take`] for an event that stands by itself.
    pub fn feed(&mut self, rank: i32, event: RankEvent) {
        self.take(rank, EventRef::Whole(&mut event.into()));
    }

    /// Takes the next event of a rank. Ranks may come in any interleaving, each in its own order.
    #[inline]
    pub fn take(&mut self, rank: i32, event: EventRef) {
        if self.model.rank_mut(rank).is_none() {
            return;
        }
        match event {
            EventRef::Repeat(repeat) => self.model.repeat(rank, repeat),
            EventRef::Whole(event) => self.take_whole(rank, event),
        }
    }

    fn take_whole(&mut self, rank: i32, event: &mut LeanEvent) {
        match event {
            RankEvent::Definition(_) => {
                if let RankEvent::Definition(definition) = event.take() {
                    self.model.define(rank, definition);
                }
            }
            RankEvent::Call(call) => self.model.call(rank, call),
            RankEvent::Return { thread, index, time, class, polls, outs } => {
                self.model.return_of(rank, *thread, *index, (*time, *polls), *class, outs);
            }
            RankEvent::System { .. } => {
                if let RankEvent::System { thread, time, event } = event.take() {
                    self.model.system(rank, thread, time, event);
                }
            }
        }
    }

    /// Which calls it keeps for those that repeat them. Who listens wants to be told of all values of a call.
    pub fn keeps(&self) -> Keeps {
        if self.model.listeners.is_on() { Keeps::Same } else { Keeps::Alike }
    }

    /// A call that was counted is kept nevertheless, if later ones may repeat it.
    pub(crate) fn keep(&mut self, rank: i32, event: &mut LeanEvent) {
        if let RankEvent::Call(call) = event
            && call.slot.is_some()
            && self.model.rank_mut(rank).is_some()
        {
            self.model.keep(rank, call);
        }
    }

    /// No later call of the rank repeats a kept one.
    pub(crate) fn forget_kept(&mut self, rank: i32) {
        if let Some(rank) = self.model.rank_mut(rank) {
            rank.threads.iter_mut().for_each(|thread| thread.kept = Vec::new());
        }
    }

    /// The call that a rank was in when a signal came, and where it was made: its site.
    pub fn interrupted(&self, rank: i32, signal: &Signal) -> Option<(&'static str, u32)> {
        let call = self.model.ranks.get(usize::try_from(rank).ok()?)?.interrupted(signal)?;
        Some((call.name(), call.site))
    }

    /// Did a rank come to an end of its own: is its process over, or MPI in it?
    pub fn has_ended(&self, rank: i32) -> bool {
        let rank = usize::try_from(rank).ok().and_then(|rank| self.model.ranks.get(rank));
        rank.is_some_and(|r| r.exit.is_some() || r.finalize.is_some() && r.sessions == 0)
    }

    /// Is the last that is known of a rank a signal that ends a process?
    pub fn has_crashed(&self, rank: i32) -> bool {
        let rank = usize::try_from(rank).ok().and_then(|rank| self.model.ranks.get(rank));
        rank.and_then(|r| r.signal.as_ref()).is_some_and(|s| s.is_last && crate::state::is_crash(s.signal))
    }

    /// Did the MPI library abort a rank by this signal in MPI_Finalize, where objects were left that the report names?
    pub fn is_ended_by_leak(&self, rank: i32, signal: &Signal) -> bool {
        let rank = usize::try_from(rank).ok().and_then(|rank| self.model.ranks.get(rank));
        rank.is_some_and(|r| r.interrupted(signal).is_some_and(|call| r.is_ended_by_leak(&call)))
    }

    /// A set of ranks that can never go on, judging by all that was fed.
    pub fn stuck(&mut self) -> Option<Stuck> {
        self.stuck_if(|_| Fate::Waits)
    }

    /// As [`Engine::stuck`], where the caller knows more than what was fed.
    pub fn stuck_if(&mut self, fate: impl Fn(i32) -> Fate) -> Option<Stuck> {
        self.model.look_for_half_known();
        let graph = crate::waits::Graph::of(&self.model, |r| match fate(r) {
            Fate::Waits => crate::waits::Watch::Watched,
            Fate::GoesOn => crate::waits::Watch::Running,
            Fate::IsGone => crate::waits::Watch::Gone,
        });
        let ranks = graph.dead(false);
        if ranks.is_empty() {
            return None;
        }
        let uncertain = graph.may_return(&ranks);
        let threads = ranks.iter().map(|r| (*r, graph.calls(*r).iter().map(|c| c.thread).collect())).collect();
        Some(Stuck { ranks, uncertain, threads, patience: graph.patience() })
    }

    /// Ranks that do nothing but poll, for what cannot come as long as that is so. They may still do something else.
    pub fn polls_in_vain(&mut self) -> Vec<i32> {
        self.model.look_for_half_known();
        if !self.model.selection.is_on(&NO_PROGRESS) {
            return Vec::new();
        }
        let all: Vec<i32> = (0..self.model.ranks.len() as i32).collect();
        crate::ending::polls_in_vain(&self.model, &all).map(|v| v.ranks).unwrap_or_default()
    }

    /// No more events: the findings.
    pub fn finish(&mut self, end: &End) -> Analysis {
        self.finish_with(end, |findings| findings)
    }

    /// As [`Engine::finish`]; `fold` makes one finding of several where that takes more than the engine knows. Those that are
    /// left are limited.
    pub fn finish_with(&mut self, end: &End, fold: impl FnOnce(Vec<Finding>) -> Vec<Finding>) -> Analysis {
        let mut model = std::mem::replace(&mut self.model, Engine::new(0).model);
        model.notify_the_rest();
        let ending = conclude::conclude(&mut model, end);
        let mut findings = std::mem::take(&mut model.findings);
        checks::end(&ending, &model, &mut findings);
        let findings = fold(findings.finish(&model, checks::relate));
        let (findings, hidden) = match model.selection.max_findings() {
            Some(most) => crate::limit::limit(findings, most),
            None => (findings, Vec::new()),
        };
        let open_questions = model.deadlock_replay.matchings.open_question().into_iter().collect();
        let witnesses = std::mem::take(&mut model.deadlock_replay.witnesses);
        let ways = std::mem::take(&mut model.deadlock_replay.ways);
        Analysis {
            findings,
            hidden,
            ranks: model.summaries(&ending),
            open_questions,
            witnesses,
            ways,
            queues: ending.queues,
            has_dumps: model.has_dumps,
        }
    }

    /// Looks at every call that frees an object what can be forgotten, not now and then: for tests.
    pub fn forget_always(&mut self) {
        self.model.sweeps.always = true;
    }

    /// The deadlock replay is worked on by a thread of its own, for events that come fast; what is found is the same.
    pub(crate) fn replay_apart(&mut self) {
        self.model.replay_apart();
    }

    /// The deadlock replay is worked on by this thread again.
    pub(crate) fn replay_here(&mut self) {
        self.model.replay_here();
    }

    /// The deadlock replay is told of so many things at once, by this thread or `apart`: for tests.
    pub fn replay_in_batches(&mut self, of: usize, apart: bool) {
        self.model.deadlock_replay.commands.set_together(of);
        if apart {
            self.model.replay_apart();
        }
    }

    /// Entries about communicators, windows, files, groups, datatypes and their names that are kept. For tests of memory.
    pub fn kept_objects(&self) -> usize {
        self.model.kept_objects()
    }

    /// Operations that are kept: what is in flight. For tests of memory.
    pub fn in_flight(&self) -> usize {
        self.model.ops.len()
    }
}

impl Model {
    pub(crate) fn summaries(&self, ending: &Ending) -> Vec<RankSummary> {
        let (mut sends, mut recvs) = (vec![0u64; self.ranks.len()], vec![0u64; self.ranks.len()]);
        for (_, op) in self.ops.iter().filter(|(_, op)| !op.done) {
            let unfinished = if op.is_send() { &mut sends } else { &mut recvs };
            unfinished[op.rank as usize] += 1;
        }
        self.ranks
            .iter()
            .enumerate()
            .map(|(i, r)| {
                let rank = i as i32;
                let current = r.open_calls().next().map(|o| self.call_ref(&Site::new(&o.origin, "the open call")));
                RankSummary {
                    rank,
                    end: ending.ends[i],
                    exit_status: r.exit,
                    calls: r.calls,
                    sends: r.sends,
                    recvs: r.recvs,
                    collectives: r.collectives,
                    unfinished: sends[i] + recvs[i] + r.requests.open_collectives(),
                    unfinished_sends: sends[i],
                    unfinished_recvs: recvs[i],
                    current,
                    events: r.events,
                }
            })
            .collect()
    }
}
