//! A draft of the ABI of MPI 5 with other numbers, in Intel MPI 2021. No library says that it follows it before MPI has
//! started.

use super::handles::Handle::Value;
use super::standard::{STANDARD, numbers};
use super::{Abi, Constant, Handles};

pub(super) static ABI: Abi = Abi {
    is_of: |_| false,
    turns_out: |_| None,
    handles: HANDLES,
    // Nobody knows what the draft says of it.
    bsend_overhead: |_| 0,
    constants: &[SEEKS, numbers::CONSTANTS],
    ..STANDARD
};

const HANDLES: Handles = Handles {
    errhandler: &[
        ("MPI_ERRHANDLER_NULL", Value(0x140)),
        ("MPI_ERRORS_ABORT", Value(0x143)),
        ("MPI_ERRORS_ARE_FATAL", Value(0x141)),
        ("MPI_ERRORS_RETURN", Value(0x142)),
    ],
    ..numbers::HANDLES
};

const SEEKS: &[Constant] = &[("MPI_SEEK_CUR", 402), ("MPI_SEEK_END", 403), ("MPI_SEEK_SET", 401)];
