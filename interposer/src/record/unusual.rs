//! What every call must look at and is mostly off, together in one word: a call that finds nothing here may take a short way.

use std::sync::atomic::{AtomicU32, Ordering};

/// One bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Matter(u32);

impl Matter {
    /// Nothing more can be recorded.
    pub(crate) const LOST: Matter = Matter(1);
    /// Time stamps are not those of the processor's counter.
    pub(crate) const CLOCK: Matter = Matter(1 << 1);

    /// A matter of who uses the recorder, numbered from 0.
    pub(crate) const fn other(number: u32) -> Matter {
        assert!(number < 30, "a word has so many bits");
        Matter(1 << (2 + number))
    }
}

static MATTERS: AtomicU32 = AtomicU32::new(0);

pub(crate) fn set(matter: Matter, is_on: bool) {
    if is_on {
        MATTERS.fetch_or(matter.0, Ordering::Relaxed);
    } else {
        MATTERS.fetch_and(!matter.0, Ordering::Relaxed);
    }
}

/// Is there nothing to look at, or only what does not concern this call?
#[inline(always)]
pub(crate) fn is_nothing_but(matter: Matter, is_no_concern: bool) -> bool {
    let matters = MATTERS.load(Ordering::Relaxed);
    matters == 0 || is_no_concern && matters == matter.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_matter_may_be_no_concern_but_not_two() {
        let (mine, other) = (Matter::other(0), Matter::other(29));
        assert!(is_nothing_but(mine, false));
        set(mine, true);
        assert!(is_nothing_but(mine, true) && !is_nothing_but(mine, false) && !is_nothing_but(other, true));
        set(other, true);
        assert!(!is_nothing_but(mine, true) && !is_nothing_but(other, true));
        set(mine, false);
        assert!(is_nothing_but(other, true));
        set(other, false);
        assert!(is_nothing_but(mine, false));
    }
}
