//! Reasons for calls to take the ordinary way instead of the quick one ([`crate::entry::quick`]), besides those that the
//! recorder itself looks at.

use recorder::slow_path::{self, Reason};

/// Each reason has a bit of its own.
enum Bit {
    OutsideMpi,
    WatchedData,
    Sums,
    Sampling,
    Serialized,
    MainThread,
    Heap,
    Precise,
}

const fn reason(bit: Bit) -> Reason {
    Reason::other(bit as u32)
}

/// Calls were made before MPI_Init, or MPI_Finalize has returned.
pub(crate) const OUTSIDE_MPI: Reason = reason(Bit::OutsideMpi);
/// The program has asked for memory to be watched.
pub(crate) const WATCHED_DATA: Reason = reason(Bit::WatchedData);
/// Checksums of all that is sent and received.
pub(crate) const SUMS: Reason = reason(Bit::Sums);
/// Performance variables are read.
pub(crate) const SAMPLING: Reason = reason(Bit::Sampling);
/// One thread at a time may call MPI.
pub(crate) const SERIALIZED: Reason = reason(Bit::Serialized);
/// Only the main thread may call MPI: nothing unusual for that one.
pub(crate) const MAIN_THREAD: Reason = reason(Bit::MainThread);
/// Blocks of the heap are known.
pub(crate) const HEAP: Reason = reason(Bit::Heap);
/// Calls must say when they enter the library: `--precise`.
pub(crate) const PRECISE: Reason = reason(Bit::Precise);

/// Is there nothing that calls of a thread must look at? `no_concern`: what is nothing unusual for that thread.
#[inline(always)]
pub(crate) fn is_nothing(no_concern: Reason) -> bool {
    slow_path::is_nothing_but(no_concern)
}
