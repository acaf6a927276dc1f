//! The head of a trace file, in front of its first block, and why a file is none that can be read.

use crate::codec;
use crate::file::{MAGIC, OLDEST_VERSION, RATE_BYTES, RankHeader, VERSION, trace_path};
use crate::untrusted;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Why the trace of a rank cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system would not open or read the file.
    #[error("cannot read {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// Answer of the system.
        source: io::Error,
    },
    /// The file does not begin with [`MAGIC`].
    #[error("{path} is not a trace of mpivet (it does not begin with the mark of one)")]
    NotATrace {
        /// The file.
        path: PathBuf,
    },
    /// The layout is newer than [`VERSION`].
    #[error(
        "{path} was written by a newer mpivet (layout {found}, this one reads up to {VERSION}); use that version to analyze it"
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Layout of the file.
        found: u32,
    },
    /// The layout is older than [`OLDEST_VERSION`].
    #[error(
        "{path} was written by an mpivet that is too old (layout {found}, this one reads from {OLDEST_VERSION} on); use that version to analyze it"
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Layout of the file.
        found: u32,
    },
    /// The writer's rows of functions are no beginning of this build's table ([`crate::mpi::Rows`]).
    #[error(
        "{path} was written by mpivet {found}, whose table of MPI functions differs from that of this build; use that version to analyze it"
    )]
    OtherTable {
        /// The file.
        path: PathBuf,
        /// Version of mpivet that wrote it.
        found: String,
    },
    /// The header is not whole, or cannot be decoded.
    #[error("{path}: the header is cut off or damaged; the rank died before it could write it, or the disk was full")]
    BadHeader {
        /// The file.
        path: PathBuf,
    },
}

/// A trace file that was opened.
pub struct Head {
    /// With the rate of the clock by the end of the run, where that is known.
    pub header: RankHeader,
    /// Path of the trace file.
    pub path: PathBuf,
    /// The file, at its first block.
    pub file: File,
    /// How many bytes are in front of the first block.
    pub bytes: u64,
    /// The process came to its end in order: the last that it writes is the rate of its clock.
    pub has_ended: bool,
}

impl Head {
    /// Opens the trace file in `dir` whose files begin with `stem`.
    pub fn open(dir: &Path, stem: &str) -> Result<Head, OpenError> {
        let path = trace_path(dir, stem);
        let io_error = |source| OpenError::Io { path: path.clone(), source };
        let mut file = untrusted::open(&path).map_err(io_error)?;
        let mut head = [0; 16];
        let got = read_up_to(&mut file, &mut head).map_err(io_error)?;
        if got < 8 || head[..8] != MAGIC {
            let path = path.clone();
            return Err(if got < 8 { OpenError::BadHeader { path } } else { OpenError::NotATrace { path } });
        }
        let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let bad_header = || OpenError::BadHeader { path: path.clone() };
        if got < 16 {
            return Err(bad_header());
        }
        if word(8) > VERSION {
            return Err(OpenError::Newer { path: path.clone(), found: word(8) });
        }
        if word(8) < OLDEST_VERSION {
            return Err(OpenError::Older { path: path.clone(), found: word(8) });
        }
        let len = word(12) as usize;
        // Nothing is allocated for what is not there.
        if len as u64 > file.metadata().map_err(io_error)?.len() {
            return Err(bad_header());
        }
        let mut item = head[12..16].to_vec();
        item.resize(4 + len, 0);
        file.read_exact(&mut item[4..]).map_err(|_| bad_header())?;
        let mut header: RankHeader = match codec::take(&mut &item[..]) {
            Some(Ok(h)) => h,
            _ => return Err(bad_header()),
        };
        let mut rate = [0; RATE_BYTES];
        file.read_exact(&mut rate).map_err(|_| bad_header())?;
        let rate = u64::from_le_bytes(rate);
        if rate > 0 {
            header.ticks_per_second = rate;
        }
        if !header.rows.are_known() {
            return Err(OpenError::OtherTable { path: path.clone(), found: header.mpivet });
        }
        Ok(Head { header, path, file, bytes: (16 + len + RATE_BYTES) as u64, has_ended: rate > 0 })
    }
}

fn read_up_to(file: &mut File, out: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < out.len() {
        match file.read(&mut out[done..])? {
            0 => break,
            n => done += n,
        }
    }
    Ok(done)
}
