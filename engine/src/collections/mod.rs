//! Collections whose entries have places.

mod indexed;
mod queue;

pub(crate) use indexed::{At, Indexed, NOWHERE};
pub(crate) use queue::Queue;
pub(crate) use trace_format::slab::Slab;
