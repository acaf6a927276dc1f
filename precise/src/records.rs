//! Accesses that were noted, until `libmpivet.so` takes them. Handlers write, one thread reads.

use recorder::in_flight::{Access, How, MAX_FRAMES, OF_WINDOW};
use recorder::unwind;
use std::cell::UnsafeCell;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

const PLACES: usize = 1 << 10;
const EMPTY: u32 = 0;
const READY: u32 = 1;

struct Slot {
    state: AtomicU32,
    access: UnsafeCell<MaybeUninit<Access>>,
}

struct Ring {
    written: AtomicU64,
    taken: AtomicU64,
    slots: [Slot; PLACES],
}

// SAFETY: a slot is written by the one thread that got its number, while it is empty, and read by the one that takes it, while it
// is ready.
unsafe impl Sync for Ring {}

static RING: Ring = Ring {
    written: AtomicU64::new(0),
    taken: AtomicU64::new(0),
    slots: [const { Slot { state: AtomicU32::new(EMPTY), access: UnsafeCell::new(MaybeUninit::uninit()) } }; PLACES],
};

impl Ring {
    /// Notes an access; drops it if there is no room.
    fn push(&self, access: &Access) {
        let mut number = self.written.load(Ordering::Acquire);
        loop {
            if number.wrapping_sub(self.taken.load(Ordering::Acquire)) >= PLACES as u64 {
                return;
            }
            match self.written.compare_exchange_weak(number, number + 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => break,
                Err(other) => number = other,
            }
        }
        let Some(slot) = self.slots.get(number as usize % PLACES) else { return };
        // SAFETY: nobody else has this number, and the slot was taken before the number came up again.
        unsafe { (*slot.access.get()).write(*access) };
        slot.state.store(READY, Ordering::Release);
    }

    fn take(&self) -> Option<Access> {
        let number = self.taken.load(Ordering::Acquire);
        let slot = self.slots.get(number as usize % PLACES)?;
        if number == self.written.load(Ordering::Acquire) || slot.state.load(Ordering::Acquire) != READY {
            return None;
        }
        // SAFETY: it was written before it became ready.
        let access = unsafe { (*slot.access.get()).assume_init() };
        slot.state.store(EMPTY, Ordering::Release);
        self.taken.store(number + 1, Ordering::Release);
        Some(access)
    }
}

pub(crate) extern "C" fn take(into: &mut Access) -> bool {
    // One at a time reads; the other one comes again.
    static READS: AtomicBool = AtomicBool::new(false);
    if READS.swap(true, Ordering::Acquire) {
        return false;
    }
    let access = RING.take();
    READS.store(false, Ordering::Release);
    access.map(|access| *into = access).is_some()
}

const SITES: usize = 1 << 11;
/// Instructions that were noted for a use of memory, mixed: each is noted once, as long as no other one takes its place.
static KNOWN: [AtomicU64; SITES] = [const { AtomicU64::new(0) }; SITES];

/// Was this instruction not noted yet for this use of memory?
fn is_new(ticket: u64, instruction: u64, how: How) -> bool {
    let key = (ticket.rotate_left(40) ^ instruction ^ (how as u64) << 60).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    KNOWN.get((key >> 53) as usize % SITES).is_some_and(|place| place.swap(key, Ordering::Relaxed) != key)
}

/// Where the program has accessed memory.
pub(crate) struct At {
    /// The instruction, or the next one.
    pub(crate) address: u64,
    pub(crate) is_behind: bool,
    /// The access begins in front of the memory that is in use.
    pub(crate) is_beside: bool,
    /// There is room on the stack to look for its callers.
    pub(crate) walks: bool,
}

