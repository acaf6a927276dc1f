//! The beginning and the end of any call that is recorded. Calls like those that programs make most often take a
//! shorter way with the same result ([`crate::entry::quick`]).

use crate::call::info::{Info, Watched};
use crate::call::sites;
use crate::call::sites::Arrival;
use crate::mpi::abi::Abi;
use crate::mpi::changes::Witness;
use crate::mpi::define::{self, Maker, Returned};
use crate::mpi::origin::Origin;
use crate::mpi::spot::Spot;
use crate::mpi::words::{Words, handle_at};
use crate::mpi::{handles, library};
use crate::precise;
use crate::process::errors::handlers;
use crate::process::{errors, signals, worlds};
use crate::state::queued;
use crate::state::recording::{
    Call, Open, Return, Unwritten, commit_poll, complete, count_poll, is_negative, is_same, outs_room, record_late,
    write_header, write_ins,
};
use crate::state::thread::{LastPoll, Thread};
use crate::state::{levels, statuses};
use crate::watch::calls;
use crate::watch::checks::access_in_flight;
use crate::watch::thread_level;
use crate::watch::{grequests, touched};
use recorder::{clock, trace};
use trace_format::mpi::Kind;
use trace_format::record::{CALL_HEADER_BYTES, State};

/// Writes and commits the record of a call. False if it is not to be recorded.
pub(crate) fn begin(
    thread: &mut Thread,
    info: &Info,
    abi: &'static Abi,
    arrival: Arrival,
    profiling: bool,
    words: &mut Words,
    open: &mut Open,
) -> bool {
    if precise::is_watching() {
        touched::write_down(thread);
    }
    // Before all that is remembered of them.
    let since = Witness::now();
    let (arrival, origin) = match &mut thread.in_routine {
        Some(routine) if routine.function == info.row.id => {
            routine.recorded = true;
            let arrival = Arrival { return_address: routine.return_address, stack_pointer: routine.stack_pointer };
            (arrival, thread.sites.site(arrival, info, words))
        }
        _ => {
            let site = thread.sites.site(arrival, info, words);
            if site.is_nested() || thread.depth > 0 && is_tools(site, profiling) {
                return false;
            }
            (arrival, site)
        }
    };
    let site = origin.stack;
    // A callback of that poll makes this call.
    if thread.unwritten.is_some() {
        commit_poll(thread);
    }
    if trace::is_heavy() {
        thread.stage.empty();
    }
    if trace::is_lost() || !thread.stage.reserve(info.max_record) {
        thread.mark_lost();
        return false;
    }
    let start = thread.stage.cursor();
    let values = start + CALL_HEADER_BYTES;
    let ins = write_ins(thread, info, words, (arrival, origin, since), values);
    let in_bytes = ins.bytes;
    let outs_at = values + in_bytes;
    // Polls without an answer are counted where they are already written down.
    let repeats = thread.last_poll.filter(|l| info.poll.is_some() && is_same(thread, info, l, site, start, in_bytes));
    open.lap = thread.stage.lap();
    open.offset = start;
    open.index = thread.stage.calls();
    open.repeats = repeats.is_some();
    open.in_bytes = in_bytes;
    (open.place, open.is_fine) = (ins.place, ins.is_fine);
    open.site = origin;
    if info.status.is_some() {
        statuses::own(thread, info, abi, words);
    }
    if let Some((param, kind)) = info.frees {
        let handle = handle_at(abi, kind, words.get(param).copied().unwrap_or(0));
        open.freed = handle.map(|handle| handles::dying(kind, handle));
    }
    if info.watched != Watched::No {
        if info.watched == Watched::Abort {
            errors::before_end(thread);
            signals::write_unwritten();
        }
        before_call(info, abi, words);
        if info.watched == Watched::GrequestStart {
            grequests::before_start(thread, origin.for_tool, words);
        }
    }
    let breach = levels::enter(thread, info.always_available);
    open.entered = clock::now();
    if let Some(last) = repeats {
        thread.unwritten = Some(Unwritten::new(last, open));
        if let Some(inside) = breach {
            thread_level::breach(thread, info.row, open.index, site, inside);
        }
        calls::before_repeated(thread, &Call { info, abi, words, open });
        return true;
    }
    let end = if info.plan.outs_sized { outs_at + outs_room(thread, info, abi, words) } else { outs_at };
    open.is_whole = info.plan.outs_sized;
    write_header(&thread.stage, start, open.entered, site);
    thread.stage.commit(end, info.row.id as u16, State::Entered);
    thread.last_poll = None;
    if let Some(inside) = breach {
        thread_level::breach(thread, info.row, open.index, site, inside);
    }
    calls::before(thread, &Call { info, abi, words, open });
    queued::entered(thread, &Call { info, abi, words, open });
    true
}

/// Is a call inside another one the work of a tool that wraps MPI, not of a callback of the program?
#[inline(always)]
fn is_tools(site: sites::Site, profiling: bool) -> bool {
    site.caller == Origin::Tool || profiling && site.caller != Origin::Binding
}

