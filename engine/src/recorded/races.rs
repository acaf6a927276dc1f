//! Receives that could have got another message than they did, and whether it would have fitted.

use super::part::Part;
use super::{Known, Matchings, RecordedProgram};
use crate::types::{Amount, Difference, Signatures, UNKNOWN};
use schedules::{Budget, Kind, OpIx, Race as Pair, Step, races};
use std::ops::Range;
use trace_format::catalogue::{MESSAGE_RACE, PROBE_RECEIVE_RACE};
use trace_format::settings::selection::Selection;

/// The fault of the other message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    Type(Difference),
    TooLong,
}

/// A receive that leaves the source or the tag open, and a message that it could have got.
#[derive(Debug, Clone)]
pub(crate) struct Race {
    pub(crate) recv: Known,
    pub(crate) room: Amount,
    /// The send whose message it got.
    pub(crate) took: Known,
    pub(crate) other: Known,
    pub(crate) sent: Amount,
    pub(crate) misfit: Option<Misfit>,
    /// A probe right before told of one message, and the receive did not ask for that one.
    pub(crate) probed: Option<Probed>,
}

/// The message that a probe before a receive told of.
#[derive(Debug, Clone)]
pub(crate) struct Probed {
    pub(crate) probe: Known,
    pub(crate) found: Known,
    /// The receive did get another one.
    pub(crate) happened: bool,
}

/// Which races are wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Races of messages that do not fit, and all others.
    messages: bool,
    all_messages: bool,
    /// Races behind probes that told of a different message, and all others.
    probes: bool,
    all_probes: bool,
}

impl Wanted {
    pub(crate) fn of(selection: &Selection) -> Wanted {
        Wanted {
            messages: selection.is_on(&MESSAGE_RACE),
            all_messages: selection.is_asked_for(&MESSAGE_RACE),
            probes: selection.is_on(&PROBE_RECEIVE_RACE),
            all_probes: selection.is_asked_for(&PROBE_RECEIVE_RACE),
        }
    }
}

/// A window of the recorded program, and the operations of the part that is explored in terms of the recorded program.
struct Window<'a> {
    recorded: &'a RecordedProgram,
    part: &'a Part,
    place: &'a [(usize, Range<usize>)],
}

impl Window<'_> {
    /// The operation's number in the recorded program.
    fn whole(&self, op: OpIx) -> Option<OpIx> {
        let op = &self.part.program.ops[op as usize];
        let (thread, range) = &self.place[op.thread as usize];
        match self.recorded.program.threads[*thread].get(range.start + op.step as usize) {
            Some(Step::Start(op)) => Some(*op),
            _ => None,
        }
    }

    fn amount(&self, op: OpIx) -> Option<Amount> {
        self.recorded.amounts.get(self.whole(op)? as usize).copied().flatten().filter(|a| a.sig != UNKNOWN)
    }

    fn call(&self, thread: u32, step: u32) -> Known {
        let (thread, range) = &self.place[thread as usize];
        self.recorded.calls[*thread][range.start + step as usize].clone()
    }

    fn call_of(&self, op: OpIx) -> Known {
        let op = &self.part.program.ops[op as usize];
        self.call(op.thread, op.step)
    }

    /// The probe whose message the receive was meant for: its step, and the send.
    fn probe_before(&self, recv: OpIx) -> Option<(u32, OpIx)> {
        let op = &self.part.program.ops[recv as usize];
        let before = self.part.program.threads[op.thread as usize].iter().enumerate().take(op.step as usize).rev();
        for (step, what) in before {
            match what {
                Step::Probe { found: Some(found), .. } if self.part.program.pairs(*found, recv) => {
                    return Some((step as u32, *found));
                }
                Step::Start(other) if matches!(self.part.program.ops[*other as usize].kind, Kind::Recv { .. }) => {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    fn differ(&self, one: OpIx, other: OpIx) -> bool {
        let amounts = [one, other].map(|op| self.amount(op));
        let differ = |a: Amount, b: Amount| (a.sig, a.reps) != (b.sig, b.reps);
        matches!(amounts, [Some(a), Some(b)] if differ(a, b))
    }

    fn got(&self, recv: OpIx) -> Option<OpIx> {
        match self.part.program.ops[recv as usize].kind {
            Kind::Recv { got, .. } => got,
            _ => None,
        }
    }

    fn is_wanted(&self, race: Pair, wanted: Wanted) -> bool {
        let Some(got) = self.got(race.recv) else { return false };
        match self.probe_before(race.recv) {
            Some((_, told)) if race.send != told => wanted.all_probes || wanted.probes && self.differ(told, race.send),
            Some(_) => false,
            None => wanted.all_messages || wanted.messages && self.differ(got, race.send),
        }
    }

    fn race(&self, recv: OpIx, other: OpIx, happened: bool) -> Option<Race> {
        let probed = self.probe_before(recv).map(|(step, told)| Probed {
            probe: self.call(self.part.program.ops[recv as usize].thread, step),
            found: self.call_of(told),
            happened,
        });
        Some(Race {
            recv: self.call_of(recv),
            room: self.amount(recv).unwrap_or(Amount::UNKNOWN),
            took: self.call_of(self.got(recv)?),
            other: self.call_of(other),
            sent: self.amount(other).unwrap_or(Amount::UNKNOWN),
            misfit: None,
            probed,
        })
    }
}

impl RecordedProgram {
    /// Adds the races of a window.
    pub(super) fn add_races(
        &self,
        part: &Part,
        place: &[(usize, Range<usize>)],
        wanted: Wanted,
        budget: Budget,
        all: &mut Matchings,
    ) {
        let window = Window { recorded: self, part, place };
        let Some(found) = races(&part.program, budget, |race| window.is_wanted(race, wanted)) else { return };
        all.races.extend(found.iter().filter_map(|r| window.race(r.recv, r.send, false)));
        if !wanted.probes {
            return;
        }
        // A race that did happen need not be looked for.
        for recv in 0..part.program.ops.len() as OpIx {
            let told = window.probe_before(recv).map(|(_, told)| told);
            if let (Some(told), Some(got)) = (told, window.got(recv))
                && told != got
            {
                all.races.extend(window.race(recv, got, true));
            }
        }
    }
}

impl Race {
    /// Finds out whether the message would have fitted; `false`: this race is nothing to speak of.
    pub(crate) fn judge(&mut self, signatures: &mut Signatures, wanted: Wanted) -> bool {
        let too_long = |sent: Amount, room: Amount, all: &Signatures| all.elements(sent) > all.elements(room);
        if self.room.sig != UNKNOWN && self.sent.sig != UNKNOWN {
            let difference = signatures.difference(self.sent, self.room);
            self.misfit = match difference {
                Some(d) if !d.formal => Some(Misfit::Type(d)),
                _ if too_long(self.sent, self.room, signatures) => Some(Misfit::TooLong),
                other => other.map(Misfit::Type),
            };
        }
        // A probe may only have been asked whether there is something at all.
        let (all, some) = match self.probed {
            Some(_) => (wanted.all_probes, wanted.probes),
            None => (wanted.all_messages, wanted.messages),
        };
        all || some && self.misfit.is_some()
    }
}
