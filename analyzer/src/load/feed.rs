//! Hands on new events of traces: one by one, or, for processes that are gone, to the engine by threads that read ahead
//! of it.

use super::notes::{RunNotes, TraceNotes};
use super::{MOST_OPEN, Trace, Traces};
use crate::crew::{Crew, Share, Task, TraceToRead};
use engine::Engine;
use engine::link::Linker;
use engine::read_ahead::{self, Elsewhere, Onlooker, Readers};
use engine::worlds::Names;
use report::symbols::Symbols;
use std::collections::BTreeSet;
use std::sync::Arc;
use trace_reader::reader::{EventRef, Keeps, LeanEvent};

impl Traces {
    /// Hands over new events, at most about `blocks` blocks a rank (or a piece of one: see
    /// [`Traces::read_side_by_side`]), and returns the ranks that had some. Ranks that `skip` names are left alone.
    pub fn poll(
        &mut self,
        blocks: usize,
        skip: &dyn Fn(i32) -> bool,
        sink: &mut dyn FnMut(i32, LeanEvent),
    ) -> BTreeSet<i32> {
        let mut news = BTreeSet::new();
        let names = self.worlds.names();
        let blocks = if self.side_by_side { 1 } else { blocks };
        for (&rank, trace) in &mut self.ranks {
            if trace.failed.is_some() || skip(rank) {
                continue;
            }
            let Trace { reader, notes, .. } = &mut **trace;
            let defects = reader.defects.count();
            let (symbols, run_notes) = (&mut self.symbols, &mut self.notes);
            let result = reader.poll_lean(blocks, usize::MAX, &mut |event| {
                notes.note(rank, &event, symbols, run_notes, &names);
                sink(rank, event);
            });
            match result {
                // Behind damage there may be more.
                Ok(any) if any || reader.defects.count() > defects => {
                    news.insert(rank);
                }
                Ok(_) => {}
                Err(e) => trace.failed = Some(e.to_string()),
            }
        }
        news
    }

    /// Feeds the engine with the traces of processes that are gone, which are read ahead of it, until nothing new comes
    /// or a process is held back, or as long as `onlooker` wants. `crew` reads them, if there is one. An error says why it cannot.
    pub(crate) fn feed(
        &mut self,
        linker: &mut Linker,
        engine: &mut Engine,
        onlooker: FeedOnlooker,
        crew: Option<&Crew>,
    ) -> Result<(), String> {
        let names = self.worlds.names();
        let unread = self.unread();
        // If there are several worlds, each trace may have to wait for others.
        let is_one_world = self.worlds.iter().count() == 1;
        let tasks = crew.filter(|_| is_one_world).map(|crew| self.tasks(crew, engine.keeps()));
        let (mut readers, mut traces) = (Vec::new(), Vec::new());
        for (&rank, trace) in self.ranks.iter_mut().filter(|(_, t)| t.failed.is_none()) {
            let Trace { reader, failed, notes } = &mut **trace;
            traces.push(TraceInFeed { rank, told: notes.events, notes, failed, unread: reader.unread() });
            readers.push(reader);
        }
        let (symbols, run_notes) = (&mut self.symbols, &mut self.notes);
        let mut taker = NoteTaker { traces, symbols, run_notes, names: &names, unread, events: 0, onlooker };
        let Some((crew, (tasks, source_of))) = crew.zip(tasks) else {
            read_ahead::feed(Readers::Here(readers), linker, engine, &mut taker);
            return Ok(());
        };
        let places: Vec<usize> = tasks.iter().flat_map(|task| task.share.places.iter().copied()).collect();
        let mut reading = crew.read(tasks);
        let stop = Arc::clone(&reading.stop);
        let ranks = readers.iter().map(|reader| reader.rank()).collect();
        let sources = std::mem::take(&mut reading.sources);
        let Some(wishes) = reading.wishes.take() else { return Ok(()) };
        let elsewhere = Elsewhere { ranks, source_of, sources, stop: &stop, unread, wishes };
        read_ahead::feed(Readers::Elsewhere(elsewhere), linker, engine, &mut taker);
        let left: Vec<u64> = taker.traces.iter().map(|trace| trace.unread).collect();
        for (place, defects) in places.into_iter().zip(reading.end()?) {
            readers[place].was_read_elsewhere(left[place], defects);
        }
        Ok(())
    }

