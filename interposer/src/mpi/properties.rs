//! The properties of an object that checks need, asked from the library once for each object, by local calls.

use crate::mpi::abi::{self, Told};
use crate::mpi::handles::{self, Freed};
use crate::mpi::words::ask;
use crate::mpi::{define, library};
use dashmap::DashMap;
use recorder::memory;
use rustc_hash::FxBuildHasher;
use std::sync::LazyLock;
use trace_format::definition::{Id, NULL_ID, UNKNOWN_ID};
use trace_format::mpi::{FnId, Kind};

/// The nature of a handle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// The handle of an object that the program holds, or of a predefined one.
    Sound,
    Null,
    /// mpivet has not seen it made: it may be valid.
    Unknown,
    /// Certainly not the handle of such an object; [`proof`] says why.
    Wrong,
}

/// Properties about an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Properties {
    pub(crate) id: Id,
    pub(crate) standing: Standing,
    /// An intercommunicator.
    pub(crate) inter: bool,
    /// A datatype that the program has made and not committed.
    pub(crate) uncommitted: bool,
    /// Processes that a rank may name: of the group of a communicator (the remote one of an intercommunicator), of a
    /// window or of a group; `None` if that is not known.
    pub(crate) ranks: Option<i32>,
    /// The rank of this process in a communicator.
    pub(crate) rank: i32,
    /// Bytes of data in one element of a datatype.
    pub(crate) bytes: u64,
    /// From one element of a datatype to the next, in bytes.
    pub(crate) extent: i64,
    /// The first byte of data of a datatype, seen from the address of its element.
    pub(crate) true_lb: i64,
    /// From the first byte of data of one element to behind the last one.
    pub(crate) true_extent: i64,
}

impl Properties {
    /// Nothing is known.
    pub(crate) const NONE: Properties = Properties {
        id: UNKNOWN_ID,
        standing: Standing::Unknown,
        inter: false,
        uncommitted: false,
        ranks: None,
        rank: 0,
        bytes: 0,
        extent: 0,
        true_lb: 0,
        true_extent: 0,
    };
}

/// Why a handle is not that of an object of the kind it is used for.
pub(crate) enum Proof {
    Freed(Freed),
    /// It is the handle of an object of another kind.
    Other(Kind, Id),
    /// No library of this family has such a handle.
    Garbage,
}

static KNOWN: LazyLock<DashMap<(Kind, u64), Properties, FxBuildHasher>> = LazyLock::new(DashMap::default);

/// The facts about the object with a handle, which is numbered `id`.
#[cold]
pub(crate) fn of(kind: Kind, handle: u64, id: Id) -> Properties {
    match id {
        NULL_ID => Properties { id, standing: Standing::Null, ..Properties::NONE },
        UNKNOWN_ID => {
            let standing = if proof(kind, handle).is_some() { Standing::Wrong } else { Standing::Unknown };
            Properties { id, standing, ..Properties::NONE }
        }
        _ => {
            let uncommitted = kind == Kind::Datatype && handles::is_uncommitted(handle);
            let known = KNOWN.get(&(kind, handle)).filter(|f| f.id == id).map(|f| *f);
            let properties = known.unwrap_or_else(|| {
                let properties = ask_for(kind, handle, id);
                KNOWN.insert((kind, handle), properties);
                properties
            });
            Properties { uncommitted, ..properties }
        }
    }
}

fn ask_for(kind: Kind, handle: u64, id: Id) -> Properties {
    let mut properties = Properties { id, standing: Standing::Sound, ..Properties::NONE };
    match kind {
        Kind::Comm => {
            properties.inter = ask(FnId::MPI_Comm_test_inter, handle) != 0;
            let size = if properties.inter { FnId::MPI_Comm_remote_size } else { FnId::MPI_Comm_size };
            properties.ranks = (!handles::is_boundless(handle)).then(|| ask(size, handle) as i32);
            properties.rank = ask(FnId::MPI_Comm_rank, handle) as i32;
        }
        Kind::Group => properties.ranks = Some(ask(FnId::MPI_Group_size, handle) as i32),
        Kind::Win => {
            let group = abi::current().and_then(|abi| {
                let group = define::handle_out(abi, Kind::Group, FnId::MPI_Win_get_group, &[handle])?;
                Some((abi, group))
            });
            if let Some((abi, group)) = group {
                properties.ranks = Some(ask(FnId::MPI_Group_size, group) as i32);
                define::free_group(abi, group);
            }
        }
        Kind::Datatype => {
            let (size, _, extent) = crate::mpi::datatype::sizes(handle);
            let (mut true_lb, mut true_extent) = (0i64, 0i64);
            let places = [handle, &raw mut true_lb as u64, &raw mut true_extent as u64];
            if library::call(FnId::MPI_Type_get_true_extent, &places) == Some(0) {
                (properties.bytes, properties.extent) = (size, extent);
                (properties.true_lb, properties.true_extent) = (true_lb, true_extent);
            }
        }
        _ => {}
    }
    properties
}

const KINDS: [Kind; 10] = [
    Kind::Comm,
    Kind::Group,
    Kind::Datatype,
    Kind::Op,
    Kind::Win,
    Kind::File,
    Kind::Request,
    Kind::Info,
    Kind::Errhandler,
    Kind::Session,
];

/// Is a handle that mpivet has not seen made certainly wrong?
pub(crate) fn proof(kind: Kind, handle: u64) -> Option<Proof> {
    if let Some(freed) = handles::freed_before(kind, handle) {
        return Some(Proof::Freed(freed));
    }
    let abi = abi::current()?;
    let told = abi.told_by(kind, handle, memory::is_certainly_unreadable);
    let alike = |other: &Kind| !abi.has_kinds_in_handles(kind) && *other != kind && abi.may_be_alike(*other, kind);
    let other = KINDS.iter().filter(|k| alike(k)).find_map(|k| {
        let id = handles::lookup(*k, handle);
        (id != UNKNOWN_ID).then_some(Proof::Other(*k, id))
    });
    other.or(match told {
        Told::Fits => None,
        Told::Other(other) => Some(Proof::Other(other, handles::lookup(other, handle))),
        Told::Garbage => Some(Proof::Garbage),
    })
}
