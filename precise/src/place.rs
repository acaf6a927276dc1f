//! Memory that may be protected: private, to be read and written, on no stack, and of no device.

use crate::pages::PAGE;
use crate::table;
use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use trace_format::run::proc;

const MOST_STACKS: usize = 1 << 10;

/// Stacks of threads, with what belongs to a thread at their upper ends.
static STACKS: [(AtomicU64, AtomicU64); MOST_STACKS] = [const { (AtomicU64::new(0), AtomicU64::new(0)) }; MOST_STACKS];

/// A thread with this stack begins. `None`: there is no room, and then nobody can be sure of any memory.
pub(crate) fn add_stack(stack: &Range<u64>) -> Option<usize> {
    let place = STACKS
        .iter()
        .position(|(start, _)| start.compare_exchange(0, stack.start, Ordering::SeqCst, Ordering::SeqCst).is_ok());
    match place.and_then(|place| Some((place, STACKS.get(place)?))) {
        Some((place, (_, end))) => {
            end.store(stack.end, Ordering::SeqCst);
            Some(place)
        }
        None => {
            LOST.store(1, Ordering::SeqCst);
            None
        }
    }
}

static LOST: AtomicU64 = AtomicU64::new(0);

pub(crate) fn remove_stack(place: usize) {
    if let Some((start, end)) = STACKS.get(place) {
        end.store(0, Ordering::SeqCst);
        start.store(0, Ordering::SeqCst);
    }
}

/// The program gives handlers of signals a stack, on which the kernel writes by itself. It stays one, whatever becomes of it.
pub(crate) fn add_stack_for_handlers(stack: &Range<u64>) {
    if !is_on_stack(stack) {
        add_stack(stack);
    }
    table::drop_edges(stack);
}

/// Where the first thread has its own data, in which the kernel writes.
static FIRST: AtomicU64 = AtomicU64::new(0);
/// Data of a thread above that place, and room that the loader keeps for libraries that come later.
const ABOVE: u64 = 8 << 10;
const KEPT: u64 = 8 << 10;

pub(crate) fn is_first_thread() {
    // SAFETY: asking for the own thread has no preconditions. The C library has a pointer there.
    FIRST.store(unsafe { libc::pthread_self() } as u64, Ordering::SeqCst);
}

/// Data of shared libraries, and that of the first thread.
fn of_others() -> Vec<Range<u64>> {
    struct Found {
        libraries: Vec<Range<u64>>,
        of_thread: u64,
        is_first: bool,
    }
    unsafe extern "C" fn each(info: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid object, and the pointer that the caller below has given it.
        let (info, found) = unsafe { (&*info, &mut *found.cast::<Found>()) };
        for number in 0..usize::from(info.dlpi_phnum) {
            // SAFETY: the object has so many headers.
            let header = unsafe { &*info.dlpi_phdr.add(number) };
            let start = info.dlpi_addr.wrapping_add(header.p_vaddr);
            match header.p_type {
                libc::PT_TLS => found.of_thread += header.p_memsz + header.p_align,
                // The program itself comes first.
                libc::PT_LOAD if !found.is_first => found.libraries.push(start..start.saturating_add(header.p_memsz)),
                _ => {}
            }
        }
        found.is_first = false;
        0
    }
    let mut found = Found { libraries: Vec::new(), of_thread: 0, is_first: true };
    // SAFETY: the function gets the pointer to the variable, and is not called after this.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut found).cast()) };
    let first = FIRST.load(Ordering::SeqCst);
    found.libraries.push(first.saturating_sub(found.of_thread + KEPT)..first.saturating_add(ABOVE));
    found.libraries
}

/// May the program alone have data on these pages, or the allocator? They are plain.
pub(crate) fn is_programs(pages: &Range<u64>) -> bool {
    let known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    !known.1.iter().any(|other| other.start / PAGE * PAGE < pages.end && pages.start < other.end)
}

fn is_on_stack(range: &Range<u64>) -> bool {
    let meets = |(start, end): &(AtomicU64, AtomicU64)| {
        start.load(Ordering::SeqCst) < range.end && range.start < end.load(Ordering::SeqCst)
    };
    STACKS.iter().any(meets)
}

/// The stack of the thread that is the first one, or of the one that calls this.
pub(crate) fn own_stack() -> Option<Range<u64>> {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::zeroed();
    let (mut base, mut bytes) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes are written by the first call, read by the second one, and destroyed if they were written.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &mut base, &mut bytes);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    Some(base as u64..(base as u64).saturating_add(bytes as u64))
}

