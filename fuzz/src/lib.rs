//! What is done with the inputs of the fuzzer: a function for each target. `analyzer/tests/regressions.rs` does the same
//! with the inputs that once broke something.

pub mod files;
pub mod reports;
pub mod trace;
pub mod unpack;
pub mod words;
