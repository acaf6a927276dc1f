//! Collections whose entries have places.

mod indexed;
mod queue;
mod slab;

pub(crate) use indexed::{At, Indexed, NOWHERE};
pub(crate) use queue::Queue;
pub(crate) use slab::Slab;
