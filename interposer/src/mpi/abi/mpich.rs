//! MPICH and the libraries that have its binary interface, such as Intel MPI.

mod numbers;

use super::Abi;
use super::constants::Named;
use super::ender::Form;
use super::errors::{KnownCodes, UnsetHandlers};
use super::fortran::FortranHandles;
use super::handles::HandleForm;
use super::products::MPICH;
use super::status::{CountLayout, StatusLayout, blank};
use super::tool::{LEVEL_STAYS, Tool, from};

const STATUS: StatusLayout = StatusLayout { size: 20, source: 8, tag: 12, error: 16, count: CountLayout::Split(0, 4) };
const ANY_TAG: i32 = -1;
const PROC_NULL: i32 = -1;

pub(super) static ABI: Abi = Abi {
    name: "mpich",
    // A library that is none of the others.
    is_of: |_| true,
    turns_out: |_| None,
    handle_form: HandleForm::Coded,
    // They are ROMIO's.
    file_form: HandleForm::Address,
    handles: numbers::HANDLES,
    status: STATUS,
    status_ignore: 1,
    blank: blank(&STATUS, PROC_NULL, ANY_TAG),
    any_source: -2,
    any_tag: ANY_TAG,
    proc_null: PROC_NULL,
    root: -3,
    in_place: u64::MAX,
    lowest_address: 4096,
    no_weights: &["MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY"],
    keyval_invalid: 0x2400_0000,
    keyval_tag_ub: 0x6440_0001,
    // Since version 4 more is in the header than in that of Intel MPI, which calls itself something else.
    bsend_overhead: |library| if library.is(MPICH, (4, 0)) { 96 } else { 88 },
    constants: &[numbers::CONSTANTS],
    named: Named::of(numbers::CONSTANTS),
    error_classes: numbers::ERROR_CLASSES,
    known_codes: KnownCodes::All,
    unset_handlers: UnsetHandlers::World,
    enders: &[RETURN],
    fortran_handles: FortranHandles::Same,
    has_statuses_of_bindings: false,
    tool: TOOL,
};

pub(super) const RETURN: Form = Form::Return { symbol: "MPIR_Err_return_comm", prefix: "internal_" };

const TOOL: Tool = Tool {
    verbosities: &from::<9>(221),
    bindings: &from::<12>(9700),
    scopes: &from::<7>(60438),
    classes: &from::<10>(240),
    environment: ENVIRONMENT,
    is_set_by_environment: false,
    // MPICH 4.0.
    must_stay_in_use: true,
    keeps_unloaded_variables: false,
    references: None,
    level: LEVEL_STAYS,
};

pub(super) const ENVIRONMENT: &[(&str, &[&str])] = &[("MPIR_CVAR_", &["MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"])];
