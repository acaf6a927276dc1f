//! Open MPI 4 and 5.

mod numbers;

use super::Abi;
use super::constants::Named;
use super::ender::{Form, Kinds};
use super::errors::{KnownCodes, UnsetHandlers};
use super::fortran::FortranHandles;
use super::handles::HandleForm;
use super::status::{CountLayout, StatusLayout, blank};
use super::tool::{Level, Tool, from};

const STATUS: StatusLayout = StatusLayout { size: 24, source: 0, tag: 4, error: 8, count: CountLayout::Whole(16, 12) };
const ANY_TAG: i32 = -1;
const PROC_NULL: i32 = -2;

pub(super) static ABI: Abi = Abi {
    name: "openmpi",
    is_of: |library| (library.symbol)("ompi_mpi_comm_world").is_some(),
    turns_out: |_| None,
    handle_form: HandleForm::Address,
    file_form: HandleForm::Address,
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
    keyval_invalid: -1,
    keyval_tag_ub: 0,
    bsend_overhead: |_| 128,
    constants: &[numbers::CONSTANTS],
    named: Named::of(numbers::CONSTANTS),
    error_classes: numbers::ERROR_CLASSES,
    known_codes: KnownCodes::Classes(92),
    unset_handlers: UnsetHandlers::Nowhere,
    enders: &[HANDLERS],
    fortran_handles: FortranHandles::ByF2c,
    has_statuses_of_bindings: true,
    tool: TOOL,
};

pub(super) const HANDLERS: Form = Form::Handler {
    fatal: "ompi_mpi_errors_are_fatal",
    abort: "ompi_mpi_errors_abort",
    of: Kinds { comm: "_comm_handler", win: "_win_handler", file: "_file_handler", session: "_instance_handler" },
};

const TOOL: Tool = Tool {
    verbosities: &from::<9>(0),
    bindings: &from::<11>(0),
    scopes: &from::<7>(0),
    classes: &from::<10>(0),
    environment: &[("", &["OMPI_MCA_"])],
    is_set_by_environment: true,
    must_stay_in_use: false,
    // Open MPI 4.1.
    keeps_unloaded_variables: true,
    references: Some("ompi_mpit_init_count"),
    level: Level {
        ints: &["ompi_mpi_thread_requested", "ompi_mpi_thread_provided"],
        bools: &["ompi_mpi_thread_multiple"],
    },
};
