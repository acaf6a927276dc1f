//! What a thread remembers of the calls that it has made: a call with the same arguments at the same place has the same
//! bytes in its record, and nothing new is wrong with its arguments, while no object is made, changed or freed. Only of
//! functions that say everything in the words of their arguments.

use crate::encode::Words;
use crate::handles;
use crate::info::Info;
use std::alloc::{Layout, alloc_zeroed, handle_alloc_error};
use std::num::NonZeroU64;

/// Most arguments, and most bytes of their values.
const WORDS: usize = 13;
pub(crate) const BYTES: usize = 80;
/// Words that every call is compared by; only longer calls have more, and only the longest more than the second number.
const FEW: usize = 4;
const SHORT: usize = 8;
/// A call has two places: a window of 64 requests at one call site has room.
pub(crate) const PLACES: usize = 256;

// The bytes begin where a line of the processor's cache does.
const _: () = assert!(std::mem::offset_of!(Call, bytes) % 64 == 0);

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
/// Leaves as many bits of a hash as there are places.
const HASH_SHIFT: u32 = u64::BITS - PLACES.ilog2();

/// A call as it was made.
#[repr(C, align(64))]
struct Call {
    /// Call site and function; 0: none.
    what: u64,
    /// See [`handles::changes`].
    changes: u32,
    /// Its arguments were looked at, and are all right.
    is_fine: bool,
    /// `None` only where there is no call.
    place: Option<Place>,
    words: [u64; WORDS],
    bytes: [u64; BYTES / 8],
}

/// The calls of one thread.
pub(crate) struct Recall {
    calls: Box<[Call; PLACES]>,
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

impl Recall {
    pub(crate) fn new(thread: u16) -> Recall {
        let layout = Layout::new::<[Call; PLACES]>();
        // SAFETY: the layout has a size, all zeros is a value of the type, and the memory is the box's from here on.
        let calls = unsafe {
            let calls = alloc_zeroed(layout).cast::<[Call; PLACES]>();
            if calls.is_null() {
                handle_alloc_error(layout);
            }
            Box::from_raw(calls)
        };
        Recall { calls, last: u64::from(thread) * PLACES as u64 }
    }

    /// May calls of this function be remembered?
    pub(crate) fn fits(info: &Info) -> bool {
        let bytes = info.ins.bytes.map_or(usize::MAX, usize::from);
        info.ins.are_by_words && info.rules.is_plain && info.args <= WORDS && bytes <= BYTES
    }

    /// The place of a call if this very call is there, else the index of where it may go.
    #[inline(always)]
    pub(crate) fn find(&self, info: &Info, site: u32, words: &Words) -> Result<Place, usize> {
        // The entry point has just stored the words one by one: a wider load would have to wait for the stores.
        // SAFETY: a reference is valid to read.
        let word = |i: usize| words.get(i).map_or(0, |w| unsafe { std::ptr::from_ref(w).read_volatile() });
        let what = what(info, site);
        let mut hash = what;
        for i in 0..FEW {
            hash ^= word(i).rotate_left(i as u32 * 7);
        }
        if info.args > FEW {
            for i in FEW..SHORT {
                hash ^= word(i).rotate_left(i as u32 * 7);
            }
        }
        // Twice: arguments that grow together from call to call (a buffer and its request) would meet in few places.
        hash = hash.wrapping_mul(FACTOR);
        let index = ((hash ^ hash >> 32).wrapping_mul(FACTOR) >> HASH_SHIFT) as usize % PLACES;
        match self.at(index, info, what, &word) {
            Some(place) => Ok(place),
            None => self.find_beside(index, info, what, words),
        }
    }

    /// The same in the second place of a call whose first one this is.
    #[inline(never)]
    fn find_beside(&self, index: usize, info: &Info, what: u64, words: &Words) -> Result<Place, usize> {
        let word = |i: usize| words.get(i).copied().unwrap_or(0);
        self.at(index ^ 1, info, what, &word).ok_or_else(|| self.room(index))
    }

    /// Where a call whose first place this is may go.
    #[cold]
    fn room(&self, index: usize) -> usize {
        let is_free = |index: usize| {
            self.calls.get(index).is_none_or(|call| call.place.is_none() || call.changes != handles::changes())
        };
        if is_free(index) {
            return index;
        }
        // Three that would use two places in turns do not drive each other out each time.
        let turn = (self.last / STEP) as usize & 1;
        if is_free(index ^ 1) { index ^ 1 } else { index ^ turn }
    }

    /// The call at this place, if it is this one.
    #[inline(always)]
    fn at(&self, index: usize, info: &Info, what: u64, word: &impl Fn(usize) -> u64) -> Option<Place> {
        let call = self.calls.get(index)?;
        let mut differs = call.what ^ what | u64::from(call.changes ^ handles::changes());
        let difference = |i: usize| call.words.get(i).map_or(0, |known| known ^ word(i));
        for i in 0..FEW {
            differs |= difference(i);
        }
        if info.args > FEW {
            for i in FEW..SHORT {
                differs |= difference(i);
            }
        }
        if info.args > SHORT {
            for i in SHORT..WORDS {
                differs |= difference(i);
            }
        }
        call.place.filter(|_| differs == 0)
    }