/// Parts of memory that were found to be plain, and those of others than the program.
struct Known(Vec<Range<u64>>, Vec<Range<u64>>);

static KNOWN: Mutex<Known> = Mutex::new(Known(Vec::new(), Vec::new()));

/// May these pages be protected?
pub(crate) fn is_plain(pages: &Range<u64>) -> bool {
    if LOST.load(Ordering::SeqCst) != 0 || is_on_stack(pages) {
        return false;
    }
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    if STALE.swap(false, Ordering::SeqCst) {
        known.0.clear();
    }
    let holds = |known: &Known| known.0.iter().any(|part| part.start <= pages.start && pages.end <= part.end);
    if holds(&known) {
        return true;
    }
    known.look(&proc::own_maps());
    known.1 = of_others();
    holds(&known)
}

/// Is all of it memory of one mapping that the process shares with others, which have mappings of their own?
pub(crate) fn is_shared(pages: &Range<u64>) -> bool {
    shares(&proc::own_maps(), pages)
}

/// UCX may have memory of this kind accessed by the system, by way of this process.
fn shares(maps: &str, pages: &Range<u64>) -> bool {
    let holds = |m: &proc::Mapped| m.range.start <= pages.start && pages.end <= m.range.end;
    proc::mapped(maps).find(holds).is_some_and(|m| {
        let is_memory = !m.path.starts_with("/dev/") || m.path.starts_with("/dev/shm/");
        m.rights.starts_with("rw-s") && is_memory && !m.path.contains("ucx")
    })
}

/// Is set without the lock: an allocator that the holder of the lock calls may give memory back.
static STALE: AtomicBool = AtomicBool::new(false);

/// The program gives memory back, or makes other memory of it.
pub(crate) fn forget() {
    STALE.store(true, Ordering::SeqCst);
}

impl Known {
    /// Shared pages with a second view are the program's as they were before (`views`).
    /// Pages that are protected already divide a mapping into several parts. Such pages are known from the time before.
    fn look(&mut self, maps: &str) {
        let here = (&raw const maps) as u64;
        let plain = |m: &proc::Mapped| {
            let has_second_view = m.rights.starts_with("rw-s") && m.path.starts_with("/memfd:mpivet-window");
            let is_file = m.path.starts_with('/') && !m.path.starts_with("/dev/");
            let is_private = m.rights.starts_with("rw-p")
                && (m.path.is_empty() || m.path == "[heap]" || is_file)
                && !m.range.contains(&here);
            is_private || has_second_view
        };
        let mut all: Vec<Range<u64>> = std::mem::take(&mut self.0);
        all.extend(proc::mapped(maps).filter(plain).map(|m| m.range));
        all.sort_by_key(|part| part.start);
        for part in all {
            match self.0.last_mut().filter(|last| part.start <= last.end) {
                Some(last) => last.end = last.end.max(part.end),
                None => self.0.push(part),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_memory_is_private_and_writable() {
        let mut known = Known(Vec::new(), Vec::new());
        known.look(
            "1000-3000 rw-p 00000000 00:00 0 \n3000-4000 rw-p 00000000 00:00 0 [heap]\n5000-6000 r--p 00000000 00:00 0 \n\
             7000-8000 rw-s 00000000 00:00 0 /dev/shm/x\n8000-9000 rw-p 00000000 00:00 0 /dev/dri\n\
             a000-b000 rw-p 00000000 00:00 0 [stack]\nb000-c000 rwxp 00000000 00:00 0 \n",
        );
        assert_eq!(known.0.first(), Some(&(0x1000..0x4000)));
        assert_eq!(known.0.len(), 1);
        known.look(
            "1000-2000 rw-p 00000000 00:00 0 \n2000-3000 ---p 00000000 00:00 0 \n3000-8000 rw-p 00000000 00:00 0 \n",
        );
        assert_eq!(known.0.first(), Some(&(0x1000..0x8000)), "a part that is protected by now was plain before");
    }

    #[test]
    fn stacks_are_not_plain() {
        let stack = 0x7000_0000..0x7000_8000;
        let place = add_stack(&stack).unwrap();
        assert!(is_on_stack(&(0x7000_7000..0x7000_9000)) && !is_on_stack(&(0x7000_8000..0x7000_9000)));
        remove_stack(place);
        assert!(!is_on_stack(&stack));
    }
}
