//! How traces are read: each rank's files to decoded calls and events, of a finished run or of one that is still going on;
//! and the readable notation of these.
//!
//! `trace-format` says what the bytes are. Nothing here is part of the process that records.

#![deny(unsafe_code)]
#![deny(missing_docs)]

pub mod args;
pub mod call;
pub mod reader;
#[cfg(feature = "synthetic")]
pub mod synthetic;
pub mod text;
pub mod unpack;
pub mod wire;
