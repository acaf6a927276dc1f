//! The short way of calls like those that programs make most often: of functions that need nothing but to be recorded and
//! checked, made by the program itself outside of any other call, while nothing unusual is on. What is recorded is what the
//! long way ([`crate::entry::ordinary`]) would record.

use crate::call::info::Info;
use crate::call::sites::{Arrival, Site};
use crate::entry::ordinary;
use crate::mpi::changes::Witness;
use crate::mpi::words::Words;
use crate::state::queued;
use crate::state::recording::{Call, Ins, Open, complete_usual, outs_room, write_header, write_ins, write_values};
use crate::state::thread::Thread;
use crate::state::{interrupted, slow_path, statuses};
use crate::watch::calls;
use recorder::clock;
use std::mem::MaybeUninit;
use trace_format::record::{CALL_HEADER_BYTES, State};

/// Is the thread in no call, and is nothing on that calls must look at?
#[inline(always)]
pub(crate) fn is_usual(thread: &Thread) -> bool {
    thread.depth == 0 && !interrupted::is_at_work(thread) && slow_path::is_nothing(thread.no_concern)
}

/// Writes and commits the record of a call. False if it must take the long way; nothing has happened then.
#[inline(always)]
pub(crate) fn begin(
    thread: &mut Thread,
    info: &Info,
    arrival: Arrival,
    words: &mut Words,
    open: &mut MaybeUninit<Open>,
) -> bool {
    let abi = info.abi;
    let known = thread.call_cache.look(info, arrival, words);
    let (site, ins) = match known {
        Some(call) if thread.stage.has_room(info.max_record) => {
            let (site, is_fine, at) =
                (call.site, call.is_fine, thread.stage.at(thread.stage.cursor() + CALL_HEADER_BYTES));
            if info.is_remembered {
                call.copy(at, info.in_bytes);
                (site, Ins { bytes: info.in_bytes, place: call.place(), is_fine })
            } else {
                (site, Ins { bytes: write_values(thread, info, abi, words, at), place: None, is_fine })
            }
        }
        _ => match begin_anew(thread, info, arrival, words) {
            Some(begun) => begun,
            None => return false,
        },
    };
    // The stage may have been emptied meanwhile.
    let start = thread.stage.cursor();
    match info.status {
        None => {}
        Some((param, false)) => statuses::own_one(thread, param, abi, words),
        Some((_, true)) => statuses::own(thread, info, abi, words),
    }
    let entered = clock::counter();
    write_header(&thread.stage, start, entered, site.stack);
    open.write(Open {
        lap: thread.stage.lap(),
        offset: start,
        is_whole: true,
        index: thread.stage.calls(),
        repeats: false,
        in_bytes: ins.bytes,
        site,
        freed: None,
        entered,
        place: ins.place,
        is_fine: ins.is_fine,
    });
    match &info.fixed {
        Some(fixed) => thread.stage.commit_fixed(fixed),
        None => {
            let end = start + CALL_HEADER_BYTES + ins.bytes + room(thread, info, words);
            thread.stage.commit(end, info.func as u16, State::Entered);
        }
    }
    thread.last_poll = None;
    true
}

/// Bytes that the values at the return will take. Apart: the calls that are made most often know it.
#[inline(never)]
fn room(thread: &mut Thread, info: &Info, words: &Words) -> usize {
    outs_room(thread, info, info.abi, words)
}

/// Looks at a call whose record is committed.
#[inline(always)]
pub(crate) fn look(thread: &mut Thread, call: &Call) {
    calls::before_usual(thread, call);
    queued::entered(thread, call);
}

/// Makes room, and writes the values of a call that is not remembered. `None` as [`begin`].
#[inline(never)]
fn begin_anew(thread: &mut Thread, info: &Info, arrival: Arrival, words: &Words) -> Option<(Site, Ins)> {
    let since = Witness::now();
    let site = thread.sites.site(arrival, info, words);
    if site.is_nested() || !thread.stage.reserve(info.max_record) {
        return None;
    }
    let values = thread.stage.cursor() + CALL_HEADER_BYTES;
    Some((site, write_ins(thread, info, words, (arrival, site, since), values)))
}

/// Completes the record of a call that has returned.
#[inline(always)]
pub(crate) fn end(thread: &mut Thread, call: &Call, result: i32) {
    if result != 0 || thread.fatal.is_some() || thread.told.is_some() {
        return ordinary::end(thread, call, result);
    }
    let time = clock::counter();
    queued::left(thread, call);
    calls::after_usual(thread, call);
    complete_usual(thread, call, time);
}
