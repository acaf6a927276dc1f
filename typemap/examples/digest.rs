//! Speed of checksums and snapshots against that of the memory. Run with `--release`.

use std::hint::black_box;
use std::time::Instant;
use trace_format::definition::Combiner;
use typemap::{Buffer, Sampling, Snapshot, Typemap, checksum};

/// Best nanoseconds of a call.
fn time(bytes: u64, mut f: impl FnMut()) -> f64 {
    let calls = (200_000_000 / (bytes + 500)).max(3);
    let round = |_| {
        let start = Instant::now();
        (0..calls).for_each(|_| f());
        start.elapsed().as_nanos() as f64 / calls as f64
    };
    (0..5).map(round).fold(f64::MAX, f64::min)
}

fn main() {
    let most = 64 << 20;
    let memory: Vec<u8> = (0..2 * most).map(|i| (i >> 3) as u8).collect();
    let mut copy = vec![1u8; most];
    let double = Typemap::named(29, 8);
    println!(
        "{:>10}  {:>18} {:>18} {:>18} {:>18} {:>18} {:>18}",
        "bytes", "copy", "read", "checksum", "take", "changed", "checksum 8 of 16"
    );
    for bytes in [8usize, 16, 64, 512, 1024, 4096, 16 << 10, 256 << 10, 4 << 20, 64 << 20] {
        let from = &memory[..bytes];
        let buffer = Buffer::bytes(from.as_ptr() as u64, bytes as u64);
        let every_other =
            Typemap::derive(Combiner::Vector, &[bytes as i64 / 8, 1, 2], std::slice::from_ref(&double), 0, 0);
        let every_other = Buffer::new(from.as_ptr() as u64, &every_other.expect("a vector"), 1);
        // SAFETY: all of it is in `memory`, here and below.
        let snapshot = unsafe { Snapshot::take(&buffer, Sampling::NONE) };
        let n = bytes as u64;
        let times = [
            time(n, || black_box(&mut copy)[..bytes].copy_from_slice(black_box(from))),
            time(n, || {
                let words = black_box(from).as_chunks::<8>().0.iter();
                black_box(words.fold(0u64, |sum, w| sum.wrapping_add(u64::from_ne_bytes(*w))));
            }),
            // SAFETY: as above.
            time(n, || _ = black_box(unsafe { checksum(black_box(&buffer), Sampling::NONE) })),
            // SAFETY: as above.
            time(n, || _ = black_box(unsafe { Snapshot::take(black_box(&buffer), Sampling::NONE) })),
            // SAFETY: as above.
            time(n, || assert!(unsafe { black_box(&snapshot).changed(black_box(&buffer)) }.is_none())),
            // SAFETY: as above.
            time(n, || _ = black_box(unsafe { checksum(black_box(&every_other), Sampling::NONE) })),
        ];
        print!("{bytes:>10}  ");
        times.iter().for_each(|ns| print!("{:>19}", format!("{ns:.1} ns {:.1} GB/s", bytes as f64 / ns)));
        println!();
    }
}
