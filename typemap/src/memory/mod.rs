//! The content of a buffer's memory: its checksum, and whether and where it changed.

mod digest;
mod packed;
mod snapshot;

pub use digest::{Sampling, checksum, checksum_prefix, digest};
pub use snapshot::{Change, Snapshot};
