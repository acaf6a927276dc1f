//! The phases of an analysis: how long each took, and who wants to see how far it is.

use std::time::{Duration, Instant};

/// Traces are read, and what they say is matched across ranks as it comes.
pub const READING: &str = "reading and matching";
/// The wait-for graph, and what other matchings would have led to.
pub const DEADLOCKS: &str = "deadlocks and other matchings";
/// Places in the source are looked up.
pub const SOURCES: &str = "source lines";
pub const PRINTING: &str = "printing";

/// Shows how far the analysis is.
pub trait Progress {
    /// A phase begins; `size`: how much there is to do, if that is known.
    fn phase(&self, name: &'static str, size: Option<u64>);
    /// This much of it is done, and so many events were read by then.
    fn reached(&self, part: u64, events: u64);
}

/// Phases so far, in the order of their beginning.
#[derive(Default)]
pub struct Phases {
    seconds: Vec<(&'static str, f64)>,
    progress: Option<Box<dyn Progress>>,
}

impl Phases {
    /// Lets `progress` show from now on how far the analysis is.
    pub fn watch(&mut self, progress: impl Progress + 'static) {
        self.progress = Some(Box::new(progress));
    }

    /// Ends what [`Phases::watch`] began.
    pub fn unwatch(&mut self) {
        self.progress = None;
    }

    /// Shows that a phase begins.
    pub fn begin(&self, name: &'static str, size: Option<u64>) {
        self.progress.iter().for_each(|p| p.phase(name, size));
    }

    pub fn reached(&self, part: u64, events: u64) {
        self.progress.iter().for_each(|p| p.reached(part, events));
    }

    /// Adds to the time of a phase.
    pub fn add(&mut self, name: &'static str, took: Duration) {
        match self.seconds.iter_mut().find(|phase| phase.0 == name) {
            Some(phase) => phase.1 += took.as_secs_f64(),
            None => self.seconds.push((name, took.as_secs_f64())),
        }
    }

    /// Runs `work` as a phase.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.begin(name, None);
        let start = Instant::now();
        let done = work();
        self.add(name, start.elapsed());
        done
    }

    /// The names of the phases and their seconds.
    pub fn finish(self) -> Vec<(&'static str, f64)> {
        self.seconds
    }
}
