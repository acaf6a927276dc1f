//! Threads: who starts one says whose it is.

use crate::real::Next;
use crate::{backstop, thread};
use std::ffi::{c_int, c_void};

type Start = unsafe extern "C-unwind" fn(*mut c_void) -> *mut c_void;

struct Begun {
    start: Start,
    argument: *mut c_void,
    is_programs: bool,
}

unsafe extern "C-unwind" fn begin(begun: *mut c_void) -> *mut c_void {
    // SAFETY: `pthread_create` below passes such a box.
    let Begun { start, argument, is_programs } = *unsafe { Box::from_raw(begun.cast::<Begun>()) };
    thread::begins(is_programs);
    // SAFETY: the function and the argument that the caller has given.
    unsafe { start(argument) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn pthread_create(
    thread: *mut libc::pthread_t,
    attributes: *const libc::pthread_attr_t,
    start: Start,
    argument: *mut c_void,
) -> c_int {
    static NEXT: Next = Next::new(c"pthread_create");
    // Inside of MPI, and in its threads, a library starts it.
    let begun = Box::into_raw(Box::new(Begun { start, argument, is_programs: !thread::is_inside() }));
    type Create = unsafe extern "C" fn(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;
    // The C library blocks all signals meanwhile.
    let before = backstop::allow();
    // SAFETY: the function of this name has this type; the box is taken by `begin`.
    let result =
        unsafe { std::mem::transmute::<*mut c_void, Create>(NEXT.get())(thread, attributes, begin, begun.cast()) };
    backstop::restore(before);
    if result != 0 {
        // SAFETY: no thread has begun that would take it.
        drop(unsafe { Box::from_raw(begun) });
    }
    result
}
