//! The reader on traces that have only their last segments left, or a damaged middle.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use trace_format::definition::Definition;
use trace_format::file::{
    BLOCK_HEADER_BYTES, BlockHeader, BlockKind, PROCESS_THREAD, RankHeader, Retention, SEGMENTS, SNAPSHOT, STAGE_BYTES,
    checksum, rank_path, rank_stem, segment_header, segment_path,
};
use trace_format::mpi::FnId;
use trace_format::pack::Packer;
use trace_format::system::SystemEvent;
use trace_format::writer::{definition_block, file_header, seal};
use trace_reader::call::{Call, Outcome};
use trace_reader::reader::{RankEvent, RankReader};
use trace_reader::synthetic;
use trace_reader::synthetic::encode_call;

fn header(max_bytes: u64) -> RankHeader {
    RankHeader { retention: Retention { time_error_ns: 0, max_bytes }, ..synthetic::header(0, 1) }
}

/// Calls of one lap.
const CALLS: u64 = 10;

fn records(lap: u64) -> Vec<u8> {
    let mut records = Vec::new();
    for i in 0..CALLS {
        let mut call = Call::new(FnId::MPI_Barrier);
        call.t_call = 100 * (lap * CALLS + i);
        (call.outcome, call.t_return) = (Outcome::Returned(0), call.t_call + 10);
        encode_call(&call, &mut records);
    }
    records
}

fn block(thread: u16, lap: u64, packer: &mut Packer) -> Vec<u8> {
    let records = records(lap);
    let payload = packer.pack(&records).expect("it is smaller");
    let (len, checksum) = (payload.len() as u32, checksum(payload));
    let header = BlockHeader { kind: BlockKind::Packed as u16, thread, len, lap, calls: lap * CALLS, checksum };
    [&header.to_bytes(), payload].concat()
}

fn name(id: u32, text: &str) -> Definition {
    Definition::CommName { id, name: text.into() }
}

/// A rank whose threads write one at a time, three laps a segment.
struct Process {
    file: Option<File>,
    number: u64,
    /// Laps of all threads.
    laps: u64,
    thread: u16,
    lap: u64,
    packer: Packer,
}

impl Process {
    fn start(dir: &Path) -> Process {
        fs::write(rank_path(dir, 0), file_header(&header(1 << 20))).unwrap();
        Process { file: None, number: 0, laps: 0, thread: 0, lap: 0, packer: Packer::bounded(STAGE_BYTES, 1) }
    }

    /// From here on another thread writes.
    fn change_to(&mut self, thread: u16) {
        (self.thread, self.lap) = (thread, 0);
        self.packer.begin_anew();
    }

    fn work(&mut self, dir: &Path, laps: u64) {
        for _ in 0..laps {
            if self.laps.is_multiple_of(3) {
                self.number += 1;
                let path = segment_path(dir, &rank_stem(0), self.number);
                _ = fs::remove_file(&path);
                let mut file = OpenOptions::new().append(true).create_new(true).open(path).unwrap();
                let mut snapshot = definition_block(&[name(1, "repeated")]).unwrap();
                seal(&mut snapshot, BlockKind::Definitions, SNAPSHOT, 0);
                file.write_all(&[&segment_header(self.number), &snapshot[..]].concat()).unwrap();
                file.write_all(&definition_block(&[name(2, &format!("new {}", self.number))]).unwrap()).unwrap();
                self.file = Some(file);
                self.packer.begin_anew();
            }
            self.file.as_mut().unwrap().write_all(&block(self.thread, self.lap, &mut self.packer)).unwrap();
            (self.lap, self.laps) = (self.lap + 1, self.laps + 1);
        }
    }
}

/// Indexes of the calls, calls that are missing, and names that were defined.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    calls: Vec<u64>,
    missing: Vec<u64>,
    /// How often it was said that segments are gone, and in front of which call that was.
    cut: Vec<usize>,
    names: Vec<String>,
}

impl Seen {
    fn take(&mut self, event: RankEvent) {
        match event {
            RankEvent::Call(call) => {
                assert!(call.t_call.abs_diff(100 * call.index) <= 1, "a call has its own times");
                self.calls.push(call.index);
            }
            RankEvent::System { event: SystemEvent::Gap { calls: 0 }, thread: PROCESS_THREAD, .. } => {
                self.cut.push(self.calls.len());
            }
            RankEvent::System { event: SystemEvent::Gap { calls }, .. } => self.missing.push(calls),
            RankEvent::Definition(Definition::CommName { name, .. }) => self.names.push(name),
            other => panic!("{other:?}"),
        }
    }
}

fn read(reader: &mut RankReader, seen: &mut Seen) {
    while reader.poll(2, &mut |event| seen.take(event)).unwrap() {}
}

