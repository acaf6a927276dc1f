//! The bytes of one datatype without its bounds, as a tree that is as small as the constructor's arguments.

use crate::basic;
use std::sync::Arc;
use trace_format::definition::UNKNOWN_ID;

/// Deeper types are refused: every walk of the tree, and its drop, may then recurse.
const MAX_DEPTH: u8 = 64;
/// Limit of parts of one list; types with more are refused (48 MiB in the process under test).
const MAX_PARTS: usize = 1 << 20;
/// Fewer equal blocks at equal distances are not worth a node of their own.
const WORTH_A_REPEAT: usize = 4;

/// A sequence of basic parts in typemap order. Displacements are relative to the place the shape is put at.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    /// Bytes of data.
    pub(crate) size: u64,
    /// Number of basic parts.
    pub(crate) elements: u64,
    /// First byte and one past the last byte; both 0 without data.
    pub(crate) low: i64,
    pub(crate) high: i64,
    /// No fewer than the maximal runs of bytes in typemap order.
    pub(crate) runs: u64,
    /// In typemap order the bytes are one ascending run from `low` to `high`.
    pub(crate) dense: bool,
    /// In typemap order no byte is at or below an earlier one.
    pub(crate) ascending: bool,
    pub(crate) alignment: Alignment,
    depth: u8,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Empty,
    /// A basic datatype, by its definition id.
    Basic(u32),
    /// `count` > 1 copies, `stride` bytes apart.
    Repeat {
        child: Arc<Shape>,
        count: u64,
        stride: i64,
    },
    List(Box<[Part]>),
}

impl Shape {
    /// Does it have parts of which only the size is known?
    pub(crate) fn is_opaque(&self) -> bool {
        match &self.kind {
            Kind::Empty => false,
            Kind::Basic(id) => *id == UNKNOWN_ID,
            Kind::Repeat { child, .. } => child.is_opaque(),
            Kind::List(parts) => parts.iter().any(|p| p.child.is_opaque()),
        }
    }
}

/// `count` copies of `child`, `stride` bytes apart; the first is at `displacement`.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    pub(crate) displacement: i64,
    pub(crate) count: u64,
    pub(crate) stride: i64,
    pub(crate) child: Arc<Shape>,
    /// The data bytes before this part in the list.
    pub(crate) bytes_before: u64,
    pub(crate) elements_before: u64,
}

impl Part {
    pub(crate) fn new(displacement: i64, count: u64, stride: i64, child: Arc<Shape>) -> Part {
        Part { displacement, count, stride, child, bytes_before: 0, elements_before: 0 }
    }

    fn is_dense(&self) -> bool {
        self.child.dense && (self.count == 1 || i64::try_from(self.child.size) == Ok(self.stride))
    }

    fn is_ascending(&self) -> bool {
        self.child.ascending && (self.count == 1 || self.stride >= self.child.high - self.child.low)
    }

    /// First byte and one past the last.
    pub(crate) fn bounds(&self) -> Option<(i64, i64)> {
        bounds(&self.child, self.displacement, self.count, self.stride)
    }
}

/// Bounds of `count` > 0 copies of `child`. `None` if they are beyond 64 bits.
pub(crate) fn bounds(child: &Shape, displacement: i64, count: u64, stride: i64) -> Option<(i64, i64)> {
    let way = stride.checked_mul(i64::try_from(count.checked_sub(1)?).ok()?)?;
    let low = displacement.checked_add(way.min(0))?.checked_add(child.low)?;
    let high = displacement.checked_add(way.max(0))?.checked_add(child.high)?;
    // The length must be a positive i64, too.
    high.checked_sub(low)?;
    Some((low, high))
}

/// The condition of the basic parts on the address: it must be `-residue` modulo `align`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// A power of two, at most 16.
    pub(crate) align: i64,
    /// Displacement of a part with that alignment, modulo `align`.
    pub(crate) residue: i64,
    /// Whether there is an address that suits all parts.
    pub(crate) possible: bool,
}

