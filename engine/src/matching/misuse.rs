//! Requests and collectives that two threads use at once, which they must not (MPI 4.1, 11.6).

use crate::model::Model;
use crate::state::{Misuse, Misused, Origin};
use std::rc::Rc;

/// So many undecided cases are kept before they are gone through.
const MAX_UNDECIDED: usize = 1024;

impl Model {
    /// `second` begins; `first`, of another thread of its rank, used the same thing.
    pub(crate) fn note_use(&mut self, what: Misused, first: &Rc<Origin>, second: &Rc<Origin>) {
        let slack = self.ranks[second.rank as usize].slack;
        if !first.overlaps(second, slack) {
            return;
        }
        self.undecided.push(Misuse { what, first: first.clone(), second: second.clone() });
        if self.undecided.len() >= MAX_UNDECIDED {
            self.decide_misuse(false);
        }
    }

    /// Goes through the undecided cases: a call that had not returned has done so by now, or never will.
    pub(crate) fn decide_misuse(&mut self, at_end: bool) {
        for case in std::mem::take(&mut self.undecided) {
            let slack = self.ranks[case.second.rank as usize].slack;
            if !case.first.overlaps(&case.second, slack) {
                continue;
            }
            if !at_end && case.first.end() == u64::MAX {
                self.undecided.push(case);
                continue;
            }
            if let Misused::Object(comm) = case.what {
                self.comms.list[comm].space.tangled = true;
            }
            self.rules.misuse(self, &case);
        }
    }
}
