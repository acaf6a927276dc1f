//! Watchpoints of the processor (`perf_event_open` with a signal, Linux 5.13): for buffers on stacks, whose pages cannot be
//! protected, and for those of up to 32 bytes. A thread has four of them, of 8 bytes at most, and they see what this thread does;
//! of longer buffers the first and the last word are watched. Neither the kernel nor other data on the page are in their way.

use crate::{budget, kernel, records, thread};
use recorder::in_flight::How;
use std::cell::Cell;
use std::ffi::c_int;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Bytes of a buffer that is watched whole.
pub(crate) const SMALL: u64 = 32;
/// Watchpoints of one thread.
const OWN: usize = 4;
const THREADS: usize = 64;
/// Tickets of buffers that are watched so have this bit.
pub(crate) const TICKET: u64 = 1 << 62;
/// An address that library code comes to so often is given up.
const MOST_INSIDE: u64 = 1000;

/// A watchpoint, which stays open for as long as the thread lives.
struct Slot {
    /// Its file, 0 if there is none.
    file: AtomicU64,
    /// The buffer that it is for, 0 if it is free.
    ticket: AtomicU64,
    /// Bytes that it watches.
    start: AtomicU64,
    bytes: AtomicU64,
    /// Loads are hits, too.
    is_closed: AtomicBool,
    /// Hits inside of MPI.
    inside: AtomicU64,
}

static SLOTS: [[Slot; OWN]; THREADS] = [const {
    [const {
        Slot {
            file: AtomicU64::new(0),
            ticket: AtomicU64::new(0),
            start: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            is_closed: AtomicBool::new(false),
            inside: AtomicU64::new(0),
        }
    }; OWN]
}; THREADS];
static THREADS_SEEN: AtomicUsize = AtomicUsize::new(0);
static NEXT: AtomicU64 = AtomicU64::new(0);
static REFUSED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Place of this thread, from 1 on; one that has none gets none.
    static PLACE: Cell<usize> = const { Cell::new(0) };
}

/// `struct perf_event_attr` of the kernel, up to the field that says what a signal carries.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup: u32,
    which: u32,
    address: u64,
    bytes: u64,
    branches: u64,
    registers: u64,
    stack: u32,
    clock: i32,
    interrupted: u64,
    ring: u32,
    frames: u16,
    reserved: u16,
    ring_sample: u32,
    reserved_too: u32,
    carries: u64,
}

const BREAKPOINT: u32 = 5;
const WRITES: u32 = 2;
const READS_AND_WRITES: u32 = 3;
const NOT_KERNEL: u64 = 1 << 5;
const NOT_HYPERVISOR: u64 = 1 << 6;
/// It is over when another program begins; a hit is a signal.
const REMOVED_ON_EXEC: u64 = 1 << 36;
const SIGNALS: u64 = 1 << 37;
const CLOSED_ON_EXEC: u64 = 8;
const DISABLE: u64 = 0x2401;
const CHANGE: u64 = 0x4008_240b;
/// `si_code` of a hit.
const HIT: c_int = 6;
/// Files get numbers from here on, out of the way of the program's.
const FIRST_FILE: u64 = 900;

fn attributes(words: &Range<u64>, is_closed: bool, ticket: u64) -> Attributes {
    Attributes {
        kind: BREAKPOINT,
        size: size_of::<Attributes>() as u32,
        period: 1,
        flags: NOT_KERNEL | NOT_HYPERVISOR | REMOVED_ON_EXEC | SIGNALS,
        which: if is_closed { READS_AND_WRITES } else { WRITES },
        address: words.start,
        bytes: words.end - words.start,
        carries: ticket,
        ..Attributes::default()
    }
}

/// Parts of a buffer that the processor can watch, each of 1, 2, 4 or 8 bytes at a multiple of as many, and how many there are.
fn parts(start: u64, end: u64) -> ([Range<u64>; OWN], usize) {
    let mut parts = [const { 0..0 }; OWN];
    let (mut at, mut count) = (start, 0);
    for place in &mut parts {
        let Some(bytes) = [8, 4, 2, 1].into_iter().find(|bytes| at % bytes == 0 && at + bytes <= end) else { break };
        *place = at..at + bytes;
        (at, count) = (at + bytes, count + 1);
    }
    if at == end {
        return (parts, count);
    }
    // Not all of it: the first and the last word.
    let (first, last) = (start.next_multiple_of(8), end / 8 * 8 - 8);
    ([first..first + 8, last..last + 8, 0..0, 0..0], 2)
}

/// Watches a buffer, if not `samples`: all of it; its ticket.
pub(crate) fn arm(start: u64, end: u64, is_closed: bool, samples: bool) -> Option<u64> {
    if !works() || end <= start {
        return None;
    }
    let own = own_slots()?;
    let (parts, count) = parts(start, end);
    let covered: u64 = parts.iter().map(|part| part.end - part.start).sum();
    if covered != end - start && !samples {
        return None;
    }
    let free = || own.iter().filter(|slot| slot.ticket.load(Ordering::SeqCst) == 0);
    if free().count() < count {
        return None;
    }
    let ticket = TICKET | (NEXT.fetch_add(1, Ordering::Relaxed) + 1);
    let done = free().zip(parts.iter().take(count)).all(|(slot, part)| slot.set(part, is_closed, ticket));
    if !done {
        disarm(ticket);
    }
    done.then_some(ticket)
}

fn own_slots() -> Option<&'static [Slot; OWN]> {
    let place = match PLACE.get() {
        0 => {
            let place = THREADS_SEEN.fetch_add(1, Ordering::Relaxed) + 1;
            PLACE.set(place);
            place
        }
        place => place,
    };
    SLOTS.get(place - 1)
}

