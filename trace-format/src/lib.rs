//! The contract of both halves of mpivet: the table of MPI functions, the events and definitions of a trace, its files, the
//! catalogue of checks and the findings. Beside it, in folders of their own: the words of options that both read
//! ([`settings`]), and what process and command tell each other beside the traces ([`run`]).
//!
//! This crate knows no MPI library and no report. `ARCHITECTURE.md` has the map; [`mod@file`] and [`record`] describe the bytes of
//! the files.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod annotations;
pub mod callbacks;
pub mod catalogue;
pub mod codec;
pub mod definition;
pub mod file;
pub mod finding;
pub mod folds;
pub mod head;
pub mod keys;
pub mod location;
pub mod mpi;
pub mod names;
pub mod owner_only;
pub mod pack;
pub mod plan;
pub mod ranks;
pub mod record;
pub mod requests;
pub mod rest_copy;
pub mod room;
pub mod run;
pub mod sample;
pub mod settings;
pub mod severity;
pub mod slab;
pub mod stage_protocol;
pub mod stored;
pub mod system;
pub mod touched;
pub mod untrusted;
pub mod variables;
pub mod watched;
pub mod writer;
