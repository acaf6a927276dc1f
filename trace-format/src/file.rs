//! The files of a trace directory and the layout of their headers.
//!
//! ```text
//! job.json              the run as a whole (written by rank 0): see crate::run::job
//! job.early.json        the same by the rank that was through MPI_Init before rank 0, which may never get so far
//! rank-N.mpv            rank N: file header, then blocks
//! rank-N.tT.stage       the stage of thread T of rank N: what is not yet in rank-N.mpv
//! rank-N.rest           what the stages of rank N hold while it rests, where others see these late: see crate::rest_copy
//! rank-N.ringK          where there is a limit of size: the last segments of the events of rank N
//! rank-N.HOST.PID.*     the same of rank N of another MPI_COMM_WORLD (MPI_Comm_spawn, or a second job); the worlds
//!                       are told apart by [`Launch`], never by the name
//! ```
//!
//! `rank-N.mpv` is `MAGIC`, version (u32), length of the header (u32), the [`RankHeader`] encoded by [`crate::codec`], the
//! ticks per second by the end of the run (u64; 0: not known), then blocks. A block is a [`BlockHeader`] (32 bytes) and its
//! payload: event records of one thread's stage (one lap), packed ([`crate::pack`]) where that makes them smaller, or
//! definitions. Blocks are appended whole; a torn block at the end of the file is what a killed process leaves, and its
//! contents are still in the stage.
//!
//! With a limit of size ([`Retention::max_bytes`]) the events are in segments instead, and with them what the objects of the
//! program are: a segment is `SEGMENT_MAGIC`, version (u32), 0 (u32), its number (u64, from 1), then blocks, the first of
//! which ([`SNAPSHOT`]) defines all objects that there are. The segment with number n has the name of place n modulo
//! [`SEGMENTS`]; the one that was there is removed before. `rank-N.mpv` has the rest: modules, call stacks, worlds, and what
//! the process as a whole did.
//!
//! A stage file is a page of header (`STAGE_MAGIC`, version u32, thread u32, lap u64, records u64, lost u64,
//! owner u64, late u64) and
//! `RankHeader::stage_bytes` of records. `lap` counts how often the stage was emptied into the file, `records` is
//! the number of CALL records in the file before this lap.

use crate::mpi::Rows;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// First bytes of a rank's trace file.
pub const MAGIC: [u8; 8] = *b"MPIVETRK";
/// First bytes of a stage file.
pub const STAGE_MAGIC: [u8; 8] = *b"MPIVETST";
/// Version of the file layout. A reader refuses a newer one.
pub const VERSION: u32 = 11;
/// The oldest layout that is read: the one of the first release.
pub const OLDEST_VERSION: u32 = 10;
/// Behind the header: what the clock's rate is by the end of the run, which corrects that of its beginning.
pub const RATE_BYTES: usize = 8;
/// First word of a block.
pub const BLOCK_MAGIC: u32 = u32::from_le_bytes(*b"MVBK");
/// Length of a [`BlockHeader`] in the file.
pub const BLOCK_HEADER_BYTES: usize = 32;
/// Where the records of a stage begin.
pub const STAGE_HEADER_BYTES: usize = 4096;
/// Offset of the stage's lap, a u64.
pub const STAGE_LAP_OFFSET: usize = 16;
/// Offset of the number of CALL records in the file before this lap, a u64.
pub const STAGE_RECORDS_OFFSET: usize = 24;
/// Which thread of the process (as the system numbers it) writes the stage; 0: none, it has ended.
pub const STAGE_OWNER_OFFSET: usize = 40;
/// Not 0: other nodes see late, and in no order, what is stored here. While the process lives, they read [`crate::rest_copy`].
pub const STAGE_LATE_OFFSET: usize = 48;
/// The thread number of blocks that belong to no thread: signals and the end of the process. They have no stage.
pub const PROCESS_THREAD: u16 = u16::MAX;
/// Segments of a trace with a limit of size.
pub const SEGMENTS: u64 = 4;
/// First bytes of a segment.
pub const SEGMENT_MAGIC: [u8; 8] = *b"MPIVETSG";
/// Bytes in front of the first block of a segment.
pub const SEGMENT_HEADER_BYTES: usize = 24;
/// The thread number of the block of definitions at the front of a segment, which repeats earlier ones.
pub const SNAPSHOT: u16 = 1;
/// In [`BlockHeader::calls`]: not known.
pub const NOT_COUNTED: u64 = u64::MAX;
/// Default size of a stage.
pub const STAGE_BYTES: usize = 256 << 10;

