//! The reader on traces of several threads: made with the writer's encoding, read at once and while they grow.

mod common;

use common::Random;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};
use trace_format::file::{
    BLOCK_HEADER_BYTES, BlockKind, PROCESS_THREAD, RATE_BYTES, RankHeader, STAGE_HEADER_BYTES, STAGE_LAP_OFFSET,
    STAGE_MAGIC, rank_path, stage_path,
};
use trace_format::mpi::FnId;
use trace_format::pack::Packer;
use trace_format::record::{Commit, LAP_MASK};
use trace_format::system::{Checksum, Checksums, SystemEvent};
use trace_format::writer::{encode_system, file_header, seal};
use trace_reader::call::{Call, Outcome};
use trace_reader::reader::{LeanEvent, RankEvent, RankReader};
use trace_reader::synthetic;
use trace_reader::synthetic::{RankWriter, encode_call};
use trace_reader::text::{format_checksums, format_sample, parse, parse_sample};

const STAGE: usize = 1 << 12;

fn header() -> RankHeader {
    RankHeader { stage_bytes: STAGE as u32, ..synthetic::header(0, 1) }
}

fn call(time: u64, end: Option<u64>) -> Call {
    let mut call = Call::new(FnId::MPI_Barrier);
    call.t_call = time;
    if let Some(end) = end {
        (call.outcome, call.t_return) = (Outcome::Returned(0), end);
    }
    call
}

/// The process that writes: its file, and the stage of each thread.
struct Process {
    file: File,
    len: u64,
    threads: Vec<Stage>,
}

#[derive(Default)]
struct Stage {
    file: Option<File>,
    records: Vec<u8>,
    lap: u64,
    /// Offset of the record of the open call.
    open: Option<(usize, u64)>,
}

impl Process {
    fn start(dir: &Path, threads: usize) -> Process {
        let head = file_header(&header());
        fs::write(rank_path(dir, 0), &head).unwrap();
        let file = File::options().write(true).open(rank_path(dir, 0)).unwrap();
        let mut threads: Vec<Stage> = (0..threads).map(|_| Stage::default()).collect();
        for (number, stage) in threads.iter_mut().enumerate() {
            let path = stage_path(dir, 0, number as u16);
            fs::write(&path, vec![0; STAGE_HEADER_BYTES + STAGE]).unwrap();
            let file = File::options().write(true).open(path).unwrap();
            file.write_all_at(&STAGE_MAGIC, 0).unwrap();
            stage.file = Some(file);
        }
        Process { file, len: head.len() as u64, threads }
    }

    fn block(&mut self, thread: u16, lap: u64, records: &[u8]) {
        self.add(BlockKind::Events, thread, lap, records);
    }

    fn add(&mut self, kind: BlockKind, thread: u16, lap: u64, payload: &[u8]) {
        let mut block = vec![0; BLOCK_HEADER_BYTES];
        block.extend_from_slice(payload);
        seal(&mut block, kind, thread, lap);
        self.file.write_all_at(&block, self.len).unwrap();
        self.len += block.len() as u64;
    }

    /// Empties a thread's stage into the file.
    fn empty(&mut self, thread: usize) {
        let stage = &mut self.threads[thread];
        let (records, lap) = (std::mem::take(&mut stage.records), stage.lap);
        stage.open = None;
        stage.lap += 1;
        self.block(thread as u16, lap, &records);
        let stage = &self.threads[thread];
        let file = stage.file.as_ref().unwrap();
        file.write_all_at(&stage.lap.to_le_bytes(), STAGE_LAP_OFFSET as u64).unwrap();
    }

    /// Writes the records of a thread from `from` on to its stage, with their lap.
    fn show(&mut self, thread: usize, from: usize) {
        let stage = &mut self.threads[thread];
        let mut at = from;
        while at < stage.records.len() {
            let mut commit = Commit::unpack(u64::from_le_bytes(*stage.records[at..].first_chunk().unwrap()));
            commit.lap = stage.lap as u32 & LAP_MASK;
            stage.records[at..at + 8].copy_from_slice(&commit.pack().to_le_bytes());
            at += commit.words as usize * 8;
        }
        let mut bytes = stage.records[from..].to_vec();
        bytes.extend_from_slice(&[0; 8]);
        stage.file.as_ref().unwrap().write_all_at(&bytes, (STAGE_HEADER_BYTES + from) as u64).unwrap();
    }

