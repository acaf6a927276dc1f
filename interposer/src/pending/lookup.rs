//! Which request a call means, in whatever part it is.

use super::shards::Part;
use super::state::{Ended, State};
use crate::call::requests::CallRequest;
use recorder::threads;
use trace_format::requests::Ix;

/// A request that was found.
pub(crate) struct Meant {
    pub(crate) part: Part,
    pub(crate) ix: Ix,
    /// There is no doubt.
    pub(crate) is_certain: bool,
}

/// Runs `f` with the request that is meant by `handle`, which stands at `slot`, and the operations that it is among. `own`: the
/// part of the thread. `f` must not call the library or report.
#[inline(always)]
pub(crate) fn find<T>(
    own: Part,
    (handle, slot): (u64, u64),
    f: impl FnOnce(&mut State, Meant) -> Option<T>,
) -> Option<T> {
    let part = if threads::are_several() { part_of_several(own, (handle, slot))? } else { own };
    part.with(|state| {
        let (ix, is_certain) = state.requests.meant(handle, slot)?;
        f(state, Meant { part, ix, is_certain })
    })
}

/// The part with the request that is meant, where other threads may have made it: mostly it is the thread's own, or another one
/// that is known to have one. If the handle stands in the variable that a call of a part wrote it to, nobody else's can be meant.
#[inline(never)]
fn part_of_several(own: Part, (handle, slot): (u64, u64)) -> Option<Part> {
    let stands_there = |part: &Part| {
        part.with(|state| state.requests.find(handle, slot).is_some_and(|ix| state.requests.stands_at(ix, slot)))
    };
    let mut likely = std::iter::once(own).chain(own.others().filter(|part| part.is_live(handle)));
    likely.find(stands_there).or_else(|| elsewhere(own, (handle, slot)))
}

/// The part with the request that is meant: the one whose variable the handle stands in, otherwise the first one.
#[cold]
#[inline(never)]
fn elsewhere(own: Part, (handle, slot): (u64, u64)) -> Option<Part> {
    let all = || std::iter::once(own).chain(own.others());
    let look = |part: Part| {
        part.with(|state| {
            let ix = state.requests.find(handle, slot)?;
            Some((part, state.requests.stands_at(ix, slot)))
        })
    };
    let mut chosen = None;
    let mut is_shared = false;
    for (part, stands_there) in all().filter_map(look) {
        if stands_there {
            return Some(part);
        }
        is_shared |= chosen.is_some();
        chosen = chosen.or(Some(part));
    }
    if is_shared {
        // Which one it is nobody knows: as with several requests of one part.
        all().for_each(|part| part.with(|state| state.requests.share(handle)));
    }
    chosen
}

/// A request with this handle is over, and it is not certain that it was this one: those in other parts are complete, too.
#[cold]
#[inline(never)]
pub(crate) fn end_of_sharing(found: Part, own: Part, handle: u64) {
    for part in std::iter::once(own).chain(own.others()).filter(|part| *part != found) {
        part.with(|state| {
            if let Some((ix, false)) = state.requests.meant(handle, 0) {
                state.end_of_sharing(ix);
            }
        });
    }
}

/// How the last request with one of these handles ended, if there is none with it now.
#[inline]
pub(crate) fn ended(own: Part, given: &[CallRequest]) -> Option<Ended> {
    if given.iter().all(|g| own.is_live(g.handle)) {
        return None;
    }
    let mut unknown = given.iter().filter(|g| !own.is_live(g.handle) && !own.is_in_lane(g.handle));
    unknown.find_map(|g| ended_anywhere(own, g.handle))
}

#[inline(never)]
pub(crate) fn ended_anywhere(own: Part, handle: u64) -> Option<Ended> {
    let of = |part: Part| part.with(|state| (state.requests.knows(handle), state.ended(handle)));
    if !threads::are_several() {
        return of(own).1;
    }
    if own.others().any(|part| part.is_live(handle)) {
        return None;
    }
    let mut last: Option<Ended> = None;
    for part in std::iter::once(own).chain(own.others()) {
        match of(part) {
            (true, _) => return None,
            (false, ended) => last = last.into_iter().chain(ended).max_by_key(|ended| ended.time),
        }
    }
    last
}
