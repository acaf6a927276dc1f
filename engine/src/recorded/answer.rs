//! Other outcomes of a run: a recorded program cut into windows, each explored, and the answers in terms of calls.

use super::races::Wanted as WantedRaces;
use super::{MOST_WITNESSES, Matchings, RecordedProgram, Schedule, Stuck, Swap, Taken, Wildcard};
use crate::state::{Comms, Origin, plural};
use rustc_hash::FxHashMap;
use schedules::{
    Answer, Budget, Collective, Event, Kind, Many, OpIx, Program, Semantics, Step, Witness, explore, has_choices,
};
use std::rc::Rc;
use trace_format::run::witness::Take;

impl RecordedProgram {
    /// The other outcomes. `lanes`: rank and thread of each thread; `strict`: look also for deadlocks that need a
    /// library that does no more than it must; `wanted`: which races.
    pub(crate) fn answer(mut self, lanes: &[(i32, u16)], strict: bool, wanted: WantedRaces) -> Matchings {
        let mut all = Matchings { wildcards: self.wildcards, undecided: self.unknown, ..Matchings::default() };
        if self.wildcards == 0 || self.unknown.is_some() {
            return all;
        }
        self.resolve_probes();
        self.find_steering();
        let mut order: Vec<usize> = (0..lanes.len()).collect();
        order.sort_by_key(|l| lanes[*l]);
        for window in self.windows(&order) {
            let part = Part::new(&self.program, &window);
            if has_choices(&part.program, Budget::default()) {
                self.explore_window(&part, &window, lanes, strict, &mut all);
            }
            self.add_races(&part, &window, wanted, Budget::default(), &mut all);
        }
        all
    }

