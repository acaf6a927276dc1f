//! What both halves of mpivet share: the table of MPI functions, the events and definitions of a trace,
//! its files and how they are read, the readable notation, the catalogue of checks and the findings.
//!
//! This crate knows no MPI library and no report. `ARCHITECTURE.md` has the map; the byte layout of the
//! files is described in [`mod@file`] and [`record`].

#![forbid(unsafe_code)]

pub mod annotations;
pub mod callbacks;
pub mod catalogue;
pub mod codec;
pub mod columns;
pub mod definition;
pub mod discovery;
pub mod early;
pub mod file;
pub mod finding;
pub mod folds;
pub mod head;
pub mod interruption;
pub mod job;
pub mod jobs;
pub mod keys;
pub mod location;
pub mod mpi;
pub mod names;
pub mod owner_only;
pub mod pack;
pub mod plan;
pub mod proc;
pub mod ranks;
pub mod record;
pub mod requests;
pub mod retention;
pub mod sample;
pub mod selection;
pub mod severity;
pub mod stage_protocol;
pub mod stages;
pub mod suggestions;
pub mod system;
pub mod untrusted;
pub mod variables;
pub mod witness;
pub mod writer;
