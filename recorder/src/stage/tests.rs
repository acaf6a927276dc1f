//! Readers find what was written: the memory of a stage is on the heap here.

use super::*;
use std::sync::atomic::Ordering;
use trace_format::file::{STAGE_HEADER_BYTES, STAGE_RECORDS_OFFSET};
use trace_format::record::CALL_HEADER_BYTES;
use trace_format::stage_protocol::{self, Source, Words as _};

impl Source for Mapping {
    fn load(&self, at: usize, _: Ordering) -> Option<u64> {
        (at < STAGE_HEADER_BYTES + STAGE_BYTES).then(|| self.own(at))
    }

    fn copy(&self, at: usize, bytes: usize, out: &mut Vec<u8>) -> bool {
        let start = at - STAGE_HEADER_BYTES;
        self.records(start + bytes).get(start..).is_some_and(|found| {
            out.extend_from_slice(found);
            true
        })
    }

    fn fence(&self, _: Ordering) {}
}

fn stage() -> Stage {
    Stage::new(Mapping::of_heap(), 0, 0)
}

/// Writes a call with these values where the next record goes, without committing it. Where it ends.
fn write(stage: &mut Stage, values: &[u32]) -> usize {
    let start = stage.cursor();
    let end = start + CALL_HEADER_BYTES + 4 * values.len();
    assert!(stage.reserve(end - start + 8));
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    // SAFETY: there is room for them.
    unsafe {
        stage.at(start + 8).write_bytes(7, CALL_HEADER_BYTES - 8);
        stage.at(start + CALL_HEADER_BYTES).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
    }
    end
}

/// The record at an offset, as a reader in this lap finds it.
fn read(stage: &Stage, offset: usize, lap: u64) -> Option<(Commit, Vec<u8>)> {
    let mut bytes = Vec::new();
    let word = |bytes: &[u8]| Commit::unpack(u64::from_le_bytes(*bytes.first_chunk().unwrap()));
    stage_protocol::copy_record(stage.memory(), offset, lap, &mut bytes).then(|| (word(&bytes), bytes.split_off(8)))
}

/// Something that an earlier lap has left behind.
fn dirty(stage: &Stage) {
    // SAFETY: nothing was written there yet.
    unsafe { stage.at(8).write_bytes(0xff, 4096) };
}

#[test]
fn a_record_is_there_when_it_is_committed_and_not_before() {
    let mut stage = stage();
    dirty(&stage);
    let end = write(&mut stage, &[1, 2, 3]);
    assert_eq!(read(&stage, 0, 0), None);
    assert_eq!(stage.commit(end, 5, State::Entered), 0);
    let (commit, bytes) = read(&stage, 0, 0).unwrap();
    assert_eq!((commit.func, commit.state, commit.words), (5, State::Entered as u8, 6));
    assert_eq!(bytes[..24], [7; 24]);
    assert_eq!(bytes[24..], [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0], "the rest of its last word is zero");
    assert_eq!(stage.cursor(), 48);
    assert_eq!(read(&stage, 48, 0), None, "what an earlier lap has left is no record");
}

#[test]
fn records_of_any_length_are_whole_words() {
    for bytes in 1..=24 {
        let mut stage = stage();
        dirty(&stage);
        stage.commit(CALL_HEADER_BYTES + bytes, 1, State::Entered);
        let (commit, found) = read(&stage, 0, 0).unwrap();
        let words = (CALL_HEADER_BYTES + bytes).div_ceil(8);
        assert_eq!((usize::from(commit.words), stage.cursor()), (words, 8 * words));
        assert!(found[CALL_HEADER_BYTES - 8 + bytes..].iter().all(|b| *b == 0), "{bytes}");
    }
}

#[test]
fn records_of_known_length_are_those_of_any() {
    for values in [&[1u32, 2, 3][..], &[1, 2, 3, 4], &[]] {
        let (mut one, mut other) = (stage(), stage());
        dirty(&one);
        dirty(&other);
        let fixed = FixedRecord::new(5, State::Entered, CALL_HEADER_BYTES + 4 * values.len());
        for lap in 0..2 {
            write(&mut one, values);
            one.commit_fixed(&fixed);
            let end = write(&mut other, values);
            other.commit(end, 5, State::Entered);
            assert_eq!(read(&one, 0, lap).unwrap(), read(&other, 0, lap).unwrap(), "{values:?} in lap {lap}");
            assert_eq!((one.cursor(), one.calls()), (other.cursor(), other.calls()));
            assert!([&mut one, &mut other].into_iter().all(|stage| stage.writer.empty(|_, _| true)));
        }
    }
}

