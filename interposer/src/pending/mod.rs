//! The operations of this process that have begun and not ended: their requests, and the memory that they use.
//!
//! Each thread has those that it begins in a part with a lock of its own ([`shards`]); any thread may complete what another one
//! has started ([`lookup`]), and any buffer may conflict with any other ([`reach`]). A lock is held for looking up and linking
//! only, never while data are read or the library is called, and nothing is allocated under it once a program has reached its
//! usual number of pending operations.

pub(crate) mod conflicts;
mod lane;
pub(crate) mod lookup;
pub(crate) mod operation;
pub(crate) mod partitions;
pub(crate) mod reach;
pub(crate) mod shards;
pub(crate) mod snapshots;
pub(crate) mod spare;
pub(crate) mod state;
#[cfg(test)]
mod tests;
pub(crate) mod uses;
