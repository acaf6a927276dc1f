//! The collective operations of a stretch: the one with a number on a communicator is that of all its ranks.

use super::Cond;
use crate::engine::Engine;
use crate::state::CommIx;
use rustc_hash::{FxHashMap, FxHashSet};

/// So many combinations of calls are remembered.
const MOST_KNOWN: usize = 1 << 16;

struct Operation {
    arrived: usize,
    /// A sum over the calls of all: what they have in common with others like them, and the places of their ranks.
    calls: u64,
    /// All in front of this place have arrived.
    present: usize,
}

/// The operations on a communicator.
struct Meeting {
    /// Places of its ranks among all.
    members: Vec<usize>,
    /// By rank: in so many it has taken part.
    next: Vec<u32>,
    operations: Vec<Operation>,
}

/// See the module.
#[derive(Default)]
pub(super) struct Meetings {
    by_comm: FxHashMap<CommIx, u32>,
    all: Vec<Meeting>,
    /// The communicators with an operation in this stretch.
    used: Vec<u32>,
    /// Calls that make up an operation together in which the engine has found nothing, and others.
    known: FxHashSet<u64>,
    new: Vec<u64>,
}

fn mix(one: u64, other: u64) -> u64 {
    let mixed = (one ^ other.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

impl Meetings {
    /// The rank at a position of a communicator takes part in the next operation: what it waits for, and whether the engine need
    /// not look at it. `None`: some of its ranks are unknown.
    pub(super) fn add(
        &mut self,
        (comm, position): (CommIx, u32),
        likeness: u64,
        places: &FxHashMap<i32, usize>,
        engine: &Engine,
    ) -> Option<(Cond, bool)> {
        let ix = match self.by_comm.get(&comm) {
            Some(ix) => *ix,
            None => {
                let ranks = engine.members(comm);
                let members: Vec<usize> = ranks.iter().map(|rank| places.get(rank).copied()).collect::<Option<_>>()?;
                self.all.push(Meeting { next: vec![0; members.len()], members, operations: Vec::new() });
                let ix = self.all.len() as u32 - 1;
                self.by_comm.insert(comm, ix);
                ix
            }
        };
        let Meetings { all, used, known, new, .. } = self;
        let meeting = &mut all[ix as usize];
        let next = meeting.next.get_mut(position as usize)?;
        let number = *next;
        *next += 1;
        if number as usize == meeting.operations.len() {
            if number == 0 {
                used.push(ix);
            }
            meeting.operations.push(Operation { arrived: 0, calls: u64::from(comm), present: 0 });
        }
        let operation = meeting.operations.get_mut(number as usize)?;
        operation.arrived += 1;
        operation.calls = operation.calls.wrapping_add(mix(likeness, u64::from(position) + 1));
        let is_known = operation.arrived < meeting.members.len() || known.contains(&operation.calls) || {
            new.push(operation.calls);
            false
        };
        Some((Cond::Full(ix, number), is_known))
    }

    #[inline]
    pub(super) fn is_full(&self, meeting: u32, number: u32) -> bool {
        let meeting = &self.all[meeting as usize];
        meeting.operations[number as usize].arrived == meeting.members.len()
    }

    /// The place of a rank that has not come.
    pub(super) fn absent(&mut self, meeting: u32, number: u32) -> Option<usize> {
        let Meeting { members, next, operations } = &mut self.all[meeting as usize];
        let operation = operations.get_mut(number as usize)?;
        while next.get(operation.present).is_some_and(|next| *next > number) {
            operation.present += 1;
        }
        members.get(operation.present).copied()
    }

    /// The engine has found nothing in the new ones.
    pub(super) fn are_known(&mut self) {
        if self.known.len() + self.new.len() > MOST_KNOWN {
            self.known.clear();
        }
        self.known.extend(self.new.drain(..));
    }

    pub(super) fn clear(&mut self) {
        self.new.clear();
        for ix in self.used.drain(..) {
            let meeting = &mut self.all[ix as usize];
            meeting.operations.clear();
            meeting.next.fill(0);
        }
    }
}
