//! The inner loops of writing and reading a trace: `cargo bench -p mpivet-trace-reader --bench records`.
//!
//! The records are those of a halo exchange. What the interposer does with a call before it is a record is counted as a
//! whole, by `tests/tests/budgets.rs`.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use std::path::Path;
use trace_format::definition::{COMM_WORLD, Definition};
use trace_format::file::{STAGE_BYTES, rank_path};
use trace_format::mpi::{FnId, Status};
use trace_format::pack::Packer;
use trace_format::ranks::Ranks;
use trace_format::requests::Requests;
use trace_reader::call::{Call, Outcome, Value};
use trace_reader::reader::RankReader;
use trace_reader::synthetic::{RankWriter, encode_call, header};
use trace_reader::unpack::Unpacker;

fn main() {
    divan::main();
}

const DOUBLE: i64 = 29;
const NEIGHBOURS: i64 = 4;
/// Calls of a step of the exchange.
const STEP: usize = 2 * NEIGHBOURS as usize + 1;

fn call(func: FnId, now: u64, ins: &[(&str, Value)], outs: &[(&str, Value)]) -> Call {
    let mut call = Call::new(func);
    (call.t_call, call.t_return, call.site) = (now, now + 150, func as u32);
    call.outcome = Outcome::Returned(0);
    let row = func.row();
    ins.iter().for_each(|(name, value)| call.ins[row.param(name).expect("a parameter")] = value.clone());
    outs.iter().for_each(|(name, value)| call.outs[row.param(name).expect("a parameter")] = value.clone());
    call
}

/// The calls of a rank in one step: its times are not quite as regular as the rest.
fn step(number: u64) -> Vec<Call> {
    let mut now = 1_000_000 + number * 50_000 + number % 7 * 311;
    let mut calls = Vec::new();
    for (func, peer) in [(FnId::MPI_Irecv, "source"), (FnId::MPI_Isend, "dest")] {
        for neighbour in 0..NEIGHBOURS {
            now += 200 + (number + neighbour as u64) % 13;
            let slot = 0x7f00_1000 + 8 * neighbour + if peer == "dest" { 8 * NEIGHBOURS } else { 0 };
            let args = [
                ("buf", 0x1000_0000 + 8192 * neighbour),
                ("count", 1024),
                ("datatype", DOUBLE),
                (peer, neighbour),
                ("tag", 7),
                ("comm", COMM_WORLD.into()),
                ("request", slot),
            ];
            let args = args.map(|(name, value)| (name, Value::Int(value)));
            calls.push(call(func, now, &args, &[("request", Value::Int(0x5000 + slot))]));
        }
    }
    let handles = (0..2 * NEIGHBOURS).map(|i| 0x7f00_6000 + 8 * i).collect();
    let status = |i| Status { source: (i % NEIGHBOURS) as i32, tag: 7, bytes: Some(8192), cancelled: false };
    let ins =
        [("count", Value::Int(2 * NEIGHBOURS)), ("array_of_requests", Value::Requests { base: 0x7f00_1000, handles })];
    let statuses = Value::Statuses((0..2 * NEIGHBOURS).map(status).collect());
    calls.push(call(FnId::MPI_Waitall, now + 9_000, &ins, &[("array_of_statuses", statuses)]));
    calls
}

/// The records of a full stage, and how many they are.
fn lap() -> (Vec<u8>, usize) {
    let (mut records, mut count) = (Vec::new(), 0);
    for number in 0.. {
        for call in step(number) {
            if records.len() + 1024 > STAGE_BYTES {
                return (records, count);
            }
            encode_call(&call, &mut records);
            count += 1;
        }
    }
    unreachable!()
}

#[divan::bench]
fn pack(bencher: Bencher) {
    let (records, count) = lap();
    let mut packer = Packer::new(STAGE_BYTES);
    let bencher = bencher.counter(ItemsCount::new(count)).counter(BytesCount::of_slice(&records));
    bencher.bench_local(|| packer.pack(black_box(&records)).expect("is smaller").len());
}

#[divan::bench]
fn unpack(bencher: Bencher) {
    let (records, count) = lap();
    let packed = Packer::new(STAGE_BYTES).pack(&records).expect("is smaller").to_vec();
    let (mut unpacker, mut out) = (Unpacker::default(), Vec::new());
    let bencher = bencher.counter(ItemsCount::new(count)).counter(BytesCount::of_slice(&records));
    bencher.bench_local(|| unpacker.unpack(black_box(&packed), 7, &mut out).expect("is whole"));
    assert_eq!(out.len(), records.len());
}

#[divan::bench]
fn encode(bencher: Bencher) {
    let (calls, mut out) = (step(3), Vec::new());
    bencher.counter(ItemsCount::new(STEP)).bench_local(|| {
        out.clear();
        black_box(&calls).iter().for_each(|call| encode_call(call, &mut out));
    });
}

fn write(dir: &Path, steps: u64) -> std::io::Result<()> {
    let mut writer = RankWriter::new(std::fs::File::create(rank_path(dir, 0))?, &header(0, 1))?;
    writer.define(&[Definition::Comm { id: COMM_WORLD, local: Ranks::first_n(4), remote: None, neighbors: None }])?;
    for number in 0..steps {
        step(number).iter().try_for_each(|call| writer.call(call))?;
    }
    writer.flush()
}

/// A whole file: blocks, checksums, unpacking, decoding.
#[divan::bench]
fn read(bencher: Bencher) {
    const STEPS: u64 = 20_000;
    let dir = tempfile::tempdir().expect("a directory");
    write(dir.path(), STEPS).expect("a trace");
    bencher.counter(ItemsCount::new(STEPS as usize * STEP)).bench_local(|| {
        let mut reader = RankReader::open(dir.path(), 0).expect("a trace");
        reader.writer_is_gone();
        let mut events = 0;
        let mut sink = |event| {
            black_box(event);
            events += 1;
        };
        while reader.poll(64, &mut sink).expect("can be read") {}
        assert!(events > STEPS as usize * STEP && reader.defects.is_empty());
    });
}

/// Requests that are made and completed, of a program that has a window of them.
#[divan::bench(args = [1, 8, 64, 1024])]
fn requests(bencher: Bencher, window: u64) {
    let mut requests: Requests<u64> = Requests::new();
    bencher.counter(ItemsCount::new(window)).bench_local(|| {
        for i in 0..window {
            requests.add(0x5000 + 64 * i, 0x1000 + 8 * i, i);
        }
        for i in 0..window {
            let ix = requests.find(black_box(0x5000 + 64 * i), 0x1000 + 8 * i).expect("a request");
            requests.remove(ix, ());
        }
    });
}