/// An instruction of the program has accessed memory that is in use. For handlers.
pub(crate) fn by_instruction(ticket: u64, (address, bytes): (u64, u64), how: How, at: At) {
    let At { address: instruction, is_behind, is_beside, walks } = at;
    // The instruction of a system call may be that of a function for all of them.
    let is_call = matches!(how, How::KernelLoad | How::KernelStore);
    let place = if ticket & OF_WINDOW == 0 && !is_beside { instruction } else { instruction ^ address.rotate_left(24) };
    if !is_call && !is_new(ticket, place, how) {
        return;
    }
    let mut access = Access { ticket, address, bytes, how, count: 0, frames: [0; MAX_FRAMES] };
    let mut add = |at: u64| {
        if let Some(place) = access.frames.get_mut(access.count as usize) {
            *place = at;
            access.count += 1;
        }
        (access.count as usize) < MAX_FRAMES
    };
    if walks {
        let mut is_found = false;
        unwind::walk(|frame| {
            is_found |= frame.address == instruction;
            !is_found || frame.address != 0 && add(frame.address)
        });
    }
    if access.count == 0 {
        access.count = 1;
        if let Some(first) = access.frames.first_mut() {
            *first = instruction;
        }
    }
    // Others are return addresses, behind the instruction that is meant; a system call and a watchpoint
    // go on there, too.
    if let Some(first) = access.frames.first_mut().filter(|_| !is_behind) {
        *first += 1;
    }
    let callers = access.frames.iter().take(4).fold(instruction, |mixed, frame| mixed.rotate_left(20) ^ frame);
    if is_call && !is_new(ticket, callers, how) {
        return;
    }
    RING.push(&access);
}

static OWN: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Finds where this library lies.
pub(crate) fn learn_self() {
    let here = learn_self as *const () as u64;
    let maps = trace_format::run::proc::own_maps();
    let mut own: Option<(u64, u64, &str)> = None;
    let code = trace_format::run::proc::mapped(&maps).find(|m| m.range.contains(&here)).map(|m| m.path);
    for mapped in trace_format::run::proc::mapped(&maps).filter(|m| Some(m.path) == code) {
        let (start, end, path) = own.unwrap_or((mapped.range.start, mapped.range.end, mapped.path));
        own = Some((start.min(mapped.range.start), end.max(mapped.range.end), path));
    }
    if let Some((start, end, _)) = own {
        let [first, last] = &OWN;
        first.store(start, Ordering::Relaxed);
        last.store(end, Ordering::Relaxed);
    }
}

/// Where this library lies, if that is known.
pub(crate) fn own_range() -> Option<Range<u64>> {
    let [first, last] = &OWN;
    let own = first.load(Ordering::Relaxed)..last.load(Ordering::Relaxed);
    (!own.is_empty()).then_some(own)
}

fn is_own(address: u64) -> bool {
    own_range().is_some_and(|own| own.contains(&address))
}

/// A function that this library wraps was called by the program, and accesses memory that is in use. Not for handlers.
pub(crate) fn by_function(ticket: u64, (address, bytes): (u64, u64), how: How) {
    let mut access = Access { ticket, address, bytes, how, count: 0, frames: [0; MAX_FRAMES] };
    unwind::walk(|frame| {
        if is_own(frame.address) && access.count == 0 {
            return true;
        }
        if let Some(place) = access.frames.get_mut(access.count as usize).filter(|_| frame.address != 0) {
            *place = frame.address;
            access.count += 1;
        }
        frame.address != 0 && (access.count as usize) < MAX_FRAMES
    });
    let [first, ..] = access.frames;
    if is_new(ticket, first, how) {
        RING.push(&access);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_keeps_its_first_accesses_and_drops_what_has_no_room() {
        let access = Access { ticket: 0, address: 0, bytes: 1, how: How::Load, count: 0, frames: [0; MAX_FRAMES] };
        for round in 0..3 {
            for ticket in 0..PLACES as u64 + 5 {
                RING.push(&Access { ticket, ..access });
            }
            for ticket in 0..PLACES as u64 {
                assert_eq!(RING.take().map(|a| a.ticket), Some(ticket), "round {round}");
            }
            assert!(RING.take().is_none());
        }
    }

    #[test]
    fn an_instruction_is_noted_once_for_each_use_and_kind() {
        assert!(is_new(20, 0x1000, How::Load) && !is_new(20, 0x1000, How::Load));
        assert!(is_new(20, 0x1000, How::Store) && is_new(21, 0x1000, How::Load));
    }
}