    fn record(&mut self, thread: usize, call: &Call) {
        if self.threads[thread].records.len() + 100 > STAGE {
            self.empty(thread);
        }
        let stage = &mut self.threads[thread];
        let from = stage.records.len();
        encode_call(call, &mut stage.records);
        stage.open = call.is_open().then_some((from, call.t_call));
        self.show(thread, from);
    }

    /// The thread's open call returns, in place.
    fn complete(&mut self, thread: usize, end: u64) {
        let stage = &mut self.threads[thread];
        let Some((at, time)) = stage.open.take() else { return };
        let mut record = Vec::new();
        encode_call(&call(time, Some(end)), &mut record);
        stage.records[at..at + record.len()].copy_from_slice(&record);
        self.show(thread, at);
    }

    fn exit(&mut self, time: u64) {
        let mut record = Vec::new();
        encode_system(&SystemEvent::Exit { status: 0 }, time, &mut record);
        self.block(PROCESS_THREAD, 0, &record);
    }
}

/// Thread, place in the thread (calls even, returns odd) and time of an event; `None` for a definition.
/// A call that has returned is two events.
fn flat(event: &RankEvent) -> Vec<(u16, u64, u64)> {
    match event {
        RankEvent::Call(c) => {
            let mut all = vec![(c.thread, 2 * c.index, c.t_call)];
            if !c.is_open() {
                all.push((c.thread, 2 * c.index + 1, c.t_return));
            }
            all
        }
        RankEvent::Return { thread, index, time, .. } => vec![(*thread, 2 * index + 1, *time)],
        RankEvent::System { thread, time, .. } => vec![(*thread, 0, *time)],
        RankEvent::Definition(_) => Vec::new(),
    }
}

fn read_all(reader: &mut RankReader) -> Vec<(u16, u64, u64)> {
    let mut events = Vec::new();
    while reader.poll(2, &mut |e| events.extend(flat(&e))).unwrap() {}
    assert!(reader.defects.is_empty(), "{:?}", reader.defects);
    events
}

/// Makes calls in several threads, one of them quiet most of the time, up to the time `until`. Returns their events by time.
fn work(process: &mut Process, random: &mut Random, time: &mut u64, until: u64, did: &mut Vec<(u16, u64, u64)>) {
    let threads = process.threads.len() as u64;
    let mut calls = vec![0; threads as usize];
    for (thread, event, _) in did.iter() {
        calls[*thread as usize] = calls[*thread as usize].max(event / 2 + 1);
    }
    while *time < until {
        *time += 1 + random.below(5);
        let thread = if random.below(50) == 0 { threads - 1 } else { random.below(threads - 1) };
        let t = thread as usize;
        if process.threads[t].open.is_some() {
            process.complete(t, *time);
            did.push((thread as u16, 2 * (calls[t] - 1) + 1, *time));
        } else {
            let new = call(*time, None);
            process.record(t, &new);
            did.push((thread as u16, 2 * calls[t], *time));
            calls[t] += 1;
        }
    }
}

/// Lets all open calls return.
fn settle(process: &mut Process, time: &mut u64, did: &mut Vec<(u16, u64, u64)>) {
    for t in 0..process.threads.len() {
        if process.threads[t].open.is_some() {
            *time += 1;
            process.complete(t, *time);
            let last = did.iter().rev().find(|d| d.0 == t as u16).unwrap().1;
            did.push((t as u16, last + 1, *time));
        }
    }
}

