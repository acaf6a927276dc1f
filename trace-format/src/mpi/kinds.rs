//! The words that the rows of [`for_each_mpi_function!`](crate::for_each_mpi_function) are written in: what a parameter
//! means ([`Kind`]) and what a function is ([`Class`]). Neither is ever derived from a name.

/// The meaning of a parameter's value, or of a return value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    // Addresses. Each is one parameter and has no length in the table: the direction says who writes.
    /// Message buffer that MPI reads. May be `MPI_IN_PLACE` or `MPI_BOTTOM`.
    SendBuf,
    /// Message buffer that MPI writes. May be `MPI_IN_PLACE` or `MPI_BOTTOM`.
    RecvBuf,
    /// Message buffer that MPI reads or writes or both, memory of a window, attached send buffer.
    Buf,
    /// Address that is no message buffer: extra state, attribute value, allocated memory. An output is a `void **`
    /// in disguise: the address of the address.
    Pointer,
    /// Function of the program that MPI calls.
    Callback,

    // Integers.
    /// Plain integer.
    Int,
    /// Number of elements (of a message, of an array, in bytes where the type is implied): never negative.
    Count,
    /// Rank. May be `MPI_ANY_SOURCE`, `MPI_PROC_NULL` or, where MPI returns it, `MPI_UNDEFINED`.
    Rank,
    /// Rank of the root. May be `MPI_ROOT` or `MPI_PROC_NULL` on an intercommunicator.
    Root,
    /// Message tag. May be `MPI_ANY_TAG`.
    Tag,
    /// Truth value, an integer in C.
    Flag,
    /// Index or number that may be `MPI_UNDEFINED`.
    Index,
    /// Colour of `MPI_Comm_split`. May be `MPI_UNDEFINED`.
    Color,
    /// Attribute key.
    Keyval,
    /// Error code or class.
    ErrorCode,
    /// One of MPI's named constants: thread level, lock type, assertion, access mode, order, combiner ...
    Const,
    /// `MPI_Count`: a [`Kind::Count`] or [`Kind::Int`] of the functions for large counts.
    LargeCount,
    /// `MPI_Aint`.
    Aint,
    /// `MPI_Offset`.
    Offset,
    /// `MPI_Fint`, a Fortran integer.
    Fint,

    // Handles.
    /// Communicator (MPI 4.1, 7.4).
    Comm,
    /// Group of processes (MPI 4.1, 7.3).
    Group,
    /// Datatype (MPI 4.1, chapter 5).
    Datatype,
    /// Reduction operation (MPI 4.1, 6.9).
    Op,
    /// Window (MPI 4.1, chapter 12).
    Win,
    /// File (MPI 4.1, chapter 14).
    File,
    /// Requests and messages have too short a life to be defined: they are recorded as they are.
    Request,
    /// Message that a matched probe has found (MPI 4.1, 3.8.2). It is recorded as it is, like a request.
    Message,
    /// Info object (MPI 4.1, chapter 10).
    Info,
    /// Error handler (MPI 4.1, 9.3).
    Errhandler,
    /// Session (MPI 4.1, 11.3).
    Session,
    /// `MPIX_Stream`, the one handle of an extension.
    Stream,

    // Statuses, in C always passed by address.
    /// Status of a completed operation (MPI 4.1, 3.2.5).
    Status,
    /// Status as a Fortran array of integers.
    FStatus,
    /// Status as a structure of the Fortran module `mpi_f08`.
    F08Status,

    // Text.
    /// C string. An input ends with NUL; the length of an output, where it has one, is the value of the parameter
    /// that the row names. `[1 at root]` marks an input that must not be touched elsewhere.
    Str,
    /// `char **`: arguments or names, ended by NULL or counted, significant at the root.
    StrArray,
    /// `char ***`.
    StrArrays,

    /// Address of anything else. It is never followed, whatever its direction.
    Opaque,
    /// Integer handle of an extension.
    OpaqueInt,

    // Return values only.
    /// The return value of nearly every function: `MPI_SUCCESS` or an error.
    Code,
    /// Seconds.
    Double,
}

