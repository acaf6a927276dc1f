//! A window of a recorded program: steps of all threads that are explored together.

use rustc_hash::FxHashMap;
use schedules::{Collective, Event, Kind, Many, OpIx, Program, Step, Witness};
use std::ops::Range;

/// The steps of each thread that are looked at together.
pub(super) type Window = [(usize, Range<usize>)];

/// A window as a program of its own.
pub(super) struct Part {
    pub(super) program: Program,
}

impl Part {
    pub(super) fn new(whole: &Program, window: &Window) -> Part {
        let mut program = Program { threads: vec![Vec::new(); window.len()], ..Program::default() };
        let mut number: FxHashMap<OpIx, OpIx> = FxHashMap::default();
        let mut collectives: FxHashMap<u32, u32> = FxHashMap::default();
        for (thread, (old, range)) in window.iter().enumerate() {
            for step in &whole.threads[*old][range.clone()] {
                let Step::Start(op) = step else {
                    program.threads[thread].push(step.clone());
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
                number.insert(*op, program.start(thread as u32, kind));
            }
        }
        let of = |ops: &[OpIx]| ops.iter().filter_map(|op| number.get(op).copied()).collect::<Vec<_>>();
        let starts: Vec<u32> = window.iter().map(|w| w.1.start as u32).collect();
        for steps in &mut program.threads {
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
                *steers = steers.map(|s| s.saturating_sub(starts[op.thread as usize]));
            }
        }
        Part { program }
    }

    /// Threads that are stuck as well and have something ahead that a stuck one waits for, or are of the very process that
    /// it wants a message from. `rank`: of a thread.
    pub(super) fn helpers(
        &self,
        witness: &Witness,
        thread: usize,
        step: u32,
        rank: &impl Fn(usize) -> i32,
    ) -> Vec<usize> {
        let of_process = |process: u32| {
            let threads = (0..witness.stuck.len()).filter(move |l| witness.stuck[*l].is_some());
            threads.filter(move |l| rank(*l) == process as i32).collect::<Vec<_>>()
        };
        let ahead = |op: OpIx| {
            let op = &self.program.ops[op as usize];
            let stuck = witness.stuck[op.thread as usize];
            stuck.is_some_and(|s| op.step > s).then_some(op.thread as usize)
        };
        let all = || 0..self.program.ops.len() as OpIx;
        let met = |op: OpIx| {
            witness.events.iter().any(|e| matches!(e, Event::Match { send, recv } if *send == op || *recv == op))
        };
        match &self.program.threads[thread][step as usize] {
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
