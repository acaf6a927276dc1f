//! The word that a program gives of its windows by keys of info objects (MPI 4.1, 12.2.1).

/// See the module. A hint that all processes of a window must give counts if all have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Hints {
    /// `accumulate_ops` is `same_op`: accumulate functions with different operations meet nowhere, MPI_NO_OP neither.
    pub(crate) same_op: bool,
    /// `accumulate_ordering` is `none`: those of one origin are not in the order of their calls.
    pub(crate) is_unordered: bool,
    /// `no_locks` is `true`: the window will not be locked.
    pub(crate) no_locks: bool,
}

impl Hints {
    /// A key has got a value (`None`: it has none any more).
    pub(crate) fn set(&mut self, key: &str, value: Option<&str>) {
        match key {
            "accumulate_ops" => self.same_op = value == Some("same_op"),
            "accumulate_ordering" => self.is_unordered = value == Some("none"),
            "no_locks" => self.no_locks = value == Some("true"),
            _ => {}
        }
    }

    /// Keeps the hints that both give.
    pub(crate) fn and(self, other: Hints) -> Hints {
        Hints {
            same_op: self.same_op && other.same_op,
            is_unordered: self.is_unordered && other.is_unordered,
            no_locks: self.no_locks && other.no_locks,
        }
    }
}
