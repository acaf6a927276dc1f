//! Other outcomes of a run: a recorded program cut into windows, each explored, and the answers in terms of calls.

use super::part::{Part, Window};
use super::races::Wanted as WantedRaces;
use super::takes::message;
use super::{MOST_WITNESSES, Matchings, RecordedProgram, Schedule, Stuck, Swap, Taken};
use crate::state::{Comms, Origin, plural};
use schedules::{Answer, Budget, Collective, Event, Kind, Many, OpIx, Semantics, Step, Witness, explore, has_choices};
use std::rc::Rc;
use trace_format::run::witness::Take;

impl RecordedProgram {
    /// The other outcomes. `threads`: rank and thread of each thread; `strict`: look also for deadlocks that need a
    /// library that does no more than it must; `wanted`: which races.
    pub(crate) fn answer(mut self, threads: &[(i32, u16)], strict: bool, wanted: WantedRaces) -> Matchings {
        let mut all = Matchings { wildcards: self.wildcards, undecided: self.unknown, ..Matchings::default() };
        if self.wildcards == 0 || self.unknown.is_some() {
            return all;
        }
        self.resolve_probes();
        self.find_steering();
        let mut order: Vec<usize> = (0..threads.len()).collect();
        order.sort_by_key(|l| threads[*l]);
        for window in self.windows(&order) {
            let part = Part::new(&self.program, &window);
            if has_choices(&part.program, Budget::default()) {
                self.explore_window(&part, &window, threads, strict, &mut all);
            }
            self.add_races(&part, &window, wanted, Budget::default(), &mut all);
        }
        all
    }

