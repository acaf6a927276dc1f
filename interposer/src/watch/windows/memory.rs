//! The memory of the program that its windows expose: it must be there as long as the window (MPI 4.1, 12.2.5), and rules hold
//! for what is attached and detached (12.2.4).

use super::{ALL, range, with};
use crate::call::info::OnWindow;
use crate::mpi::spot::Spot;
use crate::precise::{own_memory, windows};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::rma_epoch;
use crate::watch::heap;
use recorder::memory::{self, Block, Region};
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
    attached: Attached<Part>,
}

#[derive(Clone)]
struct Created {
    span: Range<u64>,
    region: Region,
    /// The thread on whose stack it lies.
    stack_of: Option<u16>,
    allocation: Option<Allocation>,
    by: Spot,
}

/// A block of the heap that memory of a window is in.
#[derive(Clone, Copy)]
struct Allocation {
    /// As the allocator's own words have it.
    block: Option<Block>,
    /// Where it begins, and the memory in it, if blocks are known (`--heap`).
    known: Option<(u64, u64, u64)>,
}

impl Allocation {
    fn of(span: &Range<u64>) -> Option<Allocation> {
        let holds_all = |block: &heap::Block| block.start.saturating_add(block.size) >= span.end;
        let known = heap::find(span.start).filter(|block| !block.is_freed && holds_all(block));
        let (block, known) = (Block::of(span), known.map(|block| (block.start, span.start, span.end)));
        (block.is_some() || known.is_some()).then_some(Allocation { block, known })
    }

    /// Has the program freed it?
    fn is_free(&self) -> bool {
        let is_gone = |(block, start, end): (u64, u64, u64)| {
            let now = heap::find(start);
            // Another block may lie there by now.
            now.is_some_and(|now| now.is_freed || now.start != block || now.start.saturating_add(now.size) < end)
        };
        self.block.is_some_and(|block| block.is_free()) || self.known.is_some_and(is_gone)
    }
}

/// Memory that is attached to a dynamic window.
#[derive(Clone, Copy)]
struct Part {
    allocation: Option<Allocation>,
    by: Spot,
}

/// More attached memory of one window is not looked at when it is freed.
const MAX_PARTS: usize = 1000;

fn word(call: &Call, name: &str) -> u64 {
    call.info.row.param(name).and_then(|p| call.words.get(p)).copied().unwrap_or(0)
}

/// A call on a window is about to be made. True if its memory does not allow it.
pub(super) fn before(thread: &mut Thread, call: &Call, window: (Id, u64)) -> bool {
    let base = || word(call, "base");
    let mut role = "is not allowed here";
    let found = match call.info.row.id {
        FnId::MPI_Win_attach => {
            with(call.abi, window, |w| w.memory.attached.check_attach(base(), word(call, "size"))).map(words)
        }
        FnId::MPI_Win_detach => match with(call.abi, window, |w| w.memory.attached.check_detach(base())) {
            Some(misplaced) => Some(words(misplaced)),
            None => {
                role = "comes too late";
                freed(call, window, |memory| memory.attached.part(base()).copied().into_iter().collect())
                    .map(|by| ("detaches memory that was freed before".to_owned(), Some(by)))
            }
        },
        _ if call.info.on_window == OnWindow::Synchronizes => lost(thread, call, window),
        _ => None,
    };
    let Some((broken, earlier)) = found else { return false };
    rma_epoch::tell_memory(thread, Spot::of(thread, call), role, &broken, earlier);
    true
}

/// Broken rule, and the call that exposed the memory.
type Broken = (String, Option<Spot>);

fn words(misplaced: Misplaced<Part>) -> Broken {
    match misplaced {
        Misplaced::Twice { bytes, by } => {
            let are = if bytes == 1 { "1 byte is".to_owned() } else { format!("{bytes} bytes are") };
            (format!("attaches memory of which {are} attached to the window already"), Some(by.by))
        }
        Misplaced::Inside { offset, by } => {
            (format!("is given byte {offset} of memory that is attached; it must be given the beginning"), Some(by.by))
        }
        Misplaced::Nowhere => ("detaches memory that is not attached to the window".to_owned(), None),
    }
}

/// The memory of the window is gone.
fn lost(thread: &mut Thread, call: &Call, window: (Id, u64)) -> Option<Broken> {
    let created = ALL.get(&window.0)?.memory.created.clone();
    let Some(created) = created else { return lost_part(call, window) };
    let how = if is_frame_gone(thread, call, &created) {
        "was a local variable of a function that has returned"
    } else if !is_exposing(call.info.row.class) {
        return None;
    } else if is_unmapped(&created) {
        "was given back"
    } else if created.allocation.is_some_and(|allocation| allocation.is_free()) {
        "was freed"
    } else {
        return None;
    };
    forget(&created.span);
    Some((format!("is called for a window whose memory is gone: it {how}"), Some(created.by)))
}

/// The loss of the memory is told: other windows of it lose it by the same mistake.
fn forget(span: &Range<u64>) {
    ALL.iter_mut().for_each(|mut w| {
        w.memory.created.take_if(|other| other.span.start < span.end && span.start < other.span.end);
    });
}

