//! Handles of Fortran programs.

use super::Abi;
use trace_format::mpi::{FnId, Kind};

/// The way from a Fortran handle to a C handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FortranHandles {
    /// They are the same number.
    Same,
    /// MPI_Comm_f2c and its like.
    ByF2c,
    /// MPI_Comm_fromint and its like.
    ByFromInt,
}

impl Abi {
    /// The function that makes a C handle of a Fortran one; `None`: they are the same number.
    pub(crate) fn fortran_converter(&self, kind: Kind) -> Option<FnId> {
        let (f2c, fromint) = match kind {
            Kind::Comm => (FnId::MPI_Comm_f2c, FnId::MPI_Comm_fromint),
            Kind::Datatype => (FnId::MPI_Type_f2c, FnId::MPI_Type_fromint),
            Kind::Win => (FnId::MPI_Win_f2c, FnId::MPI_Win_fromint),
            Kind::Errhandler => (FnId::MPI_Errhandler_f2c, FnId::MPI_Errhandler_fromint),
            _ => return None,
        };
        match self.fortran_handles {
            FortranHandles::Same => None,
            FortranHandles::ByF2c => Some(f2c),
            FortranHandles::ByFromInt => Some(fromint),
        }
    }
}
