//! The process: how recording begins and ends, settings, errors, signals, what is said at once.

mod agent;
pub(crate) mod altered;
pub(crate) mod buffer_limit;
pub(crate) mod callers;
pub(crate) mod end;
pub(crate) mod errors;
mod foreign_launcher;
pub(crate) mod job_file;
pub(crate) mod lifecycle;
pub(crate) mod signals;
pub(crate) mod trace_file;
pub(crate) mod worlds;
