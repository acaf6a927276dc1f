//! Locks that would never be got in another order than that of the run: see [`super::locks`].

use super::call::Origin;
use super::locks::{Hold, Locked, Locks};
use super::order::{Begun, CallPlace, News, Order};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::rc::Rc;

/// More steps are not made in search of one knot.
const MOST_STEPS: usize = 1 << 14;
/// More pairs of locks are not looked at.
const MOST_PAIRS: usize = 1 << 18;
/// Processes that wait for each other.
const LONGEST: usize = 1 << 6;

/// A process that holds a lock while it waits in a call.
#[derive(Debug, Clone)]
pub(crate) struct Holder {
    pub(crate) holds: Rc<Origin>,
    pub(crate) waits_in: Rc<Origin>,
}

/// A lock that a process asks for while it has another one.
struct Step<'a> {
    has: (Locked, &'a Rc<Origin>),
    wants: &'a Hold,
}

/// Which calls come before which, for one window.
#[derive(Clone, Copy)]
pub(crate) struct Before<'a> {
    pub(crate) order: &'a Order,
    pub(crate) begun: &'a Begun,
}

impl Before<'_> {
    fn may_be(self, first: CallPlace, second: CallPlace) -> bool {
        self.order.may_be_before(first, second, self.begun)
    }

    fn may_be_over(self, one: &Hold, other: &Hold) -> bool {
        one.given().is_some_and(|given| self.may_be(given, other.taken()))
    }
}

/// An access, from a call to another one.
pub(super) struct Lasting {
    pub(super) begin: CallPlace,
    /// Calls before one of these come before it, too: its data come behind them.
    pub(super) from: SmallVec<[CallPlace; 1]>,
    pub(super) end: CallPlace,
}

impl Locks {
    /// Do locks that exclude each other keep two accesses apart? A lock keeps others from an access if some process got that before
    /// and gave it back behind it, for all that is known.
    pub(super) fn keep_apart(&self, a: &Lasting, b: &Lasting, before: Before) -> bool {
        if self.are_too_many() {
            return true;
        }
        // Mostly each process has the lock itself.
        let mine = |Lasting { begin, end, .. }: &Lasting| -> Vec<&Hold> {
            let is_behind = |given| given >= end.1 && given > begin.1;
            let is_around = |hold: &&Hold| hold.call.index < begin.1 && hold.end.is_none_or(is_behind);
            self.of(begin.0).filter(is_around).collect()
        };
        if a.begin.0 != b.begin.0 && are_apart(&mine(a), &mine(b)) {
            return true;
        }
        let around = |Lasting { begin, from, end }: &Lasting| -> Vec<&Hold> {
            let is_around = |hold: &&Hold| {
                let is_behind = |given: CallPlace| {
                    let is_possible = given.0 != begin.0 || given.1 > begin.1;
                    is_possible && (given == *end || before.may_be(*end, given))
                };
                let is_given_behind = hold.given().is_none_or(is_behind);
                let is_taken_before = |place: &CallPlace| before.may_be(hold.taken(), *place);
                is_given_behind && (is_taken_before(begin) || from.iter().any(is_taken_before))
            };
            self.each().filter(is_around).collect()
        };
        are_apart(&around(a), &around(b))
    }

    /// Pairs of locks that exclude each other, so that one of them is exclusive; nothing orders them, and the first one was taken
    /// on trust (MPI_MODE_NOCHECK).
    pub(crate) fn unchecked(&self, before: Before) -> Vec<[Rc<Origin>; 2]> {
        let all = self.all();
        let mut found = Vec::new();
        for trusting in all.iter().filter(|hold| hold.lock.is_unchecked).take(MOST_PAIRS / all.len().max(1)) {
            let unordered = all.iter().filter(|other| {
                let is_seen = other.lock.is_unchecked && other.call.rank < trusting.call.rank;
                let is_other = other.call.rank != trusting.call.rank && !is_seen && other.lock.excludes(trusting.lock);
                is_other && !before.may_be_over(trusting, other) && !before.may_be_over(other, trusting)
            });
            found.extend(unordered.map(|other| [trusting.call.clone(), other.call.clone()]));
        }
        found
    }

    /// Processes that would wait for each other for ever, had each of them got its lock before the others asked for it.
    pub(crate) fn knots(&self, before: Before) -> Vec<Vec<Holder>> {
        let all = self.all();
        let mut found = held_in_waits(&all, before);
        let steps = steps(&all);
        let firsts = steps.iter().enumerate();
        found.extend(
            firsts.filter_map(|(number, _)| Search { steps: &steps, before, left: MOST_STEPS }.knot_of(number)),
        );
        found
    }
}

/// Do locks of two lists exclude each other?
fn are_apart(some: &[&Hold], others: &[&Hold]) -> bool {
    some.iter().any(|a| others.iter().any(|b| a.call.rank != b.call.rank && a.lock.keeps_out(b.lock)))
}

