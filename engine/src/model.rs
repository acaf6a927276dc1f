//! The state of a run, and what definitions and events of the system change in it.

use super::comms::Comms;
use super::facts::{Findings, Origin, Site};
use super::p2p::{Op, OpId, OpKind};
use super::slab::Slab;
use super::types::{Amount, Signatures};
use super::{Breach, MpiError, Rank, RankSummary, concurrent, ending, facts, forget, p2p, sums};
use crate::worlds::Names as Processes;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use trace_format::definition::{Combiner, Definition, FIRST_USER_ID, Id, NULL_ID};
use trace_format::file::PROCESS_THREAD;
use trace_format::finding::CallRef;
use trace_format::job::Buffering;
use trace_format::mpi::{Class, Kind, predefined};
use trace_format::names::Names;
use trace_format::selection::Selection;
use trace_format::system::SystemEvent;
use trace_format::variables::BufferingLimit;
use trace_reader::text::format_call;

/// So many are kept for their memory: about as many as are in flight while ranks are read in turns.
const MAX_SPARE: usize = 1 << 12;

/// The state of the run, as far as events were fed.
pub(crate) struct Model {
    pub(crate) ranks: Vec<Rank>,
    /// Calls of some rank are missing in the middle of what was fed: see [`Model::lose_sight`].
    pub(super) blind: bool,
    /// The program has put arrays of its own into the traces.
    pub(super) has_dumps: bool,
    /// Calls that nobody needs any more, for their memory.
    pub(super) spare: Vec<Rc<Origin>>,
    /// Changes when something is not as it was that [`facts::Found`] may say.
    pub(super) epoch: u32,
    pub(crate) comms: Comms,
    pub(crate) ops: Slab<Op>,
    pub(crate) signatures: Signatures,
    /// Calls that make intercommunicators by their two leaders (the lower one first) and tag: how many each made.
    pub(crate) bridges: FxHashMap<(i32, i32, i64), [u64; 2]>,
    /// Uses by two threads at once of which it is not certain yet that they were.
    pub(crate) undecided: Vec<concurrent::Misuse>,
    /// Messages to be judged at the end.
    pub(crate) suspects: FxHashMap<p2p::Suspect, p2p::Message>,
    /// Messages whose data have arrived changed.
    pub(crate) damaged: FxHashMap<p2p::Suspect, sums::Damage>,
    pub(crate) findings: Findings,
    pub(super) sweeps: forget::Sweeps,
    pub(crate) names: Processes,
    /// Named constants of the MPI library, where they are known.
    pub(crate) constants: BTreeMap<String, i64>,
    /// What was measured of the MPI library's buffering.
    pub(crate) buffering: Option<Buffering>,
    /// What the library says of it by its variables.
    pub(crate) buffering_limit: Option<BufferingLimit>,
    /// What the user wants to be told.
    pub(crate) selection: Selection,
    /// Does the user want to be told of messages that are shorter than the room for them?
    pub(super) short_sends: bool,
    /// The run in a library that promises nothing.
    pub(crate) deadlock_replay: super::deadlock_replay::DeadlockReplay,
    /// Calls that were counted and not looked at: see [`super::snapshot`].
    pub(super) leapt: u64,
    /// Listeners that want to know more than findings.
    pub(super) listening: super::listen::Listening,
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

