//! The memory of the program that its windows expose: it must be there as long as the window (MPI 4.1, 12.2.5), and rules hold
//! for what is attached and detached (12.2.4).

use super::{ALL, with};
use crate::call::info::OnWindow;
use crate::mpi::spot::Spot;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::rma_epoch;
use recorder::memory::{self, Region};
use rma::{Attached, Misplaced};
use std::ops::Range;
use std::sync::atomic::Ordering;
use trace_format::definition::Id;
use trace_format::mpi::{Class, Coll, FnId, RmaSync};

/// The memory of one window.
#[derive(Default)]
pub(super) struct Memory {
    /// Given to MPI_Win_create, until its loss was told.
    created: Option<Created>,
    attached: Attached<Spot>,
}

#[derive(Clone)]
struct Created {
    span: Range<u64>,
    region: Region,
    /// The thread on whose stack it lies.
    stack_of: Option<u16>,
    by: Spot,
}

fn word(call: &Call, name: &str) -> u64 {
    call.info.row.param(name).and_then(|p| call.words.get(p)).copied().unwrap_or(0)
}

/// A call on a window is about to be made. True if its memory does not allow it.
pub(super) fn before(thread: &mut Thread, call: &Call, window: (Id, u64)) -> bool {
    let (here, base) = (Spot::of(thread, call), word(call, "base"));
    let found = match call.info.row.id {
        FnId::MPI_Win_attach => {
            with(call.abi, window, |w| w.memory.attached.check_attach(base, word(call, "size"))).map(words)
        }
        FnId::MPI_Win_detach => with(call.abi, window, |w| w.memory.attached.check_detach(base)).map(words),
        _ if call.info.on_window == OnWindow::Synchronizes => lost(thread, call, window),
        _ => None,
    };
    let Some((broken, earlier)) = found else { return false };
    rma_epoch::tell_memory(thread, here, &broken, earlier);
    true
}

/// Broken rule, and the call that exposed the memory.
type Broken = (String, Option<Spot>);

fn words(misplaced: Misplaced<Spot>) -> Broken {
    match misplaced {
        Misplaced::Twice { bytes, by } => {
            let are = if bytes == 1 { "1 byte is".to_owned() } else { format!("{bytes} bytes are") };
            (format!("attaches memory of which {are} attached to the window already"), Some(by))
        }
        Misplaced::Inside { offset, by } => {
            (format!("is given byte {offset} of memory that is attached; it must be given the beginning"), Some(by))
        }
        Misplaced::Nowhere => ("detaches memory that is not attached to the window".to_owned(), None),
    }
}

/// The memory of the window is gone.
fn lost(thread: &mut Thread, call: &Call, window: (Id, u64)) -> Option<Broken> {
    let created = ALL.get(&window.0)?.memory.created.clone()?;
    let how = if is_frame_gone(thread, call, &created) {
        "was a local variable of a function that has returned"
    } else if is_exposing(call.info.row.class) && is_unmapped(&created) {
        "was given back"
    } else {
        return None;
    };
    with(call.abi, window, |w| w.memory.created = None);
    Some((format!("is called for a window whose memory is gone: it {how}"), Some(created.by)))
}

/// Does the memory lie in a part of the stack that the calling function does not use?
fn is_frame_gone(thread: &Thread, call: &Call, created: &Created) -> bool {
    if created.stack_of != Some(thread.number()) {
        return false;
    }
    let routine = thread.in_routine.filter(|routine| routine.function == call.info.row.id);
    let stack_pointer = routine.map_or(thread.at_work.load(Ordering::Relaxed), |routine| routine.stack_pointer);
    let is_below = created.span.end <= stack_pointer;
    is_below && memory::is_own_stack(stack_pointer) && memory::is_own_stack(created.span.start)
}

/// Does the call expose the window's memory, or end the window?
fn is_exposing(class: Class) -> bool {
    matches!(class, Class::Collective(Coll::WinFence | Coll::WinFree, _) | Class::RmaSync(RmaSync::RmaPost))
}

fn is_unmapped(created: &Created) -> bool {
    !memory::is_there(created.region, &created.span) && memory::is_certainly_gone(created.span.start)
}

/// A call has said which memory the window exposes.
pub(super) fn exposed(thread: &mut Thread, call: &Call, window: (Id, u64)) {
    let (base, size, by) = (word(call, "base"), word(call, "size"), Spot::of(thread, call));
    match call.info.row.id {
        FnId::MPI_Win_attach => with(call.abi, window, |w| w.memory.attached.attach(base, size, by)),
        FnId::MPI_Win_detach => with(call.abi, window, |w| w.memory.attached.detach(base)),
        _ => {
            let created = created(thread, call, base, size);
            with(call.abi, window, |w| w.memory.created = created);
        }
    }
}

/// The memory of MPI_Win_create, if there is any that the processor reads.
fn created(thread: &Thread, call: &Call, base: u64, size: u64) -> Option<Created> {
    let span = base..base.checked_add(size)?;
    if base < call.abi.lowest_address || size == 0 || size > i64::MAX as u64 || !memory::read(base, &mut [0]) {
        return None;
    }
    let region = memory::region(&span);
    let stack_of = memory::is_own_stack(base).then(|| thread.number());
    Some(Created { span, region, stack_of, by: Spot::of(thread, call) })
}

/// MPI_Free_mem is about to be called.
#[cold]
pub(super) fn freeing(thread: &mut Thread, call: &Call) {
    let base = word(call, "base");
    let is_exposed = |created: &Created| created.span.contains(&base);
    let by = ALL.iter().find_map(|window| window.memory.created.as_ref().filter(|c| is_exposed(c)).map(|c| c.by));
    if by.is_some() {
        rma_epoch::tell_memory(thread, Spot::of(thread, call), "frees memory that a window exposes", by);
    }
}
