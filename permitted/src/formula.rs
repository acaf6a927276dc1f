//! The question "can all that go on come to an end before the end?" as a formula.
//!
//! A state is how far each thread has come and which messages met which receives. Variables: `passed` for each gate (a step
//! in which a thread may have to wait) and `met` for each pair of a send and a receive that may belong together. The
//! clauses say that a state is consistent (what is passed could be passed, every message has one receive, the order rules
//! of MPI 4.1 section 3.5 hold), that nothing more can happen in it, and that somebody has not come to its end.
//!
//! Left out is that the order of what led to the state is free of circles; see [`super::explore`].

use crate::explore::Reading;
use crate::program::{Kind, Many, Mode, OpIx, Program, Step};
use batsat::{Callbacks, Lit, Solver, SolverInterface, Var, lbool};
use rustc_hash::FxHashMap;

/// A step in which a thread may have to wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gate {
    pub(crate) lane: u32,
    pub(crate) step: u32,
    /// The one before it in its thread.
    pub(crate) before: Option<u32>,
}

/// A send and a receive that may belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) send: OpIx,
    pub(crate) recv: OpIx,
}

/// What both the formula and the check of its models need to know of a program.
pub(crate) struct Layout<'a> {
    pub(crate) program: &'a Program,
    pub(crate) gates: Vec<Gate>,
    /// The last gate of each thread.
    pub(crate) last: Vec<Option<u32>>,
    /// The gates of each thread.
    gates_of: Vec<Vec<u32>>,
    /// By operation: the first gate that is passed when it is complete.
    completes: Vec<Option<u32>>,
    /// By operation: the last gate before its start.
    pub(crate) gate_before: Vec<Option<u32>>,
    pub(crate) pairs: Vec<Pair>,
    /// By operation: pairs that it is in.
    pub(crate) pairs_of: Vec<Vec<u32>>,
    /// By operation: those that fit as far as their arguments go.
    fitting: Vec<Vec<OpIx>>,
    /// By operation: earlier ones of its thread that go the same way (same communicator and process).
    earlier: Vec<Vec<OpIx>>,
}

impl<'a> Layout<'a> {
    /// `None` if there are more than `max_pairs` pairs.
    pub(crate) fn new(program: &'a Program, max_pairs: usize) -> Option<Layout<'a>> {
        let count = program.ops.len();
        let mut layout = Layout {
            program,
            gates: Vec::new(),
            last: Vec::new(),
            gates_of: Vec::new(),
            completes: vec![None; count],
            gate_before: vec![None; count],
            pairs: Vec::new(),
            pairs_of: vec![Vec::new(); count],
            fitting: vec![Vec::new(); count],
            earlier: vec![Vec::new(); count],
        };
        for (lane, steps) in program.lanes.iter().enumerate() {
            let (mut before, mut gates) = (None, Vec::new());
            for (step, what) in steps.iter().enumerate() {
                match what {
                    Step::Start(op) => layout.gate_before[*op as usize] = before,
                    Step::Wait(_) | Step::Probe { .. } => {
                        let number = layout.gates.len() as u32;
                        if let Step::Wait(wait) = what {
                            for op in wait.done() {
                                layout.completes[*op as usize].get_or_insert(number);
                            }
                        }
                        layout.gates.push(Gate { lane: lane as u32, step: step as u32, before });
                        gates.push(number);
                        before = Some(number);
                    }
                }
            }
            layout.last.push(before);
            layout.gates_of.push(gates);
        }
        layout.pair_up(max_pairs)?;
        Some(layout)
    }

    fn pair_up(&mut self, max_pairs: usize) -> Option<()> {
        // Sends and receives by where the message goes.
        let mut boxes: FxHashMap<(u32, u32), (Vec<OpIx>, Vec<OpIx>)> = FxHashMap::default();
        let mut streams: FxHashMap<(u32, u32, u32, bool), Vec<OpIx>> = FxHashMap::default();
        for (i, op) in self.program.ops.iter().enumerate() {
            let (key, send) = match op.kind {
                Kind::Send { comm, to, .. } => ((comm, to), true),
                Kind::Recv { comm, at, .. } => ((comm, at), false),
                _ => continue,
            };
            let entry = boxes.entry(key).or_default();
            if send {
                entry.0.push(i as OpIx)
            } else {
                entry.1.push(i as OpIx)
            }
            let stream = streams.entry((op.lane, key.0, key.1, send)).or_default();
            self.earlier[i].clone_from(stream);
            stream.push(i as OpIx);
        }
        let mut keys: Vec<_> = boxes.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            let (sends, recvs) = &boxes[&key];
            for recv in recvs {
                let Kind::Recv { comm, at, source, tag, .. } = self.program.ops[*recv as usize].kind else { continue };
                for send in sends.iter().filter(|s| self.program.fits(**s, comm, at, source, tag)) {
                    self.fitting[*send as usize].push(*recv);
                    self.fitting[*recv as usize].push(*send);
                    if self.leads_nowhere(Pair { send: *send, recv: *recv }) {
                        continue;
                    }
                    if self.pairs.len() == max_pairs {
                        return None;
                    }
                    let pair = self.pairs.len() as u32;
                    self.pairs.push(Pair { send: *send, recv: *recv });
                    self.pairs_of[*send as usize].push(pair);
                    self.pairs_of[*recv as usize].push(pair);
                }
            }
        }
        Some(())
    }