#[test]
fn threads_of_a_finished_rank_come_by_time() {
    let mut random = Random(5);
    for round in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let mut process = Process::start(dir.path(), 2 + round % 7);
        let (mut time, mut did) = (0, Vec::new());
        work(&mut process, &mut random, &mut time, 5000, &mut did);
        if round % 2 == 0 {
            settle(&mut process, &mut time, &mut did);
        }
        process.exit(time + 1);
        did.push((PROCESS_THREAD, 0, time + 1));
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        reader.writer_is_gone();
        assert_eq!(read_all(&mut reader), did, "round {round}");
    }
}

#[test]
fn threads_of_a_running_rank_come_by_time() {
    let mut random = Random(6);
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path(), 4);
    let (mut time, mut did) = (0, Vec::new());
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    let mut seen = Vec::new();
    for step in 1..60 {
        work(&mut process, &mut random, &mut time, 100 * step, &mut did);
        reader.poll(1 + step as usize % 3, &mut |e| seen.extend(flat(&e))).unwrap();
        assert_eq!(seen, did[..seen.len()], "step {step}");
        std::thread::sleep(Duration::from_millis(step % 4 * 10));
    }
    settle(&mut process, &mut time, &mut did);
    // Events of threads that have ended, or are silent, come all the same.
    for thread in 0..3 {
        process.empty(thread);
    }
    let until = Instant::now() + Duration::from_secs(10);
    while reader.poll(2, &mut |e| seen.extend(flat(&e))).unwrap() && Instant::now() < until {}
    assert_eq!(seen, did);
    process.exit(time + 1);
    reader.writer_is_gone();
    assert_eq!(read_all(&mut reader), [(PROCESS_THREAD, 0, time + 1)]);
}

#[test]
fn a_silent_thread_does_not_hold_the_others_back() {
    let mut random = Random(7);
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path(), 3);
    // The last thread is in a call that never returns.
    process.record(2, &call(1, None));
    let (mut time, mut did) = (1, vec![(2, 0, 1)]);
    for t in 0..4000 {
        time += 2;
        let thread = random.below(2) as usize;
        let index = did.iter().filter(|d: &&(u16, u64, u64)| d.0 == thread as u16).count() as u64 / 2;
        process.record(thread, &call(time, Some(time + 1)));
        did.extend([(thread as u16, 2 * index, time), (thread as u16, 2 * index + 1, time + 1)]);
        assert!(t < 4000);
    }
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    let mut seen = Vec::new();
    let until = Instant::now() + Duration::from_secs(10);
    while reader.poll(4, &mut |e| seen.extend(flat(&e))).unwrap() && Instant::now() < until {}
    assert_eq!(seen, did);
}

#[test]
fn without_stages_the_file_alone_is_merged() {
    let mut random = Random(8);
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path(), 3);
    let (mut time, mut did) = (0, Vec::new());
    work(&mut process, &mut random, &mut time, 5000, &mut did);
    settle(&mut process, &mut time, &mut did);
    for t in 0..3 {
        process.empty(t);
        fs::remove_file(stage_path(dir.path(), 0, t as u16)).unwrap();
    }
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    assert_eq!(read_all(&mut reader), did);
}

#[test]
fn no_more_is_handed_over_than_is_wanted() {
    let mut random = Random(9);
    for threads in [2, 5] {
        let dir = tempfile::tempdir().unwrap();
        let mut process = Process::start(dir.path(), threads);
        let (mut time, mut did) = (0, Vec::new());
        work(&mut process, &mut random, &mut time, 5000, &mut did);
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        reader.writer_is_gone();
        let (mut seen, mut looks) = (Vec::new(), 0);
        loop {
            let mut taken = 0;
            let mut take = |event: LeanEvent| {
                taken += event.memory_cost();
                seen.extend(flat(&event.into()));
            };
            if !reader.poll_lean(64, 50, &mut take).unwrap() {
                break;
            }
            assert!(taken <= 50, "{taken} at once");
            looks += 1;
        }
        assert_eq!(seen, did, "{threads} threads");
        assert!(looks > 10 && reader.defects.is_empty(), "{looks} times, {:?}", reader.defects);
    }
}

