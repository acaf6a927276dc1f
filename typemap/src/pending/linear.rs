//! A short list of plain runs of bytes, in no order: searched linearly, with vector instructions.

use std::num::NonZeroU32;

const PLACES: usize = 96;
const LANES: usize = 8;

/// The first runs that are pending. As long as there are no more, nothing is faster than looking at all.
#[derive(Debug)]
pub(crate) struct Linear {
    lows: [i64; PLACES],
    highs: [i64; PLACES],
    entries: [Option<NonZeroU32>; PLACES],
    len: usize,
}

/// Bounds of a run that touches no other.
const NOTHING: (i64, i64) = (1 << 62, -(1 << 62));

impl Linear {
    pub(crate) const fn new() -> Linear {
        Linear { lows: [NOTHING.0; PLACES], highs: [NOTHING.1; PLACES], entries: [None; PLACES], len: 0 }
    }

    /// Answers the place of the entry, if there was one.
    pub(crate) fn insert(&mut self, (low, high): (i64, i64), entry: NonZeroU32) -> Option<u32> {
        let at = self.len;
        self.set(at, low, high, Some(entry))?;
        self.len += 1;
        Some(at as u32)
    }

    /// Frees a place. The answered entry, which was in the last place, is there now.
    pub(crate) fn remove(&mut self, at: u32) -> Option<NonZeroU32> {
        let last = self.len.checked_sub(1)?;
        let (low, high, entry) = (*self.lows.get(last)?, *self.highs.get(last)?, *self.entries.get(last)?);
        self.set(at as usize, low, high, entry)?;
        self.set(last, NOTHING.0, NOTHING.1, None)?;
        self.len = last;
        if at as usize == last { None } else { entry }
    }

    fn set(&mut self, at: usize, low: i64, high: i64, entry: Option<NonZeroU32>) -> Option<()> {
        *self.lows.get_mut(at)? = low;
        *self.highs.get_mut(at)? = high;
        *self.entries.get_mut(at)? = entry;
        Some(())
    }

    /// Does any run touch `low..high`?
    #[expect(
        clippy::needless_range_loop,
        reason = "builds without optimization across units leave adapters of iterators as calls"
    )]
    #[inline]
    pub(crate) fn is_touched(&self, (low, high): (i64, i64)) -> bool {
        let used = self.len.next_multiple_of(LANES).min(PLACES);
        // Addresses are below 2^62: a difference is negative exactly if the one is below the other. The compiler makes
        // vector instructions of this, also for processors that cannot compare 64 bits.
        let mut signs = [0i64; LANES];
        let mut first = 0;
        while first < used {
            for lane in 0..LANES {
                signs[lane] |= (self.lows[first + lane] - high) & (low - self.highs[first + lane]);
            }
            first += LANES;
        }
        let mut any = 0;
        for sign in signs {
            any |= sign;
        }
        any < 0
    }

    /// Visits the runs that touch `low..high`.
    pub(crate) fn touching(&self, (low, high): (i64, i64), mut visit: impl FnMut((i64, i64), NonZeroU32)) {
        if !self.is_touched((low, high)) {
            return;
        }
        for ((l, h), entry) in self.lows.iter().zip(&self.highs).zip(&self.entries) {
            if *l < high
                && low < *h
                && let Some(entry) = entry
            {
                visit((*l, *h), *entry);
            }
        }
    }
}
