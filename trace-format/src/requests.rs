//! Which request a handle means. A handle value is no key: libraries give the same value to several outstanding
//! requests and reuse values at once. What is meant follows from where the handle stands: every variable is written by
//! the call that makes the request.

use crate::slab::Slab;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Number of a request in its table.
pub type Ix = u32;

/// A request that the program has not completed, or freed if it is persistent.
#[derive(Debug)]
pub struct Request<T> {
    /// Address of the variable that the call wrote the handle to; 0 if not known.
    slot: u64,
    /// Place of what is known of its handle.
    same: u32,
    before: Option<Ix>,
    after: Option<Ix>,
    /// The caller's knowledge of the request.
    pub what: T,
}

/// The requests with one handle value, in the order of their making.
#[derive(Debug)]
struct Same<E> {
    handle: u64,
    first: Ix,
    last: Ix,
    count: u32,
    /// There were several at once since there was none last. Libraries give one handle to several requests only if all of
    /// them are complete already; which is meant is a guess then.
    shared: bool,
    /// None was made or started since all of them were gone through.
    settled: bool,
    /// How the last one ended.
    ended: Option<E>,
    /// By the address of their variables, when they are many.
    slots: FxHashMap<u64, Ix>,
}

/// From this many requests with one handle on they are looked up by the addresses of their variables.
const MANY: u32 = 8;

/// The requests of one process. `T` is what is known of a request, `E` of the end of one that is gone.
#[derive(Debug)]
pub struct Requests<T, E = ()> {
    all: Slab<Request<T>>,
    /// Places in `handles`. Handles without a request stay for a while: libraries use them again.
    by_handle: FxHashMap<u64, u32>,
    handles: Slab<Same<E>>,
    /// Places of some of these, by the last bits of the handle.
    recent: [u32; RECENT],
    /// Handles without a request.
    empty: usize,
}

/// Handles that are found without a look-up.
const RECENT: usize = 1 << 6;
const NO_PLACE: u32 = u32::MAX;

/// A place of so many for a handle. Libraries count handles, or give addresses.
#[inline(always)]
pub const fn place_among(places: usize, handle: u64) -> usize {
    ((handle ^ handle >> 6 ^ handle >> 12) % places as u64) as usize
}

#[inline]
const fn recent(handle: u64) -> usize {
    place_among(RECENT, handle)
}

/// With more handles than this, those without a request are forgotten.
const MAX_HANDLES: usize = 1 << 14;

impl<T, E: Copy> Default for Requests<T, E> {
    fn default() -> Self {
        Requests::new()
    }
}

impl<T, E: Copy> Requests<T, E> {
    /// Returns a table without requests, which allocates nothing.
    pub const fn new() -> Requests<T, E> {
        let by_handle = FxHashMap::with_hasher(FxBuildHasher);
        let recent = [NO_PLACE; RECENT];
        Requests { all: Slab::new(), by_handle, handles: Slab::new(), recent, empty: 0 }
    }

    /// Returns the knowledge of a request; `None` if it is gone.
    #[inline]
    pub fn get(&self, ix: Ix) -> Option<&T> {
        self.all.get(ix).map(|r| &r.what)
    }

    /// Returns the knowledge of a request to change; `None` if it is gone.
    #[inline]
    pub fn get_mut(&mut self, ix: Ix) -> Option<&mut T> {
        self.all.get_mut(ix).map(|r| &mut r.what)
    }

    /// The number that the next request will get.
    pub fn next(&self) -> Ix {
        self.all.next()
    }

