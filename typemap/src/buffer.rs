//! The memory that the arguments of a call name.

use crate::shape::{Kind, Shape};
use crate::typemap::Typemap;
use crate::vector::Vector;
use std::ops::Range;
use std::sync::Arc;

/// Addresses from here on are no memory; leaves room for arithmetic.
const END_OF_MEMORY: i64 = 1 << 62;

/// `count` elements of a datatype at an address, or plain bytes.
#[derive(Debug, Clone)]
pub struct Buffer {
    /// The lowest byte, and one past the highest; equal if there are none.
    pub(crate) low: i64,
    pub(crate) high: i64,
    /// Present only if the elements are not one run of bytes in typemap order.
    pub(crate) layout: Option<Arc<Layout>>,
}

/// The layout of the elements.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) address: i64,
    pub(crate) map: Arc<Typemap>,
    pub(crate) count: u64,
    pub(crate) form: Form,
}

/// The bytes between the lowest and the highest one that the buffer names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    All,
    /// More than one row.
    Vector(Vector),
    /// The bytes of the typemap.
    Irregular,
}

impl Buffer {
    /// `length` bytes at `address`.
    #[inline]
    pub fn bytes(address: u64, length: u64) -> Buffer {
        const LIMIT: u64 = END_OF_MEMORY as u64;
        // An address range that cannot be memory has no bytes.
        let is_memory = address <= LIMIT && length <= LIMIT - address;
        let (low, high) = if is_memory { (address as i64, (address + length) as i64) } else { (0, 0) };
        Buffer { low, high, layout: None }
    }

    /// `count` elements of a type at `address` (0 for MPI_BOTTOM). Bytes beyond 2^62 are no memory: such a buffer is
    /// empty.
    #[inline]
    pub fn new(address: u64, map: &Arc<Typemap>, count: u64) -> Buffer {
        if let Some((offset, length)) = map.one_run(count) {
            return match address.checked_add_signed(offset) {
                Some(start) => Buffer::bytes(start, length),
                None => Buffer::bytes(0, 0),
            };
        }
        Buffer::typed(address, map, count).unwrap_or_else(|| Buffer::bytes(0, 0))
    }

    fn typed(address: u64, map: &Arc<Typemap>, count: u64) -> Option<Buffer> {
        let address = i64::try_from(address).ok()?;
        let span = map.span(count);
        map.size().checked_mul(count)?;
        let (low, high) = (address.checked_add(span.start)?, address.checked_add(span.end)?);
        if low < 0 || high > END_OF_MEMORY {
            return None;
        }
        let form = match vector(&map.shape, address, map.extent(), count) {
            Some(vector) if vector.rows == 1 => Form::All,
            Some(vector) => Form::Vector(vector),
            None => Form::Irregular,
        };
        let layout = Layout { address, map: map.clone(), count, form };
        Some(Buffer { low, high, layout: Some(Arc::new(layout)) })
    }

    /// The range from the lowest byte to one past the highest.
    pub fn span(&self) -> Range<u64> {
        self.low as u64..self.high as u64
    }

    /// The bytes, if they are one run.
    #[inline]
    pub fn run(&self) -> Option<Range<u64>> {
        matches!(self.form(), Form::All).then(|| self.span())
    }

    /// Whether no byte is touched.
    pub fn is_empty(&self) -> bool {
        self.low == self.high
    }

    /// Bytes of data.
    pub fn size(&self) -> u64 {
        match &self.layout {
            None => (self.high - self.low) as u64,
            Some(layout) => layout.map.size().saturating_mul(layout.count),
        }
    }

    /// Buffers with the same id have the same bytes relative to their [`Buffer::address`].
    pub(crate) fn shape_id(&self) -> (u64, u64) {
        self.layout.as_ref().map_or((0, (self.high - self.low) as u64), |l| (l.map.id, l.count))
    }

    pub(crate) fn address(&self) -> i64 {
        self.layout.as_ref().map_or(self.low, |l| l.address)
    }

    pub(crate) fn form(&self) -> Form {
        self.layout.as_ref().map_or(Form::All, |l| l.form)
    }

    /// The buffer as one vector, if it is one.
    pub(crate) fn vector(&self) -> Option<Vector> {
        match self.form() {
            Form::All => Some(Vector::run(self.low, self.high)),
            Form::Vector(vector) => Some(vector),
            Form::Irregular => None,
        }
    }
}

/// The bytes of `count` copies of a shape as one vector, if they are one.
pub(crate) fn vector(shape: &Shape, base: i64, stride: i64, count: u64) -> Option<Vector> {
    let rows = i64::try_from(count).ok()?;
    if shape.dense {
        return Some(Vector::new(base.wrapping_add(shape.low), i64::try_from(shape.size).ok()?, stride, rows));
    }
    let (child, n, s, displacement) = match &shape.kind {
        Kind::Repeat { child, count, stride } => (child, *count, *stride, 0),
        Kind::List(parts) => match &**parts {
            [only] => (&only.child, only.count, only.stride, only.displacement),
            _ => return None,
        },
        Kind::Empty | Kind::Basic(_) => return None,
    };
    let base = base.wrapping_add(displacement);
    if count == 1 {
        return vector(child, base, s, n);
    }
    // Rows that go on with the same stride from element to element.
    let n = i64::try_from(n).ok()?;
    (s.checked_mul(n) == Some(stride)).then(|| vector(child, base, s, n.checked_mul(rows)? as u64))?
}
