//! A status, as all MPI libraries have it.

use serde::{Deserialize, Serialize};

/// A status as MPI has written it, in family-neutral form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Status {
    /// Rank in the communicator, or one of [`super::special`].
    pub source: i32,
    /// Tag of the message, or one of [`super::special`].
    pub tag: i32,
    /// Bytes received; `None` where the library does not say.
    pub bytes: Option<u64>,
    /// Answer of MPI_Test_cancelled.
    pub cancelled: bool,
}
