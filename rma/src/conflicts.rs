//! Accesses to the memory of one target, or to one file, that nothing orders: which of them must not overlap (MPI 4.1, 12.7 and
//! 14.6.1).

use rustc_hash::FxHashMap;

/// The deed of an access at the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// MPI_Get, or a call of the target's own that reads.
    Read,
    /// MPI_Put, or a call of the target's own that writes.
    Write,
    /// An accumulate function with this operation on elements of this basic type, both as numbers of the caller's.
    Accumulate { op: u32, basic: u32 },
    /// MPI_Compare_and_swap, and accumulate functions of which operation or type are not known: they go with each other.
    AnyAccumulate,
}

impl Deed {
    /// May two accesses of different origins to the same bytes have these deeds? `no_op`: the number of MPI_NO_OP.
    pub fn goes_with(self, other: Deed, no_op: u32) -> bool {
        match (self, other) {
            (Deed::Read, Deed::Read) => true,
            (Deed::Accumulate { op, basic }, Deed::Accumulate { op: other_op, basic: other_basic }) => {
                basic == other_basic && (op == other_op || op == no_op || other_op == no_op)
            }
            (Deed::AnyAccumulate | Deed::Accumulate { .. }, Deed::AnyAccumulate | Deed::Accumulate { .. }) => true,
            _ => false,
        }
    }

    fn accumulates(self) -> bool {
        matches!(self, Deed::Accumulate { .. } | Deed::AnyAccumulate)
    }
}

/// More different deeds are not held against each other by [`go_together`]: they do not.
pub const MOST_DEEDS: usize = 8;

/// Does each of these deeds go with all others? Then no two accesses that have them are in conflict, wherever they are.
/// `no_op`: the number of MPI_NO_OP.
pub fn go_together(deeds: impl Iterator<Item = Deed>, no_op: u32) -> bool {
    let mut different = [Deed::Read; MOST_DEEDS];
    let mut count = 0;
    for deed in deeds {
        let known = different.get(..count).unwrap_or_default();
        if known.contains(&deed) {
            continue;
        }
        if !deed.goes_with(deed, no_op) || !known.iter().all(|other| deed.goes_with(*other, no_op)) {
            return false;
        }
        let Some(place) = different.get_mut(count) else { return false };
        *place = deed;
        count += 1;
    }
    true
}

/// An access to bytes of the target's memory, `start` up to and without `end`. `P`: how the caller knows calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access<P> {
    pub start: i64,
    pub end: i64,
    pub origin: i32,
    pub deed: Deed,
    pub call: P,
}

/// Accesses of one origin that are in the order of their calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InOrder {
    /// None, as the program wishes it.
    Nothing,
    /// The accumulate functions (MPI 4.1, 12.7.2).
    Accumulates,
    All,
}

/// Accesses to the memory of one target that nothing orders.
#[derive(Debug, Clone)]
pub struct Unordered<P> {
    all: Vec<Access<P>>,
}

impl<P> Default for Unordered<P> {
    fn default() -> Unordered<P> {
        Unordered { all: Vec::new() }
    }
}

/// The accesses of one deed and two origins that reach farthest, among those that the sweep has come to.
struct Farthest {
    first: usize,
    other: Option<usize>,
}

impl<P: Copy + PartialEq> Unordered<P> {
    /// Adds an access. One that continues the last one of the same call makes it longer.
    pub fn add(&mut self, access: Access<P>) {
        if access.start >= access.end {
            return;
        }
        if let Some(last) = self.all.last_mut()
            && (last.origin, last.deed, last.end) == (access.origin, access.deed, access.start)
            && last.call == access.call
        {
            last.end = access.end;
            return;
        }
        self.all.push(access);
    }

    /// Pairs of accesses that must not overlap and do, with the first byte that both have: for each access that is in
    /// conflict with one of a smaller or equal start, one of these. `no_op`: the number of
    /// MPI_NO_OP; `are_of_one`: what is in order of the accesses of one origin.
    ///
    /// The accesses are sorted; then each costs as much as there are different deeds.
    pub fn conflicts(mut self, no_op: u32, are_of_one: InOrder, mut found: impl FnMut(Access<P>, Access<P>, i64)) {
        self.all.sort_by_key(|access| (access.start, access.end));
        let all = &self.all;
        let mut farthest: FxHashMap<Deed, Farthest> = FxHashMap::default();
        for (at, access) in all.iter().enumerate() {
            for (deed, reached) in &farthest {
                let goes = deed.goes_with(access.deed, no_op);
                if goes {
                    continue;
                }
                let is_ordered = |other: &Access<P>| {
                    let are_atomic = other.deed.accumulates() && access.deed.accumulates();
                    let are_in_order = match are_of_one {
                        InOrder::Nothing => false,
                        InOrder::Accumulates => are_atomic,
                        InOrder::All => true,
                    };
                    other.origin == access.origin && are_in_order
                };
                let mut candidates =
                    [Some(reached.first), reached.other].into_iter().flatten().filter_map(|i| all.get(i));
                let overlaps = |other: &Access<P>| other.end > access.start && other.call != access.call;
                if let Some(other) = candidates.find(|other| overlaps(other) && !is_ordered(other)) {
                    found(*other, *access, access.start);
                }
            }
            let entry = farthest.entry(access.deed).or_insert(Farthest { first: at, other: None });
            entry.take(all, at);
        }
    }
}

impl Farthest {
    /// The sweep has come to the access number `at`.
    fn take<P>(&mut self, all: &[Access<P>], at: usize) {
        let end = |i: usize| all.get(i).map_or(i64::MIN, |access| access.end);
        let origin = |i: usize| all.get(i).map(|access| access.origin);
        if at == self.first {
            return;
        }
        if end(at) > end(self.first) {
            if origin(at) != origin(self.first) {
                self.other = Some(self.first);
            }
            self.first = at;
        } else if origin(at) != origin(self.first) && self.other.is_none_or(|other| end(at) > end(other)) {
            self.other = Some(at);
        }
    }
}

#[cfg(test)]
mod tests;
