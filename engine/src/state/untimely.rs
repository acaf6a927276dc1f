//! MPI_Finalize and the calls of other threads of the same process that may have overlapped with it (MPI 4.1, 11.6).

use super::call::Origin;
use super::rank::Rank;
use crate::arg_places::arg_places;
use std::rc::Rc;
use trace_format::mpi::Class;

/// Two calls of two threads that may have overlapped, one of which is MPI_Finalize.
pub(crate) struct Untimely {
    pub(crate) first: Rc<Origin>,
    pub(crate) second: Rc<Origin>,
}

pub(crate) fn is_finalize(call: &Origin) -> bool {
    arg_places(call.func).class == Class::Finalize
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
