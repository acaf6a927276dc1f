//! Loads and stores of a process on memory that it exposes by a window, as `--precise` traps them.

use crate::definition::Id;
use serde::{Deserialize, Serialize};

/// Loads or stores of the program by one place of it, behind the calls of the thread that were made before and in front of `call`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Touched {
    /// Place, among the calls of the thread, of the next one.
    pub call: u64,
    /// Stores, not loads.
    pub stores: bool,
    /// [`crate::definition::Definition::Stack`] of the instruction.
    pub site: Id,
    /// Addresses of the bytes that were accessed: the first of each run, and how many.
    pub runs: Vec<(u64, u64)>,
}

impl Touched {
    /// The verb of the notation.
    pub fn verb(&self) -> &'static str {
        if self.stores { "stores" } else { "loads" }
    }
}
