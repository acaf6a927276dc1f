//! The process: how recording begins and ends, settings, errors, signals, what is said at once.

pub(crate) mod callers;
pub(crate) mod config;
pub(crate) mod each;
pub(crate) mod early;
pub(crate) mod errors;
pub(crate) mod forced;
pub(crate) mod launch;
pub(crate) mod lifecycle;
pub(crate) mod limits;
pub(crate) mod report;
pub(crate) mod sessions;
pub(crate) mod signals;
pub(crate) mod stranger;
pub(crate) mod symbols;
pub(crate) mod told;
