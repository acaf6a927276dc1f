//! The stage of `trace-format/src/protocol.rs` in memory of loom.

#[cfg(test)]
mod tests;

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicU64, Ordering, fence};
use trace_format::file::{STAGE_HEADER_BYTES, STAGE_LAP_OFFSET, STAGE_RECORDS_OFFSET};
use trace_format::protocol::{Source, Words};

/// Words of the records of a stage.
const ROOM: usize = 7;

/// A stage of a few words, and the file that it is emptied into.
pub struct Stage {
    lap: AtomicU64,
    calls: AtomicU64,
    records: [AtomicU64; ROOM],
    /// Pieces that the writer has appended: the records of laps, or definitions. System calls are in one order for
    /// all.
    pub file: Mutex<Vec<Appended>>,
}

/// A piece that was appended to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    Lap(u64, Vec<u64>),
    Definition(u64),
}

impl Stage {
    pub fn new() -> Stage {
        Stage {
            lap: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            records: std::array::from_fn(|_| AtomicU64::new(0)),
            file: Mutex::new(Vec::new()),
        }
    }

    /// The word at an offset of the mapping.
    fn word(&self, at: usize) -> Option<&AtomicU64> {
        match at {
            STAGE_LAP_OFFSET => Some(&self.lap),
            STAGE_RECORDS_OFFSET => Some(&self.calls),
            _ => self.records.get(at.checked_sub(STAGE_HEADER_BYTES)? / 8),
        }
    }

    /// A plain store of the writer: what stands in a record besides its commit word.
    pub fn write(&self, word: usize, value: u64) {
        self.records[word].store(value, Ordering::Relaxed);
    }
}

impl Default for Stage {
    fn default() -> Stage {
        Stage::new()
    }
}

impl Words for Stage {
    fn own(&self, at: usize) -> u64 {
        self.word(at).unwrap().load(Ordering::Relaxed)
    }

    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.word(at).unwrap().store(value, order);
    }

    fn fence(&self, order: Ordering) {
        fence(order);
    }
}

impl Source for Stage {
    fn load(&self, at: usize, order: Ordering) -> Option<u64> {
        Some(self.word(at)?.load(order))
    }

    fn copy(&self, at: usize, bytes: usize, out: &mut Vec<u8>) -> bool {
        for word in (at..at + bytes).step_by(8) {
            let Some(word) = self.word(word) else { return false };
            out.extend_from_slice(&word.load(Ordering::Relaxed).to_le_bytes());
        }
        true
    }

    fn fence(&self, order: Ordering) {
        fence(order);
    }
}
