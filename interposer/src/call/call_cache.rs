//! The calls that a thread remembers: a call with the same arguments at the same place, with the same stack behind it, has the
//! same call site and the same bytes in its record, and nothing new is wrong with its arguments, while none of its objects is
//! made, changed or freed ([`changes`](crate::mpi::changes)) and no module unloaded.
//! Functions that do not say everything in the words of their arguments are remembered for their call sites alone.

use crate::call::info::Info;
use crate::call::rules;
use crate::call::sites::{Arrival, Site, Slots};
use crate::mpi::changes::{Basis, Witness};
use crate::mpi::handles;
use crate::mpi::words::Words;
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::num::NonZeroU64;
use trace_format::mpi::{Dir, FUNCTIONS};

/// Most arguments, and most bytes of their values.
const WORDS: usize = 13;
pub(crate) const BYTES: usize = 80;
/// Calls are compared by so many words, what they have no more of included.
const FEW: usize = 4;
const SOME: usize = 6;
const MANY: usize = 8;
/// After so many calls of a function that had to be searched for and were not found, most are not remembered...
const PATIENCE: u8 = 64;
/// ...but one of so many, to notice when they begin to come again.
const TRIALS: u64 = 8;
/// A call has as many places as [`WAYS`]: a window of 64 requests at one call site has room.
pub(crate) const PLACES: usize = 512;
/// The places of a call differ in their last bits.
const WAYS: usize = 4;

// The words end, and the bytes begin, where a line of the processor's cache does.
const _: () = assert!(std::mem::offset_of!(Call, bytes) % 64 == 0 && size_of::<Call>() == 5 * 64);

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// Leaves as many bits of a hash as there are places.
const HASH_SHIFT: u32 = u64::BITS - PLACES.ilog2();

/// A call as it was made.
#[repr(C, align(64))]
pub(crate) struct Call {
    /// Return address and function; 0: none.
    what: u64,
    /// 0 if it is only found by those who know the call site.
    stack_pointer: u64,
    basis: Basis,
    words: [u64; WORDS],
    bytes: [u64; BYTES / 8],
    /// `None` only where there is no call.
    place: Option<Place>,
    pub(crate) site: Site,
    slots: Slots,
    /// Half a hash of all that makes it this call, but for the call site: see [`Same::hash`].
    hash: u32,
    /// Its arguments were looked at, and are all right.
    pub(crate) is_fine: bool,
}

/// The calls of one thread.
pub(crate) struct CallCache {
    calls: Box<[Call; PLACES]>,
    /// By number of the function: how many more new calls are remembered in any case.
    patience: Box<[u8]>,
    /// Calls that were new when there was no patience left.
    impatient: u64,
    /// The last number that was given; the thread is in it.
    last: u64,
}

/// Where a call is remembered, with a number that another call never gets, nor one of another thread: as long as it is there,
/// what was made of its arguments holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(NonZeroU64);

impl Place {
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        self.0.get() as usize % PLACES
    }
}

/// Numbers are in steps of this: below it are the thread and the place.
const STEP: u64 = (1 << 16) * PLACES as u64;

/// An expression with the number of words that are compared as a constant, so that nothing is counted.
macro_rules! by_count {
    ($count:expr, $constant:ident => $value:expr) => {
        by_count!(@ $count, $constant => $value; 0, FEW, SOME, MANY; WORDS)
    };
    (@ $count:expr, $constant:ident => $value:expr; $($some:expr),*; $most:expr) => {
        match $count {
            $(n if n == $some => { const $constant: usize = $some; $value })*
            _ => { const $constant: usize = $most; $value }
        }
    };
}

/// The values of a call that must be the same, besides its call site.
#[derive(Clone, Copy)]
pub(crate) struct Same<'a> {
    what: u64,
    /// Words that are compared: 0, or one of the numbers above.
    count: usize,
    words: &'a Words,
    info: &'a Info,
}

