//! The world model and sessions begin and end (MPI 4.1, 11.2 and 11.3).

use crate::mpi::abi::Abi;
use crate::mpi::words::Words;
use crate::mpi::{define, handles, library, sessions};
use crate::process::errors;
use crate::tool;
use trace_format::mpi::{FnId, Kind};

/// The world model is there: MPI_Init, called at `entered` (ticks), has returned.
pub(crate) fn world_begins(abi: &'static Abi, entered: u64) {
    let Some(library) = library::loaded() else { return };
    sessions::world_begins(abi, library);
    if let Some(parent) = parent(abi) {
        define::parent(abi, parent, entered);
    }
    errors::handlers::install(library, abi);
}

/// MPI_Session_init has returned, and recording goes on already.
pub(crate) fn session_begins(abi: &'static Abi, words: &Words) {
    if let (Some(library), Some(session)) = (library::loaded(), sessions::made(abi, words)) {
        sessions::begins(abi, library, session);
    }
}

/// Called before the library's MPI_Session_finalize with the address of a session.
pub(crate) fn before_session_finalize(abi: &'static Abi, address: u64) {
    if let (Some(library), Some(session)) = (library::loaded(), sessions::handle_at(abi, address)) {
        sessions::ends(abi, library, session);
    }
}

/// The intercommunicator to those who spawned this process.
pub(super) fn parent(abi: &Abi) -> Option<u64> {
    let parent = define::handle_out(abi, Kind::Comm, FnId::MPI_Comm_get_parent, &[])?;
    (handles::lookup(Kind::Comm, parent) != trace_format::definition::NULL_ID).then_some(parent)
}

/// Called before the library's MPI_Finalize.
pub(crate) fn before_finalize(abi: &Abi) {
    if let Some(library) = library::loaded() {
        sessions::world_ends(abi, library);
        tool::sampling::end();
    }
}
