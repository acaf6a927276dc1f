//! A trace of two ranks whose blocks hold what the fuzzer likes: reading and analyzing it ends, and breaks nothing. The
//! checksums are made right, so that the bytes get through to what understands them.

#![no_main]

use analyzer::observe::{Ending, Observer};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tempfile::TempDir;
use trace_format::file::{BLOCK_HEADER_BYTES, BlockKind, RankHeader, rank_path};
use trace_format::mpi::table_hash;
use trace_format::selection::Selection;
use trace_format::writer::{file_header, seal};

/// In memory, where the system has such a place.
static DIR: LazyLock<TempDir> = LazyLock::new(|| {
    let shared = std::path::Path::new("/dev/shm");
    if shared.is_dir() { tempfile::tempdir_in(shared) } else { tempfile::tempdir() }.expect("a directory")
});

fn header(rank: i32) -> RankHeader {
    RankHeader {
        mpivet: String::new(),
        table_hash: table_hash(),
        rank,
        size: 2,
        pid: 1,
        pid_start: 1,
        host: "host".into(),
        ticks_per_second: 1_000_000_000,
        start_ticks: 0,
        start_unix_ns: 0,
        request_stride: 4,
        stage_bytes: 4096,
        stack_depth: 8,
        keeping: Default::default(),
        may_have_threads: rank == 1,
        library_threads: Vec::new(),
        program: "program".into(),
        cwd: "/".into(),
        launch: Default::default(),
    }
}

/// Blocks of a kind, a thread, a length and so many bytes.
fn blocks(mut data: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut laps = [0; 4];
    while let [kind, thread, low, high, rest @ ..] = data {
        let len = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let mut block = vec![0; BLOCK_HEADER_BYTES];
        block.extend_from_slice(&rest[..len]);
        let kind = [BlockKind::Events, BlockKind::Definitions, BlockKind::Packed][usize::from(kind % 3)];
        let thread = usize::from(thread % 4);
        seal(&mut block, kind, thread as u16, laps[thread]);
        laps[thread] += 1;
        file.append(&mut block);
        data = &rest[len..];
    }
    file
}

fuzz_target!(|data: &[u8]| {
    let half = data.len() / 2;
    for (rank, data) in [(0, &data[..half]), (1, &data[half..])] {
        let mut file = file_header(&header(rank));
        file.append(&mut blocks(data));
        std::fs::write(rank_path(DIR.path(), rank), file).expect("a file");
    }
    if let Ok(observer) = Observer::read(DIR.path(), Selection::default(), |_| true) {
        let report = observer.report(Ending::Any).expect("a report, whatever the trace says");
        assert!(!report.to_text(analyzer::report::Colour::Plain).is_empty());
        assert!(!report.to_json().is_empty());
    }
});
