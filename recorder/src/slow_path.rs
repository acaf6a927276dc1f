//! Matters that every call must look at and that are mostly off, together in one word: a call that finds nothing here may take a
//! short way.

use std::sync::atomic::{AtomicU32, Ordering};

/// One bit, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason(u32);

impl Reason {
    /// No matter at all.
    pub const NONE: Reason = Reason(0);
    /// Nothing more can be recorded.
    pub(crate) const LOST: Reason = Reason(1);
    /// Time stamps are not those of the processor's counter.
    pub(crate) const CLOCK: Reason = Reason(1 << 1);

    /// A matter of who uses the recorder, numbered from 0.
    pub const fn other(number: u32) -> Reason {
        assert!(number < 30, "a word has so many bits");
        Reason(1 << (2 + number))
    }
}

/// The matters that are on.
struct Reasons(AtomicU32);

static ALL: Reasons = Reasons(AtomicU32::new(0));

/// Says that a matter is on, or off.
pub fn set(matter: Reason, is_on: bool) {
    ALL.set(matter, is_on);
}

/// Is there nothing to look at but this?
#[inline(always)]
pub fn is_nothing_but(matter: Reason) -> bool {
    ALL.are_none_but(matter)
}

impl Reasons {
    fn set(&self, matter: Reason, is_on: bool) {
        if is_on {
            self.0.fetch_or(matter.0, Ordering::Relaxed);
        } else {
            self.0.fetch_and(!matter.0, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn are_none_but(&self, matter: Reason) -> bool {
        self.0.load(Ordering::Relaxed) & !matter.0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_matter_may_be_no_concern_but_not_two() {
        let all = Reasons(AtomicU32::new(0));
        let (mine, other) = (Reason::other(0), Reason::other(29));
        assert!(all.are_none_but(Reason::NONE));
        all.set(mine, true);
        assert!(all.are_none_but(mine) && !all.are_none_but(Reason::NONE) && !all.are_none_but(other));
        all.set(other, true);
        assert!(!all.are_none_but(mine) && !all.are_none_but(other));
        all.set(mine, false);
        assert!(all.are_none_but(other));
        all.set(other, false);
        assert!(all.are_none_but(Reason::NONE));
    }
}
