//! Accesses to windows: which bytes of whose memory, how long they last, and what holds those together that nothing orders
//! (MPI 4.1, 12.7).

use super::call::Origin;
use super::comms::CommIx;
use super::order::News;
use crate::types::{Amount, Difference};
use rma::Deed;
use std::cell::Cell;
use std::ops::Deref;
use std::rc::Rc;

/// The memory that a process exposes by a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exposed {
    /// Bytes; `None`: memory is attached and detached while the window exists.
    pub(crate) size: Option<i64>,
    /// Bytes of one unit of displacement.
    pub(crate) unit: i64,
}

/// Memory that is exposed by a window, in addresses of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Exposes {
    pub(crate) window: CommIx,
    /// The place of the process in the window's group.
    pub(crate) place: i32,
    /// The place of the process whose memory it is: another one, if it has asked for the address of that (MPI 4.1, 12.2.3).
    pub(crate) owner: i32,
    pub(crate) base: i64,
    pub(crate) size: i64,
}

impl Exposes {
    /// The part of some addresses (from, and up to) that is in it, from its beginning.
    pub(crate) fn within(self, run: (i64, i64)) -> Option<(i64, i64)> {
        let [from, to] = [run.0, run.1].map(|at| at.saturating_sub(self.base).clamp(0, self.size));
        (from < to).then_some((from, to))
    }
}

/// The memory that a process exposes, by all windows.
#[derive(Debug, Default)]
pub(crate) struct ExposedMemory {
    /// In the order in which it was exposed.
    all: Vec<Exposes>,
    /// By the first address: that, and the end of what reaches farthest of it and all in front of it.
    reach: Vec<(i64, i64)>,
}

impl ExposedMemory {
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Exposes> {
        self.all.iter()
    }

    pub(crate) fn contains(&self, exposes: &Exposes) -> bool {
        self.all.contains(exposes)
    }

    pub(crate) fn add(&mut self, exposes: Exposes) {
        self.all.push(exposes);
        self.sort();
    }

    pub(crate) fn withdraw(&mut self, window: CommIx) {
        self.all.retain(|exposes| exposes.window != window);
        self.sort();
    }

    fn sort(&mut self) {
        let spans = self.all.iter().filter(|exposes| exposes.size > 0);
        self.reach = spans.map(|exposes| (exposes.base, exposes.base.saturating_add(exposes.size))).collect();
        self.reach.sort_unstable();
        let mut farthest = i64::MIN;
        for (_, end) in &mut self.reach {
            farthest = farthest.max(*end);
            *end = farthest;
        }
    }

    /// Is any of it among these addresses (from, and up to)?
    pub(crate) fn is_within(&self, (from, to): (i64, i64)) -> bool {
        let before = self.reach.partition_point(|(base, _)| *base < to);
        from < to && before.checked_sub(1).and_then(|last| self.reach.get(last)).is_some_and(|(_, end)| *end > from)
    }
}

/// One access, with the bytes of its target as far as the origin knows them.
#[derive(Debug, Clone)]
pub(crate) struct Accessed {
    pub(crate) call: Rc<Origin>,
    /// The place of the origin in the window's group.
    pub(crate) origin: i32,
    pub(crate) displacement: i64,
    pub(crate) deed: Deed,
    /// Runs of bytes, from the address that the displacement says: from, and up to.
    pub(crate) runs: Runs,
    pub(crate) lasts: Lasts,
}

/// Runs of bytes: from, and up to.
#[derive(Debug, Clone)]
pub(crate) enum Runs {
    /// Most accesses have one.
    One([(i64, i64); 1]),
    Several(Rc<[(i64, i64)]>),
}

impl From<&[(i64, i64)]> for Runs {
    fn from(all: &[(i64, i64)]) -> Runs {
        match all {
            [one] => Runs::One([*one]),
            _ => Runs::Several(all.into()),
        }
    }
}

impl Deref for Runs {
    type Target = [(i64, i64)];

    fn deref(&self) -> &[(i64, i64)] {
        match self {
            Runs::One(one) => one,
            Runs::Several(all) => all,
        }
    }
}

/// How long an access lasts, from its call on.
#[derive(Debug, Clone)]
pub(crate) enum Lasts {
    /// Until a call of synchronization.
    UntilSynchronized,
    /// While the call lasts that uses memory of its own process as a buffer.
    Call,
    /// As long as a load or a store of the program itself.
    Instruction,
    /// Until the operation is complete that the call has begun with such a buffer.
    Operation {
        /// The call that has completed it; `u64::MAX` before.
        end: Rc<Cell<u64>>,
        /// The news that come with the data which it writes.
        data: Option<News>,
    },
}

impl Accessed {
    /// Does the process use its own memory, or such that it shares, as a buffer?
    pub(crate) fn is_own(&self) -> bool {
        !matches!(self.lasts, Lasts::UntilSynchronized)
    }

    /// Has the program itself loaded or stored? Then there is no call, and that of the access is the next one of the thread.
    pub(crate) fn is_instruction(&self) -> bool {
        matches!(self.lasts, Lasts::Instruction)
    }

    /// Has the process begun an operation with its own memory as a buffer?
    pub(crate) fn is_operation(&self) -> bool {
        matches!(self.lasts, Lasts::Operation { .. })
    }

