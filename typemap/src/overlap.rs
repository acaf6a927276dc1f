//! Whether two buffers have a byte in common.

use crate::buffer::{Buffer, Form, comb};
use crate::shape::{Kind, Shape, bounds};

/// Steps of the search for irregular buffers, each some ten nanoseconds.
const MAX_STEPS: u32 = 1 << 14;

/// An address that both buffers touch: the lowest one if both are plain bytes or equal runs at equal distances.
///
/// Never wrong when it finds one. Two irregular buffers that interleave in very many places (more than 2^14 steps of
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
    if let (Some(a), Some(b)) = (a.comb(), b.comb()) {
        return a.common(&b).map(|x| x as u64);
    }
    let byte = Shape::basic(0, 1)?;
    let (a, b) = (Node::of(a, &byte)?, Node::of(b, &byte)?);
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

    fn of(buffer: &'a Buffer, byte: &'a Shape) -> Option<Node<'a>> {
        match (buffer.form(), &buffer.layout) {
            (Form::All, _) | (_, None) => Node::new(byte, buffer.low, 1, (buffer.high - buffer.low) as u64),
            (_, Some(l)) => Node::new(l.map.bytes(), l.address, l.map.extent(), l.count),
        }
    }
}

struct Search<'s> {
    steps: &'s mut u32,
}

impl Search<'_> {
    fn common(&mut self, a: &Node<'_>, b: &Node<'_>) -> Option<i64> {
        if a.low >= b.high || b.low >= a.high {
            return None;
        }
        *self.steps = self.steps.checked_sub(1)?;
        let combs = [a, b].map(|n| comb(n.shape, n.base, n.stride, n.count));
        match combs {
            [Some(a), Some(b)] => a.common(&b),
            [None, Some(_)] => self.split(a, b),
            [Some(_), None] => self.split(b, a),
            [None, None] if a.high - a.low >= b.high - b.low => self.split(a, b),
            [None, None] => self.split(b, a),
        }
    }

    /// Searches the pieces of `a` that may touch `b`.
    fn split(&mut self, a: &Node<'_>, b: &Node<'_>) -> Option<i64> {
        if a.count > 1 {
            let (first, last) = copies_near(a, b)?;
            return (first..=last).find_map(|i| {
                let base = a.base.checked_add(a.stride.checked_mul(i)?)?;
                self.piece(Node::new(a.shape, base, a.stride, 1), b)
            });
        }
        match &a.shape.kind {
            Kind::Repeat { child, count, stride } => self.piece(Node::new(child, a.base, *stride, *count), b),
            Kind::List(parts) => {
                let part = |p: &crate::shape::Part| (p.bounds(), p.displacement);
                let ascending = a.shape.ascending;
                let above =
                    |p: &crate::shape::Part| part(p).0.is_none_or(|(_, high)| a.base.saturating_add(high) <= b.low);
                let below =
                    |p: &crate::shape::Part| part(p).0.is_none_or(|(low, _)| a.base.saturating_add(low) < b.high);
                let from = if ascending { parts.partition_point(above) } else { 0 };
                let near = parts.get(from..)?.iter();
                near.take_while(|p| !ascending || below(p)).find_map(|p| {
                    let base = a.base.checked_add(p.displacement)?;
                    self.piece(Node::new(&p.child, base, p.stride, p.count), b)
                })
            }
            Kind::Empty | Kind::Basic(_) => None,
        }
    }

    fn piece(&mut self, piece: Option<Node<'_>>, other: &Node<'_>) -> Option<i64> {
        if *self.steps == 0 {
            return None;
        }
        // A piece that is not near costs, too: lists may be long.
        *self.steps -= 1;
        self.common(&piece?, other)
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
