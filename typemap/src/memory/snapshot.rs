//! What was in the memory of a buffer, to find out later what changed.

use super::digest::{self, Chunks, Sampling};
use super::packed;
use crate::buffer::Buffer;
use smallvec::SmallVec;

/// Up to here the data themselves are kept.
const MAX_COPY: u64 = 4096;
/// Copies of this size need no allocation.
const INLINE: usize = 64;

/// The data of a buffer at some time: a copy of a few bytes, checksums of many. Holds at most 32 KiB.
#[derive(Debug, Clone)]
pub struct Snapshot {
    sampling: Sampling,
    data: Data,
}

#[derive(Debug, Clone)]
enum Data {
    Copy(SmallVec<[u8; INLINE]>),
    /// The digests of the chunks, of so many bytes.
    Sums {
        sums: Box<[u64]>,
        size: u64,
    },
}

/// Bytes that changed, by their places in the packed data ([`crate::Typemap::locate`] tells where those are).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Change {
    /// The first byte that changed.
    pub first: u64,
    /// The last byte that changed.
    pub last: u64,
    /// Otherwise there are changes somewhere in the range, and there may be none at its first and last bytes.
    pub exact: bool,
}

impl Snapshot {
    /// Reads a buffer.
    ///
    /// # Safety
    /// All bytes of the buffer must be readable. If others write them meanwhile, the result is arbitrary.
    pub unsafe fn take(buffer: &Buffer, sampling: Sampling) -> Snapshot {
        let size = buffer.size();
        if size <= MAX_COPY {
            let mut copy = SmallVec::new();
            // SAFETY: the caller's promise.
            unsafe { packed::pieces(buffer, 0, size, |piece| copy.extend_from_slice(piece)) };
            return Snapshot { sampling, data: Data::Copy(copy) };
        }
        let ranges = Chunks::of(size, sampling).ranges();
        // SAFETY: the caller's promise.
        let sums = ranges.map(|(from, to)| unsafe { digest::chunk_of(buffer, from, to) }).collect();
        Snapshot { sampling, data: Data::Sums { sums, size } }
    }

    /// The same, in the memory of a snapshot that is over.
    ///
    /// # Safety
    /// As for [`Snapshot::take`].
    pub unsafe fn take_again(&mut self, buffer: &Buffer, sampling: Sampling) {
        let size = buffer.size();
        match &mut self.data {
            Data::Copy(copy) if size <= MAX_COPY => {
                copy.clear();
                // SAFETY: the caller's promise.
                unsafe { packed::pieces(buffer, 0, size, |piece| copy.extend_from_slice(piece)) };
                self.sampling = sampling;
            }
            // SAFETY: the caller's promise.
            _ => *self = unsafe { Snapshot::take(buffer, sampling) },
        }
    }

    /// Does it hold no other memory?
    pub fn is_small(&self) -> bool {
        matches!(&self.data, Data::Copy(copy) if !copy.spilled())
    }

    /// Bytes of data.
    pub fn size(&self) -> u64 {
        match &self.data {
            Data::Copy(bytes) => bytes.len() as u64,
            Data::Sums { size, .. } => *size,
        }
    }

    /// What [`crate::checksum`] would have given, without another look at the memory.
    pub fn checksum(&self) -> u64 {
        match &self.data {
            Data::Copy(bytes) => digest::digest(bytes, self.sampling),
            Data::Sums { sums, size } => digest::whole(Chunks::of(*size, self.sampling), sums.iter().copied()),
        }
    }

    /// What changed in the buffer since the snapshot of it was taken. `None` also for a buffer of another size.
    ///
    /// # Safety
    /// As for [`Snapshot::take`].
    pub unsafe fn changed(&self, buffer: &Buffer) -> Option<Change> {
        if buffer.size() != self.size() {
            return None;
        }
        match &self.data {
            Data::Copy(before) => {
                let mut change = None;
                // SAFETY: the caller's promise. So few bytes are one piece.
                unsafe { packed::pieces(buffer, 0, self.size(), |now| change = compare(before, now)) };
                change
            }
            Data::Sums { sums, size } => {
                let mut change: Option<Change> = None;
                for ((from, to), before) in Chunks::of(*size, self.sampling).ranges().zip(sums) {
                    // SAFETY: the caller's promise.
                    if unsafe { digest::chunk_of(buffer, from, to) } != *before {
                        let first = change.map_or(from, |c| c.first);
                        change = Some(Change { first, last: to.saturating_sub(1), exact: false });
                    }
                }
                change
            }
        }
    }
}

fn compare(before: &[u8], now: &[u8]) -> Option<Change> {
    if before == now {
        return None;
    }
    let differ = |(a, b): (&u8, &u8)| a != b;
    let first = before.iter().zip(now).position(differ)?;
    let last = before.iter().zip(now).rposition(differ)?;
    Some(Change { first: first as u64, last: last as u64, exact: true })
}
