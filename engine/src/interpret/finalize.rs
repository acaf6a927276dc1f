//! MPI_Finalize and the calls of other threads of the same process (MPI 4.1, 11.6).

use crate::model::Model;
use crate::state::{Origin, Untimely, is_finalize};
use std::rc::Rc;

/// So many calls during MPI_Finalize are looked at: a thread may poll all the time.
const MOST_UNTIMELY: usize = 4;

impl Model {
    /// MPI_Finalize begins: what do other threads do?
    #[cold]
    pub(crate) fn begin_finalize(&mut self, finalize: &Rc<Origin>) {
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
    pub(crate) fn after_finalize(&mut self, call: &Rc<Origin>) {
        let r = &mut self.ranks[call.rank as usize];
        let Some(finalize) = r.finalize.clone() else { return };
        let counts = !self.blind && !is_finalize(call) && !call.func.is_always_available();
        if counts && r.untimely.len() < MOST_UNTIMELY && finalize.overlaps(call, r.slack) {
            r.untimely.push(Untimely { first: finalize, second: call.clone() });
        }
    }
}
