//! What events tell of their traces, and of the run beside findings.

use engine::worlds::Names;
use report::samples::Samples;
use report::symbols::Symbols;
use trace_format::mpi::Class;
use trace_format::system::{Signal, SystemEvent};
use trace_reader::reader::{LeanEvent, RankEvent};

/// What the events of a trace tell of the trace itself.
#[derive(Default)]
pub(super) struct TraceNotes {
    /// How far recording got when it was lost, and why.
    pub(super) lost: Option<String>,
    /// Calls that are missing, and until when they were made.
    pub(super) gap: Option<(u64, u64)>,
    pub(super) events: u64,
    /// It brought the whole job down, so that launchers kill the others.
    pub(super) ended_job: bool,
    /// How its process ended is there.
    pub(super) ended: bool,
}

/// What the events of all traces tell for reports, beside what the engine makes of them.
#[derive(Default)]
pub struct RunNotes {
    /// Signals that end processes, as long as nobody has asked for them.
    pub signals: Vec<(i32, Signal)>,
    /// What performance variables said.
    pub samples: Samples,
}

impl RunNotes {
    fn note(&mut self, rank: i32, event: &SystemEvent) {
        match event {
            SystemEvent::Signal(signal) if signal.is_last => self.signals.push((rank, *signal)),
            SystemEvent::Sample(sample) => self.samples.take(rank, sample),
            _ => {}
        }
    }
}

impl TraceNotes {
    /// An event of the rank, which the engine is given next.
    pub(super) fn note(
        &mut self,
        rank: i32,
        event: &LeanEvent,
        symbols: &mut Symbols,
        run_notes: &mut RunNotes,
        names: &Names,
    ) {
        self.ended_job |= ends_job(event);
        match event {
            RankEvent::Definition(d) => symbols.define(rank, d),
            RankEvent::Call(call) => self.events += if call.is_open() { 1 } else { 2 },
            RankEvent::Return { .. } => self.events += 1,
            RankEvent::System { event, time, .. } => {
                run_notes.note(rank, event);
                self.note_system(rank, event, *time, names);
            }
        }
    }

    fn note_system(&mut self, rank: i32, event: &SystemEvent, time: u64, names: &Names) {
        match event {
            SystemEvent::Lost { reason } => {
                self.lost = Some(format!(
                    "recording stopped after {} events ({reason}): what {} did later is unknown",
                    self.events,
                    names.list(&[rank])
                ));
            }
            SystemEvent::Gap { calls } => {
                let (before, until) = self.gap.unwrap_or_default();
                self.gap = Some((before.saturating_add(*calls), until.max(time)));
            }
            SystemEvent::Exit { .. } => self.ended = true,
            SystemEvent::Signal(signal) => self.ended |= signal.is_last,
            _ => {}
        }
    }

    /// So many calls that have returned, of which nothing else is to be said.
    pub(super) fn note_calls(&mut self, calls: u64) {
        self.events += 2 * calls;
    }
}

/// Does the process that says this end, and the job with it?
fn ends_job(event: &LeanEvent) -> bool {
    match event {
        RankEvent::System { event: SystemEvent::Signal(signal), .. } => signal.is_last,
        RankEvent::System { event: SystemEvent::MpiError { fatal, .. }, .. } => *fatal,
        RankEvent::System { event: SystemEvent::Exit { status }, .. } => *status != 0,
        RankEvent::Call(call) => call.func.row().class == Class::Abort,
        _ => false,
    }
}
