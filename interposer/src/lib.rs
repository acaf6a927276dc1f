//! `libmpivet.so`: wraps every MPI call of a process and records it. The guest: it never panics into the program,
//! never sends a message, makes no call collective or blocking that was not, and where it fails, it says so once and
//! the program goes on as if it were not there.
//!
//! The path of a call: [`stubs`] (entry point) -> [`dispatch`] -> [`sites`] (which call site) -> [`encode`] into the
//! thread's [`stage`] -> the library's own function ([`real`]) -> the record is completed.
//!
//! Only [`abi`] knows what a handle, a status or a constant looks like in a family of MPI libraries; only [`real`]
//! calls the library.

mod abi;
mod clock;
mod config;
mod datatype;
mod define;
mod dispatch;
mod encode;
mod errors;
mod handles;
mod launch;
mod lifecycle;
mod log;
mod modules;
mod outsiders;
mod real;
mod report;
mod sessions;
mod signals;
mod sites;
mod stage;
mod stubs;
mod thread;
mod tls;
mod trace;

use std::sync::atomic::{AtomicBool, Ordering};

/// Set when the library is loaded. Launchers and shells load it too, so nothing else may happen here.
static LOADED: AtomicBool = AtomicBool::new(false);

#[ctor::ctor(unsafe)]
fn loaded() {
    LOADED.store(true, Ordering::Relaxed);
}