/// The facts that are said once of a rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RankHeader {
    /// Version of mpivet that wrote the file.
    pub mpivet: String,
    /// The rows of the table of functions that the writer knew.
    pub rows: Rows,
    /// Rank in MPI_COMM_WORLD.
    pub rank: i32,
    /// Number of ranks in MPI_COMM_WORLD.
    pub size: i32,
    /// Process id on `host`.
    pub pid: u32,
    /// Start time of the process in clock ticks since boot (`/proc/PID/stat`, field 22): tells a reused pid.
    pub pid_start: u64,
    /// Name of the host that the process runs on.
    pub host: String,
    /// Ticks of the time stamps in one second. The rate is measured while MPI starts, and a
    /// reader that opens the file later has that of the whole run.
    pub ticks_per_second: u64,
    /// Time stamp that was taken at `start_unix_ns`.
    pub start_ticks: u64,
    /// Time when the recording began, in nanoseconds since 1970.
    pub start_unix_ns: u64,
    /// Bytes from one MPI_Request to the next in an array.
    pub request_stride: u32,
    /// Bytes of records that each stage of the process holds, without its header.
    pub stage_bytes: u32,
    /// Directory of the process's stages; empty: they are beside the trace. See [`crate::run::stages`].
    pub stage_dir: String,
    /// Frames kept of a call stack.
    pub stack_depth: u32,
    /// Several threads may call MPI at once, by what the library provides; or it is not known.
    pub may_have_threads: bool,
    /// Threads of the process (as the system numbers them) that the MPI library made when it started: what they do is
    /// part of the library's work.
    pub library_threads: Vec<u32>,
    /// Path of the program.
    pub program: String,
    /// Working directory of the process when MPI started.
    pub cwd: String,
    /// Signs by which the ranks of one world recognise each other.
    pub launch: Launch,
    /// Limits of precision and size that this trace was recorded under.
    pub retention: Retention,
}

/// The part of a run that is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retention {
    /// Times may differ from what was measured by so many nanoseconds; 0: they are what was measured.
    pub time_error_ns: u64,
    /// The last bytes of the events are kept; 0: all.
    pub max_bytes: u64,
}

/// How the ranks of one MPI_COMM_WORLD recognise each other, as far as each process knows by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The launcher's name of the world, the same on all its ranks. Empty: the launcher gave none.
    pub namespace: String,
    /// Process that started this one; 0: unknown.
    pub parent: u32,
    /// First process that `parent` started for the same world on this host; 0: unknown.
    pub first_sibling: u32,
    /// Started by MPI_Comm_spawn or MPI_Comm_spawn_multiple.
    pub spawned: bool,
}

/// The content of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum BlockKind {
    /// Event records as the stage had them ([`crate::record`]).
    Events = 1,
    /// Definitions by [`crate::codec`].
    Definitions = 2,
    /// Events in the form of [`crate::pack`].
    Packed = 3,
}

/// Header of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockHeader {
    /// A [`BlockKind`] as its number; a damaged file may have any.
    pub kind: u16,
    /// Number of the thread whose events these are; [`PROCESS_THREAD`] or [`SNAPSHOT`].
    pub thread: u16,
    /// Bytes of payload behind the header.
    pub len: u32,
    /// Events: which lap of the thread's stage this was.
    pub lap: u64,
    /// Events: CALL records of the thread in front of this block; [`NOT_COUNTED`].
    pub calls: u64,
    /// xxh3 of the payload.
    pub checksum: u64,
}

