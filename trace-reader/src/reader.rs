//! Reads the trace of one rank, of a finished run or of one that is still going on: the blocks of the trace file,
//! then what is still in the stages. Damage is reported as a [`Defect`] and skipped; it never ends the reading.

use std::cell::Cell;
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use trace_format::definition::Definition;
use trace_format::file::{BlockKind, PROCESS_THREAD, RankHeader, STAGE_MAGIC, rank_of_stem, rank_stem};
use trace_format::head::Head;
pub use trace_format::head::OpenError;
use trace_format::system::SystemEvent;
use trace_format::{codec, untrusted};

mod at_rest;
mod blobs;
mod blocks;
mod decode;
mod defects;
mod event;
mod footprint;
mod kept;
mod memory_cost;
mod merge;
mod record;
mod ring;
mod rounds;
mod sink;
pub mod stage;
mod thread;
mod threads;
mod varying;

use at_rest::AtRest;
pub use at_rest::Sight;
use blobs::Blobs;
use blocks::{BlockRef, Blocks};
pub use defects::{Defect, Defects};
pub use event::{EventRef, LeanEvent, RankEvent, Repeat, Rounds};
use memory_cost::CostMeter;
use ring::Files;
pub use sink::{Keeps, Sink};
use stage::StageView;
use thread::Thread;
use threads::Threads;
pub use varying::{Field, Part, Varying, varying_fields, varying_of, varying_status, with_varying};

/// Reads one rank's trace.
pub struct RankReader {
    /// The header of the trace file; its rate of the clock is that of the whole run, where the file has it.
    pub header: RankHeader,
    dir: PathBuf,
    stem: String,
    blocks: Files,
    /// Blocks of definitions, to be handed over before what is behind them.
    definitions: VecDeque<BlockRef>,
    threads: Threads,
    /// Threads whose stages cannot be read, which was told.
    unreadable: BTreeSet<u16>,
    blobs: Blobs,
    at_rest: AtRest,
    /// Events of the process as a whole, held back until what its threads did before them has been handed over.
    late: Vec<LeanEvent>,
    pace: merge::Pace,
    /// Bytes of blocks that were found and not used.
    waiting: u64,
    /// Bytes of records that are unpacked at a time; `None`: whole blocks.
    piece: Option<usize>,
    stays_closed: bool,
    /// There are no stages, and there will be none.
    has_no_stage: bool,
    /// Another process has read it: so many bytes are left.
    read_elsewhere: Option<u64>,
    /// It was looked around since the process is gone.
    saw_end: bool,
    /// It was handed over that segments are gone.
    told_cut: bool,
    /// All damage that was found and skipped so far.
    pub defects: Defects,
}

impl RankReader {
    /// Opens the trace of `rank` of the first world in `dir`. Fails where the file or its header cannot be read.
    pub fn open(dir: &Path, rank: i32) -> Result<RankReader, OpenError> {
        RankReader::open_stem(dir, &rank_stem(rank))
    }

    /// Opens the trace whose files begin with `stem` (see [`traces_in`]). Fails where the file or its header cannot be read.
    pub fn open_stem(dir: &Path, stem: &str) -> Result<RankReader, OpenError> {
        let Head { header, path, file, bytes, .. } = Head::open(dir, stem)?;
        let limited = header.retention.max_bytes > 0;
        let main = Blocks::new(header.rank, (0, path), file, bytes);
        Ok(RankReader {
            blocks: Files::new(main, limited.then(|| (dir.to_owned(), stem.to_owned()))),
            header,
            dir: dir.to_owned(),
            stem: stem.to_owned(),
            definitions: VecDeque::new(),
            threads: Threads::default(),
            unreadable: BTreeSet::new(),
            blobs: Blobs::default(),
            at_rest: AtRest::default(),
            late: Vec::new(),
            pace: merge::Pace::default(),
            waiting: 0,
            piece: None,
            stays_closed: false,
            has_no_stage: false,
            read_elsewhere: None,
            saw_end: false,
            told_cut: false,
            defects: Defects::default(),
        })
    }

    /// The number of the process: its rank in the first world, or what [`RankReader::renumber`] has given.
    pub fn rank(&self) -> i32 {
        self.header.rank
    }

    /// Gives the process another number: ranks of several worlds are numbered through.
    pub fn renumber(&mut self, process: i32) {
        self.header.rank = process;
        self.blocks.renumber(process);
    }

    /// The names of its files begin with this.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Says that the process is gone, so that what is torn now stays torn.
    pub fn writer_is_gone(&mut self) {
        self.blocks.finish();
        self.forget_copies();
    }

