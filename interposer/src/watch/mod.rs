//! Mistakes in calls, and the operations and memory that checks need to know for them.

pub(crate) mod annotations;
pub(crate) mod calls;
pub(crate) mod checks;
pub(crate) mod early;
pub(crate) mod grequests;
pub(crate) mod heap;
pub(crate) mod operands;
pub(crate) mod operations;
pub(crate) mod report;
pub(crate) mod sums;
mod symbolizer;
pub(crate) mod thread_level;
pub(crate) mod touched;
pub(crate) mod windows;
