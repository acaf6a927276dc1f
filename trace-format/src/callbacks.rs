//! Callbacks of a generalized request: their arguments and their answers (MPI 4.1, 13.2).

use crate::mpi::Status;
use serde::{Deserialize, Serialize};

/// Which of the three functions of MPI_Grequest_start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    /// `query_fn`: fills in the status when the request is completed.
    Query,
    /// `free_fn`: frees the program's state when the request is gone.
    Free,
    /// `cancel_fn`: MPI_Cancel calls it.
    Cancel,
}

impl Which {
    /// All three, in the order of the parameters of MPI_Grequest_start.
    pub const ALL: [Which; 3] = [Which::Query, Which::Free, Which::Cancel];

    /// The standard's name of the parameter.
    pub fn name(self) -> &'static str {
        match self {
            Which::Query => "query_fn",
            Which::Free => "free_fn",
            Which::Cancel => "cancel_fn",
        }
    }
}

/// One call of a callback that has returned, recorded by the thread in whose MPI call the library made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    /// The callback that was called.
    pub which: Which,
    /// The call of MPI_Grequest_start that made the request: its thread, and its place in the thread's sequence of calls.
    pub request: (u16, u64),
    /// As the program passed it to MPI_Grequest_start; of a Fortran program its address.
    pub extra_state: u64,
    /// The argument of `cancel_fn`: whether the request was complete.
    pub complete: Option<bool>,
    /// The status as `query_fn` left it.
    pub status: Option<Status>,
    /// The error code that it returned, in the numbers of the library.
    pub result: i32,
}