    /// A call has written `handle` to the variable at `slot`.
    pub fn add(&mut self, handle: u64, slot: u64, what: T) -> Ix {
        let ix = self.next();
        let known = self.recent[recent(handle)];
        let place = match self.handles.get(known) {
            Some(same) if same.handle == handle => known,
            _ => self.place(handle),
        };
        let mut before = None;
        let Some(same) = self.handles.get_mut(place) else {
            return self.all.insert(Request { slot, same: place, before, after: None, what });
        };
        same.settled = false;
        if same.count == 0 {
            (same.first, same.last, same.count, same.shared) = (ix, ix, 1, false);
            self.empty = self.empty.saturating_sub(usize::from(same.ended.is_some()));
        } else {
            same.shared = true;
            if let Some(earlier) = at(&self.all, same, slot).and_then(|ix| self.all.get_mut(ix)) {
                // Its handle stands there no more.
                earlier.slot = 0;
            }
            before = Some(same.last);
            if let Some(last) = self.all.get_mut(same.last) {
                last.after = Some(ix);
            }
            same.last = ix;
            same.count += 1;
            if same.count == MANY {
                list(&self.all, same.first, &mut same.slots);
            }
            if same.count >= MANY {
                same.slots.insert(slot, ix);
            }
        }
        self.all.insert(Request { slot, same: place, before, after: None, what })
    }

    /// Adds an operation that has no request: no handle means it.
    pub fn add_without_handle(&mut self, what: T) -> Ix {
        self.all.insert(Request { slot: 0, same: NO_PLACE, before: None, after: None, what })
    }

    /// The place of what is known of a handle.
    fn place(&mut self, handle: u64) -> u32 {
        let handles = &mut self.handles;
        let fresh = || {
            let (first, last, count, shared, slots) = (0, 0, 0, false, FxHashMap::default());
            let settled = false;
            handles.insert(Same { handle, first, last, count, shared, settled, ended: None, slots })
        };
        let place = *self.by_handle.entry(handle).or_insert_with(fresh);
        self.recent[recent(handle)] = place;
        place
    }

    #[inline(always)]
    fn same(&self, handle: u64) -> Option<&Same<E>> {
        match self.handles.get(self.recent[recent(handle)]) {
            Some(same) if same.handle == handle => Some(same),
            _ => self.handles.get(*self.by_handle.get(&handle)?),
        }
    }

    #[inline]
    fn live(&self, handle: u64) -> Option<&Same<E>> {
        self.same(handle).filter(|same| same.count > 0)
    }

    /// Is there any request with this handle?
    pub fn knows(&self, handle: u64) -> bool {
        self.live(handle).is_some()
    }

    /// The request meant by a handle that stands at `slot`: the last one written there, otherwise the oldest.
    #[inline]
    pub fn find(&self, handle: u64, slot: u64) -> Option<Ix> {
        self.meant(handle, slot).map(|(ix, _)| ix)
    }

    /// As [`Requests::find`], if there is no doubt.
    pub fn certain(&self, handle: u64, slot: u64) -> Option<Ix> {
        self.meant(handle, slot).filter(|(_, certain)| *certain).map(|(ix, _)| ix)
    }

    /// The request that [`Requests::find`] finds, and whether there is no doubt.
    #[inline]
    pub fn meant(&self, handle: u64, slot: u64) -> Option<(Ix, bool)> {
        let same = self.live(handle)?;
        if same.count == 1 {
            return Some((same.first, !same.shared));
        }
        Some((at(&self.all, same, slot).unwrap_or(same.first), false))
    }

    /// The requests with this handle, in the order of their making.
    pub fn with(&self, handle: u64) -> impl Iterator<Item = Ix> {
        let first = self.live(handle).map(|same| same.first);
        std::iter::successors(first, |ix| self.all.get(*ix)?.after)
    }

    /// Is `slot` the address of the variable that the handle of this request was written to?
    #[inline]
    pub fn stands_at(&self, ix: Ix, slot: u64) -> bool {
        slot != 0 && self.all.get(ix).is_some_and(|request| request.slot == slot)
    }

    /// Another table has requests with this handle, too: which is meant is a guess until there is none here.
    pub fn share(&mut self, handle: u64) {
        let Some(place) = self.by_handle.get(&handle) else { return };
        if let Some(same) = self.handles.get_mut(*place).filter(|same| same.count > 0) {
            (same.shared, same.settled) = (true, same.shared && same.settled);
        }
    }

