//! One time for all ranks. Processes of one host read the same counter, so that their times compare to the tick; the
//! clocks of different hosts are as close as these keep them.

use trace_format::file::RankHeader;

/// Clocks that say this much of each other, in nanoseconds, are of different machines, whatever these are called.
const SAME: u64 = 1_000_000_000;

/// The clocks of all ranks that are known.
#[derive(Debug, Default)]
pub struct Clocks {
    ranks: Vec<Option<Face>>,
    /// Each counter, with the clock that stands for it.
    counters: Vec<(String, Clock)>,
    hosts: Vec<String>,
}

/// How to read the clock of a rank: `ns + (ticks - start) * rate / 2^32`.
#[derive(Debug, Clone, Copy)]
struct Face {
    start: u64,
    ns: u64,
    rate: u64,
}

impl Clocks {
    pub fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        let Ok(place) = usize::try_from(rank) else { return };
        if !self.hosts.iter().any(|h| h == host) {
            self.hosts.push(host.to_owned());
        }
        let same =
            |c: &&(String, Clock)| c.0 == host && c.1.unix_ns(clock.start_ticks).abs_diff(clock.start_unix_ns) < SAME;
        let shared = match self.counters.iter().find(same) {
            Some((_, shared)) => *shared,
            None => {
                self.counters.push((host.to_owned(), clock));
                clock
            }
        };
        if self.ranks.len() <= place {
            self.ranks.resize(place + 1, None);
        }
        let rate = (1_000_000_000u128 << 32) / u128::from(shared.ticks_per_second.max(1));
        let rate = u64::try_from(rate).unwrap_or(u64::MAX);
        self.ranks[place] = Some(Face { start: shared.start_ticks, ns: shared.start_unix_ns, rate });
    }

    /// Nanoseconds since 1970; ticks of a rank that nobody introduced are taken for these.
    pub fn ns(&self, rank: i32, ticks: u64) -> u64 {
        let Some(face) = self.face(rank) else { return ticks };
        match ticks.checked_sub(face.start) {
            Some(later) => face.ns.saturating_add(face.span(later)),
            None => face.ns.saturating_sub(face.span(face.start - ticks)),
        }
    }

    /// Nanoseconds from one time of a rank to another; none if that is earlier.
    pub fn span(&self, rank: i32, from: u64, to: u64) -> u64 {
        let ticks = to.saturating_sub(from);
        self.face(rank).map_or(ticks, |face| face.span(ticks))
    }

    /// The hosts that ranks run on, in the order of their first ranks.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Do times of different ranks come from different counters?
    pub fn differ(&self) -> bool {
        self.counters.len() > 1
    }

    fn face(&self, rank: i32) -> Option<&Face> {
        self.ranks.get(usize::try_from(rank).ok()?)?.as_ref()
    }
}

impl Face {
    fn span(&self, ticks: u64) -> u64 {
        u64::try_from((u128::from(ticks) * u128::from(self.rate)) >> 32).unwrap_or(u64::MAX)
    }
}

/// Where the clock of a process stands.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    pub ticks_per_second: u64,
    pub start_ticks: u64,
    pub start_unix_ns: u64,
}

impl Default for Clock {
    /// Ticks are nanoseconds since 1970.
    fn default() -> Clock {
        Clock { ticks_per_second: 1_000_000_000, start_ticks: 0, start_unix_ns: 0 }
    }
}

impl Clock {
    /// The clock of the rank that wrote this.
    pub fn of(header: &RankHeader) -> Clock {
        let RankHeader { ticks_per_second, start_ticks, start_unix_ns, .. } = *header;
        Clock { ticks_per_second, start_ticks, start_unix_ns }
    }

    /// Nanoseconds since 1970.
    pub fn unix_ns(&self, ticks: u64) -> u64 {
        let ns = |ticks: u64| {
            let ns = u128::from(ticks) * 1_000_000_000 / u128::from(self.ticks_per_second.max(1));
            u64::try_from(ns).unwrap_or(u64::MAX)
        };
        match ticks.checked_sub(self.start_ticks) {
            Some(later) => self.start_unix_ns.saturating_add(ns(later)),
            None => self.start_unix_ns.saturating_sub(ns(self.start_ticks - ticks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(start_ticks: u64, start_unix_ns: u64) -> Clock {
        Clock { ticks_per_second: 2_000_000_000, start_ticks, start_unix_ns }
    }

    #[test]
    fn ranks_of_one_host_share_a_counter() {
        let mut clocks = Clocks::default();
        clocks.introduce(0, "a", clock(1000, 5_000_000));
        // Its clock was read at another moment, and is 70 ns off.
        clocks.introduce(1, "a", clock(3000, 5_001_070));
        assert_eq!((clocks.ns(0, 3000), clocks.ns(1, 3000), clocks.ns(1, 800)), (5_001_000, 5_001_000, 4_999_900));
        assert_eq!((clocks.span(1, 10, 14), clocks.span(1, 14, 10)), (2, 0));
        assert!(!clocks.differ());
        assert_eq!(clocks.hosts(), ["a"]);
    }

    #[test]
    fn other_machines_have_their_own() {
        let mut clocks = Clocks::default();
        clocks.introduce(0, "a", clock(1000, 5_000_000));
        clocks.introduce(2, "b", clock(3000, 5_001_070));
        assert_eq!(clocks.ns(2, 3000), 5_001_070);
        assert!(clocks.differ());
        // One name, but a counter that has nothing to do with the other.
        let mut clocks = Clocks::default();
        clocks.introduce(0, "localhost", clock(1000, 5_000_000));
        clocks.introduce(1, "localhost", clock(1000, 9_000_000_000));
        assert!(clocks.differ());
        assert_eq!(clocks.hosts(), ["localhost"]);
        assert_eq!(clocks.ns(7, 42), 42);
    }
}
