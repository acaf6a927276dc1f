//! Every matching that the standard permits.
//!
//! The formula of [`crate::formula`] does not say that what led to a state had an order. Each model of it is therefore
//! played: what can happen next happens, until nothing is left, and the model is a way to a deadlock; or until what is left
//! waits for itself in a circle, and that circle is forbidden by a clause. This ends, since every clause excludes models.

use crate::formula::{Formula, State, Verdict};
use crate::layout::{Layout, Pair};
use crate::program::{Kind, Mode, OpIx, Program, Step};
use batsat::{Callbacks, ClauseKind, Lit};
use std::cell::Cell;
use std::rc::Rc;

/// What the MPI library is taken to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// A standard send may wait for its receive (MPI 4.1 section 3.4).
    pub sends_block: bool,
    /// A collective operation may wait for all of its communicator (MPI 4.1 section 6.1).
    pub collectives_block: bool,
}

impl Reading {
    /// Nothing that the standard does not promise.
    pub const WEAKEST: Reading = Reading { sends_block: true, collectives_block: true };
    /// As much buffering and as little waiting as there can be.
    pub const GENEROUS: Reading = Reading { sends_block: false, collectives_block: false };
}

/// How much work is done before the question is left undecided. Counted, not timed: the same question gets the same answer.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Pairs of a send and a receive that may belong together, but need not.
    pub pairs: usize,
    /// Clauses that the solver may learn.
    pub learned: u64,
    /// Models that may turn out to have no order.
    pub rounds: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { pairs: 20_000, learned: 10_000, rounds: 2_000 }
    }
}

/// Something that happens on the way to a deadlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The thread passes the step in which it could have had to wait.
    Pass { lane: u32, step: u32 },
    /// The message of the send goes to the receive.
    Meet { send: OpIx, recv: OpIx },
}

/// A way to a deadlock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    /// What happens, in order.
    pub events: Vec<Event>,
    /// By thread: the step in which it waits for ever; `None`: it came to its end.
    pub stuck: Vec<Option<u32>>,
}

/// What exploration says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// No permitted matching leads to a deadlock.
    Safe,
    Deadlock(Witness),
    /// The budget did not suffice.
    Undecided,
}

/// Could a receive of the program take another message than it did, as far as arguments and what is known of the process
/// go? `true` also if there are too many possibilities to look at.
pub fn has_choices(program: &Program, budget: Budget) -> bool {
    Layout::new(program, budget.pairs).is_none_or(|layout| layout.has_choices())
}

/// Looks for a deadlock that is permitted under `reading`, other than those in `known` (threads and the steps in which
/// they wait).
pub fn explore(program: &Program, reading: Reading, known: &[Vec<(u32, u32)>], budget: Budget) -> Answer {
    let Some(layout) = Layout::new(program, budget.pairs) else { return Answer::Undecided };
    if layout.gates.is_empty() {
        return Answer::Safe;
    }
    let mut formula = Formula::new(&layout, reading, Limit::new(budget.learned));
    for deadlock in known {
        let at = |(lane, step): &(u32, u32)| layout.gates.iter().position(|g| (g.lane, g.step) == (*lane, *step));
        let gates: Vec<u32> = deadlock.iter().filter_map(at).map(|g| g as u32).collect();
        if gates.len() == deadlock.len() {
            formula.exclude(&gates);
        }
    }
    let mut search = Search { formula, rounds: budget.rounds };
    let (mut state, mut events) = match search.next(&[]) {
        Found::Way(state, events) => (state, events),
        Found::None => return Answer::Safe,
        Found::Undecided => return Answer::Undecided,
    };
    // What was received otherwise than in the run, and need not have been, is of no interest.
    let others = layout.other_pairs();
    let mut needed: Vec<u32> = others.iter().copied().filter(|p| state.met[*p as usize]).collect();
    let mut i = 0;
    while i < needed.len() {
        let without: Vec<u32> = needed.iter().copied().filter(|p| *p != needed[i]).collect();
        let forbidden = others.iter().filter(|p| !without.contains(p));
        let forbidden: Vec<Lit> = forbidden.map(|p| search.formula.pair(*p, false)).collect();
        match search.next(&forbidden) {
            Found::Way(better, way) => {
                needed.retain(|p| better.met[*p as usize]);
                (state, events) = (better, way);
            }
            Found::None | Found::Undecided => i += 1,
        }
    }
    Answer::Deadlock(Witness { events, stuck: stuck(&layout, &state.passed) })
}

