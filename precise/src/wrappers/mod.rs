//! Functions of the C library that this one stands in front of: by the first ones the kernel accesses memory and would refuse where
//! it is protected; by the others the program takes signals, starts threads and gives memory back.

mod files;
mod hidden;
mod memory;
mod signals;
mod threads;

pub(crate) use memory::learn;

use crate::{backstop, records, table, thread};
use recorder::in_flight::How;
use std::ffi::c_int;
use std::ops::Range;

/// Memory that one call of a function makes the kernel access.
pub(super) struct Opening {
    /// Accesses are noted: it is the program that calls.
    notes: bool,
    /// Something had to be opened.
    is_any: bool,
}

impl Opening {
    fn store(&mut self, start: *const libc::c_void, bytes: usize) {
        self.open(start as u64..(start as u64).saturating_add(bytes as u64), How::KernelStore);
    }

    fn load(&mut self, start: *const libc::c_void, bytes: usize) {
        self.open(start as u64..(start as u64).saturating_add(bytes as u64), How::KernelLoad);
    }

    /// # Safety
    /// `parts` are `count` parts of memory, as the kernel takes them.
    unsafe fn all(&mut self, parts: *const libc::iovec, count: usize, how: How) {
        for number in 0..count.min(1024) {
            // SAFETY: by the contract.
            let part = unsafe { *parts.add(number) };
            self.open(part.iov_base as u64..(part.iov_base as u64).saturating_add(part.iov_len as u64), how);
        }
    }

    fn open(&mut self, range: Range<u64>, how: How) {
        if range.is_empty() {
            return;
        }
        let is_store = how == How::KernelStore;
        for entry in table::within(range.clone()).filter(|entry| entry.forbids(is_store)) {
            if !std::mem::replace(&mut self.is_any, true) {
                table::begin_opening();
            }
            let part = entry.part(&range);
            if self.notes && !part.is_empty() {
                records::by_function(entry.ticket(), (part.start, part.end.saturating_sub(part.start)), how);
            }
            table::open(entry);
        }
    }
}

/// A message of a socket.
///
/// # Safety
/// It is one as the kernel takes it, or null.
unsafe fn parts_of(message: *const libc::msghdr) -> (*const libc::iovec, usize) {
    // SAFETY: by the contract.
    match unsafe { message.as_ref() } {
        Some(message) => (message.msg_iov, message.msg_iovlen),
        None => (std::ptr::null(), 0),
    }
}

/// Makes a call for which memory has to be open. The kernel refuses memory that another thread has protected between: then the call
/// is made again, since nothing has happened.
#[inline(always)]
fn opened<T: PartialEq>(uses: impl Fn(&mut Opening), failure: Option<T>, call: impl Fn() -> T) -> T {
    if !table::is_any() {
        return call();
    }
    // Functions of streams call the kernel with memory of their own, too; and what threads of libraries give it must be known.
    let is_all_known = failure.is_some() && !backstop::is_of_library();
    let call = || {
        let before = is_all_known.then(backstop::allow);
        let result = call();
        before.into_iter().for_each(backstop::restore);
        result
    };
    let mut opening = Opening { notes: !thread::is_inside(), is_any: false };
    uses(&mut opening);
    if !opening.is_any {
        return call();
    }
    opening.notes = false;
    let result = repeated(uses, &mut opening, failure, call);
    let errno = errno();
    table::end_opening();
    set_errno(errno);
    result
}

fn repeated<T: PartialEq>(
    uses: impl Fn(&mut Opening),
    opening: &mut Opening,
    failure: Option<T>,
    call: impl Fn() -> T,
) -> T {
    let mut result = call();
    for _ in 0..100 {
        if failure.as_ref() != Some(&result) || errno() != libc::EFAULT {
            break;
        }
        uses(opening);
        result = call();
    }
    result
}

fn errno() -> c_int {
    // SAFETY: the address is that of this thread's own variable.
    unsafe { *libc::__errno_location() }
}

fn set_errno(errno: c_int) {
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
}

/// A function in front of another one of the same name.
macro_rules! in_front {
    ($(fn $name:ident($($argument:ident: $kind:ty),*) -> $result:ty, failing with $failure:expr, $uses:expr;)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C-unwind" fn $name($($argument: $kind),*) -> $result {
            static NEXT: $crate::real::Next = $crate::real::Next::new(
                // SAFETY: the only zero is the last one.
                unsafe { std::ffi::CStr::from_bytes_with_nul_unchecked(concat!(stringify!($name), "\0").as_bytes()) }
            );
            let next = NEXT.get();
            type Function = unsafe extern "C-unwind" fn($($kind),*) -> $result;
            // SAFETY: the function of this name has this type; the arguments are the caller's.
            let call = || unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(next)($($argument),*) };
            $crate::wrappers::opened($uses, $failure, call)
        }
    )*};
}
pub(super) use in_front;
