//! The checks that this process decides by itself. One file a check, named like it; what it means is in the catalogue
//! (`trace-format/src/catalogue/`). What is found is printed at once and written to the trace, from where the analyzer
//! takes it into the report.
//!
//! [`before`] runs when the record of a call is committed and the library is not yet entered, [`after`] when it has
//! returned. Both are on the path of every call: what they do there must cost next to nothing when all is well.

mod aliased_buffers;
mod arguments;
pub(crate) mod call_outside_mpi;
mod double_free;
mod finding;
mod handle;
mod in_place_misuse;
mod inaccessible_buffer;
mod invalid_argument;
mod invalid_comm;
mod invalid_count;
mod invalid_datatype;
mod invalid_file;
mod invalid_group;
mod invalid_info;
mod invalid_op;
mod invalid_rank;
mod invalid_request;
mod invalid_root;
mod invalid_tag;
mod invalid_topology;
mod invalid_window;
mod null_buffer;
mod tag_portability;
mod uncommitted_datatype;
mod use_after_free;
pub(crate) use arguments::{Examined, Rules};
pub(crate) use finding::{Finding, Spot};

use crate::abi::Abi;
use crate::encode::Words;
use crate::recording::Call;
use crate::thread::Thread;

/// A call that is not a repeated poll is about to be made.
#[inline(always)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    // Nothing can be asked of a library that has ended.
    if call_outside_mpi::check(thread, call) || call_outside_mpi::is_over() {
        return;
    }
    if let (Some((_, kind)), Some(dying)) = (call.info.frees, call.open.freed) {
        double_free::check(thread, call, kind, dying.handle);
    }
    arguments::check(thread, call);
}

/// A call has returned. `failed`: the library reported an error.
#[inline(always)]
pub(crate) fn after(_thread: &mut Thread, _call: &Call, _failed: bool) {}

/// MPI_Init has returned in the call `spot`. `world`: MPI_COMM_WORLD.
pub(crate) fn mpi_has_begun(spot: Spot, world: Option<u64>) {
    tag_portability::world_begins(world.unwrap_or(0));
    call_outside_mpi::begun(spot);
}

/// MPI_Finalize has returned in the call `spot`.
pub(crate) fn mpi_is_over(spot: Spot) {
    tag_portability::world_begins(0);
    call_outside_mpi::ended(spot);
}

/// The program has asked for an attribute of a communicator.
pub(crate) fn attribute_was_asked(abi: &Abi, words: &Words) {
    tag_portability::asked(abi, words);
}
