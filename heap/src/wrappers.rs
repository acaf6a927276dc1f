//! In front of the allocator's functions. Each passes the call on as it is; blocks are noted by the size that was asked for.

use crate::early;
use crate::interface::BLOCKS;
use crate::next::{self, Function, next};
use std::arch::naked_asm;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;

type Pointer = *mut c_void;
/// Functions of one to three words; a caller's conditions are those of the function.
type One = unsafe extern "C" fn(usize) -> Pointer;
type Two = unsafe extern "C" fn(usize, usize) -> Pointer;
type Three = unsafe extern "C" fn(usize, usize, usize) -> Pointer;

/// Entry points: each goes on to its second function, with the return address of the call as one argument more.
macro_rules! entries {
    ($( $name:ident ( $($argument:ident),* ) $register:literal $second:ident; )*) => { $(
        /// As the function of this name in the C library.
        ///
        /// # Safety
        /// As that.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        #[unsafe(naked)]
        unsafe extern "C" fn $name($($argument: usize),*) -> Pointer {
            naked_asm!(concat!("mov ", $register, ", [rsp]"), "jmp {second}", second = sym $second)
        }
    )* };
}

entries! {
    malloc(_size) "rsi" malloc_for;
    calloc(_count, _size) "rdx" calloc_for;
    realloc(_pointer, _size) "rdx" realloc_for;
    reallocarray(_pointer, _count, _size) "rcx" reallocarray_for;
    memalign(_alignment, _size) "rdx" memalign_for;
    posix_memalign(_place, _alignment, _size) "rcx" posix_memalign_for;
    aligned_alloc(_alignment, _size) "rdx" aligned_alloc_for;
    valloc(_size) "rsi" valloc_for;
    pvalloc(_size) "rsi" pvalloc_for;
}

/// Run by the loader when this library is there, before those that need it.
#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static LOADED: extern "C" fn() = loaded;

extern "C" fn loaded() {
    // The allocator is found now, if nobody has allocated yet.
    next(Function::Malloc);
    next::learn_whether_first(&[
        (Function::Malloc, malloc as *const () as usize),
        (Function::Calloc, calloc as *const () as usize),
        (Function::Realloc, realloc as *const () as usize),
        (Function::Free, free as *const () as usize),
    ]);
}

#[inline(always)]
fn note(block: Pointer, size: usize, caller: usize) -> Pointer {
    if !block.is_null() && next::is_first() {
        BLOCKS.add(block as u64, size as u64, caller as u64);
    }
    block
}

fn no_memory() -> Pointer {
    // SAFETY: each thread has an errno.
    unsafe { *libc::__errno_location() = libc::ENOMEM };
    null_mut()
}

/// Memory for who allocates while the allocator is being looked for.
#[cold]
fn early(size: Option<usize>, alignment: usize) -> Pointer {
    let size = size.filter(|_| next::is_looking() && alignment <= 4096);
    match size.map_or(null_mut(), |size| early::allocate(size, alignment)) {
        none if none.is_null() => no_memory(),
        piece => piece.cast(),
    }
}

macro_rules! call {
    ($next:ident as $type:ty, $($argument:expr),*) => {{
        // SAFETY: the allocator's function of this name has this type, and the caller keeps its conditions.
        unsafe {
            let function: $type = transmute($next);
            function($($argument),*)
        }
    }};
}

extern "C" fn malloc_for(size: usize, caller: usize) -> Pointer {
    match next(Function::Malloc) {
        0 => early(Some(size), 16),
        next => note(call!(next as One, size), size, caller),
    }
}

extern "C" fn calloc_for(count: usize, size: usize, caller: usize) -> Pointer {
    match next(Function::Calloc) {
        0 => early(count.checked_mul(size), 16),
        next => note(call!(next as Two, count, size), count.wrapping_mul(size), caller),
    }
}

extern "C" fn realloc_for(pointer: usize, size: usize, caller: usize) -> Pointer {
    if early::has(pointer as *const u8) {
        return moved_from_early(pointer, Some(size), caller);
    }
    match next(Function::Realloc) {
        0 if pointer == 0 => early(Some(size), 16),
        0 => no_memory(),
        next => reallocated(pointer, size, caller, || call!(next as Two, pointer, size)),
    }
}

