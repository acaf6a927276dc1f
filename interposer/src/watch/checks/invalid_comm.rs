//! `invalid-comm`: see `trace_format::catalogue::INVALID_COMM`.

use super::arguments::{Argument, Exam};
use super::handle;
use crate::mpi::properties::Standing;
use trace_format::catalogue::INVALID_COMM;
use trace_format::mpi::{Class, Coll, FnId};

/// Is an argument the handle of a communicator, of the sort that the function needs?
pub(super) fn check(exam: &mut Exam, argument: Argument, null: bool) -> bool {
    let row = exam.call.info.row;
    // The other side's leader may do with it what it wants (MPI 4.1, 7.6.2).
    if row.id == FnId::MPI_Intercomm_create && exam.name(argument.param) == "peer_comm" && !exam.leads() {
        return false;
    }
    if handle::check(exam, &INVALID_COMM, argument, null) {
        return true;
    }
    let needs = match row.class {
        Class::Collective(Coll::IntercommMerge, _) => true,
        Class::Collective(
            Coll::Scan
            | Coll::Exscan
            | Coll::CartCreate
            | Coll::GraphCreate
            | Coll::DistGraphCreate
            | Coll::DistGraphCreateAdjacent
            | Coll::CommSpawn
            | Coll::CommSpawnMultiple
            | Coll::CommAccept
            | Coll::CommConnect
            | Coll::WinCreate
            | Coll::WinAllocate
            | Coll::WinAllocateShared
            | Coll::WinCreateDynamic
            | Coll::FileOpen,
            _,
        )
        | Class::CommCreateGroup => false,
        _ => match row.id {
            FnId::MPI_Comm_remote_size | FnId::MPI_Comm_remote_group => true,
            _ => return false,
        },
    };
    let properties = exam.properties(argument.kind, argument.handle);
    if properties.standing != Standing::Sound || needs == properties.inter {
        return false;
    }
    let what = exam.argument(argument.param, argument.element);
    let (is, must) = match needs {
        true => ("an intracommunicator", "an intercommunicator"),
        false => ("an intercommunicator", "an intracommunicator"),
    };
    exam.tell(&INVALID_COMM, format!("{what} is {is}; it must be {must}"))
}
