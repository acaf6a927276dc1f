//! The calls of all ranks, written down for [`schedules::explore`], and the answers to what else could have happened.
//!
//! Runs that are longer than [`MOST_STEPS`] are not written down. The others are cut at their end into windows, where all
//! ranks wait for all others and no message is under way, and each window in which a receive had a choice is explored.

mod alternatives;
mod answer;
mod part;
mod places;
mod races;
mod takes;

use crate::state::{CommIx, Origin};
use crate::types::Amount;
pub use alternatives::Alternative;
pub(crate) use alternatives::Named;
pub use alternatives::Ways;
pub(crate) use races::{Misfit, Probed, Race, Wanted};
use schedules::{Collective, Kind, Many, OpIx, Operation, Program, Step, Wait};
use std::rc::Rc;

/// Steps of all ranks together that are written down.
const MOST_STEPS: usize = 100_000;

/// Ranks that the parts of all collective operations need: with many ranks that are far more than steps.
const MOST_NEEDED: usize = 4 << 20;

/// Findings of one window after which it is left alone.
pub(crate) const MOST_WITNESSES: usize = 4;

/// A probe that was told of a message: thread, step, and communicator, source and tag of the message.
pub(crate) struct ReportedProbe {
    thread: u32,
    step: u32,
    comm: u32,
    source: u32,
    tag: i32,
}

/// A call that leaves the source or the tag open.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wildcard {
    step: u32,
    /// The communicator, and its serial number: the first may be that of another one by now.
    comm: CommIx,
    serial: u32,
    /// Described by another call, once for all its starts.
    persistent: bool,
}

/// See the module.
#[derive(Default)]
pub(crate) struct RecordedProgram {
    program: Program,
    /// By thread and step: the call.
    calls: Vec<Vec<Known>>,
    /// By operation: what is sent, or room for what is received.
    amounts: Vec<Option<Amount>>,
    steps: usize,
    needed: usize,
    probes: Vec<ReportedProbe>,
    /// Receives and probes that leave the source or the tag open: how many, and by thread, in order.
    pub(crate) wildcards: u64,
    wild: Vec<Vec<Wildcard>>,
    /// Why nothing can be said of other matchings.
    unknown: Option<&'static str>,
}

/// A call that never returns under another matching, and who would have to do something.
#[derive(Debug, Clone)]
pub(crate) struct Stuck {
    pub(crate) rank: i32,
    pub(crate) call: Known,
    /// Ranks that could help and are stuck as well.
    pub(crate) waits_for: Vec<i32>,
}

/// A receive that takes another message than it did.
#[derive(Debug, Clone)]
pub(crate) struct Swap {
    pub(crate) recv: Known,
    /// The message that it takes, and the one that it took.
    pub(crate) takes: Known,
    pub(crate) took: Option<Known>,
}

/// A permitted matching in which ranks wait for ever.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    pub(crate) stuck: Vec<Stuck>,
    pub(crate) swaps: Vec<Swap>,
    /// It also needs a library that buffers no message and returns from no collective operation early.
    pub(crate) strict: bool,
    /// The messages that the wildcards have to take for it, if they can be named: world ranks of caller and sender, and the call.
    takes: Option<Vec<Taken>>,
    /// Number of its witness, from 1.
    pub(crate) witness: Option<usize>,
}

/// The message that a wildcard call takes.
#[derive(Debug, Clone)]
pub(crate) struct Taken {
    call: Known,
    /// How many wildcard calls its thread has made before.
    number: u64,
    comm: CommIx,
    serial: u32,
    /// World rank.
    source: i32,
    tag: i32,
}

/// The answers about all matchings that the standard permits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Matchings {
    /// Receives and probes that leave the source or the tag open.
    pub(crate) wildcards: u64,
    pub(crate) schedules: Vec<Schedule>,
    /// Receives that could have got another message, if everything before had been as it was.
    pub(crate) races: Vec<Race>,
    /// Why not all were decided.
    pub(crate) undecided: Option<&'static str>,
}

impl RecordedProgram {
    pub(crate) fn thread(&mut self) {
        self.program.threads.push(Vec::new());
        self.calls.push(Vec::new());
        self.wild.push(Vec::new());
    }

    /// Is anything written down?
    pub(crate) fn is_written(&self) -> bool {
        self.unknown.is_none()
    }

