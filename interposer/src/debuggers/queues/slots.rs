//! The entries of operations: those with a request have them as long as they are known, calls while the thread is inside.

use super::mpivet_queues;
use super::pages::{change, entry, turn};
use super::shape::{Half, Shape};
use crate::mpi::handles::Cache;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::checks::Spot;
use queue_table::{Operation, flag, kind, stamp};
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use trace_format::definition::{Id, UNKNOWN_ID};
use trace_format::mpi::special::{ANY_TAG, PROC_NULL};
use trace_format::mpi::{FnId, Kind};

/// An entry that belongs to one operation or call at a time.
struct Slot {
    index: u64,
    entry: &'static Operation,
}

/// Entries of nobody, and how many there are in all.
static FREE: Mutex<(Vec<u64>, u64)> = Mutex::new((Vec::new(), 0));

impl Slot {
    #[cold]
    fn take() -> Option<Slot> {
        let mut free = FREE.lock().unwrap_or_else(|e| e.into_inner());
        let index = free.0.pop().unwrap_or(free.1);
        let entry = entry(&mpivet_queues.operations, index)?;
        free.1 = free.1.max(index + 1);
        Some(Slot { index, entry })
    }

    fn clear(&self) {
        turn(&self.entry.stamp, stamp::EMPTY);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.clear();
        FREE.lock().unwrap_or_else(|e| e.into_inner()).0.push(self.index);
    }
}

/// The entries of an operation, or of a call: two if it sends and receives. They are kept for the next one.
#[derive(Default)]
pub(crate) struct Queued {
    slots: [Option<Slot>; 2],
    /// How many of them say something.
    used: u8,
}

impl Queued {
    pub(crate) const fn new() -> Queued {
        Queued { slots: [const { None }; 2], used: 0 }
    }

    fn slots(&self) -> impl Iterator<Item = &Operation> {
        self.slots.iter().take(self.used.into()).flatten().map(|slot| slot.entry)
    }

    /// The next entry to say something in.
    #[inline(always)]
    fn next(&mut self) -> Option<&'static Operation> {
        let slot = self.slots.get_mut(usize::from(self.used))?;
        if slot.is_none() {
            *slot = Slot::take();
        }
        self.used += u8::from(slot.is_some());
        slot.as_ref().map(|slot| slot.entry)
    }

    /// The operation is over, or the call has returned.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        if self.used != 0 {
            if let [Some(first), second] = &self.slots {
                turn(&first.entry.stamp, stamp::EMPTY);
                second.iter().filter(|_| self.used > 1).for_each(Slot::clear);
            }
            self.used = 0;
        }
    }

    /// A persistent operation begins. `order`: as of all operations.
    pub(crate) fn start(&self, order: u64, spot: Spot) {
        for entry in self.slots() {
            change(&entry.stamp, stamp::LIVE, || {
                entry.order.store(order, Relaxed);
                entry.site.store(spot.site, Relaxed);
                entry.flags.fetch_and(!flag::COMPLETE, Relaxed);
            });
        }
    }

    /// A persistent operation is over, and may begin again.
    pub(crate) fn rest(&self) {
        self.slots().for_each(|entry| turn(&entry.stamp, stamp::RESTING));
    }

    /// The program was told that it is complete.
    pub(crate) fn complete(&self) {
        for entry in self.slots().filter(|entry| entry.stamp.load(Relaxed) & stamp::MASK == stamp::LIVE) {
            change(&entry.stamp, stamp::LIVE, || {
                entry.flags.fetch_or(flag::COMPLETE, Relaxed);
            });
        }
    }
}

/// A call has made the operation that `queued` is of, under way unless it is persistent.
#[inline]
pub(crate) fn describe(thread: &mut Thread, call: &Call, queued: &mut Queued) {
    queued.clear();
    if let Some(shape) = &call.info.queued {
        say(&mut thread.handles, call, shape, queued);
    }
}

/// A call is about to be made.
#[inline(always)]
pub(crate) fn entered(thread: &mut Thread, call: &Call) {
    if let Some(shape) = &call.info.queued
        && shape.blocking
    {
        enter(thread, call, shape);
    }
}

#[inline(never)]
fn enter(thread: &mut Thread, call: &Call, shape: &Shape) {
    let depth = thread.depth;
    if thread.queued.len() <= depth {
        thread.queued.resize_with(depth + 1, Queued::new);
    }
    if let Some(queued) = thread.queued.get_mut(depth) {
        queued.clear();
        say(&mut thread.handles, call, shape, queued);
    }
}

