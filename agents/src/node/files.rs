//! The files of a directory of traces, on their way to another one: what a file has more than it had, and files that are new in
//! the place of others.
//!
//! A reader on the other side must find them in an order that could be found here: a block is in the file of a rank before the
//! stage goes on to the next lap, and definitions are there before a record that refers to them. So the stages of a rank are
//! copied first and sent last, and its file is read in between.

use super::directories;
use super::rest_copies::Copying;
use super::stages::StageSource;
use crate::wire::message::{FromAgent, Place, ProcessId};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use trace_format::file::{RATE_BYTES, RankHeader, SEGMENTS, segment_path, stage_path_of};
use trace_format::head::Head;
use trace_format::run::proc;
use trace_format::untrusted;

/// Bytes of a file in one message.
const PIECE: usize = 256 << 10;

type Send<'a> = &'a mut dyn FnMut(&FromAgent) -> io::Result<()>;

/// The files of one directory of traces, and of those of its jobs.
pub(super) struct Files {
    pub(super) dir: PathBuf,
    has_several_jobs: bool,
    /// Directories above it that are not there when the agent begins, the lowest first.
    above: Vec<PathBuf>,
    /// They are on the other side already.
    are_shared: bool,
    /// Files that are older belong to an earlier run.
    since: SystemTime,
    pub(super) ranks: BTreeMap<PathBuf, RankFiles>,
    /// Files that belong to no rank.
    others: BTreeMap<PathBuf, Growing>,
    /// Files of earlier runs, or of other hosts.
    foreign: BTreeSet<PathBuf>,
}

/// The trace of a process.
pub(super) struct RankFiles {
    pub(super) header: RankHeader,
    /// The length of what stands in front of the first block.
    head: u64,
    pub(super) stem: String,
    pub(super) dir: PathBuf,
    trace: Growing,
    /// Where there is a limit of size, the last parts of the trace.
    segments: Vec<Growing>,
    pub(super) stages: Vec<StageSource>,
    pub(super) copying: Copying,
    pub(super) is_over: bool,
}

/// A file that gets longer, or is replaced.
struct Growing {
    path: PathBuf,
    place: Place,
    /// The file, as it was when it was opened.
    file: Option<(File, u64)>,
    sent: u64,
}

impl Growing {
    fn new(path: PathBuf, dir: &Path) -> Option<Growing> {
        let place = Place::new(path.strip_prefix(dir).ok()?)?;
        Some(Growing { path, place, file: None, sent: 0 })
    }

    /// Sends what is new. False if it is no longer there.
    fn forward(&mut self, send: Send) -> io::Result<bool> {
        let Ok(found) = fs::symlink_metadata(&self.path) else { return Ok(false) };
        if !found.is_file() {
            return Ok(false);
        }
        let mut is_new = false;
        if self.file.as_ref().is_none_or(|(_, number)| *number != found.ino()) || found.len() < self.sent {
            let Ok(file) = untrusted::open(&self.path) else { return Ok(false) };
            let number = file.metadata()?.ino();
            (self.file, self.sent, is_new) = (Some((file, number)), 0, true);
        }
        let Some((file, _)) = &self.file else { return Ok(true) };
        loop {
            let left = found.len().saturating_sub(self.sent);
            if left == 0 && !is_new {
                return Ok(true);
            }
            let mut bytes = vec![0; left.min(PIECE as u64) as usize];
            let n = file.read_at(&mut bytes, self.sent)?;
            bytes.truncate(n);
            if n > 0 || is_new {
                send(&FromAgent::Bytes { place: self.place.clone(), at: self.sent, is_new, bytes })?;
                is_new = false;
                self.sent += n as u64;
            }
            if n == 0 {
                return Ok(true);
            }
        }
    }

    /// Bytes that were not sent.
    fn unsent(&self) -> u64 {
        fs::symlink_metadata(&self.path).map_or(0, |found| found.len().saturating_sub(self.sent))
    }

    /// Sends again what stands in these places: some bytes are written later than those behind them.
    fn again(&self, at: u64, bytes: usize, send: Send) -> io::Result<()> {
        let Some((file, _)) = &self.file else { return Ok(()) };
        let mut found = vec![0; bytes];
        match file.read_exact_at(&mut found, at) {
            Ok(()) => send(&FromAgent::Bytes { place: self.place.clone(), at, is_new: false, bytes: found }),
            Err(_) => Ok(()),
        }
    }
}

