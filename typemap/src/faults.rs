//! Faults of a datatype itself: bytes that it names twice, parts that no address aligns.

use crate::basic;
use crate::buffer::vector;
use crate::runs::Runs;
use crate::shape::{Alignment, Kind, ListBuilder, Part, Shape};
use crate::typemap::Typemap;
use crate::vector::Vector;
use std::sync::Arc;

/// Limit of runs that are sorted.
const MAX_SORTED_RUNS: u64 = 1 << 16;
/// Longest stretch of memory that is computed with.
const MAX_SPAN: i64 = 1 << 60;

/// Whether elements name a byte twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SelfOverlap {
    No,
    Yes,
    /// It was too much work to find out.
    Unknown,
}

/// A basic part whose address is no multiple of what its type asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Misaligned {
    /// Basic element, counted through all elements of the buffer (0 is the first one).
    pub position: u64,
    /// Definition id of the basic element.
    pub basic: u32,
    /// Bytes from the buffer address.
    pub offset: i64,
    /// The alignment that the address of such an element should have.
    pub alignment: u64,
}

/// `count` copies of a shape, its bytes in ascending order and each only once. `None` if these are too many runs.
fn sort(shape: &Shape, stride: i64, count: u64) -> Option<Arc<Shape>> {
    if shape.runs.checked_mul(count)? > MAX_SORTED_RUNS {
        return None;
    }
    let mut runs: Vec<(i64, i64)> = Vec::new();
    for (offset, length) in Runs::of(shape, 0, stride, count) {
        runs.push((offset, offset.checked_add(i64::try_from(length).ok()?)?));
    }
    runs.sort_unstable();
    let byte = Shape::basic(trace_format::definition::UNKNOWN_ID, 1)?;
    let mut list = ListBuilder::default();
    let mut end = i64::MIN;
    for (low, high) in runs {
        let low = low.max(end);
        if low < high {
            list.push(Part::new(low, high.checked_sub(low)? as u64, 1, byte.clone()))?;
            end = high;
        }
    }
    list.finish()
}

/// Whether copies of equal runs at equal distances overlap. `None` if the shape is something else.
fn interleaved(shape: &Shape, extent: i64, count: u64) -> Option<SelfOverlap> {
    let one = vector(shape, 0, 0, 1)?;
    let (n, step) = (i64::try_from(count - 1).ok()?, extent.checked_abs()?);
    let way = step.checked_mul(n)?.checked_add(one.end().checked_sub(one.start)?)?;
    if way > MAX_SPAN {
        return None;
    }
    // Copy k overlaps copy 0 if a run at k * extent overlaps one of copy 0.
    let first = Vector { start: 0, ..one };
    let starts = Vector::new(step, one.length, step, n);
    Some(if starts.common(&first).is_some() { SelfOverlap::Yes } else { SelfOverlap::No })
}

impl Typemap {
    /// The bytes of one element without their order. Lists in it ascend, unless that was too much to sort.
    pub(crate) fn bytes(&self) -> &Arc<Shape> {
        if self.shape.ascending {
            return &self.shape;
        }
        self.sorted.get_or_init(|| sort(&self.shape, 0, 1)).as_ref().unwrap_or(&self.shape)
    }

    /// Whether `count` elements name a byte twice: MPI 4.1 section 5.1 forbids that for receive buffers.
    pub fn overlaps_itself(&self, count: u64) -> SelfOverlap {
        let one = self.bytes();
        if count == 0 || self.size() == 0 {
            return SelfOverlap::No;
        }
        if one.size < self.size() || (count > 1 && self.extent() == 0) {
            return SelfOverlap::Yes;
        }
        if !one.ascending {
            return SelfOverlap::Unknown;
        }
        let elements_apart = self.extent().unsigned_abs() >= self.true_ub().abs_diff(self.true_lb());
        if count == 1 || elements_apart {
            return SelfOverlap::No;
        }
        // Elements are interleaved.
        if let Some(answer) = interleaved(one, self.extent(), count) {
            return answer;
        }
        // A few of them often show it, all of them prove that there is nothing.
        for n in [2, count] {
            match sort(one, self.extent(), n) {
                Some(all) if all.size < self.size().saturating_mul(n) => return SelfOverlap::Yes,
                Some(_) if n == count => return SelfOverlap::No,
                _ => {}
            }
        }
        SelfOverlap::Unknown
    }

    /// A basic part of `count` elements that is misaligned at every address at which the part with the strictest
    /// alignment is aligned. `None` if there are addresses that suit all of them.
    pub fn misaligned(&self, count: u64) -> Option<Misaligned> {
        self.unsuited(self.shape.alignment, count)
    }

    /// The first basic part of `count` elements at this address that is misaligned.
    pub fn misaligned_at(&self, address: u64, count: u64) -> Option<Misaligned> {
        let residue = (address as i64).wrapping_neg().rem_euclid(basic::MAX_ALIGNMENT);
        self.unsuited(Alignment { align: basic::MAX_ALIGNMENT, residue, possible: true }, count)
    }

    /// The first basic part that does not suit an alignment.
    fn unsuited(&self, wanted: Alignment, count: u64) -> Option<Misaligned> {
        copies(&self.shape, wanted, (count, self.extent()), 0, 0)
    }
}

/// The first part in `count` copies of `child` that does not suit `wanted`.
fn copies(
    child: &Shape,
    wanted: Alignment,
    (count, stride): (u64, i64),
    offset: i64,
    position: u64,
) -> Option<Misaligned> {
    // Alignments repeat.
    (0..count.min(basic::MAX_ALIGNMENT as u64)).find_map(|i| {
        let offset = offset.wrapping_add(stride.wrapping_mul(i as i64));
        find(child, wanted, offset, position.wrapping_add(i.wrapping_mul(child.elements)))
    })
}

/// The first part in `shape`, put at `offset`, that does not suit `wanted`.
fn find(shape: &Shape, wanted: Alignment, offset: i64, position: u64) -> Option<Misaligned> {
    let here = shape.alignment.moved(offset);
    if here.possible && here.suits(wanted) {
        return None;
    }
    match &shape.kind {
        Kind::Empty => None,
        Kind::Basic(basic) => {
            Some(Misaligned { position, basic: *basic, offset, alignment: shape.alignment.align as u64 })
        }
        Kind::Repeat { child, count, stride } => copies(child, wanted, (*count, *stride), offset, position),
        Kind::List(parts) => parts.iter().find_map(|p| {
            let offset = offset.wrapping_add(p.displacement);
            copies(&p.child, wanted, (p.count, p.stride), offset, position.wrapping_add(p.elements_before))
        }),
    }
}