/// Processes that wait with a lock for another one, which comes there only when it has had that lock.
fn held_in_waits(all: &[&Hold], before: Before) -> Vec<Vec<Holder>> {
    let mut found = Vec::new();
    for holder in all.iter().filter(|hold| !hold.waits.is_empty()).take(MOST_PAIRS / all.len().max(1)) {
        let excluded =
            all.iter().filter(|other| other.call.rank != holder.call.rank && other.lock.keeps_out(holder.lock));
        for other in excluded {
            let wait = holder.waits.iter().find(|(wait, news)| {
                let sources = before.order.sources((wait.rank, *news));
                let is_meeting = matches!(news, News::Collective(..));
                sources.iter().any(|source| is_held_up(holder, other, (*source, is_meeting), before))
            });
            let knot = wait.map(|(wait, _)| {
                let first = Holder { holds: holder.call.clone(), waits_in: wait.clone() };
                vec![first, Holder { holds: other.call.clone(), waits_in: other.call.clone() }]
            });
            found.extend(knot);
        }
    }
    found
}

/// Does the process of `other` ask for its lock before the call that `holder` waits for, and maybe after that has its own? With a
/// lock that it keeps until they meet there, the two never do, whoever came first.
fn is_held_up(holder: &Hold, other: &Hold, (source, is_meeting): (CallPlace, bool), before: Before) -> bool {
    let (rank, call) = source;
    let is_in_front = rank == other.call.rank && other.call.index < call;
    let is_kept = is_meeting && other.end.is_none_or(|end| end > call);
    // While the other asks for it with one in hand that the holder's excludes, the holder has not got that.
    let held = || holder.within.iter().map(|(lock, _)| *lock).chain([holder.lock]);
    let is_kept_apart = other.within.iter().any(|(guard, _)| held().any(|lock| guard.keeps_out(lock)));
    is_in_front && !is_kept_apart && (is_kept || !before.may_be(other.taken(), holder.taken()))
}

/// Each lock that was asked for with another one in hand, of several at the same places once.
fn steps<'a>(all: &[&'a Hold]) -> Vec<Step<'a>> {
    let mut seen = FxHashSet::default();
    let each = all.iter().flat_map(|wants| wants.within.iter().map(|(lock, call)| Step { has: (*lock, call), wants }));
    each.filter(|step| {
        let ((has, had_by), wants) = (step.has, step.wants);
        let is_asked_for = !has.is_unchecked && !wants.lock.is_unchecked;
        let place = (
            wants.call.rank,
            had_by.site,
            wants.call.site,
            has.window,
            has.target,
            wants.lock.window,
            wants.lock.target,
        );
        is_asked_for && seen.insert(place)
    })
    .collect()
}

/// The search for a knot of locks.
struct Search<'a> {
    steps: &'a [Step<'a>],
    before: Before<'a>,
    left: usize,
}

impl Search<'_> {
    /// The knot that begins with a step, which is that of the lowest rank in it.
    fn knot_of(&mut self, first: usize) -> Option<Vec<Holder>> {
        let mut path = vec![first];
        self.close(&mut path).then(|| {
            let steps = path.iter().filter_map(|number| self.steps.get(*number));
            steps.map(|step| Holder { holds: step.has.1.clone(), waits_in: step.wants.call.clone() }).collect()
        })
    }

    /// Goes on from the last step of a path until the first one is reached again.
    fn close(&mut self, path: &mut Vec<usize>) -> bool {
        let steps = self.steps;
        let [Some(first), Some(last)] = [path.first(), path.last()].map(|number| steps.get(*number?)) else {
            return false;
        };
        if path.len() > 1 && last.wants.lock.keeps_out(first.has.0) {
            return true;
        }
        for (number, next) in steps.iter().enumerate() {
            self.left = self.left.saturating_sub(1);
            if self.left == 0 || path.len() >= LONGEST {
                return false;
            }
            let is_new = next.wants.call.rank > first.wants.call.rank
                && path.iter().filter_map(|number| steps.get(*number)).all(|step| self.may_meet(step, next));
            if is_new && last.wants.lock.keeps_out(next.has.0) {
                path.push(number);
                if self.close(path) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }

    /// May two processes be at these steps at once? Not if a third lock keeps them apart.
    fn may_meet(&self, one: &Step, other: &Step) -> bool {
        let [(a, b)] = [(one.wants, other.wants)];
        let is_kept_apart = a.within.iter().any(|(guard, _)| b.within.iter().any(|(its, _)| guard.keeps_out(*its)));
        let is_ordered = self.before.may_be(a.taken(), b.taken()) || self.before.may_be(b.taken(), a.taken());
        a.call.rank != b.call.rank && !is_kept_apart && !is_ordered
    }
}
