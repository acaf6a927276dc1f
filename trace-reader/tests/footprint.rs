//! Reading with a small footprint of files, maps and memory hands over the events that other reading does.

use std::fs;
use std::path::Path;
use trace_format::file::rank_path;
use trace_format::mpi::FnId;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::reader::{RankEvent, RankReader};
use trace_reader::synthetic::{RankWriter, header};

/// Several blocks; now and then a call that returns in a record of its own.
fn write(dir: &Path, rank: i32, calls: u64) {
    let mut bytes = Vec::new();
    let mut writer = RankWriter::new(&mut bytes, &header(rank, 1000)).unwrap();
    for index in 0..calls {
        let mut call = Call::new([FnId::MPI_Send, FnId::MPI_Barrier][(index % 3 / 2) as usize]);
        (call.index, call.t_call, call.t_return) = (index, 100 * index, 100 * index + 50 + index % 7);
        call.outcome = Outcome::Returned(0);
        for (name, value) in [("count", index as i64 % 1000), ("tag", 7), ("comm", 1)] {
            if let Some(place) = call.func.row().param(name) {
                call.ins[place] = Value::Int(value);
            }
        }
        if index % 1000 == 999 {
            writer.call(&Call { outcome: Outcome::Open, ..call.clone() }).unwrap();
            writer.late_return(&call, 0);
        } else {
            writer.call(&call).unwrap();
        }
    }
    writer.flush().unwrap();
    drop(writer);
    fs::write(rank_path(dir, rank), bytes).unwrap();
}

fn read(reader: &mut RankReader, blocks: usize) -> Vec<RankEvent> {
    let mut events = Vec::new();
    reader.writer_is_gone();
    while reader.poll(blocks, &mut |event| events.push(event)).unwrap() {}
    assert_eq!(reader.unread(), 0);
    events
}

#[test]
fn pieces_are_the_whole() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0, 20_000);
    let whole = read(&mut RankReader::open(dir.path(), 0).unwrap(), 4);
    assert_eq!(whole.len(), 20_020);
    for piece in [1, 100, 4096, 1 << 17, 1 << 20] {
        let mut reader = RankReader::open(dir.path(), 0).unwrap();
        reader.read_in_pieces(piece);
        reader.stay_closed();
        assert!(read(&mut reader, 1) == whole, "pieces of {piece} bytes");
        assert!(reader.defects.is_empty(), "{:?}", reader.defects);
    }
}

#[test]
fn a_piece_is_small() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0, 20_000);
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.writer_is_gone();
    reader.read_in_pieces(1000);
    let (mut events, mut most, mut polls) = (0, 0, 0);
    loop {
        let before = events;
        if !reader.poll(1, &mut |_| events += 1).unwrap() {
            break;
        }
        (most, polls) = (most.max(events - before), polls + 1);
    }
    assert!(events == 20_020 && most < 50 && polls > 400, "{events} events, at most {most} of {polls} times");
}

#[test]
fn damage_in_a_block_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0, 20_000);
    let path = rank_path(dir.path(), 0);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x55;
    fs::write(&path, bytes).unwrap();
    let mut whole = RankReader::open(dir.path(), 0).unwrap();
    let mut pieces = RankReader::open(dir.path(), 0).unwrap();
    pieces.read_in_pieces(500);
    assert!(read(&mut whole, 4) == read(&mut pieces, 1));
    assert!(!whole.defects.is_empty());
    let told = |reader: &RankReader| {
        let mut told: Vec<_> = reader.defects.told().map(|d| (d.offset, d.what.clone())).collect();
        told.sort();
        told
    };
    assert_eq!(told(&whole), told(&pieces));
}

#[test]
fn thousands_of_ranks_are_open_at_the_same_time() {
    let dir = tempfile::tempdir().unwrap();
    const RANKS: i32 = 2_000;
    (0..RANKS).for_each(|rank| write(dir.path(), rank, 10));
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let before = open();
    let mut readers: Vec<RankReader> = Vec::new();
    for rank in 0..RANKS {
        let mut reader = RankReader::open(dir.path(), rank).unwrap();
        reader.stay_closed();
        readers.push(reader);
    }
    for reader in &mut readers {
        assert_eq!(read(reader, 1).len(), 10);
    }
    // Other tests have files open, too.
    assert!(open() < before + 100, "{} open files", open());
}

#[test]
fn another_file_in_its_place_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), 0, 20_000);
    let mut reader = RankReader::open(dir.path(), 0).unwrap();
    reader.read_in_pieces(1000);
    reader.stay_closed();
    assert!(reader.poll(1, &mut |_| {}).unwrap());
    fs::rename(rank_path(dir.path(), 0), dir.path().join("before")).unwrap();
    write(dir.path(), 0, 20_000);
    let error = reader.poll(1, &mut |_| {}).unwrap_err();
    assert!(error.to_string().contains("another file has taken its place"), "{error}");
}