    fn room(&mut self, thread: u32, call: &Known) -> bool {
        if self.unknown.is_some() {
            return false;
        }
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.give_up("the run is too long");
            return false;
        }
        self.calls[thread as usize].push(call.clone());
        true
    }

    /// Nothing can be said of other matchings.
    pub(crate) fn give_up(&mut self, why: &'static str) {
        if self.unknown.is_some() {
            return;
        }
        self.unknown = Some(why);
        let threads = self.program.threads.len();
        self.program = Program { threads: vec![Vec::new(); threads], ..Program::default() };
        self.calls = vec![Vec::new(); threads];
        self.amounts = Vec::new();
        self.wild = vec![Vec::new(); threads];
        self.probes = Vec::new();
    }

    /// `needs`: by position, whose call it cannot do without.
    pub(crate) fn collective(&mut self, size: u32, needs: impl Fn(u32) -> Vec<u32>) -> u32 {
        if self.unknown.is_some() {
            return 0;
        }
        let mut all = Vec::with_capacity(size as usize);
        for position in 0..size {
            let needed = needs(position);
            self.needed += needed.len();
            if self.needed > MOST_NEEDED {
                self.give_up("too many ranks take part in its collective operations");
                return 0;
            }
            all.push(needed);
        }
        let needs = all;
        self.program.collectives.push(Collective { parts: vec![None; size as usize], needs });
        self.program.collectives.len() as u32 - 1
    }

    /// The arguments of this part say whose calls it cannot do without.
    pub(crate) fn part_needs(&mut self, collective: u32, position: u32, needed: &[u32]) {
        let known = self.program.collectives.get_mut(collective as usize).filter(|_| self.unknown.is_none());
        if let Some(needs) = known.and_then(|c| c.needs.get_mut(position as usize)) {
            *needs = needed.to_vec();
        }
    }

    /// `comm`: of a send or receive; `persistent`: it was described by another call.
    pub(crate) fn start(
        &mut self,
        thread: u32,
        kind: Kind,
        comm: Option<CommIx>,
        persistent: bool,
        amount: Option<Amount>,
        call: &Known,
    ) -> Option<OpIx> {
        let open = match kind {
            Kind::Recv { comm: serial, .. } if kind.is_open() => Some(serial),
            _ => None,
        };
        self.wildcards += u64::from(open.is_some());
        if !self.room(thread, call) {
            return None;
        }
        if let (Some(serial), Some(comm)) = (open, comm) {
            let step = self.program.threads[thread as usize].len() as u32;
            self.wild[thread as usize].push(Wildcard { step, comm, serial, persistent });
        }
        self.amounts.push(amount);
        Some(self.program.start(thread, kind))
    }

    pub(crate) fn pair(&mut self, send: OpIx, recv: OpIx) {
        if let Some(Operation { kind: Kind::Recv { got, .. }, .. }) = self.program.ops.get_mut(recv as usize) {
            *got = Some(send);
        }
    }

    /// The operation did not take place.
    pub(crate) fn withdraw(&mut self, op: OpIx) {
        if let Some(op) = self.program.ops.get_mut(op as usize) {
            op.kind = Kind::Free;
        }
    }

    pub(crate) fn wait(&mut self, thread: u32, ops: Vec<OpIx>, any: Option<Vec<OpIx>>, patient: bool, call: &Known) {
        if self.room(thread, call) {
            let many = any.map_or(Many::All, Many::Any);
            self.program.threads[thread as usize].push(Step::Wait(Wait { ops, many, patient }));
        }
    }

    /// A probe returned: what it looked for, and source and tag of what it was told of.
    #[expect(clippy::too_many_arguments, reason = "the arguments of MPI_Probe")]
    pub(crate) fn probe(
        &mut self,
        thread: u32,
        (ix, comm): (CommIx, u32),
        at: u32,
        wanted: (Option<u32>, Option<i32>),
        told: (u32, i32),
        patient: bool,
        call: &Known,
    ) {
        let (source, tag) = wanted;
        self.wildcards += u64::from(source.is_none() || tag.is_none());
        if self.room(thread, call) {
            let steps = &mut self.program.threads[thread as usize];
            if source.is_none() || tag.is_none() {
                let step = steps.len() as u32;
                self.wild[thread as usize].push(Wildcard { step, comm: ix, serial: comm, persistent: false });
            }
            self.probes.push(ReportedProbe { thread, step: steps.len() as u32, comm, source: told.0, tag: told.1 });
            steps.push(Step::Probe { comm, at, source, tag, found: None, patient });
        }
    }
}

/// A call, as the replay knows it.
pub(crate) type Known = Rc<Origin>;
