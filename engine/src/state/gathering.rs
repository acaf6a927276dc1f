//! The calls of one collective operation that have come, and the verdict on them.

use super::call::Origin;
use super::comms::CommIx;
use super::space::Part;
use std::rc::Rc;

/// The checks' verdict on a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Fine,
    Wrong,
    /// So wrong that the rest of its arguments cannot be judged.
    Broken,
    /// Wrong in such a way that nothing can be said about what follows.
    Spoiled,
}

/// The parts of one collective operation, for the checks: all of them, or those that came until the end.
pub(crate) struct Gathering<'a> {
    pub(crate) comm: CommIx,
    pub(crate) parts: &'a [Option<Part>],
}

/// The arguments of one part.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) rank: i32,
    /// Place in the communicator.
    pub(crate) position: u32,
    pub(crate) call: &'a Rc<Origin>,
}