fn control(file: u64, command: u64, argument: u64) -> bool {
    // SAFETY: the file is one of this module's; commands for it do nothing to other kinds of files.
    unsafe { kernel::call(libc::SYS_ioctl, [file, command, argument, 0, 0, 0]) >= 0 }
}

impl Slot {
    fn set(&self, part: &Range<u64>, is_closed: bool, ticket: u64) -> bool {
        self.start.store(part.start, Ordering::SeqCst);
        self.bytes.store(part.end - part.start, Ordering::SeqCst);
        self.inside.store(0, Ordering::SeqCst);
        self.is_closed.store(is_closed, Ordering::SeqCst);
        self.ticket.store(ticket, Ordering::SeqCst);
        let file = self.file.load(Ordering::SeqCst);
        let wanted = attributes(part, is_closed, ticket);
        // It is enabled by this, too.
        if file != 0 && control(file, CHANGE, (&raw const wanted) as u64) {
            return true;
        }
        self.open(&wanted)
    }

    fn open(&self, wanted: &Attributes) -> bool {
        // SAFETY: the kernel reads the attributes alone. The file is this function's until it is stored.
        unsafe {
            let all = u64::MAX;
            let arguments = [(&raw const *wanted) as u64, 0, all, all, CLOSED_ON_EXEC, 0];
            let file = kernel::call(libc::SYS_perf_event_open, arguments);
            if file < 0 {
                // Others have taken the processor's: that may end.
                REFUSED.fetch_or(-file != i64::from(libc::ENOSPC), Ordering::Relaxed);
                return false;
            }
            let duplicate = libc::F_DUPFD_CLOEXEC as u64;
            let high = kernel::call(libc::SYS_fcntl, [file as u64, duplicate, FIRST_FILE, 0, 0, 0]);
            if high >= 0 {
                kernel::call(libc::SYS_close, [file as u64, 0, 0, 0, 0, 0]);
            }
            self.file.store(high.max(file) as u64, Ordering::SeqCst);
        }
        true
    }

    fn clear(&self) {
        control(self.file.load(Ordering::SeqCst), DISABLE, 0);
    }
}

fn of(ticket: u64) -> impl Iterator<Item = &'static Slot> {
    let used = THREADS_SEEN.load(Ordering::Relaxed);
    SLOTS.iter().take(used).flatten().filter(move |slot| slot.ticket.load(Ordering::SeqCst) == ticket)
}

pub(crate) fn disarm(ticket: u64) {
    for slot in of(ticket) {
        slot.clear();
        slot.ticket.store(0, Ordering::SeqCst);
    }
}

/// In the child of a fork the files are still those of the parent's watchpoints.
pub(crate) fn in_child() {
    THREADS_SEEN.store(0, Ordering::SeqCst);
}

/// Nothing is watched any more.
pub(crate) fn stop() {
    let used = THREADS_SEEN.load(Ordering::Relaxed);
    let in_use = |slot: &&Slot| slot.ticket.load(Ordering::SeqCst) != 0;
    SLOTS.iter().take(used).flatten().filter(in_use).for_each(Slot::clear);
}

/// They do not work, as it has turned out.
pub(crate) fn do_without() {
    REFUSED.store(true, Ordering::SeqCst);
}

pub(crate) fn works() -> bool {
    !REFUSED.load(Ordering::Relaxed)
}

/// Is the signal one of a watchpoint? An access of the program is noted: by the instruction before `behind`.
///
/// # Safety
/// The kernel has passed it to a handler.
pub(crate) unsafe fn is_hit(info: *const libc::siginfo_t, behind: u64, walks: bool) -> bool {
    /// The part of `siginfo_t` that this signal has.
    #[repr(C)]
    struct Hit {
        numbers: [c_int; 4],
        address: u64,
        carries: u64,
        kind: u32,
        is_late: u32,
    }
    // SAFETY: by the contract; the kernel's structure is longer.
    let (code, hit) = unsafe { ((*info).si_code, &*info.cast::<Hit>()) };
    if code != HIT || hit.kind != BREAKPOINT || hit.carries & TICKET == 0 {
        return false;
    }
    let start = budget::now();
    let Some(slot) = of(hit.carries).find(|slot| slot.start.load(Ordering::SeqCst) == hit.address) else { return true };
    if thread::is_inside() {
        if slot.inside.fetch_add(1, Ordering::Relaxed) > MOST_INSIDE {
            slot.clear();
        }
        return true;
    }
    if hit.is_late & 1 == 0 {
        let how = if slot.is_closed.load(Ordering::SeqCst) { How::Any } else { How::SomeStore };
        let bytes = slot.bytes.load(Ordering::SeqCst);
        let at = records::At { address: behind, is_behind: true, is_beside: false, walks };
        records::by_instruction(hit.carries, (hit.address, bytes), how, at);
    }
    if budget::is_over() || !budget::may_trap(hit.carries, hit.address) {
        slot.clear();
    }
    budget::trapped();
    budget::spend(start);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_buffers_are_watched_whole_and_long_ones_at_both_ends() {
        let of = |start, end| {
            let (parts, count) = parts(start, end);
            parts.into_iter().take(count).collect::<Vec<_>>()
        };
        assert_eq!(of(0x1000, 0x1020), [0x1000..0x1008, 0x1008..0x1010, 0x1010..0x1018, 0x1018..0x1020]);
        assert_eq!(of(0x1004, 0x1010), [0x1004..0x1008, 0x1008..0x1010]);
        assert_eq!(of(0x1001, 0x1004), [0x1001..0x1002, 0x1002..0x1004]);
        assert_eq!(of(0x1004, 0x1064), [0x1008..0x1010, 0x1058..0x1060]);
    }
}
