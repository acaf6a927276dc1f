//! A snapshot of a buffer's memory, to find out later what changed.

use super::digest::{self, Chunks, Sampling};
use super::packed;
use crate::buffer::Buffer;

/// Limit of data that are kept as they are.
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
    /// The bytes and their number.
    Inline([u8; INLINE], usize),
    Copy(Box<[u8]>),
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
        let mut snapshot = Snapshot { sampling, data: Data::Inline([0; INLINE], 0) };
        // SAFETY: the caller's promise.
        unsafe { snapshot.take_again(buffer, sampling) };
        snapshot
    }

    /// Takes a snapshot in the memory of one that is no longer needed.
    ///
    /// # Safety
    ///
    /// As for [`Snapshot::take`].
    pub unsafe fn take_again(&mut self, buffer: &Buffer, sampling: Sampling) {
        let size = buffer.size();
        self.sampling = sampling;
        if size > INLINE as u64 {
            // SAFETY: the caller's promise.
            self.data = unsafe { many(buffer, sampling) };
            return;
        }
        if !self.is_small() {
            self.data = Data::Inline([0; INLINE], 0);
        }
        if let Data::Inline(bytes, used) = &mut self.data {
            // SAFETY: the caller promises it. A buffer this small is one piece.
            unsafe { packed::pieces(buffer, 0, size, |piece| *used = put(bytes, piece)) };
        }
    }

    /// Does it hold no memory beside itself?
    pub fn is_small(&self) -> bool {
        matches!(&self.data, Data::Inline(..))
    }

    /// Bytes of data.
    pub fn size(&self) -> u64 {
        match &self.data {
            Data::Inline(_, used) => *used as u64,
            Data::Copy(bytes) => bytes.len() as u64,
            Data::Sums { size, .. } => *size,
        }
    }

    /// The result of [`crate::checksum`] at that time, without another look at the memory.
    pub fn checksum(&self) -> u64 {
        match &self.data {
            Data::Inline(bytes, used) => digest::digest(bytes.get(..*used).unwrap_or(bytes), self.sampling),
            Data::Copy(bytes) => digest::digest(bytes, self.sampling),
            Data::Sums { sums, size } => digest::whole(Chunks::of(*size, self.sampling), sums.iter().copied()),
        }
    }

    /// The change of the buffer since its snapshot was taken. `None` also for a buffer of another size.
    ///
    /// # Safety
    ///
    /// As for [`Snapshot::take`].
    pub unsafe fn changed(&self, buffer: &Buffer) -> Option<Change> {
        if buffer.size() != self.size() {
            return None;
        }
        let before: &[u8] = match &self.data {
            Data::Inline(bytes, used) => bytes.get(..*used).unwrap_or(bytes),
            Data::Copy(bytes) => bytes,
            // SAFETY: the caller's promise.
            Data::Sums { sums, size } => return unsafe { changed_sums(buffer, (sums, *size), self.sampling) },
        };
        let mut change = None;
        // SAFETY: the caller promises it. A buffer this small is one piece.
        unsafe { packed::pieces(buffer, 0, self.size(), |now| change = compare(before, now)) };
        change
    }
}

/// Takes more than a few bytes. A function of its own, as the next one: both take pages of the stack, which a
/// snapshot of a few bytes should not have to touch.
///
/// # Safety
///
/// As for [`Snapshot::take`].
#[inline(never)]
unsafe fn many(buffer: &Buffer, sampling: Sampling) -> Data {
    let size = buffer.size();
    if size <= MAX_COPY {
        let mut copy = Vec::with_capacity(size as usize);
        // SAFETY: the caller's promise.
        unsafe { packed::pieces(buffer, 0, size, |piece| copy.extend_from_slice(piece)) };
        return Data::Copy(copy.into());
    }
    let ranges = Chunks::of(size, sampling).ranges();
    // SAFETY: the caller's promise.
    let sums = ranges.map(|(from, to)| unsafe { digest::chunk_of(buffer, from, to) }).collect();
    Data::Sums { sums, size }
}

/// The digests of chunks, and bytes of data, against what there is now.
///
/// # Safety
/// As for [`Snapshot::take`].
#[inline(never)]
unsafe fn changed_sums(buffer: &Buffer, (sums, size): (&[u64], u64), sampling: Sampling) -> Option<Change> {
    let mut change: Option<Change> = None;
    for ((from, to), before) in Chunks::of(size, sampling).ranges().zip(sums) {
        // SAFETY: the caller's promise.
        if unsafe { digest::chunk_of(buffer, from, to) } != *before {
            let first = change.map_or(from, |c| c.first);
            change = Some(Change { first, last: to.saturating_sub(1), exact: false });
        }
    }
    change
}

/// Copies a piece to the front, and says how many bytes it has. Those of the usual sizes without the C library's
/// function, which is called with all sizes in turns, so that the processor guesses wrong how it goes on.
#[inline(always)]
fn put(bytes: &mut [u8; INLINE], piece: &[u8]) -> usize {
    if let (Ok(piece), Some(to)) = (<&[u8; 8]>::try_from(piece), bytes.first_chunk_mut()) {
        *to = *piece;
    } else if let (Ok(piece), Some(to)) = (<&[u8; 4]>::try_from(piece), bytes.first_chunk_mut()) {
        *to = *piece;
    } else if let Some(to) = bytes.get_mut(..piece.len()) {
        to.copy_from_slice(piece);
    }
    piece.len()
}

/// Are these the same bytes? A function of its own, as above.
#[inline(always)]
fn are_same(before: &[u8], now: &[u8]) -> bool {
    match (<&[u8; 8]>::try_from(before), <&[u8; 8]>::try_from(now)) {
        (Ok(before), Ok(now)) => before == now,
        _ => before == now,
    }
}

fn compare(before: &[u8], now: &[u8]) -> Option<Change> {
    if are_same(before, now) {
        return None;
    }
    let differ = |(a, b): (&u8, &u8)| a != b;
    let first = before.iter().zip(now).position(differ)?;
    let last = before.iter().zip(now).rposition(differ)?;
    Some(Change { first: first as u64, last: last as u64, exact: true })
}
