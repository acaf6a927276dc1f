//! The bytes of memory that an MPI buffer names, and what follows from them: whether buffers overlap, their
//! checksums, their changes. The process under test uses this crate, so nothing here panics, and effort and memory
//! are bounded.

mod arguments;
mod arrays;
mod basic;
mod buffer;
mod derive;
mod faults;
mod locate;
mod memory;
mod overlap;
mod pending;
mod runs;
mod shape;
mod typemap;
mod vector;

pub use buffer::Buffer;
pub use faults::{Misaligned, SelfOverlap};
pub use locate::Place;
pub use memory::{Change, Sampling, Snapshot, checksum, checksum_prefix, digest};
pub use overlap::common_byte;
pub use pending::{Key, Pending};
pub use runs::Runs;
pub use typemap::Typemap;
