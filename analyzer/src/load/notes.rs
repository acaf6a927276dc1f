//! Notes from events: on their traces, and on the run beside findings.

use engine::worlds::Names;
use report::samples::Samples;
use report::symbols::Symbols;
use trace_format::mpi::Class;
use trace_format::system::{Signal, SystemEvent};
use trace_format::watched::Watched;
use trace_reader::reader::{LeanEvent, RankEvent};

/// Notes on a trace, from its own events.
#[derive(Default)]
pub(super) struct TraceNotes {
    /// The point at which recording broke off, and why.
    pub(super) lost: Option<String>,
    /// Calls that are missing, and until when they were made.
    pub(super) gap: Option<(u64, u64)>,
    pub(super) events: u64,
    /// Its process ended the whole job: launchers kill the others.
    pub(super) ended_job: bool,
    /// The trace has the end of its process.
    pub(super) ended: bool,
}

/// Notes for reports from the events of all traces, beside the results of the engine.
#[derive(Default)]
pub struct RunNotes {
    /// Signals that end processes, as long as nobody has asked for them.
    pub signals: Vec<(i32, Signal)>,
    /// Readings of performance variables.
    pub samples: Samples,
    /// How much memory the ranks have watched, with `--precise`.
    pub watched: Option<Watched>,
}

impl RunNotes {
    fn note(&mut self, rank: i32, event: &SystemEvent) {
        match event {
            SystemEvent::Signal(signal) if signal.is_last => self.signals.push((rank, *signal)),
            SystemEvent::Sample(sample) => self.samples.take(rank, sample),
            SystemEvent::Watched(watched) => self.watched.get_or_insert_default().add(watched),
            _ => {}
        }
    }
}

impl TraceNotes {
    /// Takes notes of an event of the rank before the engine gets it.
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

    /// Notes this many calls that have returned, and have nothing else worth a note.
    pub(super) fn note_calls(&mut self, calls: u64) {
        self.events += 2 * calls;
    }
}

/// Does this event end its process, and the job with it?
fn ends_job(event: &LeanEvent) -> bool {
    match event {
        RankEvent::System { event: SystemEvent::Signal(signal), .. } => signal.is_last,
        RankEvent::System { event: SystemEvent::MpiError { fatal, .. }, .. } => *fatal,
        RankEvent::System { event: SystemEvent::Exit { status }, .. } => *status != 0,
        RankEvent::Call(call) => call.func.row().class == Class::Abort,
        _ => false,
    }
}
