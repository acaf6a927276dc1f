use super::*;
use crate::record::State;

/// A record with these words behind the commit word.
fn record(out: &mut Vec<u8>, func: u16, state: State, lap: u32, words: &[u64]) {
    let commit = Commit { func, state: state as u8, words: words.len() as u16 + 1, lap };
    out.extend_from_slice(&commit.pack().to_le_bytes());
    words.iter().for_each(|w| out.extend_from_slice(&w.to_le_bytes()));
}

fn round(records: &[u8], lap: u64) -> Option<usize> {
    let mut packer = Packer::new(1 << 18);
    let packed = packer.pack(records)?.to_vec();
    let mut out = Vec::new();
    Unpacker::default().unpack(&packed, lap, &mut out).unwrap();
    assert!(out == records, "{} bytes came back differently", records.len());
    Some(packed.len())
}

/// A loop over neighbours as programs have it: strided buffers, handles that come and go.
fn exchange(steps: u64, lap: u32) -> (Vec<u8>, u64) {
    let (mut out, mut time, mut calls) = (Vec::new(), 1 << 50, 0);
    for step in 0..steps {
        for neighbour in 0..6 {
            for func in [10, 20] {
                time += 300 + step % 7;
                let request = 0x7f00_0000_1000 + 64 * (2 * neighbour + u64::from(func / 20));
                record(
                    &mut out,
                    func,
                    State::Returned,
                    lap,
                    &[time, 150, 5, 0x1000_0000 + 4096 * neighbour, 8 | neighbour << 32, 1, request],
                );
                calls += 1;
            }
        }
        time += 50_000 + step * 3;
        let waitall: Vec<u64> =
            [time, 9_000, 9, 12, 0x7fff_1000].into_iter().chain((0..12).map(|i| 0x7f00_0000_1000 + 64 * i)).collect();
        record(&mut out, 30, State::Returned, lap, &waitall);
        time += 60_000;
        record(&mut out, 40, State::Returned, lap, &[time, 2_000, 11, 0x2000_0000 + 8 * step, 1]);
        calls += 2;
    }
    (out, calls)
}

#[test]
fn what_repeats_takes_a_few_bytes() {
    let (records, calls) = exchange(200, 77);
    let packed = round(&records, 77).unwrap();
    assert!(packed < 8 * calls as usize, "{packed} bytes for {calls} calls");
}

#[test]
fn all_kinds_of_records_come_back() {
    let mut out = Vec::new();
    for i in 0..100u64 {
        record(&mut out, 1, State::Entered, 3, &[100 + i, 0, 7]);
        record(&mut out, 7, State::System, 3, &[90 + i]);
        record(&mut out, 9, State::System, 3, &[u64::MAX - i, i * i, u64::MAX]);
        record(&mut out, 1, State::Return, 3, &[i, 3, 1 << 63]);
        record(&mut out, 2, State::Returned, 3, &[5, u64::MAX, 7, i.pow(3)]);
    }
    assert!(round(&out, 3).is_some());
}

#[test]
fn more_call_sites_than_cells_are_forgotten_and_learnt_anew() {
    let mut out = Vec::new();
    for i in 0..3 * MAX_CELLS as u64 {
        record(&mut out, (i % 5) as u16, State::Returned, 1, &[i, 1, i, 2, 3]);
    }
    let mut packer = Packer::new(out.len());
    let packed = packer.pack(&out).unwrap().to_vec();
    let mut back = Vec::new();
    Unpacker::default().unpack(&packed, 1, &mut back).unwrap();
    assert!(back == out);
}

#[test]
fn what_cannot_be_made_smaller_is_refused() {
    assert_eq!(round(&[], 0), None);
    let mut out = Vec::new();
    record(&mut out, 1, State::Returned, 0, &[u64::MAX / 3, u64::MAX, 1, u64::MAX / 5]);
    assert_eq!(round(&out, 0), None);
    assert_eq!(round(&[0; 64], 0), None);
    assert_eq!(round(&out[..out.len() - 8], 0), None);
}

/// Pseudo-random numbers, always the same.
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 24
}

#[test]
fn random_records_come_back_and_damage_is_told() {
    let mut seed = 1;
    let mut unpacker = Unpacker::default();
    for _ in 0..300 {
        let mut records = Vec::new();
        let sites = 1 + random(&mut seed) % 9;
        for i in 0..300 {
            let site = random(&mut seed) % sites;
            let states = [State::Entered, State::Returned, State::Returned, State::Return, State::System];
            let state = states[(random(&mut seed) % 5) as usize];
            let mut words = vec![1000 * i, random(&mut seed) % 99, site];
            for w in 0..site % 5 {
                words.push(match random(&mut seed) % 4 {
                    0 => random(&mut seed),
                    1 => 0u64.wrapping_sub(i * w),
                    _ => w,
                });
            }
            record(&mut records, (site % 3) as u16, state, 9, &words);
        }
        let mut packer = Packer::new(1 << 18);
        let Some(packed) = packer.pack(&records) else { continue };
        let mut packed = packed.to_vec();
        let mut out = Vec::new();
        unpacker.unpack(&packed, 9, &mut out).unwrap();
        assert!(out == records);
        // Whatever the bytes are, it ends, and nothing breaks.
        for _ in 0..20 {
            let at = random(&mut seed) as usize % packed.len();
            packed[at] ^= 1 << (random(&mut seed) % 8);
            _ = unpacker.unpack(&packed, 9, &mut out);
            _ = unpacker.unpack(&packed[..at], 9, &mut out);
        }
    }
}
