//! A call, as things remember it that it has made or started.

use trace_format::definition::Id;
use trace_format::mpi::FnId;

/// A call of the program, small enough to be kept with what it has made or started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) call: u64,
    pub(crate) site: Id,
    pub(crate) func: FnId,
    pub(crate) thread: u16,
}
