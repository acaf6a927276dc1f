//! Accesses under shared locks (MPI 4.1, 12.5.3): each lasts from its call until a flush or the end of the epoch, and only messages
//! and collective operations order it with those of others. They are judged when all processes of the window have passed one more
//! collective operation; those that are not over then are kept for the next time.

use super::accesses::{Accessed, Exposed, Lasts};
use super::lock_knots::{Before, Lasting};
use super::locks::Locks;
use super::order::{Begun, CallPlace, Order};
use super::window::Window;
use rma::{Access, Deed, InOrder, MOST_DEEDS, Unordered, go_together};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use trace_format::mpi::Class;

/// More accesses to one target, between two collective operations, are not looked at.
const MOST_ACCESSES: usize = 1 << 18;
/// More under exclusive locks are not.
const MOST_EXCLUSIVE: usize = 1 << 14;
/// More that are not over are not kept for the next time.
const MOST_KEPT: usize = 1 << 13;
/// More pairs are not held against the locks of other memory; they pass for kept apart.
const MOST_ASKED: usize = 1 << 5;
/// More pairs that wait for data are not.
const MOST_UNDECIDED: usize = 1 << 6;
/// More pairs of accesses are not looked at one by one.
const MOST_PAIRS: usize = 1 << 18;

/// The lock that its origin held on the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guard {
    /// None, as it uses its own memory.
    None,
    Shared,
    Exclusive,
}

/// An access under a lock, or of a process to its own memory.
struct Held {
    access: Accessed,
    guard: Guard,
    /// Collective operations of all that its origin had passed.
    phase: u64,
    /// Its origin had learned nothing of others since.
    is_fresh: bool,
    /// It lasts for longer than a phase, and was compared with the others of that one.
    is_kept: bool,
}

/// Accesses to one target, by phase: a process may be read far ahead of the others.
#[derive(Default)]
struct Phases {
    all: BTreeMap<u64, Vec<Held>>,
    count: usize,
    /// The different deeds of these, and perhaps of some that were taken out: one more than can go together at most.
    deeds: SmallVec<[Deed; 4]>,
}

impl Phases {
    fn add(&mut self, held: Held) {
        if !self.deeds.contains(&held.access.deed) && self.deeds.len() <= MOST_DEEDS {
            self.deeds.push(held.access.deed);
        }
        self.all.entry(held.phase).or_default().push(held);
        self.count += 1;
    }

    /// Takes out what belongs to a phase or the ones before it, or everything (`None`).
    fn take(&mut self, phase: Option<u64>) -> Vec<Held> {
        let later = phase.map(|phase| self.all.split_off(&(phase + 1))).unwrap_or_default();
        let mut phases = std::mem::replace(&mut self.all, later).into_values();
        let mut taken = phases.next().unwrap_or_default();
        phases.for_each(|more| taken.extend(more));
        self.count -= taken.len();
        if self.count == 0 {
            self.deeds.clear();
        }
        taken
    }

    fn iter(&self) -> impl Iterator<Item = &Held> {
        self.all.values().flatten()
    }
}

/// The calls of one process by which its accesses are over.
#[derive(Default)]
struct Ends {
    /// By target, or all targets.
    anywhere: FxHashMap<Option<i32>, Vec<u64>>,
    /// Ends of accesses that bring a result.
    at_origin: FxHashMap<Option<i32>, Vec<u64>>,
}

/// A collective operation of all that a process has passed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passed {
    pub(super) phase: u64,
    pub(super) call: u64,
    /// None has left it before all had called it.
    pub(super) is_meeting: bool,
}

/// An access that was over, while the target had begun an operation whose data come nobody knows when.
struct Undecided {
    target: i32,
    own: Accessed,
    other: Accessed,
    /// The call by which that is over.
    end: CallPlace,
    byte: i64,
}

/// The accesses under shared locks to one window.
#[derive(Default)]
pub(crate) struct Passive {
    undecided: Vec<Undecided>,
    held: FxHashMap<i32, Phases>,
    /// The accesses under exclusive locks, which the target's own uses of the memory alone may meet.
    exclusive: FxHashMap<i32, Phases>,
    ends: FxHashMap<i32, Ends>,
    passed: FxHashMap<i32, VecDeque<Passed>>,
}

