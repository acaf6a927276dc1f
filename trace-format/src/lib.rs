//! What both halves of mpivet share: the table of MPI functions, the events and definitions of a trace,
//! its files and how they are read, the readable notation, the catalogue of checks and the findings.
//!
//! This crate knows no MPI library and no report. `ARCHITECTURE.md` has the map; the byte layout of the
//! files is described in [`mod@file`] and [`record`].

#![forbid(unsafe_code)]

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
pub mod foreign;
pub mod head;
pub mod interruption;
pub mod job;
pub mod keeping;
pub mod keys;
pub mod location;
pub mod marks;
pub mod mpi;
pub mod names;
pub mod near;
pub mod pack;
pub mod plan;
pub mod private;
pub mod protocol;
pub mod ranks;
pub mod record;
pub mod requests;
pub mod sample;
pub mod selection;
pub mod several;
pub mod stages;
pub mod system;
pub mod variables;
pub mod witness;
pub mod writer;
