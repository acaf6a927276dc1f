//! Notes on an operation that listeners are notified of once it is over.

use super::call::Origin;
use super::op::OpId;
use super::seen::Half;
use std::rc::Rc;

/// Notes on an operation.
#[derive(Debug, Default)]
pub(crate) struct ListenerNotes {
    pub(crate) ended: Option<Rc<Origin>>,
    pub(crate) counterpart: Counterpart,
}

#[derive(Debug, Default)]
pub(crate) enum Counterpart {
    #[default]
    Nobody,
    Op(OpId),
    /// It is over.
    Gone(Half),
}

impl ListenerNotes {
    /// The call that it speaks of.
    pub(crate) fn call(&self) -> Option<&Rc<Origin>> {
        self.ended.as_ref()
    }
}
