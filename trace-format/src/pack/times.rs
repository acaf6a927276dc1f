//! Times that the packer expects of records: whether one came near enough to its time, and which times to expect instead.

use super::bytes::{head_of, word_at};
use super::{CALL_HEAD, KEY, MAX_CELLS};
use crate::record::{Commit, MAX_DURATION};

/// The usual times of a cell; the reader is told of them now and then.
#[derive(Debug, Clone, Copy, Default)]
struct Habit {
    /// Means in 16ths of a tick: of the time since the end of the record before, and of the duration.
    gap: i64,
    duration: i64,
    /// The upper bits of word 2.
    class: u64,
    seen: u32,
    /// The reader may be told again once `seen` is so large.
    due: u32,
    /// How many records in a row were far off.
    misses: u32,
}

/// A mean moves by this part of a difference at most.
const SHARE: i64 = 8;
/// So many records in a row that are far from the mean are no exceptions.
const MAX_MISSES: u32 = 4;

pub(super) struct Times {
    /// The bound of errors in ticks; 0: times are exact.
    bound: u64,
    /// When the last record began and ended, and when it began as the reader is told.
    begun: u64,
    real: u64,
    told: u64,
    /// When the last record of the block ends.
    last: u64,
    /// By cell.
    habits: Vec<Habit>,
}

impl Times {
    pub(super) fn new(bound: u64) -> Times {
        // Differences of times are taken as signed numbers.
        let bound = bound.min(1 << 40);
        Times {
            bound,
            begun: 0,
            real: 0,
            told: 0,
            last: 0,
            habits: vec![Habit::default(); if bound == 0 { 0 } else { MAX_CELLS }],
        }
    }

    pub(super) fn are_exact(&self) -> bool {
        self.bound == 0
    }

    pub(super) fn be_exact(&mut self) {
        self.bound = 0;
    }

    pub(super) fn forget(&mut self) {
        self.habits.fill(Habit::default());
    }

    /// A block begins that stands for itself.
    pub(super) fn begin_anew(&mut self) {
        (self.begun, self.real, self.told) = (0, 0, 0);
    }

    /// A record was written.
    #[inline]
    pub(super) fn passed(&mut self, head: usize, time: u64, second: u64) {
        (self.begun, self.real) = (time, self.end(head, time, second));
    }

    /// When the reader is told that it began.
    #[inline]
    pub(super) fn tell(&mut self, time: u64) {
        self.told = time;
    }

    /// The times of a record, moved so that it keeps its order behind the one before it: the reader may be told a later end of
    /// that one than it had. `time`: that end, as the reader is told.
    pub(super) fn in_order(&self, head: usize, time: u64, real: (u64, u64)) -> (u64, u64) {
        if self.are_exact() {
            return real;
        }
        let is_behind = |then: u64| (real.0.wrapping_sub(then) as i64) >= 0;
        let least = match (is_behind(self.real), is_behind(self.begun)) {
            (true, _) => time,
            (false, true) => self.told,
            _ => return real,
        };
        let late = least.wrapping_sub(real.0) as i64;
        if late <= 0 || late.unsigned_abs() > self.bound {
            return real;
        }
        let duration = real.1 & MAX_DURATION;
        (least, if head == CALL_HEAD { real.1 & !MAX_DURATION | duration.saturating_sub(late as u64) } else { real.1 })
    }

    #[inline]
    pub(super) fn end(&self, head: usize, time: u64, second: u64) -> u64 {
        if head == CALL_HEAD { time.wrapping_add(second & MAX_DURATION) } else { time }
    }

    /// No time of the block may come back later than its last one: another thread may begin then.
    pub(super) fn look_ahead(&mut self, records: &[u8]) {
        self.last = 0;
        if self.are_exact() {
            return;
        }
        let mut at = 0;
        while at < records.len() {
            let key = word_at(records, at) & KEY;
            let end = self.end(head_of(key), word_at(records, at + 8), word_at(records, at + 16));
            self.last = self.last.max(end);
            at += usize::from(Commit::unpack(key).words).max(1) * 8;
        }
    }

    /// Is a record near enough to its expected times? `time`: the end of the one before it, as the reader is told.
    #[inline]
    pub(super) fn fit(&self, head: usize, time: u64, expected: (u64, u64), real: (u64, u64)) -> bool {
        let begins = time.wrapping_add(expected.0);
        let (ends, real_end) = (self.end(head, begins, expected.1), self.end(head, real.0, real.1));
        let near = |a: u64, b: u64| (a.wrapping_sub(b) as i64).unsigned_abs() <= self.bound;
        // Neither overlapped the one before it, which keeps the order.
        let apart = (expected.0 as i64) >= 0 && (real.0.wrapping_sub(self.real) as i64) >= 0;
        let same_class = (expected.1 ^ real.1) & !MAX_DURATION == 0;
        // A reader that is ahead cannot be set back, but must wait; one that is behind leaps.
        let most = (self.last.saturating_sub(real_end) / 4).min(self.bound / 16);
        let in_time = ends <= real_end || ends - real_end <= most;
        apart && same_class && near(begins, real.0) && near(ends, real_end) && in_time && begins <= ends
    }

    /// Notes the times of a record of this cell.
    #[inline]
    pub(super) fn note(&mut self, cell: u16, time: u64, second: u64) {
        let Some(habit) = self.habits.get_mut(usize::from(cell)) else { return };
        let most = 1 << 40;
        let gap = (time.wrapping_sub(self.real) as i64).clamp(-most, most) << 4;
        let duration = ((second & MAX_DURATION) as i64).min(most) << 4;
        habit.seen = habit.seen.saturating_add(1);
        let bound = (self.bound as i64) << 4;
        let far = |mean: i64, new: i64| (new - mean).abs() > bound;
        let is_far = far(habit.gap, gap) || far(habit.duration, duration) || habit.class != second & !MAX_DURATION;
        habit.misses = if is_far { habit.misses + 1 } else { 0 };
        if habit.seen == 1 || habit.misses >= MAX_MISSES {
            (habit.gap, habit.duration, habit.class, habit.misses) = (gap, duration, second & !MAX_DURATION, 0);
            return;
        }
        let share = i64::from(habit.seen).min(SHARE);
        habit.gap += (gap - habit.gap).clamp(-bound, bound) / share;
        habit.duration += (duration - habit.duration).clamp(-bound, bound) / share;
    }

    /// The times that should be expected of a cell, if they are worth telling.
    pub(super) fn better(&mut self, cell: u16, expected: (u64, u64)) -> Option<(u64, u64)> {
        let habit = self.habits.get_mut(usize::from(cell)).filter(|h| h.seen >= h.due)?;
        // Rather too early than too late: see [`Times::fit`].
        let gap = (habit.gap >> 4).max(0) as u64;
        let gap = gap - gap / 32;
        let second = (habit.duration >> 4).max(0) as u64 | habit.class;
        // Errors of many records in a row add up until one is told its times.
        let worth = (self.bound / 32).min(gap.saturating_add(second & MAX_DURATION) / 256 + 1);
        let differs = |a: u64, b: u64| (a.wrapping_sub(b) as i64).unsigned_abs() > worth;
        let is_worth_it = differs(gap, expected.0) || differs(second, expected.1);
        if !is_worth_it {
            return None;
        }
        // The reader is told often at first, seldom later.
        habit.due = habit.seen.saturating_add(4 + (habit.seen / 2).min(1 << 10));
        Some((gap, second))
    }
}
