//! The events of a run for other programs, written while they are read: memory does not grow with the run.

mod calls;
mod fan_out;
mod perfetto;
mod places;
mod size;
#[cfg(test)]
mod tests;

pub use calls::Calls;
pub use perfetto::Perfetto;
pub use size::{Limit, Size};

use crate::load::{LoadError, Traces};
use crate::observe::{Ending, InternalError, Observer};
use engine::clocks::Clock;
use engine::clocks::Clocks;
use engine::listeners::{Collective, Message, Returned};
use engine::worlds::Names;
use fan_out::FanOut;
use places::Places;
use report::FindingCall;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use trace_format::file::RankHeader;
use trace_format::settings::selection::Selection;
use trace_format::system::SystemEvent;

/// Facts that a writer needs besides the event.
pub struct Scene {
    pub(crate) places: Places,
    pub(crate) clocks: Clocks,
    pub(crate) names: Names,
    /// Start of the first rank, in nanoseconds since 1970.
    pub(crate) start: u64,
}

impl Scene {
    /// Nanoseconds since the beginning; times before it are negative.
    pub(crate) fn at(&self, rank: i32, ticks: u64) -> i64 {
        let ns = i128::from(self.clocks.ns(rank, ticks)) - i128::from(self.start);
        i64::try_from(ns).unwrap_or(if ns < 0 { i64::MIN } else { i64::MAX })
    }
}

/// Writes events in some form. Calls of a thread come in the order of their returns, those of different threads in any order.
pub trait Writer: Send {
    fn begin(&mut self, _scene: &Scene, _ranks: &[RankHeader]) -> io::Result<()> {
        Ok(())
    }
    fn call(&mut self, _scene: &Scene, _call: &Returned) -> io::Result<()> {
        Ok(())
    }
    fn message(&mut self, _scene: &Scene, _message: &Message) -> io::Result<()> {
        Ok(())
    }
    fn collective(&mut self, _scene: &Scene, _collective: &Collective) -> io::Result<()> {
        Ok(())
    }
    fn system(&mut self, _scene: &Scene, _of: (i32, u16), _time: u64, _event: &SystemEvent) -> io::Result<()> {
        Ok(())
    }
    /// A call that a finding speaks of.
    fn finding(&mut self, _scene: &Scene, _call: &FindingCall) -> io::Result<()> {
        Ok(())
    }
    fn end(&mut self) -> io::Result<()>;
}

/// Why nothing, or not everything, was written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
    #[error(transparent)]
    InternalError(#[from] InternalError),
}

/// The result of an export, for messages of the caller.
#[derive(Debug)]
pub struct Done {
    /// Processes that are not known to be gone.
    pub running: Vec<RankHeader>,
    /// Events beyond the limit.
    pub left_out: u64,
    /// Parts that could not be read.
    pub defects: Vec<String>,
}

/// Writes the events of the run in `dir`. `gone` knows whose process is no more.
pub fn write(
    dir: &Path,
    writers: Vec<Box<dyn Writer>>,
    limit: Limit,
    gone: &dyn Fn(&RankHeader) -> bool,
) -> Result<Done, Error> {
    let scene = look(dir, gone)?;
    let mut observer = Observer::open(dir, Selection::default())?;
    let headers: Vec<RankHeader> = observer.traces.headers().cloned().collect();
    let mut fan_out = FanOut::new(scene, writers, limit);
    fan_out.begin(&headers)?;
    let fan_out = Arc::new(Mutex::new(fan_out));
    observer.listen(Box::new(fan_out.clone()));
    observer.read_rest(gone);
    let running = observer.traces.headers().filter(|h| !gone(h)).cloned().collect();
    let report = observer.report(Ending::Any)?;
    let mut fan_out = fan_out.lock().unwrap_or_else(PoisonError::into_inner);
    fan_out.end(&report)?;
    Ok(Done { running, left_out: fan_out.left_out(), defects: report.defects() })
}

/// Reads the traces once for what must be known before the first event is written: where call sites are.
fn look(dir: &Path, gone: &dyn Fn(&RankHeader) -> bool) -> Result<Scene, Error> {
    let mut traces = Traces::open(dir)?;
    let mut clocks = Clocks::default();
    for header in traces.headers() {
        clocks.introduce(header.rank, &header.host, Clock::of(header));
    }
    let places = Places::read(&mut traces, gone);
    let starts = traces.headers().map(|h| clocks.ns(h.rank, h.start_ticks));
    let calls = places.first_calls.iter().map(|(rank, time)| clocks.ns(*rank, *time));
    let start = starts.chain(calls).min().unwrap_or(0);
    let names = traces.worlds.names();
    Ok(Scene { places, clocks, names, start })
}
