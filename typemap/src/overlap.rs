//! Whether two buffers have a byte in common.

use crate::buffer::{Buffer, Form, vector};
use crate::shape::{Kind, Part, Shape, bounds};
use std::sync::{Arc, OnceLock};
use trace_format::definition::UNKNOWN_ID;

/// Steps of the search for irregular buffers, each up to ten nanoseconds.
pub(crate) const MAX_STEPS: u32 = 1 << 16;

/// An address that both buffers touch: the lowest one if both are plain bytes or equal runs at equal distances.
///
/// Never wrong when it finds one. Two irregular buffers that interleave in very many places (more than 2^16 steps of
/// the search) may have one that is not found.
pub fn common_byte(a: &Buffer, b: &Buffer) -> Option<u64> {
    let mut steps = MAX_STEPS;
    common_byte_within(a, b, &mut steps)
}

/// [`common_byte`] with what is left of an effort that many searches share.
pub(crate) fn common_byte_within(a: &Buffer, b: &Buffer, steps: &mut u32) -> Option<u64> {
    let low = a.low.max(b.low);
    if low >= a.high.min(b.high) {
        return None;
    }
    if a.form() == Form::All && b.form() == Form::All {
        return Some(low as u64);
    }
    if let (Some(a), Some(b)) = (a.vector(), b.vector()) {
        return a.common(&b).map(|x| x as u64);
    }
    let (a, b) = (Node::of(a)?, Node::of(b)?);
    Search { steps }.common(&a, &b).map(|x| x as u64)
}

/// `count` copies of a shape.
#[derive(Clone, Copy)]
struct Node<'a> {
    shape: &'a Shape,
    base: i64,
    stride: i64,
    count: u64,
    low: i64,
    high: i64,
}

impl<'a> Node<'a> {
    fn new(shape: &'a Shape, base: i64, stride: i64, count: u64) -> Option<Node<'a>> {
        let (low, high) = bounds(shape, base, count, stride)?;
        Some(Node { shape, base, stride, count, low, high })
    }

    /// A part of a list that is at `base`.
    fn part(part: &'a Part, base: i64) -> Option<Node<'a>> {
        Node::new(&part.child, base.checked_add(part.displacement)?, part.stride, part.count)
    }

    /// The parts, if it is one list in ascending order.
    fn ascending_parts(&self) -> Option<&'a [Part]> {
        match &self.shape.kind {
            Kind::List(parts) if self.count == 1 && self.shape.ascending => Some(parts),
            _ => None,
        }
    }

    fn of(buffer: &'a Buffer) -> Option<Node<'a>> {
        static BYTE: OnceLock<Option<Arc<Shape>>> = OnceLock::new();
        match (buffer.form(), &buffer.layout) {
            (Form::All, _) | (_, None) => {
                let byte = BYTE.get_or_init(|| Shape::basic(UNKNOWN_ID, 1)).as_ref()?;
                Node::new(byte, buffer.low, 1, (buffer.high - buffer.low) as u64)
            }
            (_, Some(l)) => Node::new(l.map.bytes(), l.address, l.map.extent(), l.count),
        }
    }
}

struct Search<'s> {
    steps: &'s mut u32,
}

impl Search<'_> {
    fn step(&mut self) -> Option<()> {
        *self.steps = self.steps.checked_sub(1)?;
        Some(())
    }

    fn common(&mut self, a: &Node<'_>, b: &Node<'_>) -> Option<i64> {
        if a.low >= b.high || b.low >= a.high {
            return None;
        }
        self.step()?;
        let vectors = [a, b].map(|n| vector(n.shape, n.base, n.stride, n.count));
        match vectors {
            [Some(a), Some(b)] => a.common(&b),
            [None, Some(_)] => self.split(a, b),
            [Some(_), None] => self.split(b, a),
            [None, None] => match (a.ascending_parts(), b.ascending_parts()) {
                (Some(x), Some(y)) => self.merge((x, a.base), (y, b.base)),
                _ if a.high - a.low >= b.high - b.low => self.split(a, b),
                _ => self.split(b, a),
            },
        }
    }

