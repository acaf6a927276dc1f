//! The state of a thread, and the records of its calls.

pub(crate) mod asked_time;
pub(crate) mod call_requests;
pub(crate) mod in_handler;
pub(crate) mod interrupted;
pub(crate) mod levels;
pub(crate) mod open_calls;
pub(crate) mod queued;
pub(crate) mod recording;
pub(crate) mod slow_path;
pub(crate) mod statuses;
pub(crate) mod thread;
pub(crate) mod user_threads;
