//! A trace of two ranks whose blocks and stages hold what the fuzzer likes. The checksums, laps and sizes are made right, so
//! that the bytes get through to the code that understands them.
//!
//! An input is a byte of switches, the bytes of rank 0 (16 bits), and for each rank chunks: kind, thread, length
//! (16 bits), bytes. With a limit of size (switch 32) the highest bit of a kind begins the next segment.

use super::reports::{self, Telling};
use trace_format::file::{
    BLOCK_HEADER_BYTES, BlockKind, PROCESS_THREAD, RankHeader, Retention, STAGE_HEADER_BYTES, STAGE_LAP_OFFSET,
    STAGE_MAGIC, job_path, rank_path, rank_stem, segment_header, segment_path, stage_path,
};
use trace_format::record::{Commit, LAP_MASK};
use trace_format::settings::selection::Selection;
use trace_format::writer::{file_header, seal};
use trace_reader::synthetic;

const STAGE_BYTES: usize = 1 << 14;
/// Threads of a rank; one more number is that of the process as a whole.
const THREADS: usize = 4;
/// The bit of the switches for a limit of size.
const LIMITED: u8 = 32;

pub fn header(rank: i32, size: i32, switches: u8) -> RankHeader {
    RankHeader {
        host: if switches & 1 != 0 { format!("host{rank}") } else { "host".into() },
        ticks_per_second: if switches & 2 != 0 { 1 } else { 1_000_000_000 },
        request_stride: 4,
        stage_bytes: STAGE_BYTES as u32,
        may_have_threads: switches & 4 != 0,
        retention: Retention { time_error_ns: 0, max_bytes: u64::from(switches & LIMITED) },
        ..synthetic::header(rank, size)
    }
}

/// The files of one rank.
struct Files {
    trace: Vec<u8>,
    /// Segments, if there is a limit of size.
    segments: Option<Vec<Vec<u8>>>,
    stages: [Vec<u8>; THREADS],
    laps: [u64; THREADS + 1],
}

impl Files {
    fn add(&mut self, kind: u8, thread: u8, bytes: &[u8]) -> Option<Vec<u8>> {
        let thread = usize::from(thread) % (THREADS + 1);
        if let Some(segments) = self.segments.as_mut().filter(|all| kind & 0x80 != 0 || all.is_empty()) {
            segments.push(segment_header(segments.len() as u64 + 1).to_vec());
        }
        let kind = match kind % 5 {
            0 => BlockKind::Events,
            1 => BlockKind::Definitions,
            2 => BlockKind::Packed,
            3 => {
                self.stages.get_mut(thread)?.extend_from_slice(bytes);
                return None;
            }
            _ => return Some(bytes.to_vec()),
        };
        let mut block = vec![0; BLOCK_HEADER_BYTES];
        block.extend_from_slice(bytes);
        let number = if thread == THREADS { PROCESS_THREAD } else { thread as u16 };
        seal(&mut block, kind, number, self.laps[thread]);
        self.laps[thread] += u64::from(kind != BlockKind::Definitions);
        let last = self.segments.as_mut().and_then(|all| all.last_mut()).filter(|_| thread != THREADS);
        last.unwrap_or(&mut self.trace).append(&mut block);
        None
    }
}

/// A stage with these records.
fn stage(records: &[u8], lap: u64) -> Vec<u8> {
    let mut stage = STAGE_MAGIC.to_vec();
    stage.resize(STAGE_HEADER_BYTES, 0);
    stage[STAGE_LAP_OFFSET..STAGE_LAP_OFFSET + 8].copy_from_slice(&lap.to_le_bytes());
    stage.extend_from_slice(records);
    stage.resize(STAGE_HEADER_BYTES + STAGE_BYTES, 0);
    let mut at = STAGE_HEADER_BYTES;
    while let Some(word) = stage.get_mut(at..at + 8) {
        let mut commit = Commit::unpack(word.try_into().map(u64::from_le_bytes).unwrap_or(0));
        if commit.words == 0 {
            break;
        }
        commit.lap = lap as u32 & LAP_MASK;
        word.copy_from_slice(&commit.pack().to_le_bytes());
        at += usize::from(commit.words) * 8;
    }
    stage
}

pub fn target(data: &[u8]) {
    told(data, Telling::Everything);
}

pub fn told(data: &[u8], telling: Telling) {
    let [switches, low, high, data @ ..] = data else { return };
    let dir = reports::scratch();
    let (first, second) = data.split_at(usize::from(u16::from_le_bytes([*low, *high])).min(data.len()));
    for (rank, mut data) in [(0, first), (1, second)] {
        let mut files = Files {
            trace: file_header(&header(rank, 2, *switches)),
            segments: (switches & LIMITED != 0).then(Vec::new),
            stages: Default::default(),
            laps: [0; THREADS + 1],
        };
        while let [kind, thread, low, high, rest @ ..] = data {
            let (bytes, rest) = rest.split_at(usize::from(u16::from_le_bytes([*low, *high])).min(rest.len()));
            if let Some(job) = files.add(*kind, *thread, bytes) {
                std::fs::write(job_path(&dir), job).expect("a file");
            }
            data = rest;
        }
        std::fs::write(rank_path(&dir, rank), &files.trace).expect("a file");
        // The later ones replace the earlier ones.
        for (number, segment) in (1..).zip(files.segments.iter().flatten()) {
            std::fs::write(segment_path(&dir, &rank_stem(rank), number), segment).expect("a file");
        }
        for (thread, records) in files.stages.iter().enumerate().filter(|(_, records)| !records.is_empty()) {
            let bytes = stage(records, files.laps[thread]);
            std::fs::write(stage_path(&dir, rank, thread as u16), bytes).expect("a file");
        }
    }
    let selection = if switches & 8 != 0 { reports::all_checks() } else { Selection::default() };
    reports::tell(&reports::report(&dir, selection).expect("two ranks"), telling);
    reports::print(&dir);
    if switches & 16 != 0 {
        reports::export(&dir);
    }
}
