//! Up to which size the MPI library buffers messages, measured when MPI has started and only if the user asks for it
//! (`MPIVET_PROBE_LIMITS`): the one thing that sends messages of our own, on a communicator of our own.
//!
//! The limits that control variables of the library name are not those that hold (headers, other transports, other limits in
//! front of them), so that it is tried out. The receiver is in MPI all the time, as it is when two ranks send to each other.

use crate::mpi::abi::Abi;
use crate::mpi::define::handle_out;
use crate::mpi::library::{self, MpiLibrary};
use std::time::{Duration, Instant};
use trace_format::mpi::{FnId, Kind};
use trace_format::run::job::Buffering;
use trace_format::run::proc;
use xxhash_rust::xxh3::xxh3_64;

/// Larger messages are not tried, bytes.
const MOST: u64 = 4 << 20;
/// A send that is not complete after so many answers of the receiver, and so long, waits for its receive.
const ANSWERS: u32 = 4;
const PATIENCE: Duration = Duration::from_millis(10);

const SENDER: i32 = 0;
const RECEIVER: i32 = 1;
const PROBE_TAG: i32 = 1;
const CONTROL_TAG: i32 = 2;

/// The word of the sender to the receiver, with a size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Answer = 1,
    Receive = 2,
    Stop = 3,
}

/// Collective over MPI_COMM_WORLD. `Some` at rank 0 if it could be measured.
pub(crate) fn measure(library: &MpiLibrary, abi: &Abi, rank: i32, size: i32) -> Option<Buffering> {
    if size < 2 {
        return None;
    }
    let world = library.predefined_handle(Kind::Comm, "MPI_COMM_WORLD")?;
    let byte = library.predefined_handle(Kind::Datatype, "MPI_BYTE")?;
    let errors_return = library.predefined_handle(Kind::Errhandler, "MPI_ERRORS_RETURN")?;
    let mut comm = handle_out(abi, Kind::Comm, FnId::MPI_Comm_dup, &[world])?;
    library::call(FnId::MPI_Comm_set_errhandler, &[comm, errors_return]);
    let pair = Pair { comm, byte };
    let found = match rank {
        SENDER => pair.search(),
        RECEIVER => {
            pair.obey();
            None
        }
        _ => None,
    };
    library::call(FnId::MPI_Comm_free, &[&raw mut comm as u64]);
    found
}

/// The two ranks between which it is measured.
struct Pair {
    comm: u64,
    byte: u64,
}

impl Pair {
    /// The sender's part.
    fn search(&self) -> Option<Buffering> {
        let data = vec![0u8; MOST as usize];
        let found = self.bisect(&data);
        if found.is_none() {
            // A send may still be under way.
            std::mem::forget(data);
        }
        let (_, host) = self.order(Order::Stop, 0)?;
        let (bytes, at_least) = found?;
        let same_host = host == own_host();
        Some(Buffering { bytes, at_least, sender: SENDER, receiver: RECEIVER, same_host })
    }

    /// The largest size that is buffered, and whether it is the largest that was tried. `None`: the library failed.
    fn bisect(&self, data: &[u8]) -> Option<(u64, bool)> {
        if self.is_buffered(data, MOST)? {
            return Some((MOST, true));
        }
        let (mut buffered, mut waits) = (0, MOST);
        while buffered + 1 < waits {
            let middle = buffered.midpoint(waits);
            if self.is_buffered(data, middle)? {
                buffered = middle;
            } else {
                waits = middle;
            }
        }
        Some((buffered, false))
    }

    /// Is a send of `size` bytes complete while nobody receives its message?
    fn is_buffered(&self, data: &[u8], size: u64) -> Option<bool> {
        let (mut request, mut flag) = (0u64, 0i32);
        let mut status = [0u64; 8];
        let (request, flag_at, status) = (&raw mut request as u64, &raw mut flag, status.as_mut_ptr() as u64);
        let at = data.as_ptr() as u64;
        let args = [at, size, self.byte, RECEIVER as u64, PROBE_TAG as u64, self.comm, request];
        succeeds(FnId::MPI_Isend, &args)?;
        let (start, mut answers) = (Instant::now(), 0);
        let is_complete = loop {
            succeeds(FnId::MPI_Test, &[request, flag_at as u64, status])?;
            // SAFETY: the library has written the flag.
            if unsafe { flag_at.read() } != 0 {
                break true;
            }
            if answers >= ANSWERS && start.elapsed() >= PATIENCE {
                break false;
            }
            self.order(Order::Answer, 0)?;
            answers += 1;
        };
        self.order(Order::Receive, size)?;
        if !is_complete {
            succeeds(FnId::MPI_Wait, &[request, status])?;
        }
        Some(is_complete)
    }

    /// Tells the receiver something, and waits for its answer: it has been in MPI since, and seen what was sent before.
    fn order(&self, order: Order, size: u64) -> Option<(u64, u64)> {
        self.send_words(RECEIVER, [order as u64, size])?;
        self.receive_words(RECEIVER)
    }

    /// The receiver's part: does what it is told until it is told to stop.
    fn obey(&self) -> Option<()> {
        let mut room = vec![0u8; MOST as usize];
        loop {
            let (order, size) = self.receive_words(SENDER)?;
            if order == Order::Receive as u64 {
                let size = size.min(MOST);
                self.receive(room.as_mut_ptr() as u64, size, SENDER, PROBE_TAG)?;
            }
            self.send_words(SENDER, [order, own_host()])?;
            if order == Order::Stop as u64 {
                return Some(());
            }
        }
    }

    fn send_words(&self, to: i32, words: [u64; 2]) -> Option<()> {
        let (at, bytes) = (words.as_ptr() as u64, size_of_val(&words) as u64);
        succeeds(FnId::MPI_Send, &[at, bytes, self.byte, to as u64, CONTROL_TAG as u64, self.comm])
    }

    fn receive_words(&self, from: i32) -> Option<(u64, u64)> {
        let mut words = [0u64; 2];
        let bytes = size_of_val(&words) as u64;
        self.receive(words.as_mut_ptr() as u64, bytes, from, CONTROL_TAG)?;
        let [first, second] = words;
        Some((first, second))
    }

    fn receive(&self, at: u64, bytes: u64, from: i32, tag: i32) -> Option<()> {
        let mut status = [0u64; 8];
        let status = status.as_mut_ptr() as u64;
        succeeds(FnId::MPI_Recv, &[at, bytes, self.byte, from as u64, tag as u64, self.comm, status])
    }
}

fn succeeds(function: FnId, args: &[u64]) -> Option<()> {
    (library::call(function, args) == Some(0)).then_some(())
}

/// Tells hosts apart.
fn own_host() -> u64 {
    xxh3_64(proc::host().as_bytes())
}
