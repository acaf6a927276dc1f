//! A datatype: its bytes in typemap order and its bounds.

use crate::basic;
use crate::shape::{ListBuilder, Part, Shape};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use trace_format::definition::UNKNOWN_ID;

/// A datatype of MPI (MPI 4.1 section 5.1), compact: a vector is one node whatever its count is.
#[derive(Debug)]
pub struct Typemap {
    pub(crate) shape: Arc<Shape>,
    lb: i64,
    extent: i64,
    /// No other typemap has it. Not 0.
    pub(crate) id: u64,
    /// The bytes in ascending order, made when first asked for. See [`Typemap::bytes`].
    pub(crate) sorted: OnceLock<Option<Arc<Shape>>>,
}

impl Typemap {
    pub(crate) fn of(shape: Arc<Shape>, lb: i64, extent: i64) -> Arc<Typemap> {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Arc::new(Typemap { shape, lb, extent, id, sorted: OnceLock::new() })
    }

    /// A predefined type by its definition id (its place in `trace_format::mpi::predefined::DATATYPES`, from 1), with
    /// its size in bytes. A pair type (MPI 4.1 section 6.9.4) gets its two parts, laid out as C does.
    pub fn named(id: u32, size: u64) -> Arc<Typemap> {
        let pair = || {
            let pair = basic::pair(id, size)?;
            Typemap::pair(id, size, pair.extent as i64)
        };
        pair().unwrap_or_else(|| match (Shape::basic(id, size), i64::try_from(size)) {
            (Some(shape), Ok(extent)) => Typemap::of(shape, 0, extent),
            _ => Typemap::of(Shape::empty(), 0, 0),
        })
    }

    /// A pair type whose size and extent in bytes the library gave. `None` if that is neither the layout of the C
    /// struct nor one without a gap.
    pub fn pair(id: u32, size: u64, extent: i64) -> Option<Arc<Typemap>> {
        let pair = basic::pair(id, size)?;
        let [(first, first_size), (second, second_size)] = pair.parts;
        let displacement = match u64::try_from(extent).ok()? {
            e if e == pair.extent => pair.second,
            e if e == size => first_size,
            _ => return None,
        };
        let mut list = ListBuilder::default();
        list.push(Part::new(0, 1, i64::try_from(first_size).ok()?, Shape::basic(first, first_size)?))?;
        let (at, step) = (i64::try_from(displacement).ok()?, i64::try_from(second_size).ok()?);
        list.push(Part::new(at, 1, step, Shape::basic(second, second_size)?))?;
        Some(Typemap::of(list.finish()?, 0, extent))
    }

    /// A type of which only the sizes in bytes are known (MPI_Type_create_f90_* gives such): one run of bytes if it
    /// has no gaps, else `None`. Its basic type is [`UNKNOWN_ID`].
    pub fn opaque(size: u64, lb: i64, extent: i64) -> Option<Arc<Typemap>> {
        if i64::try_from(size).ok()? != extent {
            return None;
        }
        Some(Typemap::of(Shape::moved(&Shape::basic(UNKNOWN_ID, size)?, lb)?, lb, extent))
    }

    /// Bytes of data in one element.
    pub fn size(&self) -> u64 {
        self.shape.size
    }

    /// Lower bound in bytes.
    pub fn lb(&self) -> i64 {
        self.lb
    }

    /// Bytes from one element to the next.
    pub fn extent(&self) -> i64 {
        self.extent
    }

    /// Displacement of the lowest byte of data (0 without data).
    pub fn true_lb(&self) -> i64 {
        self.shape.low
    }

    /// Displacement of the byte after the highest one of data (0 without data).
    pub fn true_ub(&self) -> i64 {
        self.shape.high
    }

    /// Number of basic elements in one element.
    pub fn basic_elements(&self) -> u64 {
        self.shape.elements
    }

    /// Whether any number of elements is one run of bytes, in order.
    pub fn is_contiguous(&self) -> bool {
        self.shape.dense && i64::try_from(self.shape.size) == Ok(self.extent)
    }

    /// The one run (offset from the buffer address and length, in bytes) that `count` elements are, in order. `None`
    /// if they are more runs, or beyond 64 bits.
    pub fn one_run(&self, count: u64) -> Option<(i64, u64)> {
        match self.shape.size.checked_mul(count)? {
            0 => Some((0, 0)),
            size if self.shape.dense && (count == 1 || self.is_contiguous()) => Some((self.shape.low, size)),
            _ => None,
        }
    }

    /// From the lowest byte of data in `count` elements to after the highest one, relative to the buffer address.
    /// Bounds beyond 64 bits saturate.
    pub fn span(&self, count: u64) -> Range<i64> {
        if count == 0 || self.shape.size == 0 {
            return 0..0;
        }
        let way = i128::from(self.extent) * i128::from(count - 1);
        let clamp = |v: i128| v.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        clamp(i128::from(self.shape.low) + way.min(0))..clamp(i128::from(self.shape.high) + way.max(0))
    }
}
