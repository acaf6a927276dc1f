//! Memory that malloc gives to threads. The GNU C library takes it from heaps of 64 MiB of address space each, of which it has
//! the first part made accessible as far as it needs it. The heap that an arena began with holds the arena itself, and both stay
//! for as long as the process lives: so what lies in the part that the heap says is accessible is there.
//!
//! Whether a place in memory is such a heap is asked of the kernel, once. Other allocators have nothing that looks like it.

use super::read;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use trace_format::run::proc::{self, Mapped};

/// Address space of a heap, which begins at a multiple of it.
const HEAP: u64 = 64 << 20;
const PAGE: u64 = 4096;
/// Words at the beginning of a heap: where its arena is, the heap before it, how much of it is in use and how much is accessible.
const HEADER: usize = 4;
const USED: u64 = 16;
const ACCESSIBLE: u64 = 24;
/// Places by the address of a heap.
const PLACES: usize = 64;
/// A place that is no heap may have become one after so many looks.
const LOOKS: u64 = 1024;

/// Heaps that are known.
static HEAPS: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];
/// Addresses where there is none, with the looks that are left until it is asked again.
static OTHERS: [AtomicU64; PLACES] = [const { AtomicU64::new(0) }; PLACES];

fn place(base: u64) -> usize {
    (base / HEAP) as usize % PLACES
}

/// Does `span` lie in a heap that stays, in the part of it that is accessible?
#[inline]
pub(super) fn holds(span: &Range<u64>) -> bool {
    let base = span.start / HEAP * HEAP;
    let is_known = HEAPS.get(place(base)).is_some_and(|known| known.load(Ordering::Relaxed) == base);
    if base == 0 || !is_known && !is_new(base) {
        return false;
    }
    // SAFETY: the first page of a heap that an arena began with stays.
    let accessible = unsafe { ((base + ACCESSIBLE) as *const u64).read_volatile() };
    accessible <= HEAP && span.start < span.end && span.end <= base + accessible
}

/// End of what is in use of the heap with an address, if there is one.
pub(super) fn end(address: u64) -> Option<u64> {
    let base = address / HEAP * HEAP;
    let mut used = [0; 8];
    (base != 0 && read(base + USED, &mut used)).then(|| base.saturating_add(u64::from_ne_bytes(used)))
}

/// Is there a heap that was not known?
fn is_new(base: u64) -> bool {
    let Some(other) = OTHERS.get(place(base)) else { return false };
    let seen = other.load(Ordering::Relaxed);
    if seen & !(HEAP - 1) == base && seen != base {
        // Threads may count the same look: it need not be exact.
        other.store(seen - 1, Ordering::Relaxed);
        return false;
    }
    other.store(base | LOOKS, Ordering::Relaxed);
    let is_heap = is_heap(base);
    if is_heap && let Some(heap) = HEAPS.get(place(base)) {
        heap.store(base, Ordering::Relaxed);
    }
    is_heap
}

/// Is there a heap that an arena began with? Both its own words and the kernel's say so.
#[cold]
fn is_heap(base: u64) -> bool {
    let mut bytes = [0; 8 * HEADER];
    if !read(base, &mut bytes) {
        return false;
    }
    let mut words = bytes.chunks_exact(8).map(|word| u64::from_ne_bytes(*word.first_chunk().unwrap_or(&[0; 8])));
    let mut word = || words.next().unwrap_or(0);
    let (arena, before, used, accessible) = (word(), word(), word(), word());
    // The arena follows the header of its first heap, and no other heap is before that.
    let begins = (base + 8 * HEADER as u64..base + PAGE).contains(&arena) && before == 0;
    let has_sizes = used <= accessible && accessible <= HEAP && used >= PAGE && accessible.is_multiple_of(PAGE);
    begins && has_sizes && is_mapped_so(base, accessible, &proc::own_maps())
}

/// Is there memory of nobody else in all of the heap, of which as much may be used as it says, and more may not be? `maps` is the
/// kernel's list.
fn is_mapped_so(base: u64, accessible: u64, maps: &str) -> bool {
    let mut at = base;
    for Mapped { range: Range { start, end }, rights, path } in proc::mapped(maps) {
        if end <= at || at >= base + HEAP {
            continue;
        }
        let wanted = if at < base + accessible { "rw-p" } else { "---p" };
        // Systems may give names to what has no file.
        let is_nobodys = path.is_empty() || path.starts_with("[anon");
        // The accessible part ends where the heap says: in a mapping of anything else it goes on.
        let is_whole = at >= base + accessible || end == base + accessible || accessible == HEAP;
        if start > at || rights != wanted || !is_nobodys || !is_whole {
            return false;
        }
        at = end;
    }
    at >= base + HEAP
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Region, is_there, region};

    fn span(value: &[u8]) -> Range<u64> {
        let start = value.as_ptr() as u64;
        start..start + value.len() as u64
    }

    /// Memory that a thread allocates is in an arena of its own, and known to be there.
    #[test]
    fn memory_of_threads_is_known() {
        let inside = std::thread::spawn(|| {
            let value = vec![1u8; 4096];
            let own = span(&value);
            let base = own.start / HEAP * HEAP;
            assert_eq!(region(&own), Region::Arena);
            assert!(is_there(Region::Arena, &own));
            assert!(!is_there(Region::Arena, &(own.start..base + HEAP)), "beyond what is accessible");
            assert!(!is_there(Region::Arena, &(own.start..own.start)), "nothing");
            base
        });
        assert!(inside.join().is_ok_and(|base| HEAPS[place(base)].load(Ordering::Relaxed) == base));
    }

    /// Other memory at such an address is none of malloc's, not even with the words of a heap in front.
    #[test]
    fn other_memory_is_not() {
        let bytes = 3 * HEAP as usize;
        let (rights, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a fresh mapping, which is given back below.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, rights, flags | libc::MAP_NORESERVE, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let base = (start as u64).next_multiple_of(HEAP);
        let own = base + 4096..base + 8192;
        assert_eq!(region(&own), Region::Other);
        // SAFETY: the mapping holds these words.
        unsafe { (base as *mut [u64; HEADER]).write([base + 48, 0, 8192, 8192]) };
        assert!(!is_heap(base), "all of it may be used");
        // SAFETY: as above.
        unsafe { libc::munmap(start, bytes) };
        assert!(!is_heap(base) && !holds(&own));
    }

    #[test]
    fn the_kernel_must_say_the_same() {
        let maps = |first: &str| {
            format!(
                "400000-401000 r--p 0 08:01 1 /bin/p\n7f0000000000-7f0000021000 {first}\n\
                 7f0000021000-7f0004000000 ---p 00000000 00:00 0\n7f0004000000-7f0004001000 rw-p 0 00:00 0\n"
            )
        };
        let base = 0x7f00_0000_0000;
        let fine = maps("rw-p 00000000 00:00 0");
        assert!(is_mapped_so(base, 0x21000, &fine));
        assert!(is_mapped_so(base, 0x21000, &maps("rw-p 00000000 00:00 0 [anon: glibc: malloc arena]")));
        assert!(!is_mapped_so(base, 0x22000, &fine), "less than it says");
        assert!(!is_mapped_so(base, 0x21000, &maps("rw-s 00000000 00:05 7 /dev/shm/x")));
        assert!(!is_mapped_so(base, 0x21000, &maps("r--p 00000000 00:00 0")));
        assert!(!is_mapped_so(base + HEAP, 0x1000, &fine), "a heap is larger");
    }
}
