//! What comes before what in every schedule, whichever messages the wildcards take: an over-approximation of what is
//! possible, before anything is decided by search.
//!
//! Clocks count, for each step in which a thread may have to wait, how many such steps of each other thread must have been
//! passed before it is passed. They follow the order of each thread, collective operations whose data are needed,
//! messages that can only be received by one receive, and probes.

use crate::gates::Gates;
use crate::layout::Pair;
use crate::program::{Kind, Mode, OpIx, Program, Step};

/// Steps that are joined in clocks before all clocks are left at zero.
const MOST_WORK: usize = 300_000_000;

/// See the module.
pub(crate) struct Order {
    lanes: usize,
    /// By gate, and in it by thread; empty if there is too much to know.
    clocks: Vec<u32>,
}

impl Order {
    /// `certain`: pairs that belong together in every matching.
    pub(crate) fn new(program: &Program, gates: &Gates, certain: &[(OpIx, OpIx)]) -> Order {
        let lanes = program.lanes.len();
        let mut order = Order { lanes, clocks: Vec::new() };
        let mut partner: Vec<Option<OpIx>> = vec![None; program.ops.len()];
        for (send, recv) in certain {
            partner[*send as usize] = Some(*recv);
            partner[*recv as usize] = Some(*send);
        }
        let Some(before) = requirements(program, gates, &partner) else { return order };
        let edges: usize = before.iter().map(Vec::len).sum();
        if (edges + before.len()).saturating_mul(lanes) > MOST_WORK {
            return order;
        }
        order.clocks = vec![0; gates.list.len() * lanes];
        for gate in in_order(&before) {
            for earlier in &before[gate as usize] {
                order.join(gate, *earlier);
            }
            let own = &mut order.clocks[gate as usize * lanes + gates.list[gate as usize].lane as usize];
            *own = (*own).max(gates.count(gate));
        }
        order
    }

    fn join(&mut self, gate: u32, earlier: u32) {
        let [from, to] = [earlier, gate].map(|g| g as usize * self.lanes);
        for lane in 0..self.lanes {
            self.clocks[to + lane] = self.clocks[to + lane].max(self.clocks[from + lane]);
        }
    }

    /// How many gates of `lane` must have been passed before the operation starts.
    fn before_start(&self, gates: &Gates, op: OpIx, lane: u32) -> u32 {
        let gate = gates.before_op[op as usize];
        gate.and_then(|g| self.clocks.get(g as usize * self.lanes + lane as usize)).copied().unwrap_or(0)
    }

    /// Is the first one always complete before the second one starts?
    pub(crate) fn is_over_before(&self, program: &Program, gates: &Gates, one: OpIx, other: OpIx) -> bool {
        let lane = program.ops[one as usize].lane;
        gates.completed_at(one).is_some_and(|gate| self.before_start(gates, other, lane) >= gates.count(gate))
    }

    /// Can the two never meet, since one of them is over before the other one starts?
    pub(crate) fn keeps_apart(&self, program: &Program, gates: &Gates, pair: Pair) -> bool {
        let over_before = |one, other| self.is_over_before(program, gates, one, other);
        let synchronous = matches!(program.ops[pair.send as usize].kind, Kind::Send { mode: Mode::Synchronous, .. });
        over_before(pair.recv, pair.send) || synchronous && over_before(pair.send, pair.recv)
    }
}

/// By gate: gates that must have been passed before it. `None`: too many.
fn requirements(program: &Program, gates: &Gates, partner: &[Option<OpIx>]) -> Option<Vec<Vec<u32>>> {
    let mut all = Vec::with_capacity(gates.list.len());
    let mut edges = 0;
    for (number, gate) in gates.list.iter().enumerate() {
        let mut before: Vec<u32> = gate.before.into_iter().collect();
        let starts = |op: OpIx| gates.before_op[op as usize];
        match gates.step(program, number as u32) {
            Step::Wait(wait) => {
                for op in wait.done() {
                    match program.ops[*op as usize].kind {
                        Kind::Recv { .. } | Kind::Send { mode: Mode::Synchronous, .. } => {
                            before.extend(partner[*op as usize].and_then(starts));
                        }
                        Kind::Part { collective, position } => {
                            let collective = &program.collectives[collective as usize];
                            let needs = collective.needs.get(position as usize).into_iter().flatten();
                            let parts = needs.filter_map(|p| collective.parts.get(*p as usize).copied().flatten());
                            before.extend(parts.filter_map(starts));
                        }
                        Kind::Send { .. } | Kind::Free => {}
                    }
                }
            }
            Step::Probe { found, .. } => before.extend(found.and_then(starts)),
            Step::Start(_) => {}
        }
        edges += before.len();
        if edges > MOST_WORK / 8 {
            return None;
        }
        all.push(before);
    }
    Some(all)
}

/// The gates, each behind those that it needs; without those that wait for themselves.
fn in_order(before: &[Vec<u32>]) -> Vec<u32> {
    let mut open: Vec<u32> = before.iter().map(|b| b.len() as u32).collect();
    let mut after: Vec<Vec<u32>> = vec![Vec::new(); before.len()];
    for (gate, before) in before.iter().enumerate() {
        before.iter().for_each(|b| after[*b as usize].push(gate as u32));
    }
    let mut order: Vec<u32> = (0..before.len() as u32).filter(|g| open[*g as usize] == 0).collect();
    let mut next = 0;
    while let Some(gate) = order.get(next).copied() {
        next += 1;
        for later in &after[gate as usize] {
            open[*later as usize] -= 1;
            if open[*later as usize] == 0 {
                order.push(*later);
            }
        }
    }
    order
}
