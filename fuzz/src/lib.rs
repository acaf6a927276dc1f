//! The fuzzer's targets: a function for each. `analyzer/tests/regressions.rs` calls them with the inputs that once
//! broke something.

pub mod files;
pub mod reports;
pub mod trace;
pub mod unpack;
pub mod wire;
pub mod words;
