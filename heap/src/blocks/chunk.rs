//! The blocks that begin in one chunk of the address space.

use super::Word;
use std::sync::atomic::{AtomicU64, Ordering};

const BITS: usize = 64;

/// See [`super`]. All of it may be 0: then there are no blocks.
#[repr(C)]
pub(super) struct Chunk {
    words: [AtomicU64; Chunk::GRANULES],
    /// A bit for each word that was used; above them a bit for each of these words of bits, and so on.
    used: [AtomicU64; Chunk::GRANULES / BITS],
    groups: [AtomicU64; BITS],
    all: AtomicU64,
}

impl Chunk {
    pub(super) const GRANULES: usize = BITS * BITS * BITS;

    #[inline(always)]
    pub(super) fn word(&self, granule: usize) -> Word {
        Word(self.words.get(granule).map_or(0, |word| word.load(Ordering::Acquire)))
    }

    /// Changes what is known of a block.
    #[inline(always)]
    pub(super) fn replace(&self, granule: usize, word: Word) {
        if let Some(place) = self.words.get(granule) {
            place.store(word.0, Ordering::Release);
        }
    }

    #[inline(always)]
    pub(super) fn put(&self, granule: usize, word: Word) {
        self.replace(granule, word);
        let bit = 1 << (granule % BITS);
        if self.used.get(granule / BITS).is_some_and(|used| used.load(Ordering::Relaxed) & bit == 0) {
            self.mark(granule);
        }
    }

    #[cold]
    fn mark(&self, granule: usize) {
        let (used, group) = (granule / BITS, granule / BITS / BITS);
        self.used.get(used).map(|word| word.fetch_or(1 << (granule % BITS), Ordering::Relaxed));
        self.groups.get(group).map(|word| word.fetch_or(1 << (used % BITS), Ordering::Relaxed));
        self.all.fetch_or(1 << group, Ordering::Relaxed);
    }

    /// The last word at or below one that was used, and is.
    pub(super) fn last_at_or_below(&self, granule: usize) -> Option<(usize, Word)> {
        let mut next = Some(granule);
        while let Some(at) = next {
            let used = self.last_used(at)?;
            let word = self.word(used);
            if word.0 != 0 {
                return Some((used, word));
            }
            next = used.checked_sub(1);
        }
        None
    }

    /// The last bit at or below one that is set.
    fn last_used(&self, granule: usize) -> Option<usize> {
        let bits = |words: &[AtomicU64], at: usize| words.get(at).map_or(0, |word| word.load(Ordering::Relaxed));
        let at = granule / BITS;
        if let Some(bit) = last(bits(&self.used, at) & up_to(granule % BITS)) {
            return Some(at * BITS + bit);
        }
        let mut group = at / BITS;
        let mut groups = bits(&self.groups, group) & below(at % BITS);
        loop {
            // A group's bit stays when its last one goes.
            while let Some(bit) = last(groups) {
                groups &= below(bit);
                let at = group * BITS + bit;
                if let Some(bit) = last(bits(&self.used, at)) {
                    return Some(at * BITS + bit);
                }
            }
            group = last(self.all.load(Ordering::Relaxed) & below(group))?;
            groups = bits(&self.groups, group);
        }
    }

    /// Forgets freed blocks that begin from one word to another.
    pub(super) fn forget_freed(&self, from: usize, to: usize) {
        let mut next = Some(to);
        while let Some(at) = next.and_then(|at| self.last_used(at)).filter(|at| *at >= from) {
            if !self.word(at).is_there() {
                self.used.get(at / BITS).map(|used| used.fetch_and(!(1 << (at % BITS)), Ordering::Relaxed));
                self.replace(at, Word(0));
            }
            next = at.checked_sub(1);
        }
    }
}

fn last(bits: u64) -> Option<usize> {
    (63 - bits.leading_zeros() as i32).try_into().ok()
}

/// The bits up to one, and with it.
fn up_to(bit: usize) -> u64 {
    u64::MAX >> (63 - bit % BITS)
}

fn below(bit: usize) -> u64 {
    up_to(bit) >> 1
}