impl<'a> Same<'a> {
    #[inline(always)]
    pub(crate) fn of(info: &'a Info, arrival: Arrival, words: &'a Words) -> Same<'a> {
        // Addresses of programs have 48 bits.
        let what = arrival.return_address << 16 | (info.func as u64 + 1);
        Same { what, count: info.remembered_words, words, info }
    }

    /// The handles among the words that are compared, of objects that are not there always.
    fn handles(&self) -> impl Iterator<Item = u64> {
        let compared = self.info.row.params.iter().enumerate().take(self.count);
        let handles = compared.filter(|(_, p)| p.kind.is_handle() && p.dir == Dir::In && p.len.is_empty());
        let values = handles.map(|(i, p)| (p.kind, self.info.abi.handle_arg(p.kind, self.word(i))));
        values.filter(|(kind, handle)| !handles::is_predefined(*kind, *handle)).map(|(_, handle)| handle)
    }

    #[inline(always)]
    fn word(&self, i: usize) -> u64 {
        // The entry point has just stored the words one by one: a wider load would have to wait for the stores.
        // SAFETY: a reference is valid to read.
        self.words.get(i).map_or(0, |w| unsafe { std::ptr::from_ref(w).read_volatile() })
    }

    /// The first place of the call is in the first bits. `COUNT`: [`Same::count`].
    #[inline(always)]
    fn hash_of<const COUNT: usize>(&self) -> u64 {
        let mut hash = self.what;
        // Buffer, count, rank, tag and request: what differs from call to call.
        for i in [0, 1, 3, 4, 6] {
            if i < COUNT {
                hash ^= self.word(i).rotate_left(i as u32 * 7);
            }
        }
        // Twice: arguments that grow together from call to call (a buffer and its request) would meet in few places.
        hash = hash.wrapping_mul(FACTOR);
        (hash ^ hash >> 32).wrapping_mul(FACTOR)
    }

    fn hash(&self) -> u64 {
        by_count!(self.count, COUNT => self.hash_of::<COUNT>())
    }

    /// 0 if this is the call, at whatever call site.
    #[inline(always)]
    fn difference_of<const COUNT: usize>(&self, call: &Call) -> u64 {
        let before = call.what ^ self.what | u64::from(call.basis.difference());
        // By their numbers: whether chains of iterators are unrolled depends on what else is compiled.
        let known = |i: usize| call.words.get(i).copied().unwrap_or(0);
        (0..COUNT).fold(before, |differs, i| differs | known(i) ^ self.word(i))
    }

    fn difference(&self, call: &Call) -> u64 {
        by_count!(self.count, COUNT => self.difference_of::<COUNT>(call))
    }
}

impl CallCache {
    pub(crate) fn new(thread: u16) -> CallCache {
        let layout = Layout::new::<[Call; PLACES]>();
        // SAFETY: the layout has a size, all zeros is a value of the type, and the memory is the box's from here on.
        let calls = unsafe {
            let calls = alloc_zeroed(layout).cast::<[Call; PLACES]>();
            if calls.is_null() {
                handle_alloc_error(layout);
            }
            Box::from_raw(calls)
        };
        let patience = vec![PATIENCE; FUNCTIONS.len()].into();
        CallCache { calls, patience, impatient: 0, last: u64::from(thread) * PLACES as u64 }
    }

    /// Words by which calls with so many arguments are told apart.
    pub(crate) fn words_of(args: usize) -> usize {
        [0, FEW, SOME, MANY, WORDS].into_iter().find(|words| args <= *words).unwrap_or(0)
    }

    /// May the values of calls of this function be remembered?
    pub(crate) fn fits(info: &Info) -> bool {
        let bytes = info.ins.bytes.map_or(usize::MAX, usize::from);
        info.ins.are_by_words && rules::are_plain(info.row) && info.args <= WORDS && bytes <= BYTES
    }

    /// Another thread has taken over: what was known of stacks is void.
    pub(crate) fn forget_stacks(&mut self) {
        self.calls.iter_mut().for_each(|call| call.stack_pointer = 0);
    }

    /// This very call, with the same stack behind it.
    #[inline(always)]
    pub(crate) fn look(&self, info: &Info, arrival: Arrival, words: &Words) -> Option<&Call> {
        let same = Same::of(info, arrival, words);
        let (hash, call, difference) = by_count!(same.count, COUNT => self.first::<COUNT>(&same))?;
        let differs = difference | call.stack_pointer ^ arrival.stack_pointer;
        // SAFETY: the stack pointer is that of the slots, and stacks of other threads were forgotten.
        if differs == 0 && unsafe { call.slots.are_there(arrival.stack_pointer) } {
            return Some(call);
        }
        self.look_beside(hash, info, arrival, words)
    }

    /// The entry in the first place of a call, the hash that leads there, and 0 if this is the call at whatever call site.
    #[inline(always)]
    fn first<const COUNT: usize>(&self, same: &Same) -> Option<(u64, &Call, u64)> {
        let hash = same.hash_of::<COUNT>();
        let call = self.calls.get(index_of(hash))?;
        Some((hash, call, same.difference_of::<COUNT>(call)))
    }

