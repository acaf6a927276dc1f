//! The stacks that one thread has seen: where their return addresses lay, and what these were. A stack is found again by the
//! return address and the stack pointer of the call, among all that have both and differ further out.

use crate::call::sites::{Arrival, Site, USUAL};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// So many stacks are remembered; then all are forgotten.
const MOST: usize = 1 << 13;
/// So many of them may have the same return address and stack pointer, and with more so many are kept.
const MOST_ALIKE: u32 = 48;
const KEPT_ALIKE: u32 = 32;
/// Places of the groups that were asked for last.
const RECENT: usize = 256;
/// No stack.
const NONE: u32 = u32::MAX;

/// So many have room before anything grows. All of it is large: small blocks may be those that the program has just freed, and
/// then nobody sees any more that they are free.
const ROOM: usize = 1 << 10;

/// Return address and stack pointer.
type Key = (u64, u64);

/// Stacks, in groups.
pub(super) struct Seen {
    /// Return address and stack pointer to the group.
    by_key: FxHashMap<Key, u32>,
    /// Keys at the places that they give themselves, with the first stack of their group: most calls need no others.
    recent: Option<Box<[(Key, u32); RECENT]>>,
    groups: Vec<Group>,
    stacks: Vec<Stack>,
    /// Slots on the stack and the return addresses in them, of one stack after the other, from the innermost frame outwards.
    pairs: Vec<(u64, u64)>,
    /// The stack that was found or added last.
    last: u32,
}

/// Stacks with the same return address and stack pointer.
struct Group {
    key: Key,
    /// The one that was found last; the others follow.
    first: u32,
    /// How many there are.
    count: u32,
}

struct Stack {
    site: Site,
    group: u32,
    /// The next one of the group.
    next: u32,
    /// Its [`Seen::pairs`].
    pairs: (u32, u32),
}

impl Seen {
    pub(super) fn new() -> Seen {
        Seen {
            by_key: FxHashMap::with_capacity_and_hasher(ROOM, FxBuildHasher),
            // Not by way of the stack: that of a thread may be small.
            recent: vec![((0, 0), NONE); RECENT].try_into().ok(),
            groups: Vec::with_capacity(ROOM),
            stacks: Vec::with_capacity(ROOM),
            pairs: Vec::with_capacity(ROOM * USUAL),
            last: NONE,
        }
    }

    /// The site of a call with this return address and stack pointer, if its stack was seen before.
    ///
    /// # Safety
    /// This thread makes a call from the address, with the stack pointer.
    #[inline(always)]
    pub(super) unsafe fn find(&mut self, return_address: u64, stack_pointer: u64) -> Option<Site> {
        let key = (return_address, stack_pointer);
        let recent = self.recent.as_ref()?.get(place_of(key))?;
        let first = recent.1;
        if recent.0 == key
            && let Some(stack) = self.stacks.get(first as usize)
        {
            // SAFETY: the caller's.
            if unsafe { are_there(self.behind(stack)) } {
                self.last = first;
                return Some(stack.site);
            }
        }
        // SAFETY: the caller's.
        unsafe { self.find_elsewhere(key) }
    }

    /// The stack of the call among all of its group: it becomes the first.
    ///
    /// # Safety
    /// As [`Seen::find`].
    #[inline(never)]
    unsafe fn find_elsewhere(&mut self, key: Key) -> Option<Site> {
        let recent = *self.recent.as_ref()?.get(place_of(key))?;
        let number = match self.stacks.get(recent.1 as usize) {
            Some(stack) if recent.0 == key => stack.group,
            _ => *self.by_key.get(&key)?,
        };
        let first = self.groups.get(number as usize)?.first;
        let (mut before, mut this) = (NONE, first);
        loop {
            let stack = self.stacks.get(this as usize)?;
            // SAFETY: the caller's.
            if unsafe { are_there(self.behind(stack)) } {
                let (site, next) = (stack.site, stack.next);
                if let Some(before) = self.stacks.get_mut(before as usize) {
                    before.next = next;
                    self.stacks.get_mut(this as usize)?.next = first;
                    self.groups.get_mut(number as usize)?.first = this;
                }
                self.note(key, this);
                return Some(site);
            }
            (before, this) = (this, stack.next);
        }
    }

    /// A stack is now the first of its group.
    fn note(&mut self, key: Key, first: u32) {
        if let Some(recent) = self.recent.as_mut().and_then(|all| all.get_mut(place_of(key))) {
            *recent = (key, first);
        }
        self.last = first;
    }

    /// A stack that was not found. `pairs`: that of the call itself comes first.
    pub(super) fn add(&mut self, key: Key, site: Site, pairs: &[(u64, u64)]) {
        if self.stacks.len() >= MOST {
            *self = Seen::new();
        }
        let new = self.groups.len() as u32;
        let number = *self.by_key.entry(key).or_insert(new);
        if number == new {
            self.groups.push(Group { key, first: NONE, count: 0 });
        }
        let this = self.stacks.len() as u32;
        let Some(group) = self.groups.get_mut(number as usize) else { return };
        let next = std::mem::replace(&mut group.first, this);
        group.count += 1;
        let are_too_many = group.count > MOST_ALIKE;
        if are_too_many {
            group.count = KEPT_ALIKE;
        }
        let start = self.pairs.len() as u32;
        self.pairs.extend_from_slice(pairs.get(1..).unwrap_or(&[]));
        self.stacks.push(Stack { site, group: number, next, pairs: (start, self.pairs.len() as u32) });
        self.note(key, this);
        if are_too_many {
            self.cut(this);
        }
    }