#[test]
fn the_last_segments_are_read_and_what_is_missing_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path());
    process.work(dir.path(), 31);
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    let mut seen = Seen::default();
    read(&mut reader, &mut seen);
    // Segments 8 to 11 are left, the last with one lap.
    let first = 7 * 3 * CALLS;
    assert_eq!((seen.cut, seen.missing, reader.defects.count()), (vec![0], vec![first], 0));
    assert_eq!(seen.calls, (first..31 * CALLS).collect::<Vec<u64>>());
    let names = ["repeated", "new 8", "repeated", "new 9", "repeated", "new 10", "repeated", "new 11"];
    assert_eq!(seen.names, names);
}

#[test]
fn who_reads_in_time_misses_nothing_and_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path());
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    let mut seen = Seen::default();
    for step in 0..40 {
        process.work(dir.path(), 1 + step % 7);
        read(&mut reader, &mut seen);
    }
    assert_eq!((&seen.cut, &seen.missing, reader.defects.count()), (&vec![], &vec![], 0));
    assert_eq!(seen.calls, (0..process.lap * CALLS).collect::<Vec<u64>>());
    assert_eq!(seen.names.iter().filter(|n| *n == "repeated").count(), 1);

    // A reader that comes too late tells how much is gone, and goes on behind it.
    let before = seen.calls.len();
    process.work(dir.path(), 3 * (SEGMENTS + 5));
    read(&mut reader, &mut seen);
    assert_eq!((&seen.cut, seen.missing.len(), reader.defects.count()), (&vec![before], 1, 0));
    assert_eq!(seen.calls.len() as u64 + seen.missing[0], process.lap * CALLS);
    assert_eq!(seen.calls.last(), Some(&(process.lap * CALLS - 1)));
}

#[test]
fn a_segment_that_is_removed_while_it_is_closed_is_a_gap() {
    for piece in [None, Some(200)] {
        let dir = tempfile::tempdir().unwrap();
        let mut process = Process::start(dir.path());
        process.work(dir.path(), 2);
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        piece.into_iter().for_each(|bytes| reader.read_in_pieces(bytes));
        reader.stay_closed();
        let mut seen = Seen::default();
        // A lap, or a part of it.
        assert!(reader.poll(1, &mut |event| seen.take(event)).unwrap());
        let early = seen.calls.len() as u64;
        assert!((1..=CALLS).contains(&early) && (early == CALLS) == piece.is_none(), "{early} calls");
        // Another file is in its place, perhaps with the same number of the file system.
        process.work(dir.path(), 1 + 3 * SEGMENTS);
        read(&mut reader, &mut seen);
        let first = 3 * CALLS;
        // The rest of a lap that was read in part is still at hand.
        let expected: Vec<u64> = (0..CALLS).chain(first..process.lap * CALLS).collect();
        assert_eq!((seen.missing, seen.calls, reader.defects.count()), (vec![first - CALLS], expected, 0), "{piece:?}");
        assert_eq!(seen.cut.len(), 1);
        // Objects are defined again.
        assert!(seen.names.contains(&"repeated".to_owned()) && seen.names.contains(&"new 2".to_owned()));
        // Then it goes on as before.
        process.work(dir.path(), 3 * (SEGMENTS + 1));
        let mut seen = Seen::default();
        read(&mut reader, &mut seen);
        assert_eq!(seen.calls.last(), Some(&(process.lap * CALLS - 1)));
        assert_eq!((seen.cut.len(), reader.defects.count()), (0, 0));
    }
}

#[test]
fn a_thread_of_which_nothing_is_left_is_missed() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path());
    process.change_to(1);
    process.work(dir.path(), 6);
    process.change_to(0);
    process.work(dir.path(), 3 * SEGMENTS);
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    let mut seen = Seen::default();
    read(&mut reader, &mut seen);
    assert_eq!((seen.cut, seen.missing, reader.defects.count()), (vec![0], vec![], 0));
    assert_eq!(seen.calls, (0..3 * SEGMENTS * CALLS).collect::<Vec<u64>>());
}

#[test]
fn damage_costs_what_goes_on_from_it_and_calls_keep_their_numbers() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = file_header(&header(0));
    let mut packer = Packer::bounded(STAGE_BYTES, 1);
    for lap in 0..100 {
        let at = bytes.len();
        bytes.extend(block(0, lap, &mut packer));
        if lap == 10 {
            bytes[at + BLOCK_HEADER_BYTES + 5] ^= 1;
        }
    }
    fs::write(rank_path(dir.path(), 0), bytes).unwrap();
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    let mut seen = Seen::default();
    read(&mut reader, &mut seen);
    // The first 10 laps, and from the block on that stands for itself.
    assert_eq!(seen.missing, [54 * CALLS]);
    assert_eq!(seen.calls, (0..10 * CALLS).chain(64 * CALLS..100 * CALLS).collect::<Vec<u64>>());
    let what: Vec<String> = reader.defects.told().map(|d| d.what).collect();
    assert!(what[0].starts_with("damaged, ") && what[1].starts_with("goes on from a block that is lost"), "{what:?}");
    assert_eq!(what[2..], ["laps 10 to 63 of thread 0 are missing"]);
}
