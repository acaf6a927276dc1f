//! The inner loops of the checks of buffers: `cargo bench -p mpivet-typemap --bench buffers`.

use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use std::sync::Arc;
use trace_format::definition::Combiner;
use typemap::{Buffer, Pending, Sampling, Typemap, checksum, common_byte};

fn main() {
    divan::main();
}

const DOUBLE: u32 = 29;
/// Rows of a matrix, and elements of a row.
const ROWS: i64 = 1024;
const COLUMNS: i64 = 64;

fn double() -> Arc<Typemap> {
    Typemap::named(DOUBLE, 8)
}

fn contiguous() -> Arc<Typemap> {
    Typemap::derive(Combiner::Contiguous, &[ROWS], &[double()], 0, 8 * ROWS).expect("a type")
}

/// A column of a matrix.
fn column() -> Arc<Typemap> {
    let ints = [ROWS, 1, COLUMNS];
    Typemap::derive(Combiner::Vector, &ints, &[double()], 0, 8 * (ROWS * COLUMNS - COLUMNS + 1)).expect("a type")
}

/// Blocks of different lengths at different distances.
fn indexed() -> Arc<Typemap> {
    let lengths = (0..ROWS).map(|i| 1 + i % 3);
    let displacements = (0..ROWS).map(|i| 8 * i + i * i % 5);
    let ints: Vec<i64> = std::iter::once(ROWS).chain(lengths).chain(displacements).collect();
    Typemap::derive(Combiner::Indexed, &ints, &[double()], 0, 8 * (8 * ROWS + 8)).expect("a type")
}

fn types() -> [(&'static str, Arc<Typemap>); 3] {
    [("contiguous", contiguous()), ("column", column()), ("indexed", indexed())]
}

fn named(name: &str) -> Arc<Typemap> {
    types().into_iter().find(|t| t.0 == name).expect("a type").1
}

#[divan::bench(args = ["contiguous", "column", "indexed"])]
fn walk(bencher: Bencher, name: &str) {
    let map = named(name);
    let runs = map.runs(1).count();
    bencher
        .counter(ItemsCount::new(runs))
        .bench_local(|| black_box(&map).runs(1).map(|(at, n)| at as u64 ^ n).sum::<u64>());
}

#[divan::bench(args = ["contiguous", "column", "indexed"])]
fn sum(bencher: Bencher, name: &str) {
    let map = named(name);
    let memory = vec![1u8; 8 * (ROWS * COLUMNS) as usize];
    let buffer = Buffer::new(memory.as_ptr() as u64, &map, 1);
    assert!(buffer.span().end <= memory.as_ptr() as u64 + memory.len() as u64);
    let bencher = bencher.counter(BytesCount::new(map.size()));
    // SAFETY: the buffer is inside of `memory`, as was just seen.
    bencher.bench_local(|| unsafe { checksum(black_box(&buffer), Sampling::NONE) });
}

/// The usual small message.
#[divan::bench]
fn sum_of_8_bytes(bencher: Bencher) {
    let memory = [1u8; 8];
    let buffer = Buffer::bytes(memory.as_ptr() as u64, 8);
    // SAFETY: the buffer is `memory`.
    bencher.bench_local(|| unsafe { checksum(black_box(&buffer), Sampling::NONE) });
}

/// Neighbouring columns, which interleave without a byte in common.
#[divan::bench]
fn overlap_of_columns(bencher: Bencher) {
    let map = column();
    let [a, b] = [0, 8].map(|at| Buffer::new(0x10_0000 + at, &map, 1));
    assert_eq!(common_byte(&a, &b), None);
    bencher.bench_local(|| common_byte(black_box(&a), black_box(&b)));
}

fn go_through(bencher: Bencher, buffers: Vec<Buffer>) {
    let mut pending = Pending::new();
    bencher.counter(ItemsCount::new(buffers.len())).bench_local(|| {
        let mut keys = Vec::with_capacity(buffers.len());
        for buffer in &buffers {
            assert!(pending.conflict(black_box(buffer), true).is_none());
            keys.push(pending.insert(buffer.clone(), true, ()));
        }
        keys.into_iter().for_each(|key| assert!(pending.remove(key).is_some()));
    });
}

/// Receives that begin, are compared with those under way, and end.
#[divan::bench(args = [1, 8, 64, 1024])]
fn pending_runs(bencher: Bencher, window: u64) {
    go_through(bencher, (0..window).map(|i| Buffer::bytes(0x10_0000 + 64 * i, 64)).collect());
}

/// As above, for columns of a matrix.
#[divan::bench(args = [1, 8, 64])]
fn pending_columns(bencher: Bencher, window: u64) {
    let map = column();
    go_through(bencher, (0..window).map(|i| Buffer::new(0x10_0000 + 8 * i, &map, 1)).collect());
}
