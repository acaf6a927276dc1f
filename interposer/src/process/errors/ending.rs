//! What the library's own fatal handlers do, done for them.

use super::Fatal;
use super::handlers::{Means, OWN, Owner, WORLD};
use crate::mpi::abi::Ender;
use crate::mpi::real;
use std::ffi::{CString, c_char};
use std::sync::atomic::Ordering;
use trace_format::mpi::FnId;

/// Does what MPI_ERRORS_ARE_FATAL (MPI_ERRORS_ABORT) does: by the library's own handler where it is exported, so that its
/// message names the function that failed, else by way of MPI_Comm_call_errhandler and its like.
pub(super) fn end_program(function: &str, fatal: &Fatal) {
    let &Fatal { owner, means, mut handle, mut code } = fatal;
    let means = means.unwrap_or(Means::Fatal);
    let (world, own) = (WORLD.load(Ordering::SeqCst), OWN.load(Ordering::SeqCst));
    let theirs = means.library();
    // Inside of MPI_Finalize the library may no longer have its communicators.
    if function != "MPI_Finalize" {
        for comm in [world, own].into_iter().filter(|comm| *comm != 0) {
            real::call(FnId::MPI_Comm_set_errhandler, &[comm, theirs]);
        }
        real::call(owner.set(), &[handle, theirs]);
    }
    // A call of MPI_Comm_call_errhandler is made once more.
    let by_call = function == owner.call().name();
    let exported = |name: &str| real::library().and_then(|r| r.symbol(name)).filter(|_| !by_call);
    let short = function.strip_prefix("MPI_").unwrap_or(function);
    let enders = real::library().map_or(&[][..], |real| real.abi().enders);
    let ender = enders.iter().find_map(|ender| Some((*ender, exported(&symbol(ender, owner, means))?)));
    match ender {
        Some((Ender::Handler { .. }, handler)) => {
            let name = CString::new(function).unwrap_or_default();
            // SAFETY: a function of the type that its `Ender` says.
            unsafe {
                let handler: unsafe extern "C" fn(*mut u64, *mut i32, ...) = std::mem::transmute(handler);
                handler(&mut handle, &mut code, name.as_ptr(), std::ptr::null::<c_char>());
            }
        }
        Some((Ender::Return { prefix, .. }, handler)) => {
            let name = CString::new(format!("{prefix}{short}")).unwrap_or_default();
            // SAFETY: a function of the type that its `Ender` says. The handler of MPI_COMM_SELF is the fatal one by now.
            unsafe {
                let handler: extern "C" fn(u64, *const c_char, i32) -> i32 = std::mem::transmute(handler);
                handler(0, name.as_ptr(), code);
            }
        }
        None => {}
    }
    real::call(owner.call(), &[handle, code as u64]);
    if world != 0 {
        real::call(FnId::MPI_Abort, &[world, code as u64]);
    }
}

fn symbol(ender: &Ender, owner: Owner, means: Means) -> String {
    let (fatal, abort, of) = match ender {
        Ender::Handler { fatal, abort, of } => (fatal, abort, of),
        Ender::Return { symbol, .. } => return (*symbol).to_owned(),
    };
    let handler = match means {
        Means::Fatal => fatal,
        Means::Abort => abort,
    };
    let object = match owner {
        Owner::Comm => of.comm,
        Owner::Win => of.win,
        Owner::File => of.file,
        Owner::Session => of.session,
    };
    format!("{handler}{object}")
}
