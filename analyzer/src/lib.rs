//! The analyzer.

#![forbid(unsafe_code)]

pub mod csv;
mod debuginfod;
mod early;
pub mod events;
pub mod gate;
pub mod load;
pub mod observe;
mod paths;
pub mod report;
pub mod samples;
mod source;
pub mod stages;
pub mod statistics;
pub mod symbols;
pub mod testing;
pub mod timeline;
pub mod trails;
