//! Many laps of stages: what threads write is in the trace as they wrote it.

mod common;

use common::{alone, are_calls, begin, blocks, blocks_in, call, records, write};
use recorder::stage::Stage;
use recorder::trace;
use std::path::Path;
use trace_format::definition::{Definition, FIRST_USER_ID, Id};
use trace_format::file::{
    BLOCK_HEADER_BYTES, Retention, SEGMENT_HEADER_BYTES, STAGE_HEADER_BYTES, segment_path, stage_path_of,
};

/// Words of a call besides its header: many different ones, which do not pack well.
const VALUES: usize = 20;

/// Writes calls from `first` on until the stage has begun lap `laps`, and three more. The number of the next one.
fn fill(stage: &mut Stage, laps: u64, first: u64) -> u64 {
    let mut number = first;
    while stage.lap() < laps {
        assert!(write(stage, &call(number, VALUES)));
        number += 1;
    }
    for number in number..number + 3 {
        assert!(write(stage, &call(number, VALUES)));
    }
    number + 3
}

/// The records that are in the file of a stage, which is in this lap.
fn in_stage(dir: &Path, thread: u16, lap: u64) -> Vec<(trace_format::record::Commit, Vec<u8>)> {
    let bytes = std::fs::read(stage_path_of(dir, common::STEM, thread)).unwrap();
    records(&bytes[STAGE_HEADER_BYTES..], lap)
}

#[test]
fn laps_are_in_the_file_as_they_were_written() {
    alone("laps_are_in_the_file_as_they_were_written", |dir| {
        let trace = begin(dir, Retention::default());
        let mut stage = Stage::create(trace, 0).unwrap();
        let all = fill(&mut stage, 5, 0);
        let mut number = 0;
        for (block, lap) in blocks(dir).iter().zip(0..) {
            assert_eq!((block.header.lap, block.header.thread, block.header.calls), (lap, 0, number));
            number += are_calls(&records(&block.payload, lap), number, VALUES);
        }
        assert_eq!(blocks(dir).len(), 5);
        number += are_calls(&in_stage(dir, 0, 5), number, VALUES);
        assert_eq!((number, stage.calls()), (all, all), "each call is in the file, or in the stage");
        // And at the end nothing is left behind.
        assert!(stage.empty());
        assert_eq!(blocks(dir).len(), 6);
        assert!(in_stage(dir, 0, 6).is_empty());
        trace_is_kept_alone(dir);
    });
}

/// The stages are removed at the end, if all threads but this one have ended.
fn trace_is_kept_alone(dir: &Path) {
    recorder::threads::begin();
    recorder::threads::remove_stages();
    let names: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["rank-0.mpv"]);
}

#[test]
fn threads_do_not_mix_their_laps() {
    alone("threads_do_not_mix_their_laps", |dir| {
        let trace = begin(dir, Retention::default());
        const THREADS: u16 = 3;
        let begins = |thread: u16| u64::from(thread) << 32;
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let mut stage = Stage::create(trace, thread).unwrap();
                    fill(&mut stage, 4, begins(thread));
                    assert!(stage.empty());
                    stage.abandon();
                });
            }
        });
        let all = blocks(dir);
        assert_eq!(all.len(), 5 * usize::from(THREADS));
        for thread in 0..THREADS {
            let mut number = begins(thread);
            for (block, lap) in all.iter().filter(|block| block.is_of(thread)).zip(0..) {
                assert_eq!((block.header.lap, block.header.calls), (lap, number - begins(thread)));
                number += are_calls(&records(&block.payload, lap), number, VALUES);
            }
        }
    });
}

#[test]
fn a_limit_of_size_keeps_the_last_laps_and_all_objects() {
    alone("a_limit_of_size_keeps_the_last_laps_and_all_objects", |dir| {
        const MOST: u64 = 4 << 20;
        let trace = begin(dir, Retention { max_bytes: MOST, ..Retention::default() });
        let object = |id: Id| Definition::Op { id: FIRST_USER_ID + id, commute: true };
        trace.define(&[object(1), object(2)]);
        let mut stage = Stage::create(trace, 0).unwrap();
        fill(&mut stage, 60, 0);
        assert!(trace::segment() > 4 && !trace::is_lost());
        assert!(blocks(dir).is_empty(), "events are in segments");
        let mut laps = Vec::new();
        let mut bytes_of_all = 0;
        for number in trace::segment() - 3..=trace::segment() {
            let bytes = std::fs::read(segment_path(dir, common::STEM, number)).unwrap();
            bytes_of_all += bytes.len() as u64;
            let found = blocks_in(&bytes[SEGMENT_HEADER_BYTES..]);
            let mut defined = &found[0].payload[..];
            let mut next = || trace_format::codec::take::<Definition>(&mut defined).map(Result::unwrap);
            assert_eq!([next(), next(), next()], [Some(object(1)), Some(object(2)), None]);
            for block in &found[1..] {
                let calls = records(&block.payload, block.header.lap);
                assert!(are_calls(&calls, block.header.calls, VALUES) > 100);
                laps.push(block.header.lap);
            }
        }
        assert!(laps.is_sorted() && laps.len() > 10 && laps.windows(2).all(|two| two[0] + 1 == two[1]), "{laps:?}");
        assert_eq!(laps.last(), Some(&59));
        assert!((MOST / 2..=MOST + (256 << 10) + BLOCK_HEADER_BYTES as u64).contains(&bytes_of_all), "{bytes_of_all}");
    });
}
