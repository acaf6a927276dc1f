//! The streaming engine: takes the events of all ranks in any interleaving, replays each rank (requests, objects),
//! unifies communicators, matches messages and collectives, and says who waits for whom.
//!
//! ```text
//! feed -> replay (a call's effect on its rank) -> p2p, collective (matching) -> checks::{pair, collective}
//! stuck, finish -> wait (who can go on) -> ending (how each rank ended, what is left) -> checks::end
//! ```
//!
//! Operations are forgotten once they are matched, checked and completed: memory grows with what is in flight.
//! The result does not depend on the interleaving: every decision is a function of each rank's own order.

pub(crate) mod collective;
pub(crate) mod comms;
pub(crate) mod concurrent;
pub(crate) mod ending;
pub(crate) mod facts;
pub(crate) mod flows;
pub(crate) mod frees;
pub mod limit;
pub(crate) mod p2p;
mod replay;
pub(crate) mod requests;
pub(crate) mod shape;
pub(crate) mod slab;
pub(crate) mod sums;
pub(crate) mod types;
pub(crate) mod wait;

use crate::worlds::Names as Processes;
use comms::{Comms, Objects};
use facts::{Origin, Report, Site};
use p2p::{Op, OpId, OpKind};
use requests::Requests;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use slab::Slab;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use trace_format::call::{Checksums, Found, Place, Signal, SystemEvent, ThreadLevel, Value};
use trace_format::catalogue::CheckInfo;
use trace_format::definition::{Combiner, Definition, FIRST_USER_ID, Id};
use trace_format::file::PROCESS_THREAD;
use trace_format::finding::{CallRef, Finding, Severity};
use trace_format::mpi::{Class, FnId, Kind, predefined};
use trace_format::reader::RankEvent;
use trace_format::selection::Selection;
use trace_format::text::{Names, format_call};
use types::{Amount, Signatures};

/// Ranks that cannot go on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stuck {
    /// All of them, ascending.
    pub ranks: Vec<i32>,
    /// Those of them whose call might still return by itself (a standard send that the library may buffer, a
    /// collective that need not synchronise): the caller needs evidence that they really are stuck.
    pub uncertain: Vec<i32>,
    /// All of them, with the threads that wait in MPI calls. The caller needs evidence that no other thread of the
    /// process can do anything: it may have some that have called nothing yet.
    pub threads: Vec<(i32, Vec<u16>)>,
}

/// What the caller knows of the end of the run.
#[derive(Debug, Clone, Default)]
pub struct End {
    /// mpivet stopped the job because of [`Stuck`], with evidence.
    pub stopped: bool,
    /// The ranks that this evidence is about; there is none about others.
    pub proven: Vec<i32>,
    /// Ranks without a trace.
    pub missing: Vec<i32>,
    /// Parts of the traces were lost.
    pub lost: bool,
}

/// How a rank ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RankEnd {
    /// By exit or return from main.
    Normal,
    /// By a fatal signal of its own doing.
    Abend,
    /// By MPI_Abort, or from outside.
    Abort,
    /// Stopped by mpivet.
    Stopped,
    /// The trace does not say.
    Unknown,
}

/// What one rank did.
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
    /// The call that was open at the end.
    pub current: Option<CallRef>,
    pub events: u64,
}

/// The result of a run.
#[derive(Debug, Default)]
pub struct Analysis {
    pub findings: Vec<Finding>,
    /// Findings beyond the limit.
    pub hidden: Vec<limit::Hidden>,
    pub ranks: Vec<RankSummary>,
}

/// A call that has not returned.
pub(crate) struct OpenCall {
    pub(crate) origin: Arc<Origin>,
    pub(crate) entered: replay::Entered,
}

/// One thread of a rank.
#[derive(Default)]
pub(crate) struct Thread {
    pub(crate) number: u16,
    pub(crate) open: Vec<OpenCall>,
    /// The last call, open or returned.
    pub(crate) last: Option<Arc<Origin>>,
    /// Taken in calls that have not returned.
    pub(crate) sums: Vec<Checksums>,
}

/// An error that the MPI library reported.
#[derive(Debug, Clone)]
pub(crate) struct MpiError {
    pub(crate) call: Option<Arc<Origin>>,
    pub(crate) class: u16,
    pub(crate) fatal: bool,
    pub(crate) text: String,
}

