//! The share of the longest tests that is played. `scripts/test` says by `MPIVET_TEST_TURN=N` that this is the commit
//! with number N: it plays its share, the next commit the next one. Without that variable everything is played: by
//! hand, and with `--full`.

use crate::mpi::{self, Mpi};
use xxhash_rust::xxh3::xxh3_64;

/// Says which turn it is.
const TURN: &str = "MPIVET_TEST_TURN";

/// Is everything to be played, however long it takes (`scripts/test --full`)?
pub fn is_full() -> bool {
    std::env::var_os("MPIVET_TEST_FULL").is_some()
}

/// The share that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// Everybody's.
    All,
    /// The share with this number, counted round.
    Number(u64),
}

impl Turn {
    /// The turn that the environment names.
    pub fn now() -> Turn {
        Turn::of(std::env::var(TURN).ok().as_deref())
    }

    fn of(said: Option<&str>) -> Turn {
        said.and_then(|text| text.parse().ok()).map_or(Turn::All, Turn::Number)
    }

    /// Is it the turn of item `n`, if `shares` turns in a row are to play all?
    pub fn includes(self, n: u64, shares: u64) -> bool {
        match self {
            Turn::All => true,
            Turn::Number(turn) => n % shares == turn % shares,
        }
    }

    /// The turn where each lasts `commits`.
    pub fn lasting(self, commits: u64) -> Turn {
        match self {
            Turn::All => Turn::All,
            Turn::Number(turn) => Turn::Number(turn / commits),
        }
    }

    /// The MPIs among `mpis` that item `n` is run under: each in its turn.
    pub fn mpis(self, mpis: Vec<Mpi>, n: u64) -> Vec<Mpi> {
        let shares = mpis.len() as u64;
        let mine = mpis.into_iter().zip(0u64..).filter(|(_, i)| self.includes(n.wrapping_add(*i), shares));
        mine.map(|(mpi, _)| mpi).collect()
    }
}

/// The MPIs of the system, or the one whose turn it is for `test`; other tests are run under the other one at the same time.
pub fn mpis(test: &str) -> Vec<Mpi> {
    Turn::now().mpis(mpi::required(), xxh3_64(test.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_disjoint_and_together_they_are_all() {
        for shares in 1..7 {
            for first in [0, 1, 1000, u64::MAX - 10] {
                for n in 0..50 {
                    let played = (first..first + shares).filter(|t| Turn::Number(*t).includes(n, shares)).count();
                    assert_eq!(played, 1, "{n} of {shares} from {first}");
                }
            }
        }
        assert!((0..50).all(|n| Turn::All.includes(n, 7)));
    }

    #[test]
    fn a_turn_is_a_number() {
        assert_eq!(Turn::of(Some("1204")), Turn::Number(1204));
        assert_eq!([Turn::of(None), Turn::of(Some(""))], [Turn::All; 2]);
    }

    #[test]
    fn each_mpi_has_its_turn() {
        let all = mpi::installed();
        let names = |mpis: Vec<Mpi>| mpis.iter().map(|mpi| mpi.name).collect::<Vec<_>>();
        for n in 0..6 {
            let turns = (0..all.len() as u64).map(|turn| names(Turn::Number(turn).mpis(all.clone(), n)));
            let mut played: Vec<_> = turns.inspect(|names| assert_eq!(names.len(), 1)).flatten().collect();
            let mut expected = names(all.clone());
            played.sort_unstable();
            expected.sort_unstable();
            assert_eq!(played, expected);
            assert_eq!(names(Turn::All.mpis(all.clone(), n)), names(all.clone()));
        }
    }
}
