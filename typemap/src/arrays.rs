//! Parts of arrays: MPI_Type_create_subarray (MPI 4.1 section 5.1.3) and MPI_Type_create_darray (5.1.4).

use crate::arguments::{amount, counted};
use crate::shape::{ListBuilder, Part, Shape};
use crate::typemap::Typemap;
use std::sync::Arc;

/// Grows a shape dimension by dimension, from the one whose elements are neighbours outwards.
struct ArrayShape {
    shape: Arc<Shape>,
    /// Bytes between neighbours in the dimension to come.
    stride: i64,
    /// Displacement of the first element so far, in bytes.
    offset: i64,
}

impl ArrayShape {
    fn new(old: &Typemap) -> ArrayShape {
        ArrayShape { shape: old.shape.clone(), stride: old.extent(), offset: 0 }
    }

    /// Takes `length` elements from `start` of a dimension of `size`.
    fn take(&mut self, start: i64, length: i64, size: i64) -> Option<()> {
        if size < 1 || length < 0 || start < 0 || start.checked_add(length)? > size {
            return None;
        }
        self.shape = Shape::repeat(&self.shape, amount(length)?, self.stride)?;
        self.grow(start, size)
    }

    fn grow(&mut self, start: i64, size: i64) -> Option<()> {
        self.offset = self.offset.checked_add(start.checked_mul(self.stride)?)?;
        self.stride = self.stride.checked_mul(size)?;
        Some(())
    }

    /// Takes every `processes`th block of `length` elements of a dimension of `size`, from block `first`.
    fn take_cyclic(&mut self, first: i64, processes: i64, length: i64, size: i64) -> Option<()> {
        if length < 1 || processes < 1 || size < 1 {
            return None;
        }
        let round = length.checked_mul(processes)?;
        let start = length.checked_mul(first)?.min(size);
        // Whole blocks, and what is left for a last one that the end of the dimension cuts.
        let whole = (size - start) / round + i64::from((size - start) % round >= length);
        let rest = (size - start).checked_sub(whole.checked_mul(round)?)?.clamp(0, length);
        let block = Shape::repeat(&self.shape, amount(length)?, self.stride)?;
        let step = self.stride.checked_mul(round)?;
        let mut list = ListBuilder::default();
        list.push(Part::new(0, amount(whole)?, step, block))?;
        list.push(Part::new(step.checked_mul(whole)?, amount(rest)?, self.stride, self.shape.clone()))?;
        self.shape = list.finish()?;
        self.grow(start, size)
    }

    fn finish(self) -> Option<Arc<Shape>> {
        Shape::moved(&self.shape, self.offset)
    }
}

/// Dimensions from the fastest one on.
fn fastest_first(dimensions: usize, order: i64) -> Option<Vec<usize>> {
    match order {
        0 => Some((0..dimensions).rev().collect()),
        1 => Some((0..dimensions).collect()),
        _ => None,
    }
}

/// ints: ndims, sizes, subsizes, starts, order.
pub(crate) fn subarray(ints: &[i64], old: &Typemap) -> Option<Arc<Shape>> {
    let (n, rest) = counted(ints)?;
    let (order, arrays) = rest.split_last()?;
    if n == 0 || arrays.len() != n.checked_mul(3)? {
        return None;
    }
    let mut array = ArrayShape::new(old);
    for d in fastest_first(n, *order)? {
        let (size, length, start) = (arrays.get(d)?, arrays.get(n + d)?, arrays.get(2 * n + d)?);
        array.take(*start, *length, *size)?;
    }
    array.finish()
}

const DEFAULT_ARGUMENT: i64 = -1;

/// ints: size, rank, ndims, gsizes, distribs, dargs, psizes, order.
pub(crate) fn darray(ints: &[i64], old: &Typemap) -> Option<Arc<Shape>> {
    let [size, rank, rest @ ..] = ints else {
        return None;
    };
    let (n, rest) = counted(rest)?;
    let (order, arrays) = rest.split_last()?;
    if n == 0 || arrays.len() != n.checked_mul(4)? || *rank < 0 || rank >= size {
        return None;
    }
    let at = |array: usize, d: usize| arrays.get(array * n + d).copied();
    let coordinates = coordinates(*size, *rank, arrays.get(3 * n..)?)?;
    let mut array = ArrayShape::new(old);
    for d in fastest_first(n, *order)? {
        let (length, how, argument, processes) = (at(0, d)?, at(1, d)?, at(2, d)?, at(3, d)?);
        let place = *coordinates.get(d)?;
        match how {
            0 if processes == 1 => array.take(0, length, length)?,
            1 => {
                let block = match argument {
                    DEFAULT_ARGUMENT => length.checked_add(processes - 1)? / processes,
                    given if given.checked_mul(processes)? >= length => given,
                    _ => return None,
                };
                let start = block.checked_mul(place)?.min(length);
                array.take(start, block.min(length - start), length)?;
            }
            2 => {
                let block = if argument == DEFAULT_ARGUMENT { 1 } else { argument };
                array.take_cyclic(place, processes, block, length)?;
            }
            _ => return None,
        }
    }
    array.finish()
}

/// Place of `rank` in the grid of processes, which is row-major whatever the order of the array is.
fn coordinates(size: i64, rank: i64, grid: &[i64]) -> Option<Vec<i64>> {
    let mut left = size;
    let mut rank = rank;
    let mut out = Vec::with_capacity(grid.len());
    for processes in grid {
        if *processes < 1 || left % processes != 0 {
            return None;
        }
        left /= processes;
        out.push(rank / left);
        rank %= left;
    }
    (left == 1).then_some(out)
}