    /// If the two met, the process would wait for nothing else, and nobody knows what it does then: no deadlock that can be
    /// told of has them together.
    fn leads_nowhere(&self, pair: Pair) -> bool {
        let Some(gate) = self.unknown_behind(pair) else { return false };
        // Nor does it wait for anything before.
        let at_once = self.gates[gate as usize].before == self.gate_before[pair.recv as usize];
        let alone = |step: &Step| matches!(step, Step::Wait(wait) if wait.ops == [pair.recv]);
        at_once && self.completes[pair.recv as usize] == Some(gate) && alone(self.step(&self.gates[gate as usize]))
    }

    /// Could a receive take a message of another thread, or with another tag, than it did?
    pub(crate) fn has_choices(&self) -> bool {
        let of = |op: OpIx| (self.program.ops[op as usize].lane, self.kind(op));
        self.pairs.iter().any(|pair| match *self.kind(pair.recv) {
            Kind::Recv { got: Some(got), .. } => match (of(got), of(pair.send)) {
                ((a, Kind::Send { tag: t, .. }), (b, Kind::Send { tag: u, .. })) => a != b || t != u,
                _ => true,
            },
            _ => true,
        })
    }

    pub(crate) fn kind(&self, op: OpIx) -> &'a Kind {
        &self.program.ops[op as usize].kind
    }

    pub(crate) fn step(&self, gate: &Gate) -> &'a Step {
        &self.program.lanes[gate.lane as usize][gate.step as usize]
    }

    pub(crate) fn fit(&self, a: OpIx, b: OpIx) -> bool {
        self.fitting[a as usize].contains(&b)
    }

    /// Operations that must have met somebody before this pair can.
    pub(crate) fn before_pair(&self, pair: Pair) -> impl Iterator<Item = OpIx> + '_ {
        let sends = self.earlier[pair.send as usize].iter().copied().filter(move |s| self.fit(*s, pair.recv));
        let recvs = self.earlier[pair.recv as usize].iter().copied().filter(move |r| self.fit(*r, pair.send));
        sends.chain(recvs)
    }

    /// The gate that is not passed if the two meet: the last one before nobody knows what the process does, and none before
    /// the one that the receive is waited for at.
    pub(crate) fn unknown_behind(&self, pair: Pair) -> Option<u32> {
        let step = self.program.steered(pair.send, pair.recv)?;
        let completes = self.completes[pair.recv as usize]?;
        let lane = self.program.ops[pair.recv as usize].lane;
        let gates = &self.gates_of[lane as usize];
        let before = gates[..gates.partition_point(|g| self.gates[*g as usize].step < step)].last();
        Some(before.map_or(completes, |b| completes.max(*b)))
    }

    /// Pairs that are not those of the run.
    pub(crate) fn other_pairs(&self) -> Vec<u32> {
        let other = |pair: &Pair| !matches!(self.kind(pair.recv), Kind::Recv { got, .. } if *got == Some(pair.send));
        (0..self.pairs.len() as u32).filter(|p| other(&self.pairs[*p as usize])).collect()
    }

    /// Sends that must have been received before a probe is told of `found`.
    pub(crate) fn before_probe(&self, gate: &Gate, found: OpIx) -> impl Iterator<Item = OpIx> + '_ {
        let Step::Probe { comm, at, source, tag, .. } = *self.step(gate) else { unreachable!("a probe") };
        self.earlier[found as usize].iter().copied().filter(move |s| self.program.fits(*s, comm, at, source, tag))
    }

    /// Whose calls a part cannot do without: operations, and whether one of them is never called.
    pub(crate) fn needed(&self, collective: u32, position: u32, strict: bool) -> (Vec<OpIx>, bool) {
        let c = &self.program.collectives[collective as usize];
        let all: Vec<u32> = (0..c.parts.len() as u32).collect();
        let needs = if strict { &all } else { c.needs.get(position as usize).unwrap_or(&all) };
        let parts: Vec<Option<OpIx>> = needs.iter().map(|p| c.parts.get(*p as usize).copied().flatten()).collect();
        (parts.iter().copied().flatten().collect(), parts.contains(&None))
    }
}