    /// A probe was told of the message that the thread receives next from there.
    pub(super) fn resolve_probes(&mut self) {
        for told in std::mem::take(&mut self.probes) {
            let steps = &self.program.lanes[told.lane as usize];
            let of = |op: OpIx| &self.program.ops[op as usize].kind;
            let next = steps[told.step as usize..].iter().find_map(|step| match step {
                Step::Start(op) => match of(*op) {
                    Kind::Recv { got: Some(send), .. } => match of(*send) {
                        Kind::Send { comm, from, tag, .. } => {
                            ((*comm, *from, *tag) == (told.comm, told.source, told.tag)).then_some(*send)
                        }
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            });
            if let Step::Probe { found, .. } = &mut self.program.lanes[told.lane as usize][told.step as usize] {
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
            let steps = &self.program.lanes[op.lane as usize];
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
        let mut from: Vec<usize> = vec![0; self.program.lanes.len()];
        let ends = self.program.lanes.iter().map(Vec::len).collect();
        for cut in cuts.into_iter().chain([ends]) {
            windows.push(order.iter().map(|l| (*l, from[*l]..cut[*l])).collect());
            from = cut;
        }
        windows
    }

    /// Where all threads have waited for all others and nothing is under way: the next step of each.
    fn cuts(&self) -> Vec<Vec<usize>> {
        let program = &self.program;
        let lanes = program.lanes.len();
        let everybody = |c: &Collective| {
            let mut met = vec![false; lanes];
            c.parts.iter().flatten().for_each(|op| met[program.ops[*op as usize].lane as usize] = true);
            c.parts.len() == lanes && met.into_iter().all(|m| m) && c.needs.iter().all(|n| n.len() == lanes)
        };
        let mut cuts: Vec<Vec<usize>> = Vec::new();
        for c in program.collectives.iter().filter(|c| everybody(c)) {
            let mut cut = vec![0; lanes];
            let at_once = c.parts.iter().flatten().all(|op| {
                let start = &program.ops[*op as usize];
                cut[start.lane as usize] = start.step as usize + 2;
                let next = program.lanes[start.lane as usize].get(start.step as usize + 1);
                matches!(next, Some(Step::Wait(w)) if w.many == Many::All && w.ops == [*op])
            });
            if at_once {
                cuts.push(cut);
            }
        }
        cuts.sort();
        // An operation that begins before a cut and ends behind it forbids the cut.
        let window = |lane: u32, step: usize| cuts.partition_point(|c| c[lane as usize] <= step);
        let mut crossed = vec![0i32; cuts.len() + 1];
        let mut forbid = |a: usize, b: usize| {
            crossed[a.min(b)] += 1;
            crossed[a.max(b)] -= 1;
        };
        let of = |op: OpIx| window(program.ops[op as usize].lane, program.ops[op as usize].step as usize);
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
        for (lane, steps) in program.lanes.iter().enumerate() {
            for (step, what) in steps.iter().enumerate() {
                if let Step::Wait(w) = what {
                    w.ops.iter().for_each(|op| forbid(of(*op), window(lane as u32, step)));
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

    fn explore_window(
        &self,
        part: &Part,
        window: &[(usize, std::ops::Range<usize>)],
        lanes: &[(i32, u16)],
        strict: bool,
        all: &mut Matchings,
    ) {
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
                        known.push(at.filter_map(|(lane, step)| Some((lane as u32, (*step)?))).collect());
                        let strict = semantics == Semantics::STRICT;
                        all.schedules.push(self.schedule(part, &witness, window, lanes, strict));
                    }
                }
            }
        }
    }

    fn schedule(
        &self,
        part: &Part,
        witness: &Witness,
        window: &[(usize, std::ops::Range<usize>)],
        lanes: &[(i32, u16)],
        strict: bool,
    ) -> Schedule {
        let call = |lane: usize, step: usize| self.calls[window[lane].0][window[lane].1.start + step].clone();
        let of = |op: OpIx| {
            let op = &part.program.ops[op as usize];
            call(op.lane as usize, op.step as usize)
        };
        let rank = |lane: usize| lanes[window[lane].0].0;
        let mut stuck = Vec::new();
        for (lane, step) in witness.stuck.iter().enumerate() {
            let Some(step) = step else { continue };
            let mut waits_for: Vec<i32> = part.helpers(witness, lane, *step, &rank).into_iter().map(rank).collect();
            waits_for.sort_unstable();
            waits_for.dedup();
            stuck.push(Stuck { rank: rank(lane), call: call(lane, *step as usize), waits_for });
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
        Schedule { stuck, swaps, strict, takes: self.takes(part, witness, window), witness: None }
    }

    /// The message that each wildcard takes on the way to the deadlock. `None`: one of them cannot be named.
    fn takes(&self, part: &Part, witness: &Witness, window: &[(usize, std::ops::Range<usize>)]) -> Option<Vec<Taken>> {
        let message = |program: &Program, send: OpIx| match program.ops[send as usize].kind {
            Kind::Send { from, tag, .. } => Some((from as i32, tag)),
            _ => None,
        };
        let mut all = Vec::new();
        for (lane, (old, range)) in window.iter().enumerate() {
            for (number, wild) in self.wild[*old].iter().enumerate() {
                let step = wild.step as usize;
                if step >= range.end {
                    break;
                }
                let told = if step < range.start {
                    let send = match &self.program.lanes[*old][step] {
                        Step::Start(op) => match self.program.ops[*op as usize].kind {
                            Kind::Recv { got, .. } => got,
                            _ => None,
                        },
                        Step::Probe { found, .. } => *found,
                        Step::Wait(_) => None,
                    };
                    send.and_then(|send| message(&self.program, send))
                } else {
                    let send = match &part.program.lanes[lane][step - range.start] {
                        Step::Start(op) => witness.events.iter().find_map(|e| match e {
                            Event::Match { send, recv } if recv == op => Some(*send),
                            _ => None,
                        }),
                        Step::Probe { found, .. } => *found,
                        Step::Wait(_) => None,
                    };
                    send.and_then(|send| message(&part.program, send))
                };
                let Some((source, tag)) = told else { continue };
                if wild.persistent {
                    return None;
                }
                let call = self.calls[*old][step].clone();
                let Wildcard { comm, serial, .. } = *wild;
                all.push(Taken { call, number: number as u64, comm, serial, source, tag });
            }
        }
        Some(all)
    }
}

/// A window as a program of its own.
pub(super) struct Part {
    pub(super) program: Program,
}

impl Part {
    pub(super) fn new(whole: &Program, window: &[(usize, std::ops::Range<usize>)]) -> Part {
        let mut program = Program { lanes: vec![Vec::new(); window.len()], ..Program::default() };
        let mut number: FxHashMap<OpIx, OpIx> = FxHashMap::default();
        let mut collectives: FxHashMap<u32, u32> = FxHashMap::default();
        for (lane, (old, range)) in window.iter().enumerate() {
            for step in &whole.lanes[*old][range.clone()] {
                let Step::Start(op) = step else {
                    program.lanes[lane].push(step.clone());
                    continue;
                };
                let kind = match whole.ops[*op as usize].kind.clone() {
                    Kind::Part { collective, position } => {
                        let old = &whole.collectives[collective as usize];
                        let collective = *collectives.entry(collective).or_insert_with(|| {
                            let parts = vec![None; old.parts.len()];
                            program.collectives.push(Collective { parts, needs: old.needs.clone() });
                            program.collectives.len() as u32 - 1
                        });
                        Kind::Part { collective, position }
                    }
                    kind => kind,
                };
                number.insert(*op, program.start(lane as u32, kind));
            }
        }
        let of = |ops: &[OpIx]| ops.iter().filter_map(|op| number.get(op).copied()).collect::<Vec<_>>();
        let starts: Vec<u32> = window.iter().map(|w| w.1.start as u32).collect();
        for steps in &mut program.lanes {
            for step in steps {
                match step {
                    Step::Wait(wait) => {
                        wait.ops = of(&wait.ops);
                        if let Many::Any(done) = &mut wait.many {
                            *done = of(done);
                        }
                    }
                    Step::Probe { found, .. } => *found = found.and_then(|f| number.get(&f).copied()),
                    Step::Start(_) => {}
                }
            }
        }
        for op in &mut program.ops {
            if let Kind::Recv { got, steers, .. } = &mut op.kind {
                *got = got.and_then(|g| number.get(&g).copied());
                *steers = steers.map(|s| s.saturating_sub(starts[op.lane as usize]));
            }
        }
        Part { program }
    }

    /// Threads that are stuck as well and have something ahead that a stuck one waits for, or are of the very process that
    /// it wants a message from. `rank`: of a thread.
    fn helpers(&self, witness: &Witness, lane: usize, step: u32, rank: &impl Fn(usize) -> i32) -> Vec<usize> {
        let of_process = |process: u32| {
            let lanes = (0..witness.stuck.len()).filter(move |l| witness.stuck[*l].is_some());
            lanes.filter(move |l| rank(*l) == process as i32).collect::<Vec<_>>()
        };
        let ahead = |op: OpIx| {
            let op = &self.program.ops[op as usize];
            let stuck = witness.stuck[op.lane as usize];
            stuck.is_some_and(|s| op.step > s).then_some(op.lane as usize)
        };
        let all = || 0..self.program.ops.len() as OpIx;
        let met = |op: OpIx| {
            witness.events.iter().any(|e| matches!(e, Event::Match { send, recv } if *send == op || *recv == op))
        };
        match &self.program.lanes[lane][step as usize] {
            Step::Wait(wait) => {
                let open = wait.ops.iter().filter(|op| !met(**op));
                open.flat_map(|op| match self.program.ops[*op as usize].kind {
                    Kind::Send { .. } => all().filter(|r| self.program.pairs(*op, *r)).filter_map(ahead).collect(),
                    Kind::Recv { source: Some(source), .. } => of_process(source),
                    Kind::Recv { .. } => all().filter(|s| self.program.pairs(*s, *op)).filter_map(ahead).collect(),
                    Kind::Part { collective, .. } => {
                        let parts = &self.program.collectives[collective as usize].parts;
                        parts.iter().flatten().filter_map(|p| ahead(*p)).collect::<Vec<_>>()
                    }
                    Kind::Free => Vec::new(),
                })
                .collect()
            }
            Step::Probe { comm, at, source, tag, .. } => {
                all().filter(|s| self.program.fits(*s, *comm, *at, *source, *tag)).filter_map(ahead).collect()
            }
            Step::Start(_) => Vec::new(),
        }
    }
}

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
            let probed = r.probed.iter().flat_map(|p| [&p.probe, &p.told]);
            [&r.recv, &r.took, &r.other].into_iter().chain(probed)
        }))
    }
}
