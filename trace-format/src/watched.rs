//! Memory that a process has watched with `--precise`, as far as it was.

use serde::{Deserialize, Serialize};

/// How much of its memory a process has watched; it says so once, when MPI ends.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watched {
    /// Buffers of pending operations that were watched, and how many there were.
    pub buffers: (u64, u64),
    /// Windows of MPI_Win_allocate that were watched, and how many there were.
    pub windows: (u64, u64),
    /// Accesses of the program that were looked at.
    pub accesses: u64,
    /// How much was left out or given up, in words that a number stands in front of: "buffers share their pages with other data".
    pub left_out: Vec<(u64, String)>,
    /// Sentences on what was done without, or why nothing was watched (any more).
    pub reasons: Vec<String>,
}

impl Watched {
    /// Adds what another process says.
    pub fn add(&mut self, other: &Watched) {
        let sum = |a: (u64, u64), b: (u64, u64)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1));
        self.buffers = sum(self.buffers, other.buffers);
        self.windows = sum(self.windows, other.windows);
        self.accesses = self.accesses.saturating_add(other.accesses);
        for (count, words) in &other.left_out {
            match self.left_out.iter_mut().find(|(_, own)| own == words) {
                Some((own, _)) => *own = own.saturating_add(*count),
                None => self.left_out.push((*count, words.clone())),
            }
        }
        for reason in &other.reasons {
            if !self.reasons.contains(reason) {
                self.reasons.push(reason.clone());
            }
        }
    }

    /// All of it in one line.
    pub fn line(&self) -> String {
        let windows = match self.windows {
            (_, 0) => String::new(),
            (watched, all) => format!(" and {watched} of {all} windows"),
        };
        let mut parts = vec![format!(
            "--precise watched {} of {} buffers of pending operations{windows}, and looked at {} accesses",
            self.buffers.0, self.buffers.1, self.accesses
        )];
        parts.extend(self.left_out.iter().map(|(count, words)| format!("{count} {words}")));
        parts.extend(self.reasons.iter().cloned());
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_added_up() {
        let one = Watched {
            buffers: (2, 3),
            windows: (0, 0),
            accesses: 5,
            left_out: vec![(1, "buffers were too many".into())],
            reasons: vec!["there are no watchpoints".into()],
        };
        let mut all = one.clone();
        all.add(&Watched { windows: (1, 1), ..one });
        assert_eq!(
            all.line(),
            "--precise watched 4 of 6 buffers of pending operations and 1 of 1 windows, and looked at 10 accesses; \
             2 buffers were too many; there are no watchpoints"
        );
    }
}
