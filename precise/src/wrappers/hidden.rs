//! Functions by which the C library starts threads of its own, which nobody sees and which block all signals.

use crate::edges;
use crate::real::Next;
use std::ffi::{c_int, c_void};

macro_rules! ends_edges {
    ($(fn $name:ident($($argument:ident: $kind:ty),*);)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $kind),*) -> c_int {
            static NEXT: Next = Next::new(
                // SAFETY: the only zero is the last one.
                unsafe { std::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) }
            );
            edges::end();
            type Function = unsafe extern "C" fn($($kind),*) -> c_int;
            // SAFETY: the function of this name has this type; the arguments are the caller's.
            unsafe { std::mem::transmute::<*mut c_void, Function>(NEXT.get())($($argument),*) }
        }
    )*};
}

ends_edges! {
    fn aio_read(block: *mut c_void);
    fn aio_read64(block: *mut c_void);
    fn aio_write(block: *mut c_void);
    fn aio_write64(block: *mut c_void);
    fn aio_fsync(how: c_int, block: *mut c_void);
    fn aio_fsync64(how: c_int, block: *mut c_void);
    fn lio_listio(how: c_int, blocks: *mut c_void, count: c_int, event: *mut c_void);
    fn lio_listio64(how: c_int, blocks: *mut c_void, count: c_int, event: *mut c_void);
    fn getaddrinfo_a(how: c_int, blocks: *mut c_void, count: c_int, event: *mut c_void);
    fn timer_create(clock: libc::clockid_t, event: *mut c_void, timer: *mut c_void);
    fn mq_notify(queue: c_int, event: *const c_void);
}