impl Alignment {
    const NONE: Alignment = Alignment { align: 1, residue: 0, possible: true };

    pub(crate) fn moved(self, displacement: i64) -> Alignment {
        Alignment { residue: (self.residue + displacement.rem_euclid(self.align)) % self.align, ..self }
    }

    pub(crate) fn suits(self, other: Alignment) -> bool {
        let least = self.align.min(other.align);
        self.residue % least == other.residue % least
    }

    pub(crate) fn and(self, other: Alignment) -> Alignment {
        let strict = if self.align >= other.align { self } else { other };
        Alignment { possible: self.possible && other.possible && self.suits(other), ..strict }
    }

    fn repeated(self, count: u64, stride: i64) -> Alignment {
        Alignment { possible: self.possible && (count < 2 || stride % self.align == 0), ..self }
    }
}

impl Shape {
    pub(crate) fn empty() -> Arc<Shape> {
        Arc::new(Shape {
            kind: Kind::Empty,
            size: 0,
            elements: 0,
            low: 0,
            high: 0,
            runs: 0,
            dense: true,
            ascending: true,
            alignment: Alignment::NONE,
            depth: 0,
        })
    }

    /// `None` if a basic type of this size cannot be.
    pub(crate) fn basic(id: u32, size: u64) -> Option<Arc<Shape>> {
        if size == 0 {
            return Some(Shape::empty());
        }
        Some(Arc::new(Shape {
            kind: Kind::Basic(id),
            size,
            elements: 1,
            low: 0,
            high: i64::try_from(size).ok()?,
            runs: 1,
            dense: true,
            ascending: true,
            alignment: Alignment { align: basic::alignment(id, size), ..Alignment::NONE },
            depth: 1,
        }))
    }

    /// `count` copies, `stride` bytes apart. `None` if the result is too large.
    pub(crate) fn repeat(child: &Arc<Shape>, count: u64, stride: i64) -> Option<Arc<Shape>> {
        if count == 0 || child.size == 0 {
            return Some(Shape::empty());
        }
        if count == 1 {
            return Some(child.clone());
        }
        if let Kind::Repeat { child: inner, count: n, stride: s } = &child.kind
            && i64::try_from(*n).ok().and_then(|n| s.checked_mul(n)) == Some(stride)
        {
            return Shape::repeat(inner, n.checked_mul(count)?, *s);
        }
        let part = Part::new(0, count, stride, child.clone());
        let (low, high) = part.bounds()?;
        let dense = part.is_dense();
        Some(Arc::new(Shape {
            size: child.size.checked_mul(count)?,
            elements: child.elements.checked_mul(count)?,
            low,
            high,
            runs: if dense { 1 } else { child.runs.saturating_mul(count) },
            dense,
            ascending: part.is_ascending(),
            alignment: child.alignment.repeated(count, stride),
            depth: deeper(child.depth)?,
            kind: Kind::Repeat { child: child.clone(), count, stride },
        }))
    }

    /// The shape put at `displacement`.
    pub(crate) fn moved(shape: &Arc<Shape>, displacement: i64) -> Option<Arc<Shape>> {
        let mut list = ListBuilder::default();
        list.push(Part::new(displacement, 1, 0, shape.clone()))?;
        list.finish()
    }
}

fn deeper(depth: u8) -> Option<u8> {
    let deeper = depth.checked_add(1)?;
    (deeper <= MAX_DEPTH).then_some(deeper)
}

/// Are the two the same node, or alike basic parts?
fn same(a: &Arc<Shape>, b: &Arc<Shape>) -> bool {
    Arc::ptr_eq(a, b)
        || match (&a.kind, &b.kind) {
            (Kind::Basic(x), Kind::Basic(y)) => x == y && a.size == b.size,
            _ => false,
        }
}

/// Makes a shape of parts in typemap order.
#[derive(Default)]
pub(crate) struct ListBuilder {
    parts: Vec<Part>,
}

