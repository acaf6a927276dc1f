//! How a process writes down what happens in it: clock, stages, the trace file; and how it looks at its own memory and code
//! without coming to harm. It knows neither MPI nor who uses it: `interposer` does.
//!
//! The path of a record: the thread reserves room in its [`stage`], writes the record and commits it; when the stage is full it is
//! emptied into the file of the [`trace`], or into a segment of it. If nothing more can be written, [`trace::lost`] says so once.

// No panic crosses into the program: what could is not written.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::indexing_slicing)
)]
#![deny(missing_docs)]

pub mod biased;
pub mod clock;
pub mod descriptor;
pub mod elf;
pub mod environment;
pub mod file_limit;
pub mod in_flight;
pub mod log;
pub mod mappings;
pub mod memory;
pub mod modules;
pub mod owner;
mod ring;
pub mod slow_path;
pub mod spare_stack;
pub mod stage;
pub mod stage_place;
pub mod stop;
mod sync;
pub mod threads;
pub mod tls;
pub mod trace;
pub mod unwind;