    /// Copies the values of the call at a place to where there is room for [`BYTES`].
    #[inline(always)]
    pub(crate) fn copy(&self, place: Place, to: *mut u8) {
        if let Some(call) = self.calls.get(place.index()) {
            // SAFETY: the caller vouches for the room.
            unsafe { to.cast::<[u64; BYTES / 8]>().write_unaligned(call.bytes) };
        }
    }

    #[inline(always)]
    pub(crate) fn is_fine(&self, place: Place) -> bool {
        self.calls.get(place.index()).is_some_and(|call| call.is_fine)
    }

    /// Remembers a call whose values were just written, with room for [`BYTES`], to `from`.
    /// `changes`: [`handles::changes`] before that.
    pub(crate) fn keep(
        &mut self,
        index: usize,
        (info, site): (&Info, u32),
        words: &Words,
        from: *const u8,
        changes: u32,
    ) -> Option<Place> {
        let call = self.calls.get_mut(index)?;
        self.last += STEP;
        call.place = NonZeroU64::new(self.last + index as u64).map(Place);
        (call.what, call.changes, call.is_fine) = (what(info, site), changes, false);
        call.words.iter_mut().zip(words).for_each(|(known, word)| *known = *word);
        // SAFETY: the caller vouches for the memory.
        call.bytes = unsafe { from.cast::<[u64; BYTES / 8]>().read_unaligned() };
        call.place
    }

    /// Are the arguments of the call that was found or put there all right?
    #[inline(always)]
    pub(crate) fn set_fine(&mut self, place: Place, is_fine: bool) {
        self.calls.get_mut(place.index()).into_iter().for_each(|call| call.is_fine = is_fine);
    }
}

#[inline(always)]
fn what(info: &Info, site: u32) -> u64 {
    u64::from(site) | (info.func as u64 + 1) << 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{Abi, Family};
    use crate::info;
    use trace_format::mpi::FnId;

    #[test]
    fn a_window_of_requests_is_known_whole() {
        let infos = info::all(Abi::of(Family::Mpich));
        let info = infos.iter().find(|info| info.row.id == FnId::MPI_Irecv).unwrap();
        let mut recall = Recall::new(0);
        let values = [0u64; BYTES / 8];
        let mut unknown = [0; 8];
        for round in &mut unknown {
            for message in 0..64 {
                let mut words = [0; crate::real::MAX_ARGS];
                words[..7].copy_from_slice(&[0x1000 + 8 * message, 8, 1, 0, 1, 2, 0x9000 + 4 * message]);
                if let Err(index) = recall.find(info, 7, &words) {
                    recall.keep(index, (info, 7), &words, values.as_ptr().cast(), handles::changes());
                    *round += 1;
                }
            }
        }
        // The best round: other tests make objects meanwhile.
        assert!(unknown[0] == 64 && unknown.iter().min() <= Some(&6), "{unknown:?}");
    }

    #[test]
    fn a_call_is_known_if_every_argument_is_the_same() {
        let infos = info::all(Abi::of(Family::Mpich));
        let of = |function: FnId| infos.iter().find(|info| info.row.id == function).unwrap();
        for function in [FnId::MPI_Isend, FnId::MPI_Comm_rank, FnId::MPI_Sendrecv, FnId::MPI_Allreduce] {
            let (info, mut recall) = (of(function), Recall::new(3));
            assert!(info.is_remembered, "{}", info.row.name);
            let mut words = [0; crate::real::MAX_ARGS];
            words.iter_mut().take(info.args).enumerate().for_each(|(i, word)| *word = 100 + i as u64);
            let values = [7u64; BYTES / 8];
            let index = recall.find(info, 5, &words).unwrap_err();
            let mut keep = || recall.keep(index, (info, 5), &words, values.as_ptr().cast(), handles::changes());
            let (first, place) = (keep().unwrap(), keep().unwrap());
            assert!(first != place && first.index() == index && place.index() == index);
            assert_eq!(recall.find(info, 5, &words), Ok(place));
            assert!(!recall.is_fine(place));
            recall.set_fine(place, true);
            assert!(recall.is_fine(place));
            let mut copied = [0u64; BYTES / 8];
            recall.copy(place, copied.as_mut_ptr().cast());
            assert_eq!(copied, values);
            assert!(recall.find(info, 6, &words).is_err(), "another call site");
            assert!(recall.find(of(FnId::MPI_Irecv), 5, &words).is_err(), "another function");
            for place in 0..info.args {
                let mut other = words;
                other[place] += 1;
                assert!(recall.find(info, 5, &other).is_err(), "argument {place} of {}", info.row.name);
            }
        }
        assert!(!of(FnId::MPI_Wait).is_remembered && !of(FnId::MPI_Alltoallv).is_remembered);
    }
}