    /// A probe was told of the message that the thread receives next from there.
    pub(super) fn resolve_probes(&mut self) {
        for reported in std::mem::take(&mut self.probes) {
            let steps = &self.program.threads[reported.thread as usize];
            let of = |op: OpIx| &self.program.ops[op as usize].kind;
            let next = steps[reported.step as usize..].iter().find_map(|step| match step {
                Step::Start(op) => match of(*op) {
                    Kind::Recv { got: Some(send), .. } => match of(*send) {
                        Kind::Send { comm, from, tag, .. } => {
                            ((*comm, *from, *tag) == (reported.comm, reported.source, reported.tag)).then_some(*send)
                        }
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            });
            if let Step::Probe { found, .. } =
                &mut self.program.threads[reported.thread as usize][reported.step as usize]
            {
                *found = next;
            }
        }
    }

    /// A process that goes on with the one that it got a message from, whoever that is, would go on with another one.
    pub(super) fn find_steering(&mut self) {
        for recv in 0..self.program.ops.len() {
            let op = &self.program.ops[recv];
            let Kind::Recv { source: None, got: Some(got), .. } = op.kind else { continue };
            let Kind::Send { from, .. } = self.program.ops[got as usize].kind else { continue };
            let steps = &self.program.threads[op.thread as usize];
            let speaks_to = |step: &Step| match step {
                Step::Start(op) => match self.program.ops[*op as usize].kind {
                    Kind::Send { to, .. } => to == from,
                    Kind::Recv { source, .. } => source == Some(from),
                    _ => false,
                },
                Step::Probe { source, .. } => *source == Some(from),
                Step::Wait(_) => false,
            };
            let completes = |step: &Step| matches!(step, Step::Wait(w) if w.done().contains(&(recv as OpIx)));
            let Some(behind) = steps.iter().position(completes) else { continue };
            let first = (behind..steps.len()).find(|s| speaks_to(&steps[*s])).map(|s| s as u32);
            if let Kind::Recv { steers, .. } = &mut self.program.ops[recv].kind {
                *steers = first;
            }
        }
    }

    /// By window: the steps of each thread, in `order`.
    pub(super) fn windows(&self, order: &[usize]) -> Vec<Vec<(usize, std::ops::Range<usize>)>> {
        let cuts = self.cuts();
        let mut windows = Vec::new();
        let mut from: Vec<usize> = vec![0; self.program.threads.len()];
        let ends = self.program.threads.iter().map(Vec::len).collect();
        for cut in cuts.into_iter().chain([ends]) {
            windows.push(order.iter().map(|l| (*l, from[*l]..cut[*l])).collect());
            from = cut;
        }
        windows
    }

    /// Where all threads have waited for all others and nothing is under way: the next step of each.
    fn cuts(&self) -> Vec<Vec<usize>> {
        let program = &self.program;
        let threads = program.threads.len();
        let everybody = |c: &Collective| {
            let mut met = vec![false; threads];
            c.parts.iter().flatten().for_each(|op| met[program.ops[*op as usize].thread as usize] = true);
            c.parts.len() == threads && met.into_iter().all(|m| m) && c.needs.iter().all(|n| n.len() == threads)
        };
        let mut cuts: Vec<Vec<usize>> = Vec::new();
        for c in program.collectives.iter().filter(|c| everybody(c)) {
            let mut cut = vec![0; threads];
            let at_once = c.parts.iter().flatten().all(|op| {
                let start = &program.ops[*op as usize];
                cut[start.thread as usize] = start.step as usize + 2;
                let next = program.threads[start.thread as usize].get(start.step as usize + 1);
                matches!(next, Some(Step::Wait(w)) if w.many == Many::All && w.ops == [*op])
            });
            if at_once {
                cuts.push(cut);
            }
        }
        cuts.sort();
        // An operation that begins before a cut and ends behind it forbids the cut.
        let window = |thread: u32, step: usize| cuts.partition_point(|c| c[thread as usize] <= step);
        let mut crossed = vec![0i32; cuts.len() + 1];
        let mut forbid = |a: usize, b: usize| {
            crossed[a.min(b)] += 1;
            crossed[a.max(b)] -= 1;
        };
        let of = |op: OpIx| window(program.ops[op as usize].thread, program.ops[op as usize].step as usize);
        for (i, op) in program.ops.iter().enumerate() {
            match op.kind {
                Kind::Recv { got: Some(send), .. } => forbid(of(i as OpIx), of(send)),
                // A message that nobody receives, or a receive that got none, may be received in another matching.
                Kind::Recv { got: None, .. } => forbid(of(i as OpIx), cuts.len()),
                _ => {}
            }
        }
        let mut received = vec![false; program.ops.len()];
        for op in &program.ops {
            if let Kind::Recv { got: Some(send), .. } = op.kind {
                received[send as usize] = true;
            }
        }
        for (i, op) in program.ops.iter().enumerate() {
            if matches!(op.kind, Kind::Send { .. }) && !received[i] {
                forbid(of(i as OpIx), cuts.len());
            }
        }
        for c in &program.collectives {
            let all: Vec<usize> = c.parts.iter().flatten().map(|op| of(*op)).collect();
            if let (Some(first), Some(last)) = (all.iter().min(), all.iter().max()) {
                forbid(*first, *last);
            }
        }
        for (thread, steps) in program.threads.iter().enumerate() {
            for (step, what) in steps.iter().enumerate() {
                if let Step::Wait(w) = what {
                    w.ops.iter().for_each(|op| forbid(of(*op), window(thread as u32, step)));
                }
            }
        }
        let mut open = 0;
        let mut kept = Vec::new();
        for (i, cut) in cuts.into_iter().enumerate() {
            open += crossed[i];
            if open == 0 {
                kept.push(cut);
            }
        }
        kept
    }

    fn explore_window(&self, part: &Part, window: &Window, threads: &[(i32, u16)], strict: bool, all: &mut Matchings) {
        let mut known: Vec<Vec<(u32, u32)>> = Vec::new();
        let all_semantics = [Some(Semantics::LENIENT), strict.then_some(Semantics::STRICT)];
        for semantics in all_semantics.into_iter().flatten() {
            while known.len() < MOST_WITNESSES {
                // Where one window is too much, the others are not worth as much time.
                let whole = Budget::default();
                let budget =
                    if all.undecided.is_some() { Budget { learned: whole.learned / 20, ..whole } } else { whole };
                match explore(&part.program, semantics, &known, budget) {
                    Answer::Safe => break,
                    Answer::Undecided => {
                        all.undecided.get_or_insert("there are too many possibilities");
                        break;
                    }
                    Answer::Deadlock(witness) => {
                        let at = witness.stuck.iter().enumerate();
                        known.push(at.filter_map(|(thread, step)| Some((thread as u32, (*step)?))).collect());
                        let strict = semantics == Semantics::STRICT;
                        all.schedules.push(self.schedule(part, &witness, window, threads, strict));
                    }
                }
            }
        }
    }

    fn schedule(
        &self,
        part: &Part,
        witness: &Witness,
        window: &Window,
        threads: &[(i32, u16)],
        strict: bool,
    ) -> Schedule {
        let call = |thread: usize, step: usize| self.calls[window[thread].0][window[thread].1.start + step].clone();
        let of = |op: OpIx| {
            let op = &part.program.ops[op as usize];
            call(op.thread as usize, op.step as usize)
        };
        let rank = |thread: usize| threads[window[thread].0].0;
        let mut stuck = Vec::new();
        for (thread, step) in witness.stuck.iter().enumerate() {
            let Some(step) = step else { continue };
            let mut waits_for: Vec<i32> = part.helpers(witness, thread, *step, &rank).into_iter().map(rank).collect();
            waits_for.sort_unstable();
            waits_for.dedup();
            stuck.push(Stuck { rank: rank(thread), call: call(thread, *step as usize), waits_for });
        }
        let mut swaps = Vec::new();
        for event in &witness.events {
            let Event::Match { send, recv } = *event else { continue };
            if let Kind::Recv { got, source, tag, .. } = part.program.ops[recv as usize].kind
                && got != Some(send)
                && (source.is_none() || tag.is_none())
            {
                swaps.push(Swap { recv: of(recv), takes: of(send), took: got.map(of) });
            }
        }
        Schedule { stuck, swaps, strict, takes: self.takes_until(part, witness, window), witness: None }
    }

    /// The message that each wildcard takes on the way to the deadlock. `None`: one of them cannot be named.
    fn takes_until(&self, part: &Part, witness: &Witness, window: &Window) -> Option<Vec<Taken>> {
        self.takes(window, |thread, _, wild| {
            let (old, range) = &window[thread];
            let send =
                match (wild.step as usize).checked_sub(range.start).map(|step| &part.program.threads[thread][step]) {
                    None => self.took(*old, wild),
                    Some(Step::Start(op)) => {
                        let of = |event: &Event| match event {
                            Event::Match { send, recv } if recv == op => Some(*send),
                            _ => None,
                        };
                        witness.events.iter().find_map(of).and_then(|send| self.in_run(part, window, send))
                    }
                    Some(Step::Probe { found, .. }) => found.and_then(|send| self.in_run(part, window, send)),
                    Some(Step::Wait(_)) => None,
                };
            // A send that failed after it was matched takes no part.
            send.filter(|send| message(&self.program, *send).is_some())
        })
    }
}

impl Schedule {
    /// Do those who are stuck wait for each other, and not for what never comes?
    pub(crate) fn is_deadlock(&self) -> bool {
        self.stuck.iter().any(|s| !s.waits_for.is_empty())
    }
}

impl Matchings {
    /// The witnesses of the schedules, which get their numbers; of a program that is named later.
    pub(crate) fn witnesses(&mut self, comms: &Comms) -> Vec<trace_format::run::witness::Witness> {
        let mut all = Vec::new();
        for schedule in &mut self.schedules {
            let takes = schedule.takes.iter().flatten().map(|t| t.named(comms));
            let Some(takes) = takes.collect::<Option<Vec<Take>>>().filter(|t| !t.is_empty()) else { continue };
            all.push(trace_format::run::witness::Witness { takes, ..Default::default() });
            schedule.witness = Some(all.len());
        }
        all
    }

    /// The questions about them that could not be decided.
    pub(crate) fn open_question(&self) -> Option<String> {
        let why = self.undecided.filter(|_| self.wildcards > 0)?;
        let what = plural(self.wildcards, "call");
        Some(format!(
            "not decided: which other messages {what} with MPI_ANY_SOURCE or MPI_ANY_TAG could have got ({why})"
        ))
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let stuck = self.schedules.iter().flat_map(|s| {
            let swaps = s.swaps.iter().flat_map(|w| [&w.recv, &w.takes].into_iter().chain(&w.took));
            s.stuck.iter().map(|w| &w.call).chain(swaps)
        });
        stuck.chain(self.races.iter().flat_map(|r| {
            let probed = r.probed.iter().flat_map(|p| [&p.probe, &p.found]);
            [&r.recv, &r.took, &r.other].into_iter().chain(probed)
        }))
    }
}
