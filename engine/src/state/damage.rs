//! Data that have arrived changed, and results that are wrong.

use super::call::Origin;
use super::gathering::View;
use std::rc::Rc;
use trace_format::definition::Id;

/// A message whose data have arrived changed.
#[derive(Debug)]
pub(crate) struct Damage {
    pub(crate) send: Rc<Origin>,
    pub(crate) recv: Rc<Origin>,
    /// The call that completed the receive.
    pub(crate) by: Rc<Origin>,
    pub(crate) bytes: u64,
    /// How often it happened on this lane at these places.
    pub(crate) count: u64,
}

impl Damage {
    pub(crate) fn order(&self) -> (u16, u64, u16, u64) {
        (self.send.thread, self.send.index, self.recv.thread, self.recv.index)
    }
}

/// Data of a collective operation that have arrived changed.
pub(crate) struct Spoilt<'a> {
    pub(crate) from: View<'a>,
    pub(crate) to: View<'a>,
    /// The call that completed the receiver's part.
    pub(crate) by: Rc<Origin>,
    pub(crate) bytes: u64,
}

/// A process of a reduction whose result is not what the contributions make.
pub(crate) struct WrongResult<'a> {
    pub(crate) at: View<'a>,
    /// The call that completed its part.
    pub(crate) by: Rc<Origin>,
    pub(crate) op: Id,
}