/// A call that the level of thread support forbids.
#[derive(Debug, Clone)]
pub(crate) struct Breach {
    pub(crate) call: Arc<Origin>,
    pub(crate) level: ThreadLevel,
    /// The thread that was in a call at the same time, and that call.
    pub(crate) other: Option<(u16, Option<Arc<Origin>>)>,
}

/// What a check in the process found.
#[derive(Debug, Clone)]
pub(crate) struct Discovery {
    pub(crate) check: &'static CheckInfo,
    pub(crate) message: String,
    pub(crate) sites: Vec<Site>,
    pub(crate) notes: Vec<String>,
    pub(crate) count: u64,
    /// Thread and number of the call that was being made.
    pub(crate) at: (u16, u64),
}

impl Discovery {
    /// Was it a call to do something with a file? Its errors end no program unless this asks for it (MPI 4.1, 14.7).
    pub(crate) fn is_about_file(&self) -> bool {
        let call = self.sites.first().and_then(|site| site.call.as_ref());
        call.is_some_and(|c| shape::shape(c.func).file != shape::NONE)
    }

    /// Was it this call that was being made?
    pub(crate) fn is_at(&self, call: &Origin) -> bool {
        self.at == (call.thread, call.index)
    }
}

/// Everything about one rank.
#[derive(Default)]
pub(crate) struct Rank {
    pub(crate) objects: Objects,
    pub(crate) requests: Requests,
    pub(crate) frees: frees::Frees,
    pub(crate) threads: Vec<Thread>,
    /// Messages taken by matched probes, by handle.
    pub(crate) messages: FxHashMap<i64, Vec<OpId>>,
    /// MPI_THREAD_MULTIPLE: threads that have made no call yet may make one at any time.
    pub(crate) multiple: bool,
    /// Time of the last event.
    pub(crate) now: u64,
    /// When it made its last call other than MPI_Abort, with which a handler of a fatal signal may end the job.
    went_on: u64,
    /// Ticks that clocks of two processors may differ by, at most.
    pub(crate) slack: u64,
    /// It takes checksums of what it sends and receives.
    pub(crate) sums: bool,
    /// Calls that the level of thread support forbids.
    pub(crate) breaches: Vec<Breach>,
    /// Processes of other worlds that it has met.
    pub(crate) met: FxHashSet<i32>,
    /// Sessions that are open.
    pub(crate) sessions: u32,
    types: FxHashMap<Id, Amount>,
    extents: FxHashMap<Id, i64>,
    names: FxHashMap<(bool, Id), String>,
    modules: Vec<(u64, u64, u64, u64)>,
    places: FxHashMap<Id, u64>,
    /// Places in the source of interpreted programs, hashed.
    sources: FxHashMap<Id, u64>,
    pub(crate) initialized: bool,
    /// The function that started MPI.
    pub(crate) start: Option<FnId>,
    pub(crate) finalize: Option<Arc<Origin>>,
    pub(crate) finalized: bool,
    pub(crate) exit: Option<i32>,
    pub(crate) signal: Option<Signal>,
    pub(crate) abort: Option<Arc<Origin>>,
    pub(crate) errors: Vec<MpiError>,
    pub(crate) discoveries: Vec<Discovery>,
    /// Calls that returned an error, by thread and index.
    pub(crate) failures: FxHashSet<(u16, u64)>,
    /// Recording stopped before the end.
    pub(crate) lost: bool,
    /// Some calls were not recorded: nothing is known for certain about what this rank did not do.
    pub(crate) holed: bool,
    pub(crate) missing: bool,
    calls: u64,
    sends: u64,
    recvs: u64,
    collectives: u64,
    events: u64,
}

