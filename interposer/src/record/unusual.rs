//! What every call must look at and is mostly off, together in one word: a call that finds nothing here takes the quick
//! path ([`crate::entry::quick`]).

use std::sync::atomic::{AtomicU32, Ordering};

/// One bit each.
#[derive(Debug, Clone, Copy)]
#[repr(u32)]
pub(crate) enum Matter {
    /// Nothing more can be recorded.
    Lost = 1,
    /// Time stamps are not those of the processor's counter.
    Clock = 1 << 1,
    /// Calls were made before MPI_Init, or MPI_Finalize has returned.
    OutsideMpi = 1 << 2,
    /// The program has asked for memory to be watched.
    WatchedData = 1 << 3,
    /// Checksums of all that is sent and received.
    Sums = 1 << 4,
    /// Performance variables are read.
    Sampling = 1 << 5,
    /// One thread at a time may call MPI.
    Serialized = 1 << 6,
    /// Only the main thread may call MPI: nothing unusual for that one.
    MainThread = 1 << 7,
}

static MATTERS: AtomicU32 = AtomicU32::new(0);

pub(crate) fn set(matter: Matter, is_on: bool) {
    if is_on {
        MATTERS.fetch_or(matter as u32, Ordering::Relaxed);
    } else {
        MATTERS.fetch_and(!(matter as u32), Ordering::Relaxed);
    }
}

/// Is there nothing that calls of a thread must look at?
#[inline(always)]
pub(crate) fn is_nothing(is_main: bool) -> bool {
    let matters = MATTERS.load(Ordering::Relaxed);
    matters == 0 || is_main && matters == Matter::MainThread as u32
}
