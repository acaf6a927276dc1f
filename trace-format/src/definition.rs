//! Definitions: what events refer to by a small number. They are in the file of the rank that uses them, always
//! written before the first event that needs them.

use crate::ranks::Ranks;
use serde::{Deserialize, Serialize};

/// Number of an object within one rank and one kind of object (communicator, datatype, ...).
pub type Id = u32;

/// The null handle of any kind.
pub const NULL_ID: Id = 0;
/// `MPI_COMM_WORLD`.
pub const COMM_WORLD: Id = 1;
/// `MPI_COMM_SELF`.
pub const COMM_SELF: Id = 2;
/// `MPI_GROUP_EMPTY`.
pub const GROUP_EMPTY: Id = 1;
/// Objects that the program makes are numbered from here; below are the predefined ones.
pub const FIRST_USER_ID: Id = 256;
/// A handle that mpivet has never seen made: invalid, or made where it could not look.
pub const UNKNOWN_ID: Id = u32::MAX;

/// How a datatype was made (MPI 4.1 section 5.1), with its arguments in the form of MPI_Type_get_contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Combiner {
    /// Predefined: `Definition::Datatype::id` is its place in [`crate::mpi::predefined::DATATYPES`].
    Named,
    /// `types[0]`
    Dup,
    /// ints: count
    Contiguous,
    /// ints: count, blocklength, stride (elements)
    Vector,
    /// ints: count, blocklength, stride (bytes)
    Hvector,
    /// ints: count, blocklengths, displacements (elements)
    Indexed,
    /// ints: count, blocklengths, displacements (bytes)
    Hindexed,
    /// ints: count, blocklength, displacements (elements)
    IndexedBlock,
    /// ints: count, blocklength, displacements (bytes)
    HindexedBlock,
    /// ints: count, blocklengths, displacements (bytes); one type a block
    Struct,
    /// ints: ndims, sizes, subsizes, starts, order (0 C, 1 Fortran)
    Subarray,
    /// ints: size, rank, ndims, gsizes, distribs (0 none, 1 block, 2 cyclic), dargs (-1 default), psizes, order
    Darray,
    /// ints: lb, extent
    Resized,
    /// A predefined type that depends on parameters (MPI_Type_create_f90_*), a pair type, or one that mpivet did
    /// not see made: only its sizes are known. ints: family-specific.
    Opaque,
}

/// Kinds of objects without a definition of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ObjectKind {
    Win,
    File,
    Info,
    Errhandler,
    Session,
}

/// One loaded module (executable or library) of the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// Load address of the module's first byte.
    pub start: u64,
    /// One past its last mapped byte.
    pub end: u64,
    /// The number to subtract from an address to get the address in the file (the load bias).
    pub bias: u64,
    pub path: String,
    /// GNU build-id, empty if the module has none.
    pub build_id: Vec<u8>,
}

/// An object or a place that a rank's events refer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Definition {
    Module(Module),
    /// A call stack, innermost frame first: return addresses. `frames[0]` is the return address into the function
    /// that called MPI.
    Stack {
        id: Id,
        frames: Vec<u64>,
    },
    /// A communicator: its group(s) in the process numbers of this rank. These are the ranks of MPI_COMM_WORLD, and
    /// above them the processes of other worlds that a [`Definition::Bridge`] has brought; -1 is one that no bridge
    /// has. `remote` is set for intercommunicators.
    Comm {
        id: Id,
        local: Ranks,
        remote: Option<Ranks>,
        neighbors: Option<Neighbors>,
    },
    /// MPI_Comm_set_name.
    CommName {
        id: Id,
        name: String,
    },
    /// A group, in the same numbers.
    Group {
        id: Id,
        ranks: Ranks,
    },
    Datatype {
        id: Id,
        combiner: Combiner,
        ints: Vec<i64>,
        types: Vec<Id>,
        size: u64,
        lb: i64,
        extent: i64,
    },
    /// MPI_Type_set_name.
    TypeName {
        id: Id,
        name: String,
    },
    /// A reduction operation of the program.
    Op {
        id: Id,
        commute: bool,
    },
    Object {
        kind: ObjectKind,
        id: Id,
    },
    /// A window over a communicator, or a file opened on one: its collectives are ordered by the object.
    OnComm {
        kind: ObjectKind,
        id: Id,
        comm: Id,
    },
    /// Processes of another world can be reached from now on: comes before the communicator that reaches them.
    Bridge(Bridge),
    /// Array contents too long for a record; a record names them by `id`.
    Blob {
        id: Id,
        bytes: Vec<u8>,
    },
    /// A place in the source of an interpreted program.
    Source {
        id: Id,
        file: String,
        function: String,
        /// 1-based; 0 if not known.
        line: u32,
    },
    /// A call stack through an interpreter; numbered like [`Definition::Stack`].
    SourceStack {
        id: Id,
        /// [`Definition::Source`] of the functions of the program, innermost first.
        sources: Vec<Id>,
        /// [`Definition::Stack`] of the process. Its frames up to the first one in the interpreter were called by
        /// `sources[0]`.
        stack: Id,
        /// An address in the interpreter.
        interpreter: u64,
    },
    /// The first bytes of an array of the program ([`crate::annotations::Dump`]).
    Dump {
        id: Id,
        bytes: Vec<u8>,
    },
}

/// How processes of different worlds met (MPI 4.1 sections 11.8 and 11.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BridgeKind {
    /// MPI_Comm_spawn and MPI_Comm_spawn_multiple, in those who spawn.
    Spawn,
    /// MPI_Comm_get_parent, in those who are spawned.
    Parent,
    Accept,
    Connect,
    /// Nothing tells who is on the other side (MPI_Comm_join).
    Unknown,
}

/// An intercommunicator whose remote group is in another world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bridge {
    pub kind: BridgeKind,
    /// The intercommunicator.
    pub comm: Id,
    /// Number that this rank gives to the first process of the remote group, and how many there are.
    pub first: i32,
    pub count: i32,
    /// The local group, in the process numbers of this rank.
    pub local: Ranks,
    /// Place in the local group of the process whose arguments count.
    pub root: i32,
    /// The port of MPI_Comm_accept and MPI_Comm_connect at the root; empty elsewhere.
    pub port: String,
    /// When the call (for [`BridgeKind::Parent`]: MPI_Init) began and ended, in nanoseconds since 1970.
    pub entered: u64,
    pub returned: u64,
}

/// Neighbours of the calling process in a communicator with a topology, as ranks of the communicator, in the
/// order of MPI 4.1 section 8.6.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbors {
    pub sources: Vec<i32>,
    pub destinations: Vec<i32>,
}
