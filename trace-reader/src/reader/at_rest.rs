//! Processes of other nodes whose stages are seen late here, and in no order: while such a process lives, its stages are read from
//! copies that its node has stored while all its threads rested ([`trace_format::rest_copy`]).

use super::RankReader;
use super::stage::StageView;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use trace_format::file::{STAGE_LATE_OFFSET, STAGE_MAGIC};
use trace_format::rest_copy::RestCopy;
use trace_format::run::proc;
use trace_format::stored::{self, Mark};
use trace_format::untrusted;

/// When what a process does is seen here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// At once.
    Now,
    /// When all its threads rest.
    AtRest,
    /// When it has ended, for all that it holds in memory.
    AtTheEnd,
}

/// The copies of a process, as far as they were read.
#[derive(Default)]
pub(super) struct AtRest {
    /// Its stages say that they are seen late; `None`: they were not seen.
    is_late: Option<bool>,
    mark: Option<Mark>,
    /// The last copy is a new one.
    is_new: bool,
}

impl AtRest {
    /// A copy has come since this was asked.
    pub(super) fn take_new(&mut self) -> bool {
        std::mem::take(&mut self.is_new)
    }

    pub(super) fn is_late(&self) -> bool {
        self.is_late == Some(true)
    }
}

impl RankReader {
    /// When what the process does is seen here, as far as that is known by now.
    pub fn sight(&self) -> Sight {
        match (self.at_rest.is_late() && !self.blocks.finished, self.at_rest.mark) {
            (false, _) => Sight::Now,
            (true, Some(_)) => Sight::AtRest,
            (true, None) => Sight::AtTheEnd,
        }
    }

    /// Are its stages to be read from copies?
    pub(super) fn is_seen_late(&mut self) -> bool {
        if self.blocks.finished {
            return false;
        }
        if self.at_rest.is_late.is_none() {
            let stage = || self.header.stage(&self.dir, &self.stem, 0);
            let has_copy = || RestCopy::path(&self.dir, &self.stem).exists().then_some(true);
            self.at_rest.is_late = match self.header.host == proc::host() {
                true => Some(false),
                false => stage().and_then(|stage| says_late(&stage)).or_else(has_copy),
            };
        }
        self.at_rest.is_late()
    }

    /// Takes the last copy, if all is here that was written before it.
    pub(super) fn find_copies(&mut self) {
        let known = self.at_rest.mark.filter(|_| self.threads.values().any(|thread| thread.stage.is_some()));
        let path = RestCopy::path(&self.dir, &self.stem);
        let Ok(Some((mark, copy))) = stored::read::<RestCopy>(&path, known) else { return };
        if self.blocks.main.end().is_none_or(|end| end < copy.trace_bytes) {
            return;
        }
        self.at_rest.mark = Some(mark);
        self.at_rest.is_new = true;
        for (number, bytes) in (0..).zip(copy.stages) {
            let view = StageView::copied(bytes).filter(|view| view.magic() == STAGE_MAGIC);
            if view.is_some() {
                self.threads.or_new(number).stage = view;
            }
        }
    }

    /// The process is gone: its stages themselves are all there.
    pub(super) fn forget_copies(&mut self) {
        for thread in self.threads.values_mut() {
            thread.stage.take_if(|stage| stage.is_copied());
        }
    }
}

/// Does this stage say that others see it late? `None`: it says nothing yet.
fn says_late(stage: &Path) -> Option<bool> {
    // Nothing is mapped, so that no early state of it is kept.
    let mut front = [0; STAGE_LATE_OFFSET + 8];
    untrusted::open(stage).ok()?.read_exact_at(&mut front, 0).ok()?;
    front.starts_with(&STAGE_MAGIC).then(|| front[STAGE_LATE_OFFSET..].iter().any(|byte| *byte != 0))
}