#[test]
fn what_was_recorded_before_the_end_is_seen_though_something_was_at_hand() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path(), 2);
    for time in 0..100 {
        process.record(0, &call(10 * time, Some(10 * time + 1)));
    }
    process.record(1, &call(5, Some(6)));
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    let mut seen = Vec::new();
    let until = Instant::now() + Duration::from_secs(10);
    while seen.is_empty() && Instant::now() < until {
        reader.poll_lean(64, 1, &mut |event: LeanEvent| seen.extend(flat(&event.into()))).unwrap();
    }
    // Another thread goes on, then the process ends.
    process.record(1, &call(55, Some(56)));
    reader.writer_is_gone();
    seen.extend(read_all(&mut reader));
    assert!(seen.is_sorted_by_key(|s| s.2) && seen.len() == 204, "{seen:?}");
}

#[test]
fn packed_blocks_of_the_process_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut process = Process::start(dir.path(), 1);
    let mut record = Vec::new();
    encode_system(&SystemEvent::Exit { status: 0 }, 1, &mut record);
    let packed = Packer::new(STAGE).pack(&record.repeat(50)).unwrap().to_vec();
    process.add(BlockKind::Packed, PROCESS_THREAD, 0, &packed);
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    while reader.poll(2, &mut |event| panic!("{event:?}")).unwrap() {}
    let what: Vec<String> = reader.defects.told().map(|d| d.what).collect();
    assert_eq!(what, ["a packed block of the process, skipped"]);
}

/// A process may be killed between the making of a stage and the first byte in it.
#[test]
fn an_empty_stage_is_no_damage_and_a_short_one_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    Process::start(dir.path(), 1);
    fs::write(stage_path(dir.path(), 0, 1), "").unwrap();
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    assert_eq!(read_all(&mut reader), []);

    fs::write(stage_path(dir.path(), 0, 2), "short").unwrap();
    for _ in 0..3 {
        assert!(!reader.poll(2, &mut |_| {}).unwrap());
    }
    assert_eq!(reader.defects.count(), 1);
}

#[test]
fn samples_are_read_as_they_were_written() {
    let sample = |text: &str| parse_sample(text).unwrap();
    let written = [sample("queue 200 of c1 most 199 at 3/4"), sample("time 1.5"), sample("level -1")];
    let dir = tempfile::tempdir().unwrap();
    let mut writer = RankWriter::new(File::create(rank_path(dir.path(), 0)).unwrap(), &header()).unwrap();
    for (time, sample) in (1..).zip(&written) {
        writer.system(&SystemEvent::Sample(sample.clone()), time);
    }
    writer.flush().unwrap();
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    let mut read = Vec::new();
    while reader
        .poll(2, &mut |event| {
            if let RankEvent::System { event: SystemEvent::Sample(sample), .. } = event {
                read.push(sample);
            }
        })
        .unwrap()
    {}
    assert_eq!(read, written);
    for sample in &written {
        let trace = parse(&format!("0: {}\n", format_sample(sample))).unwrap();
        let Some((0, RankEvent::System { event: SystemEvent::Sample(read), .. })) = trace.events.last() else {
            panic!("{sample:?} is no sample");
        };
        assert_eq!(read, sample);
    }
}

#[test]
fn checksums_are_read_as_they_were_written() {
    let all = |partner| Checksum { partner, bytes: 1 << 40, digest: u64::MAX - u64::from(partner) };
    let wide =
        Checksums { call: 7, request: 3, sent: vec![all(Checksum::WHOLE)], received: (0..1000).map(all).collect() };
    let written = [Checksums::default(), wide];
    let dir = tempfile::tempdir().unwrap();
    let mut writer = RankWriter::new(File::create(rank_path(dir.path(), 0)).unwrap(), &header()).unwrap();
    for (time, sums) in (1..).zip(&written) {
        writer.system(&SystemEvent::Checksums(sums.clone()), time);
    }
    writer.flush().unwrap();
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    let mut read = Vec::new();
    let mut take = |event| {
        if let RankEvent::System { event: SystemEvent::Checksums(sums), .. } = event {
            read.push(sums);
        }
    };
    while reader.poll(2, &mut take).unwrap() {}
    assert_eq!(read, written);
}

