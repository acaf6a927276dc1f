//! The short way of calls like those that programs make most often: of functions that need nothing but to be recorded and
//! checked, made by the program itself outside of any other call, while nothing unusual is on. What is recorded is what the
//! long way ([`crate::ordinary`]) would record.

use crate::encode::Words;
use crate::info::{Info, Watched};
use crate::recording::{Call, Open, Return, complete, write_header, write_ins};
use crate::thread::Thread;
use crate::{checks, clock, interrupted, ordinary, queues, statuses, unusual};
use std::mem::MaybeUninit;
use trace_format::mpi::Kind;
use trace_format::record::{CALL_HEADER_BYTES, State};

/// May calls of this function take the short way?
pub(crate) fn fits(info: &Info) -> bool {
    let is_plain = info.watched == Watched::No && info.forced.is_none() && info.poll.is_none();
    let makes_nothing = !info.handles_objects && info.frees.is_none() && info.buffering == checks::Part::None;
    is_plain && makes_nothing && info.row.ret == Kind::Code && info.outs.bytes.is_some()
}

/// Is the thread in no call, and is nothing on that calls must look at?
#[inline(always)]
pub(crate) fn is_usual(thread: &Thread) -> bool {
    thread.depth == 0
        && thread.under_way.is_empty()
        && !interrupted::is_at_work(thread)
        && unusual::is_nothing(thread.is_main)
}

/// Writes and commits the record of a call. False if it must take the long way; nothing has happened then.
#[inline(always)]
pub(crate) fn begin(
    thread: &mut Thread,
    info: &Info,
    (return_address, stack_pointer): (u64, u64),
    words: &mut Words,
    open: &mut MaybeUninit<Open>,
) -> bool {
    let site = thread.sites.site(return_address, stack_pointer, info.row);
    if site.is_nested() || !thread.stage.reserve(info.max_record) {
        return false;
    }
    let abi = info.abi;
    let start = thread.stage.cursor;
    let values = start + CALL_HEADER_BYTES;
    let ins = write_ins(thread, info, abi, words, site.stack, values);
    let outs = values + ins.bytes;
    if info.status.is_some() {
        statuses::own(thread, info, abi, words);
    }
    let open = open.write(Open {
        lap: thread.stage.lap,
        offset: start,
        outs: Some(outs),
        index: thread.stage.calls,
        repeats: false,
        in_bytes: ins.bytes,
        site: site.stack,
        for_tool: site.for_tool,
        by_binding: site.is_by_binding(),
        freed: None,
        entered: clock::counter(),
        place: ins.place,
        is_fine: ins.is_fine,
    });
    write_header(&thread.stage, start, open.entered, site.stack);
    let end = outs + info.outs.bytes.map_or(0, usize::from);
    thread.stage.commit(end, info.func as u16, State::Entered);
    thread.stage.calls += 1;
    thread.last_poll = None;
    let call = Call { info, abi, words, open };
    checks::before_usual(thread, &call);
    queues::entered(thread, &call);
    true
}

/// Completes the record of a call that has returned.
#[inline(always)]
pub(crate) fn end(thread: &mut Thread, call: &Call, result: i32) {
    if result != 0 || thread.fatal.is_some() {
        return ordinary::end(thread, call, result);
    }
    let time = clock::counter();
    queues::left(thread, call);
    checks::after_usual(thread, call);
    complete(thread, call, Return { time, class: 0, valid: true }, false);
}