impl Kind {
    /// Bytes of one value in a trace; 0 if it varies. A handle is recorded as the number of its definition.
    pub const fn width(self) -> usize {
        use Kind::*;
        match self {
            Str => 0,
            Int | Count | Rank | Root | Tag | Flag | Index | Color | Keyval | ErrorCode | Const | Fint => 4,
            Comm | Group | Datatype | Op | Win | File | Info | Errhandler | Session => 4,
            OpaqueInt | Code => 4,
            SendBuf | RecvBuf | Buf | Pointer | Callback => 8,
            LargeCount | Aint | Offset | Double => 8,
            Request | Message | Stream => 8,
            FStatus | F08Status | StrArray | StrArrays | Opaque => 8,
            Status => 16,
        }
    }

    /// Is it a handle of an MPI object?
    pub const fn is_handle(self) -> bool {
        use Kind::*;
        matches!(self, Comm | Group | Datatype | Op | Win | File | Request | Message | Info | Errhandler | Session)
    }

    /// Is it an address in C whatever its direction, so that the argument is [`Kind::c_type`] as it stands?
    pub const fn is_address(self) -> bool {
        use Kind::*;
        let data = matches!(self, SendBuf | RecvBuf | Buf | Pointer | Callback | Opaque);
        let text = matches!(self, Str | StrArray | StrArrays);
        data || text || matches!(self, Status | FStatus | F08Status)
    }

    /// The object that a handle of this kind stands for, in the words of the standard.
    pub const fn noun(self) -> &'static str {
        match self {
            Kind::Comm => "communicator",
            Kind::Group => "group",
            Kind::Datatype => "datatype",
            Kind::Op => "reduction operation",
            Kind::Win => "window",
            Kind::File => "file",
            Kind::Request => "request",
            Kind::Message => "message",
            Kind::Info => "info object",
            Kind::Errhandler => "error handler",
            Kind::Session => "session",
            _ => "value",
        }
    }

    /// C type of one value passed in, without `const`. That of a callback stands for any pointer to a function.
    pub const fn c_type(self) -> &'static str {
        use Kind::*;
        match self {
            SendBuf | RecvBuf | Buf | Pointer | Callback | Opaque => "void*",
            Int | Count | Rank | Root | Tag | Flag | Index | Color | Keyval | ErrorCode | Const => "int",
            OpaqueInt | Code => "int",
            LargeCount => "MPI_Count",
            Aint => "MPI_Aint",
            Offset => "MPI_Offset",
            Fint => "MPI_Fint",
            Comm => "MPI_Comm",
            Group => "MPI_Group",
            Datatype => "MPI_Datatype",
            Op => "MPI_Op",
            Win => "MPI_Win",
            File => "MPI_File",
            Request => "MPI_Request",
            Message => "MPI_Message",
            Info => "MPI_Info",
            Errhandler => "MPI_Errhandler",
            Session => "MPI_Session",
            Stream => "MPIX_Stream",
            Status => "MPI_Status*",
            FStatus => "MPI_Fint*",
            F08Status => "MPI_F08_status*",
            Str => "char*",
            StrArray => "char**",
            StrArrays => "char***",
            Double => "double",
        }
    }
}

/// When an operation that a function names gets under way, and who completes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Start {
    /// Done when the call returns.
    Blocking,
    /// Started by the call, completed through its request.
    Nonblocking,
    /// Described by the call; `MPI_Start` starts it.
    Persistent,
}

/// Send mode (MPI-4.1, 3.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SendMode {
    /// `MPI_Send`: it may wait for its receive or not, as the library likes.
    Standard,
    /// `MPI_Bsend`: it never waits; the message goes to the attached buffer.
    Buffered,
    /// `MPI_Ssend`: it completes when its receive has begun.
    Synchronous,
    /// `MPI_Rsend`: it may begin only after its receive.
    Ready,
}

/// How many requests a completion call takes, and how many of them it completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Many {
    /// `MPI_Wait`: one request, completed.
    One,
    /// `MPI_Waitall`: all of an array are completed.
    All,
    /// `MPI_Waitany`: one of an array is completed.
    Any,
    /// `MPI_Waitsome`: one or more of an array are completed.
    Some,
}

