//! The objects that a rank freed, in order.

use super::call::Origin;
use super::comms::CommIx;
use std::rc::Rc;

/// So many calls of each rank are kept.
const MAX_FREES: usize = 512;

/// The objects that a rank freed, in order, with the calls.
#[derive(Default)]
pub(crate) struct Frees(pub(crate) Vec<(CommIx, Rc<Origin>)>);

impl Frees {
    pub(crate) fn note(&mut self, comm: CommIx, call: &Rc<Origin>) {
        if self.0.len() < MAX_FREES {
            self.0.push((comm, call.clone()));
        }
    }
}

impl Frees {
    pub(crate) fn comms(&self) -> impl Iterator<Item = CommIx> {
        self.0.iter().map(|(comm, _)| *comm)
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.0.iter().map(|(_, call)| call)
    }
}
