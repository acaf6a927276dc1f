//! Reads the trace of one rank, of a finished run or of one that is still going on: the blocks of the trace file,
//! then what is still in the stages. Damage is reported as a [`Defect`] and skipped; it never ends the reading.

use crate::call::{Call, SystemEvent, Value};
use crate::codec;
use crate::definition::Definition;
use crate::file::{
    BlockKind, MAGIC, PROCESS_THREAD, RankHeader, STAGE_MAGIC, VERSION, rank_of_stem, rank_stem, stage_path_of,
    trace_path,
};
use crate::mpi::table_hash;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

mod blocks;
mod decode;
mod merge;
mod stage;
mod thread;

use blocks::{BlockRef, Blocks};
use decode::Blobs;
use stage::StageView;
use thread::Thread;

/// Why the trace of a rank cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot read {path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} is not a trace of mpivet (it does not begin with the mark of one)")]
    NotATrace { path: PathBuf },
    #[error(
        "{path} was written by a newer mpivet (layout {found}, this one reads up to {VERSION}); use that version to analyze it"
    )]
    Newer { path: PathBuf, found: u32 },
    #[error(
        "{path} was written by mpivet {found}, whose table of MPI functions differs from that of this build; use that version to analyze it"
    )]
    OtherTable { path: PathBuf, found: String },
    #[error("{path}: the header is cut off or damaged; the rank died before it could write it, or the disk was full")]
    BadHeader { path: PathBuf },
}

/// A place in a trace that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    pub rank: i32,
    /// Offset in the trace file, where that is known.
    pub offset: u64,
    pub what: String,
}

/// What the reader hands over: each thread's events in their order, the threads of a rank by time.
#[derive(Debug, Clone, PartialEq)]
pub enum RankEvent {
    Definition(Definition),
    /// A call, open or already returned.
    Call(Call),
    /// The return of a call that was handed over while open. If it was not, the call is a poll that was repeated since.
    Return {
        thread: u16,
        index: u64,
        time: u64,
        class: u16,
        polls: u32,
        outs: Vec<Value>,
    },
    System {
        thread: u16,
        time: u64,
        event: SystemEvent,
    },
}

/// Reads one rank's trace.
pub struct RankReader {
    pub header: RankHeader,
    dir: PathBuf,
    stem: String,
    blocks: Blocks,
    /// Blocks of definitions, to be handed over before what is behind them.
    definitions: VecDeque<BlockRef>,
    threads: BTreeMap<u16, Thread>,
    /// Threads whose stages cannot be read, which was told.
    unreadable: BTreeSet<u16>,
    blobs: Blobs,
    /// Events of the process as a whole, held back until what its threads did before them has been handed over.
    late: Vec<RankEvent>,
    pace: merge::Pace,
    pub defects: Vec<Defect>,
}

impl RankReader {
    /// Opens the trace of `rank` of the first world in `dir`.
    pub fn open(dir: &Path, rank: i32) -> Result<RankReader, OpenError> {
        RankReader::open_stem(dir, &rank_stem(rank))
    }

    /// Opens the trace whose files begin with `stem`.
    pub fn open_stem(dir: &Path, stem: &str) -> Result<RankReader, OpenError> {
        let path = trace_path(dir, stem);
        let io_error = |source| OpenError::Io { path: path.clone(), source };
        let mut file = File::open(&path).map_err(io_error)?;
        let mut head = [0; 16];
        let got = read_up_to(&mut file, &mut head).map_err(io_error)?;
        if got < 8 || head[..8] != MAGIC {
            let path = path.clone();
            return Err(if got < 8 { OpenError::BadHeader { path } } else { OpenError::NotATrace { path } });
        }
        let word = |i: usize| u32::from_le_bytes([head[i], head[i + 1], head[i + 2], head[i + 3]]);
        let bad_header = || OpenError::BadHeader { path: path.clone() };
        if got < 16 {
            return Err(bad_header());
        }
        if word(8) > VERSION {
            return Err(OpenError::Newer { path: path.clone(), found: word(8) });
        }
        let len = word(12) as usize;
        if len as u64 > codec::MAX_ITEM_BYTES {
            return Err(bad_header());
        }
        let mut item = head[12..16].to_vec();
        item.resize(4 + len, 0);
        file.read_exact(&mut item[4..]).map_err(|_| bad_header())?;
        let header: RankHeader = match codec::take(&mut &item[..]) {
            Some(Ok(h)) => h,
            _ => return Err(bad_header()),
        };
        if header.table_hash != table_hash() {
            return Err(OpenError::OtherTable { path: path.clone(), found: header.mpivet });
        }
        Ok(RankReader {
            blocks: Blocks::new(header.rank, path, file, 16 + len as u64),
            header,
            dir: dir.to_owned(),
            stem: stem.to_owned(),
            definitions: VecDeque::new(),
            threads: BTreeMap::new(),
            unreadable: BTreeSet::new(),
            blobs: Blobs::default(),
            late: Vec::new(),
            pace: merge::Pace::default(),
            defects: Vec::new(),
        })
    }