/// The nature of a function. Everything that treats functions alike matches on this, never on a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Query or setter: no communication, no object made or freed.
    Local,
    /// `MPI_Init` and `MPI_Init_thread` (MPI 4.1, 11.2).
    Init,
    /// `MPI_Finalize` (MPI 4.1, 11.2).
    Finalize,
    /// `MPI_Session_init` (MPI 4.1, 11.3).
    SessionInit,
    /// `MPI_Session_finalize` (MPI 4.1, 11.3).
    SessionFinalize,
    /// `MPI_Abort`: ends the processes of a communicator.
    Abort,
    /// Send of one message, in one of the four modes (MPI 4.1, 3.4, 3.7 and 3.9).
    Send(SendMode, Start),
    /// Receive of one message (MPI 4.1, 3.2, 3.7 and 3.9).
    Recv(Start),
    /// `MPI_Sendrecv` and `MPI_Isendrecv`: a send and a receive in one (MPI 4.1, 3.10).
    SendRecv(Start),
    /// `MPI_Sendrecv_replace` and `MPI_Isendrecv_replace`: the two share one buffer (MPI 4.1, 3.10).
    SendRecvReplace(Start),
    /// `MPI_Probe` and `MPI_Iprobe`.
    Probe(Start),
    /// `MPI_Mprobe` and `MPI_Improbe`.
    Mprobe(Start),
    /// `MPI_Mrecv` and `MPI_Imrecv`.
    Mrecv(Start),
    /// `MPI_Psend_init` (MPI 4.1, 4.2).
    PartitionedSend,
    /// `MPI_Precv_init` (MPI 4.1, 4.2).
    PartitionedRecv,
    /// Marks partitions of a partitioned send ready.
    Pready,
    /// `MPI_Parrived`: has a partition of a partitioned receive come?
    Parrived,
    /// Waits until requests are complete, and completes them (MPI 4.1, 3.7.3 and 3.7.5).
    Wait(Many),
    /// Completes requests that are complete, without waiting (MPI 4.1, 3.7.3 and 3.7.5).
    Test(Many),
    /// Looks whether requests are complete, and leaves them (MPI 4.1, 3.7.6).
    GetStatus(Many),
    /// `MPI_Start` (MPI 4.1, 3.9).
    StartOne,
    /// `MPI_Startall` (MPI 4.1, 3.9).
    StartAll,
    /// `MPI_Request_free`: the operation goes on, the handle is gone (MPI 4.1, 3.7.3).
    RequestFree,
    /// `MPI_Cancel`: the request is still to be completed (MPI 4.1, 3.8.4).
    Cancel,
    /// `MPI_Grequest_start`: makes a request that the program completes (MPI 4.1, 13.2).
    GrequestStart,
    /// `MPI_Grequest_complete` (MPI 4.1, 13.2).
    GrequestComplete,
    /// Attaches a send buffer.
    BufferAttach,
    /// Waits until the messages in an attached send buffer have left, or starts to.
    BufferFlush(Start),
    /// Collective over the processes of its communicator, window or file, in the order of calls on it.
    Collective(Coll, Start),
    // Collective over a group, and not in the order of calls on a communicator.
    /// `MPI_Comm_create_group`: over the processes of the group (MPI 4.1, 7.4.2).
    CommCreateGroup,
    /// `MPI_Intercomm_create`: over the processes of two groups (MPI 4.1, 7.6.2).
    IntercommCreate,
    /// `MPI_Comm_create_from_group`: over the processes of the group, without any communicator (MPI 4.1, 7.4.2).
    CommFromGroup,
    /// `MPI_Intercomm_create_from_groups`: over the processes of both groups (MPI 4.1, 7.6.2).
    IntercommFromGroups,
    /// One-sided data access.
    Rma,
    /// One-sided data access with a request.
    RmaRequest,
    /// Synchronization of a window by one process (MPI 4.1, 12.5).
    RmaSync(RmaSync),
    /// Access to a file by one process.
    FileIo(Start),
    /// Makes an object, or a new handle that is to be freed, without communication.
    Create,
    /// Frees an object, or a handle, without communication.
    Free,
    /// `MPI_Pcontrol`: a word to tools, and so to mpivet (MPI 4.1, 15.2.4).
    Pcontrol,
}

