//! Handles, statuses and constants of each family of MPI libraries, and what else differs between families. Everything
//! outside of this folder works on decoded values (definition ids, neutral ranks and tags, neutral error classes) and asks an
//! [`Abi`] for what is meant, never for whose library it is.
//!
//! To add a family:
//!
//! 1. A file like `mpich.rs` with one [`Abi`], and `numbers.rs` in a folder of its name: predefined handles, error classes,
//!    named constants. The compiler asks for each field, and the tests of this folder for each name that no family lacks.
//! 2. Its line in [`FAMILIES`], in front of those that recognise it, too.
//! 3. If its libraries call themselves what no row of `products.rs` says: a row there.
//! 4. If its modules or Fortran routines have names that `names.rs` lacks: there.
//! 5. If its handles, statuses, error codes or Fortran handles are of a form that no other has: one more variant of the
//!    `enum`, and what the compiler then misses in this folder.
//!
//! To test it, a line in `tests/src/mpi.rs` says where its compilers and launchers are.

mod constants;
mod draft;
mod ender;
mod errors;
mod fortran;
mod handles;
mod mpich;
pub(crate) mod names;
mod openmpi;
mod products;
mod standard;
mod status;
pub(crate) mod tool;

use constants::{Constant, Named};
pub(crate) use ender::Ender;
pub(crate) use errors::UnsetHandlers;
use errors::{ErrorClass, KnownCodes};
use fortran::FortranHandles;
pub(crate) use handles::Told;
use handles::{HandleForm, Handles};
pub(crate) use products::{Identity, LAUNCHERS, Room};
use status::StatusLayout;
pub(crate) use status::{BlankStatus, MOST_STATUS_BYTES};
use std::ffi::c_void;
use std::sync::OnceLock;
use tool::Tool;
use trace_format::mpi::special;

/// A library that was loaded.
pub(crate) struct Loaded<'a> {
    /// The address of what it defines by this name.
    pub(crate) symbol: &'a dyn Fn(&str) -> Option<*mut c_void>,
}

/// The loaded library after MPI_Init or MPI_Session_init.
pub(crate) struct Started<'a> {
    pub(crate) loaded: Loaded<'a>,
    /// The value of a predefined attribute of MPI_COMM_WORLD; `None`: there is no MPI_COMM_WORLD.
    pub(crate) world_attribute: Option<&'a dyn Fn(i32) -> Option<i32>>,
}

/// One binary interface of MPI, and how libraries that have it behave.
pub(crate) struct Abi {
    /// Its name in traces.
    pub(crate) name: &'static str,
    /// Has a library this interface? Asked before MPI_Init.
    is_of: fn(&Loaded) -> bool,
    /// The interface that a library turns out to have instead once MPI has started.
    turns_out: fn(&Started) -> Option<&'static Abi>,
    /// The form of handles, those of files apart.
    handle_form: HandleForm,
    file_form: HandleForm,
    handles: Handles,
    status: StatusLayout,
    /// MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE (one value in every family).
    status_ignore: u64,
    blank: BlankStatus,
    any_source: i32,
    any_tag: i32,
    proc_null: i32,
    root: i32,
    in_place: u64,
    /// Addresses that stand for something in array arguments (MPI_UNWEIGHTED and the like) are below this.
    pub(crate) lowest_address: u64,
    /// Variables of the library that hold further addresses of the kind.
    pub(crate) no_weights: &'static [&'static str],
    pub(crate) keyval_invalid: i32,
    /// The key of the attribute MPI_TAG_UB.
    pub(crate) keyval_tag_ub: i32,
    /// MPI_BSEND_OVERHEAD, which programs have from the header of the library: no call tells. The smallest that it may be.
    bsend_overhead: fn(&Identity) -> u64,
    constants: &'static [&'static [Constant]],
    pub(crate) named: Named,
    error_classes: &'static [ErrorClass],
    known_codes: KnownCodes,
    /// Facts of the product go before this.
    unset_handlers: UnsetHandlers,
    /// The first one that the library has is called.
    enders: &'static [ender::Form],
    fortran_handles: FortranHandles,
    /// Where a Fortran program ignores statuses, the binding gives the C function statuses of its own.
    pub(crate) has_statuses_of_bindings: bool,
    pub(crate) tool: Tool,
}

/// The first one that recognises a library is its family.
static FAMILIES: [&Abi; 4] = [&openmpi::ABI, &standard::ABI, &draft::ABI, &mpich::ABI];

/// The family of a library.
pub(crate) fn family(library: &Loaded) -> Option<&'static Abi> {
    FAMILIES.into_iter().find(|abi| (abi.is_of)(library))
}

/// Every family.
#[cfg(test)]
pub(crate) fn all() -> impl Iterator<Item = &'static Abi> {
    FAMILIES.into_iter()
}

