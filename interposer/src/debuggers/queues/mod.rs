//! Debuggers are told of this process: its communicators and its operations that have begun and not ended, in
//! tables that `libmpivet_queues.so` reads from outside (layouts and protocol: crate `queue-table`).
//!
//! Nothing is told that the interposer does not know anyway: operations with requests are those of [`crate::watch::operations`],
//! kept only where these are. The path of a call that was seen before allocates nothing and takes no lock here.

mod arguments;
mod communicators;
mod dll;
mod names;
mod pages;
mod slots;

pub(crate) use arguments::{Half, Shape};
pub(crate) use communicators::{Made, gone, made};
pub(crate) use names::{name_communicator, name_datatype, name_site};
pub(crate) use pages::change;
pub(crate) use slots::Queued;

use crate::job::config::Queues;
use queue_table::{Communicator, Header, Name, Operation, Pages, Text, state};
use recorder::trace;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};

/// Found by its name.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "symbols of C are written like this")]
pub(crate) static mpivet_queues: Header = Header {
    magic: queue_table::MAGIC,
    version: queue_table::VERSION,
    bytes: size_of::<Header>() as u32,
    state: AtomicU32::new(state::NOT_BEGUN),
    rank: AtomicI32::new(-1),
    size: AtomicI32::new(0),
    unused: 0,
    operations: Pages::new(size_of::<Operation>(), 64),
    communicators: Pages::new(size_of::<Communicator>(), 16),
    functions: Pages::new(size_of::<Text>(), 1024),
    datatypes: Pages::new(size_of::<Name>(), 128),
    sites: Pages::new(size_of::<Text>(), 64),
};

/// The library was loaded.
pub(crate) fn loaded() {
    dll::fill();
}

/// Recording begins. `tracked`: operations with requests are known.
pub(crate) fn begin(wanted: Queues, tracked: bool, rank: i32, size: i32) {
    let state = match wanted {
        Queues::Off => state::OFF,
        _ if tracked => state::ALL,
        _ => state::BLOCKING,
    };
    if state != state::OFF {
        trace::when_lost(lost);
        names::begin();
        communicators::begin(rank, size);
    }
    mpivet_queues.rank.store(rank, Ordering::Relaxed);
    mpivet_queues.size.store(size, Ordering::Relaxed);
    mpivet_queues.state.store(state, Ordering::Release);
}

/// Are there tables?
pub(crate) fn are_kept() -> bool {
    matches!(mpivet_queues.state.load(Ordering::Relaxed), state::ALL | state::BLOCKING)
}

/// Recording has ended, and what the tables hold is old.
pub(crate) fn lost() {
    if are_kept() {
        mpivet_queues.state.store(state::LOST, Ordering::Release);
    }
}