/// Two calls of a list of accesses, and the first byte that both access.
pub(crate) type Meeting = (usize, usize, i64);

impl Ends {
    /// The first of its calls behind an access to a target that ends it.
    fn of(&self, target: i32, access: &Accessed) -> Option<u64> {
        let brings = access.call.brings_result();
        let lists = [Some(&self.anywhere), Some(&self.at_origin).filter(|_| brings)];
        let all = lists.into_iter().flatten().flat_map(|ends| [ends.get(&Some(target)), ends.get(&None)]).flatten();
        all.filter_map(|calls| calls.get(calls.partition_point(|call| *call < access.call.index))).min().copied()
    }

    /// The last ones before a call.
    fn before(&self, target: i32, by: u64) -> EndsBefore {
        let last = |ends: &FxHashMap<Option<i32>, Vec<u64>>| {
            let lists = [ends.get(&Some(target)), ends.get(&None)].into_iter().flatten();
            lists.filter_map(|calls| calls[..calls.partition_point(|call| *call < by)].last()).max().copied()
        };
        EndsBefore { by, anywhere: last(&self.anywhere), at_origin: last(&self.at_origin) }
    }
}

/// The last calls of a process, before one of them, by which its accesses to a target are over.
struct EndsBefore {
    by: u64,
    anywhere: Option<u64>,
    at_origin: Option<u64>,
}

impl EndsBefore {
    /// Is an access of the process over before that call?
    fn is_over(&self, access: &Accessed) -> bool {
        if access.is_own() {
            return access.over_behind() < self.by;
        }
        let is_behind = |end: Option<u64>| end.is_some_and(|end| end > access.call.index);
        is_behind(self.anywhere) || is_behind(self.at_origin) && access.call.brings_result()
    }
}

impl Passive {
    /// May something be found, as far as deeds tell? See [`Passive::may_conflict_at`].
    pub(super) fn may_conflict(&self, no_op: u32) -> bool {
        !self.undecided.is_empty() || self.held.keys().any(|target| self.may_conflict_at(*target, no_op))
    }

    /// May accesses to a target be in conflict? Most programs have such deeds there, between two collective operations, that it
    /// does not matter which bytes they are about.
    fn may_conflict_at(&self, target: i32, no_op: u32) -> bool {
        let lists = [&self.held, &self.exclusive].into_iter().filter_map(|lists| lists.get(&target));
        !go_together(lists.flat_map(|all| all.deeds.iter().copied()), no_op)
    }

