//! How a process writes down what happens: clock, stages, the trace file, memory and code of the process. Knows no MPI.

pub(crate) mod biased;
pub(crate) mod clock;
pub(crate) mod descriptor;
pub(crate) mod elf;
pub(crate) mod environment;
pub(crate) mod log;
pub(crate) mod mappings;
pub(crate) mod memory;
pub(crate) mod modules;
pub(crate) mod owner;
pub(crate) mod ring;
pub(crate) mod spare_stack;
pub(crate) mod stage;
pub(crate) mod stage_place;
pub(crate) mod stop;
pub(crate) mod threads;
pub(crate) mod tls;
pub(crate) mod trace;
pub(crate) mod unusual;
pub(crate) mod unwind;
