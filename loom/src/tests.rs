//! The view of a reader while a thread writes.

use crate::{Appended, Stage};
use loom::sync::Arc;
use loom::thread;
use trace_format::protocol;
use trace_format::record::{Commit, State};

/// Records are three words: the commit word, the number of the call, the result (twice the number) once it has returned.
const WORDS: usize = 3;
const BYTES: usize = 8 * WORDS;

fn commit_of(lap: u64) -> Commit {
    Commit { func: 1, state: State::Entered as u8, words: WORDS as u16, lap: lap as u32 }
}

/// The thread that records calls.
struct Writer<'a> {
    stage: &'a Stage,
    lap: u64,
    cursor: usize,
    calls: u64,
    /// The records of this lap, as the file gets them.
    records: Vec<u64>,
}

impl Writer<'_> {
    fn new(stage: &Stage) -> Writer<'_> {
        Writer { stage, lap: 0, cursor: 0, calls: 0, records: Vec::new() }
    }

    fn enter(&mut self, number: u64) {
        self.stage.write(self.cursor * WORDS + 1, number);
        protocol::commit(self.stage, self.cursor * BYTES, (self.cursor + 1) * BYTES, commit_of(self.lap));
        self.records.push(number);
        self.cursor += 1;
        self.calls += 1;
    }

    fn leave(&mut self, number: u64) {
        let record = self.cursor - 1;
        self.stage.write(record * WORDS + 2, 2 * number);
        protocol::complete(self.stage, record * BYTES);
    }

    fn empty(&mut self) {
        let records = std::mem::take(&mut self.records);
        self.stage.file.lock().unwrap().push(Appended::Lap(self.lap, records));
        self.lap += 1;
        self.cursor = 0;
        protocol::begin_lap(self.stage, self.lap, self.calls);
    }
}

/// The number of the call in a record, and whether it has returned. What is copied must be one record.
fn take(stage: &Stage, record: usize, lap: u64) -> Option<(u64, bool)> {
    let mut bytes = Vec::new();
    if !protocol::copy_record(stage, record * BYTES, lap, &mut bytes) {
        return None;
    }
    let word = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap());
    let commit = Commit::unpack(word(0));
    let returned = commit.state == State::Returned as u8;
    assert_eq!((commit.words as usize, u64::from(commit.lap)), (WORDS, lap));
    assert_eq!(word(1) / 10, lap, "a record of lap {lap} holds what was written in another one: {:?}", bytes);
    assert!(!returned || word(2) == 2 * word(1), "the results of a call that has returned are not there: {:?}", bytes);
    Some((word(1), returned))
}

/// Goes through everything that may happen. Calls of lap N are numbered from 10 N.
fn all(write: fn(&mut Writer), read: fn(&Stage)) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(4);
    builder.check(move || {
        let stage = Arc::new(Stage::new());
        let shared = Arc::clone(&stage);
        let writer = thread::spawn(move || write(&mut Writer::new(&shared)));
        read(&stage);
        writer.join().unwrap();
    });
}

#[test]
fn what_is_read_of_a_call_is_what_was_written() {
    all(
        |writer| {
            writer.enter(1);
            writer.leave(1);
            writer.enter(2);
        },
        |stage| {
            let first = take(stage, 0, 0);
            let second = take(stage, 1, 0);
            assert!(first.is_none_or(|f| f.0 == 1) && second.is_none_or(|s| s == (2, false)));
            // Records are seen in order: a reader of the second finds the first, and that it has returned.
            assert!(second.is_none() || take(stage, 0, 0) == Some((1, true)));
        },
    );
}

#[test]
fn no_record_mixes_two_laps() {
    all(
        |writer| {
            writer.enter(1);
            writer.empty();
            writer.enter(10);
            writer.leave(10);
        },
        |stage| {
            let lap = protocol::lap(stage);
            let seen = take(stage, 0, lap);
            assert!(seen.is_none_or(|(number, _)| number == [1, 10][lap as usize]));
        },
    );
}

#[test]
fn laps_that_are_over_are_in_the_file() {
    all(
        |writer| {
            writer.enter(1);
            writer.empty();
            writer.enter(10);
        },
        |stage| {
            // First the stage, then the file.
            let lap = protocol::lap(stage);
            let seen = take(stage, 0, lap);
            let file = stage.file.lock().unwrap().clone();
            assert!(lap == 0 || file == [Appended::Lap(0, vec![1])]);
            assert!(seen.is_none_or(|(number, _)| number == [1, 10][lap as usize]));
        },
    );
}

#[test]
fn definitions_are_there_before_what_refers_to_them() {
    all(
        |writer| {
            for number in [1, 2] {
                writer.stage.file.lock().unwrap().push(Appended::Definition(number));
                writer.enter(number);
            }
        },
        |stage| {
            let seen = [take(stage, 0, 0), take(stage, 1, 0)];
            let file = stage.file.lock().unwrap().clone();
            for (number, _) in seen.into_iter().flatten() {
                assert!(file.contains(&Appended::Definition(number)), "{number} is not defined: {file:?}");
            }
        },
    );
}

/// The purpose of the models: without the fence a reader may copy remains of two laps, which x86 alone never shows.
#[test]
fn without_the_fence_the_model_finds_a_mixed_record() {
    let broken = std::panic::catch_unwind(|| {
        all(
            |writer| {
                use trace_format::protocol::Words as _;
                writer.enter(1);
                writer.lap = 1;
                writer.cursor = 0;
                writer.stage.store(trace_format::file::STAGE_HEADER_BYTES, 0, loom::sync::atomic::Ordering::Relaxed);
                writer.stage.store(trace_format::file::STAGE_LAP_OFFSET, 1, loom::sync::atomic::Ordering::Release);
                writer.enter(10);
            },
            |stage| _ = take(stage, 0, 0),
        );
    });
    assert!(broken.is_err());
}
