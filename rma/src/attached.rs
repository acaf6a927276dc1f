//! The memory that a process has attached to a window of MPI_Win_create_dynamic (MPI 4.1, 12.2.4).

use std::collections::BTreeMap;

/// The attached parts, which share no byte. `P`: how the caller knows calls.
#[derive(Debug, Clone)]
pub struct Attached<P> {
    /// By the first address: the one behind the last, and the call that attached it.
    parts: BTreeMap<u64, (u64, P)>,
    /// Nothing was attached at some address: then nobody knows how often that may be detached.
    has_empty: bool,
}

/// A reason why memory must not be attached or detached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misplaced<P> {
    /// So many of its bytes are attached already, by this call.
    Twice { bytes: u64, by: P },
    /// It begins so many bytes behind the beginning of what this call attached.
    Inside { offset: u64, by: P },
    /// It is not attached.
    Nowhere,
}

impl<P> Default for Attached<P> {
    fn default() -> Attached<P> {
        Attached { parts: BTreeMap::new(), has_empty: false }
    }
}

impl<P: Copy> Attached<P> {
    /// Memory is about to be attached.
    pub fn check_attach(&self, start: u64, size: u64) -> Option<Misplaced<P>> {
        let end = start.saturating_add(size);
        let (from, (to, by)) = self.parts.range(..end).next_back()?;
        let bytes = end.min(*to).saturating_sub(start.max(*from));
        (bytes > 0).then_some(Misplaced::Twice { bytes, by: *by })
    }

    /// The memory that begins at `start` is about to be detached.
    pub fn check_detach(&self, start: u64) -> Option<Misplaced<P>> {
        if self.has_empty || self.parts.contains_key(&start) {
            return None;
        }
        let before = self.parts.range(..start).next_back().filter(|(_, (to, _))| *to > start);
        Some(before.map_or(Misplaced::Nowhere, |(from, (_, by))| Misplaced::Inside { offset: start - from, by: *by }))
    }

    /// The call has attached memory.
    pub fn attach(&mut self, start: u64, size: u64, call: P) {
        match size {
            0 => self.has_empty = true,
            _ => _ = self.parts.insert(start, (start.saturating_add(size), call)),
        }
    }

    /// The call that attached the memory that begins at `start`.
    pub fn part(&self, start: u64) -> Option<&P> {
        self.parts.get(&start).map(|(_, by)| by)
    }

    /// The calls that attached what is attached.
    pub fn parts(&self) -> impl Iterator<Item = &P> {
        self.parts.values().map(|(_, by)| by)
    }

    /// The memory that begins at `start` was detached.
    pub fn detach(&mut self, start: u64) {
        self.parts.remove(&start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_no_byte() {
        let mut all = Attached::default();
        all.attach(100, 10, 'a');
        all.attach(200, 10, 'b');
        assert_eq!(all.check_attach(110, 90), None, "side by side");
        assert_eq!(all.check_attach(105, 0), None, "nothing");
        assert_eq!(all.check_attach(109, 5), Some(Misplaced::Twice { bytes: 1, by: 'a' }));
        assert_eq!(all.check_attach(50, 200), Some(Misplaced::Twice { bytes: 10, by: 'b' }));
        all.detach(200);
        assert_eq!(all.check_attach(200, 10), None);
    }

    #[test]
    fn only_the_beginning_of_a_part_is_detached() {
        let mut all = Attached::default();
        all.attach(100, 10, 'a');
        assert_eq!(all.check_detach(100), None);
        assert_eq!(all.check_detach(104), Some(Misplaced::Inside { offset: 4, by: 'a' }));
        assert_eq!(all.check_detach(110), Some(Misplaced::Nowhere));
        assert_eq!((all.part(100), all.part(104), all.parts().count()), (Some(&'a'), None, 1));
        all.detach(100);
        assert_eq!(all.check_detach(100), Some(Misplaced::Nowhere));
        all.attach(300, 0, 'b');
        assert_eq!(all.check_detach(100), None, "memory of size zero is not counted");
    }
}