impl Class {
    /// Does a call look whether something has come, without waiting for it?
    pub const fn is_poll(self) -> bool {
        matches!(
            self,
            Class::Test(_)
                | Class::GetStatus(_)
                | Class::Probe(Start::Nonblocking)
                | Class::Mprobe(Start::Nonblocking)
                | Class::Parrived
                | Class::RmaSync(RmaSync::RmaTest)
        )
    }

    /// Does it name a message, and move its data when it is complete?
    pub const fn exchanges(self) -> bool {
        matches!(
            self,
            Class::Send(..)
                | Class::Recv(_)
                | Class::SendRecv(_)
                | Class::SendRecvReplace(_)
                | Class::Mrecv(_)
                | Class::PartitionedSend
                | Class::PartitionedRecv
        )
    }

    /// Does it begin, complete or look for messages between two processes?
    pub const fn is_message(self) -> bool {
        let other = matches!(
            self,
            Class::Probe(_)
                | Class::Mprobe(_)
                | Class::Pready
                | Class::Parrived
                | Class::Wait(_)
                | Class::Test(_)
                | Class::GetStatus(_)
                | Class::StartOne
                | Class::StartAll
                | Class::RequestFree
                | Class::Cancel
                | Class::BufferFlush(_)
        );
        other || self.exchanges()
    }

    /// Is it a neighbourhood collective (MPI 4.1, 8.6)?
    pub const fn is_neighborhood(self) -> bool {
        use Coll::*;
        matches!(
            self,
            Class::Collective(
                NeighborAllgather | NeighborAllgatherv | NeighborAlltoall | NeighborAlltoallv | NeighborAlltoallw,
                _
            )
        )
    }

    /// Does it send the same data to all neighbours?
    pub const fn is_neighbor_gather(self) -> bool {
        matches!(self, Class::Collective(Coll::NeighborAllgather | Coll::NeighborAllgatherv, _))
    }
}

/// One-sided synchronization by one process; the collective ones are in [`Coll`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RmaSync {
    /// `MPI_Win_start`: begins an access epoch (MPI 4.1, 12.5.2).
    RmaStart,
    /// `MPI_Win_complete`: ends the access epoch.
    RmaComplete,
    /// `MPI_Win_post`: begins an exposure epoch (MPI 4.1, 12.5.2).
    RmaPost,
    /// `MPI_Win_wait`: waits for the end of the exposure epoch.
    RmaWait,
    /// `MPI_Win_test`: looks for the end of the exposure epoch, without waiting.
    RmaTest,
    /// `MPI_Win_lock`: begins an access epoch at one rank (MPI 4.1, 12.5.3).
    Lock,
    /// `MPI_Win_unlock`: ends the epoch of `MPI_Win_lock`.
    Unlock,
    /// `MPI_Win_lock_all`: begins a shared access epoch at all ranks (MPI 4.1, 12.5.3).
    LockAll,
    /// `MPI_Win_unlock_all`: ends the epoch of `MPI_Win_lock_all`.
    UnlockAll,
    /// `MPI_Win_flush`: completes all accesses to one rank (MPI 4.1, 12.5.4).
    Flush,
    /// `MPI_Win_flush_all`: completes all accesses to all ranks.
    FlushAll,
    /// `MPI_Win_flush_local`: completes the accesses to one rank at the origin.
    FlushLocal,
    /// `MPI_Win_flush_local_all`: completes all accesses at the origin.
    FlushLocalAll,
    /// `MPI_Win_sync`: synchronizes the public and the private copy of the window.
    Sync,
}

