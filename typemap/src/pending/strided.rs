//! Buffers of equal runs at equal distances, such as columns of a matrix. Those with the same distance are sorted by
//! where their runs are within it: columns that interleave are then as far apart as buffers without gaps.

use super::sorted::{Entry, Item, Links, Sorted};
use super::spans::{Span, class, reach};
use crate::vector::Vector;
use std::num::NonZeroU32;

/// Limit of groups: more are no pattern.
const MAX_GROUPS: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Column {
    /// Place of the runs within the stride.
    residue: i64,
    start: i64,
    length: i64,
    rows: i64,
}

impl Column {
    fn of(vector: &Vector) -> Column {
        Column { residue: vector.start % vector.stride, start: vector.start, length: vector.length, rows: vector.rows }
    }

    fn at(residue: i64, start: i64) -> Column {
        Column { residue, start, length: 0, rows: 0 }
    }
}

/// Columns of one stride and of similar lengths.
#[derive(Debug, Default)]
struct Group {
    stride: i64,
    length_class: usize,
    rows_class: usize,
    sorted: Sorted<Column>,
    /// The bounds of all columns.
    low: i64,
    high: i64,
}

/// Groups of columns.
#[derive(Debug)]
pub(crate) struct Strided {
    /// A group stays where it is; an empty one is used again.
    groups: Vec<Group>,
}

/// The group that a column was put into.
pub(crate) type GroupId = u32;

impl Strided {
    pub(crate) const fn new() -> Strided {
        Strided { groups: Vec::new() }
    }

    /// Was there never a column?
    #[inline]
    pub(crate) fn is_unused(&self) -> bool {
        self.groups.is_empty()
    }

    fn group_for(&mut self, vector: &Vector) -> Option<usize> {
        let (length_class, rows_class) = (class(vector.length), class(vector.rows));
        let alike = |g: &Group| (g.stride, g.length_class, g.rows_class) == (vector.stride, length_class, rows_class);
        if let Some(found) = self.groups.iter().position(|g| alike(g) && !g.sorted.is_empty()) {
            return Some(found);
        }
        let free = match self.groups.iter().position(|g| g.sorted.is_empty()) {
            Some(free) => free,
            None if self.groups.len() < MAX_GROUPS => {
                self.groups.push(Group::default());
                self.groups.len() - 1
            }
            None => return None,
        };
        let group = self.groups.get_mut(free)?;
        (group.stride, group.length_class, group.rows_class) = (vector.stride, length_class, rows_class);
        (group.low, group.high) = (i64::MAX, i64::MIN);
        Some(free)
    }

    /// Appends an entry; answers its group and the entry before it with the same column. `None` if there are too many
    /// different strides.
    pub(crate) fn insert(&mut self, vector: &Vector, entry: NonZeroU32) -> Option<(GroupId, Entry)> {
        let id = self.group_for(vector)?;
        let group = self.groups.get_mut(id)?;
        group.low = group.low.min(vector.start);
        group.high = group.high.max(vector.end());
        Some((id as u32, group.sorted.insert(Column::of(vector), entry)))
    }

    pub(crate) fn remove(&mut self, group: GroupId, vector: &Vector, entry: NonZeroU32, links: Links) {
        if let Some(group) = self.groups.get_mut(group as usize) {
            group.sorted.remove(Column::of(vector), entry, links);
        }
    }

    /// Visits the columns that may touch a buffer with this span, whose bytes are `vector` if they are one.
    pub(crate) fn near(&self, (low, high): Span, vector: Option<&Vector>, mut visit: impl FnMut(&Vector, NonZeroU32)) {
        for group in &self.groups {
            if group.sorted.is_empty() || group.low >= high || low >= group.high {
                continue;
            }
            // One run, or runs of the same stride, are a window within the stride.
            let window = vector.filter(|c| c.rows == 1 || c.stride == group.stride);
            let reach = reach(group.length_class).min(group.stride);
            match window {
                Some(c) if c.length.saturating_add(reach) < group.stride => {
                    let place = c.start % group.stride;
                    // The window may go round both ends.
                    for shift in [-group.stride, 0, group.stride] {
                        let (from, to) = (place + shift - reach + 1, place + shift + c.length);
                        group.window(from.max(0), to.min(group.stride), low, high, &mut visit);
                    }
                }
                _ => group.window(0, group.stride, low, high, &mut visit),
            }
        }
    }
}

impl Group {
    /// Visits the columns with residues in `from..to` whose spans may touch `low..high`.
    fn window(&self, from: i64, to: i64, low: i64, high: i64, visit: &mut impl FnMut(&Vector, NonZeroU32)) {
        if from >= to {
            return;
        }
        let earliest = low.saturating_sub(reach(self.rows_class).saturating_mul(self.stride));
        let mut items = self.sorted.from(&Column::at(from, earliest));
        while let Some(Item { key, head, .. }) = items.next().filter(|i| i.key.residue < to) {
            if key.start >= high {
                items = self.sorted.from(&Column::at(key.residue + 1, earliest));
            } else if key.start < earliest {
                items = self.sorted.from(&Column::at(key.residue, earliest));
            } else {
                let vector = Vector { start: key.start, length: key.length, stride: self.stride, rows: key.rows };
                visit(&vector, *head);
            }
        }
    }
}
