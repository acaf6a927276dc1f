//! Loops that ask for the time: a call of MPI_Wtime or MPI_Wtick that comes right behind one from the same place is counted in the
//! record of that one. Such loops make a call in 20 ns, and a record of each would take as long again and fill the disk.

use crate::call::sites::{Arrival, Slots};
use crate::mpi::changes;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::record::COUNT_AT;

/// The last record, of a call that asks for the time, and from where it was made.
pub(crate) struct AskedTime {
    /// Number of the entry point.
    number: u32,
    arrival: Arrival,
    slots: Slots,
    /// [`changes::of_all`]: what was known of addresses may be void.
    changes: u32,
    lap: u64,
    offset: usize,
    /// Where the next record will begin if there is none since.
    end: usize,
}

/// Behind so many calls one more is recorded, so that a reader sees where the thread is and when.
const MOST: u32 = 1 << 20;

/// Has the thread made this call before, and nothing since? Then the place of its count, in its record.
#[inline(always)]
pub(crate) fn count(thread: &Thread, number: u32, arrival: Arrival) -> Option<*mut u32> {
    let last = thread.asked_time.as_ref()?;
    let is_last = last.end == thread.stage.cursor() && last.lap == thread.stage.lap();
    if !is_last || last.number != number || last.arrival != arrival || last.changes != changes::of_all() {
        return None;
    }
    // SAFETY: the stack pointer is that of the slots, and stacks of other threads were forgotten.
    if !unsafe { last.slots.are_there(arrival.stack_pointer) } {
        return None;
    }
    let count = thread.stage.at(last.offset + COUNT_AT).cast::<u32>();
    // SAFETY: in the header of a record in the current lap.
    (unsafe { count.read() } < MOST).then_some(count)
}

/// A call by this entry point has returned, and its record is complete.
pub(crate) fn note(thread: &mut Thread, call: &Call, number: u32, arrival: Arrival) {
    let (end, lap, open, changes) = (thread.stage.cursor(), thread.stage.lap(), call.open, changes::of_all());
    let slots = thread.sites.slots(arrival).filter(|_| open.lap == lap);
    thread.asked_time = slots.map(|slots| AskedTime { number, arrival, slots, changes, lap, offset: open.offset, end });
}