    /// The news that come with the data which it writes, once they come.
    pub(crate) fn data(&self) -> Option<News> {
        match self.lasts {
            Lasts::Operation { data, .. } if self.deed == Deed::Write => data,
            _ => None,
        }
    }

    /// The runs of bytes, from the beginning of the window's memory.
    pub(crate) fn bytes(&self, exposed: Exposed) -> impl Iterator<Item = (i64, i64)> + '_ {
        let from = self.displacement.saturating_mul(exposed.unit);
        self.runs.iter().map(move |run| (from.saturating_add(run.0), from.saturating_add(run.1)))
    }

    /// A use of the process's own memory is over for others behind this call of it. One that lasts for a call counts as over behind
    /// the call before: whoever knows of its beginning (has got the message that it sends) may know of its end.
    pub(crate) fn over_behind(&self) -> u64 {
        match &self.lasts {
            Lasts::Operation { end, .. } => end.get(),
            Lasts::Call | Lasts::Instruction | Lasts::UntilSynchronized => self.call.index.saturating_sub(1),
        }
    }

    /// The first byte and the one behind the last, if they are not all in the window's memory.
    pub(crate) fn out_of_range(&self, exposed: Exposed) -> Option<(i64, i64)> {
        let all = self.bytes(exposed);
        let (low, high) = all.fold((i64::MAX, i64::MIN), |all, run| (all.0.min(run.0), all.1.max(run.1)));
        let size = exposed.size?;
        (low < 0 || high > size).then_some((low, high))
    }
}

/// Accesses to one target that nothing orders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Together {
    /// Behind so many fences.
    Fences { target: i32, phase: u64 },
    /// The n-th epoch of MPI_Win_start of an origin for the target.
    Start { target: i32, origin: i32, nth: u64 },
    /// Accesses of one origin under a lock.
    Locked { target: i32, origin: i32 },
}

impl Together {
    pub(crate) fn target(self) -> i32 {
        match self {
            Together::Fences { target, .. } | Together::Start { target, .. } | Together::Locked { target, .. } => {
                target
            }
        }
    }

    pub(crate) fn between(self) -> Between {
        match self {
            Together::Fences { .. } => Between::Fences,
            Together::Start { .. } => Between::PostAndWait,
            Together::Locked { .. } => Between::LockAndUnlock,
        }
    }
}

/// Accesses that are over, with what holds them together.
pub(crate) type Over = Vec<(Together, Vec<Accessed>)>;

/// Which synchronization accesses that nothing orders are between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Between {
    Fences,
    PostAndWait,
    /// Both are of one process.
    LockAndUnlock,
    SharedLocks,
}

/// The first or the second of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    First,
    Second,
}

/// Two accesses to a window that nothing orders, and that must not overlap.
pub(crate) struct AccessConflict {
    pub(crate) between: Between,
    /// The world rank of the process whose memory it is.
    pub(crate) target: i32,
    pub(crate) first: (Rc<Origin>, Deed),
    pub(crate) second: (Rc<Origin>, Deed),
    /// Which of the two is a load or a store of the program itself.
    pub(crate) instruction: Option<Turn>,
    /// One is an operation that lasts until a call completes it.
    pub(crate) has_operation: bool,
    /// The first byte that both access, from the beginning of the window's memory.
    pub(crate) byte: i64,
}

/// An access beyond the memory of its target.
pub(crate) struct OutOfRange {
    pub(crate) call: Rc<Origin>,
    /// The world rank of the target.
    pub(crate) target: i32,
    /// The bytes that it names, from the beginning of the window's memory.
    pub(crate) bytes: (i64, i64),
    pub(crate) exposed: Exposed,
}

/// An access whose data at the origin and at the target do not have one type signature.
pub(crate) struct UnlikeSides {
    pub(crate) call: Rc<Origin>,
    pub(crate) at_origin: Amount,
    pub(crate) at_target: Amount,
    /// Where the elements that both have differ in type; otherwise one side has more.
    pub(crate) difference: Option<Difference>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory of several windows, some of it exposed twice, and one window of no size.
    #[test]
    fn exposed_memory_is_found_as_by_looking_at_each_window() {
        let mut memory = ExposedMemory::default();
        let pieces = [(1, 100, 50), (2, 120, 10), (3, 400, 1), (4, 140, 100), (5, 300, 0), (6, 20, 5)];
        for (window, base, size) in pieces {
            memory.add(Exposes { window, place: 0, owner: 0, base, size });
        }
        let hold_all = |memory: &ExposedMemory| {
            for from in 0..450 {
                for to in from..450 {
                    let is_in_one = memory.iter().any(|exposes| exposes.within((from, to)).is_some());
                    assert_eq!(memory.is_within((from, to)), is_in_one, "{from} to {to}");
                }
            }
        };
        hold_all(&memory);
        assert!(memory.is_within((239, 240)) && !memory.is_within((240, 400)));
        memory.withdraw(4);
        hold_all(&memory);
        assert!(!memory.is_within((150, 240)));
        [1, 2, 3, 5, 6].into_iter().for_each(|window| memory.withdraw(window));
        assert!(memory.is_empty() && !memory.is_within((0, 500)));
    }
}
