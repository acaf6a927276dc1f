//! MPI_Finalize and the calls of other threads of the same process (MPI 4.1, 11.6).

use super::Model;
use super::facts::Origin;
use super::rank::Rank;
use super::shape::shape;
use std::rc::Rc;
use trace_format::mpi::Class;

/// Two calls of two threads that may have overlapped, one of which is MPI_Finalize.
pub(crate) struct Untimely {
    pub(crate) first: Rc<Origin>,
    pub(crate) second: Rc<Origin>,
}

fn is_finalize(call: &Origin) -> bool {
    shape(call.func).class == Class::Finalize
}

impl Untimely {
    /// Did they overlap, is the first one known to have gone on, and is nothing else said of them?
    pub(crate) fn is_certain(&self, r: &Rank) -> bool {
        let calls = [&self.first, &self.second];
        // A call whose error handler was called may have been left by a jump.
        let failed = r.errors.iter().any(|e| e.call.as_ref().is_some_and(|c| Rc::ptr_eq(c, &self.first)));
        let forbidden = r.breaches.iter().any(|b| calls.iter().any(|c| Rc::ptr_eq(c, &b.call) && !is_finalize(c)));
        self.first.overlaps(&self.second, r.slack) && !failed && !forbidden && !r.holed && !r.lost
    }

    /// Are both MPI_Finalize?
    pub(crate) fn is_twice(&self) -> bool {
        is_finalize(&self.first) && is_finalize(&self.second)
    }

    /// Is MPI_Finalize the second of them?
    pub(crate) fn finalizes_late(&self) -> bool {
        is_finalize(&self.second)
    }
}

/// So many calls during MPI_Finalize are looked at: a thread may poll all the time.
const MOST_UNTIMELY: usize = 4;

impl Model {
    /// MPI_Finalize begins: what do other threads do?
    #[cold]
    pub(super) fn begin_finalize(&mut self, finalize: &Rc<Origin>) {
        let blind = self.blind;
        let r = &mut self.ranks[finalize.rank as usize];
        r.first_finalize.get_or_insert_with(|| finalize.clone());
        let others = r.threads.iter().filter(|t| t.number != finalize.thread && !blind);
        let last = others.filter_map(|t| t.last.as_ref());
        let under_way = last.filter(|call| !call.func.is_always_available() && call.overlaps(finalize, r.slack));
        r.untimely.extend(under_way.map(|call| Untimely { first: call.clone(), second: finalize.clone() }));
        r.finalize = Some(finalize.clone());
    }

    /// A call begins although MPI_Finalize has been called.
    #[cold]
    pub(super) fn after_finalize(&mut self, call: &Rc<Origin>) {
        let r = &mut self.ranks[call.rank as usize];
        let Some(finalize) = r.finalize.clone() else { return };
        let counts = !self.blind && !is_finalize(call) && !call.func.is_always_available();
        if counts && r.untimely.len() < MOST_UNTIMELY && finalize.overlaps(call, r.slack) {
            r.untimely.push(Untimely { first: finalize, second: call.clone() });
        }
    }
}
