//! The chunks of the address space in which blocks begin. They come when they are needed, and stay.

use super::{CHUNK_SHIFT, Chunk, GRANULE_SHIFT, Word, granule};
use crate::next::errno_is_kept;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Chunks of one row, as a power of two: a row is 32 GiB of the address space.
const ROW_SHIFT: u32 = 13;
const IN_ROW: usize = 1 << ROW_SHIFT;
const ROWS: usize = 1 << (47 - CHUNK_SHIFT - ROW_SHIFT);
/// Chunks at most: blocks that begin in 128 GiB.
const MOST_CHUNKS: u64 = 1 << 15;
/// Where the process may have only so much address space, this part of it is taken at most.
const SHARE: u64 = 16;

struct Row([AtomicPtr<Chunk>; IN_ROW]);

/// See the module.
pub(super) struct Map {
    rows: [AtomicPtr<Row>; ROWS],
    chunks: AtomicU64,
    /// Limit of chunks; 0: not yet known.
    most: AtomicU64,
}

impl Map {
    pub(super) const fn new() -> Map {
        let rows = [const { AtomicPtr::new(ptr::null_mut()) }; ROWS];
        Map { rows, chunks: AtomicU64::new(0), most: AtomicU64::new(0) }
    }

    /// The chunk of a number, if there is one.
    #[inline(always)]
    pub(super) fn chunk(&self, number: u64) -> Option<&Chunk> {
        load(self.row(number)?.0.get(number as usize % IN_ROW)?)
    }

    #[inline(always)]
    fn row(&self, number: u64) -> Option<&Row> {
        load(self.rows.get((number >> ROW_SHIFT) as usize)?)
    }

    /// The chunk of a number, made if there is none; `None`: there are too many.
    #[inline(always)]
    pub(super) fn chunk_for(&self, number: u64) -> Option<&Chunk> {
        match self.chunk(number) {
            None => self.make(number),
            known => known,
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&self, number: u64) -> Option<&Chunk> {
        errno_is_kept(|| {
            let row = self.rows.get((number >> ROW_SHIFT) as usize)?;
            let row = load(row).or_else(|| place(row))?;
            let chunk = row.0.get(number as usize % IN_ROW)?;
            if load(chunk).is_none() && self.chunks.fetch_add(1, Ordering::Relaxed) >= self.most() {
                self.chunks.fetch_sub(1, Ordering::Relaxed);
                return None;
            }
            load(chunk).or_else(|| place(chunk))
        })
    }

    fn most(&self) -> u64 {
        let known = self.most.load(Ordering::Relaxed);
        if known > 0 {
            return known;
        }
        let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: `limit` is a valid place for the answer.
        unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
        let most = (limit.rlim_cur / SHARE / size_of::<Chunk>() as u64).clamp(1, MOST_CHUNKS);
        self.most.store(most, Ordering::Relaxed);
        most
    }

    /// The last block, there or freed, that begins at an address or below it, but not below `lowest`: where its 16 bytes begin.
    pub(super) fn last_at_or_below(&self, address: u64, lowest: u64) -> Option<(u64, Word)> {
        let last = address >> CHUNK_SHIFT;
        let mut number = last;
        while number >= lowest >> CHUNK_SHIFT {
            let Some(row) = self.row(number) else {
                number = (number >> ROW_SHIFT << ROW_SHIFT).checked_sub(1)?;
                continue;
            };
            let chunk = row.0.get(number as usize % IN_ROW).and_then(load);
            let from = if number == last { granule(address) } else { Chunk::GRANULES - 1 };
            if let Some((at, word)) = chunk.and_then(|chunk| chunk.last_at_or_below(from)) {
                return Some((number << CHUNK_SHIFT | (at as u64) << GRANULE_SHIFT, word));
            }
            number = number.checked_sub(1)?;
        }
        None
    }

    /// Forgets freed blocks that begin from one address to another: all of that is in a block that is there.
    pub(super) fn forget_freed(&self, from: u64, to: u64) {
        for number in from >> CHUNK_SHIFT..=to >> CHUNK_SHIFT {
            let Some(chunk) = self.chunk(number) else { continue };
            let first = if number == from >> CHUNK_SHIFT { granule(from) } else { 0 };
            let last = if number == to >> CHUNK_SHIFT { granule(to) } else { Chunk::GRANULES - 1 };
            chunk.forget_freed(first, last);
        }
    }
}

#[inline(always)]
fn load<T>(place: &AtomicPtr<T>) -> Option<&T> {
    // SAFETY: what is there was mapped by `place`, and stays.
    unsafe { place.load(Ordering::Acquire).as_ref() }
}

/// Makes a `T` of zeros, unless another thread is faster.
fn place<T>(place: &AtomicPtr<T>) -> Option<&T> {
    let new = map(size_of::<T>())?.cast::<T>();
    match place.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: it is mapped, is ours, and holds atomic numbers and pointers only, for which zeros are values.
        Ok(_) => unsafe { new.as_ref() },
        Err(_) => {
            // SAFETY: it was mapped here, and nobody else knows it.
            unsafe { libc::syscall(libc::SYS_munmap, new, size_of::<T>()) };
            load(place)
        }
    }
}

/// Memory of zeros from the system, by no function that others may stand in front of.
fn map(bytes: usize) -> Option<*mut u8> {
    let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping, wherever there is room.
    let start =
        unsafe { libc::syscall(libc::SYS_mmap, 0usize, bytes, rights, flags | libc::MAP_NORESERVE, -1isize, 0usize) };
    if start == -1 {
        return None;
    }
    for advice in [libc::MADV_NOHUGEPAGE, libc::MADV_DONTDUMP] {
        // SAFETY: advice about a mapping that is ours.
        unsafe { libc::syscall(libc::SYS_madvise, start, bytes, advice) };
    }
    Some(start as *mut u8)
}