    /// Hands over what is new, at most about `max_blocks` blocks of the file; true if there was something, or if there
    /// is something that has to wait for what another thread may have done before.
    /// When it returns false, everything that the rank has committed was handed over. Fails where a file cannot be read:
    /// damage in what was read goes to [`RankReader::defects`].
    pub fn poll(&mut self, max_blocks: usize, sink: &mut dyn FnMut(RankEvent)) -> Result<bool, OpenError> {
        self.poll_lean(max_blocks, usize::MAX, &mut |event: LeanEvent| sink(event.into()))
    }

    /// As [`RankReader::poll`], and about so many events at most, by their cost ([`LeanEvent::memory_cost`]): what ranks did at
    /// about the same time can so be looked at together, and little is in flight.
    pub fn poll_lean<S: Sink>(&mut self, max_blocks: usize, most: usize, sink: &mut S) -> Result<bool, OpenError> {
        if self.read_elsewhere.is_some() {
            return Ok(false);
        }
        let result = self.read(max_blocks, most, sink);
        self.blocks.take_defects(&mut self.defects);
        if self.stays_closed {
            self.put_away();
        }
        result
    }

    /// The next call that repeats a kept one is handed over whole once more: for a sink that has forgotten those that it kept.
    pub fn keep_anew(&mut self) {
        self.threads.values_mut().for_each(Thread::keep_anew);
    }

    /// Is something at hand behind which nothing can have appeared?
    fn has_rest(&self) -> bool {
        self.saw_end
            && match self.threads.len() {
                0 => false,
                1 => self.threads.values().all(Thread::has_records),
                _ => self.threads.values().all(Thread::is_ready),
            }
    }

    /// The process is gone, and what it has left is in its files, which were searched since.
    fn has_only_files(&self) -> bool {
        self.saw_end && self.has_no_stage
    }

    /// Was everything handed over that will ever be? It may be so without being known; [`RankReader::poll`] returns false then.
    pub fn is_over(&self) -> bool {
        let is_read = |thread: &Thread| thread.blocks.is_empty() && thread.has_handed_over();
        self.has_only_files()
            && self.late.is_empty()
            && self.definitions.is_empty()
            && self.threads.values().all(is_read)
            && (self.told_cut || !self.blocks.is_cut)
    }

    /// Says once that segments are gone: a thread that recorded nothing later has no place where it could be said.
    fn tell_cut(&mut self, sink: &mut dyn FnMut(LeanEvent)) {
        if self.blocks.is_cut && !std::mem::replace(&mut self.told_cut, true) {
            let time = self.threads.values().map(Thread::last_time).fold(self.header.start_ticks, u64::max);
            sink(RankEvent::System { thread: PROCESS_THREAD, time, event: SystemEvent::Gap { calls: 0 } });
        }
    }

    /// Looks for blocks and stages that are new.
    fn look_around(&mut self) -> Result<(), OpenError> {
        self.saw_end = self.blocks.finished;
        self.find_blocks()?;
        loop {
            // A thread that is found now may have recorded something before what was found of the others.
            let threads = self.find_stages();
            if self.at_rest.is_late() {
                self.pace.look_at_copies(self.threads.values_mut(), self.at_rest.take_new());
            } else {
                self.pace.look(self.threads.values_mut());
            }
            // A definition is in the file before a stage has what refers to it: so what the stages hold is handed over
            // only when the file was searched once more.
            self.find_blocks()?;
            if self.find_stages() == threads {
                return Ok(());
            }
        }
    }

    fn read<S: Sink>(&mut self, max_blocks: usize, most: usize, sink: &mut S) -> Result<bool, OpenError> {
        if !self.has_rest() {
            self.look_around()?;
        }
        let taken = Cell::new(0usize);
        let sink = &mut CostMeter { sink, taken: &taken };
        self.tell_cut(&mut |event| sink.event(event));
        let known = self.definitions.len();
        let mut budget = max_blocks;
        let rest = match self.threads.len() {
            0 | 1 => self.read_only_thread(&mut budget, (most, &taken), sink)?,
            _ => self.merge(&mut budget, (most, &taken), &mut |event| sink.event(event))?,
        };
        let fronts = self.threads.values().map(|t| &t.blocks).chain([&self.definitions]);
        self.blocks.close_before(fronts.filter_map(|b| b.front()).map(|b| b.segment).min().unwrap_or(u64::MAX));
        let done = !rest && self.threads.values().all(|t| t.blocks.is_empty());
        if done {
            self.define((u64::MAX, 0), &mut |event| sink.event(event))?;
            if self.saw_end {
                // Ranks may be thousands, and of one that is read nothing is needed to read on.
                self.blocks.forget_records();
                self.threads.values_mut().for_each(Thread::forget_records);
            }
        }
        // Events that are still in the stages came before.
        let all = self.has_only_files() || self.threads.values().all(Thread::is_known);
        if done && (all || taken.get() == 0 && budget == max_blocks) {
            self.late.drain(..).for_each(|event| sink.event(event));
        }
        Ok(rest || !done || taken.get() > 0 || self.definitions.len() != known || budget < max_blocks)
    }

