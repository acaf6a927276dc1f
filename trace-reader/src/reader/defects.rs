//! Damage in a trace that was found and skipped. Noise has as many defects as it has bytes: the first ones are told, the
//! others counted.

use serde::{Deserialize, Serialize};

/// A place in a trace that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defect {
    /// The process, as [`super::RankReader::rank`] numbers it.
    pub rank: i32,
    /// Byte of the trace file where the damaged block or record begins, or up to which the file was read.
    pub offset: u64,
    /// Tells users what is wrong there.
    pub what: String,
}

/// So many defects of a rank are told.
const MOST: usize = 100;

/// The defects of a rank's trace.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Defects {
    first: Vec<Defect>,
    /// How many more defects there are.
    more: u64,
}

impl Defects {
    pub(super) fn add(&mut self, defect: Defect) {
        if self.first.len() < MOST { self.first.push(defect) } else { self.more = self.more.saturating_add(1) }
    }

    /// Moves the defects of another list to this one.
    pub(super) fn take(&mut self, other: &mut Defects) {
        other.first.drain(..).for_each(|defect| self.add(defect));
        self.more = self.more.saturating_add(std::mem::take(&mut other.more));
    }

    /// The number of all defects, also of those that are not told.
    pub fn count(&self) -> u64 {
        self.more.saturating_add(self.first.len() as u64)
    }

    /// Was all of the trace read without damage?
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// The defects that are told, in the order in which they were found, and one more that stands for all others.
    pub fn told(&self) -> impl Iterator<Item = Defect> + '_ {
        let rest = self.first.last().filter(|_| self.more > 0).map(|last| Defect {
            what: format!("damaged in {} more places, here or elsewhere", self.more),
            ..last.clone()
        });
        self.first.iter().cloned().chain(rest)
    }
}
