//! `libmpivet.so`: wraps every MPI call of a process and records it. The guest: it never panics into the program,
//! never sends a message, makes no call collective or blocking that was not, and where it fails, it says so once and
//! the program goes on as if it were not there.
//!
//! The path of a call: [`entry::stubs`] (entry point) -> [`entry::dispatch`] -> [`call::sites`] (which call site) ->
//! [`call::encode`] into the thread's [`recorder::stage`] -> the library's own function ([`mpi::library`]) -> the record is
//! completed.
//!
//! The exports are those that the loaded MPI has ([`entry::exports`]); Fortran routines that reach no C entry point have
//! their own wrappers ([`entry::fortran`]).
//!
//! Only [`mpi::abi`] knows what a handle, a status or a constant looks like in a family of MPI libraries; only
//! [`mpi::library`] calls the library.

// No panic crosses into the program: what could is not written.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::indexing_slicing)
)]

mod call;
mod debuggers;
mod entry;
mod job;
mod mpi;
mod pending;
mod precise;
mod process;
mod state;
mod tool;
mod watch;

/// Called when the library is loaded. Launchers and shells load it too, so nothing that can be seen may happen here.
#[ctor::ctor(unsafe)]
fn loaded() {
    entry::exports::ensure();
    let [call, fortran, double] = entry::stubs::entries();
    state::interrupted::learn_entries([call, fortran, double, process::errors::program::entry()]);
    debuggers::queues::loaded();
    precise::loaded();
}
