//! The states of each rank over time, in cells of one width for all ranks: their number is bounded, however long the
//! run; when the bound is reached, two become one.

/// The state of a rank; the rest of the time it computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// In a call about messages.
    Message,
    /// In a call that could not continue before another rank came.
    Waiting,
    /// In a collective operation.
    Collective,
    /// In another MPI call.
    Other,
}

pub(crate) const STATES: usize = 4;
/// Cells of all ranks together, and of one.
const ALL: usize = 600_000;
const MOST: usize = 4096;
const LEAST: usize = 32;
/// The first width: 2^10 ns.
const FIRST_BITS: u32 = 10;
/// Wider cells than this are damage of a time.
const MOST_BITS: u32 = 60;

/// Nanoseconds by state.
type Cell = [i64; STATES];

pub(crate) struct Cells {
    pub(crate) start: i64,
    end: i64,
    bits: u32,
    most: usize,
    begun: bool,
    ranks: Vec<Vec<Cell>>,
}

impl Default for Cells {
    fn default() -> Cells {
        Cells { start: 0, end: 0, bits: FIRST_BITS, most: MOST, begun: false, ranks: Vec::new() }
    }
}

impl Cells {
    /// Makes room for so many ranks.
    pub(crate) fn grow(&mut self, ranks: usize) {
        if ranks > self.ranks.len() {
            self.ranks.resize(ranks, Vec::new());
            self.most = (ALL / ranks).clamp(LEAST, MOST);
        }
    }

    pub(crate) fn width(&self) -> i64 {
        1 << self.bits
    }

    /// The rank was in this state from one time to another.
    pub(crate) fn add(&mut self, rank: i32, state: State, from: i64, to: i64) {
        self.put(rank, [(state, 1)], from, to);
    }

    /// The rank waited for others in a part of a call that was, or will be, added with `state`.
    pub(crate) fn wait(&mut self, rank: i32, state: State, from: i64, to: i64) {
        if state != State::Waiting {
            self.put(rank, [(state, -1), (State::Waiting, 1)], from, to);
        }
    }

    fn put<const N: usize>(&mut self, rank: i32, what: [(State, i64); N], from: i64, to: i64) {
        if to <= from {
            return;
        }
        self.make_room(from, to);
        let (bits, width) = (self.bits, self.width());
        let (from, to) = ((from - self.start).max(0), (to - self.start).max(0));
        let (first, last) = ((from >> bits) as usize, ((to - 1).max(0) >> bits) as usize);
        let Some(cells) = self.ranks.get_mut(rank as usize) else { return };
        if cells.len() <= last {
            cells.resize(last + 1, [0; STATES]);
        }
        for (i, cell) in cells.iter_mut().enumerate().take(last + 1).skip(first) {
            let begin = i as i64 * width;
            let part = to.min(begin + width) - from.max(begin);
            what.iter().for_each(|(state, sign)| cell[*state as usize] += sign * part);
        }
    }

    fn make_room(&mut self, from: i64, to: i64) {
        if !self.begun {
            (self.begun, self.start, self.end) = (true, from, to);
        }
        self.end = self.end.max(to);
        let mut before = 0;
        while self.bits < MOST_BITS {
            before = (self.start - from).max(0).div_euclid(self.width()) as usize + usize::from(from < self.start);
            let behind = ((self.end - self.start) >> self.bits) as usize + 1;
            if before + behind <= self.most {
                break;
            }
            self.halve();
        }
        if before > 0 {
            self.start -= before as i64 * self.width();
            for cells in self.ranks.iter_mut().filter(|c| !c.is_empty()) {
                cells.splice(0..0, std::iter::repeat_n([0; STATES], before));
            }
        }
    }

    fn halve(&mut self) {
        self.bits += 1;
        for cells in &mut self.ranks {
            let pairs = cells.len().div_ceil(2);
            for i in 0..pairs {
                let other = cells.get(2 * i + 1).copied().unwrap_or_default();
                let mut cell = cells[2 * i];
                cell.iter_mut().zip(other).for_each(|(a, b)| *a += b);
                cells[i] = cell;
            }
            cells.truncate(pairs);
        }
    }

    /// The cells of a rank, for each state how much of the width, in 255ths.
    pub(crate) fn shares(&self, rank: usize) -> Vec<u8> {
        let width = self.width();
        let cells = self.ranks.get(rank).map_or(&[][..], Vec::as_slice);
        cells.iter().flat_map(|cell| shares(*cell, width)).collect()
    }

    #[cfg(test)]
    fn sum(&self, rank: usize, state: State) -> i64 {
        self.ranks[rank].iter().map(|c| c[state as usize]).sum()
    }
}

fn shares(mut cell: Cell, width: i64) -> [u8; STATES] {
    // Waits for several messages of one call were perhaps counted twice.
    for state in [State::Message, State::Collective, State::Other] {
        let short = cell[state as usize].min(0);
        cell[State::Waiting as usize] += short;
        cell[state as usize] -= short;
    }
    cell.iter_mut().for_each(|c| *c = (*c).max(0));
    // The threads of a rank are added up.
    let whole = cell.iter().sum::<i64>().max(width);
    // Any part is visible.
    cell.map(|part| if part == 0 { 0 } else { ((part as f64 / whole as f64 * 255.0).round() as u8).max(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_kept_when_cells_are_merged() {
        let mut cells = Cells::default();
        cells.grow(2);
        for i in 0..100_000i64 {
            cells.add(0, State::Message, i * 1_000, i * 1_000 + 400);
            cells.wait(0, State::Message, i * 1_000 + 100, i * 1_000 + 150);
        }
        // Something that began earlier, on a rank that was introduced later.
        cells.add(1, State::Collective, -5_000_000, -4_000_000);
        assert_eq!(cells.sum(0, State::Message), 100_000 * 350);
        assert_eq!(cells.sum(0, State::Waiting), 100_000 * 50);
        assert_eq!(cells.sum(1, State::Collective), 1_000_000);
        assert!(cells.start <= -5_000_000 && cells.ranks[0].len() <= MOST, "{} cells", cells.ranks[0].len());
        // 350 and 50 of 1000 ns.
        let shares = cells.shares(0);
        let middle = shares.len() / 2 / STATES * STATES;
        assert!((88..=90).contains(&shares[middle]) && (12..=14).contains(&shares[middle + 1]), "{shares:?}");
    }

    #[test]
    fn damaged_times_do_no_harm() {
        let mut cells = Cells::default();
        cells.grow(1);
        for (from, to) in [(0, 10), (-(1 << 60), -(1 << 60) + 5), (5, 1 << 60), (1 << 60, 1 << 60), (7, 3)] {
            cells.add(0, State::Other, from, to);
        }
        assert_eq!(cells.sum(0, State::Other), 10 + 5 + (1 << 60) - 5);
        assert!(cells.ranks[0].len() <= MOST);
    }

    #[test]
    fn what_was_counted_twice_is_not_more_than_there_is() {
        assert_eq!(shares([-50, 150, 0, 0], 100), [0, 255, 0, 0]);
        assert_eq!(shares([1, 0, 0, 0], 1_000_000), [1, 0, 0, 0]);
        // Two threads.
        assert_eq!(shares([100, 0, 100, 0], 100), [128, 0, 128, 0]);
    }
}
