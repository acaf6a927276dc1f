//! The process: how recording begins and ends, settings, errors, signals, what is said at once.

pub(crate) mod callers;
pub(crate) mod end;
pub(crate) mod errors;
pub(crate) mod forced;
pub(crate) mod job_file;
pub(crate) mod lifecycle;
pub(crate) mod limits;
pub(crate) mod signals;
mod stranger;
pub(crate) mod trace_file;
pub(crate) mod worlds;
