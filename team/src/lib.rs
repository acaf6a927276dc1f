//! Several processes of mpivet that an MPI launcher has started (`mpirun -n 4 mpivet analyze DIR`), and messages between them, by
//! the MPI library of that launcher.
//!
//! It is loaded at run time, and of it only what all libraries have in common is used: blocking messages of bytes on
//! MPI_COMM_WORLD, received from a given process, so that no status is ever looked at.

#![deny(missing_docs)]

mod library;

use library::{Launcher, Mpi, Rest};
use std::marker::PhantomData;
use std::path::PathBuf;

/// Why the processes of a launcher cannot work together.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// None of the libraries that the launcher may have could be loaded.
    #[error(
        "the launcher has started several processes of mpivet, but its MPI library cannot be loaded ({0}): say where it is with \
         MPIVET_MPI=/path/to/libmpi.so, or start mpivet without the launcher"
    )]
    NoLibrary(String),
    /// The library that the user names could not be loaded.
    #[error("cannot load {0}, which MPIVET_MPI names: {1}")]
    Named(PathBuf, String),
    /// The library is no MPI library.
    #[error("the library that was loaded as MPI lacks {0}: say where MPI is with MPIVET_MPI=/path/to/libmpi.so")]
    Lacks(&'static str),
    /// The library takes this process for the only one.
    #[error(
        "the launcher has started several processes of mpivet, but the MPI library that was loaded knows of one: it belongs to \
         another launcher. Say where that of this one is with MPIVET_MPI=/path/to/libmpi.so"
    )]
    Alone,
    /// The thread that speaks with the others has panicked.
    #[error("an internal error: the thread that speaks with the other processes of the launcher has panicked")]
    Panicked,
}

/// The processes that one launcher has started. All calls are made by the thread that joined them.
pub struct Team {
    mpi: Mpi,
    of_one_thread: PhantomData<*const ()>,
}

/// Pauses between looks for messages, each of which is longer, up to a millisecond.
#[derive(Default)]
pub struct Pauses(Rest);

impl Pauses {
    /// Rests for a while.
    pub fn rest(&mut self) {
        self.0.take();
    }
}

/// The rank of this process, by what its launcher says, if it has started several.
pub fn rank_by_launcher() -> Option<usize> {
    Launcher::of_this().map(|(_, rank)| rank)
}

/// Bytes of a message at a time: counts are `int`.
const PIECE: usize = 1 << 30;

/// The first piece has the number of all bytes in front, and at most so many in all: what is short comes at once.
const FIRST_PIECE: usize = 1 << 12;
const NUMBER: usize = size_of::<u64>();

impl Team {
    /// Starts MPI in this process, if a launcher has started several. All of them have to join, and to [end](Team::end).
    pub fn join() -> Result<Option<Team>, JoinError> {
        let Some((launcher, _)) = Launcher::of_this() else { return Ok(None) };
        let mpi = Mpi::start(launcher)?;
        if mpi.size < 2 {
            return Err(JoinError::Alone);
        }
        Ok(Some(Team { mpi, of_one_thread: PhantomData }))
    }

    /// The rank of this process, from 0.
    pub fn rank(&self) -> usize {
        self.mpi.rank
    }

    /// The number of processes, at least two.
    pub fn size(&self) -> usize {
        self.mpi.size
    }

    /// Sends a message to another process. It may return when that one receives it, and not before. Waiting takes next to no
    /// time of a processor, here and in [`Team::receive`].
    pub fn send(&self, to: usize, message: &[u8]) {
        let (first, rest) = message.split_at(message.len().min(FIRST_PIECE - NUMBER));
        self.mpi.send(&[&(message.len() as u64).to_le_bytes(), first].concat(), to);
        rest.chunks(PIECE).for_each(|piece| self.mpi.send(piece, to));
    }

    /// Has another process begun to send a message?
    pub fn has_message(&self, from: usize) -> bool {
        self.mpi.has_message(from)
    }

    /// Waits for a message of another process, and puts it into `message`, whatever that held.
    pub fn receive(&self, from: usize, message: &mut Vec<u8>) {
        self.mpi.wait_for(from);
        let mut first = [0; FIRST_PIECE];
        self.mpi.receive(&mut first, from);
        let (number, first) = first.split_at(NUMBER);
        let length = number.try_into().map_or(0, |number| u64::from_le_bytes(number) as usize);
        // Bytes that are there need not be cleared: they are written over.
        message.resize(length, 0);
        let (begin, rest) = message.split_at_mut(length.min(first.len()));
        begin.copy_from_slice(&first[..begin.len()]);
        rest.chunks_mut(PIECE).for_each(|piece| self.mpi.receive(piece, from));
    }

    /// Ends MPI in this process, as all others do. The first one says whether the processes are on several nodes.
    pub fn end(self, is_over_nodes: bool) {
        self.mpi.end(is_over_nodes);
    }
}