    /// All requests with the handle of this one, if there were several at once. None if they were asked for already, and
    /// since then none was made or [started](Requests::started): windows of many requests are completed one by one.
    pub fn newly_sharing(&mut self, ix: Ix) -> Vec<Ix> {
        let mut all = Vec::new();
        let same = self.all.get(ix).and_then(|r| self.handles.get_mut(r.same));
        let Some(same) = same.filter(|same| same.shared && !same.settled) else { return all };
        same.settled = true;
        let mut next = Some(same.first);
        while let Some((ix, request)) = next.and_then(|ix| Some((ix, self.all.get(ix)?))) {
            all.push(ix);
            next = request.after;
        }
        all
    }

    /// The operation of the request begins.
    #[inline]
    pub fn started(&mut self, ix: Ix) {
        let same = self.all.get(ix).and_then(|r| self.handles.get_mut(r.same));
        same.into_iter().for_each(|same| same.settled = false);
    }

    /// The request is over; `end` is remembered until its handle is given out again.
    pub fn remove(&mut self, ix: Ix, end: E) -> Option<T> {
        self.unlink(ix, end)?;
        Some(self.all.remove(ix)?.what)
    }

    /// As [`Requests::remove`], if nothing is of interest that is known of it: it need not be moved.
    pub fn discard(&mut self, ix: Ix, end: E) {
        if self.unlink(ix, end).is_some() {
            self.all.discard(ix);
        }
    }

    /// Takes a request, which is still there, out of those with the same handle; `None`: it is gone.
    fn unlink(&mut self, ix: Ix, end: E) -> Option<()> {
        let Request { slot, same, before, after, .. } = *self.all.get(ix)?;
        if let Some(same) = self.handles.get_mut(same) {
            same.count -= 1;
            same.ended = Some(end);
            if same.first == ix {
                same.first = after.unwrap_or(ix);
            }
            if same.last == ix {
                same.last = before.unwrap_or(ix);
            }
            if !same.slots.is_empty() && same.slots.get(&slot) == Some(&ix) {
                same.slots.remove(&slot);
            }
            self.empty += usize::from(same.count == 0);
        }
        if self.empty > MAX_HANDLES.max(self.all.len()) {
            self.forget_unused();
        }
        if let Some(before) = before.and_then(|before| self.all.get_mut(before)) {
            before.after = after;
        }
        if let Some(after) = after.and_then(|after| self.all.get_mut(after)) {
            after.before = before;
        }
        Some(())
    }

    /// Forgets the handles without a request.
    #[cold]
    fn forget_unused(&mut self) {
        self.recent = [NO_PLACE; RECENT];
        let by_handle = &mut self.by_handle;
        self.handles.retain(|same| {
            let stays = same.count > 0;
            if !stays {
                by_handle.remove(&same.handle);
            }
            stays
        });
        self.empty = 0;
    }

    /// How the last request with this handle ended, if there is none now.
    pub fn ended(&self, handle: u64) -> Option<E> {
        self.same(handle).filter(|same| same.count == 0)?.ended
    }

    /// A request with this handle, which was never in the table, has ended.
    pub fn has_ended(&mut self, handle: u64, end: E) {
        let place = self.place(handle);
        if let Some(same) = self.handles.get_mut(place).filter(|same| same.count == 0) {
            self.empty += usize::from(same.ended.replace(end).is_none());
        }
        if self.empty > MAX_HANDLES.max(self.all.len()) {
            self.forget_unused();
        }
    }

    /// All requests, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (Ix, &T)> {
        self.all.iter().map(|(ix, r)| (ix, &r.what))
    }

    /// Returns the number of requests.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Is there no request?
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// The request of a handle that was written to `slot` last.
fn at<T, E>(all: &Slab<Request<T>>, same: &Same<E>, slot: u64) -> Option<Ix> {
    if slot == 0 {
        return None;
    }
    if same.count >= MANY {
        return same.slots.get(&slot).copied();
    }
    let mut next = Some(same.last);
    while let Some((ix, request)) = next.and_then(|ix| Some((ix, all.get(ix)?))) {
        if request.slot == slot {
            return Some(ix);
        }
        next = request.before;
    }
    None
}

