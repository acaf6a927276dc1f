//! The view of a reader while a thread writes.

use crate::stage::{Appended, Stage};
use loom::sync::Arc;
use loom::thread;
use recorder::stage::{FixedRecord, Writer};
use trace_format::record::{Commit, State};
use trace_format::stage_protocol;

/// Records are three words: the commit word, the number of the call, the result (twice the number) once it has returned.
const WORDS: usize = 3;
const BYTES: usize = 8 * WORDS;
const FUNC: u16 = 1;

/// The thread that records calls.
struct Recorder<'a> {
    stage: &'a Stage,
    writer: Writer<&'a Stage>,
    /// The records of this lap, as the file gets them.
    records: Vec<u64>,
}

impl Recorder<'_> {
    fn new(stage: &Stage) -> Recorder<'_> {
        Recorder { stage, writer: Writer::new(stage), records: Vec::new() }
    }

    fn enter(&mut self, number: u64) {
        self.stage.write(self.writer.cursor() + 8, number);
        self.writer.commit(self.writer.cursor() + BYTES, FUNC, State::Entered);
        self.records.push(number);
    }

    /// Records a call whose length is known.
    fn enter_fixed(&mut self, number: u64) {
        self.stage.write(self.writer.cursor() + 8, number);
        self.writer.commit_fixed(&FixedRecord::new(FUNC, State::Entered, BYTES));
        self.records.push(number);
    }

    fn leave(&mut self, number: u64) {
        let offset = self.writer.cursor() - BYTES;
        self.stage.write(offset + 16, 2 * number);
        self.writer.complete(offset);
    }

    fn empty(&mut self) {
        let records = std::mem::take(&mut self.records);
        let is_empty = self.writer.empty(|stage, full| {
            assert_eq!(full.bytes, records.len() * BYTES);
            stage.file.lock().unwrap().push(Appended::Lap(full.lap, records));
            true
        });
        assert!(is_empty);
    }
}

/// The number of the call in a record, and whether it has returned. The copy must be one record.
fn take(stage: &Stage, record: usize, lap: u64) -> Option<(u64, bool)> {
    let mut bytes = Vec::new();
    if !stage_protocol::copy_record(stage, record * BYTES, lap, &mut bytes) {
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
fn all(write: fn(&mut Recorder), read: fn(&Stage)) {
    all_of(true, write, read);
}

fn all_of(has_fences: bool, write: fn(&mut Recorder), read: fn(&Stage)) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(4);
    builder.check(move || {
        let stage = Arc::new(Stage::new(has_fences));
        let shared = Arc::clone(&stage);
        let writer = thread::spawn(move || write(&mut Recorder::new(&shared)));
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
            writer.enter_fixed(2);
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
            writer.enter_fixed(10);
            writer.leave(10);
        },
        |stage| {
            let lap = stage_protocol::lap(stage);
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
            let lap = stage_protocol::lap(stage);
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
        all_of(
            false,
            |writer| {
                writer.enter(1);
                writer.empty();
                writer.enter(10);
            },
            |stage| _ = take(stage, 0, 0),
        );
    });
    assert!(broken.is_err());
}
