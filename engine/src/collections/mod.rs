//! Collections whose entries have places.

mod indexed;
mod slab;

pub(crate) use indexed::{At, Indexed, NOWHERE};
pub(crate) use slab::Slab;
