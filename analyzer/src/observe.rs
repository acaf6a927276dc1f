//! Feeds the traces of a directory to the engine and makes the report: all at once for a finished run, or bit by bit
//! while the job runs.

use crate::call_contexts;
use crate::early::{self, introduce};
use crate::load::{LoadError, Receiver, Traces};
use engine::ahead::Read;
use engine::is_crash;
use engine::listen::Listener;
use engine::signal_name;
use engine::worlds::link::{Clock, Linker};
use engine::{End, Engine, Stuck, Ways};
use report::merge;
use report::phases::{DEADLOCKS, Phases, READING, SOURCES};
use report::samples::Samples;
use report::statistics::Collector;
use report::symbols::{Symbols, user_frame};
use report::timeline::Recorder;
use report::{FRAGMENTS, ProtocolListener, Report, RunInfo, clean_line, environment};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use trace_format::catalogue::{ABEND, CHECKS};
use trace_format::definition::Id;
use trace_format::file::RankHeader;
use trace_format::interruption;
use trace_format::job::Job;
use trace_format::selection::Selection;
use trace_format::system::{Signal, SystemEvent};
use trace_format::witness::{Take, Witness};
use trace_reader::reader::{LeanEvent, RankEvent};

/// Blocks read of one rank before it is the next rank's turn: what the engine holds of unmatched operations stays
/// small when ranks advance together.
const BLOCKS_A_TURN: usize = 4;
/// How long the trace of a running job is read when only its present state is asked for.
const RUNNING_LIMIT: Duration = Duration::from_secs(10);

/// How long a process of a running job is held back until it is known whom it can reach.
const PATIENCE: Duration = Duration::from_secs(5);

/// Traces and the engine that understands them.
pub struct Observer {
    pub traces: Traces,
    /// What the user wants to be told.
    selection: Selection,
    /// Other runs will be made: the matchings that are known.
    exploring: Option<Arc<FxHashSet<u64>>>,
    /// Listeners that want to know more than findings; the engine's, once there is one.
    listeners: Vec<Box<dyn Listener>>,
    /// What the protocol needs, if somebody wants it.
    seen: Option<Arc<Mutex<ProtocolListener>>>,
    /// What counts calls and messages, if somebody wants it.
    collector: Option<Arc<Mutex<Collector>>>,
    /// What draws the time line, if somebody wants it.
    recorder: Option<Arc<Mutex<Recorder>>>,
    /// Made when the first trace tells the number of ranks.
    engine: Option<Engine>,
    linker: Linker,
    /// Number of processes that the engine and the linker know of.
    known: i32,
    /// Since when processes are held back, while nothing becomes clear.
    holding: Option<Instant>,
    /// Ranks whose header the engine knows.
    introduced: BTreeSet<i32>,
    /// Ranks that were still going on when the rest was read.
    running: Vec<i32>,
    /// Events that the last [`Observer::poll`] brought.
    pub last_events: u64,
    /// Signals that end ranks, as long as nobody has asked for them.
    signals: Vec<(i32, Signal)>,
    /// What performance variables said.
    samples: Samples,
    /// How long what took.
    pub phases: Phases,
    /// The engine failed: nothing more is fed to it, and there will be no report.
    broken: Option<String>,
}

/// The state in which a report finds the job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// It is over, or goes on and nobody knows how.
    Any,
    /// It is proved that these ranks can never go on.
    Stuck(Vec<i32>),
    /// The same, and mpivet stops it.
    Stopped(Vec<i32>),
}

/// A mistake of mpivet itself.
#[derive(Debug, thiserror::Error)]
#[error("mpivet made a mistake and cannot go on ({what}); please report it, with the trace directory {dir}")]
pub struct Broken {
    what: String,
    dir: String,
}

/// Runs a part of the analysis. A mistake in it must not take the command down, which may have a job to look after.
fn guarded<T>(broken: &mut Option<String>, part: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(part)) {
        Ok(value) => Some(value),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("panic");
            *broken = Some(text.to_owned());
            None
        }
    }
}

/// Keeps what is told apart from the engine's findings.
fn note_system(rank: i32, event: &LeanEvent, signals: &mut Vec<(i32, Signal)>, samples: &mut Samples) {
    match event {
        RankEvent::System { event: SystemEvent::Signal(signal), .. } if signal.is_last => signals.push((rank, *signal)),
        RankEvent::System { event: SystemEvent::Sample(sample), .. } => samples.take(rank, sample),
        _ => {}
    }
}

