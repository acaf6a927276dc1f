//! The state of a run, as far as events were fed.

mod half_known;
mod resolve;
mod rules;
mod words;

use crate::collections::Slab;
use crate::deadlock_replay::DeadlockReplay;
use crate::listeners::Listeners;
use crate::state::{
    Accessed, CommIx, Comms, Damage, Findings, Locks, Message, Misuse, Op, OpId, OpKind, Order, Origin, Pattern, Rank,
    Suspect, Sweeps, TooSmall, Unlike,
};
use crate::types::{Amount, Signatures};
use crate::worlds::Names as Processes;
pub(crate) use rules::Rules;
use rustc_hash::{FxHashMap, FxHasher};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::Arc;
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::run::job::Buffering;
use trace_format::settings::selection::Selection;
use trace_format::variables::BufferingLimit;
use trace_reader::args::Args;
use trace_reader::call::Call;
use typemap::Typemap;
pub(crate) use words::RankNames;

/// So many are kept for their memory: about as many as are in flight while ranks are read in turns.
const MAX_SPARE: usize = 1 << 12;

/// So many patterns are kept for their memory: one is used for each that becomes free.
const MAX_SPARE_PATTERNS: usize = 1 << 6;

/// The state of the run, as far as events were fed.
pub(crate) struct Model {
    pub(crate) ranks: Vec<Rank>,
    /// Calls of some rank are missing in the middle of what was fed: see [`Model::lose_sight`].
    pub(crate) blind: bool,
    /// Calls of some rank are missing, or were: see [`Model::make_dim`].
    pub(crate) has_gaps: bool,
    /// The program has put arrays of its own into the traces.
    pub(crate) has_dumps: bool,
    /// Calls that nobody needs any more, for their memory.
    pub(crate) spare: Vec<Rc<Origin>>,
    /// Their patterns, if no other call has them.
    pub(crate) spare_patterns: Vec<Rc<Pattern>>,
    /// Changes when something is not as it was that `Found` may say.
    pub(crate) epoch: u32,
    pub(crate) comms: Comms,
    /// The windows that were made and are known.
    pub(crate) windows: Vec<CommIx>,
    /// The access to a window that began last, and its target.
    pub(crate) begun_access: Option<(i32, Accessed)>,
    /// The order of calls, while there are windows.
    pub(crate) order: Order,
    /// The locks of windows that processes have.
    pub(crate) locks: Locks,
    pub(crate) ops: Slab<Op>,
    pub(crate) signatures: Signatures,
    /// Typemaps of predefined datatypes, by their sizes as well, which the trace may say late.
    pub(crate) predefined: RefCell<FxHashMap<(Id, u64), Arc<Typemap>>>,
    /// Calls that make intercommunicators by their two leaders (the lower one first) and tag: how many each made.
    pub(crate) bridges: FxHashMap<(i32, i32, i64), [u64; 2]>,
    /// Uses by two threads at once of which it is not certain yet that they were.
    pub(crate) undecided: Vec<Misuse>,
    /// Messages to be judged at the end.
    pub(crate) suspects: FxHashMap<Suspect, Message>,
    /// Messages whose data have arrived changed.
    pub(crate) damaged: FxHashMap<Suspect, Damage>,
    pub(crate) findings: Findings,
    /// Buffers that do not fit the variables that hold them.
    pub(crate) too_small: Vec<TooSmall>,
    pub(crate) unlike: Vec<Unlike>,
    pub(crate) sweeps: Sweeps,
    pub(crate) names: Processes,
    /// Named constants of the MPI library, where they are known.
    pub(crate) constants: BTreeMap<String, i64>,
    /// The buffering of the MPI library as it was measured.
    pub(crate) buffering: Option<Buffering>,
    /// The buffering of the MPI library by its variables.
    pub(crate) buffering_limit: Option<BufferingLimit>,
    /// The findings that the user wants.
    pub(crate) selection: Selection,
    /// Does the user want to be told of messages that are shorter than the room for them?
    pub(crate) short_sends: bool,
    /// The run in a library that promises nothing.
    pub(crate) deadlock_replay: DeadlockReplay,
    /// Calls that were counted and not looked at: see `engine::snapshot`.
    pub(crate) leapt: u64,
    /// The checks that matching asks as soon as both sides are known.
    pub(crate) rules: &'static dyn Rules,
    /// Listeners that want to know more than findings.
    pub(crate) listeners: Listeners,
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

