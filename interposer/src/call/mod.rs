//! A call of the program: from the entry point to the library and back, and its record.

pub(crate) mod caller;
pub(crate) mod dispatch;
pub(crate) mod encode;
pub(crate) mod given;
pub(crate) mod info;
pub(crate) mod interrupted;
pub(crate) mod levels;
pub(crate) mod ordinary;
pub(crate) mod python;
pub(crate) mod quick;
pub(crate) mod recall;
pub(crate) mod recording;
pub(crate) mod sites;
pub(crate) mod statuses;
pub(crate) mod thread;
pub(crate) mod user_threads;
