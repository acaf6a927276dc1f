//! Neutral values of MPI's special ranks and tags; the trace never holds a library's own.

/// `MPI_ANY_SOURCE`
pub const ANY_SOURCE: i32 = -1;
/// `MPI_PROC_NULL`
pub const PROC_NULL: i32 = -2;
/// `MPI_ROOT`
pub const ROOT: i32 = -3;
/// `MPI_ANY_TAG`
pub const ANY_TAG: i32 = -1;
/// `MPI_UNDEFINED`
pub const UNDEFINED: i32 = -32766;
/// `MPI_BOTTOM`, as a buffer address
pub const BOTTOM: i64 = 0;
/// `MPI_IN_PLACE`, as a buffer address
pub const IN_PLACE: i64 = -1;
/// `MPI_REQUEST_NULL` and `MPI_MESSAGE_NULL`
pub const REQUEST_NULL: i64 = 0;
/// `MPI_MESSAGE_NO_PROC`
pub const MESSAGE_NO_PROC: i64 = -2;
/// `MPI_STATUS_IGNORE` and the like never reach the trace: mpivet reads a status of its own.
pub const NO_STATUS: i64 = 0;
