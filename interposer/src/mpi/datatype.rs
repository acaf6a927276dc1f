//! Definitions of datatypes: the constructor with its arguments, which is the type's typemap in compact form.

use crate::mpi::abi::Abi;
use crate::mpi::{handles, library};
use trace_format::definition::{Combiner, Definition, Id};
use trace_format::mpi::{FnId, Kind};

/// Reads the arguments of a constructor one after the other.
struct Args<'a> {
    abi: &'a Abi,
    words: &'a crate::mpi::words::Words,
    ints: Vec<i64>,
    types: Vec<Id>,
}

/// Width in memory of the integers of an array argument.
#[derive(Clone, Copy)]
enum Width {
    Int,
    Long,
}

impl Args<'_> {
    fn word(&self, p: usize) -> u64 {
        self.words.get(p).copied().unwrap_or(0)
    }

    /// A scalar; `Int` arguments use the lower half of their word.
    fn scalar(&mut self, p: usize, width: Width) -> i64 {
        let v = match width {
            Width::Int => i64::from(self.word(p) as i32),
            Width::Long => self.word(p) as i64,
        };
        self.ints.push(v);
        v
    }

    fn array(&mut self, p: usize, n: i64, width: Width) {
        let base = self.word(p);
        if base == 0 {
            return;
        }
        for i in 0..n.max(0) as u64 {
            // SAFETY: the library has read this array of `n` integers in the call that just succeeded.
            let v = unsafe {
                match width {
                    Width::Int => i64::from(((base + 4 * i) as *const i32).read_unaligned()),
                    Width::Long => ((base + 8 * i) as *const i64).read_unaligned(),
                }
            };
            self.ints.push(v);
        }
    }

    fn datatype(&mut self, p: usize) {
        let handle = self.abi.handle_arg(Kind::Datatype, self.word(p));
        self.types.push(handles::lookup(Kind::Datatype, handle));
    }

    fn datatypes(&mut self, p: usize, n: i64) {
        let (base, bytes) = (self.word(p), self.abi.handle_bytes(Kind::Datatype) as u64);
        for i in 0..n.max(0) as u64 {
            // SAFETY: as in `array`.
            let handle = unsafe {
                match bytes {
                    4 => u64::from(((base + 4 * i) as *const u32).read_unaligned()),
                    _ => ((base + 8 * i) as *const u64).read_unaligned(),
                }
            };
            self.types.push(handles::lookup(Kind::Datatype, handle));
        }
    }

    fn replace(&mut self, place: usize, f: impl Fn(i64) -> i64) {
        if let Some(v) = self.ints.get_mut(place) {
            *v = f(*v);
        }
    }
}

