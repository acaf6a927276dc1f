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
    Comm,
    Group,
    Datatype,
    Op,
    Win,
    File,
    /// Requests and messages have too short a life to be defined: they are recorded as they are.
    Request,
    Message,
    Info,
    Errhandler,
    Session,
    /// `MPIX_Stream`, the one handle of an extension.
    Stream,

    // Statuses, in C always passed by address.
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
    Standard,
    Buffered,
    Synchronous,
    Ready,
}

/// How many requests a completion call takes, and how many of them it completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Many {
    One,
    All,
    Any,
    Some,
}

/// The nature of a function. Everything that treats functions alike matches on this, never on a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// Query or setter: no communication, no object made or freed.
    Local,
    Init,
    Finalize,
    SessionInit,
    SessionFinalize,
    Abort,
    Send(SendMode, Start),
    Recv(Start),
    SendRecv(Start),
    SendRecvReplace(Start),
    /// `MPI_Probe` and `MPI_Iprobe`.
    Probe(Start),
    /// `MPI_Mprobe` and `MPI_Improbe`.
    Mprobe(Start),
    /// `MPI_Mrecv` and `MPI_Imrecv`.
    Mrecv(Start),
    PartitionedSend,
    PartitionedRecv,
    /// Marks partitions of a partitioned send ready.
    Pready,
    Parrived,
    Wait(Many),
    Test(Many),
    GetStatus(Many),
    StartOne,
    StartAll,
    RequestFree,
    Cancel,
    GrequestStart,
    GrequestComplete,
    /// Attaches a send buffer.
    BufferAttach,
    /// Waits until the messages in an attached send buffer have left, or starts to.
    BufferFlush(Start),
    /// Collective over the processes of its communicator, window or file, in the order of calls on it.
    Collective(Coll, Start),
    // Collective over a group, and not in the order of calls on a communicator.
    CommCreateGroup,
    IntercommCreate,
    CommFromGroup,
    IntercommFromGroups,
    /// One-sided data access.
    Rma,
    /// One-sided data access with a request.
    RmaRequest,
    RmaSync(RmaSync),
    /// Access to a file by one process.
    FileIo(Start),
    /// Makes an object, or a new handle that is to be freed, without communication.
    Create,
    /// Frees an object, or a handle, without communication.
    Free,
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
    RmaStart,
    RmaComplete,
    RmaPost,
    RmaWait,
    RmaTest,
    Lock,
    Unlock,
    LockAll,
    UnlockAll,
    Flush,
    FlushAll,
    FlushLocal,
    FlushLocalAll,
    Sync,
}

/// Which collective operation: all processes must name the same in the same place of the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coll {
    Barrier,
    Bcast,
    Gather,
    Gatherv,
    Scatter,
    Scatterv,
    Allgather,
    Allgatherv,
    Alltoall,
    Alltoallv,
    Alltoallw,
    Reduce,
    Allreduce,
    ReduceScatter,
    ReduceScatterBlock,
    Scan,
    Exscan,

    NeighborAllgather,
    NeighborAllgatherv,
    NeighborAlltoall,
    NeighborAlltoallv,
    NeighborAlltoallw,

    CommDup,
    CommDupWithInfo,
    CommSplit,
    CommSplitType,
    CommCreate,
    CommFree,
    CommDisconnect,
    CommSetInfo,
    CartCreate,
    CartSub,
    GraphCreate,
    DistGraphCreate,
    DistGraphCreateAdjacent,
    IntercommMerge,
    CommSpawn,
    CommSpawnMultiple,
    CommAccept,
    CommConnect,

    WinCreate,
    WinAllocate,
    WinAllocateShared,
    WinCreateDynamic,
    WinFence,
    WinFree,
    WinSetInfo,

    FileOpen,
    FileClose,
    FileSetView,
    FileSetSize,
    FilePreallocate,
    FileSetAtomicity,
    FileSync,
    FileSetInfo,
    FileSeekShared,
    FileReadAll,
    FileWriteAll,
    FileReadAtAll,
    FileWriteAtAll,
    FileReadOrdered,
    FileWriteOrdered,
    FileReadAllBegin,
    FileReadAllEnd,
    FileWriteAllBegin,
    FileWriteAllEnd,
    FileReadAtAllBegin,
    FileReadAtAllEnd,
    FileWriteAtAllBegin,
    FileWriteAtAllEnd,
    FileReadOrderedBegin,
    FileReadOrderedEnd,
    FileWriteOrderedBegin,
    FileWriteOrderedEnd,

    // Extensions.
    CommShrink,
    CommAgree,
    StreamCommCreate,
    ThreadcommInit,
    ThreadcommFree,
}
