//! Functions by which the program gives memory back: what is in use there is forgotten before, so that nothing of ours changes the
//! rights of memory that comes to lie there.

use crate::real::Next;
use crate::{place, records, table, thread};
use recorder::in_flight::How;
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::ops::Range;

fn given_back(range: &Range<u64>) {
    if !thread::is_inside() {
        for entry in table::within(range.clone()).filter(|entry| !entry.part(range).is_empty()) {
            let part = entry.part(range);
            records::by_function(entry.ticket(), (part.start, part.end.saturating_sub(part.start)), How::Release);
        }
    }
    table::forget(range);
}

static USABLE: Next = Next::new(c"malloc_usable_size");
static FREE: Next = Next::new(c"free");
static REALLOC: Next = Next::new(c"realloc");

thread_local! {
    /// The thread is looking one of these up: the loader may free what it has said before.
    static LOOKS: Cell<bool> = const { Cell::new(false) };
}

/// Looks the functions up before anything is watched.
pub(crate) fn learn() {
    if !LOOKS.replace(true) {
        [&USABLE, &FREE, &REALLOC].into_iter().for_each(|next| _ = next.get());
        LOOKS.set(false);
    }
}

fn block_is_given_back(block: *mut c_void) {
    let usable = USABLE.known();
    if block.is_null() || usable.is_null() {
        return;
    }
    type Usable = unsafe extern "C" fn(*mut c_void) -> usize;
    // SAFETY: the function of this name has this type; the block is one that the program gives back.
    let bytes = unsafe { std::mem::transmute::<*mut c_void, Usable>(usable)(block) } as u64;
    let range = block as u64..(block as u64).saturating_add(bytes);
    if table::within(range.clone()).next().is_some() {
        given_back(&range);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut c_void) {
    if FREE.known().is_null() {
        learn();
    }
    let next = FREE.known();
    if next.is_null() {
        // An old message of the loader, which stays where it is.
        return;
    }
    if table::is_any() {
        block_is_given_back(block);
    }
    // SAFETY: the function of this name has this type.
    unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(next)(block) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut c_void, bytes: usize) -> *mut c_void {
    if REALLOC.known().is_null() {
        learn();
    }
    let next = REALLOC.known();
    if next.is_null() {
        return std::ptr::null_mut();
    }
    if table::is_any() {
        block_is_given_back(block);
    }
    type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
    // SAFETY: the function of this name has this type.
    unsafe { std::mem::transmute::<*mut c_void, Realloc>(next)(block, bytes) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn munmap(start: *mut c_void, bytes: usize) -> c_int {
    static NEXT: Next = Next::new(c"munmap");
    if table::is_any() {
        given_back(&(start as u64..(start as u64).saturating_add(bytes as u64)));
        table::drop_edges(&(start as u64..(start as u64).saturating_add(bytes as u64)));
    }
    place::forget();
    // SAFETY: the function of this name has this type.
    unsafe {
        std::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void, usize) -> c_int>(NEXT.get())(start, bytes)
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mremap(start: *mut c_void, old: usize, new: usize, flags: c_int, to: *mut c_void) -> *mut c_void {
    static NEXT: Next = Next::new(c"mremap");
    if table::is_any() {
        given_back(&(start as u64..(start as u64).saturating_add(old as u64)));
        table::drop_edges(&(start as u64..(start as u64).saturating_add(old as u64)));
    }
    place::forget();
    type Mremap = unsafe extern "C" fn(*mut c_void, usize, usize, c_int, *mut c_void) -> *mut c_void;
    // SAFETY: the function of this name has this type; the last argument is passed on whether there is one or not.
    unsafe { std::mem::transmute::<*mut c_void, Mremap>(NEXT.get())(start, old, new, flags, to) }
}
