//! Whom a process needs in a collective operation before its own call can return.

use super::{What, what};
use trace_format::mpi::{Coll, FnId};

/// How a collective's result depends on others: whom a process needs before its own call can return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    All,
    /// The root needs all others, who need nobody.
    RootNeedsAll,
    /// All others need the root, who needs nobody.
    AllNeedRoot,
    /// The processes before it.
    Lower,
    /// Nobody by the logic of the operation.
    Nobody,
}

/// The needs of the collective function of this name: see [`needs`].
pub fn needs_of(func: FnId) -> Needs {
    needs(what(func))
}

/// MPI 4.1 section 6.1: a collective may synchronise, but need not where no data say so.
pub(crate) fn needs(what: What) -> Needs {
    use Coll::*;
    let What::Coll(coll) = what else { return Needs::All };
    match coll {
        Barrier | Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw | Allreduce | ReduceScatter
        | ReduceScatterBlock => Needs::All,
        Gather | Gatherv | Reduce => Needs::RootNeedsAll,
        // How many processes there will be on the other side only the root knows.
        Bcast | Scatter | Scatterv | CommSpawn | CommSpawnMultiple | CommAccept | CommConnect => Needs::AllNeedRoot,
        Scan | Exscan => Needs::Lower,
        CommDup
        | CommDupWithInfo
        | CommSplit
        | CommSplitType
        | CommCreate
        | CartCreate
        | CartSub
        | GraphCreate
        | DistGraphCreate
        | DistGraphCreateAdjacent
        | IntercommMerge
        | CommShrink
        | CommAgree
        | StreamCommCreate
        | ThreadcommInit
        | WinCreate
        | WinAllocate
        | WinAllocateShared
        | WinCreateDynamic => Needs::All,
        NeighborAllgather
        | NeighborAllgatherv
        | NeighborAlltoall
        | NeighborAlltoallv
        | NeighborAlltoallw
        | CommFree
        | CommDisconnect
        | CommSetInfo
        | WinFence
        // With the info key "no_locks" it need not synchronise.
        | WinFree
        | WinSetInfo
        | FileOpen
        | FileClose
        | FileSetView
        | FileSetSize
        | FilePreallocate
        | FileSetAtomicity
        | FileSync
        | FileSetInfo
        | FileSeekShared
        | FileReadAll
        | FileWriteAll
        | FileReadAtAll
        | FileWriteAtAll
        | FileReadOrdered
        | FileWriteOrdered
        | FileReadAllBegin
        | FileReadAllEnd
        | FileWriteAllBegin
        | FileWriteAllEnd
        | FileReadAtAllBegin
        | FileReadAtAllEnd
        | FileWriteAtAllBegin
        | FileWriteAtAllEnd
        | FileReadOrderedBegin
        | FileReadOrderedEnd
        | FileWriteOrderedBegin
        | FileWriteOrderedEnd
        | ThreadcommFree => Needs::Nobody,
    }
}