impl BlockHeader {
    /// Returns the header as the file has it, which has the low 32 bits of the lap.
    pub fn to_bytes(self) -> [u8; BLOCK_HEADER_BYTES] {
        let mut b = [0; BLOCK_HEADER_BYTES];
        b[0..4].copy_from_slice(&BLOCK_MAGIC.to_le_bytes());
        b[4..6].copy_from_slice(&self.kind.to_le_bytes());
        b[6..8].copy_from_slice(&self.thread.to_le_bytes());
        b[8..12].copy_from_slice(&self.len.to_le_bytes());
        b[12..16].copy_from_slice(&(self.lap as u32).to_le_bytes());
        b[16..24].copy_from_slice(&self.calls.to_le_bytes());
        b[24..32].copy_from_slice(&self.checksum.to_le_bytes());
        b
    }

    /// `None` if the bytes are no block header.
    pub fn from_bytes(b: &[u8; BLOCK_HEADER_BYTES]) -> Option<BlockHeader> {
        let u32_at = |i: usize| u32::from_le_bytes([b[i], b[i + 1], b[i + 2], b[i + 3]]);
        let u64_at = |i: usize| u64::from(u32_at(i)) | u64::from(u32_at(i + 4)) << 32;
        (u32_at(0) == BLOCK_MAGIC).then(|| BlockHeader {
            kind: u16::from_le_bytes([b[4], b[5]]),
            thread: u16::from_le_bytes([b[6], b[7]]),
            len: u32_at(8),
            lap: u64::from(u32_at(12)),
            calls: u64_at(16),
            checksum: u64_at(24),
        })
    }
}

/// Checksum of a block's payload.
pub fn checksum(payload: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(payload)
}

/// The beginning of the names of a rank's files.
pub fn rank_stem(rank: i32) -> String {
    format!("rank-{rank}")
}

/// The beginning of the names where the rank's plain name belongs to a rank of another world.
pub fn other_stem(rank: i32, host: &str, pid: u32) -> String {
    format!("rank-{rank}.{}.{pid}", plain_host(host))
}

/// The name of a host as a part of the name of a file.
pub fn plain_host(host: &str) -> String {
    host.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

/// The rank of a stem, and whether it is the plain one.
pub fn rank_of_stem(stem: &str) -> Option<(i32, bool)> {
    let name = stem.strip_prefix("rank-")?;
    let (rank, plain) = name.split_once('.').map_or((name, true), |(rank, _)| (rank, false));
    Some((rank.parse().ok()?, plain))
}

/// The trace file with this stem.
pub fn trace_path(dir: &Path, stem: &str) -> PathBuf {
    dir.join(format!("{stem}.mpv"))
}

/// The stage of a thread, by the stem of its trace.
pub fn stage_path_of(dir: &Path, stem: &str, thread: u16) -> PathBuf {
    dir.join(format!("{stem}.t{thread}.stage"))
}

/// Where the segment with this number is.
pub fn segment_path(dir: &Path, stem: &str, number: u64) -> PathBuf {
    dir.join(format!("{stem}.ring{}", number % SEGMENTS))
}

/// The bytes in front of the first block of a segment.
pub fn segment_header(number: u64) -> [u8; SEGMENT_HEADER_BYTES] {
    let mut b = [0; SEGMENT_HEADER_BYTES];
    b[0..8].copy_from_slice(&SEGMENT_MAGIC);
    b[8..12].copy_from_slice(&VERSION.to_le_bytes());
    b[16..24].copy_from_slice(&number.to_le_bytes());
    b
}

/// The number of the segment that begins with these bytes; `None` if they are no header of this layout.
pub fn segment_number(b: &[u8; SEGMENT_HEADER_BYTES]) -> Option<u64> {
    let mut number = [0; 8];
    number.copy_from_slice(&b[16..24]);
    let number = u64::from_le_bytes(number);
    (b[..16] == segment_header(0)[..16] && number != 0).then_some(number)
}

/// The trace file of a rank of the first world.
pub fn rank_path(dir: &Path, rank: i32) -> PathBuf {
    trace_path(dir, &rank_stem(rank))
}

/// The stage of a thread of a rank of the first world.
pub fn stage_path(dir: &Path, rank: i32, thread: u16) -> PathBuf {
    stage_path_of(dir, &rank_stem(rank), thread)
}

/// The common file.
pub fn job_path(dir: &Path) -> PathBuf {
    dir.join("job.json")
}

/// The common file as a rank writes it that finds none.
pub fn early_job_path(dir: &Path) -> PathBuf {
    dir.join("job.early.json")
}