    /// Forgets the stacks of a group that were not found for the longest time.
    fn cut(&mut self, first: u32) {
        let mut stack = first;
        for _ in 1..KEPT_ALIKE {
            stack = self.stacks.get(stack as usize).map_or(NONE, |stack| stack.next);
        }
        if let Some(last) = self.stacks.get_mut(stack as usize) {
            last.next = NONE;
        }
    }

    /// Slots and return addresses behind that of the call which was found or added last, if it came in so.
    pub(super) fn last(&self, arrival: Arrival) -> Option<&[(u64, u64)]> {
        let stack = self.stacks.get(self.last as usize)?;
        let key = self.groups.get(stack.group as usize)?.key;
        (key == (arrival.return_address, arrival.stack_pointer)).then(|| self.behind(stack))
    }

    /// The stack of the call at hand is not one of these.
    pub(super) fn has_no_last(&mut self) {
        self.last = NONE;
    }

    #[inline(always)]
    fn behind(&self, stack: &Stack) -> &[(u64, u64)] {
        self.pairs.get(stack.pairs.0 as usize..stack.pairs.1 as usize).unwrap_or(&[])
    }
}

#[inline(always)]
fn place_of((return_address, stack_pointer): Key) -> usize {
    let hash = (return_address ^ stack_pointer << 7).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> (u64::BITS - RECENT.ilog2())) as usize
}

/// Are the addresses where they were?
///
/// # Safety
/// The functions below the first slot are those that were there when the slots were noted, with their frames.
#[inline(always)]
unsafe fn are_there(pairs: &[(u64, u64)]) -> bool {
    // SAFETY: as in `Slots::are_there`: not a slot beyond the first that differs is read.
    let all = |pairs: &[(u64, u64)]| pairs.iter().all(|(slot, address)| unsafe { *(*slot as *const u64) } == *address);
    match <&[_; USUAL]>::try_from(pairs) {
        // So that the compiler unrolls it.
        Ok(pairs) => all(pairs),
        Err(_) => all(pairs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = (0x1001, 0x7fff_0000);

    fn site(stack: u32) -> Site {
        Site { stack, ..Site::default() }
    }

    /// Slots and what is in them, behind that of the call.
    fn pairs(cells: &[u64]) -> Vec<(u64, u64)> {
        std::iter::once((0, KEY.0)).chain(cells.iter().map(|cell| (&raw const *cell as u64, *cell))).collect()
    }

    fn find(seen: &mut Seen, key: Key) -> Option<u32> {
        // SAFETY: the slots of these tests are cells that are there.
        unsafe { seen.find(key.0, key.1) }.map(|site| site.stack)
    }

    #[test]
    fn stacks_that_differ_far_out_are_told_apart() {
        let mut cells = [0x2002, 0x3003, 0];
        let mut seen = Seen::new();
        let arrival = Arrival { return_address: KEY.0, stack_pointer: KEY.1 };
        for round in 0..2 {
            for stack in 1..=MOST_ALIKE {
                // SAFETY: volatile, since the cells are read behind the compiler's back.
                unsafe { (&raw mut cells[2]).write_volatile(u64::from(stack)) };
                let found = find(&mut seen, KEY);
                assert_eq!(found, (round > 0).then_some(stack));
                if found.is_none() {
                    seen.add(KEY, site(stack), &pairs(&cells));
                }
                assert_eq!(seen.last(arrival), Some(&pairs(&cells)[1..]));
                assert_eq!(find(&mut seen, KEY), Some(stack), "it is the first of them now");
            }
        }
        assert_eq!(find(&mut seen, (KEY.0, KEY.1 + 8)), None);
        assert_eq!(seen.last(Arrival { stack_pointer: KEY.1 + 8, ..arrival }), None);
    }

    #[test]
    fn the_oldest_of_too_many_are_forgotten() {
        let mut cells = [0u64];
        let mut seen = Seen::new();
        let is_known = |seen: &mut Seen, cells: &mut [u64; 1], value: u64| {
            // SAFETY: as above.
            unsafe { (&raw mut cells[0]).write_volatile(value) };
            find(seen, KEY) == Some(value as u32)
        };
        let all = u64::from(MOST_ALIKE);
        for value in 0..=all {
            assert!(!is_known(&mut seen, &mut cells, value));
            seen.add(KEY, site(value as u32), &pairs(&cells));
        }
        let known = (0..=all).filter(|value| is_known(&mut seen, &mut cells, *value));
        assert!(known.eq(all + 1 - u64::from(KEPT_ALIKE)..=all));
        for other in 0..2 * MOST as u64 {
            let key = (other, 1);
            seen.add(key, site(7), &pairs(&cells));
            assert_eq!(find(&mut seen, key), Some(7));
        }
        assert!(seen.stacks.len() <= MOST && !is_known(&mut seen, &mut cells, all));
    }
}
