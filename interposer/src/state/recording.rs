//! The record of a call: its parts, its completion in place, or behind other records where that is too late.

use crate::call::call_cache;
use crate::call::call_cache::Same;
use crate::call::encode::{encoder, max_bytes};
use crate::call::info::Info;
use crate::call::sites::{Arrival, Site};
use crate::mpi::abi::Abi;
use crate::mpi::changes::Witness;
use crate::mpi::handles;
use crate::mpi::spot::Spot;
use crate::mpi::words::Words;
use crate::state::thread::{LastPoll, Thread};
use recorder::stage;
use trace_format::plan::Shape;
use trace_format::record::{
    CALL_HEADER_BYTES, MAX_DURATION, MAX_INLINE_BYTES, RETURN_HEADER_BYTES, State, pack_duration,
};

/// A recorded call that has not returned.
#[derive(Default)]
pub(crate) struct Open {
    pub(crate) lap: u64,
    pub(crate) offset: usize,
    /// Its return values are completed in place.
    pub(crate) is_whole: bool,
    pub(crate) index: u64,
    /// It repeats a poll: then it is only recorded if it finds something ([`Thread::unwritten`]).
    pub(crate) repeats: bool,
    pub(crate) in_bytes: usize,
    pub(crate) site: Site,
    pub(crate) freed: Option<handles::Dying>,
    pub(crate) entered: u64,
    /// Where the thread remembers the call, if it does.
    pub(crate) place: Option<call_cache::Place>,
    /// A call that is the same was made before, and its arguments were all right.
    pub(crate) is_fine: bool,
}

impl Open {
    /// The place of its return values in its record.
    #[inline(always)]
    fn outs(&self) -> usize {
        self.offset + CALL_HEADER_BYTES + self.in_bytes
    }
}

/// A call of the program: its function, its arguments, its record.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) info: &'a Info,
    pub(crate) abi: &'static Abi,
    pub(crate) words: &'a Words,
    pub(crate) open: &'a Open,
}

impl Spot {
    /// The call that `thread` is making.
    #[inline(always)]
    pub(crate) fn of(thread: &Thread, call: &Call) -> Spot {
        let Call { info, open, .. } = call;
        Spot { call: open.index, site: open.site.stack, func: info.func, thread: thread.number() }
    }
}

/// How a call ended.
#[derive(Clone, Copy)]
pub(crate) struct Return {
    pub(crate) time: u64,
    /// Neutral error class.
    pub(crate) class: u16,
    /// The outputs mean something.
    pub(crate) valid: bool,
}

/// The values at a call, as they were written.
pub(crate) struct Ins {
    pub(crate) bytes: usize,
    /// See [`Open::place`].
    pub(crate) place: Option<call_cache::Place>,
    /// See [`Open::is_fine`].
    pub(crate) is_fine: bool,
}

/// Writes the values at a call to `start`, where there is room for a record of the function. `since`: a moment
/// before the call site was looked up.
pub(crate) fn write_ins(
    thread: &mut Thread,
    info: &Info,
    words: &Words,
    (arrival, site, since): (Arrival, Site, Witness),
    start: usize,
) -> Ins {
    let at = thread.stage.at(start);
    // Only the call site is remembered of others, for the short way.
    let may_be_remembered = info.is_remembered || info.is_quick;
    if !may_be_remembered || !thread.call_cache.is_worth_a_search(info) {
        return Ins { bytes: write_values(thread, info, info.abi, words, at), place: None, is_fine: false };
    }
    let same = Same::of(info, arrival, words);
    let (sites, cache) = (&thread.sites, &mut thread.call_cache);
    let stack = || sites.slots(arrival).map(|slots| (arrival.stack_pointer, slots));
    let found = cache.find(&same, site);
    let known = found.ok().and_then(|index| cache.again(index, arrival, stack));
    if let Some(call) = known.filter(|_| info.is_remembered) {
        call.copy(at, info.in_bytes);
        return Ins { bytes: info.in_bytes, place: call.place(), is_fine: call.is_fine };
    }
    let kept = found.err().map(|index| (index, stack()));
    let bytes = write_values(thread, info, info.abi, words, at);
    let place = kept.and_then(|(index, stack)| thread.call_cache.keep(index, &same, site, stack, at, since));
    Ins { bytes, place: place.filter(|_| info.is_remembered), is_fine: false }
}

/// Writes the values of the words.
#[inline(always)]
pub(crate) fn write_values(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &Words, at: *mut u8) -> usize {
    let end = if info.ins.are_plain {
        info.ins.write(at, abi, words, true)
    } else {
        let mut encoder = encoder(at, &mut thread.handles, info, abi, words);
        encoder.ins();
        encoder.out.0
    };
    end as usize - at as usize
}

