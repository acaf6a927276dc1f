//! The state of a thread, and the records of its calls.

pub(crate) mod given;
pub(crate) mod in_handler;
pub(crate) mod interrupted;
pub(crate) mod levels;
pub(crate) mod queued;
pub(crate) mod recording;
pub(crate) mod statuses;
pub(crate) mod thread;
pub(crate) mod under_way;
pub(crate) mod unusual;
pub(crate) mod user_threads;
