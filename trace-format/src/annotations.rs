//! Annotations: a program speaks to mpivet by `include/mpivet.h` or the Fortran module `mpivet`: regions, watched data, dumps of
//! its arrays. It travels as an MPI_Pcontrol call with a level of its own and the address of a request.

use crate::definition::Id;
use crate::mpi::FnId;
use serde::{Deserialize, Serialize};

/// The level: "MPVT". Every MPI library ignores levels that it does not know (MPI 4.1, 15.2.4).
pub const LEVEL: i32 = 0x4d50_5654;
/// The first word of a request: "mpivet" and the version of its layout.
pub const MAGIC: u64 = 0x6d70_6976_6574_0001;
/// Most bytes of one dump that are kept.
pub const MAX_DUMP_BYTES: u64 = 1 << 20;

/// Does a call with this first argument say something to mpivet?
pub fn is_annotation(func: FnId, level: i64) -> bool {
    func == FnId::MPI_Pcontrol && level == i64::from(LEVEL)
}

/// The purpose of a request, as C and Fortran number it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i64)]
pub enum Action {
    /// Begins a named region of the program.
    RegionBegin = 1,
    /// Ends a named region.
    RegionEnd = 2,
    /// Watches a range of memory, which is not to change.
    Watch = 3,
    /// Ends the watch of that name.
    Unwatch = 4,
    /// With a datatype of C.
    Dump = 5,
    /// With a datatype of Fortran, an integer.
    DumpFortran = 6,
}

impl Action {
    /// Returns the action with this number; `None`: it asks for nothing that this version knows.
    pub fn from_number(number: i64) -> Option<Action> {
        use Action::*;
        [RegionBegin, RegionEnd, Watch, Unwatch, Dump, DumpFortran].into_iter().find(|a| *a as i64 == number)
    }
}

/// An annotation of the program, at a call of MPI_Pcontrol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Annotation {
    /// A region of the program begins.
    RegionBegin {
        /// Name that the program gives the region.
        name: String,
    },
    /// A region of the program ends.
    RegionEnd {
        /// Name of the region that ends.
        name: String,
    },
    /// A range of memory is watched from now on.
    Watch {
        /// Name that the program gives the range.
        name: String,
        /// Address of its first byte.
        address: u64,
        /// Length of the range.
        bytes: u64,
    },
    /// A range of memory is watched no more.
    Unwatch {
        /// Name that the watch was given.
        name: String,
    },
    /// An array of the program is kept.
    Dump(Dump),
}

/// An array of the program. Its contents are [`crate::definition::Definition::Dump`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dump {
    /// Name that the program gives the array.
    pub name: String,
    /// Address of the first element.
    pub address: u64,
    /// Elements.
    pub count: u64,
    /// Datatype of one element, a definition of the rank.
    pub datatype: Id,
    /// Bytes of the whole array, of which the definition may have fewer.
    pub bytes: u64,
    /// [`crate::definition::Definition::Dump`] with the contents.
    pub contents: Id,
}
