//! The messages from each process to each.

use super::{ProcessName, Statistics};
use serde::Serialize;
use std::collections::BTreeSet;

/// The messages from one process to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Pair {
    pub from: ProcessName,
    pub to: ProcessName,
    pub messages: u64,
    pub bytes: u64,
}

/// The matrix for pictures: of many ranks, blocks of neighbouring ones are one cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Blocks {
    /// Cells of a side.
    pub side: usize,
    /// Processes that a cell's side stands for.
    pub processes: usize,
    /// Row by row, a row a sender.
    pub messages: Vec<u64>,
    pub bytes: Vec<u64>,
}

impl Statistics {
    /// Processes that called MPI, sent or received, in order.
    pub fn processes(&self) -> Vec<ProcessName> {
        let ends = self.pairs.iter().flat_map(|p| [p.from, p.to]);
        let all: BTreeSet<ProcessName> = self.ranks.iter().map(|r| r.who).chain(ends).collect();
        all.into_iter().collect()
    }

    /// The matrix with at most `most` cells a side.
    pub fn blocks(&self, most: usize) -> Blocks {
        let last = |p: &Pair| p.from.process.max(p.to.process);
        let known = self.ranks.iter().map(|r| r.who.process).chain(self.pairs.iter().map(last)).max();
        let size = known.map_or(0, |p| p.max(0) as usize + 1);
        let processes = size.div_ceil(most.max(1)).max(1);
        let side = size.div_ceil(processes);
        let mut blocks = Blocks { side, processes, messages: vec![0; side * side], bytes: vec![0; side * side] };
        for pair in &self.pairs {
            let cell = |who: ProcessName| who.process.max(0) as usize / processes;
            let at = cell(pair.from) * side + cell(pair.to);
            blocks.messages[at] = blocks.messages[at].saturating_add(pair.messages);
            blocks.bytes[at] = blocks.bytes[at].saturating_add(pair.bytes);
        }
        blocks
    }
}
