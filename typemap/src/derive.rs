//! Datatype constructors (MPI 4.1 section 5.1), from their arguments as `MPI_Type_get_contents` gives them.

use crate::arguments::{amount, counted, halves};
use crate::arrays;
use crate::shape::{ListBuilder, Part, Shape};
use crate::typemap::Typemap;
use std::sync::Arc;
use trace_format::definition::Combiner;

impl Typemap {
    /// The type that a constructor makes of `ints` and `types` (see [`Combiner`] for their layout); `lb` and `extent`
    /// in bytes are what the library says of the result. `None` for [`Combiner::Named`] and [`Combiner::Opaque`], for
    /// arguments that are no constructor's, and for types too large to be held (more than 2^20 blocks that have no
    /// pattern, nested more than 60 deep).
    pub fn derive(
        combiner: Combiner,
        ints: &[i64],
        types: &[Arc<Typemap>],
        lb: i64,
        extent: i64,
    ) -> Option<Arc<Typemap>> {
        let shape = match combiner {
            Combiner::Named | Combiner::Opaque => return None,
            Combiner::Struct => structure(ints, types)?,
            _ => {
                let [old] = types else {
                    return None;
                };
                of_one(combiner, ints, old)?
            }
        };
        Some(Typemap::of(shape, lb, extent))
    }
}

fn of_one(combiner: Combiner, ints: &[i64], old: &Typemap) -> Option<Arc<Shape>> {
    let bytes = |elements: i64| elements.checked_mul(old.extent());
    match combiner {
        Combiner::Dup | Combiner::Resized => Some(old.shape.clone()),
        Combiner::Contiguous => {
            let [count] = *ints else { return None };
            Shape::repeat(&old.shape, amount(count)?, old.extent())
        }
        Combiner::Vector | Combiner::Hvector => {
            let [count, length, stride] = *ints else { return None };
            let stride = if combiner == Combiner::Vector { bytes(stride)? } else { stride };
            let block = Shape::repeat(&old.shape, amount(length)?, old.extent())?;
            Shape::repeat(&block, amount(count)?, stride)
        }
        Combiner::Indexed | Combiner::Hindexed => {
            let (n, rest) = counted(ints)?;
            let (lengths, displacements) = halves(rest, n)?;
            blocks(old, lengths.iter().copied(), displacements, combiner == Combiner::Indexed)
        }
        Combiner::IndexedBlock | Combiner::HindexedBlock => {
            let (n, rest) = counted(ints)?;
            let (length, displacements) = rest.split_first()?;
            if displacements.len() != n {
                return None;
            }
            let lengths = std::iter::repeat_n(*length, n);
            blocks(old, lengths, displacements, combiner == Combiner::IndexedBlock)
        }
        Combiner::Subarray => arrays::subarray(ints, old),
        Combiner::Darray => arrays::darray(ints, old),
        Combiner::Named | Combiner::Opaque | Combiner::Struct => None,
    }
}

fn blocks(
    old: &Typemap,
    lengths: impl Iterator<Item = i64>,
    displacements: &[i64],
    in_elements: bool,
) -> Option<Arc<Shape>> {
    let unit = if in_elements { old.extent() } else { 1 };
    let mut list = ListBuilder::default();
    for (length, displacement) in lengths.zip(displacements) {
        list.push(Part::new(displacement.checked_mul(unit)?, amount(length)?, old.extent(), old.shape.clone()))?;
    }
    list.finish()
}

fn structure(ints: &[i64], types: &[Arc<Typemap>]) -> Option<Arc<Shape>> {
    let (n, rest) = counted(ints)?;
    let (lengths, displacements) = halves(rest, n)?;
    if types.len() != n {
        return None;
    }
    let mut list = ListBuilder::default();
    for ((length, displacement), old) in lengths.iter().zip(displacements).zip(types) {
        list.push(Part::new(*displacement, amount(*length)?, old.extent(), old.shape.clone()))?;
    }
    list.finish()
}
