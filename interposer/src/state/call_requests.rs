//! The requests that a call is given, and which of them it has completed.

use crate::call::encode::encoder;
pub(crate) use crate::call::requests::{CallRequest, CallRequests};
use crate::mpi::handles;
use crate::mpi::words::handle_at;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::mpi::{Class, Kind, Many};

/// The requests that a call is given, without null handles.
pub(crate) fn all(thread: &mut Thread, call: &Call) -> CallRequests {
    let mut all = CallRequests::new();
    add_all(&mut thread.handles, call, &mut all);
    all
}

#[inline]
fn add_all(cache: &mut handles::Cache, call: &Call, all: &mut CallRequests) {
    let &Call { info, abi, words, .. } = call;
    let Some(request) = info.request else { return };
    let base = words.get(request.param).copied().unwrap_or(0);
    let mut add = |place, slot, handle| {
        if !handles::is_null_request(handle) {
            all.push(CallRequest { place, slot, handle });
        }
    };
    let Some((len, at_root)) = request.len else {
        match request.by_value {
            true => add(0, 0, abi.handle_arg(Kind::Request, base)),
            false => handle_at(abi, Kind::Request, base).into_iter().for_each(|handle| add(0, base, handle)),
        }
        return;
    };
    // Its later elements would look like places in memory.
    if base < abi.lowest_address {
        return;
    }
    let n = encoder(std::ptr::null_mut(), cache, info, abi, words).length(len, at_root);
    let bytes = abi.handle_bytes(Kind::Request) as u64;
    for place in 0..n {
        let slot = base + place as u64 * bytes;
        if let Some(handle) = handle_at(abi, Kind::Request, slot) {
            add(place, slot, handle);
        }
    }
}

/// The list of the call that is being made.
#[inline]
fn place(lists: &mut Vec<CallRequests>, depth: usize) -> Option<&mut CallRequests> {
    if lists.len() <= depth {
        lists.resize_with(depth + 1, CallRequests::new);
    }
    lists.get_mut(depth)
}

/// Clears the list, which mostly is empty already.
#[inline]
fn empty(all: &mut CallRequests) {
    if !all.is_empty() {
        all.clear();
    }
}

/// Keeps the handles that a completion call is given, and answers them: the library overwrites them. Not inlined: other
/// calls should not pay for its size.
#[inline(never)]
pub(crate) fn keep_all<'a>(thread: &'a mut Thread, call: &Call) -> &'a [CallRequest] {
    let Some(all) = place(&mut thread.call_requests, thread.depth) else { return &[] };
    empty(all);
    add_all(&mut thread.handles, call, all);
    all
}

/// Keeps what [`kept`] has given.
pub(crate) fn keep_again(thread: &mut Thread, given: CallRequests) -> &[CallRequest] {
    let Some(all) = place(&mut thread.call_requests, thread.depth) else { return &[] };
    *all = given;
    all
}

pub(crate) fn keep(thread: &mut Thread, given: Option<CallRequest>) {
    if let Some(all) = place(&mut thread.call_requests, thread.depth) {
        empty(all);
        all.extend(given);
    }
}

/// The requests that were kept when the call began.
#[inline]
pub(crate) fn kept(thread: &mut Thread) -> CallRequests {
    let depth = thread.depth;
    thread.call_requests.get_mut(depth).map(std::mem::take).unwrap_or_default()
}

/// The request that was kept when the call began, if it is one; then nothing is kept any more.
#[inline]
pub(crate) fn kept_one(thread: &mut Thread) -> Option<CallRequest> {
    let all = thread.call_requests.get_mut(thread.depth)?;
    if all.len() == 1 { all.pop() } else { None }
}

/// Visits the given requests that a call has completed, with the places of their statuses.
#[inline]
pub(crate) fn done(call: &Call, given: &[CallRequest], failed: bool, mut visit: impl FnMut(&CallRequest, usize)) {
    let &Call { info, abi, words, .. } = call;
    if failed {
        // Requests whose handle the library has taken away.
        let is_gone = |g: &&CallRequest| handle_at(abi, Kind::Request, g.slot).is_some_and(handles::is_null_request);
        return given.iter().filter(is_gone).for_each(|g| visit(g, g.place));
    }
    let int_at = |param: usize| {
        let address = words.get(param).copied().unwrap_or(0);
        // SAFETY: the library has written an integer to this address of the program's.
        (address >= abi.lowest_address).then(|| unsafe { (address as *const i32).read_unaligned() })
    };
    let int = |name: &str| info.row.param(name).and_then(int_at);
    let at = |place: i32| {
        let place = usize::try_from(place).ok()?;
        given.get(given.binary_search_by_key(&place, |g| g.place).ok()?)
    };
    // Where a poll says whether it found something; waiting always does.
    let flag = || info.poll.and_then(int_at).is_none_or(|flag| flag != 0);
    match info.row.class {
        Class::Wait(Many::One | Many::All) => given.iter().for_each(|g| visit(g, g.place)),
        Class::Test(Many::One | Many::All) | Class::GetStatus(Many::One | Many::All) if flag() => {
            given.iter().for_each(|g| visit(g, g.place));
        }
        Class::Wait(Many::Any) | Class::Test(Many::Any) | Class::GetStatus(Many::Any) if flag() => {
            // There is one status, wherever the request stands.
            int("index").and_then(at).into_iter().for_each(|g| visit(g, g.place));
        }
        Class::Wait(Many::Some) | Class::Test(Many::Some) | Class::GetStatus(Many::Some) => {
            let count = int("outcount").unwrap_or(0).max(0) as usize;
            let base = info.row.param("array_of_indices").and_then(|p| words.get(p)).copied().unwrap_or(0);
            let count = if base < abi.lowest_address { 0 } else { count.min(given.len()) };
            for nth in 0..count {
                // SAFETY: the library has written this many indices to the program's array.
                let index = unsafe { ((base + 4 * nth as u64) as *const i32).read_unaligned() };
                at(index).into_iter().for_each(|g| visit(g, nth));
            }
        }
        _ => {}
    }
}
