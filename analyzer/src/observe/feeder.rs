//! Feeds the engine with the traces of a directory, through the linker of worlds. A mistake in any of them must not take the
//! command down, which may have a job to look after.

use crate::crew::Crew;
use crate::load::{FeedOnlooker, Traces};
use engine::clocks::Clock;
use engine::link::Linker;
use engine::variables::Variables;
use engine::worlds::Names;
use engine::{Analysis, End, Engine, Fate, Stuck};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use trace_format::finding::Finding;
use trace_format::run::job::Job;
use trace_format::system::Signal;
use trace_reader::reader::EventRef;

/// Blocks read of one rank before it is the next rank's turn: what the engine holds of unmatched operations stays
/// small when ranks advance together.
const BLOCKS_A_TURN: usize = 4;

/// Limit of the time for which a process of a running job is held back until the processes that it can reach are known.
const PATIENCE: Duration = Duration::from_secs(5);

/// See the module.
#[derive(Default)]
pub(super) struct Feeder {
    /// Made when the first trace tells the number of ranks.
    engine: Option<Engine>,
    linker: Linker,
    /// Number of processes that the engine and the linker know of.
    known: i32,
    /// The time from which on processes are held back and nothing new became known.
    holding: Option<Instant>,
    /// Ranks whose header the engine knows.
    introduced: BTreeSet<i32>,
    /// The engine knows what rank 0 says of the job.
    is_described: bool,
    /// The engine failed: nothing more is fed to it, and there will be no report.
    broken: Option<String>,
    /// See [`Feeder::lost`].
    lost: Option<String>,
}

/// Runs a part of the analysis; an error says why it failed.
fn guarded<T>(part: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(part)).map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("panic").to_owned()
    })
}

impl Feeder {
    /// Does a part of the analysis. `None`: it failed, or one before it, or there is no engine yet.
    fn run<T>(&mut self, part: impl FnOnce(&mut Engine, &mut Linker) -> T) -> Option<T> {
        let engine = self.engine.as_mut().filter(|_| self.broken.is_none())?;
        let linker = &mut self.linker;
        guarded(|| part(engine, linker)).map_err(|what| self.broken = Some(what)).ok()
    }

    /// Looks for new traces, and makes them known to the engine, which `make` makes. Returns the number of processes,
    /// if there is anything to do.
    pub(super) fn prepare(&mut self, traces: &mut Traces, make: impl FnOnce() -> Engine) -> Option<i32> {
        if self.broken.is_some() {
            return None;
        }
        // The directory is gone or unreadable: the traces that are open tell enough.
        _ = traces.look_for_ranks();
        let size = traces.size()?;
        let engine = self.engine.get_or_insert_with(make);
        if self.known < size {
            engine.grow(size, traces.worlds.names());
            traces.worlds.iter().for_each(|(first, size, spawned)| self.linker.add_world(first, size, spawned));
            self.known = size;
        }
        // Rank 0 writes the constants down, maybe later than the traces appear.
        if !self.is_described {
            self.is_described = traces.is_described();
            let job = traces.job().0;
            let limit = job.buffering_limit();
            engine.set_constants(job.constants);
            engine.set_buffering(job.buffering, limit);
        }
        for header in traces.headers() {
            if self.introduced.insert(header.rank) {
                engine.set_request_stride(header.rank, header.request_stride);
                if header.may_have_threads {
                    engine.may_have_threads(header.rank);
                }
                let clock = Clock::of(header);
                engine.set_clock(header.rank, &header.host, clock);
                self.linker.introduce(header.rank, &header.host, clock);
            }
        }
        Some(size)
    }

    /// Feeds the new events of `size` processes. Returns the ranks that had some, and the number of events.
    pub(super) fn poll(&mut self, traces: &mut Traces, size: i32) -> (BTreeSet<i32>, u64) {
        let mut events = 0;
        let news = self.run(|engine, linker| {
            let linker = RefCell::new(linker);
            traces.poll(BLOCKS_A_TURN, &|rank| linker.borrow().holds(rank), &mut |rank, mut event| {
                events += 1;
                linker.borrow_mut().take(rank, EventRef::Whole(&mut event), engine);
            })
        });
        let mut news = news.unwrap_or_default();
        if self.linker.holds_any() {
            let before: Vec<i32> = (0..size).filter(|r| self.linker.holds(*r)).collect();
            if self.link(traces, false) {
                // Events that were held back are news.
                news.extend(before);
            }
        }
        (news, events)
    }

