//! Reads memory of the program that it may have given back by now, so that a mistake of the program is never a crash in
//! here. Where no cheap look tells that the memory is still there, the kernel copies it.

use crate::owner;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use trace_format::run::proc::{self, Mapped};

mod arena;
mod block;
mod own_stack;

pub use block::Block;

/// Where memory lies, as far as that tells for how long it is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Memory of the executable, or the part of the main thread's stack that has been in use: it stays.
    Lasting,
    /// The main heap: there up to the program break.
    Heap,
    /// The part of another thread's stack that is in use: that thread knows that it is there.
    Stack,
    /// A heap that malloc has for threads: it knows how much of it is there.
    Arena,
    /// Anywhere else: nothing tells without asking the kernel.
    Other,
}

/// Places that stay where they are, found once.
struct Map {
    /// Writable data of the executable.
    data: Range<u64>,
    heap: u64,
    /// End of the main thread's stack.
    stack: u64,
}

/// So far below its end the main thread's stack is alone.
const ONLY_STACK: u64 = 64 << 20;

fn map() -> &'static Map {
    static MAP: OnceLock<Map> = OnceLock::new();
    MAP.get_or_init(|| {
        let text = proc::own_maps();
        let program = std::fs::read_link("/proc/self/exe").unwrap_or_default();
        let mut map = Map { data: 0..0, heap: u64::MAX, stack: 0 };
        for Mapped { range: Range { start, end }, rights, path } in proc::mapped(&text) {
            let writable = rights.starts_with("rw");
            match path {
                "[heap]" => map.heap = map.heap.min(start),
                "[stack]" => map.stack = end,
                // Data, and behind it what starts as zero.
                _ if writable && std::path::Path::new(path) == program => map.data = start..end,
                "" if writable && map.data.end == start && start != 0 => map.data.end = end,
                _ => {}
            }
        }
        map
    })
}

/// Finds the places that stay where they are. To be called before memory gets other mappings (`--precise`): what is mapped there
/// has other names then.
pub fn learn() {
    map();
}

/// Where the bytes of `span` are. They were there a moment ago.
#[inline]
pub fn region(span: &Range<u64>) -> Region {
    let map = map();
    let here = (&raw const map) as u64;
    let on_main_stack = (map.stack.saturating_sub(ONLY_STACK)..map.stack).contains(&here);
    if span.start >= map.heap && span.end <= program_break() {
        Region::Heap
    } else if map.data.start <= span.start && span.end <= map.data.end
        || on_main_stack && here <= span.start && span.end <= map.stack
    {
        Region::Lasting
    } else if !on_main_stack && own_stack::holds(span) {
        Region::Stack
    } else if arena::holds(span) {
        Region::Arena
    } else {
        Region::Other
    }
}

/// Is this an address of the stack that the calling thread was made with?
pub fn is_own_stack(address: u64) -> bool {
    let end = map().stack;
    // SAFETY: plain system calls that cannot fail.
    let is_first = unsafe { libc::syscall(libc::SYS_gettid) == i64::from(libc::getpid()) };
    if is_first { (end.saturating_sub(ONLY_STACK)..end).contains(&address) } else { own_stack::reaches(address) }
}

/// End of the heap; 0 if it cannot be told without a system call.
#[inline]
fn program_break() -> u64 {
    // The C library keeps it in a variable; libraries that hook brk(2), as UCX does, make sbrk(0) a system call.
    static VARIABLE: OnceLock<usize> = OnceLock::new();
    static LOOKS: AtomicU32 = AtomicU32::new(0);
    let variable = *VARIABLE.get_or_init(|| {
        // SAFETY: looking up a name has no preconditions.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__curbrk".as_ptr()) as usize }
    });
    if variable == 0 {
        return 0;
    }
    // SAFETY: the C library defines a variable of pointer type by this name.
    let end = unsafe { (variable as *const u64).read_volatile() };
    // A hook that forgets the variable is found out in time.
    static DISTRUST: AtomicBool = AtomicBool::new(false);
    // Threads may count the same look: it need not be exact, and this needs no lock of the bus.
    let looks = LOOKS.load(Ordering::Relaxed);
    LOOKS.store(looks.wrapping_add(1), Ordering::Relaxed);
    if looks.is_multiple_of(256) {
        // SAFETY: brk(2) with 0 changes nothing.
        let library = unsafe { libc::syscall(libc::SYS_brk, 0) } as u64;
        DISTRUST.fetch_or(library < end, Ordering::Relaxed);
    }
    if DISTRUST.load(Ordering::Relaxed) { 0 } else { end }
}

