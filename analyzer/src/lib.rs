//! The analyzer.

#![forbid(unsafe_code)]

pub mod checks;
pub mod engine;
pub mod gate;
pub mod load;
pub mod observe;
pub mod report;
pub mod samples;
pub mod symbols;
pub mod testing;
pub mod worlds;
