//! How far a phase of the analysis is, how fast it goes, and how long it will take, in words.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The pace is that of the last seconds: parts of traces differ.
const LAST: Duration = Duration::from_secs(20);
/// Time between two marks at least.
const STEP: Duration = Duration::from_millis(250);

/// How far it was at some time.
#[derive(Clone, Copy)]
struct Mark {
    time: Instant,
    part: u64,
    events: u64,
}

/// A phase, and how it goes on.
pub(super) struct Pace {
    phase: &'static str,
    size: Option<u64>,
    begin: Instant,
    now: Mark,
    /// Marks of the last seconds, and one before them.
    marks: VecDeque<Mark>,
}

impl Pace {
    pub(super) fn new(time: Instant) -> Pace {
        let now = Mark { time, part: 0, events: 0 };
        Pace { phase: "opening the traces", size: None, begin: time, now, marks: VecDeque::new() }
    }

    pub(super) fn begin(&mut self, phase: &'static str, size: Option<u64>, time: Instant) {
        *self = Pace { phase, size, ..Pace::new(time) };
        self.marks.push_back(self.now);
    }

    pub(super) fn phase(&self) -> &'static str {
        self.phase
    }

    pub(super) fn reach(&mut self, part: u64, events: u64, time: Instant) {
        self.now = Mark { time, part, events };
        if self.marks.back().is_none_or(|last| time.duration_since(last.time) >= STEP) {
            self.marks.push_back(self.now);
        }
        while self.marks.get(1).is_some_and(|second| time.duration_since(second.time) >= LAST) {
            self.marks.pop_front();
        }
    }

    /// As `43 %, 31.2 M events/s, 12 s left`, or how long it has taken if nobody knows how much there is to do.
    pub(super) fn words(&self, time: Instant) -> String {
        let Some(size) = self.size else {
            return format!("{} so far", duration(time.duration_since(self.begin)));
        };
        let percent = 100 * u128::from(self.now.part) / u128::from(size.max(1));
        let mut words = format!("{percent} %");
        let Some(first) = self.marks.front() else { return words };
        let seconds = time.duration_since(first.time).as_secs_f64();
        if seconds > 0.0 && self.now.events > first.events {
            let events = self.now.events.saturating_sub(first.events) as f64 / seconds;
            words += &format!(", {} events/s", number(events));
            let bytes = self.now.part.saturating_sub(first.part) as f64 / seconds;
            let left = size.saturating_sub(self.now.part) as f64 / bytes;
            if let Ok(left) = Duration::try_from_secs_f64(left) {
                words += &format!(", {} left", duration(left));
            }
        }
        words
    }
}

fn number(n: f64) -> String {
    match n {
        _ if n >= 999_500.0 => format!("{:.1} M", n / 1e6),
        _ if n >= 999.5 => format!("{:.0} k", n / 1e3),
        _ => format!("{n:.0}"),
    }
}

/// The two largest units of it.
fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_the_pace_and_the_time_left_are_told() {
        let begin = Instant::now();
        let after = |seconds: f64| begin + Duration::from_secs_f64(seconds);
        let mut pace = Pace::new(begin);
        assert_eq!(pace.words(after(3.0)), "3 s so far");
        pace.begin("reading", Some(1000), after(5.0));
        assert_eq!(pace.words(after(5.0)), "0 %");
        assert_eq!(pace.words(after(7.0)), "0 %", "nobody knows how long it will take");
        pace.reach(100, 50_000_000, after(15.0));
        assert_eq!(pace.words(after(15.0)), "10 %, 5.0 M events/s, 1 min 30 s left");
        pace.begin("deadlocks", None, after(20.0));
        assert_eq!((pace.phase(), &*pace.words(after(10_900.0))), ("deadlocks", "3 h 1 min so far"));
    }

    #[test]
    fn the_pace_is_that_of_the_last_seconds() {
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
        pace.begin("reading", Some(100_000), begin);
        for second in 1..=100 {
            // Ten times slower from the fiftieth on.
            let part = if second < 50 { 1000 * second } else { 49_000 + 100 * (second - 49) };
            pace.reach(part, 3 * part, begin + Duration::from_secs(second));
        }
        assert_eq!(pace.words(begin + Duration::from_secs(100)), "54 %, 300 events/s, 7 min 39 s left");
        assert!(pace.marks.len() < 30, "{}", pace.marks.len());
    }
}
