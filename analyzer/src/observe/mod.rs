//! Feeds the traces of a directory to the engine and makes the report: all at once for a finished run, or bit by bit
//! while the job runs.

mod brake;
mod conclude;
mod deaths;
mod feeder;
mod listeners;
mod witnesses;

use crate::crew::Crew;
use crate::load::{FeedOnlooker, LoadError, Traces};
pub use brake::Brake;
use brake::Cut;
pub use conclude::{Conclusion, Ending, InternalError};
use engine::listeners::Listener;
use engine::{Engine, Fate, Stuck};
use feeder::Feeder;
use listeners::Listeners;
use report::phases::{Phases, READING};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use trace_format::file::RankHeader;
use trace_format::run::over::EndsSeen;
use trace_format::settings::selection::Selection;

/// How long the trace of a running job is read when only its present state is asked for.
const RUNNING_LIMIT: Duration = Duration::from_secs(10);

/// Traces and the engine that understands them.
pub struct Observer {
    pub traces: Traces,
    /// The checks and limits that the user chose.
    selection: Selection,
    /// Present if other runs will be made: the matchings that are known.
    exploring: Option<Arc<FxHashSet<u64>>>,
    listeners: Listeners,
    feeder: Feeder,
    /// Since the rest was read: was each rank that was there still going on?
    rest: Option<BTreeMap<i32, bool>>,
    /// Ranks whose processes died while the job went on.
    gone: BTreeSet<i32>,
    /// The ends of processes that were watched, in this order.
    pub seen: EndsSeen,
    /// Events that the last [`Observer::poll`] brought.
    pub last_events: u64,
    /// The times of the phases.
    pub phases: Phases,
    /// Ends [`Observer::read_rest`].
    pub brake: Brake,
    /// Processes that read the traces of jobs that are over; `None`: this one does.
    pub crew: Option<Rc<Crew>>,
    cut: Option<Cut>,
}

