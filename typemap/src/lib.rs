//! Which bytes of memory an MPI buffer names, and what follows from that: whether buffers overlap, what their checksum
//! is, where they changed. Used inside the process under test, so nothing here panics, and effort and memory are
//! bounded.

mod arrays;
mod basic;
mod buffer;
mod comb;
mod derive;
mod faults;
mod locate;
mod memory;
mod overlap;
mod pending;
mod runs;
mod shape;
mod typemap;

pub use buffer::Buffer;
pub use faults::{Misaligned, SelfOverlap};
pub use locate::Place;
pub use memory::{Change, Sampling, Snapshot, checksum, checksum_prefix, digest};
pub use overlap::common_byte;
pub use pending::{Key, Pending};
pub use runs::Runs;
pub use typemap::Typemap;
