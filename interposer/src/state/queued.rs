//! Debuggers are told of a call and of the operation that it makes ([`crate::debuggers::queues`]).

use crate::debuggers::queues::{Half, Queued, Shape, change};
use crate::mpi::handles::Cache;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use queue_table::{Operation, flag, kind, stamp};
use std::sync::atomic::Ordering::Relaxed;
use trace_format::definition::{Id, UNKNOWN_ID};
use trace_format::mpi::special::{ANY_TAG, PROC_NULL};
use trace_format::mpi::{FnId, Kind};

/// A call has made the operation that `queued` is of, under way unless it is persistent.
#[inline]
pub(crate) fn describe(thread: &mut Thread, call: &Call, queued: &mut Queued) {
    queued.forget();
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

/// The data that are sent or received.
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
        let properties = handles.properties(Kind::Datatype, call.abi.handle_arg(Kind::Datatype, word(datatype)));
        let element = u32::try_from(properties.bytes).unwrap_or(u32::MAX);
        Data { buffer: word(buffer), count: count.saturating_mul(times), datatype: properties.id, element }
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
