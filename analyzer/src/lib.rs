//! The analyzer.

#![forbid(unsafe_code)]

pub mod checks;
pub mod engine;
pub mod load;
pub mod observe;
pub mod report;
pub mod samples;
pub mod symbols;
pub mod testing;
pub mod timeline;
pub mod worlds;