/// Lists the last request of each variable, in the chain from `first` on.
fn list<T>(all: &Slab<Request<T>>, first: Ix, slots: &mut FxHashMap<u64, Ix>) {
    slots.clear();
    let mut at = Some(first);
    while let Some((ix, request)) = at.and_then(|ix| Some((ix, all.get(ix)?))) {
        slots.insert(request.slot, ix);
        at = request.after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_handle_means_the_request_of_the_variable_that_holds_it() {
        let mut all: Requests<&str> = Requests::default();
        let first = all.add(7, 0x100, "first");
        let second = all.add(7, 0x108, "second");
        assert_eq!(all.find(7, 0x108), Some(second));
        assert_eq!(all.find(7, 0x100), Some(first));
        // A copy of the handle elsewhere: the oldest is as good as any.
        assert_eq!((all.find(7, 0x999), all.certain(7, 0x999)), (Some(first), None));
        assert_eq!(all.remove(first, ()), Some("first"));
        // Which of the two is over was a guess.
        assert_eq!((all.find(7, 0x999), all.certain(7, 0x108)), (Some(second), None));
        assert_eq!(all.newly_sharing(second), [second]);
        assert!(all.newly_sharing(second).is_empty());
        all.started(second);
        assert_eq!(all.newly_sharing(second), [second]);
        assert_eq!((all.ended(7), all.find(8, 0x100)), (None, None));
        all.remove(second, ());
        assert_eq!((all.ended(7), all.find(7, 0x108)), (Some(()), None));
        let third = all.add(7, 0x200, "third");
        assert_eq!((all.certain(7, 0x999), all.newly_sharing(third)), (Some(third), vec![]));
    }

    #[test]
    fn a_handle_that_others_have_too_is_a_guess_until_it_is_gone() {
        let mut all: Requests<&str> = Requests::default();
        let first = all.add(7, 0x100, "first");
        assert!(all.stands_at(first, 0x100) && !all.stands_at(first, 0x108) && !all.stands_at(first + 1, 0));
        all.share(7);
        all.share(8);
        assert_eq!((all.meant(7, 0x100), all.newly_sharing(first)), (Some((first, false)), vec![first]));
        all.remove(first, ());
        let second = all.add(7, 0x100, "second");
        assert_eq!(all.certain(7, 0x100), Some(second));
    }

    #[test]
    fn handles_that_are_not_used_again_are_forgotten() {
        let mut all: Requests<u64> = Requests::default();
        let kept = all.add(5, 0, 5);
        for handle in 10..10 + 3 * MAX_HANDLES as u64 {
            let ix = all.add(handle, 0, handle);
            assert_eq!(all.remove(ix, ()), Some(handle));
            assert!(!all.knows(handle));
        }
        assert!(all.by_handle.len() <= MAX_HANDLES + 2 && all.by_handle.len() == all.handles.len());
        assert_eq!((all.certain(5, 0), all.remove(kept, ())), (Some(kept), Some(5)));
    }

    /// Against a plain list, with a random walk through few handles and variables.
    #[test]
    fn it_does_what_a_list_would_do() {
        let mut all: Requests<u64> = Requests::default();
        let mut list: Vec<(u64, u64, u64, Ix)> = Vec::new();
        let mut seed = 1u64;
        let mut random = |n: u64| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % n
        };
        for step in 0..200_000 {
            let (handle, slot) = (1 + random(3), 1 + random(40));
            if random(100) < if list.len() < 30 { 60 } else { 40 } {
                let ix = all.add(handle, slot, step);
                list.iter_mut().filter(|r| r.0 == handle && r.1 == slot).for_each(|r| r.1 = 0);
                list.push((handle, slot, step, ix));
            } else {
                let same = || list.iter().filter(|r| r.0 == handle);
                let expected = same().rev().find(|r| r.1 == slot).or(same().next()).copied();
                let found = all.find(handle, slot);
                assert_eq!(found, expected.map(|e| e.3), "step {step}");
                if let Some(ix) = found {
                    assert_eq!(all.remove(ix, ()), expected.map(|e| e.2));
                    list.retain(|r| r.3 != ix);
                }
            }
            assert_eq!(all.len(), list.len());
        }
    }
}