    /// Without others to wait for, a thread's events go straight through. True if there are more of them at hand.
    fn read_only_thread<S: Sink>(
        &mut self,
        budget: &mut usize,
        (most, taken): (usize, &Cell<usize>),
        sink: &mut CostMeter<S>,
    ) -> Result<bool, OpenError> {
        let Some(number) = self.threads.numbers().next() else { return Ok(false) };
        self.use_stage(number, &mut |event| sink.event(event))?;
        loop {
            let Some(thread) = self.threads.get_mut(number) else { return Ok(false) };
            loop {
                let likeness = if sink.wants_likeness() { thread.next_likeness() } else { None };
                let Some(result) = thread.next_record(&self.blobs) else { break };
                match result {
                    Ok(RankEvent::Call(whole)) => sink.call(likeness, |call| {
                        *call = whole;
                        Ok::<_, OpenError>(())
                    })?,
                    Ok(event) => sink.event(event),
                    Err(what) => Place::of(&self.blocks).damaged(&mut self.defects, what),
                }
                if taken.get() >= most {
                    return Ok(true);
                }
            }
            if let Some(block) = thread.begun() {
                if !self.go_on(number, &block, budget, (most, taken), sink)? {
                    return Ok(false);
                }
                if taken.get() >= most {
                    return Ok(true);
                }
            } else if !self.use_block(number, budget, &mut |event| sink.event(event))? {
                return Ok(false);
            }
        }
    }

    /// The thread of the process, as the system numbers it, that is thread `number` of the trace.
    pub fn owner(&self, number: u16) -> Option<u32> {
        self.threads.get(number)?.owner()
    }

    /// Bytes of the file that are still to be read.
    pub fn unread(&self) -> u64 {
        self.read_elsewhere.unwrap_or_else(|| self.blocks.unread() + self.waiting)
    }

    /// Another process has read the trace, down to so many bytes, and found these defects. There is no more of it here.
    pub fn was_read_elsewhere(&mut self, unread: u64, mut defects: Defects) {
        self.read_elsewhere = Some(unread);
        self.defects.take(&mut defects);
    }

    /// Looks for new blocks of the file.
    fn find_blocks(&mut self) -> Result<(), OpenError> {
        loop {
            let (dir, stem) = (&self.dir, &self.stem);
            let staged =
                || self.threads.values().any(|t| t.stage.is_some()) || self.header.stage(dir, stem, 0).is_some();
            let Some(block) = self.blocks.next(staged)? else { return Ok(()) };
            let (kind, thread) = (block.header.kind, block.header.thread);
            if kind == BlockKind::Definitions as u16 {
                self.definitions.push_back(block);
            } else if kind != BlockKind::Events as u16 && kind != BlockKind::Packed as u16 {
                self.blocks.defect(&block, format!("unknown kind of block {kind}, skipped"));
            } else if thread == PROCESS_THREAD && kind == BlockKind::Packed as u16 {
                self.blocks.defect(&block, "a packed block of the process, skipped");
            } else if thread == PROCESS_THREAD {
                self.process_block(&block)?;
            } else {
                self.waiting += u64::from(block.header.len);
                self.threads.or_new(thread).blocks.push_back(block);
            }
        }
    }

    /// Takes the events of the process as a whole from a block. They come after all events of its threads.
    fn process_block(&mut self, block: &BlockRef) -> Result<(), OpenError> {
        let mut payload = Vec::new();
        if !self.blocks.payload(block, &mut payload)? {
            return Ok(());
        }
        let mut decoder = decode::Decoder::new(PROCESS_THREAD);
        let mut offset = 0;
        while let Some(record) = record::record_at(&payload, offset) {
            match decoder.record(&self.blobs, record, offset) {
                Ok(event) => self.late.push(event),
                Err(what) => self.blocks.defect(block, format!("damaged record: {what}")),
            }
            offset += record.len();
        }
        Ok(())
    }

    /// Looks for stages of threads that were not known; the number of all threads.
    fn find_stages(&mut self) -> usize {
        if self.has_no_stage {
            return self.threads.len();
        }
        if self.is_seen_late() {
            self.find_copies();
            return self.threads.len();
        }
        for number in 0..PROCESS_THREAD {
            if self.threads.get(number).is_some_and(|t| t.stage.is_some()) {
                continue;
            }
            let Some(path) = self.header.stage(&self.dir, &self.stem, number) else {
                self.has_no_stage = number == 0 && self.blocks.finished;
                break;
            };
            let Ok(file) = untrusted::open(&path) else { break };
            match StageView::new(&file, self.header.stage_bytes as usize) {
                Ok(view) if view.magic() == STAGE_MAGIC => {
                    self.threads.or_new(number).stage = Some(view);
                }
                Ok(_) => {}
                // A process may have been killed when it had just made the file.
                Err(_) if file.metadata().is_ok_and(|m| m.len() == 0) => {}
                // Told once: readers come back for more as long as there is news.
                Err(e) if self.blocks.finished && self.unreadable.insert(number) => {
                    self.blocks.main.defect(self.blocks.main.position(), format!("{}: {e}", path.display()));
                }
                Err(_) => {}
            }
        }
        self.threads.len()
    }