    /// The entry in the other places of a call whose first one this is.
    #[inline(never)]
    fn look_beside(&self, hash: u64, info: &Info, arrival: Arrival, words: &Words) -> Option<&Call> {
        let same = Same::of(info, arrival, words);
        let others = (1..WAYS).filter_map(|way| self.calls.get(index_of(hash) ^ way));
        // Mostly it is the stack that differs.
        others.filter(|call| call.hash == hash as u32 && call.stack_pointer == arrival.stack_pointer).find(|call| {
            // SAFETY: as in `look`.
            (unsafe { call.slots.are_there(arrival.stack_pointer) }) && same.difference(call) == 0
        })
    }

    /// Is it worth the time to look for a call that is not known at once, and to remember it?
    #[inline(always)]
    pub(crate) fn is_worth_a_search(&mut self, info: &Info) -> bool {
        if self.patience.get(info.func.index()) != Some(&0) {
            return true;
        }
        self.impatient += 1;
        self.impatient.is_multiple_of(TRIALS)
    }

    /// The index of the call if it was made before at this call site, else of where it may go.
    #[inline(never)]
    pub(crate) fn find(&mut self, same: &Same, site: Site) -> Result<usize, usize> {
        let found = self.search(same, site);
        if let Some(patience) = self.patience.get_mut(same.info.func.index()) {
            *patience = if found.is_ok() { PATIENCE } else { patience.saturating_sub(1) };
        }
        found
    }

    fn search(&self, same: &Same, site: Site) -> Result<usize, usize> {
        let first = index_of(same.hash());
        let mut ways = (0..WAYS).map(|way| first ^ way);
        let is_it = |index: &usize| {
            self.calls.get(*index).is_some_and(|call| same.difference(call) == 0 && call.site.stack == site.stack)
        };
        if let Some(index) = ways.clone().find(is_it) {
            return Ok(index);
        }
        let is_free = |index: &usize| {
            self.calls.get(*index).is_none_or(|call| call.place.is_none() || call.basis.difference() != 0)
        };
        // Several that would use the same places in turns do not drive each other out each time.
        let turn = (self.last / STEP) as usize % WAYS;
        Err(ways.find(is_free).unwrap_or(first ^ turn))
    }

    /// The call at an index, which was made again. `stack`: if the stack is not as it was (see [`CallCache::keep`]).
    pub(crate) fn again(
        &mut self,
        index: usize,
        arrival: Arrival,
        stack: impl FnOnce() -> Option<(u64, Slots)>,
    ) -> Option<&Call> {
        let call = self.calls.get_mut(index)?;
        // SAFETY: as in `look`.
        let is_there =
            call.stack_pointer == arrival.stack_pointer && unsafe { call.slots.are_there(arrival.stack_pointer) };
        if !is_there {
            (call.stack_pointer, call.slots) = stack().unwrap_or_default();
        }
        Some(call)
    }

    /// Remembers a call. Its values, if they are remembered, were just written to `from`, with room for [`BYTES`].
    /// `since`: a moment before that, and before the call site was looked up. `stack`: stack pointer and slots of
    /// the call, if these tell the call site.
    #[inline(never)]
    pub(crate) fn keep(
        &mut self,
        index: usize,
        same: &Same,
        site: Site,
        stack: Option<(u64, Slots)>,
        from: *const u8,
        since: Witness,
    ) -> Option<Place> {
        let basis = Basis::of(same.handles(), since)?;
        let call = self.calls.get_mut(index)?;
        self.last += STEP;
        call.place = NonZeroU64::new(self.last + index as u64).map(Place);
        call.hash = same.hash() as u32;
        (call.what, call.basis, call.is_fine, call.site) = (same.what, basis, false, site);
        call.words = [0; WORDS];
        call.words.iter_mut().zip(same.words).take(same.count).for_each(|(known, word)| *known = *word);
        // SAFETY: the caller vouches for the memory.
        call.bytes = unsafe { from.cast::<[u64; BYTES / 8]>().read_unaligned() };
        (call.stack_pointer, call.slots) = stack.unwrap_or_default();
        call.place
    }

    /// Are the arguments of the call that was found or put there all right?
    #[inline(always)]
    pub(crate) fn set_fine(&mut self, place: Place, is_fine: bool) {
        self.calls.get_mut(place.index()).into_iter().for_each(|call| call.is_fine = is_fine);
    }
}

