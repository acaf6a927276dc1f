//! The operations that a call began.

use super::call::Target;
use super::comms::CommIx;
use super::op::OpId;

/// The operations that a call began.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Entered {
    pub(crate) send: Option<OpId>,
    pub(crate) recv: Option<OpId>,
    /// Communicator, number of the operation on it, place of the rank.
    pub(crate) collective: Option<(CommIx, u64, u32)>,
    /// The message that an open probe looks for.
    pub(crate) target: Option<Target>,
    /// The bytes of a one-sided access were looked at when it began.
    pub(crate) is_range_known: bool,
    /// The window of one-sided synchronisation.
    pub(crate) window: Option<CommIx>,
    /// The bridge of MPI_Intercomm_create.
    pub(crate) bridge: Option<Bridge>,
}

/// The local side of a call that makes an intercommunicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bridge {
    /// The leader, who waits for the other leader (world ranks) to make its `nth` call with this tag.
    Leader { own: i32, other: i32, tag: i64, nth: u64 },
    /// Waits for its leader.
    Led { leader: i32 },
}
