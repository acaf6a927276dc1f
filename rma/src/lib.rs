//! The rules of one-sided communication (MPI 4.1, chapter 12), without MPI: which epochs a process has open on a window,
//! which calls they allow, and which accesses must not overlap. The process under test uses this crate, so nothing here panics.

#![forbid(unsafe_code)]

mod attached;
mod conflicts;
mod epochs;

pub use attached::{Attached, Misplaced};
pub use conflicts::{Access, Deed, InOrder, MOST_DEEDS, Unordered, go_together};
pub use epochs::{Assertions, Epochs, Fault, Home, Rule, Sync};