extern "C" fn reallocarray_for(pointer: usize, count: usize, size: usize, caller: usize) -> Pointer {
    let bytes = count.checked_mul(size);
    if early::has(pointer as *const u8) {
        return moved_from_early(pointer, bytes, caller);
    }
    match next(Function::Reallocarray) {
        0 if pointer == 0 => early(bytes, 16),
        0 => no_memory(),
        next => reallocated(pointer, bytes.unwrap_or(0), caller, || call!(next as Three, pointer, count, size)),
    }
}

/// The old block is gone before another thread may get its memory.
fn reallocated(pointer: usize, size: usize, caller: usize, doing: impl FnOnce() -> Pointer) -> Pointer {
    let before = BLOCKS.remove(pointer as u64);
    let block = doing();
    if let Some(before) = before.filter(|_| block.is_null() && size > 0) {
        BLOCKS.restore(pointer as u64, before);
    }
    note(block, size, caller)
}

#[cold]
fn moved_from_early(pointer: usize, size: Option<usize>, caller: usize) -> Pointer {
    let Some(size) = size else { return no_memory() };
    let new = malloc_for(size, caller);
    if !new.is_null() {
        let bytes = size.min(early::size(pointer as *const u8));
        // SAFETY: both have so many bytes, and are different pieces of memory.
        unsafe { std::ptr::copy_nonoverlapping(pointer as *const u8, new.cast(), bytes) };
    }
    new
}

extern "C" fn memalign_for(alignment: usize, size: usize, caller: usize) -> Pointer {
    match next(Function::Memalign) {
        0 => early(Some(size), alignment),
        next => note(call!(next as Two, alignment, size), size, caller),
    }
}

extern "C" fn aligned_alloc_for(alignment: usize, size: usize, caller: usize) -> Pointer {
    match next(Function::AlignedAlloc) {
        0 => early(Some(size), alignment),
        next => note(call!(next as Two, alignment, size), size, caller),
    }
}

/// The result is a number, in the lower half of the register.
extern "C" fn posix_memalign_for(place: usize, alignment: usize, size: usize, caller: usize) -> Pointer {
    type Posix = unsafe extern "C" fn(usize, usize, usize) -> c_int;
    let next = next(Function::PosixMemalign);
    if next == 0 {
        return libc::ENOMEM as usize as Pointer;
    }
    let failed = call!(next as Posix, place, alignment, size);
    if failed == 0 {
        // SAFETY: the allocator has written its block there.
        note(unsafe { (place as *const Pointer).read() }, size, caller);
    }
    failed as usize as Pointer
}

extern "C" fn valloc_for(size: usize, caller: usize) -> Pointer {
    match next(Function::Valloc) {
        0 => no_memory(),
        next => note(call!(next as One, size), size, caller),
    }
}

/// It gives whole pages.
extern "C" fn pvalloc_for(size: usize, caller: usize) -> Pointer {
    match next(Function::Pvalloc) {
        0 => no_memory(),
        next => note(call!(next as One, size), size.max(1).next_multiple_of(4096), caller),
    }
}

/// As free(3).
///
/// # Safety
/// As that.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn free(pointer: Pointer) {
    if early::has(pointer.cast()) {
        return;
    }
    // Before another thread may get the memory.
    BLOCKS.remove(pointer as u64);
    let next = next(Function::Free);
    if next != 0 {
        type Free = unsafe extern "C" fn(Pointer);
        call!(next as Free, pointer);
    }
}

/// As malloc_usable_size(3): the program may use what it is told of.
///
/// # Safety
/// As that.
#[cfg_attr(not(test), unsafe(no_mangle))]
unsafe extern "C" fn malloc_usable_size(pointer: Pointer) -> usize {
    type Size = unsafe extern "C" fn(Pointer) -> usize;
    if early::has(pointer.cast()) {
        return early::size(pointer.cast());
    }
    let next = next(Function::UsableSize);
    let size = if next == 0 { 0 } else { call!(next as Size, pointer) };
    BLOCKS.grow(pointer as u64, size as u64);
    size
}