    pub(super) fn is_undecided(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// An origin accesses memory of a target.
    pub(super) fn add(&mut self, target: i32, access: Accessed, guard: Guard, (phase, is_fresh): (u64, bool)) {
        let is_exclusive = guard == Guard::Exclusive && !access.is_own();
        let (lists, most) =
            if is_exclusive { (&mut self.exclusive, MOST_EXCLUSIVE) } else { (&mut self.held, MOST_ACCESSES) };
        let all = lists.entry(target).or_default();
        if all.count < most {
            all.add(Held { access, guard, phase, is_fresh, is_kept: false });
        }
    }

    /// A call of an origin has ended its accesses to a target, or to all; `is_local`: only those that bring a result.
    pub(super) fn end(&mut self, origin: i32, target: Option<i32>, call: u64, is_local: bool) {
        let ends = self.ends.entry(origin).or_default();
        let lists = if is_local { &mut ends.at_origin } else { &mut ends.anywhere };
        lists.entry(target).or_default().push(call);
    }

    /// A process has passed a collective operation of all.
    pub(super) fn pass(&mut self, place: i32, passed: Passed) {
        self.passed.entry(place).or_default().push_back(passed);
    }

    /// The call of its origin by which an access is over.
    fn end_of(&self, target: i32, access: &Accessed) -> Option<u64> {
        match access.is_own() {
            true => Some(access.over_behind()),
            false => self.ends.get(&access.origin)?.of(target, access),
        }
    }

    /// The ends of accesses of an origin to a target before a call of it.
    fn ends_before(&self, origin: i32, target: i32, by: u64) -> EndsBefore {
        let none = EndsBefore { by, anywhere: None, at_origin: None };
        self.ends.get(&origin).map_or(none, |ends| ends.before(target, by))
    }

    fn is_over(&self, target: i32, held: &Held, by: u64) -> bool {
        self.ends_before(held.access.origin, target, by).is_over(&held.access)
    }

    /// The pairs of which is known by now whether data came behind an access; those of which nobody will know are dropped at last.
    fn decide(&mut self, is_last: bool, order: &Order, begun: &Begun) -> Vec<Judged> {
        let mut found = Vec::new();
        self.undecided.retain(|undecided| {
            let Undecided { target, own, other, end, byte } = undecided;
            let Some(data) = own.data() else { return false };
            let sources = order.sources((own.call.rank, data));
            let is_known = own.over_behind() < u64::MAX && !sources.is_empty();
            if is_known && !sources.iter().any(|source| order.may_be_before(*end, *source, begun)) {
                let accesses = vec![own.clone(), other.clone()];
                found.push(Judged { target: *target, accesses, found: vec![(0, 1, *byte)] });
            }
            !is_known && !is_last
        });
        found
    }

    /// Keeps the accesses to a target that were not over when their origins left a phase for the next one, in a `list`.
    fn keep(
        &mut self,
        target: i32,
        all: &[Held],
        left: &FxHashMap<i32, Passed>,
        list: impl FnOnce(&mut Passive) -> &mut FxHashMap<i32, Phases>,
    ) {
        let kept = self.not_over(target, all, left);
        if !kept.is_empty() {
            let phases = list(self).entry(target).or_default();
            kept.into_iter().for_each(|held| phases.add(held));
        }
    }

    /// Copies the accesses that are not over, to keep them. They come in the order of their origins, or where that does not
    /// matter in the order of the turns in which these were read.
    fn not_over(&self, target: i32, all: &[Held], left: &FxHashMap<i32, Passed>) -> Vec<Held> {
        let keep = |held: &Held| {
            let Held { access, guard, phase, .. } = held;
            Held { access: access.clone(), guard: *guard, phase: *phase, is_fresh: false, is_kept: true }
        };
        let of_one = all.chunk_by(|a, b| a.access.origin == b.access.origin).flat_map(|of_one| {
            let origin = of_one.first().map_or(0, |held| held.access.origin);
            let ends = left.get(&origin).map(|passed| self.ends_before(origin, target, passed.call));
            of_one.iter().filter(move |held| ends.as_ref().is_some_and(|ends| !ends.is_over(&held.access)))
        });
        of_one.take(MOST_KEPT).map(keep).collect()
    }

    /// All have passed a phase, or the run is over (`None`): the targets with accesses to be judged, and whether these may be in
    /// conflict.
    fn ripe(&mut self, phase: Option<u64>, no_op: u32) -> Vec<(i32, Vec<Held>, bool)> {
        let may_conflict: FxHashSet<i32> =
            self.held.keys().copied().filter(|target| self.may_conflict_at(*target, no_op)).collect();
        let all = self.held.iter_mut().filter(|(_, all)| all.count > 0);
        let all = all.map(|(target, all)| (*target, all.take(phase), may_conflict.contains(target)));
        let mut all: Vec<(i32, Vec<Held>, bool)> = all.filter(|(_, all, _)| !all.is_empty()).collect();
        all.sort_by_key(|(target, ..)| *target);
        // The order in which ranks are read tells nothing.
        for (_, all, _) in all.iter_mut().filter(|(_, all, may)| *may || all.len() > MOST_KEPT) {
            all.sort_by_key(|held| (held.access.origin, held.access.call.index));
        }
        all
    }

    /// The accesses to a target under exclusive locks that are to be judged with these ones.
    fn ripe_exclusive(&mut self, phase: Option<u64>) -> FxHashMap<i32, Vec<Held>> {
        let in_order = |all: &mut Phases| {
            let mut all = all.take(phase);
            // As in `ripe`.
            all.sort_by_key(|held| (held.access.origin, held.access.call.index));
            all
        };
        self.exclusive.iter_mut().map(|(target, all)| (*target, in_order(all))).collect()
    }

    /// Where each process passed a phase.
    fn left(&mut self, phase: u64) -> FxHashMap<i32, Passed> {
        let left = self.passed.iter_mut().filter_map(|(place, all)| {
            while all.front().is_some_and(|passed| passed.phase < phase) {
                all.pop_front();
            }
            all.front().filter(|passed| passed.phase == phase).map(|passed| (*place, *passed))
        });
        left.collect()
    }

    /// Ends before a phase are not asked for any more, as those accesses are gone.
    fn forget(&mut self, left: &FxHashMap<i32, Passed>) {
        for (origin, ends) in &mut self.ends {
            let Some(passed) = left.get(origin) else { continue };
            for calls in ends.anywhere.values_mut().chain(ends.at_origin.values_mut()) {
                calls.drain(..calls.partition_point(|call| *call < passed.call));
            }
        }
    }
}

/// Accesses to one target that were judged.
pub(crate) struct Judged {
    pub(crate) target: i32,
    pub(crate) accesses: Vec<Accessed>,
    /// Pairs that nothing orders and that must not meet.
    pub(crate) found: Vec<Meeting>,
}

impl Window {
    /// All have passed a phase (`None`: the window or the run is over): judges the accesses under shared locks. With it where each
    /// process passed that phase, if nothing before it matters any more.
    pub(crate) fn judge_passive(
        &mut self,
        phase: Option<u64>,
        no_op: u32,
        (order, begun, locks): (&Order, &Begun, &Locks),
    ) -> (Vec<Judged>, Vec<(i32, u64)>) {
        let ripe = self.passive.ripe(phase, no_op);
        let mut exclusive = self.passive.ripe_exclusive(phase);
        let left = phase.map(|phase| self.passive.left(phase)).unwrap_or_default();
        let is_meeting = !left.is_empty() && left.values().all(|passed| passed.is_meeting);
        let are_any_exclusive = locks.are_any_exclusive();
        let mut all = self.passive.decide(phase.is_none(), order, begun);
        let mut undecided = Vec::new();
        for (target, mut held, may_conflict) in ripe {
            let exposed = self.members.get(&target).and_then(|member| member.exposed).filter(|_| may_conflict);
            let judge = exposed.map(|exposed| {
                let (passive, asked, left, undecided) =
                    (&self.passive, Cell::new(0), phase.map(|_| &left), RefCell::default());
                Judge {
                    target,
                    exposed,
                    is_shared: self.is_shared,
                    is_meeting,
                    passive,
                    no_op,
                    order,
                    begun,
                    locks,
                    are_any_exclusive,
                    asked,
                    left,
                    undecided,
                }
            });
            let mut found = judge.as_ref().map(|judge| judge.meetings(&held)).unwrap_or_default();
            let exclusive = exclusive.remove(&target).unwrap_or_default();
            if let Some(judge) = judge {
                found.extend(judge.of_the_own(&held, &exclusive));
                undecided.extend(judge.undecided.into_inner());
            }
            if is_meeting {
                self.passive.keep(target, &held, &left, |passive| &mut passive.held);
                self.passive.keep(target, &exclusive, &left, |passive| &mut passive.exclusive);
            }
            held.extend(exclusive);
            let accesses = held.into_iter().map(|held| held.access).collect();
            all.push(Judged { target, accesses, found });
        }
        // Targets that have not used their own memory.
        for (target, exclusive) in exclusive.into_iter().filter(|_| is_meeting) {
            self.passive.keep(target, &exclusive, &left, |passive| &mut passive.exclusive);
        }
        self.passive.forget(&left);
        let room = MOST_UNDECIDED.saturating_sub(self.passive.undecided.len());
        self.passive.undecided.extend(undecided.into_iter().filter(|_| is_meeting).take(room));
        (all, left.into_iter().filter(|_| is_meeting).map(|(place, passed)| (place, passed.call)).collect())
    }

