//! The question "can everything that still goes on stop before the end?" as a formula.
//!
//! A state says how far each thread has come and which messages matched which receives. Variables: `passed` for each
//! point (a step in which a thread may have to wait) and `matched` for each pair of a send and a receive that may
//! match. The clauses say that a state is consistent (each point that was passed could be passed, every message has
//! one receive, the order rules of MPI 4.1 section 3.5 hold), that nothing more can happen in it, and that some
//! thread has not come to its end.
//!
//! The formula does not say that the events before the state are free of cycles; see [`mod@super::explore`].

use crate::layout::Layout;
use crate::program::{Kind, Many, Mode, OpIx, Step};
use crate::question::Semantics;
use batsat::{Callbacks, Lit, Solver, SolverInterface, Var, lbool};

/// Limit of sends and receives in a pool for which the formula counts that equally many of both have matched.
const MAX_COUNTED: usize = 400;

/// Limit of pairs of pairs that exclude each other and that the solver is told in advance.
const MAX_CROSSING: usize = 500_000;

/// The variables that are true in a model.
pub(crate) struct State {
    /// By point: it was passed.
    pub(crate) passed: Vec<bool>,
    /// By pair: the two matched.
    pub(crate) matched: Vec<bool>,
}

/// The solver's verdict.
pub(crate) enum Verdict {
    Model(State),
    /// The formula has no model.
    Impossible,
    /// The budget ended.
    Undecided,
}

/// A formula and its solver.
pub(crate) struct Formula<'a, C: Callbacks> {
    pub(crate) layout: &'a Layout<'a>,
    solver: Solver<C>,
    passed: Vec<Var>,
    matched: Vec<Var>,
}