    /// The typemap of a datatype of a rank.
    pub(crate) fn typemap(&self, rank: i32, datatype: Id) -> Option<Arc<Typemap>> {
        if datatype < FIRST_USER_ID {
            let size = self.signatures.predefined(datatype)?.bytes?;
            let mut known = self.predefined.borrow_mut();
            return Some(known.entry((datatype, size)).or_insert_with(|| Typemap::named(datatype, size)).clone());
        }
        self.ranks[rank as usize].typemaps.get(&datatype).cloned()
    }

    /// Calls are missing, and more will come. Which message, collective or request later calls are about nobody knows any
    /// more, on this rank and on all that speak with it. What was found so far stands; from here on only what each call says
    /// by itself is looked at, and how the ranks end.
    pub(crate) fn lose_sight(&mut self) {
        self.settle_replay();
        (self.blind, self.has_gaps) = (true, true);
        self.ranks.iter_mut().for_each(|r| r.holed = true);
    }

    /// A number for the place that a call was made from, equal on all ranks that run the same code.
    pub(crate) fn place(&self, origin: &Origin) -> u64 {
        let known = self.ranks.get(origin.rank as usize).and_then(|r| r.places.get(origin.site));
        let mut h = FxHasher::default();
        (known, if known.is_none() { origin.site } else { 0 }, origin.func as u16).hash(&mut h);
        h.finish()
    }

    /// A new send or receive of `origin`.
    #[inline(always)]
    pub(crate) fn new_op(&mut self, op: Op) -> OpId {
        let r = &mut self.ranks[op.rank as usize];
        let dim = r.holed;
        match op.kind {
            OpKind::Send(_) => r.sends += 1,
            OpKind::Recv => r.recvs += 1,
        }
        self.ops.insert(Op { dim, ..op })
    }

    /// Forgets an operation.
    pub(crate) fn drop_op(&mut self, id: OpId) {
        let Some(spare) = self.ops.get(id).map(|op| op.origin.clone()) else { return };
        self.ops.discard(id);
        self.recycle(spare);
    }

    /// Makes the memory of a call: in memory that was used before, if there is some.
    // Inlined: the values go from registers to where they stay. Put together elsewhere and copied at once they would have to
    // wait until they are in the cache, behind all that was written before.
    #[inline(always)]
    pub(crate) fn origin(&mut self, new: Origin) -> Rc<Origin> {
        while let Some(mut spare) = self.spare.pop() {
            if let Some(old) = Rc::get_mut(&mut spare) {
                let Origin { rank, time, end, thread, index, varying, pattern } = new;
                (old.rank, old.time, old.end, old.thread, old.index) = (rank, time, end, thread, index);
                old.varying = varying;
                let pattern = std::mem::replace(&mut old.pattern, pattern);
                if Rc::strong_count(&pattern) == 1 && self.spare_patterns.len() < MAX_SPARE_PATTERNS {
                    self.spare_patterns.push(pattern);
                }
                return spare;
            }
        }
        Rc::new(new)
    }

    /// Makes the pattern of a call, as [`Model::origin`] does. What is left of the call means nothing.
    #[inline]
    pub(crate) fn pattern(&mut self, call: &mut Call<Args>) -> Rc<Pattern> {
        if let Some(mut spare) = self.spare_patterns.pop()
            && let Some(old) = Rc::get_mut(&mut spare)
        {
            old.fill(call);
            return spare;
        }
        let (ins, outs) = (std::mem::take(&mut call.ins), std::mem::take(&mut call.outs));
        Rc::new(Pattern::new(call.func, call.site, ins, outs, call.polls))
    }

    /// Somebody needs the call no more.
    #[inline]
    pub(crate) fn recycle(&mut self, call: Rc<Origin>) {
        recycle(&mut self.spare, call);
    }

    /// Objects and communicators that are kept: for tests of memory.
    pub(crate) fn kept_objects(&self) -> usize {
        let of_ranks: usize = self.ranks.iter().map(Rank::kept_objects).sum();
        self.comms.list.len() + self.comms.keys.len() + of_ranks
    }
}

/// See [`Model::recycle`].
#[inline]
pub(crate) fn recycle(spare: &mut Vec<Rc<Origin>>, call: Rc<Origin>) {
    if Rc::strong_count(&call) == 1 && spare.len() < MAX_SPARE {
        spare.push(call);
    }
}
