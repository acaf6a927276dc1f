//! Levels of thread support.

/// Levels of thread support, in their order (MPI 4.1, 11.2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[repr(u8)]
pub enum ThreadLevel {
    /// The process has one thread.
    Single = 0,
    /// Only the thread that started MPI calls it.
    Funneled = 1,
    /// All threads call MPI, never two at once.
    Serialized = 2,
    /// All threads call MPI at any time.
    Multiple = 3,
}

impl ThreadLevel {
    /// All levels, ascending.
    pub const ALL: [ThreadLevel; 4] =
        [ThreadLevel::Single, ThreadLevel::Funneled, ThreadLevel::Serialized, ThreadLevel::Multiple];

    /// Name of the standard's constant.
    pub fn name(self) -> &'static str {
        match self {
            ThreadLevel::Single => "MPI_THREAD_SINGLE",
            ThreadLevel::Funneled => "MPI_THREAD_FUNNELED",
            ThreadLevel::Serialized => "MPI_THREAD_SERIALIZED",
            ThreadLevel::Multiple => "MPI_THREAD_MULTIPLE",
        }
    }

    /// The mistake in a call of `function` by `thread` under this level. `other` was in a call; `None`: the thread
    /// is not the one that started MPI by calling `start`.
    pub fn breach(self, function: &str, thread: u16, other: Option<u16>, start: &str) -> String {
        let level = self.name();
        match other {
            Some(other) => format!(
                "{function} is called by thread {thread} while thread {other} is in an MPI call; the level is {level}, \
                 which forbids two calls at once"
            ),
            None => format!(
                "{function} is called by thread {thread}; the level is {level}, so that only the thread that called \
                 {start} may call MPI"
            ),
        }
    }

    /// Returns the level by the value of its constant, in the libraries' own ABIs or in the standard's; `None`: in neither of them.
    pub fn by_value(value: i64) -> Option<ThreadLevel> {
        match value {
            0 => Some(ThreadLevel::Single),
            1 | 1024 => Some(ThreadLevel::Funneled),
            2 | 2048 => Some(ThreadLevel::Serialized),
            3 | 4096 => Some(ThreadLevel::Multiple),
            _ => None,
        }
    }

    /// Returns the level by the name of the standard's constant, `MPI_THREAD_SINGLE`; `None`: there is no such level.
    pub fn by_name(name: &str) -> Option<ThreadLevel> {
        ThreadLevel::ALL.into_iter().find(|l| l.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_have_the_values_of_both_abis() {
        for abi in [[0, 1, 2, 3], [0, 1024, 2048, 4096]] {
            assert_eq!(abi.map(ThreadLevel::by_value), ThreadLevel::ALL.map(Some));
        }
        assert_eq!([-1, 4, 1023, 8192].map(ThreadLevel::by_value), [None; 4]);
    }
}
