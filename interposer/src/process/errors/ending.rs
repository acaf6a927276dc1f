//! The end that the library's own fatal handlers make of a program, made for them.

use super::Fatal;
use super::handlers::{Means, OWN, WORLD};
use crate::mpi::library;
use std::sync::atomic::Ordering;
use trace_format::mpi::{Class, FnId};

/// Does what MPI_ERRORS_ARE_FATAL (MPI_ERRORS_ABORT) does: by the library's own handler where it is exported, so that its
/// message names the function that failed, else by way of MPI_Comm_call_errhandler and its like.
pub(super) fn end_program(function: FnId, fatal: &Fatal) {
    let &Fatal { owner, means, handle, code } = fatal;
    let means = means.unwrap_or(Means::Fatal);
    let (world, own) = (WORLD.load(Ordering::SeqCst), OWN.load(Ordering::SeqCst));
    let theirs = means.library();
    // Inside of MPI_Finalize the library may no longer have its communicators.
    if function.row().class != Class::Finalize {
        for comm in [world, own].into_iter().filter(|comm| *comm != 0) {
            library::call(FnId::MPI_Comm_set_errhandler, &[comm, theirs]);
        }
        library::call(owner.set(), &[handle, theirs]);
    }
    // A call of MPI_Comm_call_errhandler is made once more.
    let by_call = function == owner.call();
    if let Some(ender) =
        library::loaded().filter(|_| !by_call).and_then(|library| library.ender(owner.kind(), means == Means::Abort))
    {
        // SAFETY: the handle is that of an object of this owner's kind.
        unsafe { ender.end(function.name(), handle, code) };
    }
    library::call(owner.call(), &[handle, code as u64]);
    if world != 0 {
        library::call(FnId::MPI_Abort, &[world, code as u64]);
    }
}
