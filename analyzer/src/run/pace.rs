//! How much of the machine may be used while the job goes on. Ranks that share the processors with whoever reads their traces
//! wait for each other longer, and most MPI libraries wait by polls: each second of reading may cost another one of waiting. Where
//! the ranks have all processors, most is read when they have ended, or rest.

use std::sync::LazyLock;
use std::time::Duration;

/// Processors that this process may use. Asked once: the answer takes several files of the system.
static PROCESSORS: LazyLock<usize> = LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

/// Processors that nobody uses: reading takes at most a third of one.
const BESIDE: u32 = 2;
/// None is left: at most a twentieth, as long as a reading takes little...
const AMONG: u32 = 19;
/// ...and at most a third, as long as that is not more than once in so long: ranks that stop are noticed then.
const LONGEST: Duration = Duration::from_secs(1);
/// So many bytes may be unread: half a second of work at the most for programs that repeat themselves, and three for others...
const LAG: u64 = 64 << 20;
/// ...and where it is done sooner when the job has ended.
const LAG_AMONG: u64 = 256 << 20;

/// The pace of reading while all ranks go on, so that none of them waits and there is no hurry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    times: u32,
    lag: u64,
}

impl Pace {
    /// The pace on this machine as it is now. `is_limited`: records are overwritten some time. All processors pass for taken if
    /// this process may use few of a large machine that is busy elsewhere.
    pub(super) fn now(is_limited: bool) -> Pace {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        // This process is running as well.
        let are_others_waiting = running(&load).is_some_and(|running| running > *PROCESSORS);
        match are_others_waiting && !is_limited {
            true => Pace { times: AMONG, lag: LAG_AMONG },
            false => Pace { times: BESIDE, lag: LAG },
        }
    }

    /// The pause behind a reading that took so long, with `unread` bytes left. `None`: there is too much to read.
    pub(super) fn pause(self, reading: Duration, unread: u64) -> Option<Duration> {
        let pause = reading.saturating_mul(self.times).min(LONGEST.max(2 * reading));
        (unread < self.lag).then_some(pause)
    }
}

/// Threads of the machine that run or wait for a processor: before the slash in the fourth field.
fn running(loadavg: &str) -> Option<usize> {
    loadavg.split_whitespace().nth(3)?.split('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_of_the_machine_is_read() {
        assert_eq!(running("0.52 0.58 0.59 3/389 12345\n"), Some(3));
        assert_eq!(running(""), None);
        assert_eq!(running("0.52 0.58 0.59 x 1"), None);
    }

    #[test]
    fn reading_leaves_the_processors_to_the_ranks() {
        let reading = Duration::from_millis(10);
        let [beside, among] = [(BESIDE, LAG), (AMONG, LAG_AMONG)].map(|(times, lag)| Pace { times, lag });
        assert_eq!(beside.pause(reading, 0), Some(2 * reading));
        assert_eq!(among.pause(reading, LAG), Some(19 * reading));
        assert_eq!(among.pause(10 * reading, 0), Some(LONGEST));
        assert_eq!(among.pause(100 * reading, 0), Some(200 * reading), "never more than a third");
        assert_eq!((beside.pause(reading, LAG), among.pause(reading, LAG_AMONG)), (None, None));
    }

    #[test]
    fn what_is_overwritten_is_read_soon() {
        assert_eq!(Pace::now(true).times, BESIDE);
    }
}
