//! Time that counts once: calls that a callback of the program makes inside of another call (an attribute copy
//! function, a reduction operation, an error handler) have their own time, and the outer call has the rest.

use std::collections::BTreeMap;

/// Limit of the calls of a thread that have not returned; beyond it the first ones are given up.
const MOST: usize = 64;

/// The calls of a thread during which later ones returned.
#[derive(Debug, Default)]
pub(super) struct Nested {
    /// The number of the call that comes next.
    next: u64,
    /// Calls that have not returned by number, with the time of the calls that were made inside of them.
    open: BTreeMap<u64, u64>,
}

impl Nested {
    /// The time of a call that took `ns`, without that of the calls inside of it. Calls come as they return; `index`
    /// numbers them as they were made.
    pub(super) fn own(&mut self, index: u64, ns: u64) -> u64 {
        let own = ns.saturating_sub(self.open.remove(&index).unwrap_or(0));
        if index > self.next {
            let first = self.next.max(index.saturating_sub(MOST as u64));
            (first..index).for_each(|open| _ = self.open.insert(open, 0));
            while self.open.len() > MOST {
                self.open.pop_first();
            }
        }
        self.next = self.next.max(index.saturating_add(1));
        if let Some((_, inside)) = self.open.range_mut(..index).next_back() {
            *inside = inside.saturating_add(ns);
        }
        own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_one_after_the_other_keep_their_time() {
        let mut calls = Nested::default();
        assert_eq!([(0, 5), (1, 7), (2, 0)].map(|(index, ns)| calls.own(index, ns)), [5, 7, 0]);
        assert!(calls.open.is_empty());
    }

    #[test]
    fn a_call_inside_of_another_is_taken_off_the_next_outer_one_only() {
        let mut calls = Nested::default();
        // 0 { 1 { 2, 3 }, 4 }, 5
        let returned = [(2, 10), (3, 20), (1, 40), (4, 5), (0, 100), (5, 7)];
        assert_eq!(returned.map(|(index, ns)| calls.own(index, ns)), [10, 20, 10, 5, 55, 7]);
    }

    #[test]
    fn numbers_that_never_come_do_no_harm() {
        let mut calls = Nested::default();
        assert_eq!(calls.own(u64::MAX, 3), 3);
        assert_eq!(calls.open.len(), MOST);
        assert_eq!(calls.own(u64::MAX, 4), 4);
    }
}
