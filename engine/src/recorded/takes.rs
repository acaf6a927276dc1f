//! The messages that wildcards take on the way through a window, by the calls of the run.

use super::part::{Part, Window};
use super::{RecordedProgram, Taken, Wildcard};
use crate::state::Comms;
use schedules::{Kind, OpIx, Program, Step};
use trace_format::run::witness::Take;

impl Taken {
    /// In the words of the program: with the rank of the sender in the communicator.
    pub(super) fn named(&self, comms: &Comms) -> Option<Take> {
        let comm = comms.list.get(self.comm).filter(|c| c.serial == self.serial)?;
        let source = comm.peers(comm.position(self.call.rank)?).position(self.source)?;
        Some(Take {
            rank: self.call.rank,
            thread: self.call.thread,
            call: self.number,
            function: self.call.name().to_owned(),
            source: i32::try_from(source).ok()?,
            tag: self.tag,
        })
    }
}

/// Source and tag of a message.
pub(super) fn message(program: &Program, send: OpIx) -> Option<(i32, i32)> {
    match program.ops[send as usize].kind {
        Kind::Send { from, tag, .. } => Some((from as i32, tag)),
        _ => None,
    }
}

impl RecordedProgram {
    /// The message that a receive which begins in this step gets, or that a probe is told of.
    pub(super) fn received(&self, thread: usize, step: usize) -> Option<OpIx> {
        match &self.program.threads[thread][step] {
            Step::Start(op) => match self.program.ops[*op as usize].kind {
                Kind::Recv { got, .. } => got,
                _ => None,
            },
            Step::Probe { found, .. } => *found,
            Step::Wait(_) => None,
        }
    }

    /// The message that a wildcard took or was told of.
    pub(super) fn took(&self, thread: usize, wild: &Wildcard) -> Option<OpIx> {
        let step = wild.step as usize;
        if step < self.program.threads[thread].len() { self.received(thread, step) } else { None }
    }

    /// Notes that a wildcard takes this message; `None`: another call describes the wildcard.
    pub(super) fn taken(&self, thread: usize, number: usize, send: OpIx) -> Option<Taken> {
        let wild = self.wild[thread].get(number).filter(|w| !w.persistent)?;
        let (source, tag) = message(&self.program, send)?;
        let call = self.calls[thread].get(wild.step as usize)?.clone();
        Some(Taken { call, number: number as u64, comm: wild.comm, serial: wild.serial, source, tag })
    }

    /// The number in the run of an operation of a window: operations are told apart by the steps that start them.
    pub(super) fn in_run(&self, part: &Part, window: &Window, op: OpIx) -> Option<OpIx> {
        let op = &part.program.ops[op as usize];
        let (thread, range) = &window[op.thread as usize];
        match self.program.threads[*thread].get(range.start + op.step as usize) {
            Some(Step::Start(op)) => Some(*op),
            _ => None,
        }
    }

    /// The messages that wildcards take until the end of a window. `send_for` says which send of the run a wildcard takes, by
    /// the thread of the window and the number of the wildcard; `None`: it takes none on this way.
    pub(super) fn takes(
        &self,
        window: &Window,
        send_for: impl Fn(usize, usize, &Wildcard) -> Option<OpIx>,
    ) -> Option<Vec<Taken>> {
        let mut all = Vec::new();
        for (thread, (old, range)) in window.iter().enumerate() {
            let until_end = self.wild[*old].iter().take_while(|wild| (wild.step as usize) < range.end);
            for (number, wild) in until_end.enumerate() {
                if let Some(send) = send_for(thread, number, wild) {
                    all.push(self.taken(*old, number, send)?);
                }
            }
        }
        Some(all)
    }
}