/// The definition of the datatype `handle` that `function` has just made.
pub(crate) fn definition(
    abi: &'static Abi,
    id: Id,
    handle: u64,
    function: FnId,
    words: &crate::mpi::words::Words,
) -> Definition {
    use FnId::*;
    use Width::{Int, Long};
    let mut a = Args { abi, words, ints: Vec::new(), types: Vec::new() };
    let combiner = match function {
        MPI_Type_dup => {
            a.datatype(0);
            Combiner::Dup
        }
        MPI_Type_contiguous | MPI_Type_contiguous_c => {
            a.scalar(0, if function == MPI_Type_contiguous { Int } else { Long });
            a.datatype(1);
            Combiner::Contiguous
        }
        MPI_Type_vector | MPI_Type_vector_c => {
            let w = if function == MPI_Type_vector { Int } else { Long };
            (0..3).for_each(|p| _ = a.scalar(p, w));
            a.datatype(3);
            Combiner::Vector
        }
        MPI_Type_create_hvector | MPI_Type_hvector | MPI_Type_create_hvector_c => {
            let w = if function == MPI_Type_create_hvector_c { Long } else { Int };
            a.scalar(0, w);
            a.scalar(1, w);
            a.scalar(2, Long);
            a.datatype(3);
            Combiner::Hvector
        }
        MPI_Type_indexed | MPI_Type_indexed_c => {
            let w = if function == MPI_Type_indexed { Int } else { Long };
            let n = a.scalar(0, w);
            a.array(1, n, w);
            a.array(2, n, w);
            a.datatype(3);
            Combiner::Indexed
        }
        MPI_Type_create_hindexed | MPI_Type_hindexed | MPI_Type_create_hindexed_c => {
            let w = if function == MPI_Type_create_hindexed_c { Long } else { Int };
            let n = a.scalar(0, w);
            a.array(1, n, w);
            a.array(2, n, Long);
            a.datatype(3);
            Combiner::Hindexed
        }
        MPI_Type_create_indexed_block | MPI_Type_create_indexed_block_c => {
            let w = if function == MPI_Type_create_indexed_block { Int } else { Long };
            let n = a.scalar(0, w);
            a.scalar(1, w);
            a.array(2, n, w);
            a.datatype(3);
            Combiner::IndexedBlock
        }
        MPI_Type_create_hindexed_block | MPI_Type_create_hindexed_block_c => {
            let w = if function == MPI_Type_create_hindexed_block { Int } else { Long };
            let n = a.scalar(0, w);
            a.scalar(1, w);
            a.array(2, n, Long);
            a.datatype(3);
            Combiner::HindexedBlock
        }
        MPI_Type_create_struct | MPI_Type_struct | MPI_Type_create_struct_c => {
            let w = if function == MPI_Type_create_struct_c { Long } else { Int };
            let n = a.scalar(0, w);
            a.array(1, n, w);
            a.array(2, n, Long);
            a.datatypes(3, n);
            Combiner::Struct
        }
        MPI_Type_create_subarray | MPI_Type_create_subarray_c => {
            let w = if function == MPI_Type_create_subarray { Int } else { Long };
            let n = a.scalar(0, Int);
            (1..4).for_each(|p| a.array(p, n, w));
            a.scalar(4, Int);
            let last = a.ints.len() - 1;
            a.replace(last, |v| i64::from(v == i64::from(abi.named.order_fortran)));
            a.datatype(5);
            Combiner::Subarray
        }
        MPI_Type_create_darray | MPI_Type_create_darray_c => {
            let w = if function == MPI_Type_create_darray { Int } else { Long };
            a.scalar(0, Int);
            a.scalar(1, Int);
            let n = a.scalar(2, Int);
            a.array(3, n, w);
            (4..7).for_each(|p| a.array(p, n, Int));
            a.scalar(7, Int);
            let (n, last) = (n.max(0) as usize, a.ints.len() - 1);
            for i in 0..n {
                let (none, cyclic) = (i64::from(abi.named.distribute_none), i64::from(abi.named.distribute_cyclic));
                a.replace(3 + n + i, |v| if v == none { 0 } else { 1 + i64::from(v == cyclic) });
                a.replace(3 + 2 * n + i, |v| if v == i64::from(abi.named.distribute_default) { -1 } else { v });
            }
            a.replace(last, |v| i64::from(v == i64::from(abi.named.order_fortran)));
            a.datatype(8);
            Combiner::Darray
        }
        MPI_Type_create_resized | MPI_Type_create_resized_c => {
            a.scalar(1, Long);
            a.scalar(2, Long);
            a.datatype(0);
            Combiner::Resized
        }
        _ => Combiner::Opaque,
    };
    let (size, lb, extent) = sizes(handle);
    Definition::Datatype { id, combiner, ints: a.ints, types: a.types, size, lb, extent }
}

/// Size, lower bound and extent in bytes of a valid datatype.
pub(crate) fn sizes(handle: u64) -> (u64, i64, i64) {
    let (mut size, mut small, mut lb, mut extent) = (-1i64, -1i32, 0i64, 0i64);
    // Size as MPI_Count where the library has that.
    if library::call(FnId::MPI_Type_size_x, &[handle, &raw mut size as u64]) != Some(0)
        && library::call(FnId::MPI_Type_size, &[handle, &raw mut small as u64]) == Some(0)
    {
        size = i64::from(small);
    }
    library::call(FnId::MPI_Type_get_extent, &[handle, &raw mut lb as u64, &raw mut extent as u64]);
    (size.max(0) as u64, lb, extent)
}