/// What a search for a way to a deadlock finds.
enum Found {
    /// What is true at its end, and what happens on it, in order.
    Way(State, Vec<Event>),
    None,
    Undecided,
}

struct Search<'a> {
    formula: Formula<'a, Limit>,
    /// Models that may still be looked at.
    rounds: u32,
}

impl Search<'_> {
    fn next(&mut self, assumptions: &[Lit]) -> Found {
        while self.rounds > 0 {
            self.rounds -= 1;
            let state = match self.formula.solve(assumptions) {
                Verdict::Undecided => return Found::Undecided,
                Verdict::Impossible => return Found::None,
                Verdict::Model(state) => state,
            };
            match Play::new(self.formula.layout, &state).run() {
                Ok(events) => return Found::Way(state, events),
                Err(circle) => forbid(&mut self.formula, circle),
            }
        }
        Found::Undecided
    }
}

/// What waits for itself does not happen.
pub(crate) fn forbid(formula: &mut Formula<'_, Limit>, circle: Vec<Node>) {
    let not = |node| match node {
        Node::Gate(g) => formula.gate(g, false),
        Node::Pair(p) => formula.pair(p, false),
    };
    let clause: Vec<Lit> = circle.into_iter().map(not).collect();
    formula.add(clause);
}

fn stuck(layout: &Layout, passed: &[bool]) -> Vec<Option<u32>> {
    let mut stuck = vec![None; layout.last.len()];
    for (i, gate) in layout.gates.iter().enumerate().rev() {
        if !passed[i] {
            stuck[gate.lane as usize] = Some(gate.step);
        }
    }
    stuck
}

/// Ends the solver's work when it has learned enough.
pub(crate) struct Limit {
    learned: Rc<Cell<u64>>,
    limit: u64,
}

impl Limit {
    pub(crate) fn new(limit: u64) -> Limit {
        Limit { learned: Rc::new(Cell::new(0)), limit }
    }
}

impl Callbacks for Limit {
    fn on_new_clause(&mut self, _: &[batsat::Lit], _: ClauseKind) {
        self.learned.set(self.learned.get() + 1);
    }

    fn stop(&self) -> bool {
        self.learned.get() >= self.limit
    }
}

/// Something that happens in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    Gate(u32),
    Pair(u32),
}

/// A model that is played.
pub(crate) struct Play<'a> {
    layout: &'a Layout<'a>,
    /// What is to happen, and what has happened.
    nodes: Vec<Node>,
    happened: Vec<bool>,
    /// By gate and by pair: its node, if it is to happen.
    of_gate: Vec<Option<u32>>,
    of_pair: Vec<Option<u32>>,
    /// By operation: the node of its pair.
    of_op: Vec<Option<u32>>,
    /// By node: what has to happen before.
    before: Vec<Vec<u32>>,
}