/// The state of the run, as far as events were fed.
pub(crate) struct Model {
    pub(crate) ranks: Vec<Rank>,
    pub(crate) comms: Comms,
    pub(crate) ops: Slab<Op>,
    pub(crate) signatures: Signatures,
    /// Calls of MPI_Intercomm_create by their two leaders (the lower one first) and tag: how many each made.
    pub(crate) bridges: FxHashMap<(i32, i32, i64), [u64; 2]>,
    /// Uses by two threads at once of which it is not certain yet that they were.
    pub(crate) undecided: Vec<concurrent::Misuse>,
    /// Messages to be judged at the end.
    pub(crate) suspects: FxHashMap<p2p::Suspect, p2p::Message>,
    /// Messages whose data have arrived changed.
    pub(crate) damaged: FxHashMap<p2p::Suspect, sums::Damage>,
    pub(crate) report: Report,
    pub(crate) names: Processes,
    /// Named constants of the MPI library, where they are known.
    pub(crate) constants: BTreeMap<String, i64>,
    /// What the user wants to be told.
    pub(crate) selection: Selection,
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
                comms: Comms::new(ranks),
                ops: Slab::default(),
                signatures: Signatures::new(),
                bridges: FxHashMap::default(),
                undecided: Vec::new(),
                suspects: FxHashMap::default(),
                damaged: FxHashMap::default(),
                report: Report::default(),
                names: Processes::default(),
                constants: BTreeMap::new(),
                selection: Selection::default(),
            },
        }
    }

    /// Has anybody said what the named constants are?
    pub fn knows_constants(&self) -> bool {
        !self.model.constants.is_empty()
    }

    /// What the named constants of the MPI library are.
    pub fn set_constants(&mut self, constants: BTreeMap<String, i64>) {
        self.model.constants = constants;
    }

    /// What the user wants to be told; to be said before any event is fed.
    pub fn select(&mut self, selection: Selection) {
        self.model.selection = selection;
    }

    /// There are more processes now; what they are called.
    pub fn grow(&mut self, processes: i32, names: Processes) {
        let processes = processes.max(self.model.ranks.len() as i32);
        self.model.ranks.resize_with(processes as usize, Rank::default);
        self.model.comms.grow(processes);
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

    /// Ticks of this rank's time stamps in a second.
    pub fn set_ticks_per_second(&mut self, rank: i32, ticks: u64) {
        if let Some(r) = self.model.rank_mut(rank) {
            r.slack = ticks / CLOCK_SLACK;
        }
    }

    /// Several threads of a rank may call MPI at once, also some that have made no call yet.
    pub fn may_have_threads(&mut self, rank: i32) {
        if let Some(r) = self.model.rank_mut(rank) {
            r.multiple = true;
        }
    }

    /// Takes the next event of a rank. Ranks may come in any interleaving, each in its own order.
    pub fn feed(&mut self, rank: i32, event: RankEvent) {
        if self.model.rank_mut(rank).is_none() {
            return;
        }
        match event {
            RankEvent::Definition(d) => self.model.define(rank, d),
            RankEvent::Call(call) => self.model.call(rank, call),
            RankEvent::Return { thread, index, time, class, polls, outs } => {
                self.model.return_of(rank, thread, index, (time, polls), class, &outs);
            }
            RankEvent::System { thread, time, event } => self.model.system(rank, thread, time, event),
        }
    }

    /// The call that a rank was in when a signal came, and where it was made: its site.
    pub fn interrupted(&self, rank: i32, signal: &Signal) -> Option<(&'static str, u32)> {
        let call = self.model.ranks.get(usize::try_from(rank).ok()?)?.interrupted(signal)?;
        Some((call.name(), call.site))
    }

    /// A set of ranks that can never go on, judging by all that was fed.
    pub fn stuck(&mut self) -> Option<Stuck> {
        self.stuck_apart_from(&BTreeSet::new())
    }

    /// The same if these ranks can go on, whatever their calls say.
    pub fn stuck_apart_from(&mut self, running: &BTreeSet<i32>) -> Option<Stuck> {
        self.model.look_for_half_known();
        let graph = wait::Graph::of(&self.model, |r| match running.contains(&r) {
            true => wait::Watch::Running,
            false => wait::Watch::Watched,
        });
        let ranks = graph.dead(false);
        if ranks.is_empty() {
            return None;
        }
        let uncertain = graph.may_return(&ranks);
        let threads = ranks.iter().map(|r| (*r, graph.calls(*r).iter().map(|c| c.thread).collect())).collect();
        Some(Stuck { ranks, uncertain, threads })
    }

    /// No more events: the findings.
    pub fn finish(&mut self, end: &End) -> Analysis {
        let ranks = self.model.ranks.len() as i32;
        let mut model = std::mem::replace(&mut self.model, Engine::new(ranks).model);
        let ending = ending::conclude(&mut model, end);
        let mut report = std::mem::take(&mut model.report);
        crate::checks::end(&ending, &model, &mut report);
        let findings = report.finish(&model);
        let (findings, hidden) = match model.selection.max_findings() {
            Some(most) => limit::limit(findings, most),
            None => (findings, Vec::new()),
        };
        Analysis { findings, hidden, ranks: model.summaries(&ending) }
    }

    /// Operations that are kept: what is in flight. For tests of memory.
    pub fn in_flight(&self) -> usize {
        self.model.ops.len()
    }
}