#[cold]
pub(crate) fn before_call(info: &Info, abi: &'static Abi, words: &mut Words) {
    match info.watched {
        Watched::Finalize => worlds::before_finalize(abi),
        Watched::SessionFinalize => worlds::before_session_finalize(abi, words[0]),
        Watched::SetErrhandler => handlers::before_set(abi, info.row.id, words),
        Watched::FreeErrhandler => handlers::before_free(abi, words),
        Watched::CreateErrhandler => errors::program::before_create(words),
        _ => {}
    }
}

#[cold]
fn after_call(thread: &mut Thread, call: &Call, spot: Spot) {
    let &Call { info, abi, words, open } = call;
    match info.watched {
        Watched::Init => {
            worlds::world_begins(abi, open.entered);
            let world = library::loaded().and_then(|r| r.predefined_handle(Kind::Comm, "MPI_COMM_WORLD"));
            calls::mpi_has_begun(spot, world);
        }
        Watched::SessionInit => worlds::session_begins(abi, words),
        Watched::GetErrhandler => handlers::after_get(abi, info.row.id, words),
        Watched::AddsError => errors::added(call),
        Watched::SetName => define::named(abi, info.row.id, words),
        Watched::GetContents => define::contents(&maker(call, spot), |definition| thread.define(definition)),
        Watched::Commit => define::committed(abi, words),
        Watched::GetAttribute => calls::attribute_was_asked(abi, words),
        Watched::GrequestStart => grequests::after_start(abi, words, Some(spot)),
        Watched::SetsStatus => grequests::sets_status(info.row.id),
        Watched::Finalize => calls::mpi_is_over(spot),
        _ => {}
    }
}

fn maker<'a>(call: &Call<'a>, spot: Spot) -> Maker<'a> {
    let &Call { info, abi, words, open } = call;
    Maker { function: info.row, abi, words, entered: open.entered, spot: Some(spot).filter(|_| !open.site.for_tool) }
}

/// A call has made an object of the program.
fn made(thread: &mut Thread, kind: Kind, handle: u64, call: &Call, spot: Spot) {
    let is_ours = kind == Kind::Errhandler && handlers::is_ours(handle);
    if is_ours {
        return;
    }
    match define::object(kind, handle, &maker(call, spot)) {
        Returned::NotMade => return,
        Returned::Known => {}
        Returned::New(definition) => thread.define(definition),
    }
    handlers::watch_made(kind, handle, call.abi);
}

/// Completes the record of a call that has returned.
pub(crate) fn end(thread: &mut Thread, call: &Call, result: i32) {
    let &Call { info, abi, words, open } = call;
    let time = clock::now();
    queued::left(thread, call);
    let told = if thread.told.is_some() { errors::told(thread, call) } else { None };
    let failed = info.row.ret == Kind::Code && (result != 0 || told.is_some());
    if failed {
        if let Some(dying) = open.freed {
            handles::kept(dying);
        }
        if info.watched == Watched::GrequestStart {
            grequests::after_start(abi, words, None);
        }
        // Does not return if the program's error handler ends the program.
        errors::returned(thread, call, open.index, result);
    } else if let Some(fatal) = thread.fatal {
        // The fatal handler was called although the call succeeds: MPI_Comm_call_errhandler.
        errors::returned(thread, call, open.index, fatal.code());
    } else {
        for (param, kind) in &info.makes {
            if let Some(handle) = handle_at(abi, *kind, words.get(*param).copied().unwrap_or(0)) {
                let spot = Spot::of(thread, call);
                made(thread, *kind, handle, call, spot);
            }
        }
        if let Some(dying) = open.freed {
            handles::freed(dying, Spot::of(thread, call));
        }
        if info.watched != Watched::No {
            let spot = Spot::of(thread, call);
            after_call(thread, call, spot);
        }
        if info.watched == Watched::Init {
            levels::learn(abi, thread, info.row.id);
        }
    }
    // A program that calls its handler itself (MPI_Comm_call_errhandler) goes on without an error.
    thread.told.take_if(|index| *index == open.index);
    calls::after(thread, call, failed);
    if precise::is_watching() {
        access_in_flight::tell(thread, call);
    }
    if info.watched == Watched::Finalize {
        access_in_flight::conclude(thread);
    }
    let apart = std::mem::take(&mut thread.return_apart);
    let class = match told {
        Some(class) if result == 0 => class,
        _ if failed => errors::neutral_class(abi, info.row.id, result),
        _ => 0,
    };
    let done = Return { time, class, valid: !failed || info.completes };
    let negative = info.poll.is_some_and(|p| !failed && is_negative(abi, words.get(p).copied().unwrap_or(0)));
    if open.repeats {
        if negative && thread.unwritten.is_some() {
            return count_poll(thread, time);
        }
        return record_late(thread, call, done);
    }
    if complete(thread, call, done, apart) && negative {
        thread.last_poll =
            Some(LastPoll { lap: open.lap, offset: open.offset, func: info.row.id as u16, in_bytes: open.in_bytes });
    }
}
