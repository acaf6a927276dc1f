use super::*;
use trace_format::file::BLOCK_HEADER_BYTES;
use trace_format::pack::bytes::word_at;
use trace_format::pack::{CALL_HEAD, MAX_CELLS, MAX_FOLLOWERS, Packer};
use trace_format::record::{MAX_DURATION, State};

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

/// A usual loop over neighbours: strided buffers, handles that come and go.
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

/// Times take more or less room, and there are more calls than are packed at once.
#[test]
fn calls_as_predicted_come_back_whatever_their_times() {
    let times: Vec<u64> = (0..40).flat_map(|bits| [(1u64 << bits) - 1, 1 << bits]).collect();
    let (mut out, mut time) = (Vec::new(), 1 << 45);
    for round in 0..60 {
        for (i, duration) in times.iter().enumerate() {
            let gap = times[(i * 7 + round) % times.len()];
            // Some begin before the one in front of them ends.
            time += if round % 5 == 4 { gap / 2 } else { gap + duration };
            record(&mut out, 3, State::Returned, 9, &[time, *duration, 5, 1]);
        }
    }
    round(&out, 9).unwrap();
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
pub(super) fn random(seed: &mut u64) -> u64 {
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

/// A loop in a loop: receives and sends with strided buffers and handles that come and go, polls of a request, and now and
/// then a collective, in time that varies; sometimes another way is taken.
fn nested(seed: &mut u64, rounds: u64, out: &mut Vec<u8>, time: &mut u64, lap: u32) {
    let inner = 1 + random(seed) % 7;
    for round in 0..rounds {
        for i in 0..inner {
            *time += 200 + random(seed) % 60;
            let duration = 90 + random(seed) % 40;
            let words = [*time, duration, 5, 0x1000 + 64 * i, 8 | i << 32, 0x7f00 + 8 * (round * inner + i)];
            record(out, 10, State::Returned, lap, &words);
            *time += duration;
        }
        for i in 0..inner {
            // Word 3 has the repeated polls in its upper half.
            let polls = if random(seed).is_multiple_of(8) { random(seed) % 5 } else { 2 };
            *time += 30 + if random(seed).is_multiple_of(500) { 5_000_000 } else { random(seed) % 9 };
            record(out, 20, State::Returned, lap, &[*time, 40, 6 | polls << 32, 0x7f00 + 8 * i, round % 3]);
            *time += 40;
        }
        if round % 10 == 9 {
            *time += 1_000;
            let class = u64::from(random(seed).is_multiple_of(50)) << 48;
            record(
                out,
                30,
                State::Returned,
                lap,
                &[*time, (2_000 + random(seed) % 300) | class, 7, 0x9000 + 8 * round],
            );
            *time += 2_300;
        }
        if random(seed).is_multiple_of(40) {
            record(out, 9, State::System, lap, &[*time, round, random(seed)]);
            // This began before the end of the record in front of it.
            record(out, 11, State::Entered, lap, &[*time - 20, 0, 8, u64::MAX]);
            record(out, 11, State::Return, lap, &[*time, round, 0, 1]);
        }
    }
}

/// The words of each record, without the lap: commit word, time, end, and the rest.
fn apart(records: &[u8]) -> Vec<(u64, u64, u64, Vec<u64>)> {
    let (mut all, mut at) = (Vec::new(), 0);
    while at < records.len() {
        let key = word_at(records, at);
        let len = usize::from(Commit::unpack(key).words) * 8;
        let head = head_of(key);
        let (time, second) = (word_at(records, at + 8), if head == CALL_HEAD { word_at(records, at + 16) } else { 0 });
        let mut rest = vec![second >> 48];
        rest.extend(words_of(&records[at + head * 8..at + len]));
        all.push((key, time, time + (second & MAX_DURATION), rest));
        at += len;
    }
    all
}

#[test]
fn times_keep_their_bound_and_their_order_and_nothing_else_changes() {
    for seed in 1..60u64 {
        let mut seed = seed * 7919;
        let error = [0, 10, 1_000, 200_000][(seed % 4) as usize];
        let mut packer = Packer::bounded(1 << 18, error);
        let (mut unpacker, mut time) = (Unpacker::default(), 1 << 40);
        let mut all = (Vec::new(), Vec::new());
        for lap in 0..70 {
            let mut records = Vec::new();
            let rounds = 20 + random(&mut seed) % 60;
            nested(&mut seed, rounds, &mut records, &mut time, lap);
            let packed = packer.pack(&records).expect("it is smaller").to_vec();
            assert!(unpacker.can_unpack(&packed, lap.into()));
            let mut back = Vec::new();
            unpacker.unpack(&packed, lap.into(), &mut back).unwrap();
            if error == 0 {
                assert!(back == records);
            }
            let last = apart(&records).iter().map(|r| r.2).max();
            assert!(apart(&back).iter().map(|r| r.2).max() <= last, "no time lies behind the last one of the lap");
            all.0.extend(apart(&records));
            all.1.extend(apart(&back));
        }
        assert_eq!(all.0.len(), all.1.len());
        for (i, (real, got)) in all.0.iter().zip(&all.1).enumerate() {
            assert_eq!((real.0, &real.3), (got.0, &got.3), "record {i}");
            assert!(real.1.abs_diff(got.1) <= error && real.2.abs_diff(got.2) <= error, "record {i}: {real:?} {got:?}");
            assert!(got.2 >= got.1);
            if let Some(before) = i.checked_sub(1).filter(|b| all.0[*b].2 <= real.1) {
                assert!(all.1[before].2 <= got.1, "record {i} began after the end of the one before it");
            }
            if let Some(before) = i.checked_sub(1).filter(|b| all.0[*b].1 <= real.1) {
                assert!(all.1[before].1 <= got.1, "record {i} began after the one before it");
            }
        }
    }
}

/// Bytes of all blocks of a run of so many rounds, and how many calls they stand for.
fn size(rounds: u64, error: u64) -> (usize, usize) {
    let (mut seed, mut time, mut bytes, mut calls) = (5, 1 << 40, 0, 0);
    let mut packer = Packer::bounded(1 << 18, error);
    let mut left = rounds;
    while left > 0 {
        let mut records = Vec::new();
        for round in left.saturating_sub(500)..left {
            for i in 0..8u64 {
                time += 300 + random(&mut seed) % 50;
                record(
                    &mut records,
                    10,
                    State::Returned,
                    1,
                    &[time, 100, 5, 0x1000 + 64 * i, 8 | i << 32, 0x7f00 + 8 * i],
                );
                time += 100;
            }
            time += 500 + random(&mut seed) % 500;
            record(&mut records, 20, State::Returned, 1, &[time, 400, 6, 0x8000 + 8 * round]);
            time += 400;
            if round % 10 == 0 {
                record(&mut records, 30, State::Returned, 1, &[time, 3_000, 7, 0x9000]);
                time += 3_000;
            }
        }
        left = left.saturating_sub(500);
        calls += apart(&records).len();
        bytes += BLOCK_HEADER_BYTES + packer.pack(&records).expect("it is smaller").len();
    }
    (bytes, calls)
}

#[test]
fn more_rounds_of_a_loop_take_next_to_no_more_room() {
    let (small, few) = size(1_000, 200_000);
    let (large, calls) = size(10_000, 200_000);
    let (exact, _) = size(10_000, 0);
    assert!(large - small < (calls - few) / 50, "{small} and {large} bytes for {few} and {calls} calls");
    assert!(large * 50 < exact, "{large} bytes, exactly {exact}");
    // Times that vary by more than the bound are written down.
    assert!(size(10_000, 100).0 > 2 * large);
}

#[test]
fn a_block_that_goes_on_from_a_lost_one_is_refused_until_one_stands_for_itself() {
    let (mut seed, mut time) = (3, 1 << 40);
    let mut packer = Packer::bounded(1 << 18, 1_000);
    let mut unpacker = Unpacker::default();
    let mut refused = 0;
    let mut out = Vec::new();
    for lap in 0..200 {
        let mut records = Vec::new();
        nested(&mut seed, 50, &mut records, &mut time, lap);
        let packed = packer.pack(&records).unwrap().to_vec();
        if lap == 5 {
            continue;
        }
        if unpacker.can_unpack(&packed, lap.into()) {
            unpacker.unpack(&packed, lap.into(), &mut out).unwrap();
            assert_eq!(out.len(), records.len());
        } else {
            assert!(unpacker.unpack(&packed, lap.into(), &mut out).is_err() && out.is_empty());
            refused += 1;
        }
    }
    assert!(refused > 0 && refused <= MAX_FOLLOWERS, "{refused} blocks");
    // The first block of a new segment stands for itself, and so do those of several threads.
    packer.begin_anew();
    let mut records = Vec::new();
    nested(&mut seed, 50, &mut records, &mut time, 0);
    assert!(Unpacker::default().can_unpack(packer.pack(&records).unwrap(), 0));
    packer.be_exact();
    assert!(Unpacker::default().can_unpack(packer.pack(&records).unwrap(), 0));
}

/// Windows of receives whose requests the library takes from a stack: in each other window in the opposite order.
#[test]
fn what_comes_in_turns_takes_no_more_room_than_what_stays() {
    let windows = |turns: bool| {
        let (mut out, mut time) = (Vec::new(), 1 << 50);
        for window in 0..400 {
            let request = |i: u64| 0x7f00_1000 + 64 * if turns && window % 2 == 1 { 31 - i } else { i };
            for i in 0..32 {
                time += 300;
                record(&mut out, 10, State::Returned, 3, &[time, 150, 5, 0x1000_0000 + 64 * i, 8, request(i)]);
            }
            time += 900;
            let waitall: Vec<u64> = [time, 500, 9, 32].into_iter().chain((0..32).map(request)).collect();
            record(&mut out, 30, State::Returned, 3, &waitall);
            time += 900;
            record(&mut out, 40, State::Returned, 3, &[time, 500, 11, 0x2000_0000, 1]);
        }
        round(&out, 3).unwrap()
    };
    let (stays, turns) = (windows(false), windows(true));
    assert!(turns < stays + 2_000, "{stays} and {turns} bytes for 13,600 calls");
}

#[test]
fn a_long_loop_of_one_call_site_needs_few_cells() {
    for error in [0, 1_000] {
        let mut out = Vec::new();
        for i in 0..3_000u64 {
            record(&mut out, 10, State::Returned, 1, &[1_000 * i, 100, 5, 0x1000 + 8 * i, 8]);
        }
        let mut packer = Packer::bounded(1 << 18, error);
        let packed = packer.pack(&out).unwrap().to_vec();
        let mut back = Vec::new();
        let mut unpacker = Unpacker::default();
        unpacker.unpack(&packed, 1, &mut back).unwrap();
        assert!(back == out);
        assert!(
            unpacker.cells.list.len() < 80 && packed.len() < if error == 0 { 15_000 } else { 1_500 },
            "{}",
            packed.len()
        );
    }
}

/// Loops that make an object and free it: a call, the definition of another object each time, the return, the call that frees it.
/// Between them is a record of another kind, and as long.
#[test]
fn objects_that_are_made_in_a_loop_need_few_cells() {
    for error in [0, 1_000] {
        let mut out = Vec::new();
        for i in 0..3_000u64 {
            let time = 10_000 * i;
            record(&mut out, 10, State::Entered, 1, &[time, 0, 5, 1, 0x7fff_1000]);
            record(&mut out, 0, State::System, 1, &[time + 1_000, 9 | (1_000 + i) << 40, 2]);
            record(&mut out, 10, State::Return, 1, &[time + 2_000, 2_000 + i % 3, 1_000 + i]);
            record(&mut out, 0, State::System, 1, &[time + 2_500, 7, 3 * i]);
            record(&mut out, 11, State::Returned, 1, &[time + 3_000, 50, 6, 0x7fff_1000, 1_000 + i]);
        }
        let packed = Packer::bounded(1 << 19, error).pack(&out).unwrap().to_vec();
        let (mut back, mut unpacker) = (Vec::new(), Unpacker::default());
        unpacker.unpack(&packed, 1, &mut back).unwrap();
        let (before, after) = (apart(&out), apart(&back));
        assert_eq!(before.len(), after.len());
        for (a, b) in before.iter().zip(&after) {
            assert!(a.0 == b.0 && a.3 == b.3 && a.1.abs_diff(b.1) <= error, "{a:x?} {b:x?}");
        }
        let (cells, most) = (unpacker.cells.list.len(), if error == 0 { 25 * 3_000 } else { 12 * 3_000 });
        assert!(cells < 10 && packed.len() < most, "{error}: {cells} cells, {} bytes for 6,000 calls", packed.len());
    }
}
