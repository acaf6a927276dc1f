//! Truncated and corrupt traces: never a panic, always an analysis of what is readable, and a word on what is not.

mod traces;

use analyzer::load::{LoadError, Traces};
use analyzer::observe::{Ending, Observer};
use report::Colour;
use std::fs;
use std::path::Path;
use trace_format::file::{RankHeader, STAGE_HEADER_BYTES, STAGE_LAP_OFFSET, STAGE_MAGIC, rank_path, stage_path};
use trace_format::settings::selection::Selection;
use trace_format::system::{Signal, SystemEvent};
use trace_format::writer::encode_system;
use traces::{header, rank_bytes, write_run};

/// The report on rank 0 of two with these bytes, or why there is none.
fn analyze(dir: &Path, bytes: &[u8]) -> Result<String, LoadError> {
    fs::write(rank_path(dir, 0), bytes).unwrap();
    let observer = Observer::read(dir, Selection::default(), |_| true)?;
    Ok(observer.report(Ending::Any).unwrap().to_text(Colour::Plain))
}

#[test]
fn a_whole_trace_has_no_defect() {
    let dir = tempfile::tempdir().unwrap();
    write_run(dir.path(), 2);
    let report = Observer::read(dir.path(), Selection::default(), |_| true).unwrap().report(Ending::Any).unwrap();
    assert!(report.is_clean(), "{}", report.to_text(Colour::Plain));
}

#[test]
fn a_trace_cut_off_anywhere_is_read_up_to_there() {
    let dir = tempfile::tempdir().unwrap();
    write_run(dir.path(), 2);
    let whole = rank_bytes(&header(0, 2));
    for len in (0..whole.len()).step_by(7) {
        let text = analyze(dir.path(), &whole[..len]).unwrap();
        assert!(text.starts_with("mpivet: ./app, 2 ranks"), "{len}: {text}");
    }
}

#[test]
fn a_damaged_byte_anywhere_is_survived() {
    let dir = tempfile::tempdir().unwrap();
    write_run(dir.path(), 2);
    let whole = rank_bytes(&header(0, 2));
    let sound = analyze(dir.path(), &whole).unwrap();
    for at in (0..whole.len()).step_by(11) {
        for bits in [0x01, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= bits;
            let text = analyze(dir.path(), &bytes).unwrap();
            // A flipped bit in the header's texts is not noticed; in a block it always is.
            let header_end = whole.windows(4).position(|w| w == b"MVBK").unwrap();
            let said = text.contains("the trace is incomplete");
            assert!(at < header_end || said || padding(&whole, at, &text, &sound), "{at}: {text}");
        }
    }
}

/// Bytes that nothing reads: a change of them changes nothing.
fn padding(_whole: &[u8], _at: usize, text: &str, sound: &str) -> bool {
    text == sound
}

#[test]
fn noise_is_no_trace() {
    let dir = tempfile::tempdir().unwrap();
    let mut seed = 12345u64;
    for len in [0, 1, 7, 8, 15, 16, 100, 5000] {
        let noise: Vec<u8> = (0..len)
            .map(|_| {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (seed >> 56) as u8
            })
            .collect();
        assert!(matches!(analyze(dir.path(), &noise), Err(LoadError::Unreadable { .. })), "{len}");
    }
    fs::remove_file(rank_path(dir.path(), 0)).unwrap();
    assert!(matches!(Traces::open(dir.path()), Err(LoadError::Empty(_))));
    assert!(matches!(Traces::open(&dir.path().join("x")), Err(LoadError::Directory { .. })));
}