    pub fn rank(&self) -> i32 {
        self.header.rank
    }

    /// Gives the process another number: ranks of several worlds are numbered through.
    pub fn renumber(&mut self, process: i32) {
        self.header.rank = process;
        self.blocks.rank = process;
    }

    /// What the names of its files begin with.
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// Says that the process is gone, so that what is torn now stays torn.
    pub fn writer_is_gone(&mut self) {
        self.blocks.finished = true;
    }

    /// Hands over what is new, at most about `max_blocks` blocks of the file; true if there was something, or if there
    /// is something that has to wait for what another thread may have done before.
    /// When it returns false, everything that the rank has committed was handed over.
    pub fn poll(&mut self, max_blocks: usize, sink: &mut dyn FnMut(RankEvent)) -> Result<bool, OpenError> {
        let result = self.read(max_blocks, sink);
        self.defects.append(&mut self.blocks.defects);
        result
    }

    fn read(&mut self, max_blocks: usize, sink: &mut dyn FnMut(RankEvent)) -> Result<bool, OpenError> {
        self.find_blocks()?;
        loop {
            // A thread that is found now may have recorded something before what was found of the others.
            let threads = self.find_stages();
            self.pace.look(self.threads.values_mut());
            // A definition is in the file before a stage has what refers to it: so what the stages hold is handed over
            // only when the file was searched once more.
            self.find_blocks()?;
            if self.find_stages() == threads {
                break;
            }
        }
        let mut events = 0u64;
        let mut sink = |event| {
            events += 1;
            sink(event);
        };
        let known = self.definitions.len();
        let mut budget = max_blocks;
        let rest = if self.threads.len() > 1 {
            self.merge(&mut budget, &mut sink)?
        } else {
            self.read_only_thread(&mut budget, &mut sink)?
        };
        // A stage that was looked at while there were blocks to be read has the last calls still.
        let done = !rest && self.threads.values().all(Thread::is_known);
        if done {
            self.define(u64::MAX, &mut sink)?;
            self.late.drain(..).for_each(&mut sink);
        }
        Ok(rest || !done || events > 0 || self.definitions.len() != known || budget < max_blocks)
    }

    /// Without others to wait for, a thread's events go straight through.
    fn read_only_thread(&mut self, budget: &mut usize, sink: &mut dyn FnMut(RankEvent)) -> Result<bool, OpenError> {
        let Some(number) = self.threads.keys().next().copied() else { return Ok(false) };
        self.use_stage(number, sink)?;
        loop {
            let Some(thread) = self.threads.get_mut(&number) else { return Ok(false) };
            while let Some(event) = thread.next_record(&self.blobs) {
                match event {
                    Ok(event) => sink(event),
                    Err(what) => damaged(&mut self.defects, &self.blocks, what),
                }
            }
            if !self.use_block(number, budget, sink)? {
                return Ok(false);
            }
        }
    }

    /// The thread of the process, as the system numbers it, that is thread `number` of the trace.
    pub fn owner(&self, number: u16) -> Option<u32> {
        self.threads.get(&number)?.stage.as_ref()?.owner()
    }

    /// Bytes of the file that are still to be read.
    pub fn unread(&self) -> u64 {
        let blocks = self.threads.values().flat_map(|t| &t.blocks);
        self.blocks.unread() + blocks.map(|b| u64::from(b.header.len)).sum::<u64>()
    }

    /// Looks for new blocks of the file.
    fn find_blocks(&mut self) -> Result<(), OpenError> {
        loop {
            let (dir, stem) = (&self.dir, &self.stem);
            let staged = || self.threads.values().any(|t| t.stage.is_some()) || stage_path_of(dir, stem, 0).exists();
            let Some(block) = self.blocks.next(staged)? else { return Ok(()) };
            let (kind, thread) = (block.header.kind, block.header.thread);
            if kind == BlockKind::Definitions as u16 {
                self.definitions.push_back(block);
            } else if kind != BlockKind::Events as u16 && kind != BlockKind::Packed as u16 {
                self.blocks.defect(block.start, format!("unknown kind of block {kind}, skipped"));
            } else if thread == PROCESS_THREAD {
                self.process_block(&block)?;
            } else {
                self.threads.entry(thread).or_insert_with(|| Thread::new(thread)).blocks.push_back(block);
            }
        }
    }

