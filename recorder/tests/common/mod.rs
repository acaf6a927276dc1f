//! A trace of this process, and what is in its files.

#![allow(dead_code, unreachable_pub, reason = "no test needs all of it")]

use recorder::stage::Stage;
use recorder::trace::{self, Trace};
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::Command;
use trace_format::file::{
    BLOCK_HEADER_BYTES, BlockHeader, BlockKind, RATE_BYTES, RankHeader, Retention, checksum, trace_path,
};
use trace_format::record::{CALL_HEADER_BYTES, Commit, State};
use trace_format::writer::file_header;
use trace_reader::unpack::Unpacker;

pub const STEM: &str = "rank-0";
/// The function of all calls here.
pub const FUNC: u16 = 5;
const ALONE: &str = "RECORDER_TEST_IS_ALONE";

/// Runs the test of this name in a process of its own, since a process has one trace. What that has written to standard error;
/// `None` in that process.
pub fn alone(name: &str, test: impl FnOnce(&Path)) -> Option<String> {
    if std::env::var_os(ALONE).is_some() {
        let dir = fresh(name);
        test(&dir);
        std::fs::remove_dir_all(dir).unwrap();
        return None;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args([name, "--exact", "--nocapture"]).env(ALONE, "1").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{:?}\n{}\n{said}", output.status, String::from_utf8_lossy(&output.stdout));
    Some(said)
}

fn fresh(name: &str) -> PathBuf {
    let dir = std::env::temp_dir().join(format!("mpivet-recorder-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

fn header(retention: Retention) -> RankHeader {
    RankHeader { size: 1, pid: std::process::id(), ticks_per_second: 1_000_000_000, retention, ..RankHeader::default() }
}

/// Begins the trace of this process in `dir`.
pub fn begin(dir: &Path, retention: Retention) -> &'static Trace {
    let file = OpenOptions::new().append(true).create_new(true).open(trace_path(dir, STEM)).unwrap();
    begin_in(file, dir, retention)
}

/// Begins a trace in a file that is open.
pub fn begin_in(mut file: File, dir: &Path, retention: Retention) -> &'static Trace {
    use std::io::Write as _;
    let header = header(retention);
    let head = file_header(&header);
    // A file may be there that takes nothing.
    _ = file.write_all(&head);
    trace::set(file, (dir, false), &header, STEM, (head.len() - RATE_BYTES) as u64).unwrap();
    recorder::owner::claim();
    trace::get().unwrap()
}

/// The record of a call: its number, and words that hardly any other call has.
pub fn call(number: u64, values: usize) -> Vec<u8> {
    let mut words = vec![0, 1000 + 10 * number, 3, 1, number];
    let mut noise = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    words.resize_with(CALL_HEADER_BYTES / 8 + values, || {
        noise = noise.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(17);
        noise
    });
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Writes it. False if there was no room for it.
pub fn write(stage: &mut Stage, record: &[u8]) -> bool {
    if !stage.reserve(record.len()) {
        return false;
    }
    let start = stage.cursor();
    // SAFETY: there is room for it; the first word is stored by `commit`.
    unsafe { stage.at(start + 8).copy_from_nonoverlapping(record[8..].as_ptr(), record.len() - 8) };
    stage.commit(start + record.len(), FUNC, State::Returned);
    true
}

/// A block of a file.
pub struct Block {
    pub header: BlockHeader,
    /// Unpacked, if they are events.
    pub payload: Vec<u8>,
}

impl Block {
    pub fn is_of(&self, thread: u16) -> bool {
        self.header.kind != BlockKind::Definitions as u16 && self.header.thread == thread
    }
}

/// The blocks of the rank's file.
pub fn blocks(dir: &Path) -> Vec<Block> {
    let bytes = std::fs::read(trace_path(dir, STEM)).unwrap();
    // Magic and version, the length of the header, the header and the rate.
    let header = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    blocks_in(&bytes[16 + header + RATE_BYTES..])
}

/// The definitions in bytes that begin with a block.
pub fn blocks_in(mut bytes: &[u8]) -> Vec<Block> {
    let mut unpackers: std::collections::BTreeMap<u16, Unpacker> = Default::default();
    let mut all = Vec::new();
    while let Some((head, rest)) = bytes.split_first_chunk::<BLOCK_HEADER_BYTES>() {
        let header = BlockHeader::from_bytes(head).expect("a block");
        let (payload, rest) = rest.split_at(header.len as usize);
        assert_eq!(checksum(payload), header.checksum, "{header:?}");
        let mut records = payload.to_vec();
        if header.kind == BlockKind::Packed as u16 {
            let unpacker = unpackers.entry(header.thread).or_default();
            assert!(unpacker.can_unpack(payload, header.lap), "{header:?}");
            unpacker.unpack(payload, header.lap, &mut records).unwrap();
        }
        all.push(Block { header, payload: records });
        bytes = rest;
    }
    assert!(bytes.is_empty(), "{} bytes of a block that is cut off", bytes.len());
    all
}

/// Takes records apart, up to the first one that is none of this lap.
pub fn records(mut bytes: &[u8], lap: u64) -> Vec<(Commit, Vec<u8>)> {
    let mut all = Vec::new();
    while let Some(first) = bytes.first_chunk::<8>() {
        let commit = Commit::unpack(u64::from_le_bytes(*first));
        if commit.words == 0 || u64::from(commit.lap) != lap {
            break;
        }
        let (record, rest) = bytes.split_at(8 * usize::from(commit.words));
        all.push((commit, record[8..].to_vec()));
        bytes = rest;
    }
    all
}

/// Are these the calls from `first` on? How many there are.
pub fn are_calls(found: &[(Commit, Vec<u8>)], first: u64, values: usize) -> u64 {
    for ((commit, bytes), number) in found.iter().zip(first..) {
        assert_eq!((commit.func, commit.state), (FUNC, State::Returned as u8));
        assert_eq!(bytes[..], call(number, values)[8..], "call {number}");
    }
    found.len() as u64
}
