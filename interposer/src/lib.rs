//! `libmpivet.so`: wraps every MPI call of a process and records it. The guest: it never panics into the program,
//! never sends a message, makes no call collective or blocking that was not, and where it fails, it says so once and
//! the program goes on as if it were not there.
//!
//! The path of a call: [`stubs`] (entry point) -> [`dispatch`] -> [`sites`] (which call site) -> [`encode`] into the
//! thread's [`stage`] -> the library's own function ([`real`]) -> the record is completed.
//!
//! What is exported is what the loaded MPI has ([`exports`]); Fortran routines that reach no C entry point have their own
//! wrappers ([`fortran`]).
//!
//! Only [`abi`] knows what a handle, a status or a constant looks like in a family of MPI libraries; only [`real`]
//! calls the library.

// No panic crosses into the program: what could is not written.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable))]

mod abi;
mod biased;
mod caller;
mod callers;
mod checks;
mod clock;
mod config;
mod datatype;
mod define;
mod descriptor;
mod dispatch;
mod each;
mod early;
mod elf;
mod emulated;
mod encode;
mod environment;
mod errors;
mod exports;
mod facts;
mod forced;
mod fortran;
mod given;
mod grequests;
mod handles;
mod info;
mod interrupted;
mod launch;
mod levels;
mod lifecycle;
mod limits;
mod log;
mod mappings;
mod marks;
mod memory;
mod modules;
mod operands;
mod operations;
mod ordinary;
mod outsiders;
mod python;
mod queues;
mod quick;
mod real;
mod recall;
mod recording;
mod report;
mod ring;
mod sessions;
mod signals;
mod sites;
mod snapshots;
mod spare_stack;
mod stage;
mod stage_place;
mod statuses;
mod stop;
mod stranger;
mod stubs;
mod sums;
mod symbols;
mod thread;
mod tls;
mod told;
mod tool;
mod trace;
mod types;
mod unloading;
mod unusual;
mod unwind;
mod user_threads;

/// Called when the library is loaded. Launchers and shells load it too, so nothing that can be seen may happen here.
#[ctor::ctor(unsafe)]
fn loaded() {
    exports::ensure();
    queues::loaded();
}