    /// Feeds the traces of processes that are gone. Stops where a process is held back until others are known, or where
    /// `onlooker` wants no more.
    pub(super) fn read_ahead(&mut self, traces: &mut Traces, onlooker: FeedOnlooker, crew: Option<&Crew>) {
        if let Some(Err(what)) = self.run(|engine, linker| traces.feed(linker, engine, onlooker, crew)) {
            self.lost = Some(what);
        }
    }

    /// Why the processes that were to read the traces did not.
    pub(super) fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// Finds out which processes are on the other side of communicators between worlds; true if processes go on that
    /// were held back. `last`: there is nothing more to read, and links that are still unknown stay so.
    pub(super) fn link(&mut self, traces: &Traces, last: bool) -> bool {
        let patient = self.holding.get_or_insert_with(Instant::now).elapsed() < PATIENCE;
        let settle = last || !patient;
        let went_on = self.run(|engine, linker| {
            linker.link(&|p| traces.is_caught_up(p), settle, engine) || settle && linker.give_up(engine)
        });
        let went_on = went_on.unwrap_or(false);
        if went_on || !self.linker.holds_any() {
            self.holding = None;
        }
        went_on
    }

    /// Ranks that can never go on by what was fed so far, and by what is known of them besides.
    pub(super) fn stuck_if(&mut self, fate: impl Fn(i32) -> Fate) -> Option<Stuck> {
        // The present call of a process that is held back is not known.
        if self.linker.holds_any() {
            return None;
        }
        self.run(|engine, _| engine.stuck_if(fate))?
    }

    /// See [`Engine::has_ended`] and [`Engine::has_crashed`].
    pub(super) fn end_of(&self, rank: i32) -> (bool, bool) {
        self.engine.as_ref().map_or((false, false), |engine| (engine.has_ended(rank), engine.has_crashed(rank)))
    }

    /// Ranks that do nothing but poll, for what cannot come as long as that is so.
    pub(super) fn polls_in_vain(&mut self) -> Vec<i32> {
        if self.linker.holds_any() {
            return Vec::new();
        }
        self.run(|engine, _| engine.polls_in_vain()).unwrap_or_default()
    }

    /// The call that a rank was in when a signal came, and where it was made: its site.
    pub(super) fn interrupted(&self, rank: i32, signal: &Signal) -> Option<(&'static str, u32)> {
        self.engine.as_ref()?.interrupted(rank, signal)
    }

    /// See [`Engine::is_ended_by_leak`].
    pub(super) fn is_ended_by_leak(&self, rank: i32, signal: &Signal) -> bool {
        self.engine.as_ref().is_some_and(|engine| engine.is_ended_by_leak(rank, signal))
    }

    /// Calls in laps that repeat the laps before them, so that they were counted and not looked at one by one.
    pub(super) fn leapt(&self) -> u64 {
        self.engine.as_ref().map_or(0, Engine::leapt)
    }

    /// Says in words which worlds could not be linked.
    pub(super) fn remarks(&self, names: &Names) -> Vec<String> {
        self.linker.remarks(names)
    }

    /// Looks up the variables that hold the buffers of calls.
    pub(super) fn look_at_variables(&mut self, variables: &mut dyn Variables) {
        self.run(|engine, linker| {
            while linker.link(&|_| true, true, engine) || linker.give_up(engine) {}
            engine.look_at_variables(variables);
        });
    }

    /// Ends the feeding and returns the findings. `fold` makes one finding of several where that takes more than the
    /// engine knows. `lost`: ranks whose later calls are not known.
    pub(super) fn finish(
        &mut self,
        job: &Job,
        end: &End,
        lost: &[i32],
        fold: impl FnOnce(Vec<Finding>) -> Vec<Finding>,
    ) -> Result<Analysis, String> {
        self.engine.get_or_insert_with(|| Engine::new(job.ranks.max(0)));
        let analysis = self.run(|engine, linker| {
            while linker.link(&|_| true, true, engine) || linker.give_up(engine) {}
            // Rank 0 adds this to the description of the job later.
            engine.set_buffering(job.buffering.clone(), job.buffering_limit());
            lost.iter().for_each(|rank| engine.lose(*rank));
            engine.finish_with(end, fold)
        });
        analysis.ok_or_else(|| self.broken.take().unwrap_or_default())
    }
}