#[test]
fn a_full_disk_ends_what_is_known() {
    let dir = tempfile::tempdir().unwrap();
    write_run(dir.path(), 2);
    let whole = rank_bytes(&header(0, 2));
    // The file up to its fourth lap, and the stage that could not be emptied into it.
    let blocks: Vec<usize> = (0..whole.len() - 8).filter(|i| whole[*i..].starts_with(b"MVBK\x03\0")).collect();
    let mut stage = STAGE_MAGIC.to_vec();
    stage.resize(STAGE_HEADER_BYTES + header(0, 2).stage_bytes as usize, 0);
    stage[STAGE_LAP_OFFSET] = 3;
    let mut mark = Vec::new();
    encode_system(&SystemEvent::Lost { reason: "no space left".into() }, 1, &mut mark);
    // The lap in the commit word (bits 40 and up).
    mark[5] = 3;
    stage[STAGE_HEADER_BYTES..STAGE_HEADER_BYTES + mark.len()].copy_from_slice(&mark);
    fs::write(stage_path(dir.path(), 0, 0), &stage).unwrap();
    let text = analyze(dir.path(), &whole[..blocks[3]]).unwrap();
    assert!(text.contains("rank 0: recording stopped after"), "{text}");
    assert!(text.contains("has no errors"), "nothing may be concluded from what is not there: {text}");

    // A disk that was full from the beginning: there is not even a stage.
    fs::remove_file(stage_path(dir.path(), 0, 0)).unwrap();
    let text = analyze(dir.path(), &whole[..whole.windows(4).position(|w| w == b"MVBK").unwrap()]).unwrap();
    assert!(text.contains("rank 0: the trace holds nothing but its header"), "{text}");
    assert!(text.contains("has no errors"), "{text}");
}

#[test]
fn calls_that_are_on_another_host_are_missed() {
    let dir = tempfile::tempdir().unwrap();
    write_run(dir.path(), 2);
    let stage_dir = format!("/dev/shm/mpivet-nowhere-{}-0", u32::MAX);
    let apart = RankHeader { stage_dir: stage_dir.clone(), ..header(0, 2) };
    _ = fs::remove_file(stage_path(dir.path(), 0, 0));
    let whole = rank_bytes(&apart);
    let blocks: Vec<usize> = (0..whole.len() - 8).filter(|i| whole[*i..].starts_with(b"MVBK\x03\0")).collect();
    fs::write(rank_path(dir.path(), 0), &whole[..blocks[3]]).unwrap();
    let observer = Observer::read(dir.path(), Selection::default(), |_| true).unwrap();
    let text = observer.report(Ending::Any).unwrap().to_text(Colour::Plain);
    let wanted = format!("rank 0: its last calls are in {stage_dir} on nowhere: run mpivet analyze there first");
    assert!(text.contains(&wanted) && text.contains("has no errors"), "{text}");
}

#[test]
fn a_rank_that_was_killed_before_it_recorded_anything_is_no_damage() {
    let dir = tempfile::tempdir().unwrap();
    write_run(dir.path(), 2);
    let whole = rank_bytes(&header(0, 2));
    let only_header = whole.windows(4).position(|w| w == b"MVBK").unwrap();
    let report = |ending| {
        let observer = Observer::read(dir.path(), Selection::default(), |_| true).unwrap();
        observer.report(ending).unwrap().to_text(Colour::Plain)
    };
    _ = fs::remove_file(stage_path(dir.path(), 0, 0));
    fs::write(rank_path(dir.path(), 0), &whole[..only_header]).unwrap();
    let warning = "holds nothing but its header";
    assert!(report(Ending::Any).contains(warning));
    assert!(!report(Ending::Stopped(Vec::new())).contains(warning), "mpivet has killed it");

    // Rank 1 crashes, and the launcher kills rank 0.
    let mut stage = STAGE_MAGIC.to_vec();
    stage.resize(STAGE_HEADER_BYTES + header(1, 2).stage_bytes as usize, 0);
    let mut records = Vec::new();
    let signal = Signal { signal: 11, is_last: true, ..Signal::default() };
    encode_system(&SystemEvent::Signal(signal), 1, &mut records);
    stage[STAGE_HEADER_BYTES..STAGE_HEADER_BYTES + records.len()].copy_from_slice(&records);
    fs::write(rank_path(dir.path(), 1), &rank_bytes(&header(1, 2))[..only_header]).unwrap();
    fs::write(stage_path(dir.path(), 1, 0), &stage).unwrap();
    let text = report(Ending::Any);
    assert!(!text.contains(warning) && text.contains("SIGSEGV"), "{text}");
}