/// Writes the values at a return to where there is room for them. How many bytes they take.
#[inline(always)]
fn write_outs(thread: &mut Thread, call: &Call, at: *mut u8, valid: bool) -> usize {
    let &Call { info, abi, words, .. } = call;
    let end = if info.outs.are_plain {
        info.outs.write(at, abi, words, valid)
    } else {
        let mut encoder = encoder(at, &mut thread.handles, info, abi, words);
        encoder.outs(valid);
        encoder.out.0
    };
    end as usize - at as usize
}

#[inline(always)]
pub(crate) fn write_header(stage: &stage::Stage, start: usize, time: u64, site: u32) {
    let words = stage.at(start).cast::<u64>();
    // SAFETY: `reserve` made room for the header; word 0 is stored by `commit`.
    unsafe {
        words.add(1).write(time);
        words.add(2).write(0);
        words.add(3).write(u64::from(site));
    }
}

/// Bytes that the values at the return will take.
#[inline(always)]
pub(crate) fn outs_room(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &Words) -> usize {
    if let Some(bytes) = info.outs.bytes {
        return bytes.into();
    }
    let mut room = 0;
    for item in &info.plan.outs {
        room += match item.shape {
            Shape::Deref(elem) | Shape::Arg(elem) => elem.width(),
            Shape::Array { elem, len, at_root } => {
                let encoder = encoder(std::ptr::null_mut(), &mut thread.handles, info, abi, words);
                let bytes = encoder.length(len, at_root) * elem.width();
                4 + if bytes > MAX_INLINE_BYTES { 0 } else { bytes }
            }
            _ => 0,
        };
    }
    room
}

/// Is the record being written the same as the negative poll right before it?
pub(crate) fn is_same(thread: &Thread, info: &Info, last: &LastPoll, site: u32, start: usize, in_bytes: usize) -> bool {
    if last.lap != thread.stage.lap() || last.func != info.row.id as u16 || last.in_bytes != in_bytes {
        return false;
    }
    // SAFETY: both ranges lie in the stage: the last record and the one being written behind it.
    unsafe {
        let same_site = thread.stage.at(last.offset + 24).cast::<u32>().read() == site;
        let old = thread.stage.at(last.offset + CALL_HEADER_BYTES);
        let new = thread.stage.at(start + CALL_HEADER_BYTES);
        same_site && is_equal(old, new, in_bytes)
    }
}

/// Are so many bytes equal? They are few, and mostly words: a call of memcmp takes longer.
///
/// # Safety
/// Both are valid to read for so many bytes.
#[inline(always)]
unsafe fn is_equal(left: *const u8, right: *const u8, bytes: usize) -> bool {
    let mut at = 0;
    while at + 8 <= bytes {
        // SAFETY: within the bytes that the caller vouches for.
        let words =
            unsafe { (left.add(at).cast::<u64>().read_unaligned(), right.add(at).cast::<u64>().read_unaligned()) };
        if words.0 != words.1 {
            return false;
        }
        at += 8;
    }
    // SAFETY: the same.
    at == bytes
        || unsafe {
            std::slice::from_raw_parts(left.add(at), bytes - at)
                == std::slice::from_raw_parts(right.add(at), bytes - at)
        }
}

/// Writes down the return of a call: in its record, or else, and then the answer is false, as a record of its own.
/// `apart`: other records must be read before it.
#[inline(always)]
pub(crate) fn complete(thread: &mut Thread, call: &Call, end: Return, apart: bool) -> bool {
    let open = call.open;
    if !open.is_whole || open.lap != thread.stage.lap() || apart {
        write_return(thread, call, open.index, end);
        return false;
    }
    complete_at(
        thread,
        call,
        open.outs(),
        (pack_duration(end.time.saturating_sub(open.entered), end.class), end.valid),
    );
    true
}

/// Writes a return down in the record of the call, which is in the current lap, and whose results go to `outs`. `duration`: as
/// [`pack_duration`] gives it.
#[inline(always)]
fn complete_at(thread: &mut Thread, call: &Call, outs: usize, (duration, valid): (u64, bool)) {
    write_outs(thread, call, thread.stage.at(outs), valid);
    // SAFETY: word 2 of the record, which is in the current lap.
    unsafe { thread.stage.at(call.open.offset + 16).cast::<u64>().write(duration) };
    thread.stage.complete(call.open.offset);
}

/// Completes a call without an error in its record, unless that is gone.
#[inline(always)]
pub(crate) fn complete_usual(thread: &mut Thread, call: &Call, time: u64) {
    let open = call.open;
    let ticks = time.wrapping_sub(open.entered);
    if open.lap != thread.stage.lap() || ticks > MAX_DURATION {
        return complete_late(thread, call, time);
    }
    // So few ticks without an error are what `pack_duration` would give.
    complete_at(thread, call, open.outs(), (ticks, true));
}