/// Feeds the engine with what is read ahead.
struct Feeding<'a> {
    linker: &'a mut Linker,
    engine: &'a mut Engine,
    signals: &'a mut Vec<(i32, Signal)>,
    samples: &'a mut Samples,
    is_one_world: bool,
}

impl Receiver for Feeding<'_> {
    #[inline]
    fn take(&mut self, rank: i32, mut read: Read) {
        if let Read::Event(event) = &mut read {
            note_system(rank, event, self.signals, self.samples);
        }
        self.linker.feed_read(rank, read, self.engine);
    }

    fn engine(&mut self) -> Option<&mut Engine> {
        // With several worlds it matters how far each has come.
        self.is_one_world.then_some(&mut *self.engine)
    }

    fn goes_on(&self) -> bool {
        !self.linker.holds_any()
    }
}

impl Observer {
    pub fn new(dir: &Path, selection: Selection) -> Observer {
        Observer {
            traces: Traces::new(dir),
            selection,
            exploring: None,
            listeners: Vec::new(),
            seen: None,
            collector: None,
            recorder: None,
            engine: None,
            linker: Linker::default(),
            known: 0,
            holding: None,
            introduced: BTreeSet::new(),
            running: Vec::new(),
            last_events: 0,
            signals: Vec::new(),
            samples: Samples::default(),
            phases: Phases::default(),
            broken: None,
        }
    }

    /// Tells `listener` what happens, too. To be said before anything is read: see [`Observer::open`].
    pub fn listen(&mut self, listener: Box<dyn Listener>) {
        self.listeners.push(listener);
    }

    /// Asks for what [`report::Format::Protocol`] needs. To be said before anything is read.
    pub fn keep_protocol(&mut self) {
        let seen = Arc::new(Mutex::new(ProtocolListener::default()));
        self.seen = Some(seen.clone());
        self.listen(Box::new(seen));
    }

    /// Asks for statistics in the report. To be said before anything is read.
    pub fn count(&mut self) {
        let collector = Arc::new(Mutex::new(Collector::default()));
        self.collector = Some(collector.clone());
        self.listen(Box::new(collector));
    }

    /// Asks for the time line of the run in the report. To be said before anything is read.
    pub fn draw(&mut self) {
        let recorder = Arc::new(Mutex::new(Recorder::default()));
        self.recorder = Some(recorder.clone());
        self.listen(Box::new(recorder));
    }

    /// Opens the traces that the directory holds, for [`Observer::read_rest`].
    pub fn open(dir: &Path, selection: Selection) -> Result<Observer, LoadError> {
        Ok(Observer { traces: Traces::open(dir)?, ..Observer::new(dir, selection) })
    }

    /// Reads everything that the directory holds. `gone` knows whose process is no more.
    pub fn read(dir: &Path, selection: Selection, gone: impl Fn(&RankHeader) -> bool) -> Result<Observer, LoadError> {
        let mut observer = Observer::open(dir, selection)?;
        observer.read_rest(gone);
        Ok(observer)
    }

    /// Reads on until nothing new comes. What is torn in the trace of a process that is `gone` stays torn; the others
    /// may write without end, so that there is a limit.
    pub fn read_rest(&mut self, gone: impl Fn(&RankHeader) -> bool) {
        let (gone, running): (Vec<_>, Vec<_>) = self.traces.headers().partition(|h| gone(h));
        let gone: Vec<i32> = gone.into_iter().map(|h| h.rank).collect();
        self.running = running.iter().map(|h| h.rank).collect();
        let until = (!self.running.is_empty()).then(|| Instant::now() + RUNNING_LIMIT);
        for rank in gone {
            self.traces.writer_is_gone(rank);
        }
        if until.is_none() {
            self.traces.read_side_by_side();
        }
        let in_time = || until.is_none_or(|u| Instant::now() < u);
        let size = self.traces.unread();
        self.phases.begin(READING, Some(size));
        if self.running.is_empty() {
            self.read_ahead(size);
        }
        while in_time() && (!self.poll().is_empty() || self.link(true)) {
            self.phases.reached(size.saturating_sub(self.traces.unread()));
        }
    }

    /// Looks for new traces and hands their news to the engine; the ranks that had some.
    pub fn poll(&mut self) -> BTreeSet<i32> {
        let start = Instant::now();
        let news = self.poll_traces();
        self.phases.add(READING, start.elapsed());
        news
    }