    /// Calls of accesses under shared locks, which are kept.
    pub(super) fn passive_calls(&self) -> impl Iterator<Item = &Accessed> {
        let Passive { held, exclusive, undecided, .. } = &self.passive;
        let undecided = undecided.iter().flat_map(|undecided| [&undecided.own, &undecided.other]);
        held.values().chain(exclusive.values()).flat_map(Phases::iter).map(|held| &held.access).chain(undecided)
    }
}

/// The judgement of the accesses to one target.
struct Judge<'a> {
    target: i32,
    exposed: Exposed,
    /// Processes reach it by loads and stores, which order things that nobody sees.
    is_shared: bool,
    /// None has left the phase before all had come to its end.
    is_meeting: bool,
    passive: &'a Passive,
    no_op: u32,
    order: &'a Order,
    begun: &'a Begun,
    locks: &'a Locks,
    are_any_exclusive: bool,
    /// How many pairs were held against locks.
    asked: Cell<usize>,
    /// Where each process passed the phase, if it is not the end of all.
    left: Option<&'a FxHashMap<i32, Passed>>,
    undecided: RefCell<Vec<Undecided>>,
}

/// Bytes of an access.
#[derive(Clone, Copy)]
struct Run {
    start: i64,
    end: i64,
    number: usize,
}