impl Model {
    pub(crate) fn rank_mut(&mut self, rank: i32) -> Option<&mut Rank> {
        self.ranks.get_mut(usize::try_from(rank).ok()?)
    }

    /// Not a rank of the run, or one of which not everything is known.
    pub(crate) fn is_dim(&self, rank: i32) -> bool {
        usize::try_from(rank).ok().and_then(|r| self.ranks.get(r)).is_none_or(|r| r.holed || r.missing || r.lost)
    }

    /// One element of a datatype of a rank.
    pub(crate) fn one(&self, rank: i32, datatype: Id) -> Option<Amount> {
        if datatype < FIRST_USER_ID {
            return self.signatures.predefined(datatype);
        }
        self.ranks[rank as usize].types.get(&datatype).copied()
    }

    /// Extent in bytes of a datatype of a rank, where the trace says it.
    pub(crate) fn extent(&self, rank: i32, datatype: Id) -> Option<i64> {
        self.ranks[rank as usize].extents.get(&datatype).copied()
    }

    fn define(&mut self, rank: i32, definition: Definition) {
        let r = &mut self.ranks[rank as usize];
        match definition {
            Definition::Module(m) => {
                let mut h = FxHasher::default();
                m.path.hash(&mut h);
                r.modules.push((m.start, m.end, m.bias, h.finish()));
            }
            Definition::Stack { id, frames } => {
                let place = r.place_of_frames(&frames);
                r.places.insert(id, place);
            }
            Definition::Source { id, file, function, line } => {
                let mut h = FxHasher::default();
                (file, function, line).hash(&mut h);
                r.sources.insert(id, h.finish());
            }
            Definition::SourceStack { id, sources, stack, .. } => {
                let mut h = FxHasher::default();
                r.places.get(&stack).hash(&mut h);
                sources.iter().for_each(|source| r.sources.get(source).hash(&mut h));
                r.places.insert(id, h.finish());
            }
            Definition::Comm { id, local, remote, neighbors } => {
                if let Some(neighbors) = neighbors {
                    r.objects.neighbors.insert(id, neighbors);
                }
                r.objects.groups_of.insert(id, (local, remote));
            }
            Definition::CommName { id, name } => {
                r.names.insert((true, id), name);
            }
            Definition::TypeName { id, name } => {
                r.names.insert((false, id), name);
            }
            Definition::Group { id, ranks } => {
                r.objects.groups.insert(id, ranks);
            }
            Definition::OnComm { kind, id, comm } => {
                let kind = match kind {
                    trace_format::definition::ObjectKind::Win => comms::WIN,
                    _ => comms::FILE,
                };
                r.objects.on_comm.insert((kind, id), comm);
            }
            Definition::Datatype { id, combiner, ints, types, size, extent, .. } => {
                r.extents.insert(id, extent);
                if id < FIRST_USER_ID || combiner == Combiner::Named {
                    self.signatures.set_size(id, size);
                    return;
                }
                let olds: Vec<Amount> = types.iter().map(|t| self.one(rank, *t).unwrap_or(Amount::UNKNOWN)).collect();
                let amount = self.signatures.derived(combiner, &ints, &olds, size);
                self.ranks[rank as usize].types.insert(id, amount);
            }
            Definition::Bridge(_)
            | Definition::Op { .. }
            | Definition::Object { .. }
            | Definition::Blob { .. }
            | Definition::Dump { .. } => {}
        }
    }

