//! Reasons for calls to take the ordinary way instead of the quick one ([`crate::entry::quick`]), besides those that the
//! recorder itself looks at.

use recorder::slow_path::{self, Reason};

/// Calls were made before MPI_Init, or MPI_Finalize has returned.
pub(crate) const OUTSIDE_MPI: Reason = Reason::other(0);
/// The program has asked for memory to be watched.
pub(crate) const WATCHED_DATA: Reason = Reason::other(1);
/// Checksums of all that is sent and received.
pub(crate) const SUMS: Reason = Reason::other(2);
/// Performance variables are read.
pub(crate) const SAMPLING: Reason = Reason::other(3);
/// One thread at a time may call MPI.
pub(crate) const SERIALIZED: Reason = Reason::other(4);
/// Only the main thread may call MPI: nothing unusual for that one.
pub(crate) const MAIN_THREAD: Reason = Reason::other(5);
/// Blocks of the heap are known.
pub(crate) const HEAP: Reason = Reason::other(6);

/// Calls must say when they enter the library: `--precise`.
pub(crate) const PRECISE: Reason = Reason::other(6);

/// Is there nothing that calls of a thread must look at? `no_concern`: what is nothing unusual for that thread.
#[inline(always)]
pub(crate) fn is_nothing(no_concern: Reason) -> bool {
    slow_path::is_nothing_but(no_concern)
}