    /// Hands over the definitions in front of `position`.
    fn define(&mut self, position: (u64, u64), sink: &mut dyn FnMut(LeanEvent)) -> Result<(), OpenError> {
        let mut payload = Vec::new();
        while self.definitions.front().is_some_and(|b| b.place() < position)
            && let Some(block) = self.definitions.pop_front()
        {
            if block.repeats() && !self.blocks.is_cut {
                continue;
            }
            if !self.blocks.payload(&block, &mut payload)? {
                continue;
            }
            let mut rest = &payload[..];
            while let Some(item) = codec::take::<Definition>(&mut rest) {
                match item {
                    Ok(Definition::Blob { id, bytes }) => {
                        self.blobs.insert(id, bytes, self.blocks.place_of(&block));
                    }
                    Ok(def) => sink(RankEvent::Definition(def)),
                    Err(e) => self.blocks.defect(&block, e.to_string()),
                }
            }
        }
        Ok(())
    }

    /// Makes the next block of a thread what is at hand of it. False if there is none, or no more may be read.
    fn use_block(
        &mut self,
        number: u16,
        budget: &mut usize,
        sink: &mut dyn FnMut(LeanEvent),
    ) -> Result<bool, OpenError> {
        loop {
            // It may have turned out with the block before.
            self.tell_cut(sink);
            let Some(thread) = self.threads.get_mut(number).filter(|_| *budget > 0) else { return Ok(false) };
            let Some(block) = thread.blocks.pop_front() else { return Ok(false) };
            let mut payload = thread.buffer();
            // An only thread is read record by record behind the first one.
            let as_one = !thread.is_new(&block) || self.threads.len() > 1;
            self.define(block.place(), sink)?;
            let last = match as_one {
                true => self.blocks.payload(&block, &mut payload)?.then_some(true),
                false => self.blocks.first(&block, &mut payload)?,
            };
            let limited = self.blocks.are_limited();
            let Some(thread) = self.threads.get_mut(number) else { return Ok(false) };
            let result = last.map(|_| thread.use_block(&block, payload, limited, &self.blobs, sink));
            if let Some(Err(what)) = &result {
                self.blocks.defect(&block, what);
            }
            if last != Some(false) || !thread.put_back(block) {
                *budget -= 1;
                self.waiting = self.waiting.saturating_sub(block.header.len.into());
            }
            if result.is_some() {
                return Ok(true);
            }
        }
    }

    /// Makes what was taken from the stage of a thread what is at hand of it.
    fn use_stage(&mut self, number: u16, sink: &mut dyn FnMut(LeanEvent)) -> Result<(), OpenError> {
        let Some(thread) = self.threads.get(number) else { return Ok(()) };
        if !thread.has_staged() {
            return Ok(());
        }
        self.define((u64::MAX, 0), sink)?;
        let limited = self.blocks.are_limited();
        let Some(thread) = self.threads.get_mut(number) else { return Ok(()) };
        if let Err(what) = thread.use_stage(limited, &self.blobs, sink) {
            self.blocks.main.defect(self.blocks.main.position(), format!("stage of thread {number}: {what}"));
        }
        Ok(())
    }
}

/// Where records are read.
#[derive(Clone, Copy)]
struct Place {
    rank: i32,
    offset: u64,
    is_cut: bool,
}

impl Place {
    fn of(blocks: &Files) -> Place {
        Place { rank: blocks.main.rank, offset: blocks.position(), is_cut: blocks.is_cut }
    }

    /// A record cannot be understood. One that needs what went with an earlier segment is just gone.
    fn damaged(self, defects: &mut Defects, what: String) {
        let Place { rank, offset, is_cut } = self;
        if !is_cut {
            defects.add(Defect { rank, offset, what: format!("damaged record: {what}") });
        }
    }
}

/// Stems of the trace files in `dir`, by rank, the plain ones first. Fails where the directory cannot be listed.
pub fn traces_in(dir: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let name = entry?.file_name();
        let Some(stem) = name.to_str().and_then(|n| n.strip_suffix(".mpv")) else { continue };
        found.extend(rank_of_stem(stem).map(|(rank, plain)| (rank, !plain, stem.to_owned())));
    }
    found.sort_unstable();
    Ok(found.into_iter().map(|(_, _, stem)| stem).collect())
}
