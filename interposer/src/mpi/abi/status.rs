//! Statuses: where their fields are, how they are read and written.

use super::Abi;
use trace_format::mpi::Status;

/// No family has a larger status.
pub(crate) const MOST_STATUS_BYTES: usize = 32;

/// Byte offsets in MPI_Status.
#[derive(Clone, Copy)]
pub(crate) struct StatusLayout {
    pub(super) size: usize,
    pub(super) source: usize,
    pub(super) tag: usize,
    pub(super) error: usize,
    pub(super) count: CountLayout,
}

#[derive(Clone, Copy)]
pub(crate) enum CountLayout {
    /// Low 32 bits at the first offset; at the second bit 0 is the cancelled flag and the rest the high bits.
    Split(usize, usize),
    /// 64-bit count at the first offset, cancelled as an int at the second.
    Whole(usize, usize),
}

/// Words of a status that says nothing, as many as the largest one has.
pub(crate) type BlankStatus = [u32; MOST_STATUS_BYTES / 4];

/// Nothing but MPI_PROC_NULL and MPI_ANY_TAG.
#[expect(clippy::indexing_slicing, reason = "worked out by the compiler, which finds fields outside of the status")]
pub(super) const fn blank(layout: &StatusLayout, proc_null: i32, any_tag: i32) -> BlankStatus {
    let mut words = [0; MOST_STATUS_BYTES / 4];
    words[layout.source / 4] = proc_null as u32;
    words[layout.tag / 4] = any_tag as u32;
    words
}

/// The count in a status.
pub(crate) struct CountAt {
    low: *mut u32,
    /// The upper half, where it holds nothing else.
    high: Option<*mut u32>,
}

impl Abi {
    #[inline(always)]
    pub(crate) fn is_status_ignore(&self, address: u64) -> bool {
        address == self.status_ignore
    }

    /// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE.
    pub(crate) fn status_ignore(&self) -> u64 {
        self.status_ignore
    }

    #[inline(always)]
    pub(crate) fn status_size(&self) -> usize {
        self.status.size
    }

    /// Reads a status of this family. `bytes` holds at least [`Abi::status_size`] bytes.
    pub(crate) fn status(&self, bytes: &[u8]) -> Status {
        let mut whole = [0; MOST_STATUS_BYTES];
        whole.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        // SAFETY: the array is as large as any status.
        unsafe { self.status_at(whole.as_ptr() as u64) }
    }

    /// The status at an address.
    ///
    /// # Safety
    /// There is a status of this family.
    #[inline(always)]
    pub(crate) unsafe fn status_at(&self, address: u64) -> Status {
        // SAFETY: the caller vouches for the status, and the offsets are those of its fields.
        let word = |at: usize| unsafe { ((address + at as u64) as *const u32).read_unaligned() };
        let (count, cancelled) = match self.status.count {
            CountLayout::Split(low, high) => {
                (u64::from(word(low)) | u64::from(word(high) >> 1) << 32, word(high) & 1 != 0)
            }
            CountLayout::Whole(at, cancelled) => {
                (u64::from(word(at)) | u64::from(word(at + 4)) << 32, word(cancelled) != 0)
            }
        };
        let bytes = (count < 1 << 60).then_some(count);
        Status {
            source: self.rank(word(self.status.source) as i32),
            tag: self.tag(word(self.status.tag) as i32),
            bytes,
            cancelled,
        }
    }

    /// The field MPI_ERROR of a status, in the library's numbers.
    pub(crate) fn status_error(&self, bytes: &[u8]) -> i32 {
        let at = self.status.error;
        bytes.get(at..at + 4).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| i32::from_le_bytes(*b))
    }

    /// A status that says nothing, for completions that leave it unwritten.
    #[inline(always)]
    pub(crate) fn blank_status(&self) -> &BlankStatus {
        &self.blank
    }

    /// Sets the field MPI_ERROR.
    ///
    /// # Safety
    /// There is a status at the address.
    pub(crate) unsafe fn set_status_error(&self, status: u64, code: i32) {
        // SAFETY: the caller vouches for it.
        unsafe { ((status + self.status.error as u64) as *mut i32).write_unaligned(code) };
    }

    /// # Safety
    /// There is a status at the address, as long as the answer is used.
    pub(crate) unsafe fn count_at(&self, status: u64) -> CountAt {
        let at = |offset: usize| (status + offset as u64) as *mut u32;
        match self.status.count {
            CountLayout::Split(low, _) => CountAt { low: at(low), high: None },
            CountLayout::Whole(low, _) => CountAt { low: at(low), high: Some(at(low + 4)) },
        }
    }
}

impl CountAt {
    pub(crate) fn get(&self) -> u64 {
        // SAFETY: whoever made it vouches for the status.
        unsafe {
            let high = self.high.map_or(0, |high| high.read_unaligned());
            u64::from(self.low.read_unaligned()) | u64::from(high) << 32
        }
    }

    /// Puts another number there; the answer is what was there.
    pub(crate) fn replace(&self, count: u64) -> u64 {
        let before = self.get();
        // SAFETY: as above.
        unsafe {
            self.low.write_unaligned(count as u32);
            self.high.into_iter().for_each(|high| high.write_unaligned((count >> 32) as u32));
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::special;

    #[test]
    fn a_blank_status_is_of_nobody() {
        for abi in crate::mpi::abi::all() {
            assert!(abi.status_size() <= MOST_STATUS_BYTES, "{}", abi.name);
            // SAFETY: the words are those of a status.
            let status = unsafe { abi.status_at(abi.blank_status().as_ptr() as u64) };
            let expected =
                Status { source: special::PROC_NULL, tag: special::ANY_TAG, bytes: Some(0), cancelled: false };
            assert_eq!(status, expected, "{}", abi.name);
        }
    }
}