    /// What the process as a whole did comes after all that its threads did.
    fn process_block(&mut self, block: &BlockRef) -> Result<(), OpenError> {
        let mut payload = Vec::new();
        if !self.blocks.payload(block, &mut payload)? {
            return Ok(());
        }
        let mut decoder = decode::Decoder::new(PROCESS_THREAD);
        let mut offset = 0;
        while let Some(record) = decode::record_at(&payload, offset) {
            match decoder.record(&self.blobs, record, offset) {
                Ok(event) => self.late.push(event),
                Err(what) => self.blocks.defect(block.start, format!("damaged record: {what}")),
            }
            offset += record.len();
        }
        Ok(())
    }

    /// Looks for stages of threads that were not known; the number of all threads.
    fn find_stages(&mut self) -> usize {
        for number in 0..PROCESS_THREAD {
            if self.threads.get(&number).is_some_and(|t| t.stage.is_some()) {
                continue;
            }
            let path = stage_path_of(&self.dir, &self.stem, number);
            let Ok(file) = File::open(&path) else { break };
            match StageView::new(&file, self.header.stage_bytes as usize) {
                Ok(view) if view.magic() == STAGE_MAGIC => {
                    self.threads.entry(number).or_insert_with(|| Thread::new(number)).stage = Some(view);
                }
                Ok(_) => {}
                // A process may have been killed when it had just made the file.
                Err(_) if file.metadata().is_ok_and(|m| m.len() == 0) => {}
                // Told once: readers come back for more as long as there is news.
                Err(e) if self.blocks.finished && self.unreadable.insert(number) => {
                    self.blocks.defect(self.blocks.position(), format!("{}: {e}", path.display()));
                }
                Err(_) => {}
            }
        }
        self.threads.len()
    }

    /// Hands over the definitions in front of `position`.
    fn define(&mut self, position: u64, sink: &mut dyn FnMut(RankEvent)) -> Result<(), OpenError> {
        let mut payload = Vec::new();
        while self.definitions.front().is_some_and(|b| b.start < position)
            && let Some(block) = self.definitions.pop_front()
        {
            if !self.blocks.payload(&block, &mut payload)? {
                continue;
            }
            let mut rest = &payload[..];
            while let Some(item) = codec::take::<Definition>(&mut rest) {
                match item {
                    Ok(Definition::Blob { id, bytes }) => {
                        self.blobs.insert(id, bytes);
                    }
                    Ok(def) => sink(RankEvent::Definition(def)),
                    Err(e) => self.blocks.defect(block.start, e.to_string()),
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
        sink: &mut dyn FnMut(RankEvent),
    ) -> Result<bool, OpenError> {
        loop {
            let Some(thread) = self.threads.get_mut(&number).filter(|_| *budget > 0) else { return Ok(false) };
            let Some(block) = thread.blocks.pop_front() else { return Ok(false) };
            let mut payload = thread.buffer();
            *budget -= 1;
            self.define(block.start, sink)?;
            if !self.blocks.payload(&block, &mut payload)? {
                continue;
            }
            let Some(thread) = self.threads.get_mut(&number) else { return Ok(false) };
            if let Err(what) = thread.use_block(&block, payload, &self.blobs, sink) {
                self.blocks.defect(block.start, what);
            }
            return Ok(true);
        }
    }

    /// Makes what was taken from the stage of a thread what is at hand of it.
    fn use_stage(&mut self, number: u16, sink: &mut dyn FnMut(RankEvent)) -> Result<(), OpenError> {
        let Some(thread) = self.threads.get(&number) else { return Ok(()) };
        if !thread.has_staged() {
            return Ok(());
        }
        self.define(u64::MAX, sink)?;
        let Some(thread) = self.threads.get_mut(&number) else { return Ok(()) };
        if let Err(what) = thread.use_stage(&self.blobs, sink) {
            self.blocks.defect(self.blocks.position(), format!("stage of thread {number}: {what}"));
        }
        Ok(())
    }
}

fn damaged(defects: &mut Vec<Defect>, blocks: &Blocks, what: String) {
    defects.push(Defect { rank: blocks.rank, offset: blocks.position(), what: format!("damaged record: {what}") });
}

fn read_up_to(file: &mut File, out: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < out.len() {
        match file.read(&mut out[done..])? {
            0 => break,
            n => done += n,
        }
    }
    Ok(done)
}

/// Stems of the trace files in `dir`, by rank, the plain ones first.
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