/// Which collective operation: all processes must name the same in the same place of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coll {
    /// `MPI_Barrier`: no process leaves before all have come (MPI 4.1, 6.3).
    Barrier,
    /// `MPI_Bcast`: the root's data to all (MPI 4.1, 6.4).
    Bcast,
    /// `MPI_Gather`: equal parts of all to the root (MPI 4.1, 6.5).
    Gather,
    /// `MPI_Gatherv`: parts of any length to the root (MPI 4.1, 6.5).
    Gatherv,
    /// `MPI_Scatter`: equal parts from the root to all (MPI 4.1, 6.6).
    Scatter,
    /// `MPI_Scatterv`: parts of any length from the root to all (MPI 4.1, 6.6).
    Scatterv,
    /// `MPI_Allgather`: equal parts of all to all (MPI 4.1, 6.7).
    Allgather,
    /// `MPI_Allgatherv`: parts of any length of all to all (MPI 4.1, 6.7).
    Allgatherv,
    /// `MPI_Alltoall`: an equal part of each for each (MPI 4.1, 6.8).
    Alltoall,
    /// `MPI_Alltoallv`: parts of any length (MPI 4.1, 6.8).
    Alltoallv,
    /// `MPI_Alltoallw`: parts of any length and datatype (MPI 4.1, 6.8).
    Alltoallw,
    /// `MPI_Reduce`: the result at the root (MPI 4.1, 6.9).
    Reduce,
    /// `MPI_Allreduce`: the result at all (MPI 4.1, 6.9).
    Allreduce,
    /// `MPI_Reduce_scatter`: a part of the result, of any length, at each (MPI 4.1, 6.10).
    ReduceScatter,
    /// `MPI_Reduce_scatter_block`: an equal part of the result at each (MPI 4.1, 6.10).
    ReduceScatterBlock,
    /// `MPI_Scan`: the result over the ranks up to one's own (MPI 4.1, 6.11).
    Scan,
    /// `MPI_Exscan`: the result over the ranks below one's own (MPI 4.1, 6.11).
    Exscan,

    /// `MPI_Neighbor_allgather`: one's part to all neighbours (MPI 4.1, 8.6).
    NeighborAllgather,
    /// `MPI_Neighbor_allgatherv`: as before, with parts of any length.
    NeighborAllgatherv,
    /// `MPI_Neighbor_alltoall`: an equal part for each neighbour (MPI 4.1, 8.6).
    NeighborAlltoall,
    /// `MPI_Neighbor_alltoallv`: as before, with parts of any length.
    NeighborAlltoallv,
    /// `MPI_Neighbor_alltoallw`: as before, with parts of any length and datatype.
    NeighborAlltoallw,

    /// `MPI_Comm_dup` (MPI 4.1, 7.4.2).
    CommDup,
    /// `MPI_Comm_dup_with_info` (MPI 4.1, 7.4.2).
    CommDupWithInfo,
    /// `MPI_Comm_split`: a communicator for each colour (MPI 4.1, 7.4.2).
    CommSplit,
    /// `MPI_Comm_split_type`: a communicator for each node or the like (MPI 4.1, 7.4.2).
    CommSplitType,
    /// `MPI_Comm_create`: over the old communicator, for a group in it (MPI 4.1, 7.4.2).
    CommCreate,
    /// `MPI_Comm_free` (MPI 4.1, 7.4.3).
    CommFree,
    /// `MPI_Comm_disconnect`: waits for all messages first (MPI 4.1, 11.10).
    CommDisconnect,
    /// `MPI_Comm_set_info` (MPI 4.1, 7.4.4).
    CommSetInfo,
    /// `MPI_Cart_create` (MPI 4.1, 8.5).
    CartCreate,
    /// `MPI_Cart_sub` (MPI 4.1, 8.5).
    CartSub,
    /// `MPI_Graph_create` (MPI 4.1, 8.5).
    GraphCreate,
    /// `MPI_Dist_graph_create` (MPI 4.1, 8.5).
    DistGraphCreate,
    /// `MPI_Dist_graph_create_adjacent` (MPI 4.1, 8.5).
    DistGraphCreateAdjacent,
    /// `MPI_Intercomm_merge` (MPI 4.1, 7.6.2).
    IntercommMerge,
    /// `MPI_Comm_spawn` (MPI 4.1, 11.8).
    CommSpawn,
    /// `MPI_Comm_spawn_multiple` (MPI 4.1, 11.8).
    CommSpawnMultiple,
    /// `MPI_Comm_accept` (MPI 4.1, 11.9).
    CommAccept,
    /// `MPI_Comm_connect` (MPI 4.1, 11.9).
    CommConnect,

    /// `MPI_Win_create`: over memory of the program (MPI 4.1, 12.2).
    WinCreate,
    /// `MPI_Win_allocate`: over memory of the library (MPI 4.1, 12.2).
    WinAllocate,
    /// `MPI_Win_allocate_shared`: over memory that the processes share (MPI 4.1, 12.2).
    WinAllocateShared,
    /// `MPI_Win_create_dynamic`: over memory that is attached later (MPI 4.1, 12.2).
    WinCreateDynamic,
    /// `MPI_Win_fence`: ends and begins epochs at all ranks (MPI 4.1, 12.5.1).
    WinFence,
    /// `MPI_Win_free` (MPI 4.1, 12.2).
    WinFree,
    /// `MPI_Win_set_info` (MPI 4.1, 12.2).
    WinSetInfo,

    /// `MPI_File_open` (MPI 4.1, 14.2).
    FileOpen,
    /// `MPI_File_close` (MPI 4.1, 14.2).
    FileClose,
    /// `MPI_File_set_view` (MPI 4.1, 14.3).
    FileSetView,
    /// `MPI_File_set_size` (MPI 4.1, 14.2).
    FileSetSize,
    /// `MPI_File_preallocate` (MPI 4.1, 14.2).
    FilePreallocate,
    /// `MPI_File_set_atomicity` (MPI 4.1, 14.6).
    FileSetAtomicity,
    /// `MPI_File_sync` (MPI 4.1, 14.6).
    FileSync,
    /// `MPI_File_set_info` (MPI 4.1, 14.2).
    FileSetInfo,
    /// `MPI_File_seek_shared` (MPI 4.1, 14.4.4).
    FileSeekShared,
    /// `MPI_File_read_all`: at the individual file pointers (MPI 4.1, 14.4.3).
    FileReadAll,
    /// `MPI_File_write_all`: at the individual file pointers (MPI 4.1, 14.4.3).
    FileWriteAll,
    /// `MPI_File_read_at_all`: at explicit offsets (MPI 4.1, 14.4.2).
    FileReadAtAll,
    /// `MPI_File_write_at_all`: at explicit offsets (MPI 4.1, 14.4.2).
    FileWriteAtAll,
    /// `MPI_File_read_ordered`: at the shared file pointer, in the order of ranks (MPI 4.1, 14.4.4).
    FileReadOrdered,
    /// `MPI_File_write_ordered`: at the shared file pointer, in the order of ranks (MPI 4.1, 14.4.4).
    FileWriteOrdered,
    /// `MPI_File_read_all_begin`: first half of a split collective (MPI 4.1, 14.4.5).
    FileReadAllBegin,
    /// `MPI_File_read_all_end`: second half.
    FileReadAllEnd,
    /// `MPI_File_write_all_begin`: first half of a split collective (MPI 4.1, 14.4.5).
    FileWriteAllBegin,
    /// `MPI_File_write_all_end`: second half.
    FileWriteAllEnd,
    /// `MPI_File_read_at_all_begin`: first half of a split collective (MPI 4.1, 14.4.5).
    FileReadAtAllBegin,
    /// `MPI_File_read_at_all_end`: second half.
    FileReadAtAllEnd,
    /// `MPI_File_write_at_all_begin`: first half of a split collective (MPI 4.1, 14.4.5).
    FileWriteAtAllBegin,
    /// `MPI_File_write_at_all_end`: second half.
    FileWriteAtAllEnd,
    /// `MPI_File_read_ordered_begin`: first half of a split collective (MPI 4.1, 14.4.5).
    FileReadOrderedBegin,
    /// `MPI_File_read_ordered_end`: second half.
    FileReadOrderedEnd,
    /// `MPI_File_write_ordered_begin`: first half of a split collective (MPI 4.1, 14.4.5).
    FileWriteOrderedBegin,
    /// `MPI_File_write_ordered_end`: second half.
    FileWriteOrderedEnd,

    // Extensions.
    /// `MPIX_Comm_shrink`: a communicator of the processes that have not failed (ULFM).
    CommShrink,
    /// `MPIX_Comm_agree`: the bitwise AND of a flag, also when processes have failed (ULFM).
    CommAgree,
    /// `MPIX_Stream_comm_create` and its kin: a communicator with streams of each process (MPICH).
    StreamCommCreate,
    /// `MPIX_Threadcomm_init`: a communicator in which threads have ranks (MPICH).
    ThreadcommInit,
    /// `MPIX_Threadcomm_free` (MPICH).
    ThreadcommFree,
}