/// The first place of a call with this hash.
#[inline(always)]
fn index_of(hash: u64) -> usize {
    (hash >> HASH_SHIFT) as usize % PLACES
}

impl Call {
    #[inline(always)]
    pub(crate) fn place(&self) -> Option<Place> {
        self.place
    }

    /// Copies the values, which have so many bytes, to where there is room for [`BYTES`].
    #[inline(always)]
    pub(crate) fn copy(&self, to: *mut u8, bytes: usize) {
        const LITTLE: usize = 2;
        const MEDIUM: usize = 6;
        let ([little @ .., _, _, _, _, _, _, _, _], [medium @ .., _, _, _, _]) = (&self.bytes, &self.bytes);
        let (little, medium): (&[u64; LITTLE], &[u64; MEDIUM]) = (little, medium);
        // SAFETY: the caller vouches for the room.
        unsafe {
            if bytes <= size_of_val(little) {
                to.cast::<[u64; LITTLE]>().write_unaligned(*little);
            } else if bytes <= size_of_val(medium) {
                to.cast::<[u64; MEDIUM]>().write_unaligned(*medium);
            } else {
                to.cast::<[u64; BYTES / 8]>().write_unaligned(self.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::info;
    use crate::mpi::abi::{self, Abi};
    use trace_format::mpi::FnId;

    const VALUES: [u64; BYTES / 8] = [7; BYTES / 8];

    fn site(stack: u32) -> Site {
        Site { stack, ..Site::default() }
    }

    /// Makes a call from a stack of one frame: remembered?
    fn make(cache: &mut CallCache, info: &Info, (arrival, stack): (Arrival, u32), words: &Words) -> bool {
        if cache.look(info, arrival, words).is_some_and(|call| call.site == site(stack)) {
            return true;
        }
        let same = Same::of(info, arrival, words);
        let known = cache.find(&same, site(stack));
        let slots = Some((arrival.stack_pointer, Slots::default()));
        match known {
            Ok(index) => _ = cache.again(index, arrival, || slots),
            Err(index) => _ = cache.keep(index, &same, site(stack), slots, VALUES.as_ptr().cast(), Witness::now()),
        }
        known.is_ok()
    }

    /// Other tests make objects meanwhile, and then no call is known.
    fn undisturbed(test: impl Fn()) {
        loop {
            let before = Witness::now();
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(&test));
            if before == Witness::now() {
                return result.unwrap_or_else(|failure| std::panic::resume_unwind(failure));
            }
        }
    }

    const HERE: Arrival = Arrival { return_address: 0x55_5555_0123, stack_pointer: 0x7fff_0000 };

    #[test]
    fn a_window_of_requests_is_known_whole() {
        abi::all().for_each(window_of_requests);
    }

    fn window_of_requests(abi: &'static Abi) {
        let infos = info::all(abi, info::NOTHING_SAID);
        let info = infos.iter().find(|info| info.row.id == FnId::MPI_Irecv).unwrap();
        let mut cache = CallCache::new(0);
        let mut unknown = [0; 8];
        for round in &mut unknown {
            for message in 0..64 {
                let mut words = [0; crate::mpi::library::MAX_ARGS];
                words[..7].copy_from_slice(&[0x1000 + 8 * message, 8, 1, 0, 1, 2, 0x9000 + 4 * message]);
                *round += u32::from(!make(&mut cache, info, (HERE, 7), &words));
            }
        }
        // The best round: other tests make objects meanwhile.
        assert!(unknown[0] == 64 && unknown.iter().min() <= Some(&2), "{unknown:?}");
    }

    #[test]
    fn a_call_is_known_if_every_argument_is_the_same() {
        abi::all().for_each(|abi| undisturbed(|| every_argument_is_looked_at(abi)));
    }

    fn every_argument_is_looked_at(abi: &'static Abi) {
        let infos = info::all(abi, info::NOTHING_SAID);
        let of = |function: FnId| infos.iter().find(|info| info.row.id == function).unwrap();
        for function in [FnId::MPI_Isend, FnId::MPI_Comm_rank, FnId::MPI_Sendrecv, FnId::MPI_Allreduce] {
            let (info, mut cache) = (of(function), CallCache::new(3));
            assert!(info.is_remembered, "{}", info.row.name);
            let mut words = [0; crate::mpi::library::MAX_ARGS];
            words.iter_mut().take(info.args).enumerate().for_each(|(i, word)| *word = 100 + i as u64);
            let same = Same::of(info, HERE, &words);
            let index = cache.find(&same, site(5)).unwrap_err();
            let stack = Some((HERE.stack_pointer, Slots::default()));
            let mut keep = || cache.keep(index, &same, site(5), stack, VALUES.as_ptr().cast(), Witness::now()).unwrap();
            let places = [keep(), keep()];
            assert!(places[0] != places[1] && places.iter().all(|place| place.index() == index));
            assert_eq!(cache.find(&same, site(5)), Ok(index));
            let call = cache.look(info, HERE, &words).unwrap();
            assert!(call.place() == Some(places[1]) && !call.is_fine);
            for bytes in [1, 16, 17, 48, 49, BYTES] {
                let mut copied = [0u8; BYTES];
                call.copy(copied.as_mut_ptr(), bytes);
                assert!(
                    copied[..bytes]
                        .iter()
                        .eq(VALUES.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<_>>()[..bytes].iter())
                );
            }
            cache.set_fine(places[1], true);
            assert!(cache.look(info, HERE, &words).unwrap().is_fine);
            assert!(cache.find(&same, site(6)).is_err(), "another call site");
            let unknown = |info: &Info, arrival: Arrival, words: &Words| {
                cache.look(info, arrival, words).is_none()
                    && cache.search(&Same::of(info, arrival, words), site(5)).is_err()
            };
            assert!(unknown(of(FnId::MPI_Irecv), HERE, &words), "another function");
            let elsewhere = Arrival { return_address: HERE.return_address + 1, ..HERE };
            assert!(unknown(info, elsewhere, &words), "another place");
            let deeper = Arrival { stack_pointer: HERE.stack_pointer - 64, ..HERE };
            assert!(cache.look(info, deeper, &words).is_none(), "another frame");
            for place in 0..info.args {
                let mut other = words;
                other[place] += 1;
                assert!(unknown(info, HERE, &other), "argument {place} of {}", info.row.name);
            }
            cache.forget_stacks();
            assert!(cache.look(info, HERE, &words).is_none());
            assert!(make(&mut cache, info, (deeper, 5), &words));
            assert!(cache.look(info, deeper, &words).is_some(), "where it was made last");
        }
        assert!(!of(FnId::MPI_Wait).is_remembered && !of(FnId::MPI_Alltoallv).is_remembered);
    }

    /// The slots are looked at, in whichever of its places the call is.
    #[test]
    fn a_call_is_known_by_the_stack_behind_it() {
        abi::all().for_each(|abi| undisturbed(|| every_slot_is_looked_at(abi)));
    }

    fn every_slot_is_looked_at(abi: &'static Abi) {
        let infos = info::all(abi, info::NOTHING_SAID);
        let info = infos.iter().find(|info| info.row.id == FnId::MPI_Wait).unwrap();
        let words = [0; crate::mpi::library::MAX_ARGS];
        let mut cache = CallCache::new(0);
        let mut stack = [0x1001u64, 0, 0x2002, 0, 0, 0x3003, 0, 0];
        let arrival = Arrival { return_address: stack[0], stack_pointer: &raw const stack as u64 + 8 };
        let same = Same::of(info, arrival, &words);
        let mut kept = Vec::new();
        for (nth, outer) in [0x3003, 0x4004, 0x5005].into_iter().enumerate() {
            let mut cells = stack;
            cells[5] = outer;
            let pairs = [(2, cells[2]), (5, cells[5])].map(|(at, address)| (&raw const stack[at] as u64, address));
            let slots = Slots::of(arrival, &pairs).unwrap();
            let index = cache.find(&same, site(nth as u32)).unwrap_err();
            kept.push(index);
            cache.keep(
                index,
                &same,
                site(nth as u32),
                Some((arrival.stack_pointer, slots)),
                VALUES.as_ptr().cast(),
                Witness::now(),
            );
        }
        for (nth, outer) in [0x3003, 0x4004, 0x5005, 0x6006].into_iter().enumerate() {
            // SAFETY: a place of the array; volatile, since the addresses of its places are read behind the compiler's back.
            unsafe { (&raw mut stack[5]).write_volatile(outer) };
            let found = cache.look(info, arrival, &words).map(|call| call.site.stack);
            assert_eq!(found, Some(nth as u32).filter(|n| *n < 3), "{kept:?}");
        }
    }
}
