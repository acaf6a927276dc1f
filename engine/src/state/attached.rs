//! The memory that processes attach to a window of MPI_Win_create_dynamic (MPI 4.1, 12.2.4), and accesses to it, whose
//! displacements are addresses.

use super::accesses::Accessed;

/// More accesses are not kept until it is known what their targets attach.
const MOST_KEPT: usize = 1 << 16;

/// Memory that a process has attached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    from: i64,
    to: i64,
    /// The calls that attached it, and that detached it.
    attached: u64,
    detached: Option<u64>,
}

/// All that a process has attached to one window so far.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    all: Vec<Part>,
}

/// An access whose target may still attach what it names.
pub(crate) struct Early {
    pub(crate) target: i32,
    pub(crate) access: Accessed,
    /// Collective operations of all that its origin had passed.
    pub(super) phase: u64,
}

impl Part {
    /// When the target attached it, and when it was over.
    pub(crate) fn lasts(self) -> (u64, Option<u64>) {
        (self.attached, self.detached)
    }
}

impl Parts {
    pub(crate) fn attach(&mut self, base: i64, size: i64, call: u64) {
        self.all.push(Part { from: base, to: base.saturating_add(size), attached: call, detached: None });
    }

    pub(crate) fn detach(&mut self, base: i64, call: u64) {
        let mut open = self.all.iter_mut().rev().filter(|part| part.detached.is_none() && part.from == base);
        open.next().into_iter().for_each(|part| part.detached = Some(call));
    }

    /// The first byte of these runs that none of the parts that `counts` has.
    pub(crate) fn missing(&self, runs: impl Iterator<Item = (i64, i64)>, counts: impl Fn(Part) -> bool) -> Option<i64> {
        let mut parts: Vec<(i64, i64)> =
            self.all.iter().filter(|part| counts(**part)).map(|part| (part.from, part.to)).collect();
        parts.sort_unstable();
        let uncovered = |(from, to): (i64, i64)| {
            let upto = parts.iter().fold(from, |upto, part| if part.0 <= upto { upto.max(part.1) } else { upto });
            (upto < to).then_some(upto)
        };
        runs.filter(|run| run.0 < run.1).find_map(uncovered)
    }
}

/// The accesses of one window whose memory is not known to be attached.
#[derive(Default)]
pub(crate) struct Unattached {
    all: Vec<Early>,
}

impl Unattached {
    pub(super) fn keep(&mut self, early: Early) {
        if self.all.len() < MOST_KEPT {
            self.all.push(early);
        }
    }

    /// Takes the accesses of a phase that all have left and of the ones before it, or all.
    pub(crate) fn ripe(&mut self, phase: Option<u64>) -> Vec<Early> {
        self.all.extract_if(.., |early| phase.is_none_or(|phase| early.phase <= phase)).collect()
    }

    pub(super) fn accesses(&self) -> impl Iterator<Item = &Accessed> {
        self.all.iter().map(|early| &early.access)
    }
}
