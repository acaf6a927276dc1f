//! The traces of a directory, of a finished run or of one that is still going on: which ranks have one, what is new
//! in them, and what could not be read. Nothing here knows what the events mean.

use crate::symbols::Symbols;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use trace_format::call::SystemEvent;
use trace_format::file::{RankHeader, job_path, rank_path, stage_path};
use trace_format::job::Job;
use trace_format::reader::{OpenError, RankEvent, RankReader, ranks_in};

/// Why a directory cannot be analyzed at all.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("cannot read the trace directory {path}: {source}")]
    Directory { path: PathBuf, source: std::io::Error },
    #[error(
        "{0} holds no trace: no rank-N.mpv file is in it. Give the directory that mpivet named when the program ran"
    )]
    Empty(PathBuf),
    #[error("nothing in {dir} can be read: {why}")]
    Unreadable { dir: PathBuf, why: String },
}

/// Something of a trace that could not be read, or that is not there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Damage {
    /// `None`: the run as a whole.
    pub rank: Option<i32>,
    /// Offset in the rank's file, where that is known.
    pub offset: Option<u64>,
    pub what: String,
}

/// One rank's trace.
struct Trace {
    reader: RankReader,
    /// Reading failed: nothing more is expected of it.
    failed: Option<String>,
    /// How far recording got when it was lost, and why.
    lost: Option<String>,
    events: u64,
}

/// The traces of a directory.
pub struct Traces {
    dir: PathBuf,
    ranks: BTreeMap<i32, Trace>,
    unopened: BTreeMap<i32, OpenError>,
    pub symbols: Symbols,
}

impl Traces {
    /// Nothing is read yet: see [`Traces::look_for_ranks`].
    pub fn new(dir: &Path) -> Traces {
        let symbols = Symbols::default();
        Traces { dir: dir.to_owned(), ranks: BTreeMap::new(), unopened: BTreeMap::new(), symbols }
    }