impl Abi {
    /// The interface that a library of this family has, as it turns out when MPI has started.
    pub(crate) fn after_start(&'static self, library: &Started) -> &'static Abi {
        (self.turns_out)(library).unwrap_or(self)
    }

    /// MPI_BSEND_OVERHEAD in the header of the library at hand.
    pub(crate) fn bsend_overhead(&self, library: &Identity) -> u64 {
        (self.bsend_overhead)(library)
    }

    #[inline(always)]
    pub(crate) fn rank(&self, value: i32) -> i32 {
        if value >= 0 {
            value
        } else if value == self.any_source {
            special::ANY_SOURCE
        } else if value == self.proc_null {
            special::PROC_NULL
        } else if value == self.root {
            special::ROOT
        } else {
            value
        }
    }

    #[inline(always)]
    pub(crate) fn tag(&self, value: i32) -> i32 {
        if value == self.any_tag { special::ANY_TAG } else { value }
    }

    #[inline(always)]
    pub(crate) fn buffer(&self, address: u64) -> i64 {
        if address == self.in_place { special::IN_PLACE } else { address as i64 }
    }

    #[inline(always)]
    pub(crate) fn is_in_place(&self, address: u64) -> bool {
        address == self.in_place
    }
}

static CURRENT: OnceLock<&'static Abi> = OnceLock::new();

/// The family of the process, known once MPI has started.
pub(crate) fn current() -> Option<&'static Abi> {
    CURRENT.get().copied()
}

/// Recording begins, with the library of this family.
pub(crate) fn set_current(abi: &'static Abi) {
    _ = CURRENT.set(abi);
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::{Kind, predefined};

    const KINDS: [(Kind, &[&str]); 11] = [
        (Kind::Comm, &["MPI_COMM_NULL", "MPI_COMM_WORLD", "MPI_COMM_SELF"]),
        (Kind::Group, &["MPI_GROUP_NULL", "MPI_GROUP_EMPTY"]),
        (Kind::Datatype, &["MPI_DATATYPE_NULL", "MPI_INT", "MPI_BYTE", "MPI_DOUBLE", "MPI_CHAR"]),
        (Kind::Op, &["MPI_OP_NULL", "MPI_SUM", "MPI_MAXLOC"]),
        (Kind::Win, &["MPI_WIN_NULL"]),
        (Kind::File, &["MPI_FILE_NULL"]),
        (Kind::Session, &["MPI_SESSION_NULL"]),
        (Kind::Message, &["MPI_MESSAGE_NULL", "MPI_MESSAGE_NO_PROC"]),
        (Kind::Request, &["MPI_REQUEST_NULL"]),
        (Kind::Info, &["MPI_INFO_NULL", "MPI_INFO_ENV"]),
        (Kind::Errhandler, &["MPI_ERRHANDLER_NULL", "MPI_ERRORS_ARE_FATAL", "MPI_ERRORS_RETURN"]),
    ];

    #[test]
    fn no_family_lacks_what_all_need() {
        for abi in all() {
            for (kind, names) in KINDS {
                let has = |name: &&str| abi.predefined(kind).iter().any(|(n, _)| n == name);
                assert_eq!(names.iter().find(|name| !has(name)), None, "{}", abi.name);
            }
            for (name, _) in abi.predefined(Kind::Datatype) {
                let is_known = predefined::datatype_id(name).is_some() || *name == "MPI_DATATYPE_NULL";
                assert!(is_known || ["MPI_LB", "MPI_UB"].contains(name), "{}: {name}", abi.name);
            }
            for name in ["MPI_ERR_OTHER", "MPI_ERR_IN_STATUS", "MPI_ERR_PENDING", "MPI_ERR_TRUNCATE", "MPI_ERR_ARG"] {
                let neutral = abi.class_number(name).map(|number| abi.error_class(number));
                assert_eq!(neutral.map(predefined::error_class_name), Some(name), "{}", abi.name);
            }
            for (name, number) in abi.error_classes {
                assert!(predefined::ERROR_CLASSES.contains(name), "{}: {name} {number}", abi.name);
            }
            let mut names: Vec<&str> = abi.constants().map(|(name, _)| name).collect();
            names.sort_unstable();
            assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{}: {names:?}", abi.name);
            for level in ["SINGLE", "FUNNELED", "SERIALIZED", "MULTIPLE"] {
                assert!(abi.constant(&format!("MPI_THREAD_{level}")).is_some(), "{}: {level}", abi.name);
            }
        }
    }

    #[test]
    fn a_handle_with_the_kind_of_its_object_tells_it() {
        let (coded, address) = (&mpich::ABI, &openmpi::ABI);
        let told = |abi: &Abi, kind, handle| abi.told_by(kind, handle, |at| at == 0x7000);
        assert_eq!(told(coded, Kind::Comm, 0x4400_0000), Told::Fits);
        assert_eq!(told(coded, Kind::Group, 0x4400_0000), Told::Other(Kind::Comm));
        assert_eq!(told(coded, Kind::Comm, 0x0400_0000), Told::Garbage, "of no sort");
        assert_eq!(told(coded, Kind::Comm, 0), Told::Garbage);
        assert_eq!(told(coded, Kind::Comm, 0x2c00_0000), Told::Other(Kind::Request));
        assert_eq!(told(coded, Kind::File, 0x4400_0000), Told::Fits, "an address");
        assert_eq!(
            [0x10, 0x7000, 0x8000].map(|handle| told(address, Kind::Comm, handle) == Told::Garbage),
            [true, true, false]
        );
        assert!(!coded.may_be_alike(Kind::File, Kind::Comm) && address.may_be_alike(Kind::File, Kind::Comm));
    }
}
