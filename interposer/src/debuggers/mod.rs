//! What debuggers are told.

pub(crate) mod queues;
