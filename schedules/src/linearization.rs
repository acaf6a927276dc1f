//! Linearization: puts the events of a state in an order, each event after the events that it depends on.

use crate::formula::State;
use crate::layout::Layout;
use crate::program::Pair;
use crate::program::{Kind, Mode, OpIx, Step};
use crate::question::Event;

/// An event of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    Point(u32),
    Pair(u32),
}

/// A model whose events are put in order.
pub(crate) struct Linearization<'a> {
    layout: &'a Layout<'a>,
    /// The events of the model, and whether each has happened.
    nodes: Vec<Node>,
    happened: Vec<bool>,
    /// By point and by pair: its node, if it is an event of the model.
    of_point: Vec<Option<u32>>,
    of_pair: Vec<Option<u32>>,
    /// By operation: the node of its pair.
    of_op: Vec<Option<u32>>,
    /// By node: the nodes that must happen before.
    before: Vec<Vec<u32>>,
}

impl<'a> Linearization<'a> {
    pub(crate) fn new(layout: &'a Layout<'a>, state: &State) -> Linearization<'a> {
        let mut linearization = Linearization {
            layout,
            nodes: Vec::new(),
            happened: Vec::new(),
            of_point: vec![None; layout.points.list.len()],
            of_pair: vec![None; layout.pairs.len()],
            of_op: vec![None; layout.program.ops.len()],
            before: Vec::new(),
        };
        for (i, _) in state.passed.iter().enumerate().filter(|(_, p)| **p) {
            linearization.of_point[i] = Some(linearization.nodes.len() as u32);
            linearization.nodes.push(Node::Point(i as u32));
        }
        for (i, pair) in layout.pairs.iter().enumerate().filter(|(i, _)| state.matched[*i]) {
            let node = Some(linearization.nodes.len() as u32);
            linearization.of_pair[i] = node;
            linearization.of_op[pair.send as usize] = node;
            linearization.of_op[pair.recv as usize] = node;
            linearization.nodes.push(Node::Pair(i as u32));
        }
        linearization.happened = vec![false; linearization.nodes.len()];
        linearization.before = linearization.nodes.iter().map(|n| linearization.requirements(*n)).collect();
        linearization.add_probes();
        linearization
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
            Node::Point(g) => {
                let point = &layout.points.list[g as usize];
                all.extend(point.before.and_then(|b| self.of_point[b as usize]));
                match layout.step(point) {
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
                        all.extend(layout.before_probe(point, *found).filter_map(|op| self.of_op[op as usize]));
                    }
                    Step::Probe { found: None, .. } | Step::Start(_) => {}
                }
            }
        }
        all
    }

    /// Orders each probe before the receive of the message that it reports.
    fn add_probes(&mut self) {
        for (g, point) in self.layout.points.list.iter().enumerate() {
            if let (Some(node), Step::Probe { found: Some(found), .. }) = (self.of_point[g], self.layout.step(point))
                && let Some(pair) = self.of_op[*found as usize]
            {
                self.before[pair as usize].push(node);
            }
        }
    }

    /// By node: the nodes that it must happen before.
    pub(crate) fn after(&self) -> Vec<Vec<u32>> {
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (i, before) in self.before.iter().enumerate() {
            before.iter().for_each(|b| after[*b as usize].push(i as u32));
        }
        after
    }

    /// The node of the last point that is passed before the operation starts; `None`: it starts at once.
    pub(crate) fn start(&self, op: OpIx) -> Option<u32> {
        self.layout.point_before(op).and_then(|g| self.of_point[g as usize])
    }

    /// The node of the pair that the operation is in.
    pub(crate) fn match_of(&self, op: OpIx) -> Option<u32> {
        self.of_op[op as usize]
    }

    /// All events that must happen for this one to happen, and itself.
    pub(crate) fn past(&self, of: Node) -> Vec<Event> {
        let first = match of {
            Node::Point(g) => self.of_point[g as usize],
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

    /// The events in an order that is possible; or the events that wait for each other.
    pub(crate) fn run(mut self) -> Result<Vec<Event>, Vec<Node>> {
        let mut open: Vec<u32> = self.before.iter().map(|b| b.len() as u32).collect();
        let after = self.after();
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
        if order.len() == self.nodes.len() { Ok(order) } else { Err(self.cycle()) }
    }

    fn event(&self, node: u32) -> Event {
        match self.nodes[node as usize] {
            Node::Point(g) => {
                let point = &self.layout.points.list[g as usize];
                Event::Pass { thread: point.thread, step: point.step }
            }
            Node::Pair(p) => {
                let pair = self.layout.pairs[p as usize];
                Event::Match { send: pair.send, recv: pair.recv }
            }
        }
    }

    /// A shortest cycle among the nodes that have not happened.
    fn cycle(&self) -> Vec<Node> {
        let waiting = |n: &&u32| !self.happened[**n as usize];
        // Each node that has not happened waits for one that has not happened; so this walk comes back to where it
        // was.
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
                    let mut cycle = vec![self.nodes[n as usize]];
                    let mut back = n;
                    while let Some(previous) = from[back as usize] {
                        cycle.push(self.nodes[previous as usize]);
                        back = previous;
                    }
                    return cycle;
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
