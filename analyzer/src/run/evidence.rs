//! The state of a rank's process, as the system knows it: is it the one that wrote the trace, does it live, and has
//! it had the chance to continue since it was found waiting? The verdict on a rank that a message under way might
//! still serve rests on this; a process that could not run proves nothing.

use agents::process::{Activity, Reading};
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};
use trace_format::run::proc::{self, Stat};

/// A rank that used this much processor time and did not come out of its call was not held up by a slow machine: the
/// progress loop of an MPI library takes microseconds.
const ENOUGH_CPU: Duration = Duration::from_millis(15);
/// A rank that slept this long was not woken by anything.
const ENOUGH_SLEEP: Duration = Duration::from_millis(80);
/// Looks that must have seen it asleep in that time.
const ENOUGH_LOOKS: u32 = 3;
/// Number of rounds in which all ranks must have had their chance. One may do something in its chance that another
/// waits for (a message longer than the library buffers takes some steps to and fro), and the other needs a chance
/// after that.
const ROUNDS: u32 = 4;

/// The processes of this host that live, with their parents; `None` if the system does not tell.
fn processes() -> Option<impl Iterator<Item = (u32, u32)>> {
    let all = fs::read_dir("/proc").ok()?;
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    let living = |pid: u32| Stat::of(pid).filter(|stat| !stat.has_ended()).map(|stat| (pid, stat.parent));
    Some(all.flatten().filter_map(number).filter_map(living))
}

/// Has the process a child that lives? True if the system does not tell.
pub(crate) fn has_children(pid: u32) -> bool {
    processes().is_none_or(|mut all| all.any(|(_, parent)| parent == pid))
}

/// Does another process have the same value of this variable in its environment, apart from this process and those
/// that it descends from? Processes that a job has started and left behind have inherited it. True if the system does
/// not tell.
pub(crate) fn others_share(variable: &str, pid: u32) -> bool {
    let Some(all) = processes() else { return true };
    let parents: BTreeMap<u32, u32> = all.collect();
    let mut apart = vec![pid];
    while let Some(parent) = apart.last().and_then(|last| parents.get(last)).filter(|p| !apart.contains(p)) {
        apart.push(*parent);
    }
    let value = |pid: u32| proc::variable(&proc::environment(pid), variable).map(<[u8]>::to_vec);
    let is_other = |other: &u32| *other != std::process::id() && !apart.contains(other);
    value(pid).is_none_or(|own| parents.keys().any(|other| is_other(other) && value(*other).as_ref() == Some(&own)))
}

/// Collects readings of some processes until they prove that all had their chance.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    witnesses: Vec<Witness>,
    rounds: u32,
}

impl Evidence {
    /// Looks at all processes, in the same order each time. True when the case is proved; it is for no process.
    pub(crate) fn add(&mut self, readings: &[Reading], now: Instant) -> bool {
        self.witnesses.resize_with(readings.len(), Witness::default);
        if readings.iter().any(|l| matches!(l.activity, Activity::Held | Activity::Gone)) {
            // Time in this state is no chance, and what the others did meanwhile may need an answer.
            *self = Evidence::default();
            return readings.is_empty();
        }
        let mut all = true;
        for (witness, reading) in self.witnesses.iter_mut().zip(readings) {
            all &= witness.add(*reading, now);
        }
        if all {
            self.rounds += 1;
            for (witness, reading) in self.witnesses.iter_mut().zip(readings) {
                *witness = Witness::default();
                witness.add(*reading, now);
            }
        }
        readings.is_empty() || self.rounds >= ROUNDS
    }
}

/// The readings of one process in this round.
#[derive(Debug, Default)]
struct Witness {
    /// Processor time at the first look.
    cpu: Option<Duration>,
    /// First look that saw it asleep, the last one, and how many they were.
    asleep: Option<(Instant, Instant, u32)>,
    proved: bool,
}

impl Witness {
    /// True if the process had its chance.
    fn add(&mut self, reading: Reading, now: Instant) -> bool {
        // To fall asleep again it must have run: time between two sleeps counts, however it was spent.
        if reading.activity == Activity::Sleeps {
            let (first, _, readings) = self.asleep.unwrap_or((now, now, 0));
            self.asleep = Some((first, now, readings + 1));
        }
        let used = reading.cpu.saturating_sub(*self.cpu.get_or_insert(reading.cpu));
        let slept = self.asleep.is_some_and(|(first, last, n)| last - first >= ENOUGH_SLEEP && n >= ENOUGH_LOOKS);
        self.proved |= used >= ENOUGH_CPU || slept;
        self.proved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Activity::*;

    /// Looks every 20 ms at processes that do what the scripts say: activity and processor time in ms. True if the
    /// case is proved at the end.
    fn case(scripts: &[&[(Activity, u64)]]) -> bool {
        let start = Instant::now();
        let mut case = Evidence::default();
        let mut proved = false;
        for i in 0..scripts[0].len() {
            let reading = |s: &&[(Activity, u64)]| Reading { activity: s[i].0, cpu: Duration::from_millis(s[i].1) };
            let readings: Vec<Reading> = scripts.iter().map(reading).collect();
            proved = case.add(&readings, start + Duration::from_millis(20 * i as u64));
        }
        proved
    }

    #[test]
    fn a_process_that_spins_has_its_chance() {
        let spin: Vec<_> = (0..5).map(|i| (Runs, 1000 + 20 * i)).collect();
        assert!(case(&[&spin]));
        assert!(!case(&[&spin[..4]]));
    }

    #[test]
    fn a_process_that_sleeps_has_its_chance() {
        assert!(case(&[&[(Sleeps, 5); 17]]));
        assert!(!case(&[&[(Sleeps, 5); 16]]));
        let polls: Vec<_> = (0..40).map(|i| (if i % 3 == 1 { Runs } else { Sleeps }, 5)).collect();
        assert!(case(&[&polls]));
    }

    #[test]
    fn a_process_that_gets_no_processor_proves_nothing() {
        assert!(!case(&[&[(Runs, 7); 1000]]));
        let mut starved = vec![(Sleeps, 7)];
        starved.extend([(Runs, 7); 1000]);
        assert!(!case(&[&starved]));
    }

    #[test]
    fn each_has_its_chance_after_the_others() {
        // The first runs all the time, the second only at the end: its chance there is one, not four.
        let first: Vec<_> = (0..60).map(|i| (Runs, 20 * i)).collect();
        let mut second = vec![(Runs, 0); 50];
        second.extend((0..10).map(|i| (Runs, if i == 0 { 100 } else { 101 })));
        assert!(!case(&[&first, &second]));
        second.truncate(50);
        second.extend((0..10).map(|i| (Runs, 20 * i)));
        assert!(case(&[&first, &second]));
    }

    #[test]
    fn a_stopped_process_proves_nothing_and_forgets() {
        assert!(!case(&[&[(Held, 7); 1000]]));
        let mut stopped = vec![(Sleeps, 5); 100];
        stopped.push((Held, 5));
        assert!(!case(&[&stopped]));
        stopped.extend([(Sleeps, 5); 10]);
        assert!(!case(&[&stopped]));
        stopped.extend([(Sleeps, 5); 10]);
        assert!(case(&[&stopped]));
    }

    #[test]
    fn no_process_needs_no_evidence() {
        assert!(Evidence::default().add(&[], Instant::now()));
    }
}
