//! A process may be killed between any two of its stores and in the middle of any write to its file: all that it had committed
//! is read, in order and without damage. The writer runs the interposer's own protocol, once for each store that it does.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use tempfile::TempDir;
use trace_format::file::{RankHeader, STAGE_HEADER_BYTES, STAGE_MAGIC, VERSION, rank_path, stage_path};
use trace_format::mpi::FnId;
use trace_format::pack::Packer;
use trace_format::record::{Commit, State};
use trace_format::stage_protocol::{self, Words};
use trace_format::writer::file_header;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::reader::{RankEvent, RankReader};
use trace_reader::synthetic;
use trace_reader::synthetic::{encode_call, event_block};

/// Few calls fit in.
const STAGE: usize = 256;
const CALLS: u64 = 40;
/// Bytes of the file that are written at once: a kill may leave any number of these pieces.
const PIECE: usize = 24;

fn header() -> RankHeader {
    RankHeader { stage_bytes: STAGE as u32, ..synthetic::header(0, 1) }
}

/// A process that dies before its store number `deadline`.
struct Process {
    stage: RefCell<Vec<u8>>,
    file: RefCell<Vec<u8>>,
    done: Cell<usize>,
    deadline: usize,
}

impl Process {
    fn step(&self) -> bool {
        if self.done.get() < self.deadline {
            self.done.set(self.done.get() + 1);
            return true;
        }
        false
    }

    fn is_alive(&self) -> bool {
        self.done.get() < self.deadline
    }

    fn append(&self, bytes: &[u8]) {
        for piece in bytes.chunks(PIECE).filter(|_| self.step()) {
            self.file.borrow_mut().extend_from_slice(piece);
        }
    }

    /// Stores the words of a record behind its first one.
    fn write(&self, start: usize, record: &[u8]) {
        for (i, word) in record.chunks_exact(8).enumerate().skip(1) {
            self.store(
                STAGE_HEADER_BYTES + start + 8 * i,
                u64::from_le_bytes(word.try_into().unwrap()),
                Ordering::Relaxed,
            );
        }
    }
}

impl Words for Process {
    fn own(&self, at: usize) -> u64 {
        u64::from_le_bytes(*self.stage.borrow()[at..].first_chunk().unwrap())
    }

    fn store(&self, at: usize, value: u64, _: Ordering) {
        if self.step() {
            self.stage.borrow_mut()[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
    }

    fn fence(&self, _: Ordering) {}
}

fn call(number: u64, returned: bool) -> Call {
    let mut call = Call::new(FnId::MPI_Comm_rank);
    call.t_call = 10 * number;
    call.ins[0] = Value::Int(1);
    if returned {
        (call.outcome, call.t_return) = (Outcome::Returned(0), 10 * number + 5);
        call.outs = vec![Value::None, Value::Int(number as i64)];
    }
    call
}

/// Records calls as the interposer does. Returns how many were committed, and how many of them returned.
fn live(process: &Process, pack: bool) -> (usize, usize) {
    let (mut lap, mut cursor, mut committed, mut returned) = (0, 0, 0, 0);
    let mut packer = Packer::new(STAGE);
    for number in 0..CALLS {
        let (mut entered, mut complete) = (Vec::new(), Vec::new());
        encode_call(&call(number, false), &mut entered);
        encode_call(&call(number, true), &mut complete);
        let bytes = complete.len();
        if cursor + bytes + 8 > STAGE {
            let records = process.stage.borrow()[STAGE_HEADER_BYTES..][..cursor].to_vec();
            process.append(&event_block(&records, 0, lap, Some(&mut packer).filter(|_| pack)));
            lap += 1;
            cursor = 0;
            stage_protocol::begin_lap(process, lap, number);
        }
        process.write(cursor, &entered);
        let commit = Commit {
            func: FnId::MPI_Comm_rank as u16,
            state: State::Entered as u8,
            words: (bytes / 8) as u16,
            lap: lap as u32,
        };
        stage_protocol::commit(process, cursor, cursor + bytes, commit);
        committed += usize::from(process.is_alive());
        process.write(cursor, &complete);
        stage_protocol::complete(process, cursor);
        returned += usize::from(process.is_alive());
        cursor += bytes;
    }
    (committed, returned)
}

/// Reads the trace of the process: numbers of calls, and whether they returned.
fn read(dir: &Path) -> Vec<(u64, bool)> {
    let mut reader = RankReader::open(dir, 0).unwrap();
    reader.writer_is_gone();
    let mut seen: Vec<(u64, bool)> = Vec::new();
    let mut take = |event| match event {
        RankEvent::Call(call) => seen.push((call.index, call.outcome == Outcome::Returned(0))),
        RankEvent::Return { index, .. } => seen[index as usize].1 = true,
        _ => {}
    };
    while reader.poll(64, &mut take).unwrap() {}
    assert!(reader.defects.is_empty(), "{:?}", reader.defects);
    seen
}

fn start(dir: &TempDir, deadline: usize) -> Process {
    let mut stage = vec![0; STAGE_HEADER_BYTES + STAGE];
    stage[..8].copy_from_slice(&STAGE_MAGIC);
    stage[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let (stage, file) = (RefCell::new(stage), RefCell::new(file_header(&header())));
    fs::create_dir_all(dir.path()).unwrap();
    Process { stage, file, done: Cell::new(0), deadline }
}

#[test]
fn a_process_that_dies_at_any_store_has_lost_nothing() {
    let dir = tempfile::tempdir().unwrap();
    for pack in [false, true] {
        let whole = start(&dir, usize::MAX);
        assert_eq!(live(&whole, pack), (CALLS as usize, CALLS as usize));
        let stores = whole.done.get();
        assert!(stores > 300, "{stores}");
        for deadline in 0..=stores {
            let process = start(&dir, deadline);
            let (committed, returned) = live(&process, pack);
            fs::write(rank_path(dir.path(), 0), &*process.file.borrow()).unwrap();
            fs::write(stage_path(dir.path(), 0, 0), &*process.stage.borrow()).unwrap();
            let seen = read(dir.path());
            let numbers: Vec<u64> = seen.iter().map(|s| s.0).collect();
            // The store that the process died after may have been the one that committed.
            let (most, mostly) = (committed + 1, returned + 1);
            assert!(numbers.iter().copied().eq(0..numbers.len() as u64), "{deadline}: {seen:?}");
            assert!((committed..=most).contains(&seen.len()), "{deadline}: {committed} committed: {seen:?}");
            let ended = seen.iter().filter(|s| s.1).count();
            assert!((returned..=mostly).contains(&ended), "{deadline}: {returned} returned: {seen:?}");
        }
    }
}
