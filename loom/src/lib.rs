//! Code of the recorder on loom's memory, locks and threads: the writer of a stage, which takes any memory, and the biased lock,
//! whose file is compiled here once more with the parts in [`sync`].

#[path = "../../recorder/src/biased.rs"]
pub mod biased;
pub mod stage;
pub mod sync;

#[cfg(test)]
mod tests;

use recorder::stop;