    /// Looks for new traces, and makes them known to the engine; how many processes there are, if there is anything to do.
    fn prepare(&mut self) -> Option<i32> {
        if self.broken.is_some() {
            return None;
        }
        // The directory is gone or unreadable: the traces that are open tell enough.
        _ = self.traces.look_for_ranks();
        let size = self.traces.size()?;
        let (selection, exploring, listeners) = (&self.selection, &self.exploring, &mut self.listeners);
        let engine = self.engine.get_or_insert_with(|| {
            let mut engine = Engine::new(0);
            engine.select(selection.clone());
            exploring.iter().for_each(|known| engine.explore(known.clone()));
            match std::mem::take(listeners) {
                nobody if nobody.is_empty() => {}
                all => engine.listen(Box::new(all)),
            }
            engine
        });
        if self.known < size {
            engine.grow(size, self.traces.worlds.names());
            self.traces.worlds.iter().for_each(|(first, size, spawned)| self.linker.add_world(first, size, spawned));
            self.known = size;
        }
        // Rank 0 writes them down, maybe later than its trace and those of others are there.
        if !engine.knows_constants() {
            let job = self.traces.job().0;
            let limit = job.buffering_limit();
            engine.set_constants(job.constants);
            engine.set_buffering(job.buffering, limit);
        }
        for header in self.traces.headers() {
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

    fn poll_traces(&mut self) -> BTreeSet<i32> {
        let Some(size) = self.prepare() else { return BTreeSet::new() };
        let mut events = 0;
        let (traces, linker) = (&mut self.traces, std::cell::RefCell::new(&mut self.linker));
        let (signals, samples) = (&mut self.signals, &mut self.samples);
        let Some(engine) = self.engine.as_mut() else { return BTreeSet::new() };
        let news = guarded(&mut self.broken, || {
            traces.poll(BLOCKS_A_TURN, &|rank| linker.borrow().holds(rank), &mut |rank, mut event| {
                events += 1;
                note_system(rank, &event, signals, samples);
                linker.borrow_mut().feed(rank, &mut event, engine);
            })
        });
        self.last_events = events;
        let mut news = news.unwrap_or_default();
        if self.linker.holds_any() {
            let before: Vec<i32> = (0..size).filter(|r| self.linker.holds(*r)).collect();
            if self.link(false) {
                // What was held back is news.
                news.extend(before);
            }
        }
        news
    }

    /// Reads what processes that are gone have written, of `size` bytes, while the engine takes it. Stops where a process is
    /// held back until others are known.
    fn read_ahead(&mut self, size: u64) {
        let start = Instant::now();
        if self.prepare().is_none() {
            return;
        }
        let Some(engine) = self.engine.as_mut() else { return };
        let keeps = engine.keeps();
        let (traces, phases) = (&mut self.traces, &self.phases);
        let is_one_world = traces.worlds.iter().count() == 1;
        let (linker, signals, samples) = (&mut self.linker, &mut self.signals, &mut self.samples);
        let mut feeding = Feeding { linker, engine, signals, samples, is_one_world };
        guarded(&mut self.broken, || {
            let reached = |unread: u64| phases.reached(size.saturating_sub(unread));
            traces.read_ahead(keeps, &mut feeding, &reached);
        });
        self.phases.add(READING, start.elapsed());
    }

    /// Finds out who is on the other side of communicators between worlds; true if processes go on that were held back.
    /// `last`: there is nothing more to read, and what is still unclear stays so.
    fn link(&mut self, last: bool) -> bool {
        let Some(engine) = self.engine.as_mut() else { return false };
        let (linker, traces) = (&mut self.linker, &self.traces);
        let patient = self.holding.get_or_insert_with(Instant::now).elapsed() < PATIENCE;
        let went_on = guarded(&mut self.broken, || {
            let settle = last || !patient;
            linker.link(&|p| traces.is_caught_up(p), settle, engine) || settle && linker.give_up(engine)
        });
        let went_on = went_on.unwrap_or(false);
        if went_on || !self.linker.holds_any() {
            self.holding = None;
        }
        went_on
    }

    /// Calls in laps that were as the laps before them, so that they were counted and not looked at one by one.
    pub fn leapt(&self) -> u64 {
        self.engine.as_ref().map_or(0, Engine::leapt)
    }

    /// Findings about ranks that died of a signal of their own since the last time, in lines for people.
    pub fn deaths(&mut self) -> Vec<String> {
        let names = self.traces.worlds.names();
        let mut lines = Vec::new();
        let signals = std::mem::take(&mut self.signals);
        let Some(severity) = self.selection.severity(&ABEND, ABEND.severity) else { return lines };
        for (rank, signal) in signals.into_iter().filter(|(_, s)| is_crash(s.signal)) {
            let call = self.engine.as_ref().and_then(|engine| engine.interrupted(rank, &signal));
            let inside = call.map(|(function, _)| format!(" inside of {function}")).unwrap_or_default();
            let who = names.rename(&format!("rank {rank}"));
            let check = &ABEND;
            let what = format!("{}[{}] {}", severity.name(), check.code, check.name);
            lines.push(format!("mpivet: {who}: {what}: died of {}{inside}", signal_name(signal.signal)));
            let symbols = &mut self.traces.symbols;
            let pc = if signal.caller == 0 { signal.pc } else { signal.caller - 1 };
            let frames = symbols.frames(rank, call.map_or(0, |c| c.1), pc);
            let Some(place) = user_frame(&frames).and_then(|at| frames.get(at)) else { continue };
            lines.push(format!("mpivet: {who}:   at {}", clean_line(&place.to_string())));
            if let Some(text) = symbols.source(rank, &place.file, place.line) {
                lines.push(format!("mpivet: {who}:   | {}", clean_line(text.trim())));
            }
        }
        lines
    }

    /// All ranks of all worlds have a trace.
    pub fn is_complete(&self) -> bool {
        self.traces.size().is_some() && self.traces.missing().is_empty()
    }

    /// Ranks that can never go on, by what was fed so far.
    pub fn stuck(&mut self) -> Option<Stuck> {
        self.stuck_apart_from(&BTreeSet::new())
    }

    /// The same if these ranks can go on, whatever their calls say.
    pub fn stuck_apart_from(&mut self, running: &BTreeSet<i32>) -> Option<Stuck> {
        // Of a process that is held back it is not known what it does now.
        if self.broken.is_some() || self.linker.holds_any() {
            return None;
        }
        let engine = self.engine.as_mut()?;
        guarded(&mut self.broken, || engine.stuck_apart_from(running))?
    }

    /// Ranks that do nothing but poll, for what cannot come as long as that is so.
    pub fn polls_in_vain(&mut self) -> Vec<i32> {
        if self.broken.is_some() || self.linker.holds_any() {
            return Vec::new();
        }
        let Some(engine) = self.engine.as_mut() else { return Vec::new() };
        guarded(&mut self.broken, || engine.polls_in_vain()).unwrap_or_default()
    }

    /// Asks also what wildcards took and could have taken, apart from what is known. To be said before anything is read.
    pub fn explore(&mut self, known: Arc<FxHashSet<u64>>) {
        self.exploring = Some(known);
    }

    /// Makes the report of what was read.
    pub fn report(self, ending: Ending) -> Result<Report, Broken> {
        self.conclude(ending).map(|conclusion| conclusion.report)
    }

    /// The report of what was read, and what else it says.
    pub fn conclude(mut self, ending: Ending) -> Result<Conclusion, Broken> {
        let stopped_by_mpivet = matches!(ending, Ending::Stopped(_));
        let mut damage = self.traces.damage(stopped_by_mpivet);
        let unknown = self.traces.unknown();
        let (mut job, job_damage) = self.traces.job();
        let early = self.traces.early();
        // Nobody got through MPI_Init: that nothing is there from behind it is no damage.
        let job_damage = job_damage.filter(|_| early.is_empty() || self.traces.headers().next().is_some());
        let mut missing = self.traces.missing();
        introduce(&early, &mut job, &mut missing);
        let lost = !damage.is_empty() || !unknown.is_empty() || !self.running.is_empty();
        damage.extend(job_damage);
        damage.sort();
        if let Some(engine) = self.engine.as_mut() {
            while self.linker.link(&|_| true, true, engine) || self.linker.give_up(engine) {}
        }
        let leapt = self.leapt();
        let mut engine = self.engine.unwrap_or_else(|| Engine::new(job.ranks.max(0)));
        // What rank 0 adds to the description of the job later.
        engine.set_buffering(job.buffering.clone(), job.buffering_limit());
        if ending == Ending::Any {
            // What these ranks did or will do later is unknown, and nothing may be concluded from it.
            unknown.into_iter().chain(self.running.iter().copied()).for_each(|rank| engine.lose(rank));
        }
        let proven = match ending {
            Ending::Any => None,
            Ending::Stuck(ranks) | Ending::Stopped(ranks) => Some(ranks),
        };
        let interrupted = interruption::of(self.traces.dir());
        let end = End {
            stopped: proven.is_some(),
            proven: proven.unwrap_or_default(),
            missing: missing.clone(),
            lost,
            interrupted: interrupted.map(|interruption| interruption.after_unix_ns),
        };
        let dir = self.traces.dir().display().to_string();
        let analysis = match self.broken {
            Some(_) => None,
            None => {
                let symbols = &mut self.traces.symbols;
                let finish = || engine.finish_with(&end, |findings| merge::merge(findings, symbols));
                self.phases.time(DEADLOCKS, || guarded(&mut self.broken, finish))
            }
        };
        let Some(analysis) = analysis else {
            return Err(Broken { what: self.broken.unwrap_or_default(), dir });
        };
        let names = self.traces.worlds.names();
        let witnesses = named(analysis.witnesses, &job);
        let unwritten = write_witnesses(&witnesses, self.traces.dir());
        let remarks = job.alterations().into_iter().chain(self.linker.remarks(&names));
        let remarks = remarks.chain(analysis.open_questions).chain(unwritten).collect();
        let environment = self.seen.as_ref().map(|_| {
            let headers: Vec<&RankHeader> = self.traces.headers().collect();
            environment(&job, &headers, &names, self.traces.dir())
        });
        let run = RunInfo {
            program: job.program.clone(),
            arguments: job.arguments,
            ranks: job.ranks,
            mpi: job.mpi,
            missing,
            running: self.running,
            stopped: stopped_by_mpivet,
            interrupted: interrupted.map(|interruption| interruption.signal),
            has_dumps: analysis.has_dumps,
            trace_dir: dir,
            damage,
            max_findings: self.selection.max_findings(),
            hidden: analysis.hidden,
            queues: analysis.queues,
            names,
            remarks,
            samples: self.samples,
            checks: CHECKS.iter().copied().filter(|check| self.selection.is_on(check)).collect(),
            directory: std::env::current_dir().unwrap_or_default(),
        };
        let statistics = self.collector.map(|collector| {
            let collector = std::mem::take(&mut *collector.lock().unwrap_or_else(PoisonError::into_inner));
            collector.finish(&run.names, &mut self.traces.symbols)
        });
        let timeline = self.recorder.map(|recorder| {
            let recorder = std::mem::take(&mut *recorder.lock().unwrap_or_else(PoisonError::into_inner));
            recorder.finish(&run.names, &mut self.traces.symbols)
        });
        let symbols = &mut self.traces.symbols;
        let mut ways = analysis.ways;
        ways.places = places(&ways, symbols);
        let early = early::findings(&early, &run.names, &self.selection, symbols);
        let findings = analysis.findings.into_iter().chain(early).collect();
        let mut report = self.phases.time(SOURCES, || Report::new(run, findings, &analysis.ranks, symbols));
        report.statistics = statistics;
        report.timeline = timeline;
        if let Some((seen, environment)) = self.seen.zip(environment) {
            let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            self.phases.time(FRAGMENTS, || {
                let contexts = call_contexts::read(&self.traces, &report.calls_of_findings());
                report.add_protocol(&seen, environment, contexts, &mut self.traces.symbols);
            });
        }
        report.phases = self.phases.finish();
        report.leapt = leapt;
        Ok(Conclusion { report, ways, program: job.program, ranks: job.ranks, witnesses })
    }
}

/// What is known at the end of a run.
pub struct Conclusion {
    pub report: Report,
    pub ways: Ways,
    /// The program and its ranks, as witnesses have them.
    pub program: String,
    pub ranks: i32,
    /// The witnesses in the directory of the trace; the first one is number 1.
    pub witnesses: Vec<Witness>,
}

/// Where the wildcards of a run are called.
fn places(ways: &Ways, symbols: &mut Symbols) -> Vec<String> {
    let mut known: FxHashMap<(i32, Id), String> = FxHashMap::default();
    let all = ways.path.iter().zip(&ways.sites);
    let mut place = |(take, site): (&Take, &Id)| {
        let look = || symbols.user_place(take.rank, *site).map_or_else(String::new, |(_, shown)| shown);
        known.entry((take.rank, *site)).or_insert_with(look).clone()
    };
    all.map(&mut place).collect()
}

fn named(witnesses: Vec<Witness>, job: &Job) -> Vec<Witness> {
    witnesses.into_iter().map(|w| Witness { program: job.program.clone(), ranks: job.ranks, ..w }).collect()
}

/// Writes what `mpivet run --replay` takes into the directory of the trace; what could not be written, in words.
fn write_witnesses(witnesses: &[Witness], dir: &Path) -> Option<String> {
    for (i, witness) in witnesses.iter().enumerate() {
        let path = dir.join(format!("witness-{}.json", i + 1));
        let known = Witness::read(&path).is_ok_and(|known| known == *witness);
        if !known && let Err(why) = witness.write(&path) {
            return Some(format!("cannot write {}: {why}", path.display()));
        }
    }
    None
}