impl Observer {
    pub fn new(dir: &Path, selection: Selection) -> Observer {
        Observer {
            traces: Traces::new(dir),
            selection,
            exploring: None,
            listeners: Listeners::default(),
            feeder: Feeder::default(),
            rest: None,
            gone: BTreeSet::new(),
            seen: EndsSeen::default(),
            last_events: 0,
            phases: Phases::default(),
            brake: Brake::default(),
            crew: None,
            cut: None,
        }
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

    /// Tells `listener` what happens, too. To be said before anything is read: see [`Observer::open`].
    pub fn listen(&mut self, listener: Box<dyn Listener>) {
        self.listeners.add(listener);
    }

    /// Asks for what [`report::Format::Protocol`] needs. To be said before anything is read.
    pub fn keep_protocol(&mut self) {
        self.listeners.keep_protocol();
    }

    /// Asks for statistics in the report. To be said before anything is read.
    pub fn count(&mut self) {
        self.listeners.count();
    }

    /// Asks for the time line of the run in the report. To be said before anything is read.
    pub fn draw(&mut self) {
        self.listeners.draw();
    }

    /// Asks also for the messages that wildcards took and could have taken, apart from matchings that are known. To be
    /// said before anything is read.
    pub fn explore(&mut self, known: Arc<FxHashSet<u64>>) {
        self.exploring = Some(known);
    }

    /// Reads on until nothing new comes. Records that are torn in the trace of a process that is `gone` stay torn. The
    /// other processes may write without end, so that there is a limit of time. [`Observer::brake`] ends it before.
    pub fn read_rest(&mut self, gone: impl Fn(&RankHeader) -> bool) {
        self.tell_gone_apart(&gone);
        let mut until = self.limit_of_time();
        if until.is_none() {
            self.traces.read_side_by_side();
        }
        let size = self.traces.unread();
        self.phases.begin(READING, Some(size));
        self.brake.say_over(false);
        if until.is_none() {
            self.read_ahead(size);
        }
        let mut any = true;
        while any && until.is_none_or(|until| Instant::now() < until) && self.brake.signal().is_none() {
            any = !self.poll().is_empty() || self.feeder.link(&self.traces, true);
            // Ranks whose traces were made in the meantime.
            if self.tell_gone_apart(&gone) {
                any = true;
                until = until.or_else(|| self.limit_of_time());
            }
            self.phases.reached(size.saturating_sub(self.traces.unread()), self.traces.events());
        }
        self.brake.say_over(true);
        self.note_cut(any, size);
    }

    /// When to stop reading, if any rank goes on.
    fn limit_of_time(&self) -> Option<Instant> {
        (!self.running().is_empty()).then(|| Instant::now() + RUNNING_LIMIT)
    }

    /// Asks of the ranks that are new whether their processes are `gone`. False: there are none.
    fn tell_gone_apart(&mut self, gone: impl Fn(&RankHeader) -> bool) -> bool {
        let known = self.rest.get_or_insert_default();
        let is_new = |header: &&RankHeader| !known.contains_key(&header.rank);
        let new: Vec<(i32, bool)> = self.traces.headers().filter(is_new).map(|h| (h.rank, !gone(h))).collect();
        known.extend(new.iter().copied());
        let is_gone = |&&(_, runs): &&(i32, bool)| !runs;
        new.iter().filter(is_gone).for_each(|&(rank, _)| self.traces.writer_is_gone(rank));
        !new.is_empty()
    }

    /// Ranks that were still going on when the rest was read, and all that have come since.
    fn running(&self) -> Vec<i32> {
        let Some(known) = &self.rest else { return Vec::new() };
        let runs = |rank: &i32| known.get(rank).is_none_or(|runs| *runs);
        self.traces.headers().map(|header| header.rank).filter(runs).collect()
    }

    /// Notes that the reading of traces of this size was ended while there was `any`thing more.
    fn note_cut(&mut self, any: bool, size: u64) {
        if let Some(signal) = self.brake.signal().filter(|_| any) {
            let (read, events) = (size.saturating_sub(self.traces.unread()), self.traces.events());
            self.cut = Some(Cut { signal, size, read, events });
            self.traces.cut();
        }
    }

    /// Was the reading ended before its end?
    pub fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// Why the processes that were to read the traces did not: see [`Observer::crew`].
    pub fn lost(&self) -> Option<&str> {
        self.feeder.lost()
    }

    /// Looks for new traces and hands new events to the engine. Returns the ranks that had some.
    pub fn poll(&mut self) -> BTreeSet<i32> {
        let start = Instant::now();
        let mut news = BTreeSet::new();
        if let Some(size) = self.prepare() {
            (news, self.last_events) = self.feeder.poll(&mut self.traces, size);
        }
        self.phases.add(READING, start.elapsed());
        news
    }

    /// Feeds the traces of processes that are gone, of `size` bytes, by threads that read ahead.
    fn read_ahead(&mut self, size: u64) {
        let start = Instant::now();
        if self.prepare().is_some() {
            let (phases, brake) = (&self.phases, &self.brake);
            let onlooker = FeedOnlooker {
                reached: &|unread, events| phases.reached(size.saturating_sub(unread), events),
                goes_on: &|| brake.signal().is_none(),
            };
            self.feeder.read_ahead(&mut self.traces, onlooker, self.crew.as_deref());
            self.phases.add(READING, start.elapsed());
        }
    }

    /// Looks for new traces, and makes them known to the engine. Returns the number of processes, if there is anything
    /// to do.
    fn prepare(&mut self) -> Option<i32> {
        let Observer { traces, selection, exploring, listeners, feeder, .. } = self;
        feeder.prepare(traces, || {
            let mut engine = Engine::new(0);
            engine.select(selection.clone());
            exploring.iter().for_each(|known| engine.explore(known.clone()));
            listeners.attach(&mut engine);
            engine
        })
    }

    /// Calls in laps that repeat the laps before them, so that they were counted and not looked at one by one.
    pub fn leapt(&self) -> u64 {
        self.feeder.leapt()
    }

    /// All ranks of all worlds have a trace.
    pub fn is_complete(&self) -> bool {
        self.traces.size().is_some() && self.traces.missing().is_empty()
    }

    /// Ranks that can never go on, by what was fed so far.
    pub fn stuck(&mut self) -> Option<Stuck> {
        self.stuck_apart_from(&BTreeSet::new())
    }

    /// Ranks that can never go on even if the ranks `running` can, whatever the calls of those say.
    pub fn stuck_apart_from(&mut self, running: &BTreeSet<i32>) -> Option<Stuck> {
        let gone = &self.gone;
        self.feeder.stuck_if(|rank| match () {
            () if gone.contains(&rank) => Fate::IsGone,
            () if running.contains(&rank) => Fate::GoesOn,
            () => Fate::Waits,
        })
    }

    /// Takes it that the processes of these ranks are no more, and that nobody ends the others for that.
    pub fn are_gone(&mut self, ranks: BTreeSet<i32>) {
        self.gone = ranks;
    }

    /// Has each rank that is known come to an end of its own?
    pub fn have_all_ended(&self) -> bool {
        self.traces.headers().all(|header| self.feeder.end_of(header.rank).0)
    }

    /// Did a process of this host that is no more, or of which nobody can say, come to no end of its own?
    pub fn has_died(&self, rank: i32, is_gone: Option<bool>) -> bool {
        let (has_ended, has_crashed) = self.feeder.end_of(rank);
        !has_ended && is_gone.unwrap_or(has_crashed)
    }

    /// Ranks that do nothing but poll, for what cannot come as long as that is so.
    pub fn polls_in_vain(&mut self) -> Vec<i32> {
        self.feeder.polls_in_vain()
    }
}