impl Files {
    pub(super) fn new(dir: PathBuf, has_several_jobs: bool, are_shared: bool, since: SystemTime) -> Files {
        let (ranks, others, foreign) = Default::default();
        let above = dir.ancestors().skip(1).take_while(|above| !above.exists()).map(Path::to_owned).collect();
        Files { dir, has_several_jobs, above, are_shared, since, ranks, others, foreign }
    }

    /// The processes of this node that have traces.
    pub(super) fn processes(&self) -> Vec<ProcessId> {
        let process = |rank: &RankFiles| ProcessId { pid: rank.header.pid, start: rank.header.pid_start };
        self.ranks.values().map(process).collect()
    }

    /// Looks for traces of processes of this node.
    pub(super) fn find_ranks(&mut self) {
        for dir in directories(&self.dir, self.has_several_jobs) {
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                let path = entry.path();
                let name = entry.file_name().to_string_lossy().into_owned();
                if self.ranks.contains_key(&path) || self.others.contains_key(&path) || self.foreign.contains(&path) {
                    continue;
                }
                match name.strip_suffix(".mpv") {
                    Some(stem) => self.add_rank(&dir, stem, path),
                    None if self.are_shared || !is_forwarded(&name) => _ = self.foreign.insert(path),
                    None => self.add_other(path),
                }
            }
        }
    }

    /// Looks for new files. Returns the processes of this node that have traces.
    pub(super) fn scan(&mut self, send: Send) -> io::Result<Vec<ProcessId>> {
        self.find_ranks();
        if !self.are_shared {
            self.ranks.values_mut().for_each(|rank| rank.find_stages(&self.dir));
        }
        if !self.are_shared {
            let mut gone = Vec::new();
            for (path, file) in &mut self.others {
                if !file.forward(send)? {
                    gone.push(path.clone());
                    send(&FromAgent::Removed { place: file.place.clone() })?;
                }
            }
            gone.iter().for_each(|path| _ = self.others.remove(path));
        }
        Ok(self.processes())
    }

    fn add_rank(&mut self, dir: &Path, stem: &str, path: PathBuf) {
        // It may be half written.
        let Ok(Head { header, bytes: head, .. }) = Head::open(dir, stem) else { return };
        let since = self.since.duration_since(UNIX_EPOCH).unwrap_or_default();
        let is_late = u128::from(header.start_unix_ns) >= since.as_nanos();
        let lives = || proc::lives(header.pid, header.pid_start);
        if header.host != proc::host() || !(is_late || lives()) {
            _ = self.foreign.insert(path);
            return;
        }
        let Some(trace) = Growing::new(path.clone(), &self.dir) else { return };
        let (stem, dir) = (stem.to_owned(), dir.to_owned());
        let segments = match header.retention.max_bytes {
            0 => Vec::new(),
            _ => (0..SEGMENTS).filter_map(|n| Growing::new(segment_path(&dir, &stem, n), &self.dir)).collect(),
        };
        let (stages, copying) = (Vec::new(), Copying::default());
        self.ranks
            .insert(path, RankFiles { header, head, stem, dir, trace, segments, stages, copying, is_over: false });
    }

    fn add_other(&mut self, path: PathBuf) {
        let is_late = fs::symlink_metadata(&path).and_then(|found| found.modified()).is_ok_and(|at| at >= self.since);
        match Growing::new(path.clone(), &self.dir).filter(|_| is_late) {
            Some(file) => _ = self.others.insert(path, file),
            None => _ = self.foreign.insert(path),
        }
    }

    /// Sends what is new of the traces. Ranks that go on all the time wait while `may_send` is false: nobody needs to know at once
    /// what they do, and what they have done in the end is sent when they rest.
    pub(super) fn forward(&mut self, may_send: &mut dyn FnMut() -> bool, send: Send) -> io::Result<()> {
        if self.are_shared {
            return Ok(());
        }
        for rank in self.ranks.values_mut().filter(|rank| !rank.is_over) {
            let is_at_rest = rank.is_at_rest();
            if is_at_rest || may_send() {
                rank.forward(is_at_rest, send)?;
            }
        }
        Ok(())
    }

    /// Sends all that is new.
    pub(super) fn forward_all(&mut self, send: Send) -> io::Result<()> {
        if self.are_shared {
            return Ok(());
        }
        self.ranks.values_mut().filter(|rank| !rank.is_over).try_for_each(|rank| rank.forward(true, send))
    }

    /// Bytes of traces that were not sent.
    pub(super) fn unsent(&self) -> u64 {
        if self.are_shared {
            return 0;
        }
        self.ranks.values().filter(|rank| !rank.is_over).map(RankFiles::unsent).sum()
    }

    /// Everything of the process is on the other side, and nothing will come: nobody needs it here.
    pub(super) fn forget(&mut self, process: ProcessId) {
        if self.are_shared {
            return;
        }
        let is_its = |rank: &&mut RankFiles| rank.header.pid == process.pid && rank.header.pid_start == process.start;
        for rank in self.ranks.values_mut().filter(is_its) {
            rank.is_over = true;
            _ = fs::remove_file(&rank.trace.path);
            rank.stages.iter().for_each(StageSource::remove);
            rank.segments.iter().for_each(|segment| _ = fs::remove_file(&segment.path));
            if let Some(apart) = rank.header.apart() {
                _ = fs::remove_dir(apart);
            }
        }
    }

    /// Does so with files that belong to no process, and with the directories.
    pub(super) fn forget_others(&mut self) {
        if self.are_shared {
            return;
        }
        for path in std::mem::take(&mut self.others).into_keys() {
            _ = fs::remove_file(&path);
        }
        for dir in directories(&self.dir, self.has_several_jobs).iter().rev() {
            _ = fs::remove_dir_all(dir.join("discoveries"));
            // If nothing else is there.
            _ = fs::remove_dir(dir);
        }
        self.above.iter().for_each(|dir| _ = fs::remove_dir(dir));
    }
}