#[cold]
#[inline(never)]
fn complete_late(thread: &mut Thread, call: &Call, time: u64) {
    complete(thread, call, Return { time, class: 0, valid: true }, false);
}

/// Did a poll find nothing? `address` is that of its flag or count.
#[inline(always)]
pub(crate) fn is_negative(abi: &Abi, address: u64) -> bool {
    // SAFETY: the library has written the flag at this address of the program's.
    address >= abi.lowest_address && unsafe { (address as *const i32).read_unaligned() } == 0
}

/// Counts another poll like the last one.
#[inline(always)]
pub(crate) fn count_poll(thread: &mut Thread, time: u64) {
    let Some(Unwritten { last, .. }) = thread.unwritten.take() else { return };
    let words = thread.stage.at(last.offset).cast::<u64>();
    // SAFETY: the record is in the current lap: whatever was written since would have written the poll down first.
    unsafe {
        let count = words.add(3).cast::<u32>().add(1);
        count.write(count.read().saturating_add(1));
        let entered = words.add(1).read();
        words.add(2).write(pack_duration(time.saturating_sub(entered), 0));
    }
}

/// A poll like the one before it: nothing of it is written down unless it finds something.
#[derive(Clone, Copy)]
pub(crate) struct Unwritten {
    last: LastPoll,
    site: u32,
    entered: u64,
}

impl Unwritten {
    /// The call that is `open` and repeats the poll `last`.
    pub(crate) fn new(last: LastPoll, open: &Open) -> Unwritten {
        Unwritten { last, site: open.site.stack, entered: open.entered }
    }
}

/// Writes a repeated poll down while the library is still in it: something is about to be recorded that must be read
/// after it.
#[cold]
pub(crate) fn commit_poll(thread: &mut Thread) {
    let Some(Unwritten { last, site, entered }) = thread.unwritten.take() else { return };
    if last.lap != thread.stage.lap() {
        return;
    }
    // SAFETY: the values of the last record, which is in the current lap.
    let values = unsafe { std::slice::from_raw_parts(thread.stage.at(last.offset + CALL_HEADER_BYTES), last.in_bytes) };
    // Making room may overwrite them.
    let values = values.to_vec();
    if !thread.stage.reserve(CALL_HEADER_BYTES + values.len() + 8) {
        return;
    }
    let start = thread.stage.cursor();
    write_header(&thread.stage, start, entered, site);
    let at = thread.stage.at(start + CALL_HEADER_BYTES);
    // SAFETY: `reserve` made room for them.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), at, values.len()) };
    thread.last_poll = None;
    thread.stage.commit(start + CALL_HEADER_BYTES + values.len(), last.func, State::Entered);
}

/// Records a repeated poll that did find something, after it has returned.
pub(crate) fn record_late(thread: &mut Thread, call: &Call, end: Return) {
    let &Call { info, open, .. } = call;
    if thread.unwritten.is_none() {
        return write_return(thread, call, open.index, end);
    }
    if !info.plan.outs_sized {
        commit_poll(thread);
        return write_return(thread, call, open.index, end);
    }
    // Nothing was written since the values were put behind the last record.
    thread.unwritten = None;
    thread.last_poll = None;
    let start = open.offset;
    write_header(&thread.stage, start, open.entered, open.site.stack);
    let outs = open.outs();
    let past = outs + write_outs(thread, call, thread.stage.at(outs), end.valid);
    let duration = pack_duration(end.time.saturating_sub(open.entered), end.class);
    // SAFETY: word 2 of the record being written.
    unsafe { thread.stage.at(start + 16).cast::<u64>().write(duration) };
    thread.stage.commit(past, info.row.id as u16, State::Returned);
}

/// Writes the return of a call as a record of its own.
#[cold]
fn write_return(thread: &mut Thread, call: &Call, index: u64, end: Return) {
    let info = call.info;
    if !thread.stage.reserve(RETURN_HEADER_BYTES + 8 + max_bytes(&info.plan.outs)) {
        return;
    }
    let start = thread.stage.cursor();
    let header = thread.stage.at(start).cast::<u64>();
    // SAFETY: `reserve` made room for the header.
    unsafe {
        header.add(1).write(end.time);
        header.add(2).write(index);
        header.add(3).write(u64::from(end.class));
    }
    let outs = start + RETURN_HEADER_BYTES;
    let past = outs + write_outs(thread, call, thread.stage.at(outs), end.valid);
    thread.last_poll = None;
    thread.stage.commit(past, info.row.id as u16, State::Return);
}