    /// The tasks of the crew, and by place which of them reads a trace.
    fn tasks(&self, crew: &Crew, keeps: Keeps) -> (Vec<Task>, Vec<usize>) {
        let traces: Vec<&Trace> = self.ranks.values().map(|trace| &**trace).filter(|t| t.failed.is_none()).collect();
        let source_of = crew.divide(traces.iter().map(|t| (t.reader.header.host.as_str(), t.reader.unread())));
        let dir = std::path::absolute(&self.dir).unwrap_or_else(|_| self.dir.clone());
        let (piece, stay_closed) = (self.piece(), self.is_late || self.ranks.len() > MOST_OPEN);
        let task = |helper| {
            let places: Vec<usize> = (0..traces.len()).filter(|place| source_of[*place] == helper).collect();
            let trace = |place: &usize| {
                let reader = &traces[*place].reader;
                TraceToRead { stem: reader.stem().to_owned(), process: reader.rank() }
            };
            let traces_to_read = places.iter().map(trace).collect();
            let share = Share { keeps, ranks: traces.len(), places };
            Task { dir: dir.clone(), share, traces: traces_to_read, piece, stay_closed }
        };
        ((0..crew.size() - 1).map(task).collect(), source_of)
    }
}

/// Looks on at a feed, and may end it.
pub(crate) struct FeedOnlooker<'a> {
    /// Called now and then with the number of bytes that are still to be read, and of events that were.
    pub(crate) reached: &'a dyn Fn(u64, u64),
    /// Is more to be read?
    pub(crate) goes_on: &'a dyn Fn() -> bool,
}

/// Takes notes of the events that the engine is fed with.
struct NoteTaker<'a> {
    traces: Vec<TraceInFeed<'a>>,
    symbols: &'a mut Symbols,
    run_notes: &'a mut RunNotes,
    names: &'a Names,
    /// Bytes of all that are still to be read.
    unread: u64,
    /// Events of all, as far as they were told.
    events: u64,
    onlooker: FeedOnlooker<'a>,
}

/// A trace while it is read.
struct TraceInFeed<'a> {
    rank: i32,
    notes: &'a mut TraceNotes,
    failed: &'a mut Option<String>,
    unread: u64,
    /// Its events that were told.
    told: u64,
}

impl Onlooker for NoteTaker<'_> {
    #[inline]
    fn look(&mut self, place: usize, event: &EventRef) {
        let Some(TraceInFeed { rank, notes, .. }) = self.traces.get_mut(place) else { return };
        match event {
            EventRef::Repeat(_) => notes.note_calls(1),
            EventRef::Whole(event) => notes.note(*rank, event, self.symbols, self.run_notes, self.names),
        }
    }

    fn leapt(&mut self, place: usize, calls: u64) {
        self.traces.get_mut(place).into_iter().for_each(|trace| trace.notes.note_calls(calls));
    }

    fn unread(&mut self, place: usize, bytes: u64) {
        let Some(trace) = self.traces.get_mut(place) else { return };
        self.unread = (self.unread + bytes).saturating_sub(std::mem::replace(&mut trace.unread, bytes));
        let events = trace.notes.events;
        self.events += events.saturating_sub(std::mem::replace(&mut trace.told, events));
        (self.onlooker.reached)(self.unread, self.events);
    }

    fn failed(&mut self, place: usize, why: String) {
        if let Some(trace) = self.traces.get_mut(place) {
            *trace.failed = Some(why);
        }
    }

    fn goes_on(&self) -> bool {
        (self.onlooker.goes_on)()
    }
}
