//! Where a call has its requests, and those that it is given.

use smallvec::SmallVec;
use trace_format::plan::Len;

/// Where a call has its requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RequestParam {
    pub(crate) param: usize,
    /// Passed as it is, not by the address of its variable.
    pub(crate) by_value: bool,
    pub(crate) len: Option<(Len, bool)>,
}

/// A request that a call was given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallRequest {
    /// Its place in the array.
    pub(crate) place: usize,
    /// Where its handle stands.
    pub(crate) slot: u64,
    pub(crate) handle: u64,
}

/// In the order of their places.
pub(crate) type CallRequests = SmallVec<[CallRequest; 3]>;