impl<'a> Play<'a> {
    pub(crate) fn new(layout: &'a Layout<'a>, state: &State) -> Play<'a> {
        let mut play = Play {
            layout,
            nodes: Vec::new(),
            happened: Vec::new(),
            of_gate: vec![None; layout.gates.len()],
            of_pair: vec![None; layout.pairs.len()],
            of_op: vec![None; layout.program.ops.len()],
            before: Vec::new(),
        };
        for (i, _) in state.passed.iter().enumerate().filter(|(_, p)| **p) {
            play.of_gate[i] = Some(play.nodes.len() as u32);
            play.nodes.push(Node::Gate(i as u32));
        }
        for (i, pair) in layout.pairs.iter().enumerate().filter(|(i, _)| state.met[*i]) {
            let node = Some(play.nodes.len() as u32);
            play.of_pair[i] = node;
            play.of_op[pair.send as usize] = node;
            play.of_op[pair.recv as usize] = node;
            play.nodes.push(Node::Pair(i as u32));
        }
        play.happened = vec![false; play.nodes.len()];
        play.before = play.nodes.iter().map(|n| play.requirements(*n)).collect();
        play.add_probes();
        play
    }

    fn start(&self, op: OpIx) -> Option<u32> {
        self.layout.gate_before[op as usize].and_then(|g| self.of_gate[g as usize])
    }

    fn requirements(&self, node: Node) -> Vec<u32> {
        let layout = self.layout;
        let mut all = Vec::new();
        match node {
            Node::Pair(p) => {
                let pair: Pair = layout.pairs[p as usize];
                all.extend([pair.send, pair.recv].into_iter().filter_map(|op| self.start(op)));
                all.extend(layout.before_pair(pair).filter_map(|op| self.of_op[op as usize]));
            }
            Node::Gate(g) => {
                let gate = &layout.gates[g as usize];
                all.extend(gate.before.and_then(|b| self.of_gate[b as usize]));
                match layout.step(gate) {
                    Step::Wait(wait) => {
                        for op in wait.done() {
                            match *layout.kind(*op) {
                                Kind::Recv { .. } | Kind::Send { mode: Mode::Synchronous, .. } => {
                                    all.extend(self.of_op[*op as usize]);
                                }
                                Kind::Part { collective, position } => {
                                    let (needed, _) = layout.needed(collective, position, false);
                                    all.extend(needed.into_iter().filter_map(|o| self.start(o)));
                                }
                                Kind::Send { .. } | Kind::Free => {}
                            }
                        }
                    }
                    Step::Probe { found: Some(found), .. } => {
                        all.extend(self.start(*found));
                        all.extend(layout.before_probe(gate, *found).filter_map(|op| self.of_op[op as usize]));
                    }
                    Step::Probe { found: None, .. } | Step::Start(_) => {}
                }
            }
        }
        all
    }

    /// A message that a probe is told of is not received before.
    fn add_probes(&mut self) {
        for (g, gate) in self.layout.gates.iter().enumerate() {
            if let (Some(node), Step::Probe { found: Some(found), .. }) = (self.of_gate[g], self.layout.step(gate))
                && let Some(pair) = self.of_op[*found as usize]
            {
                self.before[pair as usize].push(node);
            }
        }
    }

    /// What has to happen for this to happen, and itself.
    pub(crate) fn past(&self, of: Node) -> Vec<Event> {
        let first = match of {
            Node::Gate(g) => self.of_gate[g as usize],
            Node::Pair(p) => self.of_pair[p as usize],
        };
        let mut open: Vec<u32> = first.into_iter().collect();
        let mut seen = vec![false; self.nodes.len()];
        let mut past = Vec::new();
        while let Some(n) = open.pop() {
            if !std::mem::replace(&mut seen[n as usize], true) {
                past.push(self.event(n));
                open.extend(&self.before[n as usize]);
            }
        }
        past
    }

    /// What happens, in an order; or what waits for itself.
    pub(crate) fn run(mut self) -> Result<Vec<Event>, Vec<Node>> {
        let mut open: Vec<u32> = self.before.iter().map(|b| b.len() as u32).collect();
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (i, before) in self.before.iter().enumerate() {
            before.iter().for_each(|b| after[*b as usize].push(i as u32));
        }
        let mut ready: std::collections::VecDeque<u32> =
            (0..self.nodes.len() as u32).filter(|n| open[*n as usize] == 0).collect();
        let mut order = Vec::with_capacity(self.nodes.len());
        while let Some(n) = ready.pop_front() {
            self.happened[n as usize] = true;
            order.push(self.event(n));
            for next in &after[n as usize] {
                open[*next as usize] -= 1;
                if open[*next as usize] == 0 {
                    ready.push_back(*next);
                }
            }
        }
        if order.len() == self.nodes.len() { Ok(order) } else { Err(self.circle()) }
    }

    fn event(&self, node: u32) -> Event {
        match self.nodes[node as usize] {
            Node::Gate(g) => {
                let gate = &self.layout.gates[g as usize];
                Event::Pass { lane: gate.lane, step: gate.step }
            }
            Node::Pair(p) => {
                let pair = self.layout.pairs[p as usize];
                Event::Meet { send: pair.send, recv: pair.recv }
            }
        }
    }

    /// A shortest circle among what has not happened.
    fn circle(&self) -> Vec<Node> {
        let waiting = |n: &&u32| !self.happened[**n as usize];
        // Whoever has not happened waits for one that has not happened; so this walk comes back to where it was.
        let mut at = (0..self.nodes.len() as u32).find(|n| !self.happened[*n as usize]).unwrap_or_default();
        for _ in 0..self.nodes.len() {
            at = *self.before[at as usize].iter().find(waiting).unwrap_or(&at);
        }
        let start = at;
        let mut from: Vec<Option<u32>> = vec![None; self.nodes.len()];
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(n) = queue.pop_front() {
            for next in self.before[n as usize].iter().filter(waiting) {
                if *next == start {
                    let mut circle = vec![self.nodes[n as usize]];
                    let mut back = n;
                    while let Some(previous) = from[back as usize] {
                        circle.push(self.nodes[previous as usize]);
                        back = previous;
                    }
                    return circle;
                }
                if from[*next as usize].is_none() {
                    from[*next as usize] = Some(n);
                    queue.push_back(*next);
                }
            }
        }
        vec![self.nodes[start as usize]]
    }
}