/// A call has returned.
#[inline(always)]
pub(crate) fn left(thread: &mut Thread, call: &Call) {
    if call.info.queued.as_ref().is_some_and(|shape| shape.blocking) {
        thread.queued.get_mut(thread.depth).into_iter().for_each(Queued::clear);
    }
}

/// The calls that the thread was in, but for the outermost so many, will never return.
#[cold]
pub(crate) fn abandoned(thread: &mut Thread) {
    thread.queued.iter_mut().skip(thread.depth).for_each(Queued::clear);
}

#[inline(always)]
fn word(call: &Call, param: u8) -> u64 {
    call.words.get(usize::from(param)).copied().unwrap_or(0)
}

#[inline(always)]
fn say(handles: &mut Cache, call: &Call, shape: &Shape, queued: &mut Queued) {
    let comm = handles.id(Kind::Comm, call.abi.handle_arg(Kind::Comm, word(call, shape.comm)));
    if comm == UNKNOWN_ID {
        return;
    }
    say_half(handles, call, shape, &shape.first, comm, queued);
    if let Some(second) = &shape.second {
        say_half(handles, call, shape, second, comm, queued);
    }
}

#[inline(always)]
fn say_half(handles: &mut Cache, call: &Call, shape: &Shape, half: &Half, comm: Id, queued: &mut Queued) {
    let peer = call.abi.rank(word(call, half.rank) as i32);
    if peer == PROC_NULL {
        return;
    }
    let data = Data::of(handles, call, shape, half);
    if let Some(entry) = queued.next() {
        write(entry, call, shape, half, (comm, peer), data);
    }
}

/// What is sent or received.
#[derive(Clone, Copy, Default)]
struct Data {
    buffer: u64,
    count: i64,
    datatype: Id,
    element: u32,
}

impl Data {
    #[inline(always)]
    fn of(handles: &mut Cache, call: &Call, shape: &Shape, half: &Half) -> Data {
        let word = |p: u8| word(call, p);
        let Some((buffer, count, large, datatype)) = half.data else { return Data::default() };
        let count = if large { word(count) as i64 } else { i64::from(word(count) as i32) };
        let times = shape.partitions.map_or(1, |p| i64::from(word(p) as i32));
        let facts = handles.facts(Kind::Datatype, call.abi.handle_arg(Kind::Datatype, word(datatype)));
        let element = u32::try_from(facts.bytes).unwrap_or(u32::MAX);
        Data { buffer: word(buffer), count: count.saturating_mul(times), datatype: facts.id, element }
    }
}

#[inline(always)]
fn write(entry: &Operation, call: &Call, shape: &Shape, half: &Half, (comm, peer): (Id, i32), data: Data) {
    let tag = call.abi.tag(word(call, half.tag) as i32);
    let receives = half.kind != kind::SEND;
    let blocking = if shape.blocking { flag::BLOCKING } else { 0 };
    let persistent = if shape.persistent { flag::PERSISTENT } else { 0 };
    let any_tag = if receives && tag == ANY_TAG { flag::ANY_TAG } else { 0 };
    let (site, function) = (call.open.site.stack, call.info.row.id as FnId as u16);
    change(&entry.stamp, if shape.persistent { stamp::RESTING } else { stamp::LIVE }, || {
        entry.order.store(call.open.entered, Relaxed);
        entry.buffer.store(data.buffer, Relaxed);
        entry.count.store(data.count, Relaxed);
        entry.datatype.store(data.datatype, Relaxed);
        entry.element.store(data.element, Relaxed);
        entry.communicator.store(comm, Relaxed);
        entry.peer.store(peer, Relaxed);
        entry.tag.store(tag, Relaxed);
        entry.site.store(site, Relaxed);
        entry.made.store(if shape.persistent { site } else { 0 }, Relaxed);
        entry.function.store(function, Relaxed);
        entry.kind.store(half.kind, Relaxed);
        entry.flags.store(blocking | persistent | any_tag, Relaxed);
    });
}

/// Is any operation on this communicator under way?
pub(super) fn is_in_use(comm: Id) -> bool {
    let all = FREE.lock().unwrap_or_else(|e| e.into_inner()).1;
    (0..all)
        .filter_map(|index| entry::<Operation>(&mpivet_queues.operations, index))
        .any(|entry| entry.stamp.load(Relaxed) & stamp::MASK == stamp::LIVE && entry.communicator.load(Relaxed) == comm)
}
