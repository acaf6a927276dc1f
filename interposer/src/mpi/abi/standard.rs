//! The ABI of MPI 5 (MPI 5.0, chapter 20), which libraries of several products have.

pub(super) mod numbers;

use super::constants::Named;
use super::errors::{KnownCodes, UnsetHandlers};
use super::fortran::FortranHandles;
use super::handles::HandleForm;
use super::status::{CountLayout, StatusLayout, blank};
use super::tool::{LEVEL_STAYS, Tool, from};
use super::{Abi, Loaded, Started, draft, mpich, openmpi};

const STATUS: StatusLayout = StatusLayout { size: 32, source: 0, tag: 4, error: 8, count: CountLayout::Split(12, 16) };
const ANY_TAG: i32 = -2;
const PROC_NULL: i32 = -3;
const LAST_CODE: i32 = 0x3fff;
/// The attribute of MPI_COMM_WORLD that holds MPI_LASTUSEDCODE, and where the draft has it.
const LAST_USED_CODE: i32 = 506;
const LAST_USED_CODE_OF_DRAFT: i32 = 507;

pub(super) static ABI: Abi = STANDARD;

pub(super) const STANDARD: Abi = Abi {
    name: "standard",
    is_of: says_so,
    turns_out: tell_draft,
    handle_form: HandleForm::Opaque,
    file_form: HandleForm::Opaque,
    handles: numbers::HANDLES,
    status: STATUS,
    status_ignore: 0,
    blank: blank(&STATUS, PROC_NULL, ANY_TAG),
    any_source: -1,
    any_tag: ANY_TAG,
    proc_null: PROC_NULL,
    root: -4,
    in_place: 1,
    lowest_address: 4096,
    no_weights: &[],
    keyval_invalid: 0,
    keyval_tag_ub: 501,
    bsend_overhead: |_| 512,
    constants: &[numbers::SEEKS, numbers::CONSTANTS],
    named: Named::of(numbers::CONSTANTS),
    error_classes: numbers::ERROR_CLASSES,
    known_codes: KnownCodes::ClassesAndResults(LAST_CODE),
    unset_handlers: UnsetHandlers::Nowhere,
    // Whichever the product has.
    enders: &[openmpi::HANDLERS, mpich::RETURN],
    fortran_handles: FortranHandles::ByFromInt,
    has_statuses_of_bindings: false,
    tool: TOOL,
};

const TOOL: Tool = Tool {
    verbosities: &[9, 10, 12, 17, 18, 20, 33, 34, 36],
    bindings: &from::<12>(1),
    scopes: &from::<7>(1),
    classes: &from::<10>(1),
    // So far all of these libraries are MPICH's relatives.
    environment: mpich::ENVIRONMENT,
    is_set_by_environment: false,
    must_stay_in_use: true,
    keeps_unloaded_variables: false,
    references: None,
    level: LEVEL_STAYS,
};

/// The classic libraries of MPICH 5 and Intel export the function, too, and answer -1.
fn says_so(library: &Loaded) -> bool {
    let Some(f) = (library.symbol)("PMPI_Abi_get_version") else { return false };
    let (mut major, mut minor) = (0i32, 0i32);
    // SAFETY: `int MPI_Abi_get_version(int *, int *)`, callable before MPI_Init.
    let f: extern "C" fn(*mut i32, *mut i32) -> i32 = unsafe { std::mem::transmute(f) };
    f(&mut major, &mut minor) == 0 && major >= 1
}

/// Whether a library follows the draft the number tells that it gives to the attribute MPI_LASTUSEDCODE. Without MPI_COMM_WORLD
/// there is nothing to ask; the only library that is known to follow the draft, Intel's, has a function of its own.
fn tell_draft(library: &Started) -> Option<&'static Abi> {
    let is_draft = match library.world_attribute {
        Some(attribute) => {
            let has = |keyval| attribute(keyval).is_some_and(|code| code >= LAST_CODE);
            !has(LAST_USED_CODE) && has(LAST_USED_CODE_OF_DRAFT)
        }
        None => (library.loaded.symbol)("I_MPI_Check_image_status").is_some(),
    };
    is_draft.then_some(&draft::ABI)
}
