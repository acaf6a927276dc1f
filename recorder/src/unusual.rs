//! What every call must look at and is mostly off, together in one word: a call that finds nothing here may take a short way.

use std::sync::atomic::{AtomicU32, Ordering};

/// One bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Matter(u32);

impl Matter {
    /// Nothing more can be recorded.
    pub(crate) const LOST: Matter = Matter(1);
    /// Time stamps are not those of the processor's counter.
    pub(crate) const CLOCK: Matter = Matter(1 << 1);

    /// A matter of who uses the recorder, numbered from 0.
    pub const fn other(number: u32) -> Matter {
        assert!(number < 30, "a word has so many bits");
        Matter(1 << (2 + number))
    }
}

/// The matters that are on.
struct Matters(AtomicU32);

static ALL: Matters = Matters(AtomicU32::new(0));

/// Says that a matter is on, or off.
pub fn set(matter: Matter, is_on: bool) {
    ALL.set(matter, is_on);
}

/// Is there nothing to look at, or only what does not concern this call?
#[inline(always)]
pub fn is_nothing_but(matter: Matter, is_no_concern: bool) -> bool {
    ALL.are_none_but(matter, is_no_concern)
}

impl Matters {
    fn set(&self, matter: Matter, is_on: bool) {
        if is_on {
            self.0.fetch_or(matter.0, Ordering::Relaxed);
        } else {
            self.0.fetch_and(!matter.0, Ordering::Relaxed);
        }
    }

    #[inline(always)]
    fn are_none_but(&self, matter: Matter, is_no_concern: bool) -> bool {
        let matters = self.0.load(Ordering::Relaxed);
        matters == 0 || is_no_concern && matters == matter.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_matter_may_be_no_concern_but_not_two() {
        let all = Matters(AtomicU32::new(0));
        let (mine, other) = (Matter::other(0), Matter::other(29));
        assert!(all.are_none_but(mine, false));
        all.set(mine, true);
        assert!(all.are_none_but(mine, true) && !all.are_none_but(mine, false) && !all.are_none_but(other, true));
        all.set(other, true);
        assert!(!all.are_none_but(mine, true) && !all.are_none_but(other, true));
        all.set(mine, false);
        assert!(all.are_none_but(other, true));
        all.set(other, false);
        assert!(all.are_none_but(mine, false));
    }
}
