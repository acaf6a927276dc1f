//! Looks into live MPI processes from outside, as a debugger does, without stopping them for more than a moment.
//!
//! The message queues come from the DLL that the target's MPI library names ([`locate`], [`dll`]): it asks this crate
//! for symbols, types and memory of the target ([`host`]). Call stacks ([`stacks`]) are unwound by the call frame
//! information of the modules alone, never guessed.
//!
//! All unsafe code of the debugger is here: the calls into the DLL, and the functions that the DLL calls. A DLL keeps
//! state of its own and may crash: use one process for one target, and have another one watch it.

pub mod children;
pub mod dll;
pub mod error;
pub mod host;
pub mod library;
pub mod locate;
pub mod memory;
pub mod modules;
pub mod openmpi;
pub mod process;
pub mod read;
pub mod snapshot;
pub mod stacks;
pub mod stop;
pub mod symbols;
pub mod types;
pub mod unwind;

pub use error::{Error, Result};
