//! The memory of a stage: a file that is mapped, so that it is there when the process is not.

use super::writer::Memory;
use crate::file_limit;
use std::fs::OpenOptions;
use std::io;
use std::os::fd::AsRawFd as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering, fence};
use trace_format::file::{
    STAGE_BYTES, STAGE_HEADER_BYTES, STAGE_LATE_OFFSET, STAGE_MAGIC, STAGE_OWNER_OFFSET, VERSION,
};
use trace_format::owner_only;
use trace_format::stage_protocol::Words;

const BYTES: usize = STAGE_HEADER_BYTES + STAGE_BYTES;

/// The header page and the records. Never unmapped: the state of a thread outlives it.
pub struct Mapping {
    base: *mut u8,
}

impl Mapping {
    /// Makes the file and maps it. Its pages are allocated, so that a full disk cannot stop a store. `is_late`: other nodes see
    /// late what is stored there.
    pub(super) fn create(path: &Path, thread: u16, is_late: bool) -> io::Result<Mapping> {
        let file = owner_only::make_file(path, OpenOptions::new().read(true).write(true))?;
        if file_limit::size_limit() < BYTES as u64 {
            _ = std::fs::remove_file(path);
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the limit on file sizes (ulimit -f) is too low"));
        }
        // SAFETY: plain system call on an open descriptor.
        let error = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, BYTES as libc::off_t) };
        if error != 0 {
            _ = std::fs::remove_file(path);
            return Err(io::Error::from_raw_os_error(error));
        }
        let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_POPULATE);
        // SAFETY: a fresh mapping of a file of this length.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), BYTES, rights, flags, file.as_raw_fd(), 0) };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping = Mapping { base: base.cast() };
        mapping.begin(thread, is_late);
        if is_late {
            // When the process is killed, its pages are written back as the last descriptor is closed; those of a mapping
            // alone may stay on its node for half a minute.
            std::mem::forget(file);
        }
        Ok(mapping)
    }

    /// Says what it is; whoever reads the mark finds the rest.
    fn begin(&self, thread: u16, is_late: bool) {
        self.word(8).store(u64::from(VERSION) | u64::from(thread) << 32, Ordering::Relaxed);
        self.word(STAGE_LATE_OFFSET).store(is_late.into(), Ordering::Relaxed);
        self.set_owner();
        self.word(0).store(u64::from_le_bytes(STAGE_MAGIC), Ordering::Release);
    }

    /// Says that the calling thread writes here from now on.
    pub(super) fn set_owner(&self) {
        // SAFETY: a plain system call that cannot fail. Older C libraries have no function for it.
        let thread = if cfg!(miri) { 1 } else { unsafe { libc::syscall(libc::SYS_gettid) } };
        self.word(STAGE_OWNER_OFFSET).store(thread as u64, Ordering::Release);
    }

    /// Says that nobody writes here any more.
    pub(super) fn abandon(&self) {
        self.word(STAGE_OWNER_OFFSET).store(0, Ordering::Release);
    }

    #[inline(always)]
    fn word(&self, at: usize) -> &AtomicU64 {
        debug_assert!(at.is_multiple_of(8) && at + 8 <= BYTES, "{at} is no word of a stage");
        // SAFETY: `at` is one of the 8-byte fields of the header page, or behind it the offset of a record, which is a
        // multiple of 8 within the mapping. It stays mapped.
        unsafe { &*self.base.add(at).cast::<AtomicU64>() }
    }

    /// Address of the byte at `offset` of the records.
    #[inline(always)]
    pub(super) fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset <= STAGE_BYTES, "{offset} is beyond the end of a stage");
        // SAFETY: callers stay within the stage; one past its end is still within the allocation's bounds.
        unsafe { self.base.add(STAGE_HEADER_BYTES + offset) }
    }

    /// The first `bytes` of the records, which this thread has written.
    pub(super) fn records(&self, bytes: usize) -> &[u8] {
        debug_assert!(bytes <= STAGE_BYTES, "{bytes} are more than a stage has");
        // SAFETY: they lie within the mapping, and the thread that may write them is here.
        unsafe { std::slice::from_raw_parts(self.at(0), bytes) }
    }

    /// Memory of the heap in the place of a file.
    #[cfg(test)]
    pub(super) fn of_heap() -> Mapping {
        let mapping = Mapping { base: vec![0u64; BYTES / 8].leak().as_mut_ptr().cast() };
        mapping.begin(0, false);
        mapping
    }
}

impl Words for Mapping {
    #[inline(always)]
    fn own(&self, at: usize) -> u64 {
        self.word(at).load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.word(at).store(value, order);
    }

    #[inline(always)]
    fn fence(&self, order: Ordering) {
        fence(order);
    }
}

impl Memory for Mapping {
    #[inline(always)]
    fn clear(&self, from: usize, to: usize) {
        match to - from {
            // SAFETY: half of a word of the record that is being written.
            4 => unsafe { self.at(from).cast::<u32>().write(0) },
            // SAFETY: as above, any part of it.
            n => unsafe { self.at(from).write_bytes(0, n) },
        }
    }
}