    fn system(&mut self, rank: i32, thread: u16, time: u64, event: SystemEvent) {
        let r = &mut self.ranks[rank as usize];
        match event {
            SystemEvent::Exit { status } => {
                r.exit = Some(status);
                // Who ends well has handled the signals that came before.
                r.signal.take_if(|_| thread == PROCESS_THREAD && status == 0);
            }
            SystemEvent::Signal(signal) => {
                // What the process as a whole has recorded is read late. A handler that calls MPI_Abort gives up.
                let went_on = match signal.thread {
                    Some(number) => {
                        let last = r.threads.iter().find(|t| t.number == number).and_then(|t| t.last.as_ref());
                        last.is_some_and(|last| last.time > time && last.func.row().class != Class::Abort)
                    }
                    None => thread == PROCESS_THREAD && r.threads.len() == 1 && r.went_on > time,
                };
                r.signal = (!went_on).then_some(signal);
            }
            SystemEvent::MpiError { call, class, fatal, text } => {
                let call = r.call(thread, call);
                r.errors.push(MpiError { call, class, fatal, text });
            }
            SystemEvent::ThreadLevel { call, level, other } => {
                let in_call = |number| {
                    let thread = r.threads.iter().find(|t| t.number == number);
                    thread.and_then(|t| t.open.last()).map(|o| o.origin.clone())
                };
                let other = other.map(|number| (number, in_call(number)));
                if let Some(call) = r.call(thread, call) {
                    r.breaches.push(Breach { call, level, other });
                }
            }
            SystemEvent::Checksums(checksums) => {
                r.sums = true;
                if !(checksums.sent.is_empty() && checksums.received.is_empty()) {
                    r.thread(thread).sums.push(checksums);
                }
            }
            SystemEvent::Lost { .. } => r.lost = true,
            SystemEvent::Mark { .. } => {}
            SystemEvent::Recording { on } => r.holed |= !on,
            SystemEvent::Found(found) => {
                if let Some(discovery) = r.discovery(rank, thread, found) {
                    r.discoveries.push(discovery);
                }
            }
        }
    }

    /// A number for the place that a call was made from, equal on all ranks that run the same code.
    pub(crate) fn place(&self, origin: &Origin) -> u64 {
        let known = self.ranks.get(origin.rank as usize).and_then(|r| r.places.get(&origin.site));
        let mut h = FxHasher::default();
        (known, if known.is_none() { origin.site } else { 0 }, origin.func as u16).hash(&mut h);
        h.finish()
    }

    pub(crate) fn place_of_site(&self, site: &Site) -> u64 {
        match &site.call {
            Some(call) => self.place(call),
            None => self.ranks.get(site.rank as usize).map_or(0, |r| match site.pc {
                // Without a place, two ranks are two findings only if something else tells them apart.
                0 => 0,
                pc => r.place_of_frames(&[pc]),
            }),
        }
    }

    pub(crate) fn call_ref(&self, site: &Site) -> CallRef {
        let Some(origin) = &site.call else {
            return facts::outside(site.rank, site.pc, &self.names.rename(&site.role));
        };
        CallRef {
            rank: origin.rank,
            thread: origin.thread,
            event: origin.event(),
            function: origin.name().to_owned(),
            text: format_call(&facts::as_call(origin), &RankNames(self, origin.rank)),
            site: origin.site,
            pc: site.pc,
            role: self.names.rename(&site.role),
        }
    }

    fn summaries(&self, ending: &ending::Ending) -> Vec<RankSummary> {
        let mut unfinished = vec![0u64; self.ranks.len()];
        for (_, op) in self.ops.iter().filter(|(_, op)| !op.done) {
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
                    unfinished: unfinished[i] + r.requests.open_collectives(),
                    current,
                    events: r.events,
                }
            })
            .collect()
    }

    /// A new send or receive of `origin`.
    pub(crate) fn new_op(&mut self, op: Op) -> OpId {
        let r = &mut self.ranks[op.rank as usize];
        let dim = r.holed;
        match op.kind {
            OpKind::Send(_) => r.sends += 1,
            OpKind::Recv => r.recvs += 1,
        }
        self.ops.insert(Op { dim, ..op })
    }
}

impl Rank {
    /// It has not ended what MPI_Init or MPI_Session_init began.
    pub(crate) fn is_left_open(&self) -> bool {
        self.initialized && self.finalize.is_none() || self.sessions > 0
    }

    /// Calls that have not returned, innermost first, thread by thread.
    pub(crate) fn open_calls(&self) -> impl Iterator<Item = &OpenCall> {
        self.threads.iter().flat_map(|t| t.open.iter().rev())
    }