impl ListBuilder {
    /// Appends a part; one that continues the last part is merged with it. `None` if there are too many.
    pub(crate) fn push(&mut self, part: Part) -> Option<()> {
        if part.count == 0 || part.child.size == 0 {
            return Some(());
        }
        if let Some(last) = self.parts.last_mut()
            && same(&last.child, &part.child)
            && (part.count == 1 || part.stride == last.stride || last.count == 1)
        {
            let step = if part.count == 1 { last.stride } else { part.stride };
            let way = i64::try_from(last.count).ok().and_then(|n| step.checked_mul(n));
            if way.and_then(|w| last.displacement.checked_add(w)) == Some(part.displacement) && step != 0 {
                last.count = last.count.checked_add(part.count)?;
                last.stride = step;
                return Some(());
            }
        }
        if self.parts.len() >= MAX_PARTS {
            return None;
        }
        self.parts.push(part);
        Some(())
    }

    /// `None` if the result is too large.
    pub(crate) fn finish(self) -> Option<Arc<Shape>> {
        let mut parts = compress(self.parts)?;
        match parts.as_slice() {
            [] => return Some(Shape::empty()),
            [only] if only.displacement == 0 => return Shape::repeat(&only.child, only.count, only.stride),
            _ => {}
        }
        let mut all = Shape {
            kind: Kind::Empty,
            size: 0,
            elements: 0,
            low: i64::MAX,
            high: i64::MIN,
            runs: 0,
            dense: true,
            ascending: true,
            alignment: Alignment::NONE,
            depth: 0,
        };
        let mut end = None;
        for part in &mut parts {
            let (low, high) = part.bounds()?;
            part.bytes_before = all.size;
            part.elements_before = all.elements;
            all.size = all.size.checked_add(part.child.size.checked_mul(part.count)?)?;
            all.elements = all.elements.checked_add(part.child.elements.checked_mul(part.count)?)?;
            all.dense &= part.is_dense() && end.is_none_or(|e| e == low);
            all.ascending &= part.is_ascending() && end.is_none_or(|e| e <= low);
            all.low = all.low.min(low);
            all.high = all.high.max(high);
            let runs = if part.is_dense() { 1 } else { part.child.runs.saturating_mul(part.count) };
            all.runs = all.runs.saturating_add(runs);
            let alignment = part.child.alignment.repeated(part.count, part.stride).moved(part.displacement);
            all.alignment = all.alignment.and(alignment);
            all.depth = all.depth.max(part.child.depth);
            end = Some(high);
        }
        all.high.checked_sub(all.low)?;
        if all.dense {
            all.runs = 1;
        }
        all.depth = deeper(all.depth)?;
        all.kind = Kind::List(parts.into_boxed_slice());
        Some(Arc::new(all))
    }
}

/// Replaces equal blocks at equal distances by one part.
fn compress(parts: Vec<Part>) -> Option<Vec<Part>> {
    if parts.len() < WORTH_A_REPEAT {
        return Some(parts);
    }
    let mut out: Vec<Part> = Vec::new();
    let mut rest = parts.as_slice();
    while let [first, after @ ..] = rest {
        let step = after.first().and_then(|second| second.displacement.checked_sub(first.displacement));
        let equal = |pair: &[Part]| match pair {
            [a, b] => {
                same(&a.child, &b.child)
                    && a.count == b.count
                    && (a.count == 1 || a.stride == b.stride)
                    && b.displacement.checked_sub(a.displacement) == step
            }
            _ => false,
        };
        let run = 1 + rest.windows(2).take_while(|pair| equal(pair)).count();
        match step {
            Some(step) if run >= WORTH_A_REPEAT => {
                let block = Shape::repeat(&first.child, first.count, first.stride)?;
                out.push(Part::new(first.displacement, run as u64, step, block));
                rest = rest.get(run..)?;
            }
            _ => {
                out.push(first.clone());
                rest = after;
            }
        }
    }
    Some(out)
}
