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

    /// Is the order of the data in memory unknown?
    pub fn is_opaque(&self) -> bool {
        self.shape.is_opaque()
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
    #[inline]
    pub fn is_contiguous(&self) -> bool {
        self.shape.dense && i64::try_from(self.shape.size) == Ok(self.extent)
    }

    /// The one run (offset from the buffer address and length, in bytes) that `count` elements are, in order. `None`
    /// if they are more runs, or beyond 64 bits.
    #[inline]
    pub fn one_run(&self, count: u64) -> Option<(i64, u64)> {
        match self.shape.size.checked_mul(count)? {
            0 => Some((0, 0)),
            size if self.shape.dense && (count == 1 || self.is_contiguous()) => Some((self.shape.low, size)),
            _ => None,
        }
    }

    /// The range from the lowest byte of data in `count` elements to one past the highest, relative to the buffer
    /// address. Bounds beyond 64 bits saturate.
    pub fn span(&self, count: u64) -> Range<i64> {
        if count == 0 || self.shape.size == 0 {
            return 0..0;
        }
        let way = i128::from(self.extent) * i128::from(count - 1);
        let clamp = |v: i128| v.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        clamp(i128::from(self.shape.low) + way.min(0))..clamp(i128::from(self.shape.high) + way.max(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::definition::Combiner;
    use trace_format::mpi::predefined::datatype_id;

    fn named(name: &str, size: u64) -> Arc<Typemap> {
        Typemap::named(datatype_id(name).expect("a predefined type"), size)
    }

    #[test]
    fn pairs_are_laid_out_as_structs() {
        let runs = |map: &Typemap| map.runs(1).collect::<Vec<_>>();
        for (name, size, extent, parts) in [
            ("MPI_DOUBLE_INT", 12, 16, vec![(0, 12)]),
            ("MPI_SHORT_INT", 6, 8, vec![(0, 2), (4, 4)]),
            ("MPI_LONG_DOUBLE_INT", 20, 32, vec![(0, 20)]),
            ("MPI_2INT", 8, 8, vec![(0, 8)]),
            ("MPI_2DOUBLE_COMPLEX", 32, 32, vec![(0, 32)]),
        ] {
            let map = named(name, size);
            assert_eq!((map.extent(), map.basic_elements()), (extent, 2), "{name}");
            assert_eq!(runs(&map), parts, "{name}");
        }
        let packed = Typemap::pair(datatype_id("MPI_SHORT_INT").expect("a type"), 6, 6).expect("without a gap");
        assert_eq!(runs(&packed), [(0, 6)]);
        assert!(Typemap::pair(datatype_id("MPI_SHORT_INT").expect("a type"), 6, 7).is_none());
        assert!(Typemap::pair(datatype_id("MPI_INT").expect("a type"), 4, 4).is_none());
    }

    #[test]
    fn opaque_types_without_gaps() {
        let map = Typemap::opaque(16, 0, 16).expect("no gap");
        assert!(map.is_contiguous() && map.is_opaque() && !named("MPI_CHAR", 1).is_opaque());
        let vector = Typemap::derive(Combiner::Vector, &[9, 2, 3], std::slice::from_ref(&map), 0, 25 * 16);
        assert!(vector.is_some_and(|v| v.is_opaque()));
        assert_eq!(map.locate(3, 40).map(|p| (p.element, p.basic, p.offset)), Some((2, UNKNOWN_ID, 40)));
        assert_eq!(Typemap::opaque(8, -4, 8).map(|m| m.span(2)), Some(-4..12));
        assert!(Typemap::opaque(12, 0, 16).is_none());
    }

    #[test]
    fn a_packed_struct_is_misaligned() {
        let types = [named("MPI_CHAR", 1), named("MPI_DOUBLE", 8)];
        let packed = Typemap::derive(Combiner::Struct, &[2, 1, 1, 0, 1], &types, 0, 9).expect("a struct");
        // One element can be aligned, at an odd address.
        assert_eq!(packed.misaligned(1), None);
        let found = packed.misaligned(2).expect("the second double");
        assert_eq!((found.position, found.offset, found.alignment), (3, 10, 8));
        assert_eq!(packed.misaligned_at(4096, 1).map(|m| (m.position, m.offset)), Some((1, 1)));
        assert_eq!(packed.misaligned_at(4095, 1), None);
        let natural = Typemap::derive(Combiner::Struct, &[2, 1, 1, 0, 8], &types, 0, 16).expect("a struct");
        assert_eq!(natural.misaligned(9), None);
    }
}