/// The bytes of accesses within the memory, since others are told of already.
fn runs<'a>(all: impl Iterator<Item = &'a Accessed>, exposed: Exposed) -> impl Iterator<Item = Run> {
    let within = all.enumerate().filter(move |(_, access)| access.out_of_range(exposed).is_none());
    within.flat_map(move |(number, access)| access.bytes(exposed).map(move |(start, end)| Run { start, end, number }))
}

/// The first byte that two accesses have in common.
fn first_common(a: &Accessed, b: &Accessed, exposed: Exposed) -> Option<i64> {
    if b.out_of_range(exposed).is_some() {
        return None;
    }
    let pairs = a.bytes(exposed).flat_map(|a| b.bytes(exposed).map(move |b| (a.0.max(b.0), a.1.min(b.1))));
    pairs.filter(|(from, to)| from < to).map(|(from, _)| from).min()
}

/// Pairs of accesses that meet, do not go together and are as wanted. `no_op`: the number of MPI_NO_OP.
pub(crate) fn each_pair<'a>(
    all: impl Iterator<Item = &'a Accessed> + Clone,
    exposed: Exposed,
    no_op: u32,
    is_wanted: impl Fn(usize, usize) -> bool,
) -> Vec<Meeting> {
    let mut sorted: Vec<Run> = runs(all.clone(), exposed).collect();
    sorted.sort_by_key(|run| (run.start, run.end, run.number));
    let deeds: Vec<Deed> = all.map(|access| access.deed).collect();
    let (mut found, mut looked_at) = (Vec::new(), 0);
    let mut open: FxHashMap<Deed, Vec<Run>> = FxHashMap::default();
    for run in sorted {
        let Some(deed) = deeds.get(run.number) else { continue };
        for (_, others) in open.iter_mut().filter(|(other, _)| !deed.goes_with(**other, no_op)) {
            others.retain(|other| other.end > run.start);
            looked_at += others.len();
            let wanted = others.iter().filter(|other| is_wanted(other.number, run.number));
            found.extend(wanted.map(|other| (other.number, run.number, run.start)));
        }
        if looked_at > MOST_PAIRS {
            break;
        }
        open.entry(*deed).or_default().push(run);
    }
    found.sort_unstable();
    found
}