/// Files of a trace that are not those of one process alone.
fn is_forwarded(name: &str) -> bool {
    name.ends_with(".json") || name.ends_with(".json.gz")
}

impl RankFiles {
    pub(super) fn trace_path(&self) -> &Path {
        &self.trace.path
    }

    pub(super) fn lives(&self) -> bool {
        proc::lives(self.header.pid, self.header.pid_start)
    }

    pub(super) fn find_stages(&mut self, base: &Path) {
        while let Ok(thread) = u16::try_from(self.stages.len()) {
            let Some(path) = self.header.stage(&self.dir, &self.stem, thread) else { return };
            // On the other side all are beside the trace.
            let shown = stage_path_of(&self.dir, &self.stem, thread);
            let place = shown.strip_prefix(base).ok().and_then(Place::new);
            let Some(stage) = place.and_then(|place| StageSource::open(path, place, self.header.stage_bytes)) else {
                return;
            };
            self.stages.push(stage);
        }
    }

    /// Have its threads done nothing since the last look?
    pub(super) fn is_at_rest(&mut self) -> bool {
        self.stages.iter_mut().fold(true, |all, stage| all & stage.is_at_rest())
    }

    fn unsent(&self) -> u64 {
        self.segments.iter().chain([&self.trace]).map(Growing::unsent).sum()
    }

    fn forward(&mut self, all: bool, send: Send) -> io::Result<()> {
        let was_alive = self.lives();
        let all = all || !was_alive;
        let news: Vec<_> = self.stages.iter_mut().map(|stage| stage.copy(all)).collect();
        self.trace.forward(send)?;
        for segment in &mut self.segments {
            segment.forward(send)?;
        }
        for (stage, news) in self.stages.iter_mut().zip(news) {
            match news {
                Some(news) => send(&FromAgent::Stage { place: stage.place.clone(), news })?,
                None if !stage.exists() => stage.tell_removed(send)?,
                None => {}
            }
        }
        if !was_alive {
            self.trace.again(self.head - RATE_BYTES as u64, RATE_BYTES, send)?;
            self.is_over = true;
        }
        Ok(())
    }
}
