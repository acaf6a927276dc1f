//! Questions of libmpivet.so: `interposer/src/watch/heap.rs` has the other side.

use crate::blocks::{Block, Blocks};
use crate::next;
use std::sync::atomic::{AtomicU64, Ordering};

/// The blocks of this process.
pub(crate) static BLOCKS: Blocks = Blocks::new();

/// Where the data segment ended before anything was allocated.
static SEGMENT: AtomicU64 = AtomicU64::new(0);

/// Nothing is known of the address.
const NOTHING: u32 = 0;
/// It is in a block.
const IN_BLOCK: u32 = 1;
/// It is in memory that was freed.
const IN_FREED: u32 = 2;

/// Something is about to be allocated for the first time.
pub(crate) fn begin() {
    SEGMENT.store(segment_end(), Ordering::Relaxed);
}

fn segment_end() -> u64 {
    // SAFETY: asks where the segment ends, and does not move it.
    unsafe { libc::sbrk(0) as u64 }
}

/// Which block holds `address`? Its first byte, its bytes and the return address of the call that allocated it (0: not known) are
/// written to `block`.
///
/// # Safety
/// `block` is room for three numbers.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn mpivet_heap_find(address: u64, block: *mut [u64; 3]) -> u32 {
    let Some(Block { start, size, caller, is_freed }) = BLOCKS.find(address) else { return NOTHING };
    if is_freed && !is_certainly_nobodys(start, size) {
        return NOTHING;
    }
    // SAFETY: the caller has room for it.
    unsafe { block.write([start, size, caller]) };
    if is_freed { IN_FREED } else { IN_BLOCK }
}

/// Memory that was given back to the system may be anybody's by now. The data segment is the allocator's alone.
fn is_certainly_nobodys(start: u64, size: u64) -> bool {
    let first = SEGMENT.load(Ordering::Relaxed);
    first > 0 && start >= first && start + size <= segment_end() && next::is_of_c_library()
}

/// MPI_Alloc_mem gave these bytes.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn mpivet_heap_add(start: u64, size: u64) {
    BLOCKS.add_exact(start, size);
}

/// They go back with MPI_Free_mem.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn mpivet_heap_remove(start: u64) {
    BLOCKS.remove(start);
}

/// Are there blocks that are known? Not if the program has an allocator that comes first.
#[cfg_attr(not(test), unsafe(no_mangle))]
extern "C" fn mpivet_heap_is_known() -> u32 {
    u32::from(next::is_first() && BLOCKS.is_used())
}
