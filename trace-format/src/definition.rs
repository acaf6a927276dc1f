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

impl Combiner {
    /// Does a datatype that is made so stay where the datatypes are that it is made of, rather than lead from one variable to
    /// another?
    pub fn is_regular(self) -> bool {
        use Combiner::*;
        matches!(self, Dup | Contiguous | Vector | Hvector | Subarray | Darray | Resized)
    }
}

/// Kinds of objects without a definition of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ObjectKind {
    /// A window (MPI 4.1, chapter 12).
    Win,
    /// A file (MPI 4.1, chapter 14).
    File,
    /// An info object (MPI 4.1, chapter 10).
    Info,
    /// An error handler (MPI 4.1, 9.3).
    Errhandler,
    /// A session (MPI 4.1, 11.3).
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
    /// Path of the file that was loaded.
    pub path: String,
    /// GNU build-id, empty if the module has none.
    pub build_id: Vec<u8>,
}

/// An object or a place that a rank's events refer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Definition {
    /// A loaded module; addresses of call stacks are in one.
    Module(Module),
    /// A call stack, innermost frame first: return addresses. `frames[0]` is the return address into the function
    /// that called MPI.
    Stack {
        /// Number of the stack; [`Definition::SourceStack`] has numbers from the same series.
        id: Id,
        /// Return addresses, innermost first.
        frames: Vec<u64>,
    },
    /// A communicator: its group(s) in the process numbers of this rank. These are the ranks of MPI_COMM_WORLD, and
    /// above them the processes of other worlds that a [`Definition::Bridge`] has brought; -1 is one that no bridge
    /// has. `remote` is set for intercommunicators.
    Comm {
        /// Number of the communicator.
        id: Id,
        /// The group, or of an intercommunicator the local one.
        local: Ranks,
        /// The remote group of an intercommunicator.
        remote: Option<Ranks>,
        /// Neighbours of the rank, if the communicator has a topology.
        neighbors: Option<Neighbors>,
    },
    /// MPI_Comm_set_name.
    CommName {
        /// Number of the communicator.
        id: Id,
        /// Name that it has from now on.
        name: String,
    },
    /// A group, in the same numbers.
    Group {
        /// Number of the group.
        id: Id,
        /// Processes of the group, in its order.
        ranks: Ranks,
    },
    /// A datatype, with its size, lower bound and extent in bytes (MPI 4.1, 5.1).
    Datatype {
        /// Number of the datatype.
        id: Id,
        /// The constructor that made it.
        combiner: Combiner,
        /// Integer arguments of the constructor, as [`Combiner`] says.
        ints: Vec<i64>,
        /// Datatypes that it is made of, numbers of earlier definitions.
        types: Vec<Id>,
        /// Bytes of data (MPI_Type_size).
        size: u64,
        /// Lower bound in bytes (MPI_Type_get_extent).
        lb: i64,
        /// Extent in bytes (MPI_Type_get_extent).
        extent: i64,
    },
    /// MPI_Type_set_name.
    TypeName {
        /// Number of the datatype.
        id: Id,
        /// Name that it has from now on.
        name: String,
    },
    /// A reduction operation of the program.
    Op {
        /// Number of the operation.
        id: Id,
        /// The program says that it commutes (MPI_Op_create).
        commute: bool,
    },
    /// An object of which only the existence matters.
    Object {
        /// Kind of the object.
        kind: ObjectKind,
        /// Number of the object within its kind.
        id: Id,
    },
    /// A window over a communicator, or a file opened on one: its collectives are ordered by the object.
    OnComm {
        /// [`ObjectKind::Win`] or [`ObjectKind::File`].
        kind: ObjectKind,
        /// Number of the window or file.
        id: Id,
        /// Number of the communicator.
        comm: Id,
    },
    /// Processes of another world can be reached from now on: comes before the communicator that reaches them.
    Bridge(Bridge),
    /// Array contents too long for a record; a record names them by `id`.
    Blob {
        /// Number of the blob.
        id: Id,
        /// The contents as they would stand in the record.
        bytes: Vec<u8>,
    },
    /// A place in the source of an interpreted program.
    Source {
        /// Number of the place.
        id: Id,
        /// Path of the source file, as the interpreter has it.
        file: String,
        /// Name of the function in the interpreted language.
        function: String,
        /// 1-based; 0 if not known.
        line: u32,
    },
    /// A call stack through an interpreter; numbered like [`Definition::Stack`].
    SourceStack {
        /// Number of the stack.
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
        /// Number of the dump.
        id: Id,
        /// The first bytes, at most [`crate::annotations::MAX_DUMP_BYTES`].
        bytes: Vec<u8>,
    },
    /// Where the return addresses of a [`Definition::Stack`] lie on the stack of a thread, as long as no other one of
    /// that thread comes: then they lie elsewhere in some calls.
    Frames {
        /// Number of the stack.
        stack: Id,
        /// The thread that has made the calls.
        thread: u16,
        /// Address of each return address, innermost first, perhaps with one more. None: it is not the same for all calls.
        slots: Vec<u64>,
    },
    /// The array of an interpreted program that the first call from a place was given as a buffer.
    Array(Array),
}

/// An array of an interpreted program, and the call that was given it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Array {
    /// [`Definition::SourceStack`] of the call.
    pub stack: Id,
    /// The parameter that is the buffer, from 0.
    pub parameter: u8,
    /// The datatype that the call says.
    pub datatype: Id,
    /// The address of the first element, which is that of the buffer.
    pub address: u64,
    /// How its elements are represented.
    pub element: ArrayElement,
    /// Bytes of one.
    pub size: u8,
    /// The type of its elements in the words of the program: `dtype float64`.
    pub element_type: String,
    /// The variable that holds it; empty if none is known.
    pub variable: String,
}

/// How an element of an [`Array`] is represented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ArrayElement {
    /// With or without a sign.
    Integer,
    /// True or false.
    Logical,
    /// Floating point.
    Real,
    /// Two numbers in floating point.
    Complex,
}

/// How processes of different worlds met (MPI 4.1 sections 11.8 and 11.9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum BridgeKind {
    /// MPI_Comm_spawn and MPI_Comm_spawn_multiple, in those who spawn.
    Spawn,
    /// MPI_Comm_get_parent, in those who are spawned.
    Parent,
    /// MPI_Comm_accept (MPI 4.1, 11.9.2).
    Accept,
    /// MPI_Comm_connect (MPI 4.1, 11.9.3).
    Connect,
    /// Nothing tells who is on the other side (MPI_Comm_join).
    Unknown,
}

/// An intercommunicator whose remote group is in another world.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bridge {
    /// How the worlds met.
    pub kind: BridgeKind,
    /// The intercommunicator.
    pub comm: Id,
    /// Number that this rank gives to the first process of the remote group; the others follow.
    pub first: i32,
    /// Number of processes in the remote group.
    pub count: i32,
    /// The local group, in the process numbers of this rank.
    pub local: Ranks,
    /// Place in the local group of the process whose arguments count.
    pub root: i32,
    /// The port of MPI_Comm_accept and MPI_Comm_connect at the root; empty elsewhere.
    pub port: String,
    /// When the call (for [`BridgeKind::Parent`]: MPI_Init) began, in nanoseconds since 1970.
    pub entered: u64,
    /// When that call ended, in nanoseconds since 1970.
    pub returned: u64,
}

/// Neighbours of the calling process in a communicator with a topology, as ranks of the communicator, in the
/// order of MPI 4.1 section 8.6.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbors {
    /// Ranks that it receives from.
    pub sources: Vec<i32>,
    /// Ranks that it sends to.
    pub destinations: Vec<i32>,
}
