//! Data for debuggers.

pub(crate) mod queues;