/// What is true in a model.
pub(crate) struct State {
    /// By gate: it was passed.
    pub(crate) passed: Vec<bool>,
    /// By pair: the two met.
    pub(crate) met: Vec<bool>,
}

/// What the solver says.
pub(crate) enum Verdict {
    Model(State),
    /// There is none.
    Impossible,
    /// The budget ended.
    Undecided,
}

/// A formula and its solver.
pub(crate) struct Formula<'a, C: Callbacks> {
    pub(crate) layout: &'a Layout<'a>,
    solver: Solver<C>,
    passed: Vec<Var>,
    met: Vec<Var>,
}

impl<'a, C: Callbacks> Formula<'a, C> {
    pub(crate) fn new(layout: &'a Layout<'a>, reading: Reading, callbacks: C) -> Formula<'a, C> {
        let mut solver = Solver::new(batsat::SolverOpts::default(), callbacks);
        let passed = layout.gates.iter().map(|_| solver.new_var_default()).collect();
        let met = layout.pairs.iter().map(|_| solver.new_var_default()).collect();
        let mut formula = Formula { layout, solver, passed, met };
        formula.order_of_gates();
        formula.meetings();
        for gate in 0..layout.gates.len() as u32 {
            formula.passing(gate);
            formula.staying(gate, reading);
        }
        let ends: Vec<Lit> = layout.last.iter().flatten().map(|g| formula.gate(*g, false)).collect();
        formula.add(ends);
        formula
    }

    pub(crate) fn add(&mut self, mut clause: Vec<Lit>) {
        self.solver.add_clause_reuse(&mut clause);
    }

    pub(crate) fn solve(&mut self, assumptions: &[Lit]) -> Verdict {
        let answer = self.solver.solve_limited(assumptions);
        if answer == lbool::UNDEF {
            return Verdict::Undecided;
        }
        if answer != lbool::TRUE {
            return Verdict::Impossible;
        }
        let of = |vars: &[Var]| vars.iter().map(|v| self.solver.value_var(*v) == lbool::TRUE).collect();
        Verdict::Model(State { passed: of(&self.passed), met: of(&self.met) })
    }

    pub(crate) fn gate(&self, gate: u32, value: bool) -> Lit {
        Lit::new(self.passed[gate as usize], value)
    }

    pub(crate) fn pair(&self, pair: u32, value: bool) -> Lit {
        Lit::new(self.met[pair as usize], value)
    }

    /// Literals of which one is true if and only if the operation has been started and has met another.
    fn matched(&self, op: OpIx) -> Vec<Lit> {
        self.layout.pairs_of[op as usize].iter().map(|p| self.pair(*p, true)).collect()
    }

    /// The literal that the operation has not been started; `None`: it always has.
    fn unposted(&self, op: OpIx) -> Option<Lit> {
        self.layout.gate_before[op as usize].map(|g| self.gate(g, false))
    }

    fn order_of_gates(&mut self) {
        for (i, gate) in self.layout.gates.iter().enumerate() {
            if let Some(before) = gate.before {
                self.add(vec![self.gate(i as u32, false), self.gate(before, true)]);
            }
        }
    }

    fn meetings(&mut self) {
        let layout = self.layout;
        for op in 0..layout.program.ops.len() {
            let pairs = &layout.pairs_of[op];
            for (i, a) in pairs.iter().enumerate() {
                for b in &pairs[i + 1..] {
                    self.add(vec![self.pair(*a, false), self.pair(*b, false)]);
                }
            }
        }
        for (i, pair) in layout.pairs.iter().enumerate() {
            let not = self.pair(i as u32, false);
            for op in [pair.send, pair.recv] {
                if let Some(gate) = layout.gate_before[op as usize] {
                    self.add(vec![not, self.gate(gate, true)]);
                }
            }
            for earlier in layout.before_pair(*pair) {
                let mut clause = self.matched(earlier);
                clause.push(not);
                self.add(clause);
            }
            if let Some(gate) = layout.unknown_behind(*pair) {
                self.add(vec![not, self.gate(gate, false)]);
            }
        }
        // Two that could meet do not both stay alone.
        for send in 0..layout.program.ops.len() as OpIx {
            if !matches!(layout.kind(send), Kind::Send { .. }) {
                continue;
            }
            for recv in &layout.fitting[send as usize] {
                let mut clause = self.matched(send);
                clause.extend(self.matched(*recv));
                clause.extend(self.unposted(send));
                clause.extend(self.unposted(*recv));
                self.add(clause);
            }
        }
    }

    /// What has to be so if a gate was passed.
    fn passing(&mut self, gate: u32) {
        let layout = self.layout;
        let not = self.gate(gate, false);
        match layout.step(&layout.gates[gate as usize]) {
            Step::Wait(wait) => {
                for op in wait.done() {
                    match *layout.kind(*op) {
                        Kind::Recv { .. } | Kind::Send { mode: Mode::Synchronous, .. } => {
                            let mut clause = self.matched(*op);
                            clause.push(not);
                            self.add(clause);
                        }
                        Kind::Part { collective, position } => {
                            let (needed, never) = layout.needed(collective, position, false);
                            if never {
                                self.add(vec![not]);
                            }
                            for other in needed {
                                if let Some(before) = layout.gate_before[other as usize] {
                                    self.add(vec![not, self.gate(before, true)]);
                                }
                            }
                        }
                        Kind::Send { .. } | Kind::Free => {}
                    }
                }
            }
            Step::Probe { found, .. } => {
                let Some(found) = *found else { return self.add(vec![not]) };
                if let Some(before) = layout.gate_before[found as usize] {
                    self.add(vec![not, self.gate(before, true)]);
                }
                for earlier in layout.before_probe(&layout.gates[gate as usize], found) {
                    let mut clause = self.matched(earlier);
                    clause.push(not);
                    self.add(clause);
                }
            }
            Step::Start(_) => {}
        }
    }

    /// What has to be so if a thread stays before a gate for ever.
    fn staying(&mut self, gate: u32, reading: Reading) {
        let layout = self.layout;
        let g = &layout.gates[gate as usize];
        let mut stay = vec![self.gate(gate, true)];
        stay.extend(g.before.map(|b| self.gate(b, false)));
        match layout.step(g) {
            Step::Wait(wait) if !wait.patient => self.add(stay),
            Step::Probe { patient: false, .. } => self.add(stay),
            Step::Wait(wait) => {
                let open: Vec<Open> = wait.ops.iter().map(|op| self.incomplete(*op, reading)).collect();
                match wait.many {
                    Many::All => {
                        if open.iter().any(|o| matches!(o, Open::Ever)) {
                            return;
                        }
                        let mut clause = stay;
                        clause.extend(open.into_iter().flat_map(Open::literals));
                        self.add(clause);
                    }
                    Many::Any(_) => {
                        for one in open {
                            if matches!(one, Open::Ever) {
                                continue;
                            }
                            let mut clause = stay.clone();
                            clause.extend(one.literals());
                            self.add(clause);
                        }
                    }
                }
            }
            Step::Probe { comm, at, source, tag, .. } => {
                for send in 0..layout.program.ops.len() as OpIx {
                    if layout.program.fits(send, *comm, *at, *source, *tag) {
                        let mut clause = stay.clone();
                        clause.extend(self.unposted(send));
                        clause.extend(self.matched(send));
                        self.add(clause);
                    }
                }
            }
            Step::Start(_) => {}
        }
    }

    /// When the operation is not complete, for good.
    fn incomplete(&mut self, op: OpIx, reading: Reading) -> Open {
        match *self.layout.kind(op) {
            Kind::Send { mode: Mode::Buffered, .. } | Kind::Free => Open::Never,
            Kind::Send { mode: Mode::Standard, .. } if !reading.sends_block => Open::Never,
            Kind::Send { .. } | Kind::Recv { .. } => {
                let matched = self.matched(op);
                if matched.is_empty() {
                    return Open::Ever;
                }
                // alone -> not met by any.
                let alone = Lit::new(self.solver.new_var_default(), true);
                for lit in matched {
                    self.add(vec![!alone, !lit]);
                }
                Open::If(vec![alone])
            }
            Kind::Part { collective, position } => {
                let (needed, never) = self.layout.needed(collective, position, reading.collectives_block);
                if never {
                    return Open::Ever;
                }
                Open::If(needed.into_iter().filter_map(|o| self.unposted(o)).collect())
            }
        }
    }

    /// These threads do not all wait at these gates at once.
    pub(crate) fn exclude(&mut self, gates: &[u32]) {
        let mut clause = Vec::new();
        for g in gates {
            clause.push(self.gate(*g, true));
            clause.extend(self.layout.gates[*g as usize].before.map(|b| self.gate(b, false)));
        }
        self.add(clause);
    }
}

/// Whether an operation stays incomplete.
enum Open {
    Never,
    Ever,
    /// If one of these is true.
    If(Vec<Lit>),
}

impl Open {
    fn literals(self) -> Vec<Lit> {
        match self {
            Open::If(literals) => literals,
            Open::Never | Open::Ever => Vec::new(),
        }
    }
}