/// Is memory that lay in `region` certain to be readable still?
#[inline]
pub fn is_there(region: Region, span: &Range<u64>) -> bool {
    match region {
        Region::Lasting => true,
        Region::Heap => span.end <= program_break(),
        Region::Stack => own_stack::holds(span),
        Region::Arena => arena::holds(span),
        Region::Other => false,
    }
}

/// Bytes that are rather copied than probed.
pub const MAX_COPIED: u64 = 256 << 10;

/// Has the kernel copy the bytes of `span`; `None` if not all of them can be read.
pub fn copy(span: &Range<u64>, into: &mut Vec<u8>) -> Option<()> {
    into.resize(usize::try_from(span.end.checked_sub(span.start)?).ok()?, 0);
    read(span.start, into).then_some(())
}

const PAGE: u64 = 4096;
/// Most parts of one system call (IOV_MAX).
const MAX_PARTS: usize = 1024;

/// Can all pages of `span` be read at the moment?
pub fn is_readable(span: &Range<u64>) -> bool {
    let mut byte = [0u8; MAX_PARTS];
    let mut at = span.start;
    while at < span.end {
        let mut parts = Vec::with_capacity(MAX_PARTS);
        while at < span.end && parts.len() < MAX_PARTS {
            parts.push(libc::iovec { iov_base: at as *mut libc::c_void, iov_len: 1 });
            at = (at / PAGE + 1) * PAGE;
        }
        let local = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: parts.len() };
        // SAFETY: as in `copy_by_kernel`.
        let read = unsafe { libc::process_vm_readv(owner::pid(), &local, 1, parts.as_ptr(), parts.len() as u64, 0) };
        if read != parts.len() as isize {
            return false;
        }
    }
    true
}

/// Copies from `address` into `into`. False if not all of it can be read.
pub fn read(address: u64, into: &mut [u8]) -> bool {
    let is_whole = |read: isize, bytes: usize| usize::try_from(read).is_ok_and(|n| n == bytes);
    if is_whole(copy_by_kernel(address, into), into.len()) {
        return true;
    }
    let other = OTHER_VIEW.get().and_then(|view| view(address..address.checked_add(into.len() as u64)?));
    other.is_some_and(|other| is_whole(copy_by_kernel(other, into), into.len()))
}

/// Tells where else memory is mapped, which nobody may read at its own place at the moment.
static OTHER_VIEW: OnceLock<fn(Range<u64>) -> Option<u64>> = OnceLock::new();

/// Memory that cannot be read is looked for where `view` says; it neither allocates nor waits.
pub fn set_other_view(view: fn(Range<u64>) -> Option<u64>) {
    _ = OTHER_VIEW.set(view);
}

/// Is it certain that a byte cannot be read? Some systems forbid to ask.
pub fn is_certainly_unreadable(address: u64) -> bool {
    copy_by_kernel(address, &mut [0]) < 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
}

/// Is it certain that there is no memory at an address? What the program has protected is there still.
pub fn is_certainly_gone(address: u64) -> bool {
    if !is_certainly_unreadable(address) {
        return false;
    }
    let maps = proc::own_maps();
    let mut all = proc::mapped(&maps).peekable();
    // Memory that was moved while the list was read may be missing in it.
    all.peek().is_some() && !all.any(|mapped| mapped.range.contains(&address)) && is_certainly_unreadable(address)
}

/// Bytes that the kernel has copied from `address`; negative, and errno says why, if none.
fn copy_by_kernel(address: u64, into: &mut [u8]) -> isize {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: into.len() };
    // SAFETY: the local vector is a live slice; the kernel checks the other one.
    unsafe { libc::process_vm_readv(owner::pid(), &local, 1, &remote, 1, 0) }
}

/// A C string of at most `most` bytes.
pub fn read_text(address: u64, most: usize) -> Option<String> {
    /// No page is smaller, so that no read goes beyond the end of the string into the next one.
    const STEP: u64 = 64;
    let mut text = Vec::new();
    let mut at = address;
    while text.len() < most {
        let mut part = [0u8; STEP as usize];
        let part = part.get_mut(..(STEP - at % STEP) as usize)?;
        if !read(at, part) {
            return None;
        }
        if let Some(end) = part.iter().position(|b| *b == 0) {
            text.extend_from_slice(part.get(..end)?);
            break;
        }
        text.extend_from_slice(part);
        at += part.len() as u64;
    }
    text.truncate(most);
    Some(String::from_utf8_lossy(&text).into_owned())
}