#[test]
fn checksums_in_the_notation_are_read_back() {
    for line in [
        "checksums",
        "checksums sent all:8:1f",
        "checksums at 2 sent 0:4:1,7:8:ffffffffffffffff received all:1099511627776:0",
    ] {
        let trace = parse(&format!("0: MPI_Barrier() = ok\n0: MPI_Barrier()\n0: {line}\n")).unwrap();
        let Some((0, RankEvent::System { event: SystemEvent::Checksums(sums), .. })) = trace.events.last() else {
            panic!("{line}");
        };
        assert_eq!((sums.call, format_checksums(sums).as_str()), (1, line));
    }
    for wrong in ["checksums sent", "checksums sent 1:2", "checksums sent 1:2:x", "checksums of 1:2:3"] {
        assert!(parse(&format!("0: MPI_Barrier()\n0: {wrong}\n")).is_err(), "{wrong}");
    }
}

#[test]
fn a_few_events_at_a_time_are_the_same_events() {
    let dir = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    let mut writer = RankWriter::new(&mut bytes, &header()).unwrap();
    for time in 0..20_000 {
        writer.call(&call(3 * time, Some(3 * time + 1))).unwrap();
        if time % 1_000 == 0 {
            writer.system(&SystemEvent::Recording { on: true }, 3 * time + 2);
        }
    }
    writer.flush().unwrap();
    drop(writer);
    fs::write(rank_path(dir.path(), 0), bytes).unwrap();
    let reader = || {
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        reader.writer_is_gone();
        reader
    };
    let mut all = Vec::new();
    let mut at_once = reader();
    while at_once.poll(2, &mut |e| all.push(e)).unwrap() {}
    assert_eq!(all.len(), 20_020);
    for most in [1, 7, 1_000, usize::MAX] {
        let mut reader = reader();
        let (mut events, mut largest) = (Vec::new(), 0);
        loop {
            let before = events.len();
            if !reader.poll_lean(1, most, &mut |e: LeanEvent| events.push(RankEvent::from(e))).unwrap() {
                break;
            }
            largest = largest.max(events.len() - before);
        }
        assert_eq!((events == all, largest <= most, reader.defects.count()), (true, true, 0), "{most} at a time");
    }
}

/// Events of the process as a whole come behind the last calls of its threads, however few blocks are read at a time.
#[test]
fn the_end_of_a_process_comes_last() {
    for budget in [1, 2, 64] {
        let dir = tempfile::tempdir().unwrap();
        let mut process = Process::start(dir.path(), 1);
        for time in 1..=3 {
            process.record(0, &call(10 * time, Some(10 * time + 5)));
            process.empty(0);
        }
        process.record(0, &call(100, Some(105)));
        process.exit(200);
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        reader.writer_is_gone();
        let mut times = Vec::new();
        let mut take = |event: RankEvent| times.extend(flat(&event).first().map(|e| e.2));
        while reader.poll(budget, &mut take).unwrap() {}
        assert_eq!(times, [10, 20, 30, 100, 200], "{budget} blocks at a time");
    }
}

#[test]
fn the_rate_of_the_whole_run_corrects_that_of_its_beginning() {
    let dir = std::env::temp_dir().join(format!("mpivet-rate-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let head = file_header(&header());
    let rate = || RankReader::open(&dir, 0).map(|reader| reader.header.ticks_per_second);
    fs::write(rank_path(&dir, 0), &head).unwrap();
    assert_eq!(rate().unwrap(), header().ticks_per_second);
    let file = File::options().write(true).open(rank_path(&dir, 0)).unwrap();
    file.write_all_at(&2_345_678_901_u64.to_le_bytes(), (head.len() - RATE_BYTES) as u64).unwrap();
    assert_eq!(rate().unwrap(), 2_345_678_901);
    fs::write(rank_path(&dir, 0), &head[..head.len() - 1]).unwrap();
    assert!(rate().is_err());
    fs::remove_dir_all(&dir).unwrap();
}
