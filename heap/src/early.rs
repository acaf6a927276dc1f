//! Memory for those who allocate before the program's allocator is known: dlsym itself may, while it looks for that. It is
//! never given back.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicUsize, Ordering};

const BYTES: usize = 1 << 16;
/// In front of each piece: its size.
const HEADER: usize = 16;

#[repr(align(4096))]
struct Arena(UnsafeCell<[u8; BYTES]>);

// SAFETY: each byte is given to one caller at most.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena(UnsafeCell::new([0; BYTES]));
static USED: AtomicUsize = AtomicUsize::new(0);

/// So many bytes, all 0; null if there are no more. `alignment`: a power of two.
pub(crate) fn allocate(size: usize, alignment: usize) -> *mut u8 {
    let start = ARENA.0.get().cast::<u8>();
    let alignment = alignment.clamp(HEADER, 4096);
    let Some(needed) = size.checked_add(HEADER + alignment).filter(|needed| *needed < BYTES) else {
        return std::ptr::null_mut();
    };
    let at = USED.fetch_add(needed, Ordering::Relaxed);
    if at > BYTES - needed {
        return std::ptr::null_mut();
    }
    let piece = (at + HEADER).next_multiple_of(alignment);
    // SAFETY: the piece and what is in front of it are in the arena, and nobody else's.
    unsafe {
        start.add(piece - HEADER).cast::<usize>().write(size);
        start.add(piece)
    }
}

/// Does a pointer come from here?
#[inline(always)]
pub(crate) fn has(pointer: *const u8) -> bool {
    (pointer as usize).wrapping_sub(ARENA.0.get() as usize) < BYTES
}

/// The size of a piece.
pub(crate) fn size(piece: *const u8) -> usize {
    // SAFETY: a piece that was given away has its size in front.
    unsafe { piece.sub(HEADER).cast::<usize>().read() }
}