/// A dynamic window is about to be freed, and memory that is attached to it was freed before.
fn lost_part(call: &Call, window: (Id, u64)) -> Option<Broken> {
    let is_end = matches!(call.info.row.class, Class::Collective(Coll::WinFree, _));
    let parts = |memory: &Memory| memory.attached.parts().take(MAX_PARTS).copied().collect();
    let by = is_end.then(|| freed(call, window, parts)).flatten()?;
    Some(("is called for a window whose memory is gone: a part that is attached was freed".to_owned(), Some(by)))
}

/// The call that attached memory, of some parts, that the program has freed since.
fn freed(call: &Call, window: (Id, u64), parts: impl FnOnce(&Memory) -> Vec<Part>) -> Option<Spot> {
    let parts = with(call.abi, window, |w| parts(&w.memory));
    parts.into_iter().find(|part| part.allocation.is_some_and(|allocation| allocation.is_free())).map(|part| part.by)
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

/// Does the call expose the window's memory, end that, or end the window?
fn is_exposing(class: Class) -> bool {
    let is_collective = matches!(class, Class::Collective(Coll::WinFence | Coll::WinFree, _));
    is_collective || matches!(class, Class::RmaSync(RmaSync::RmaPost | RmaSync::RmaWait))
}

fn is_unmapped(created: &Created) -> bool {
    !memory::is_there(created.region, &created.span) && memory::is_certainly_gone(created.span.start)
}

/// A call has said which memory the window exposes.
pub(super) fn exposed(thread: &mut Thread, call: &Call, window: (Id, u64)) {
    let (base, size, by) = (word(call, "base"), word(call, "size"), Spot::of(thread, call));
    match call.info.row.id {
        FnId::MPI_Win_attach => {
            let allocation = base.checked_add(size).and_then(|end| Allocation::of(&(base..end)));
            with(call.abi, window, |w| w.memory.attached.attach(base, size, Part { allocation, by }));
        }
        FnId::MPI_Win_detach => with(call.abi, window, |w| w.memory.attached.detach(base)),
        FnId::MPI_Win_shared_query | FnId::MPI_Win_shared_query_c => {
            let told = range::queried(call);
            with(call.abi, window, |w| w.known.query(told));
        }
        _ => {
            let is_own = matches!(call.info.row.class, Class::Collective(Coll::WinCreate, _));
            let created = is_own.then(|| created(thread, call, base, size)).flatten();
            let known = range::given(thread, call);
            with(call.abi, window, |w| (w.memory.created, w.known) = (created, known));
        }
    }
}

/// Memory is about to be exposed: of the program's own, if `--precise` watches. MPI_Win_create has a way of its own
/// (`process::altered`).
#[cold]
pub(super) fn exposing(thread: &mut Thread, call: &Call) {
    if call.info.row.id == FnId::MPI_Win_attach
        && let Some(window) = super::window(thread, call)
    {
        own_memory::attaching(window.0, given(call));
    }
}

/// The memory that a call has exposed is watched, if `--precise` can do that.
#[cold]
pub(super) fn is_exposed(call: &Call, window: Id) {
    match call.info.row.class {
        _ if call.info.row.id == FnId::MPI_Win_detach => own_memory::detached(window, word(call, "base")),
        Class::Collective(Coll::WinCreate, _) => own_memory::created(window, &given(call)),
        _ => allocated(call).into_iter().for_each(|span| windows::made(window, span, false)),
    }
}

/// The memory of the program that a call names.
pub(crate) fn given(call: &Call) -> Range<u64> {
    let base = word(call, "base");
    base..base.saturating_add(word(call, "size").min(i64::MAX as u64))
}

/// The memory that MPI_Win_allocate has given the process.
pub(super) fn allocated(call: &Call) -> Option<Range<u64>> {
    if !matches!(call.info.row.class, Class::Collective(Coll::WinAllocate, _)) {
        return None;
    }
    let mut base = [0; 8];
    let is_written = memory::read(word(call, "baseptr"), &mut base);
    let start = Some(u64::from_le_bytes(base)).filter(|start| is_written && *start >= call.abi.lowest_address)?;
    Some(start..start.checked_add(word(call, "size"))?)
}

/// The memory of MPI_Win_create, if there is any that the processor reads.
fn created(thread: &Thread, call: &Call, base: u64, size: u64) -> Option<Created> {
    let span = base..base.checked_add(size)?;
    if base < call.abi.lowest_address || size == 0 || size > i64::MAX as u64 || !memory::read(base, &mut [0]) {
        return None;
    }
    let region = memory::region(&span);
    let stack_of = memory::is_own_stack(base).then(|| thread.number());
    let allocation = Allocation::of(&span);
    Some(Created { span, region, stack_of, allocation, by: Spot::of(thread, call) })
}

/// MPI_Free_mem is about to be called.
#[cold]
pub(super) fn freeing(thread: &mut Thread, call: &Call) {
    let base = word(call, "base");
    let is_exposed = |created: &Created| created.span.contains(&base);
    let exposed = ALL.iter().find_map(|window| window.memory.created.clone().filter(is_exposed));
    let Some(Created { span, by, .. }) = exposed else { return };
    forget(&span);
    let role = "is not allowed here";
    rma_epoch::tell_memory(thread, Spot::of(thread, call), role, "frees memory that a window exposes", Some(by));
}
