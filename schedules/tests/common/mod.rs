//! Small programs, and the truth about them by brute force.

use rustc_hash::FxHashSet;
use schedules::{Choice, Kind, Many, Mode, OpIx, Place, Program, Semantics, Step, Wait};

/// How far a run of a program has come.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    at: Vec<u32>,
    /// By operation: its partner.
    matched: Vec<Option<OpIx>>,
}

/// Every schedule of a program, one by one.
pub(crate) struct Schedules<'a> {
    program: &'a Program,
    semantics: Semantics,
    seen: FxHashSet<State>,
    /// Processes continue in the same way whatever they get.
    indifferent: bool,
    /// The choice that is searched for; `None`: a deadlock.
    wanted: Option<Choice>,
}

impl<'a> Schedules<'a> {
    /// Does any schedule that is permitted under `semantics` end in a deadlock?
    pub(crate) fn may_deadlock(program: &'a Program, semantics: Semantics, indifferent: bool) -> bool {
        let mut all = Schedules { program, semantics, seen: FxHashSet::default(), indifferent, wanted: None };
        let mut start = State { at: vec![0; program.threads.len()], matched: vec![None; program.ops.len()] };
        all.settle(&mut start);
        all.visit(start)
    }

    /// Messages that the receive may get, if all others get those that they got in the run.
    pub(crate) fn could_get(program: &'a Program, recv: OpIx) -> Vec<OpIx> {
        let all = Schedules {
            program,
            semantics: Semantics::LENIENT,
            seen: FxHashSet::default(),
            indifferent: true,
            wanted: None,
        };
        let mut start = State { at: vec![0; program.threads.len()], matched: vec![None; program.ops.len()] };
        all.settle(&mut start);
        let (mut seen, mut open, mut found) = (FxHashSet::default(), vec![start], Vec::new());
        while let Some(state) = open.pop() {
            if !seen.insert(state.clone()) {
                continue;
            }
            for send in 0..program.ops.len() as OpIx {
                for other in 0..program.ops.len() as OpIx {
                    let Kind::Recv { got, .. } = program.ops[other as usize].kind else { continue };
                    if !all.may_match(&state, send, other) {
                        continue;
                    }
                    if other == recv {
                        found.push(send);
                    } else if got == Some(send) {
                        let mut s = state.clone();
                        s.matched[send as usize] = Some(other);
                        s.matched[other as usize] = Some(send);
                        open.push(s);
                    }
                }
            }
            for thread in 0..state.at.len() {
                if all.may_pass(&state, thread) {
                    let mut s = state.clone();
                    s.at[thread] += 1;
                    all.settle(&mut s);
                    open.push(s);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Is there a schedule in which this receive or probe gets this message?
    pub(crate) fn may_get(program: &'a Program, wanted: Choice) -> bool {
        let (semantics, seen, wanted) = (Semantics::LENIENT, FxHashSet::default(), Some(wanted));
        let mut all = Schedules { program, semantics, seen, indifferent: false, wanted };
        let mut start = State { at: vec![0; program.threads.len()], matched: vec![None; program.ops.len()] };
        all.settle(&mut start);
        all.visit(start)
    }

    fn is_wanted(&self, state: &State, wanted: Choice) -> bool {
        match wanted.place {
            Place::Recv(recv) => state.matched[recv as usize] == Some(wanted.send),
            Place::Probe { thread, step } => {
                let Step::Probe { comm, at, source, tag, .. } = self.program.threads[thread as usize][step as usize]
                else {
                    return false;
                };
                state.at[thread as usize] == step
                    && !self.is_unknown_behind(state, thread as usize)
                    && self.waiting(state, comm, at, source, tag).contains(&wanted.send)
            }
        }
    }

    /// Passes the steps that start something.
    fn settle(&self, state: &mut State) {
        for (thread, at) in state.at.iter_mut().enumerate() {
            while matches!(self.program.threads[thread].get(*at as usize), Some(Step::Start(_))) {
                *at += 1;
            }
        }
    }

    fn visit(&mut self, state: State) -> bool {
        if !self.seen.insert(state.clone()) {
            return false;
        }
        match self.wanted {
            Some(wanted) if self.is_wanted(&state, wanted) => return true,
            None if self.is_deadlock(&state) => return true,
            _ => {}
        }
        let mut next = Vec::new();
        for send in 0..self.program.ops.len() as OpIx {
            for recv in 0..self.program.ops.len() as OpIx {
                if self.may_match(&state, send, recv) {
                    let mut s = state.clone();
                    s.matched[send as usize] = Some(recv);
                    s.matched[recv as usize] = Some(send);
                    next.push(s);
                }
            }
        }
        for thread in 0..state.at.len() {
            if self.may_pass(&state, thread) {
                let mut s = state.clone();
                s.at[thread] += 1;
                self.settle(&mut s);
                next.push(s);
            }
        }
        next.into_iter().any(|s| self.visit(s))
    }

    fn posted(&self, state: &State, op: OpIx) -> bool {
        let op = &self.program.ops[op as usize];
        state.at[op.thread as usize] > op.step
    }

    /// Is the message posted and not received, and is no message of the same thread before it?
    fn may_match(&self, state: &State, send: OpIx, recv: OpIx) -> bool {
        let alone = |op: OpIx| self.posted(state, op) && state.matched[op as usize].is_none();
        if !self.program.pairs(send, recv) || !alone(send) || !alone(recv) {
            return false;
        }
        let of = |op: OpIx| &self.program.ops[op as usize];
        let overtakes =
            |other: OpIx, op: OpIx| of(other).thread == of(op).thread && of(other).step < of(op).step && alone(other);
        (0..self.program.ops.len() as OpIx)
            .all(|o| !(overtakes(o, send) && self.fits(o, recv) || overtakes(o, recv) && self.fits(send, o)))
    }

    fn fits(&self, send: OpIx, recv: OpIx) -> bool {
        match self.program.ops[recv as usize].kind {
            Kind::Recv { comm, at, source, tag, .. } => self.program.fits(send, comm, at, source, tag),
            _ => false,
        }
    }

    fn part(&self, state: &State, collective: u32, position: u32, strict: bool) -> bool {
        let c = &self.program.collectives[collective as usize];
        let here = |p: usize| c.parts[p].is_some_and(|op| self.posted(state, op));
        if strict { (0..c.parts.len()).all(here) } else { c.needs[position as usize].iter().all(|p| here(*p as usize)) }
    }

    /// May the operation be complete?
    fn may_be_complete(&self, state: &State, op: OpIx) -> bool {
        match self.program.ops[op as usize].kind {
            Kind::Send { mode: Mode::Synchronous, .. } | Kind::Recv { .. } => state.matched[op as usize].is_some(),
            Kind::Part { collective, position } => self.part(state, collective, position, false),
            Kind::Send { .. } | Kind::Free => true,
        }
    }

    /// Must the operation be complete?
    fn is_complete(&self, state: &State, op: OpIx) -> bool {
        match self.program.ops[op as usize].kind {
            Kind::Send { mode: Mode::Buffered, .. } | Kind::Free => true,
            Kind::Send { mode: Mode::Standard, .. } if !self.semantics.sends_block => true,
            Kind::Send { .. } | Kind::Recv { .. } => state.matched[op as usize].is_some(),
            Kind::Part { collective, position } => {
                self.part(state, collective, position, self.semantics.collectives_block)
            }
        }
    }

    /// Messages that a probe could report: the first of each thread, unless a posted receive takes it first.
    fn waiting(&self, state: &State, comm: u32, at: u32, source: Option<u32>, tag: Option<i32>) -> Vec<OpIx> {
        let would_take = |recv: OpIx, send: OpIx| {
            self.fits(send, recv) && self.posted(state, recv) && state.matched[recv as usize].is_none()
        };
        let fits = |op: &OpIx| {
            self.program.fits(*op, comm, at, source, tag)
                && self.posted(state, *op)
                && state.matched[*op as usize].is_none()
        };
        let ops = 0..self.program.ops.len() as OpIx;
        let all: Vec<OpIx> = ops.clone().filter(fits).collect();
        let is_free = |op: &OpIx| !ops.clone().any(|recv| would_take(recv, *op));
        let of = |op: OpIx| &self.program.ops[op as usize];
        let first = |op: &OpIx| !all.iter().any(|o| of(*o).thread == of(*op).thread && of(*o).step < of(*op).step);
        all.iter().copied().filter(first).filter(is_free).collect()
    }

    /// Is the thread unknown behind its step, since it got another message than in the run?
    fn is_unknown_behind(&self, state: &State, thread: usize) -> bool {
        let steps = &self.program.threads[thread];
        if self.indifferent {
            return false;
        }
        let is_gate = |step: &usize| !matches!(steps[*step], Step::Start(_));
        (0..self.program.ops.len()).any(|recv| {
            let op = &self.program.ops[recv];
            let (Kind::Recv { .. }, Some(send)) = (&op.kind, state.matched[recv]) else { return false };
            let Some(from) = self.program.steered(send, recv as OpIx).filter(|_| op.thread as usize == thread) else {
                return false;
            };
            let completes = |s: &usize| matches!(&steps[*s], Step::Wait(w) if w.done().contains(&(recv as OpIx)));
            let Some(completes) = (0..steps.len()).find(completes) else { return false };
            let last = (0..steps.len().min(from as usize)).rfind(is_gate);
            state.at[thread] as usize == last.map_or(completes, |l| l.max(completes))
        })
    }

    fn may_pass(&self, state: &State, thread: usize) -> bool {
        match self.program.threads[thread].get(state.at[thread] as usize) {
            None | Some(Step::Start(_)) => false,
            Some(Step::Wait(wait)) => {
                !self.is_unknown_behind(state, thread) && wait.done().iter().all(|op| self.may_be_complete(state, *op))
            }
            Some(Step::Probe { comm, at, source, tag, found, .. }) => {
                !self.is_unknown_behind(state, thread)
                    && found.is_some_and(|f| self.waiting(state, *comm, *at, *source, *tag).contains(&f))
            }
        }
    }

    /// Must the library let it continue, or does the program do something unknown?
    fn goes_on(&self, state: &State, thread: usize) -> bool {
        match self.program.threads[thread].get(state.at[thread] as usize) {
            None | Some(Step::Start(_)) => false,
            Some(Step::Wait(Wait { patient: false, .. }) | Step::Probe { patient: false, .. }) => true,
            Some(Step::Wait(wait)) => match wait.many {
                Many::All => wait.ops.iter().all(|op| self.is_complete(state, *op)),
                Many::Any(_) => wait.ops.iter().any(|op| self.is_complete(state, *op)),
            },
            Some(Step::Probe { comm, at, source, tag, .. }) => {
                !self.waiting(state, *comm, *at, *source, *tag).is_empty()
            }
        }
    }

    fn is_deadlock(&self, state: &State) -> bool {
        let threads = 0..state.at.len();
        let ended = |l: usize| state.at[l] as usize >= self.program.threads[l].len();
        let ops = 0..self.program.ops.len() as OpIx;
        let alone = |op: &OpIx| self.posted(state, *op) && state.matched[*op as usize].is_none();
        !threads.clone().all(ended)
            && !threads.clone().any(|l| self.goes_on(state, l))
            && !ops.clone().filter(alone).any(|s| ops.clone().filter(alone).any(|r| self.fits(s, r)))
    }
}

/// The ingredients of a random program. They shrink to fewer and simpler parts.
#[derive(Debug, Clone)]
pub(crate) struct Recipe {
    pub(crate) threads: u32,
    pub(crate) parts: Vec<[u8; 5]>,
    /// Decides the schedule of the run that was observed.
    pub(crate) luck: u64,
}

/// A stream of small random numbers.
pub(crate) struct Luck(pub(crate) u64);

impl Luck {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n.max(1)
    }
}

/// The next recipe of a stream.
pub(crate) fn random_recipe(luck: &mut Luck) -> Recipe {
    let threads = 2 + luck.below(3) as u32;
    let count = 1 + luck.below(5);
    let part = |luck: &mut Luck| std::array::from_fn(|_| luck.below(256) as u8);
    let parts = (0..count).map(|_| part(luck)).collect();
    Recipe { threads, parts, luck: luck.below(1 << 30) as u64 }
}

/// The program of a recipe, if it has a run that gets through.
pub(crate) fn cook(recipe: &Recipe) -> Option<Program> {
    let threads = recipe.threads;
    let mut p = Program { threads: vec![Vec::new(); threads as usize], ..Program::default() };
    let mut open: Vec<Vec<OpIx>> = vec![Vec::new(); threads as usize];
    for [what, thread, a, b, c] in &recipe.parts {
        let thread = u32::from(*thread) % threads;
        let other = (thread + 1 + u32::from(*a) % (threads - 1).max(1)) % threads;
        let mode = [Mode::Standard, Mode::Standard, Mode::Synchronous, Mode::Buffered][usize::from(*b) % 4];
        let tag = i32::from(*c) % 2;
        let send = Kind::Send { mode, comm: 0, from: thread, to: other, tag, bytes: 8 + 8 * u64::from(*c % 7 == 0) };
        let recv = Kind::Recv {
            comm: 0,
            at: thread,
            source: (b % 3 != 0).then_some(other),
            tag: (c % 5 != 0).then_some(tag),
            got: None,
            steers: None,
        };
        match what % 12 {
            // A message between two, so that most programs get through.
            0..=2 => {
                let op = p.start(thread, send.clone());
                if what % 12 == 2 {
                    open[thread as usize].push(op)
                } else {
                    p.wait_all(thread, vec![op])
                }
                let recv = Kind::Recv {
                    comm: 0,
                    at: other,
                    source: (b % 3 != 0).then_some(thread),
                    tag: (c % 5 != 0).then_some(tag),
                    got: None,
                    steers: None,
                };
                let op = p.start(other, recv);
                if a % 5 == 4 { open[other as usize].push(op) } else { p.wait_all(other, vec![op]) }
            }
            3 => {
                let op = p.start(thread, send);
                p.wait_all(thread, vec![op]);
            }
            4 => {
                let op = p.start(thread, recv);
                p.wait_all(thread, vec![op]);
            }
            5 => open[thread as usize].push(p.start(thread, send)),
            6 => open[thread as usize].push(p.start(thread, recv)),
            7 => {
                let ops = std::mem::take(&mut open[thread as usize]);
                let any = b % 2 == 0 && !ops.is_empty();
                if any {
                    // The run fills in what it returned with; the rest is waited for later.
                    open[thread as usize].clone_from(&ops);
                    let many = Many::Any(Vec::new());
                    p.threads[thread as usize].push(Step::Wait(Wait { ops, many, patient: c % 4 != 0 }));
                } else {
                    p.wait_all(thread, ops);
                }
            }
            8 => {
                let Kind::Recv { comm, at, source, tag, .. } = recv else { continue };
                let patient = a % 4 != 3;
                p.threads[thread as usize].push(Step::Probe { comm, at, source, tag, found: None, patient });
            }
            // One collects what the others send.
            9 | 10 => {
                let tag = 2 + tag;
                let mut ops = Vec::new();
                for from in (0..threads).filter(|l| *l != thread) {
                    let bytes = 8 + 8 * u64::from(*c % 11 == from as u8);
                    let op = p.start(from, Kind::Send { mode, comm: 0, from, to: thread, tag, bytes });
                    if b % 4 == 3 {
                        open[from as usize].push(op)
                    } else {
                        p.wait_all(from, vec![op])
                    }
                    let tag = (c % 5 != 0).then_some(tag);
                    ops.push(Kind::Recv { comm: 0, at: thread, source: None, tag, got: None, steers: None });
                }
                let at_once = a % 3 == 0;
                let mut recvs = Vec::new();
                for kind in ops {
                    let op = p.start(thread, kind);
                    if at_once { recvs.push(op) } else { p.wait_all(thread, vec![op]) }
                }
                match a % 6 {
                    0 => p.wait_all(thread, recvs),
                    _ => open[thread as usize].extend(recvs),
                }
            }
            _ => {
                let root = u32::from(*b) % threads;
                let all: Vec<u32> = (0..threads).collect();
                let needs = |l: u32| match c % 3 {
                    0 => all.clone(),
                    // From the root to all.
                    1 => vec![root, l],
                    // From all to the root.
                    _ => {
                        if l == root {
                            all.clone()
                        } else {
                            vec![l]
                        }
                    }
                };
                let collective = p.collectives.len() as u32;
                p.collectives.push(schedules::Collective {
                    parts: vec![None; threads as usize],
                    needs: (0..threads).map(needs).collect(),
                });
                for l in 0..threads {
                    let op = p.start(l, Kind::Part { collective, position: l });
                    if a % 4 == 0 { open[l as usize].push(op) } else { p.wait_all(l, vec![op]) }
                }
            }
        }
    }
    for (thread, ops) in open.into_iter().enumerate() {
        p.wait_all(thread as u32, ops);
    }
    // From some step on, the process depends on some messages.
    for recv in 0..p.ops.len() {
        let (from, luck) = (p.ops[recv].step + 1, recipe.luck.rotate_right(recv as u32));
        if let Kind::Recv { steers, .. } = &mut p.ops[recv].kind {
            *steers = (luck % 3 == 0).then_some(from + (luck % 5) as u32);
        }
    }
    run(&mut p, &mut Luck(recipe.luck)).then_some(p)
}

/// Runs the program once, in a generous library, and writes down what its calls returned. Does it get through?
fn run(p: &mut Program, luck: &mut Luck) -> bool {
    let mut state = State { at: vec![0; p.threads.len()], matched: vec![None; p.ops.len()] };
    let mut gone: Vec<OpIx> = Vec::new();
    loop {
        let (semantics, seen) = (Semantics::LENIENT, FxHashSet::default());
        let all = Schedules { program: p, semantics, seen, indifferent: false, wanted: None };
        all.settle(&mut state);
        let mut choices: Vec<(Option<usize>, OpIx, OpIx)> = Vec::new();
        let ops = 0..p.ops.len() as OpIx;
        for send in ops.clone() {
            choices.extend(ops.clone().filter(|r| all.may_match(&state, send, *r)).map(|r| (None, send, r)));
        }
        let mut passes: Vec<(usize, Step)> = Vec::new();
        for thread in 0..p.threads.len() {
            let Some(step) = p.threads[thread].get(state.at[thread] as usize) else { continue };
            match step {
                Step::Start(_) => {}
                Step::Wait(w) => {
                    // Operations that were returned before are not waited for again.
                    let left: Vec<OpIx> = w.ops.iter().copied().filter(|o| !gone.contains(o)).collect();
                    let done: Vec<OpIx> = left.iter().copied().filter(|o| all.may_be_complete(&state, *o)).collect();
                    let wait = |many| Step::Wait(Wait { ops: left.clone(), many, patient: w.patient });
                    match w.many {
                        Many::All if done.len() == left.len() => passes.push((thread, wait(Many::All))),
                        Many::All => {}
                        Many::Any(_) if left.is_empty() => passes.push((thread, wait(Many::All))),
                        Many::Any(_) => passes.extend(done.iter().map(|d| (thread, wait(Many::Any(vec![*d]))))),
                    }
                }
                Step::Probe { comm, at, source, tag, patient, .. } => {
                    for found in all.waiting(&state, *comm, *at, *source, *tag) {
                        let found = Some(found);
                        let probe =
                            Step::Probe { comm: *comm, at: *at, source: *source, tag: *tag, found, patient: *patient };
                        passes.push((thread, probe));
                    }
                }
            }
        }
        let pick = luck.below(choices.len() + passes.len());
        if let Some((_, send, recv)) = choices.get(pick) {
            state.matched[*send as usize] = Some(*recv);
            state.matched[*recv as usize] = Some(*send);
            if let Kind::Recv { got, .. } = &mut p.ops[*recv as usize].kind {
                *got = Some(*send);
            }
        } else if let Some((thread, step)) = passes.get(pick - choices.len()) {
            if let Step::Wait(w) = step {
                match &w.many {
                    Many::All => gone.extend(&w.ops),
                    Many::Any(done) => gone.extend(done),
                }
            }
            p.threads[*thread][state.at[*thread] as usize] = step.clone();
            state.at[*thread] += 1;
        } else {
            return (0..p.threads.len()).all(|l| state.at[l] as usize >= p.threads[l].len());
        }
    }
}