impl<'a, C: Callbacks> Formula<'a, C> {
    pub(crate) fn new(layout: &'a Layout<'a>, semantics: Semantics, callbacks: C) -> Formula<'a, C> {
        let mut formula = Formula::reachable(layout, callbacks);
        for point in 0..layout.points.list.len() as u32 {
            formula.staying(point, semantics);
        }
        let ends: Vec<Lit> = layout.last.iter().flatten().map(|g| formula.point(*g, false)).collect();
        formula.add(ends);
        formula
    }

    /// The formula of consistent states alone: more may happen behind them, and all threads may come to their end.
    pub(crate) fn reachable(layout: &'a Layout<'a>, callbacks: C) -> Formula<'a, C> {
        let mut solver = Solver::new(batsat::SolverOpts::default(), callbacks);
        let passed = layout.points.list.iter().map(|_| solver.new_var_default()).collect();
        let matched = layout.pairs.iter().map(|_| solver.new_var_default()).collect();
        let mut formula = Formula { layout, solver, passed, matched };
        formula.order_of_points();
        formula.matchings();
        formula.counts();
        for point in 0..layout.points.list.len() as u32 {
            formula.passing(point);
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
        Verdict::Model(State { passed: of(&self.passed), matched: of(&self.matched) })
    }

    pub(crate) fn point(&self, point: u32, value: bool) -> Lit {
        Lit::new(self.passed[point as usize], value)
    }

    pub(crate) fn pair(&self, pair: u32, value: bool) -> Lit {
        Lit::new(self.matched[pair as usize], value)
    }

    /// Literals of which one is true if and only if the operation has started and has matched another.
    fn matches_of(&self, op: OpIx) -> Vec<Lit> {
        self.layout.pairs_of[op as usize].iter().map(|p| self.pair(*p, true)).collect()
    }

    /// The literal "the operation has not started"; `None`: it starts before all points.
    fn unposted(&self, op: OpIx) -> Option<Lit> {
        self.layout.point_before(op).map(|g| self.point(g, false))
    }

    fn order_of_points(&mut self) {
        for (i, point) in self.layout.points.list.iter().enumerate() {
            if let Some(before) = point.before {
                self.add(vec![self.point(i as u32, false), self.point(before, true)]);
            }
        }
    }

    fn matchings(&mut self) {
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
                if let Some(point) = layout.point_before(op) {
                    self.add(vec![not, self.point(point, true)]);
                }
            }
            for earlier in layout.before_pair(*pair) {
                let mut clause = self.matches_of(earlier);
                clause.push(not);
                self.add(clause);
            }
            if let Some(point) = layout.unknown_behind(*pair) {
                self.add(vec![not, self.point(point, false)]);
            }
        }
        for (one, other) in layout.crossing(MAX_CROSSING) {
            self.add(vec![self.pair(one, false), self.pair(other, false)]);
        }
        // A send and a receive that could match do not both stay unmatched.
        for send in 0..layout.program.ops.len() as OpIx {
            if !matches!(layout.kind(send), Kind::Send { .. }) {
                continue;
            }
            for recv in &layout.fitting[send as usize] {
                let mut clause = self.matches_of(send);
                clause.extend(self.matches_of(*recv));
                clause.extend(self.unposted(send));
                clause.extend(self.unposted(*recv));
                self.add(clause);
            }
        }
    }

    /// Says that as many sends as receives have matched, among those that can match each other only. This follows
    /// from the rest, but a solver does not count by itself: it makes receives from any source decidable.
    fn counts(&mut self) {
        for (sends, recvs) in self.layout.pools(MAX_COUNTED) {
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

    /// A literal that is true if and only if the operation has matched another.
    fn is_matched(&mut self, op: OpIx) -> Lit {
        let is = Lit::new(self.solver.new_var_default(), true);
        let matched = self.matches_of(op);
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

    /// Adds the conditions under which a point can be passed.
    fn passing(&mut self, point: u32) {
        let layout = self.layout;
        let not = self.point(point, false);
        match layout.step(&layout.points.list[point as usize]) {
            Step::Wait(wait) => {
                for op in wait.done() {
                    match *layout.kind(*op) {
                        Kind::Recv { .. } | Kind::Send { mode: Mode::Synchronous, .. } => {
                            let mut clause = self.matches_of(*op);
                            clause.push(not);
                            self.add(clause);
                        }
                        Kind::Part { collective, position } => {
                            let (needed, never) = layout.needed(collective, position, false);
                            if never {
                                self.add(vec![not]);
                            }
                            for other in needed {
                                if let Some(before) = layout.point_before(other) {
                                    self.add(vec![not, self.point(before, true)]);
                                }
                            }
                        }
                        Kind::Send { .. } | Kind::Free => {}
                    }
                }
            }
            Step::Probe { found, .. } => {
                let Some(found) = *found else { return self.add(vec![not]) };
                if let Some(before) = layout.point_before(found) {
                    self.add(vec![not, self.point(before, true)]);
                }
                for earlier in layout.before_probe(&layout.points.list[point as usize], found) {
                    let mut clause = self.matches_of(earlier);
                    clause.push(not);
                    self.add(clause);
                }
            }
            Step::Start(_) => {}
        }
    }

    /// Adds the conditions under which a thread waits at a point for ever.
    fn staying(&mut self, point: u32, semantics: Semantics) {
        let layout = self.layout;
        let g = &layout.points.list[point as usize];
        let mut stay = vec![self.point(point, true)];
        stay.extend(g.before.map(|b| self.point(b, false)));
        match layout.step(g) {
            Step::Wait(wait) if !wait.patient => self.add(stay),
            Step::Probe { patient: false, .. } => self.add(stay),
            Step::Wait(wait) => {
                let open: Vec<Open> = wait.ops.iter().map(|op| self.incomplete(*op, semantics)).collect();
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
                        clause.extend(self.matches_of(send));
                        self.add(clause);
                    }
                }
            }
            Step::Start(_) => {}
        }
    }

    /// The condition under which the operation never completes.
    fn incomplete(&mut self, op: OpIx, semantics: Semantics) -> Open {
        match *self.layout.kind(op) {
            Kind::Send { mode: Mode::Buffered, .. } | Kind::Free => Open::Never,
            Kind::Send { mode: Mode::Standard, .. } if !semantics.sends_block => Open::Never,
            Kind::Send { .. } | Kind::Recv { .. } => {
                let matched = self.matches_of(op);
                if matched.is_empty() {
                    return Open::Ever;
                }
                // alone -> matched by none.
                let alone = Lit::new(self.solver.new_var_default(), true);
                for lit in matched {
                    self.add(vec![!alone, !lit]);
                }
                Open::If(vec![alone])
            }
            Kind::Part { collective, position } => {
                let (needed, never) = self.layout.needed(collective, position, semantics.collectives_block);
                if never {
                    return Open::Ever;
                }
                Open::If(needed.into_iter().filter_map(|o| self.unposted(o)).collect())
            }
        }
    }

    /// Excludes that these threads all wait at these points at once.
    pub(crate) fn exclude(&mut self, points: &[u32]) {
        let mut clause = Vec::new();
        for g in points {
            clause.push(self.point(*g, true));
            clause.extend(self.layout.points.list[*g as usize].before.map(|b| self.point(b, false)));
        }
        self.add(clause);
    }
}

/// Whether an operation stays incomplete.
enum Open {
    Never,
    Ever,
    /// It does if one of these is true.
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
