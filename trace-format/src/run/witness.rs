//! `witness.json`: which message each wildcard takes, so that another run can be made to take the same ones
//! (`mpivet run --replay`).
//!
//! A wildcard call is one of [`Wildcards`] whose source or tag is a wildcard by [`is_wild`]. Those of a thread are counted
//! from 0, in the order in which they are called; a poll (MPI_Iprobe, MPI_Improbe) that finds nothing does not count. A
//! persistent receive counts where it is described: what it takes holds for all its starts.

use crate::mpi::special::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use crate::mpi::{Class, FUNCTIONS, Function, Start};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The messages that the wildcards of a run take. Wildcards that are not named are free.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// Path of the program.
    pub program: String,
    /// Number of ranks in MPI_COMM_WORLD.
    pub ranks: i32,
    /// One entry for each wildcard that is fixed.
    pub takes: Vec<Take>,
}

/// The message that one wildcard takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Take {
    /// Rank in MPI_COMM_WORLD of who calls.
    pub rank: i32,
    /// Number of the thread that calls, as in the trace.
    #[serde(default)]
    pub thread: u16,
    /// How many wildcard calls the thread has made before.
    pub call: u64,
    /// Name of the function, for example `MPI_Recv`.
    pub function: String,
    /// Rank of the sender in the communicator, or in the remote group of an intercommunicator.
    pub source: i32,
    /// Tag of the message, never negative.
    pub tag: i32,
}

/// Why a file is no witness.
#[derive(Debug, thiserror::Error)]
pub enum WitnessError {
    /// The file cannot be opened or read.
    #[error("cannot read {}: {why}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Answer of the system.
        why: std::io::Error,
    },
    /// The file is no JSON, or not of a witness's shape.
    #[error("{} is no witness: {why}", .path.display())]
    NotOne {
        /// The file.
        path: PathBuf,
        /// Place and kind of the fault in the JSON.
        why: serde_json::Error,
    },
    /// No program can do as the witness says: a rank, tag or function in it is impossible.
    #[error("{}: {what}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// A sentence on the first fault.
        what: String,
    },
}

impl Witness {
    /// Reads a witness and looks whether it can be meant.
    pub fn read(path: &Path) -> Result<Witness, WitnessError> {
        let text = std::fs::read(path).map_err(|why| WitnessError::Unreadable { path: path.to_owned(), why })?;
        let witness: Witness =
            serde_json::from_slice(&text).map_err(|why| WitnessError::NotOne { path: path.to_owned(), why })?;
        match witness.takes.iter().find_map(|take| take.fault(witness.ranks)) {
            Some(what) => Err(WitnessError::Wrong { path: path.to_owned(), what }),
            None => Ok(witness),
        }
    }

    /// Writes the witness to a file.
    pub fn write(&self, path: &Path) -> std::io::Result<()> {
        crate::owner_only::write_json(path, self)
    }
}

impl Take {
    /// Why no program can do this.
    fn fault(&self, ranks: i32) -> Option<String> {
        let Take { rank, function, source, tag, .. } = self;
        if !(0..ranks).contains(rank) {
            return Some(format!("rank {rank} is none of {ranks} ranks"));
        }
        if *source < 0 || *tag < 0 {
            return Some(format!("no message comes from rank {source} with tag {tag}"));
        }
        let known = FUNCTIONS.iter().find(|f| f.name == function);
        known.and_then(Wildcards::of).is_none().then(|| format!("{function} takes no wildcards"))
    }
}

/// Where a function takes wildcards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wildcards {
    /// Number of the parameter that is the source.
    pub source: usize,
    /// Number of the parameter that is the tag of what is received.
    pub tag: usize,
    /// The parameter that says whether a message was found, of a call that does not wait for one.
    pub found: Option<usize>,
}

impl Wildcards {
    /// `None`: the function takes none.
    pub fn of(row: &Function) -> Option<Wildcards> {
        let (start, tag) = match row.class {
            Class::Recv(_) => (Start::Blocking, "tag"),
            Class::Probe(start) | Class::Mprobe(start) => (start, "tag"),
            Class::SendRecv(_) | Class::SendRecvReplace(_) => (Start::Blocking, "recvtag"),
            _ => return None,
        };
        let found = if start == Start::Nonblocking { Some(row.param("flag")?) } else { None };
        Some(Wildcards { source: row.param("source")?, tag: row.param(tag)?, found })
    }
}

/// Is a receive or probe with these arguments a wildcard? Both are neutral values ([`crate::mpi::special`]).
pub fn is_wild(source: i32, tag: i32) -> bool {
    source == ANY_SOURCE || tag == ANY_TAG && source != PROC_NULL
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(function: &str, rank: i32, source: i32) -> Take {
        Take { rank, thread: 0, call: 3, function: function.into(), source, tag: 7 }
    }

    #[test]
    fn a_witness_is_read_as_it_was_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("witness.json");
        let mut witness = Witness { program: "/x/app".into(), ranks: 2, takes: vec![take("MPI_Recv", 1, 0)] };
        witness.write(&path).unwrap();
        assert_eq!(Witness::read(&path).unwrap(), witness);
        for wrong in [take("MPI_Recv", 2, 0), take("MPI_Recv", 1, -1), take("MPI_Send", 1, 0), take("Recv", 1, 0)] {
            witness.takes = vec![wrong];
            witness.write(&path).unwrap();
            let error = Witness::read(&path).unwrap_err();
            assert!(matches!(error, WitnessError::Wrong { .. }), "{error}");
        }
        std::fs::write(&path, "{\"ranks\": \"two\"}").unwrap();
        assert!(matches!(Witness::read(&path), Err(WitnessError::NotOne { .. })));
        assert!(matches!(Witness::read(&dir.path().join("none")), Err(WitnessError::Unreadable { .. })));
    }

    #[test]
    fn wildcards_are_where_the_standard_has_them() {
        let all: Vec<&str> = FUNCTIONS.iter().filter(|f| Wildcards::of(f).is_some()).map(|f| f.name).collect();
        for name in ["MPI_Recv", "MPI_Irecv_c", "MPI_Recv_init", "MPI_Sendrecv", "MPI_Isendrecv_replace", "MPI_Probe"] {
            assert!(all.contains(&name), "{name}: {all:?}");
        }
        for name in ["MPI_Mrecv", "MPI_Imrecv", "MPI_Precv_init", "MPI_Send", "MPI_Gather"] {
            assert!(!all.contains(&name), "{name}");
        }
        let polls = FUNCTIONS.iter().filter(|f| Wildcards::of(f).is_some_and(|w| w.found.is_some()));
        assert_eq!(polls.map(|f| f.name).collect::<Vec<_>>(), ["MPI_Iprobe", "MPI_Improbe"]);
        assert!(is_wild(ANY_SOURCE, 0) && is_wild(3, ANY_TAG) && !is_wild(PROC_NULL, ANY_TAG) && !is_wild(3, 0));
    }
}
