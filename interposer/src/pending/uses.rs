//! The memory that a call or an operation uses.

use smallvec::SmallVec;
use std::sync::Arc;
use trace_format::definition::Id;
use trace_format::folds::Fold;
use trace_format::mpi::FnId;
use typemap::{Buffer, Typemap};

/// The use that MPI makes of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// Contributions and results in one place.
    Both,
}

impl Access {
    pub(crate) fn writes(self) -> bool {
        self != Access::Read
    }
}

/// The owner of the data in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partners {
    /// The operands of one partner, or the same for all.
    All,
    /// The operands of one partner of several, by its place among them.
    One(u32),
    /// The operands of so many partners, in blocks of one size.
    Each(u32),
}

/// Whether the data are reduced with those of others, and what is known of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduced {
    No,
    By(Fold),
    /// By an operation, or of elements, that cannot be folded.
    Somehow,
}

/// A buffer that a call uses.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    pub(crate) buffer: Buffer,
    pub(crate) access: Access,
    pub(crate) partners: Partners,
    pub(crate) reduced: Reduced,
    /// The parameter that names it, and the function that it is one of: not the one that starts what another describes.
    pub(crate) param: u8,
    pub(crate) func: FnId,
    /// The value of the parameter.
    pub(crate) base: u64,
    /// Where the elements begin: elsewhere if there are displacements.
    pub(crate) address: u64,
    pub(crate) count: u64,
    pub(crate) datatype: Id,
    /// A type that the program has made, which it may free before the buffer is done with.
    pub(crate) map: Option<Arc<Typemap>>,
}

/// Most operations have one.
pub(crate) type Uses = SmallVec<[Use; 1]>;
