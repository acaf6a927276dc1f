//! The question "can all that go on come to an end before the end?" as a formula.
//!
//! A state is how far each thread has come and which messages met which receives. Variables: `passed` for each gate (a step
//! in which a thread may have to wait) and `met` for each pair of a send and a receive that may belong together. The
//! clauses say that a state is consistent (what is passed could be passed, every message has one receive, the order rules
//! of MPI 4.1 section 3.5 hold), that nothing more can happen in it, and that somebody has not come to its end.
//!
//! Left out is that the order of what led to the state is free of circles; see [`mod@super::explore`].

use crate::explore::Reading;
use crate::layout::Layout;
use crate::program::{Kind, Many, Mode, OpIx, Step};
use batsat::{Callbacks, Lit, Solver, SolverInterface, Var, lbool};

/// Sends and receives of which it is said that as many of the ones as of the others have met.
const MOST_COUNTED: usize = 400;

/// Pairs of pairs that exclude each other, of which the solver is told before it comes upon them.
const MOST_CROSSING: usize = 500_000;

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
        let mut formula = Formula::reachable(layout, callbacks);
        for gate in 0..layout.gates.list.len() as u32 {
            formula.staying(gate, reading);
        }
        let ends: Vec<Lit> = layout.last.iter().flatten().map(|g| formula.gate(*g, false)).collect();
        formula.add(ends);
        formula
    }

    /// Of consistent states alone: they may be on the way to another one, and everybody may come to the end.
    pub(crate) fn reachable(layout: &'a Layout<'a>, callbacks: C) -> Formula<'a, C> {
        let mut solver = Solver::new(batsat::SolverOpts::default(), callbacks);
        let passed = layout.gates.list.iter().map(|_| solver.new_var_default()).collect();
        let met = layout.pairs.iter().map(|_| solver.new_var_default()).collect();
        let mut formula = Formula { layout, solver, passed, met };
        formula.order_of_gates();
        formula.meetings();
        formula.counts();
        for gate in 0..layout.gates.list.len() as u32 {
            formula.passing(gate);
        }
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
        self.layout.gate_before(op).map(|g| self.gate(g, false))
    }

    fn order_of_gates(&mut self) {
        for (i, gate) in self.layout.gates.list.iter().enumerate() {
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
                if let Some(gate) = layout.gate_before(op) {
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
        for (one, other) in layout.crossing(MOST_CROSSING) {
            self.add(vec![self.pair(one, false), self.pair(other, false)]);
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

    /// As many sends as receives have met, among those that can meet each other only. It follows from the rest, but a solver
    /// does not count by itself: this is what makes receives from anybody decidable.
    fn counts(&mut self) {
        for (sends, recvs) in self.layout.pools(MOST_COUNTED) {
            let [sends, recvs] = [sends, recvs].map(|ops| {
                let matched: Vec<Lit> = ops.into_iter().map(|op| self.is_matched(op)).collect();
                self.sorted(&matched)
            });
            for i in 0..sends.len().max(recvs.len()) {
                match (sends.get(i), recvs.get(i)) {
                    (Some(s), Some(r)) => {
                        self.add(vec![!*s, *r]);
                        self.add(vec![*s, !*r]);
                    }
                    (Some(one), None) | (None, Some(one)) => self.add(vec![!*one]),
                    (None, None) => {}
                }
            }
        }
    }

    /// A literal that is true if and only if the operation has met another.
    fn is_matched(&mut self, op: OpIx) -> Lit {
        let is = Lit::new(self.solver.new_var_default(), true);
        let matched = self.matched(op);
        for lit in &matched {
            self.add(vec![!*lit, is]);
        }
        self.add(matched.into_iter().chain([!is]).collect());
        is
    }

    /// Literals of which the i-th is true if and only if more than i of the given ones are (a totalizer).
    fn sorted(&mut self, all: &[Lit]) -> Vec<Lit> {
        if all.len() < 2 {
            return all.to_vec();
        }
        let (left, right) = all.split_at(all.len() / 2);
        let (left, right) = (self.sorted(left), self.sorted(right));
        let both: Vec<Lit> = all.iter().map(|_| Lit::new(self.solver.new_var_default(), true)).collect();
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                if i + j > 0 {
                    // i of the left and j of the right are true.
                    let some = [i.checked_sub(1).map(|i| !left[i]), j.checked_sub(1).map(|j| !right[j])];
                    self.add(some.into_iter().flatten().chain([both[i + j - 1]]).collect());
                }
                if i + j < both.len() {
                    // No more than i of the left and j of the right are.
                    let rest = [left.get(i).copied(), right.get(j).copied()];
                    self.add(rest.into_iter().flatten().chain([!both[i + j]]).collect());
                }
            }
        }
        both
    }

    /// What has to be so if a gate was passed.
    fn passing(&mut self, gate: u32) {
        let layout = self.layout;
        let not = self.gate(gate, false);
        match layout.step(&layout.gates.list[gate as usize]) {
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
                                if let Some(before) = layout.gate_before(other) {
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
                if let Some(before) = layout.gate_before(found) {
                    self.add(vec![not, self.gate(before, true)]);
                }
                for earlier in layout.before_probe(&layout.gates.list[gate as usize], found) {
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
        let g = &layout.gates.list[gate as usize];
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
            clause.extend(self.layout.gates.list[*g as usize].before.map(|b| self.gate(b, false)));
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
