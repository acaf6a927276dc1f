//! A question to the exploration, and a way as its answer: assumptions about the library, limits of the work, events.

use crate::program::OpIx;

/// Assumptions about the MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Semantics {
    /// A standard send may wait for its receive (MPI 4.1 section 3.4).
    pub sends_block: bool,
    /// A collective operation may wait for all of its communicator (MPI 4.1 section 6.1).
    pub collectives_block: bool,
}

impl Semantics {
    /// A library that does no more than the standard promises.
    pub const STRICT: Semantics = Semantics { sends_block: true, collectives_block: true };
    /// A library that buffers as much and waits as little as the standard permits.
    pub const LENIENT: Semantics = Semantics { sends_block: false, collectives_block: false };
}

/// Limits of the work before a question is left undecided. Work is counted, not timed, so that the same question
/// always has the same answer.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Pairs of a send and a receive that may match, but need not.
    pub pairs: usize,
    /// Clauses that the solver may learn; fewer of them where each costs more, see [`COSTLY_PAIRS`].
    pub learned: u64,
    /// Models that may turn out to have no order.
    pub rounds: u32,
}

/// With more pairs than this, each learned clause costs more.
const COSTLY_PAIRS: u64 = 2_000;

impl Budget {
    /// Number of clauses that the solver may learn about so many pairs.
    pub(crate) fn learned_of(&self, pairs: usize) -> u64 {
        let times = (pairs as u64).div_ceil(COSTLY_PAIRS).max(1);
        self.learned / (times * times)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { pairs: 20_000, learned: 60_000, rounds: 20_000 }
    }
}

/// An event on the way to a deadlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The thread passes the step in which it could have had to wait.
    Pass { thread: u32, step: u32 },
    /// The message of the send goes to the receive.
    Match { send: OpIx, recv: OpIx },
}

/// A way to a deadlock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// The events in their order.
    pub events: Vec<Event>,
    /// By thread: the step in which it waits for ever; `None`: the thread came to its end.
    pub stuck: Vec<Option<u32>>,
}