    /// A call of a thread that is open or was its last one.
    fn call(&self, thread: u16, index: u64) -> Option<Arc<Origin>> {
        let t = self.threads.iter().find(|t| t.number == thread)?;
        let open = t.open.iter().map(|o| &o.origin).find(|o| o.index == index);
        open.or(t.last.as_ref().filter(|l| l.index == index)).cloned()
    }

    /// Has the program's error handler ended the process when it was called with this error?
    pub(crate) fn was_ended_by_handler(&self, error: &MpiError) -> bool {
        let inside = |call: &Arc<Origin>| self.open_calls().any(|open| Arc::ptr_eq(&open.origin, call));
        let ended = self.abort.is_some() || self.exit.is_some() && self.finalize.is_none();
        !error.fatal && ended && error.call.as_ref().is_some_and(inside)
    }

    /// The call that the thread which a signal interrupted was in.
    pub(crate) fn interrupted(&self, signal: &Signal) -> Option<Arc<Origin>> {
        let number = signal.thread?;
        let thread = self.threads.iter().find(|t| t.number == number);
        thread.and_then(|t| t.open.last()).map(|o| o.origin.clone())
    }

    /// Did a check in the process find an error in a call?
    pub(crate) fn is_found_wrong(&self, call: &Origin) -> bool {
        self.discoveries.iter().any(|d| d.is_at(call) && d.check.severity == Severity::Error)
    }

    fn discovery(&self, rank: i32, thread: u16, found: Found) -> Option<Discovery> {
        let check = found.check()?;
        let sites = found.places.iter().map(|p| Site::new(&self.call_at(rank, p), p.role.clone())).collect();
        let at = found.places.first().map_or((thread, u64::MAX), |p| (p.thread, p.call));
        Some(Discovery { check, message: found.message, sites, notes: found.notes, count: found.count, at })
    }

    /// The call at a place: with its arguments as long as these are kept.
    fn call_at(&self, rank: i32, place: &Place) -> Arc<Origin> {
        let pending = || {
            let calls = self.requests.all.iter().flat_map(|(_, r)| r.start.iter().chain([&r.origin]));
            calls.into_iter().find(|o| o.thread == place.thread && o.index == place.call).cloned()
        };
        self.call(place.thread, place.call).or_else(pending).unwrap_or_else(|| {
            let func = FnId::from_index(place.func.into()).unwrap_or(FnId::MPI_Init);
            let ins = vec![Value::None; func.row().params.len()];
            let &Place { thread, call: index, site, .. } = place;
            Arc::new(Origin { rank, time: 0, end: AtomicU64::new(0), thread, func, index, site, ins })
        })
    }

    pub(crate) fn thread(&mut self, number: u16) -> &mut Thread {
        let place = match self.threads.iter().position(|t| t.number == number) {
            Some(place) => place,
            None => {
                let place = self.threads.partition_point(|t| t.number < number);
                self.threads.insert(place, Thread { number, ..Thread::default() });
                place
            }
        };
        &mut self.threads[place]
    }

    fn place_of_frames(&self, frames: &[u64]) -> u64 {
        let mut h = FxHasher::default();
        for pc in frames {
            match self.modules.iter().rev().find(|m| (m.0..m.1).contains(pc)) {
                Some((_, _, bias, path)) => (path, pc.wrapping_sub(*bias)).hash(&mut h),
                None => pc.hash(&mut h),
            }
        }
        h.finish()
    }
}

/// Names that the program gave to its objects.
struct RankNames<'a>(&'a Model, i32);

impl Names for RankNames<'_> {
    fn name(&self, kind: Kind, id: Id) -> Option<String> {
        let names = &self.0.ranks[self.1 as usize].names;
        match kind {
            Kind::Comm => names.get(&(true, id)).cloned(),
            Kind::Datatype => names.get(&(false, id)).cloned(),
            _ => None,
        }
    }
}

/// Name of a reduction operation.
pub(crate) fn op_name(id: Id) -> String {
    match predefined::OPS.get((id as usize).wrapping_sub(1)) {
        Some(name) => (*name).to_owned(),
        None => format!("operation {} of the program", id.wrapping_sub(FIRST_USER_ID)),
    }
}
