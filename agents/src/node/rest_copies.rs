//! Copies of the stages of processes at rest, stored where other nodes see them: [`trace_format::rest_copy`].

use super::files::{Files, RankFiles};
use crate::wire::message::ProcessId;
use std::fs::File;
use std::io;
use std::time::{Duration, Instant};
use trace_format::rest_copy::RestCopy;
use trace_format::run::stages;
use trace_format::{stored, untrusted};

/// A process that rests now and then is copied this often. The first copy comes at once.
const EVERY: Duration = Duration::from_secs(1);

/// The copy of one process.
#[derive(Default)]
pub(super) struct Copying {
    file: Option<File>,
    last: RestCopy,
    at: Option<Instant>,
}

impl Files {
    /// Looks for new traces of processes of this node, and has their beginnings stored if others see them late. Returns all of
    /// these processes.
    pub(super) fn find(&mut self, is_late: bool) -> Vec<ProcessId> {
        let before = self.ranks.len();
        self.find_ranks();
        if is_late && self.ranks.len() > before {
            self.ranks.values().for_each(|rank| _ = rank.store_trace());
        }
        self.processes()
    }

    /// Stores what the stages hold of processes all of whose threads rest.
    pub(super) fn store_copies(&mut self) {
        let base = self.dir.clone();
        for rank in self.ranks.values_mut().filter(|rank| !rank.is_over) {
            rank.find_stages(&base);
            // With a limit of size, the part of a trace in front of the stages may be gone.
            let is_copied = rank.header.retention.max_bytes == 0;
            if !rank.lives() {
                rank.is_over = true;
                // It may have left stages in a directory of its own.
                _ = stages::bring(&rank.dir, &rank.stem, &rank.header);
                rank.remove_copy();
            } else if rank.is_at_rest() && is_copied && rank.copying.at.is_none_or(|at| at.elapsed() >= EVERY) {
                // Where it cannot be stored, it is seen late.
                _ = rank.store_copy();
            }
        }
    }

    /// Removes all copies: the stages themselves are stored when their processes have ended.
    pub(super) fn remove_copies(&mut self) {
        self.ranks.values_mut().for_each(RankFiles::remove_copy);
    }
}

impl RankFiles {
    fn store_trace(&self) -> io::Result<u64> {
        let file = untrusted::open(self.trace_path())?;
        file.sync_data()?;
        Ok(file.metadata()?.len())
    }

    fn store_copy(&mut self) -> io::Result<()> {
        let stages: Vec<_> = self.stages.iter().map(|stage| stage.whole()).collect();
        let Some(stages) = stages.into_iter().collect::<Option<Vec<_>>>() else { return Ok(()) };
        // All were copied at one moment, if nobody has gone on by now.
        if stages == self.copying.last.stages || stages.is_empty() || !self.is_at_rest() {
            return Ok(());
        }
        self.copying.at = Some(Instant::now());
        let copy = RestCopy { trace_bytes: self.store_trace()?, stages };
        let file = match self.copying.file.take() {
            Some(file) => file,
            None => stored::make(&RestCopy::path(&self.dir, &self.stem))?,
        };
        stored::write(self.copying.file.insert(file), &copy)?;
        self.copying.last = copy;
        Ok(())
    }

    fn remove_copy(&mut self) {
        if self.copying.file.take().is_some() {
            _ = std::fs::remove_file(RestCopy::path(&self.dir, &self.stem));
        }
    }
}
