//! The traces of a directory, of a finished run or of one that is still going on: which ranks have one, what is new
//! in them, and what could not be read. Nothing here knows what the events mean.

mod damage;
mod feed;
mod late;
mod notes;

use engine::worlds::Worlds;
pub(crate) use feed::FeedOnlooker;
pub use late::{SeenLate, late_file_system};
pub use notes::RunNotes;
use notes::TraceNotes;
use report::Damage;
use report::symbols::Symbols;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use trace_format::file::{RankHeader, job_path, rank_of_stem, trace_path};
use trace_format::head::OpenError;
use trace_format::run::early::Early;
use trace_format::run::job::{self, Job, MAX_JOB};
use trace_format::run::jobs::{Wrapped, jobs_in};
use trace_format::untrusted;
use trace_reader::reader::{RankReader, traces_in};

/// Why a directory cannot be analyzed at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read the trace directory {path}")]
    Directory { path: PathBuf, source: std::io::Error },
    #[error(
        "{0} holds no trace: no rank-N.mpv file is in it. Give the directory that mpivet named when the program ran"
    )]
    Empty(PathBuf),
    #[error("{} holds the traces of several runs: give one of them, for example {}/{}", .0.display(), .0.display(), .1)]
    Several(PathBuf, String),
    #[error("nothing in {dir} can be read: {why}")]
    Unreadable { dir: PathBuf, why: String },
}

/// One rank's trace.
struct Trace {
    reader: RankReader,
    /// Reading failed: nothing more is expected of it.
    failed: Option<String>,
    notes: TraceNotes,
}

/// The traces of a directory.
pub struct Traces {
    dir: PathBuf,
    /// By process (see [`engine::worlds`]); the headers have the number of the process in the place of the rank.
    /// Boxed: a node of the map has room for eleven, and half of them in it if they come in order.
    ranks: BTreeMap<i32, Box<Trace>>,
    pub worlds: Worlds,
    /// One piece of each is read at a time.
    side_by_side: bool,
    /// Bytes of records that are unpacked of each at a time.
    piece: Option<usize>,
    /// There was more to read, which nobody wants any more.
    is_cut: bool,
    /// Stems of the traces that are open.
    opened: BTreeSet<String>,
    /// This host sees late what others write: files are opened anew for each look.
    is_late: bool,
    unopened: BTreeMap<String, OpenError>,
    pub symbols: Symbols,
    /// Notes from events, for reports.
    pub notes: RunNotes,
}

impl Traces {
    /// Nothing is read yet: see [`Traces::look_for_ranks`].
    pub fn new(dir: &Path) -> Traces {
        Traces {
            dir: dir.to_owned(),
            is_late: late_file_system(dir).is_some(),
            ranks: BTreeMap::new(),
            worlds: Worlds::default(),
            side_by_side: false,
            piece: None,
            is_cut: false,
            opened: BTreeSet::new(),
            unopened: BTreeMap::new(),
            symbols: Symbols::default(),
            notes: RunNotes::default(),
        }
    }

    /// The traces of a run that is over (or of which only the present state matters).
    pub fn open(dir: &Path) -> Result<Traces, LoadError> {
        let cannot = |source| LoadError::Directory { path: dir.to_owned(), source };
        let mut traces = Traces::new(dir);
        traces.worlds.expect(traces_in(dir).map_err(cannot)?.len());
        traces.look_for_ranks().map_err(cannot)?;
        if !traces.ranks.is_empty() || !traces.early().is_empty() {
            return Ok(traces);
        }
        Err(match traces.unopened.values().next() {
            None if dir.join("run-1").is_dir() => LoadError::Several(dir.to_owned(), "run-1".into()),
            None if Wrapped::read(dir).is_some() => match jobs_in(dir).unwrap_or_default().into_iter().next() {
                Some((job, _)) => LoadError::Several(dir.to_owned(), job),
                None => LoadError::Empty(dir.to_owned()),
            },
            None => LoadError::Empty(dir.to_owned()),
            Some(why) => LoadError::Unreadable { dir: dir.to_owned(), why: why.to_string() },
        })
    }