impl Judge<'_> {
    fn meetings(&self, all: &[Held]) -> Vec<Meeting> {
        let mut found = if self.is_shared { Vec::new() } else { self.of_the_fresh(all) };
        found.extend(self.of_the_others(all));
        let mut seen = FxHashSet::default();
        found.retain(|(a, b, _)| seen.insert((*a.min(b), *a.max(b))));
        found
    }

    /// Nothing orders accesses in one phase whose origins have learned nothing.
    fn of_the_fresh(&self, all: &[Held]) -> Vec<Meeting> {
        let mut found = Vec::new();
        let mut phases: FxHashMap<u64, Unordered<usize>> = FxHashMap::default();
        let held = |number: usize| all.get(number).filter(|held| held.is_fresh);
        for Run { start, end, number } in runs(all.iter().map(|held| &held.access), self.exposed) {
            let Some(held) = held(number) else { continue };
            let (origin, deed) = (held.access.origin, held.access.deed);
            phases.entry(held.phase).or_default().add(Access { start, end, origin, deed, call: number });
        }
        let mut phases: Vec<(u64, Unordered<usize>)> = phases.into_iter().collect();
        phases.sort_by_key(|(phase, _)| *phase);
        for (_, fresh) in phases {
            fresh.conflicts(self.no_op, InOrder::All, |a, b, byte| found.push((a.call, b.call, byte)));
        }
        found
    }

    /// Pairs one of which came behind something else, or lasts for long: each is looked at.
    fn of_the_others(&self, all: &[Held]) -> Vec<Meeting> {
        let Some(first) = all.first() else { return Vec::new() };
        let are_alike = all.iter().all(|held| held.is_fresh && held.phase == first.phase);
        if (are_alike || all.iter().all(|held| held.access.is_own())) && !self.is_shared {
            return Vec::new();
        }
        let pair = |a: usize, b: usize| all.get(a).zip(all.get(b)).is_some_and(|(a, b)| self.are_unordered(a, b));
        each_pair(all.iter().map(|held| &held.access), self.exposed, self.no_op, pair)
    }

    /// Uses of the target's own memory that meet accesses under exclusive locks, which are numbered behind the others.
    fn of_the_own(&self, all: &[Held], exclusive: &[Held]) -> Vec<Meeting> {
        let own = all.iter().enumerate().filter(|(_, held)| held.access.is_own());
        let pairs = own.flat_map(|own| exclusive.iter().zip(all.len()..).map(move |other| (own, other)));
        let meeting = |((own_number, own), (other, number)): ((usize, &Held), (&Held, usize))| {
            if own.access.deed.goes_with(other.access.deed, self.no_op) {
                return None;
            }
            let byte = first_common(&own.access, &other.access, self.exposed)?;
            self.are_unordered(own, other).then_some((own_number, number, byte))
        };
        pairs.take(MOST_PAIRS).filter_map(meeting).collect()
    }

    /// Does nothing order two accesses of different origins, which were not compared before?
    fn are_unordered(&self, a: &Held, b: &Held) -> bool {
        // Where data come nobody knows when, it is looked again.
        let are_kept = a.is_kept && b.is_kept && a.access.data().or(b.access.data()).is_none();
        let is_known = are_kept || a.is_fresh && b.is_fresh && a.phase == b.phase;
        let are_exclusive = match (a.guard, b.guard) {
            (Guard::None, _) | (_, Guard::None) | (Guard::Shared, Guard::Shared) => false,
            (Guard::Exclusive, _) | (_, Guard::Exclusive) => true,
        };
        let are_of_two = a.access.origin != b.access.origin;
        if self.is_shared {
            return !are_kept && are_of_two && self.begins_before_end(a, b) && self.begins_before_end(b, a);
        }
        let is_unordered = !is_known && !are_exclusive && are_of_two && !self.is_before(a, b) && !self.is_before(b, a);
        is_unordered && !(self.are_any_exclusive && self.are_kept_apart(a, b)) && !self.waits_for_data(a, b)
    }

    /// Has an access of shared memory begun, for certain, before another one ends?
    fn begins_before_end(&self, a: &Held, b: &Held) -> bool {
        let at = |held: &Held| (held.access.call.rank, held.access.call.index);
        let (start, call) = (at(a), at(b));
        let passed = match self.left {
            Some(left) if self.is_meeting => left.get(&b.access.origin).map(|passed| passed.call),
            Some(_) => return false,
            None => None,
        };
        let is_over = |end: u64| passed.is_none_or(|passed| end < passed);
        // A buffer that is sent from may have been read at once.
        let end = match (&b.access.lasts, b.access.data()) {
            (Lasts::Operation { .. }, Some(_)) => {
                Some(b.access.over_behind()).filter(|end| *end < u64::MAX && is_over(*end)).map(|end| end + 1)
            }
            (Lasts::Operation { .. } | Lasts::Call | Lasts::Instruction, _) => Some(call.1 + 1),
            (Lasts::UntilSynchronized, _) => {
                let end = self.passive.end_of(self.target, &b.access).filter(|end| is_over(*end));
                end.or(passed.map(|passed| passed + 1))
            }
        };
        let Some(end) = end.map(|end| (call.0, end)) else { return false };
        match a.access.data() {
            Some(data) => {
                let sources = self.order.sources((start.0, data));
                !sources.is_empty() && sources.iter().all(|source| self.order.must_be_before(*source, end))
            }
            None => self.order.must_be_before(start, end),
        }
    }

    /// Will it be known later only whether the data of one come behind the end of the other?
    fn waits_for_data(&self, a: &Held, b: &Held) -> bool {
        let (own, other) = if a.access.is_own() { (a, b) } else { (b, a) };
        let (Some(data), Some(left)) = (own.access.data(), self.left) else { return false };
        let is_over = |held: &Held| {
            left.get(&held.access.origin).is_some_and(|passed| self.passive.is_over(self.target, held, passed.call))
        };
        if is_over(own) && !self.order.sources((own.access.call.rank, data)).is_empty() {
            return false;
        }
        let end = self.passive.end_of(self.target, &other.access).filter(|_| is_over(other));
        if let Some((end, byte)) = end.zip(first_common(&own.access, &other.access, self.exposed)) {
            let (target, end) = (self.target, (other.access.call.rank, end));
            let (own, other) = (own.access.clone(), other.access.clone());
            self.undecided.borrow_mut().push(Undecided { target, own, other, end, byte });
        }
        true
    }

    /// Do locks of other memory keep two accesses apart?
    fn are_kept_apart(&self, a: &Held, b: &Held) -> bool {
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > MOST_ASKED {
            return true;
        }
        let lasts = |held: &Held| {
            let call = &held.access.call;
            let end = match (held.access.is_own() && !held.access.is_operation(), held.access.deed) {
                // A message that was sent from the memory tells that this was read.
                (true, Deed::Read) => Some(held.access.over_behind()),
                (true, _) => Some(call.index),
                _ => self.passive.end_of(self.target, &held.access),
            };
            let from = match (held.access.data(), &held.access.lasts, held.access.deed) {
                (Some(data), ..) => self.order.sources((call.rank, data)).iter().copied().collect(),
                (None, Lasts::Call, Deed::Write) => smallvec![(call.rank, call.index + 1)],
                _ => SmallVec::new(),
            };
            Some(Lasting { begin: (call.rank, call.index), from, end: (call.rank, end?) })
        };
        let before = Before { order: self.order, begun: self.begun };
        lasts(a).zip(lasts(b)).is_some_and(|(a, b)| self.locks.keep_apart(&a, &b, before))
    }

    fn is_before(&self, a: &Held, b: &Held) -> bool {
        let end = self.passive.end_of(self.target, &a.access);
        let start = (a.access.call.rank, a.access.call.index);
        // Whoever has got data knows that they were read.
        let is_read = a.access.is_operation() && a.access.deed == Deed::Read;
        let is_before = |place| {
            let is_over = end.is_some_and(|end| self.order.may_be_before((start.0, end), place, self.begun));
            is_over || is_read && self.order.may_be_told(start, place, self.begun)
        };
        let call = &b.access.call;
        // Data arrive in a buffer behind what their senders did before.
        match (b.access.data(), &b.access.lasts, b.access.deed) {
            (Some(data), ..) => {
                let sources = self.order.sources((call.rank, data));
                let is_last = self.left.is_none();
                is_last && end.is_some() && sources.is_empty() || sources.iter().any(|source| is_before(*source))
            }
            // No process sends what is in a file.
            (None, Lasts::Call, Deed::Write) if !matches!(call.arg_places.class, Class::FileIo(_)) => {
                is_before((call.rank, call.index + 1))
            }
            _ => is_before((call.rank, call.index)),
        }
    }
}
