//! Damage: the missing parts of a trace.

/// Something of a trace that could not be read, or that is not there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    /// `None`: the run as a whole.
    pub rank: Option<i32>,
    /// Offset in the rank's file, where that is known.
    pub offset: Option<u64>,
    pub what: String,
    /// The user has asked that it not be kept (`--max-trace-size`).
    pub is_wanted: bool,
}

impl Damage {
    /// Damage of one rank, or of the run.
    pub fn new(rank: Option<i32>, what: String) -> Damage {
        Damage { rank, offset: None, what, is_wanted: false }
    }
}