#[test]
fn a_call_returns_in_its_record() {
    let mut stage = stage();
    for _ in 0..2 {
        let end = write(&mut stage, &[1, 2]);
        stage.commit(end, 5, State::Entered);
    }
    let second = read(&stage, 40, 0);
    stage.complete(0);
    let (commit, bytes) = read(&stage, 0, 0).unwrap();
    assert_eq!((commit.state, commit.func, commit.words), (State::Returned as u8, 5, 5));
    assert_eq!((bytes.len(), read(&stage, 40, 0)), (32, second));
}

#[test]
fn calls_are_counted_and_nothing_else() {
    let mut stage = stage();
    let mut counts = Vec::new();
    for state in [State::Entered, State::Return, State::System, State::Returned] {
        let end = write(&mut stage, &[]);
        stage.commit(end, 5, state);
        counts.push(stage.calls());
    }
    assert_eq!(counts, [1, 1, 1, 2]);
}

#[test]
fn a_stage_is_emptied_into_the_trace_or_keeps_what_it_holds() {
    let mut stage = stage();
    assert!(stage.writer.empty(|_, _| panic!("there is nothing to be written")));
    let end = write(&mut stage, &[9, 9]);
    stage.commit(end, 5, State::Entered);
    let held = read(&stage, 0, 0);
    assert!(!stage.writer.empty(|_, _| false) && !stage.empty(), "there is no trace");
    assert_eq!((stage.lap(), stage.cursor(), read(&stage, 0, 0)), (0, 40, held));
    for lap in 0..3 {
        let mut given = None;
        assert!(stage.writer.empty(|memory, full| {
            given = Some((full, memory.records(full.bytes).to_vec()));
            true
        }));
        let (full, records) = given.unwrap();
        assert_eq!((full, records.len()), (Full { lap, calls: lap, bytes: 40 }, 40));
        assert_eq!((stage.lap(), stage.cursor(), stage_protocol::lap(stage.memory())), (lap + 1, 0, lap + 1));
        assert_eq!(stage.memory().own(STAGE_RECORDS_OFFSET), lap + 1, "calls that are in the file");
        assert_eq!(read(&stage, 0, lap + 1), None, "the records of the lap before are gone");
        let end = write(&mut stage, &[9, 9]);
        stage.commit(end, 5, State::Entered);
        assert_eq!(read(&stage, 0, lap), None, "who reads the lap before finds nothing of this one");
        assert!(read(&stage, 0, lap + 1).is_some());
    }
}

#[test]
fn what_no_stage_can_hold_gets_no_room() {
    let mut stage = stage();
    let most = STAGE_BYTES - writer::RESERVE;
    assert!(stage.reserve(most));
    assert!(!stage.reserve(most + 1), "an empty stage has no more");
    assert!(!stage.append(&vec![0; most + 1]));
    let end = write(&mut stage, &[]);
    stage.commit(end, 5, State::Entered);
    assert!(!stage.reserve(most), "there is no trace to empty it into");
    assert_eq!(stage.cursor(), end, "nothing was written");
}

#[test]
fn the_last_record_takes_of_what_is_kept_free() {
    let mut stage = stage();
    let record = |bytes: usize| {
        let commit = Commit { func: 4, state: State::System as u8, words: 0, lap: 0 };
        let mut record = commit.pack().to_le_bytes().to_vec();
        record.resize(bytes, 3);
        record
    };
    while stage.has_room(64) {
        assert!(stage.append(&record(61)));
    }
    let full = stage.cursor();
    assert!(!stage.append(&record(61)), "there is no trace to empty it into");
    stage.append_last(&record(STAGE_BYTES - full));
    assert_eq!(stage.cursor(), full, "the word behind it would be outside");
    stage.append_last(&record(400));
    let (commit, bytes) = read(&stage, full, 0).unwrap();
    assert_eq!((commit.func, commit.state, commit.words), (4, State::System as u8, 50));
    assert_eq!((bytes, stage.cursor()), (vec![3; 392], full + 400));
    for _ in 0..4 {
        stage.append_last(&record(400));
    }
    assert!(stage.cursor() <= STAGE_BYTES - 8, "whatever comes, the end of the records stays in the stage");
}
