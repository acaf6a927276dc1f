//! What the system says of a rank's process: is it the one that wrote the trace, does it live, and has it had the
//! chance to go on since it was found waiting? The verdict on a rank that might still be served by what is under way
//! rests on this; a process that could not run proves nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A rank that used this much processor time and did not come out of its call was not held up by a slow machine.
const ENOUGH_CPU: Duration = Duration::from_millis(50);
/// A rank that slept this long was not woken by anything.
const ENOUGH_SLEEP: Duration = Duration::from_millis(300);
/// Looks that must have seen it asleep in that time.
const ENOUGH_LOOKS: u32 = 5;

/// Name of this host, as the traces have it.
pub(crate) fn hostname() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").map(|h| h.trim().to_owned()).unwrap_or_default()
}

/// Does the process that had this pid and start time still live? A zombie does not.
pub(crate) fn lives(pid: u32, start: u64) -> bool {
    stat(&proc_dir(pid)).is_some_and(|s| s.start == start && !matches!(s.state, 'Z' | 'X'))
}

fn proc_dir(pid: u32) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}"))
}

/// Fields of `/proc/PID/stat`.
struct Stat {
    state: char,
    start: u64,
    /// User and system time in clock ticks.
    ticks: u64,
}

fn stat(dir: &Path) -> Option<Stat> {
    parse_stat(&fs::read_to_string(dir.join("stat")).ok()?)
}

/// The name in brackets may hold anything, also blanks and brackets: the fields are counted from its end.
fn parse_stat(text: &str) -> Option<Stat> {
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat { state: fields.first()?.chars().next()?, start: number(22)?, ticks: number(14)? + number(15)? })
}

/// What a process was doing when it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// A thread runs or could run.
    Runs,
    /// All threads sleep and could be woken.
    Sleeps,
    /// Stopped by a signal or a debugger, or waiting for a device: it cannot go on whatever the others do.
    Held,
    Gone,
}

/// One look at a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) activity: Activity,
    /// Processor time of all threads so far.
    pub(crate) cpu: Duration,
}

/// Looks at the process, all its threads together.
pub(crate) fn look(pid: u32, start: u64) -> Look {
    let gone = Look { activity: Activity::Gone, cpu: Duration::ZERO };
    let dir = proc_dir(pid);
    match stat(&dir) {
        Some(s) if s.start == start && !matches!(s.state, 'Z' | 'X') => {}
        _ => return gone,
    }
    let Ok(threads) = fs::read_dir(dir.join("task")) else { return gone };
    let (mut runs, mut held, mut cpu) = (false, false, Duration::ZERO);
    for thread in threads.flatten() {
        let thread = thread.path();
        // A thread may end between the listing and the look.
        let Some(stat) = stat(&thread) else { continue };
        match stat.state {
            'T' | 't' | 'D' => held = true,
            'S' | 'I' => {}
            _ => runs = true,
        }
        cpu += cpu_time(&thread).unwrap_or(Duration::from_millis(10 * stat.ticks));
    }
    let activity = if held {
        Activity::Held
    } else if runs {
        Activity::Runs
    } else {
        Activity::Sleeps
    };
    Look { activity, cpu }
}

/// Nanosecond-exact, where the kernel counts it; clock ticks are 10 ms.
fn cpu_time(thread: &Path) -> Option<Duration> {
    let text = fs::read_to_string(thread.join("schedstat")).ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}

/// Collects looks at one process until they prove that it had its chance.
#[derive(Debug, Default)]
pub(crate) struct Witness {
    /// Processor time at the first look.
    cpu: Option<Duration>,
    /// First look that saw it asleep, the last one, and how many they were.
    asleep: Option<(Instant, Instant, u32)>,
    proved: bool,
}

impl Witness {
    pub(crate) fn add(&mut self, look: Look, now: Instant) {
        match look.activity {
            // Time in this state is no chance; what was seen before must be seen again.
            Activity::Held | Activity::Gone => {
                *self = Witness::default();
                return;
            }
            Activity::Sleeps => {
                let (first, _, looks) = self.asleep.unwrap_or((now, now, 0));
                self.asleep = Some((first, now, looks + 1));
            }
            // To fall asleep again it must have run: only what lies between two sleeps counts.
            Activity::Runs => {}
        }
        let used = look.cpu.saturating_sub(*self.cpu.get_or_insert(look.cpu));
        let slept =
            self.asleep.is_some_and(|(first, last, looks)| last - first >= ENOUGH_SLEEP && looks >= ENOUGH_LOOKS);
        self.proved |= used >= ENOUGH_CPU || slept;
    }

    /// The process had its chance to go on, and has not been held since.
    pub(crate) fn proves(&self) -> bool {
        self.proved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Activity::*;

    /// Looks every 20 ms at a process that does what `script` says: activity and processor time in ms.
    fn witness(script: &[(Activity, u64)]) -> bool {
        let start = Instant::now();
        let mut witness = Witness::default();
        for (i, (activity, cpu)) in script.iter().enumerate() {
            let look = Look { activity: *activity, cpu: Duration::from_millis(*cpu) };
            witness.add(look, start + Duration::from_millis(20 * i as u64));
        }
        witness.proves()
    }

    #[test]
    fn a_process_that_spins_has_its_chance() {
        let spin: Vec<_> = (0..4).map(|i| (Runs, 1000 + 20 * i)).collect();
        assert!(witness(&spin));
        assert!(!witness(&spin[..3]));
    }

    #[test]
    fn a_process_that_sleeps_has_its_chance() {
        assert!(witness(&[(Sleeps, 5); 16]));
        assert!(!witness(&[(Sleeps, 5); 15]));
        let polls: Vec<_> = (0..16).map(|i| (if i % 3 == 1 { Runs } else { Sleeps }, 5)).collect();
        assert!(witness(&polls));
    }

    #[test]
    fn a_process_that_gets_no_processor_proves_nothing() {
        assert!(!witness(&[(Runs, 7); 1000]));
        let mut starved = vec![(Sleeps, 7)];
        starved.extend([(Runs, 7); 1000]);
        assert!(!witness(&starved));
    }

    #[test]
    fn a_stopped_process_proves_nothing_and_forgets() {
        assert!(!witness(&[(Held, 7); 1000]));
        let mut stopped = vec![(Sleeps, 5); 100];
        stopped.push((Held, 5));
        assert!(!witness(&stopped));
        stopped.extend([(Sleeps, 5); 10]);
        assert!(!witness(&stopped));
        stopped.extend([(Sleeps, 5); 10]);
        assert!(witness(&stopped));
    }

    #[test]
    fn stat_is_read_behind_the_name() {
        let text = "42 (a ) b) S 1 42 42 0 -1 4194304 1 0 0 0 30 12 0 0 20 0 1 0 777 1 1 1";
        let stat = parse_stat(text).unwrap();
        assert_eq!((stat.state, stat.start, stat.ticks), ('S', 777, 42));
        assert!(parse_stat("42 (x").is_none() && parse_stat("42 (x) S 1").is_none());
    }

    #[test]
    fn this_process_lives() {
        let pid = std::process::id();
        let start = stat(&proc_dir(pid)).unwrap().start;
        assert!(lives(pid, start) && !lives(pid, start + 1));
        assert_ne!(look(pid, start).activity, Gone);
        assert!(look(pid, start).cpu > Duration::ZERO);
        assert_eq!(look(pid, start + 1).activity, Gone);
    }
}