    /// Does this host see late what is written there?
    pub fn is_late(&self) -> bool {
        self.is_late
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Findings of processes that never got through MPI_Init.
    pub fn early(&self) -> Vec<Early> {
        Early::all_in(&self.dir)
    }

    /// Is nothing known of any process?
    pub fn knows_nobody(&self) -> bool {
        self.ranks.is_empty() && self.early().is_empty()
    }

    /// Opens the traces that appeared since the last time; the processes they are of.
    pub fn look_for_ranks(&mut self) -> std::io::Result<Vec<i32>> {
        let mut readers = Vec::new();
        for stem in traces_in(&self.dir)? {
            if self.opened.contains(&stem) {
                continue;
            }
            let plain = rank_of_stem(&stem);
            match self.open_stem(&stem, plain) {
                Ok(mut reader) => {
                    self.unopened.remove(&stem);
                    if self.ranks.len() + readers.len() >= MOST_OPEN {
                        reader.stay_closed();
                    }
                    readers.push((plain.is_none_or(|p| !p.1), reader));
                }
                // Perhaps its header is being written just now, so that the next try succeeds.
                Err(e) => _ = self.unopened.insert(stem, e),
            }
        }
        // The first world first, then the others in the order of their start.
        readers.sort_by_key(|(other, r)| (*other, if *other { r.header.start_unix_ns } else { 0 }, r.header.rank));
        let mut new = Vec::new();
        for (other, reader) in readers {
            if other {
                // The size of the first world is settled before another one is numbered.
                self.settle_first();
            }
            if let Some(process) = self.worlds.place(&reader.header, !other) {
                self.add(process, reader);
                new.push(process);
            }
        }
        self.settle_first();
        if self.ranks.len() > MOST_OPEN && !new.is_empty() {
            self.ranks.values_mut().for_each(|trace| trace.reader.stay_closed());
        }
        Ok(new)
    }

    /// Reads smaller pieces of each rank, the more ranks there are. Only for traces that nobody writes to any more.
    pub(crate) fn read_side_by_side(&mut self) {
        let ranks = self.ranks.len();
        let piece = (PASS / ranks.max(1)).clamp(SMALLEST_PIECE, LARGEST_PIECE);
        self.piece = Some(piece);
        self.ranks.values_mut().for_each(|trace| trace.reader.read_in_pieces(piece));
        self.side_by_side = ranks > FEW;
    }

    /// See [`Traces::read_side_by_side`]; `None`: whole blocks are read.
    pub(super) fn piece(&self) -> Option<usize> {
        self.piece
    }

    fn open_stem(&self, stem: &str, plain: Option<(i32, bool)>) -> Result<RankReader, OpenError> {
        let reader = RankReader::open_stem(&self.dir, stem)?;
        match plain {
            Some((rank, _)) if rank != reader.rank() => {
                let source = std::io::Error::other(format!("it is the trace of rank {}", reader.rank()));
                Err(OpenError::Io { path: trace_path(&self.dir, stem), source })
            }
            _ => Ok(reader),
        }
    }

    fn add(&mut self, process: i32, mut reader: RankReader) {
        self.opened.insert(reader.stem().to_owned());
        reader.renumber(process);
        if self.is_late {
            reader.stay_closed();
        }
        self.symbols.add_rank(process, &reader.header.cwd);
        self.symbols.started(reader.header.start_unix_ns);
        let trace = Trace { reader, failed: None, notes: TraceNotes::default() };
        self.ranks.insert(process, Box::new(trace));
    }

    /// Another view of the trace of one process, from its beginning.
    pub fn only(&self, process: i32) -> Option<Traces> {
        let stem = self.ranks.get(&process)?.reader.stem();
        let mut traces = Traces::new(&self.dir);
        traces.worlds = self.worlds.clone();
        traces.add(process, self.open_stem(stem, None).ok()?);
        Some(traces)
    }

    fn settle_first(&mut self) {
        if let Some(size) = self.vote() {
            self.worlds.settle_first(size);
        }
    }

    /// The size of the first world that most of its headers say.
    fn vote(&self) -> Option<i32> {
        let seen = self.ranks.keys().next_back()? + 1;
        let mut votes: BTreeMap<i32, usize> = BTreeMap::new();
        for size in self.headers().map(|h| h.size).filter(|s| (seen..=self.worlds.most()).contains(s)) {
            *votes.entry(size).or_default() += 1;
        }
        // The smallest of those with the most votes.
        votes.into_iter().rev().max_by_key(|(_, n)| *n).map(|(size, _)| size).or(Some(seen))
    }

    /// The headers of all traces that are open, by rank.
    pub fn headers(&self) -> impl Iterator<Item = &RankHeader> {
        self.ranks.values().map(|t| &t.reader.header)
    }

    pub fn header(&self, rank: i32) -> Option<&RankHeader> {
        self.ranks.get(&rank).map(|t| &t.reader.header)
    }

    /// Number of processes of all worlds, as soon as one of them said so.
    pub fn size(&self) -> Option<i32> {
        (!self.ranks.is_empty()).then(|| self.worlds.processes())
    }

    /// Processes without a trace that can be read.
    pub fn missing(&self) -> Vec<i32> {
        (0..self.size().unwrap_or(0)).filter(|r| !self.ranks.contains_key(r)).collect()
    }

    /// Was everything read that the process has written so far?
    pub fn is_caught_up(&self, process: i32) -> bool {
        self.ranks.get(&process).is_none_or(|t| t.failed.is_some() || t.reader.unread() == 0)
    }

    /// Threads of the process of `rank` that are known to wait, by the numbers of the system: the threads `numbers` of
    /// the trace, and the library's own. Also the number of threads in `numbers` without a number of the system in the
    /// trace.
    pub fn accounted_threads(&self, rank: i32, numbers: &[u16]) -> (Vec<u32>, usize) {
        let Some(trace) = self.ranks.get(&rank) else { return (Vec::new(), 0) };
        let owners: Vec<u32> = numbers.iter().filter_map(|n| trace.reader.owner(*n)).collect();
        let unnamed = numbers.len() - owners.len();
        (trace.reader.header.library_threads.iter().copied().chain(owners).collect(), unnamed)
    }

    /// Says that the process of `rank` is gone: records that are torn now stay torn.
    pub fn writer_is_gone(&mut self, rank: i32) {
        if let Some(trace) = self.ranks.get_mut(&rank) {
            trace.reader.writer_is_gone();
        }
    }

    /// Nobody wants to read the rest: nothing is concluded from what was not read.
    pub(crate) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Processes whose end was not read.
    pub(crate) fn without_end(&self) -> Vec<i32> {
        self.ranks.iter().filter(|(_, trace)| !trace.notes.ended).map(|(rank, _)| *rank).collect()
    }

    /// Events that were read.
    pub(crate) fn events(&self) -> u64 {
        self.ranks.values().map(|trace| trace.notes.events).sum()
    }

    /// Bytes that the ranks have written and that were not read yet.
    pub fn unread(&self) -> u64 {
        self.ranks.values().map(|t| t.reader.unread()).sum()
    }

    /// Has rank 0 described the job? What another rank wrote before it may say less.
    pub fn is_described(&self) -> bool {
        job_path(&self.dir).exists()
    }

    /// The description of the job from its common file. Fields that the file lacks, or all if there is no file, come
    /// from the ranks' headers. The second value says what is wrong with the file.
    pub fn job(&self) -> (Job, Option<Damage>) {
        let path = job_path(&self.dir);
        let damage = |what: String| Some(Damage::new(None, what));
        let (mut job, damage) = match untrusted::read(&path, MAX_JOB) {
            Ok(bytes) => match serde_json::from_slice::<Job>(&bytes) {
                Ok(mut job) => {
                    let failed = job::add_variables(&mut job, &self.dir).err();
                    (job, failed.and_then(|e| damage(format!("cannot read the variables of the MPI library: {e}"))))
                }
                Err(e) => (Job::default(), damage(format!("{} is damaged: {e}", path.display()))),
            },
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                let missing = || damage("job.json is missing: no rank got through MPI_Init".into());
                job::read_early(&self.dir).map_or_else(|_| (Job::default(), missing()), |job| (job, None))
            }
            Err(e) => (Job::default(), damage(format!("cannot read {}: {e}", path.display()))),
        };
        if let Some(header) = self.headers().next() {
            if job.program.is_empty() {
                job.program.clone_from(&header.program);
            }
            if job.mpivet.is_empty() {
                job.mpivet.clone_from(&header.mpivet);
            }
        }
        if job.ranks <= 0 {
            job.ranks = self.worlds.iter().next().map_or(0, |w| w.1);
        }
        (job, damage)
    }
}

/// Limit of ranks of which whole blocks are read. With more, one piece of a block is read of each rank at a time.
const FEW: usize = 8;
/// Bytes of records that are read of all ranks before it is the turn of the first one again, and of one rank.
const PASS: usize = 2 << 20;
const SMALLEST_PIECE: usize = 4 << 10;
const LARGEST_PIECE: usize = 64 << 10;
/// If there are more traces, they are open one at a time: a process may have 1024 files open, if nobody says otherwise.
const MOST_OPEN: usize = 128;
