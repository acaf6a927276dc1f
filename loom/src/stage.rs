//! A stage of a few words in memory of loom, and the file that it is emptied into.

use loom::sync::Mutex;
use loom::sync::atomic::{AtomicU64, Ordering, fence};
use recorder::stage::Memory;
use trace_format::file::{STAGE_HEADER_BYTES, STAGE_LAP_OFFSET, STAGE_RECORDS_OFFSET};
use trace_format::stage_protocol::{Source, Words};

/// Words of the records of a stage.
const ROOM: usize = 7;

/// The words that the protocol is about.
pub struct Stage {
    lap: AtomicU64,
    calls: AtomicU64,
    records: [AtomicU64; ROOM],
    /// The pieces that the writer has appended: the records of laps, or definitions. Calls of the system are in one order for all.
    pub file: Mutex<Vec<Appended>>,
    /// The writer's fences are there.
    has_fences: bool,
}

/// A piece that was appended to the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Appended {
    Lap(u64, Vec<u64>),
    Definition(u64),
}

impl Stage {
    /// `has_fences`: the fences of the protocol are there; without them a model shows what they are for.
    pub fn new(has_fences: bool) -> Stage {
        Stage {
            lap: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            records: std::array::from_fn(|_| AtomicU64::new(0)),
            file: Mutex::new(Vec::new()),
            has_fences,
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

    /// A plain store of the writer at an offset of the records: of any word but a commit word.
    pub fn write(&self, offset: usize, value: u64) {
        self.records[offset / 8].store(value, Ordering::Relaxed);
    }
}

impl Words for &Stage {
    fn own(&self, at: usize) -> u64 {
        self.word(at).unwrap().load(Ordering::Relaxed)
    }

    fn store(&self, at: usize, value: u64, order: Ordering) {
        self.word(at).unwrap().store(value, order);
    }

    fn fence(&self, order: Ordering) {
        if self.has_fences {
            fence(order);
        }
    }
}

impl Memory for &Stage {
    fn clear(&self, from: usize, to: usize) {
        panic!("records are whole words here, not {from} to {to}");
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
