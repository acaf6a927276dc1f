//! Numbers of the MPI tool information interface in each family (MPI 4.1, chapter 15): words of the trace for what is
//! MPICH's, Open MPI's, that of the ABI of MPI 5.

use super::Family;

type Row = (&'static str, [i32; 3]);
/// There is no such constant.
const NONE: i32 = i32::MIN;

static VERBOSITIES: [Row; 9] = [
    ("user_basic", [221, 0, 9]),
    ("user_detail", [222, 1, 10]),
    ("user_all", [223, 2, 12]),
    ("tuner_basic", [224, 3, 17]),
    ("tuner_detail", [225, 4, 18]),
    ("tuner_all", [226, 5, 20]),
    ("mpidev_basic", [227, 6, 33]),
    ("mpidev_detail", [228, 7, 34]),
    ("mpidev_all", [229, 8, 36]),
];

static BINDINGS: [Row; 12] = [
    (NO_OBJECT, [9700, 0, 1]),
    (COMM, [9701, 1, 2]),
    ("mpi_datatype", [9702, 2, 3]),
    ("mpi_errhandler", [9703, 3, 4]),
    ("mpi_file", [9704, 4, 5]),
    ("mpi_group", [9705, 5, 6]),
    ("mpi_op", [9706, 6, 7]),
    ("mpi_request", [9707, 7, 8]),
    ("mpi_win", [9708, 8, 9]),
    ("mpi_message", [9709, 9, 10]),
    ("mpi_info", [9710, 10, 11]),
    ("mpi_session", [9711, NONE, 12]),
];

static SCOPES: [Row; 7] = [
    (CONSTANT, [60438, 0, 1]),
    (READONLY, [60439, 1, 2]),
    ("local", [60440, 2, 3]),
    ("group", [60441, 3, 4]),
    ("group_eq", [60442, 4, 5]),
    ("all", [60443, 5, 6]),
    ("all_eq", [60444, 6, 7]),
];

static CLASSES: [Row; 10] = [
    ("state", [240, 0, 1]),
    ("level", [241, 1, 2]),
    ("size", [242, 2, 3]),
    ("percentage", [243, 3, 4]),
    ("highwatermark", [244, 4, 5]),
    ("lowwatermark", [245, 5, 6]),
    ("counter", [246, 6, 7]),
    ("aggregate", [247, 7, 8]),
    ("timer", [248, 8, 9]),
    ("generic", [249, 9, 10]),
];

pub(crate) const NO_OBJECT: &str = "no_object";
pub(crate) const COMM: &str = "mpi_comm";
pub(crate) const CONSTANT: &str = "constant";
pub(crate) const READONLY: &str = "readonly";

fn word(rows: &'static [Row], family: Family, value: i32) -> String {
    let column = match family {
        Family::Mpich => 0,
        Family::OpenMpi => 1,
        Family::Standard | Family::Draft => 2,
    };
    let is = |row: &&Row| row.1.get(column) == Some(&value) && value != NONE;
    rows.iter().find(is).map_or_else(|| value.to_string(), |row| row.0.to_owned())
}

pub(crate) fn verbosity(family: Family, value: i32) -> String {
    word(&VERBOSITIES, family, value)
}

pub(crate) fn binding(family: Family, value: i32) -> String {
    word(&BINDINGS, family, value)
}

pub(crate) fn scope(family: Family, value: i32) -> String {
    word(&SCOPES, family, value)
}

pub(crate) fn class(family: Family, value: i32) -> String {
    word(&CLASSES, family, value)
}

/// MPI_THREAD_SINGLE and MPI_THREAD_MULTIPLE.
pub(crate) fn thread_levels(family: Family) -> (i32, i32) {
    match family {
        Family::Mpich | Family::OpenMpi => (0, 3),
        Family::Standard | Family::Draft => (0, 4096),
    }
}