    pub(super) fn define(&mut self, rank: i32, definition: Definition) {
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
                r.names.insert((Kind::Comm, id), name);
            }
            Definition::TypeName { id, name } => {
                r.names.insert((Kind::Datatype, id), name);
            }
            Definition::Group { id, ranks } => {
                r.objects.groups.insert(id, ranks);
            }
            Definition::OnComm { kind, id, comm } => {
                let kind = match kind {
                    trace_format::definition::ObjectKind::Win => Kind::Win,
                    _ => Kind::File,
                };
                r.objects.on_comm.insert((kind, id), comm);
            }
            Definition::Datatype { id, combiner, ints, types, size, extent, .. } => {
                self.epoch = self.epoch.wrapping_add(1);
                r.extents.insert(id, extent);
                if id < FIRST_USER_ID || combiner == Combiner::Named {
                    self.signatures.set_size(id, size);
                    return;
                }
                let olds: Vec<Amount> = types.iter().map(|t| self.one(rank, *t).unwrap_or(Amount::UNKNOWN)).collect();
                let amount = self.signatures.derived(combiner, &ints, &olds, size);
                self.ranks[rank as usize].types.insert(id, amount);
            }
            Definition::Bridge(_) | Definition::Op { .. } | Definition::Object { .. } | Definition::Blob { .. } => {}
            Definition::Dump { .. } => self.has_dumps = true,
        }
    }

    pub(super) fn system(&mut self, rank: i32, thread: u16, time: u64, event: SystemEvent) {
        self.listening.system(rank, thread, time, &event);
        let r = &mut self.ranks[rank as usize];
        r.heard = r.heard.max(time);
        match event {
            SystemEvent::Exit { status } => {
                r.exit = Some(status);
                // A process that ends well has handled the signals that came before.
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
            SystemEvent::Gap { .. } => {
                // Of which threads of the process, their own gaps say.
                if thread != PROCESS_THREAD {
                    r.thread(thread).open.clear();
                }
                self.lose_sight();
            }
            SystemEvent::Mark { .. } | SystemEvent::Sample(_) | SystemEvent::Callback(_) => {}
            SystemEvent::Recording { on } => r.holed |= !on,
            SystemEvent::Found(found) => {
                if let Some(discovery) = r.discovery(rank, thread, found) {
                    r.discoveries.push(discovery);
                }
            }
        }
    }

    /// Calls are missing, and more will come. Which message, collective or request later calls are about nobody knows any
    /// more, on this rank and on all that speak with it. What was found so far stands; from here on only what each call says
    /// by itself is looked at, and how the ranks end.
    pub(super) fn lose_sight(&mut self) {
        self.blind = true;
        self.ranks.iter_mut().for_each(|r| r.holed = true);
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
            text: self.words_of(origin),
            site: origin.site,
            pc: site.pc,
            role: self.names.rename(&site.role),
            // A call whose record is gone has no times.
            span: (origin.time != 0).then(|| (origin.time, origin.end())),
        }
    }

    /// A call with its arguments; the name alone where none of them is known, since empty parentheses would say that there
    /// are none.
    fn words_of(&self, origin: &Origin) -> String {
        let text = format_call(&facts::as_call(origin), &RankNames(self, origin.rank));
        match text.strip_suffix("()") {
            Some(name) if !origin.func.row().params.is_empty() => name.to_owned(),
            _ => text,
        }
    }

    pub(super) fn summaries(&self, ending: &ending::Ending) -> Vec<RankSummary> {
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

    /// A new send or receive of `origin`.
    pub(crate) fn new_op(&mut self, op: Op) -> OpId {
        let r = &mut self.ranks[op.rank as usize];
        let dim = r.holed;
        match op.kind {
            OpKind::Send(_) => r.sends += 1,
            OpKind::Recv => r.recvs += 1,
        }
        let id = self.ops.insert(op);
        self.ops[id].dim = dim;
        id
    }

    /// Forgets an operation.
    pub(super) fn drop_op(&mut self, id: OpId) {
        let Some(spare) = self.ops.get(id).map(|op| op.origin.clone()) else { return };
        self.ops.discard(id);
        self.recycle(spare);
    }

    /// What is made of a call: in memory that was used before, if there is some.
    #[inline]
    pub(super) fn origin(&mut self, new: Origin) -> Rc<Origin> {
        while let Some(mut spare) = self.spare.pop().or_else(|| self.deadlock_replay.take_spare()) {
            if let Some(old) = Rc::get_mut(&mut spare) {
                *old = new;
                return spare;
            }
        }
        Rc::new(new)
    }

    /// Somebody needs the call no more.
    #[inline]
    pub(super) fn recycle(&mut self, call: Rc<Origin>) {
        if Rc::strong_count(&call) == 1 && self.spare.len() < MAX_SPARE {
            self.spare.push(call);
        }
    }
}

/// Names that the program gave to its objects.
pub(super) struct RankNames<'a>(pub(super) &'a Model, pub(super) i32);

impl Names for RankNames<'_> {
    fn name(&self, kind: Kind, id: Id) -> Option<String> {
        let names = &self.0.ranks[self.1 as usize].names;
        names.get(&(kind, id)).cloned()
    }
}

/// Name of a reduction operation.
pub(crate) fn op_name(id: Id) -> String {
    match predefined::OPS.get((id as usize).wrapping_sub(1)) {
        Some(name) => (*name).to_owned(),
        None if id == NULL_ID => "MPI_OP_NULL".to_owned(),
        None => format!("operation {} of the program", id.wrapping_sub(FIRST_USER_ID)),
    }
}