    /// Searches the pieces of `a` that may touch `b`.
    fn split(&mut self, a: &Node<'_>, b: &Node<'_>) -> Option<i64> {
        if a.count > 1 {
            let (first, last) = copies_near(a, b)?;
            for i in first..=last {
                let base = a.base.checked_add(a.stride.checked_mul(i)?)?;
                let found = self.common(&Node::new(a.shape, base, a.stride, 1)?, b);
                if found.is_some() {
                    return found;
                }
                self.step()?;
            }
            return None;
        }
        let parts: &[Part] = match &a.shape.kind {
            Kind::Repeat { child, count, stride } => {
                return self.common(&Node::new(child, a.base, *stride, *count)?, b);
            }
            Kind::List(parts) => parts,
            Kind::Empty | Kind::Basic(_) => &[],
        };
        let ends_below = |p: &Part| Node::part(p, a.base).is_some_and(|n| n.high <= b.low);
        let ascending = a.shape.ascending;
        let first = if ascending { parts.partition_point(ends_below) } else { 0 };
        for part in parts.get(first..)? {
            self.step()?;
            let part = Node::part(part, a.base)?;
            if ascending && part.low >= b.high {
                return None;
            }
            let found = self.common(&part, b);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Searches two lists in ascending order at the same time.
    fn merge(&mut self, a: (&[Part], i64), b: (&[Part], i64)) -> Option<i64> {
        let (mut x, mut y) = (Ascending::new(a), Ascending::new(b));
        let (mut p, mut q) = (x.next()?, y.next()?);
        loop {
            self.step()?;
            if p.high <= q.low {
                p = x.first_above(q.low)?;
            } else if q.high <= p.low {
                q = y.first_above(p.low)?;
            } else {
                let found = self.common(&p, &q);
                if found.is_some() {
                    return found;
                }
                if p.high <= q.high {
                    p = x.next()?;
                } else {
                    q = y.next()?;
                }
            }
        }
    }
}

/// Walks through parts that ascend.
struct Ascending<'a> {
    parts: &'a [Part],
    base: i64,
}

impl<'a> Ascending<'a> {
    fn new((parts, base): (&'a [Part], i64)) -> Self {
        Ascending { parts, base }
    }

    fn next(&mut self) -> Option<Node<'a>> {
        let (part, rest) = self.parts.split_first()?;
        self.parts = rest;
        Node::part(part, self.base)
    }

    /// The next part that ends above an address: mostly one of the next few.
    fn first_above(&mut self, address: i64) -> Option<Node<'a>> {
        let base = self.base;
        let below = |p: &Part| Node::part(p, base).is_some_and(|n| n.high <= address);
        let mut width = 4;
        while self.parts.get(width).is_some_and(below) {
            width *= 2;
        }
        let near = self.parts.get(..width).unwrap_or(self.parts);
        self.parts = self.parts.get(near.partition_point(below)..)?;
        self.next()
    }
}

/// Copies in `a` whose span touches the span of `b`: the first and the last one.
fn copies_near(a: &Node<'_>, b: &Node<'_>) -> Option<(i64, i64)> {
    let most = i64::try_from(a.count).ok()? - 1;
    if a.stride == 0 {
        return Some((0, 0));
    }
    // Offsets `i * stride` from more than `from` to less than `to`.
    let from = b.low.checked_sub(a.shape.high)?.checked_sub(a.base)?;
    let to = b.high.checked_sub(a.shape.low)?.checked_sub(a.base)?;
    let (from, to) = if a.stride > 0 { (from, to) } else { (to.checked_neg()?, from.checked_neg()?) };
    let step = a.stride.checked_abs()?;
    let first = from.div_euclid(step).checked_add(1)?.max(0);
    let last = to.checked_sub(1)?.div_euclid(step).min(most);
    (first <= last).then_some((first, last))
}
