//! The requests that a call is given, and which of them it has completed.

use crate::encode::handle_at;
use crate::handles;
use crate::recording::{Call, encoder};
use crate::thread::Thread;
use smallvec::SmallVec;
use trace_format::mpi::{Class, Kind, Many};
use trace_format::plan::Len;

/// Where a call has its requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestParam {
    pub(crate) param: usize,
    /// Passed as it is, not by the address of its variable.
    pub(crate) by_value: bool,
    pub(crate) len: Option<(Len, bool)>,
}

/// A request that a call was given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given {
    /// Its place in the array.
    pub(crate) place: usize,
    /// Where its handle stands.
    pub(crate) slot: u64,
    pub(crate) handle: u64,
}

/// In the order of their places.
pub(crate) type AllGiven = SmallVec<[Given; 3]>;

/// The requests that a call is given, without null handles.
pub(crate) fn all(thread: &mut Thread, call: &Call) -> AllGiven {
    let &Call { info, abi, words, .. } = call;
    let mut all = AllGiven::new();
    let Some(request) = info.request else { return all };
    let base = words.get(request.param).copied().unwrap_or(0);
    let mut add = |place, slot, handle| {
        if !handles::is_null_request(handle) {
            all.push(Given { place, slot, handle });
        }
    };
    if request.by_value {
        add(0, 0, abi.handle_arg(Kind::Request, base));
        return all;
    }
    let n = match request.len {
        Some((len, at_root)) => {
            encoder(std::ptr::null_mut(), &mut thread.handles, info, abi, words).length(len, at_root)
        }
        None => 1,
    };
    let bytes = abi.handle_bytes(Kind::Request) as u64;
    for place in 0..n {
        let slot = base + place as u64 * bytes;
        if let Some(handle) = handle_at(abi, Kind::Request, slot) {
            add(place, slot, handle);
        }
    }
    all
}

/// Keeps the handles that a completion call is given: the library overwrites them.
#[inline]
pub(crate) fn keep_all(thread: &mut Thread, call: &Call) {
    let given = all(thread, call);
    keep(thread, given);
}

pub(crate) fn keep(thread: &mut Thread, given: AllGiven) {
    let depth = thread.depth;
    if thread.given.len() <= depth {
        thread.given.resize_with(depth + 1, AllGiven::new);
    }
    if let Some(place) = thread.given.get_mut(depth) {
        *place = given;
    }
}

/// What was kept when the call began.
#[inline]
pub(crate) fn kept(thread: &mut Thread) -> AllGiven {
    let depth = thread.depth;
    thread.given.get_mut(depth).map(std::mem::take).unwrap_or_default()
}

/// Which of the given requests a call has completed, by their places.
pub(crate) fn done(call: &Call, given: &[Given], failed: bool) -> SmallVec<[usize; 4]> {
    let &Call { info, abi, words, .. } = call;
    let all = || given.iter().map(|g| g.place).collect();
    let int_at = |param: usize| {
        let address = words.get(param).copied().unwrap_or(0);
        // SAFETY: the library has written an integer to this address of the program's.
        (address >= abi.lowest_address).then(|| unsafe { (address as *const i32).read_unaligned() })
    };
    let int = |name: &str| info.row.param(name).and_then(int_at);
    if failed {
        // Those whose handle the library has taken away.
        let is_gone = |g: &&Given| handle_at(abi, Kind::Request, g.slot).is_some_and(handles::is_null_request);
        return given.iter().filter(is_gone).map(|g| g.place).collect();
    }
    // Where a poll says whether it found something; waiting always does.
    let flag = || info.poll.and_then(int_at).is_none_or(|flag| flag != 0);
    match info.row.class {
        Class::Wait(Many::One | Many::All) => all(),
        Class::Test(Many::One | Many::All) | Class::GetStatus(Many::One | Many::All) if flag() => all(),
        Class::Wait(Many::Any) | Class::Test(Many::Any) | Class::GetStatus(Many::Any) if flag() => {
            int("index").and_then(|i| usize::try_from(i).ok()).into_iter().collect()
        }
        Class::Wait(Many::Some) | Class::Test(Many::Some) | Class::GetStatus(Many::Some) => {
            let count = int("outcount").unwrap_or(0).max(0) as usize;
            let base = info.row.param("array_of_indices").and_then(|p| words.get(p)).copied().unwrap_or(0);
            let count = if base < abi.lowest_address { 0 } else { count.min(given.len()) };
            // SAFETY: the library has written this many indices to the program's array.
            let at = |i: usize| unsafe { ((base + 4 * i as u64) as *const i32).read_unaligned() };
            (0..count).filter_map(|i| usize::try_from(at(i)).ok()).collect()
        }
        _ => SmallVec::new(),
    }
}
