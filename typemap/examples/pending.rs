//! Cost of an operation in the index of pending memory: insert, look for a conflict, remove. Run with `--release`.

use std::hint::black_box;
use std::time::Instant;
use trace_format::definition::Combiner;
use typemap::{Buffer, Pending, Typemap};

/// Nanoseconds of one conflict + insert + remove while `buffers` are pending; `next` says which one is replaced.
fn cycle(buffers: &[Buffer], next: impl Fn(usize) -> usize) -> f64 {
    // Many short measurements: the best one had the processor for itself.
    let (repeats, rounds) = if buffers.len() == 16 { (3, 2000) } else { (100, 20_000) };
    let mut best = f64::MAX;
    for _ in 0..repeats {
        let mut pending = Pending::new();
        let mut keys: Vec<_> = buffers.iter().map(|b| pending.insert(b.clone(), true, 0u64)).collect();
        let start = Instant::now();
        for round in 0..rounds {
            let i = next(round) % buffers.len();
            pending.remove(keys[i]);
            assert!(pending.conflict(black_box(&buffers[i]), true).is_none());
            keys[i] = pending.insert(buffers[i].clone(), true, round as u64);
        }
        best = best.min(start.elapsed().as_nanos() as f64 / rounds as f64);
    }
    best
}

fn show(name: &str, buffers: &[Buffer]) {
    let in_order = cycle(buffers, |round| round);
    let anyhow = cycle(buffers, |round| round.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20);
    println!("{name:40} in order {in_order:7.1} ns   any order {anyhow:7.1} ns");
}

fn main() {
    for n in [1u64, 64, 4096] {
        let small: Vec<_> = (0..n).map(|i| Buffer::bytes(0x7f00_0000_0000 + 64 * i, 8)).collect();
        show(&format!("{n} contiguous"), &small);
    }
    let mixed: Vec<_> = (0..64).map(|i| Buffer::bytes(0x7f00_0000_0000 + (i << 20), 8 << (2 * (i % 8)))).collect();
    show("64 contiguous of eight sizes", &mixed);
    let double = Typemap::named(29, 8);
    let column =
        Typemap::derive(Combiner::Vector, &[4096, 1, 4096], std::slice::from_ref(&double), 0, 8).expect("a vector");
    let columns: Vec<_> = (0..4096).map(|i| Buffer::new(0x7f00_0000_0000 + 8 * i, &column, 1)).collect();
    show("4096 interleaved columns", &columns);
    let halo = |first: i64| {
        // Every neighbour has a list of places of its own, all over the same array.
        let mut ints = vec![2000, 1];
        ints.extend((0..2000i64).map(|i| 64 * i + first + (i * i % 3) * 16));
        Typemap::derive(Combiner::IndexedBlock, &ints, std::slice::from_ref(&double), 0, 8).expect("a list")
    };
    let halos: Vec<_> = (0..16).map(|i| Buffer::new(0x7f00_0000_0000, &halo(i), 1)).collect();
    show("16 interleaved lists of 2000", &halos);
}