    /// The traces of a run that is over (or of which only the present state matters).
    pub fn open(dir: &Path) -> Result<Traces, LoadError> {
        let mut traces = Traces::new(dir);
        traces.look_for_ranks().map_err(|source| LoadError::Directory { path: dir.to_owned(), source })?;
        if !traces.ranks.is_empty() {
            return Ok(traces);
        }
        Err(match traces.unopened.values().next() {
            None => LoadError::Empty(dir.to_owned()),
            Some(why) => LoadError::Unreadable { dir: dir.to_owned(), why: why.to_string() },
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Opens the traces that appeared since the last time; the ranks they are of.
    pub fn look_for_ranks(&mut self) -> std::io::Result<Vec<i32>> {
        let mut new = Vec::new();
        for rank in ranks_in(&self.dir)? {
            if !self.ranks.contains_key(&rank) && self.open_rank(rank) {
                new.push(rank);
            }
        }
        Ok(new)
    }

    /// Opens the trace of `rank`; false if that failed. Perhaps its header is being written just now, so that the
    /// next try succeeds.
    pub fn open_rank(&mut self, rank: i32) -> bool {
        let path = || rank_path(&self.dir, rank);
        let opened = RankReader::open(&self.dir, rank).and_then(|reader| {
            let other = reader.rank();
            if other == rank {
                return Ok(reader);
            }
            let source = std::io::Error::other(format!("it is the trace of rank {other}"));
            Err(OpenError::Io { path: path(), source })
        });
        match opened {
            Ok(reader) => {
                self.unopened.remove(&rank);
                self.symbols.add_rank(rank, &reader.header.cwd);
                self.ranks.insert(rank, Trace { reader, failed: None, lost: None, events: 0 });
                true
            }
            Err(e) => {
                self.unopened.insert(rank, e);
                false
            }
        }
    }

    /// The headers of all traces that are open, by rank.
    pub fn headers(&self) -> impl Iterator<Item = &RankHeader> {
        self.ranks.values().map(|t| &t.reader.header)
    }

    pub fn header(&self, rank: i32) -> Option<&RankHeader> {
        self.ranks.get(&rank).map(|t| &t.reader.header)
    }

    /// Number of ranks of the world, as soon as one of them said so. They should agree; if the header of one is
    /// damaged, most are right.
    pub fn size(&self) -> Option<i32> {
        let seen = self.ranks.keys().next_back()? + 1;
        let mut votes: BTreeMap<i32, usize> = BTreeMap::new();
        for size in self.headers().map(|h| h.size).filter(|s| (seen..=MAX_RANKS).contains(s)) {
            *votes.entry(size).or_default() += 1;
        }
        // The smallest of those with the most votes.
        votes.into_iter().rev().max_by_key(|(_, n)| *n).map(|(size, _)| size).or(Some(seen))
    }

    /// Ranks of the world without a trace that can be read.
    pub fn missing(&self) -> Vec<i32> {
        (0..self.size().unwrap_or(0)).filter(|r| !self.ranks.contains_key(r)).collect()
    }

    /// Threads of the process of `rank`, as the system numbers them, of which it is known what they wait for: these
    /// threads of the trace, and the library's own.
    pub fn accounted_threads(&self, rank: i32, numbers: &[u16]) -> Vec<u32> {
        let Some(trace) = self.ranks.get(&rank) else { return Vec::new() };
        let mut all = trace.reader.header.library_threads.clone();
        all.extend(numbers.iter().filter_map(|n| trace.reader.owner(*n)));
        all
    }

    /// Says that the process of `rank` is gone, so that what is torn now stays torn.
    pub fn writer_is_gone(&mut self, rank: i32) {
        if let Some(trace) = self.ranks.get_mut(&rank) {
            trace.reader.writer_is_gone();
        }
    }

    /// Hands over what is new, at most about `blocks` blocks a rank, and says which ranks had something.
    pub fn poll(&mut self, blocks: usize, sink: &mut dyn FnMut(i32, RankEvent)) -> BTreeSet<i32> {
        let mut news = BTreeSet::new();
        for (&rank, trace) in &mut self.ranks {
            if trace.failed.is_some() {
                continue;
            }
            let Trace { reader, lost, events, .. } = trace;
            let defects = reader.defects.len();
            let symbols = &mut self.symbols;
            let result = reader.poll(blocks, &mut |event| {
                match &event {
                    RankEvent::Definition(d) => symbols.define(rank, d),
                    RankEvent::System { event: SystemEvent::Lost { reason }, .. } => {
                        *lost = Some(format!(
                            "recording stopped after {events} events ({reason}): what rank {rank} did later is unknown"
                        ));
                    }
                    RankEvent::Call(call) => *events += if call.is_open() { 1 } else { 2 },
                    RankEvent::Return { .. } => *events += 1,
                    RankEvent::System { .. } => {}
                }
                sink(rank, event);
            });
            match result {
                // Behind damage there may be more.
                Ok(any) if any || reader.defects.len() > defects => {
                    news.insert(rank);
                }
                Ok(_) => {}
                Err(e) => trace.failed = Some(e.to_string()),
            }
        }
        news
    }

    /// Bytes that the ranks have written and that were not read yet.
    pub fn unread(&self) -> u64 {
        self.ranks.values().map(|t| t.reader.unread()).sum()
    }

    /// Ranks of which nothing is known but that they called MPI_Init, or whose trace broke off while it was read.
    pub fn unknown(&self) -> Vec<i32> {
        let unknown = |(rank, trace): &(&i32, &Trace)| trace.failed.is_some() || self.is_empty(**rank, trace);
        self.ranks.iter().filter(unknown).map(|(rank, _)| *rank).collect()
    }

    /// Not one call, and no stage that could hold one: it could not be made.
    fn is_empty(&self, rank: i32, trace: &Trace) -> bool {
        trace.events == 0 && !stage_path(&self.dir, rank, 0).exists()
    }

    /// What could not be read, in a fixed order.
    pub fn damage(&self) -> Vec<Damage> {
        let mut all = Vec::new();
        for (&rank, why) in &self.unopened {
            all.push(Damage { rank: Some(rank), offset: None, what: why.to_string() });
        }
        for (&rank, trace) in &self.ranks {
            let rank = Some(rank);
            let whole = trace.failed.iter().chain(&trace.lost);
            all.extend(whole.map(|what| Damage { rank, offset: None, what: what.clone() }));
            if self.is_empty(trace.reader.rank(), trace) {
                let what = "the trace holds nothing but its header: was the disk full?".into();
                all.push(Damage { rank, offset: None, what });
            }
            for d in &trace.reader.defects {
                all.push(Damage { rank, offset: Some(d.offset), what: d.what.clone() });
            }
        }
        all.sort();
        all.dedup();
        all
    }

    /// The common file; what is missing in it, or if it is missing, is taken from the ranks' headers. The second
    /// value says what is wrong with it.
    pub fn job(&self) -> (Job, Option<Damage>) {
        let path = job_path(&self.dir);
        let damage = |what: String| Some(Damage { rank: None, offset: None, what });
        let (mut job, damage) = match std::fs::read(&path) {
            Ok(bytes) => match serde_json::from_slice::<Job>(&bytes) {
                Ok(job) => (job, None),
                Err(e) => (Job::default(), damage(format!("{} is damaged: {e}", path.display()))),
            },
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                (Job::default(), damage("job.json is missing: rank 0 did not get through MPI_Init".into()))
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
            job.ranks = self.size().unwrap_or(0);
        }
        (job, damage)
    }
}

/// More ranks than this are taken for damage.
const MAX_RANKS: i32 = 1 << 20;
