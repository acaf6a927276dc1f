//! The order that holds in every schedule, whichever messages the wildcards take: an over-approximation of the
//! possible matchings, before the search decides anything.
//!
//! Clocks count, for each step in which a thread may have to wait, how many such steps of each other thread must have
//! been passed before it is passed. They follow the order of each thread, collective operations whose data are
//! needed, messages that only one receive can take, and probes.

use crate::program::Pair;
use crate::program::{Kind, Mode, OpIx, Program, Step};
use crate::wait_points::WaitPoints;

/// Limit of clocks that are joined; beyond it all clocks stay at zero.
const MAX_WORK: usize = 300_000_000;

/// The order of the wait points, as clocks.
pub(crate) struct Order {
    threads: usize,
    /// By point, and within it by thread; empty if there is too much to compute.
    clocks: Vec<u32>,
}

impl Order {
    /// `certain`: pairs that match in every schedule.
    pub(crate) fn new(program: &Program, points: &WaitPoints, certain: &[(OpIx, OpIx)]) -> Order {
        let threads = program.threads.len();
        let mut order = Order { threads, clocks: Vec::new() };
        let mut partner: Vec<Option<OpIx>> = vec![None; program.ops.len()];
        for (send, recv) in certain {
            partner[*send as usize] = Some(*recv);
            partner[*recv as usize] = Some(*send);
        }
        let Some(before) = requirements(program, points, &partner) else { return order };
        let edges: usize = before.iter().map(Vec::len).sum();
        if (edges + before.len()).saturating_mul(threads) > MAX_WORK {
            return order;
        }
        order.clocks = vec![0; points.list.len() * threads];
        for point in in_order(&before) {
            for earlier in &before[point as usize] {
                order.join(point, *earlier);
            }
            let own = &mut order.clocks[point as usize * threads + points.list[point as usize].thread as usize];
            *own = (*own).max(points.count(point));
        }
        order
    }

    fn join(&mut self, point: u32, earlier: u32) {
        let [from, to] = [earlier, point].map(|g| g as usize * self.threads);
        for thread in 0..self.threads {
            self.clocks[to + thread] = self.clocks[to + thread].max(self.clocks[from + thread]);
        }
    }

    /// Number of points of `thread` that must have been passed before the operation starts.
    fn before_start(&self, points: &WaitPoints, op: OpIx, thread: u32) -> u32 {
        let point = points.before_op[op as usize];
        point.and_then(|g| self.clocks.get(g as usize * self.threads + thread as usize)).copied().unwrap_or(0)
    }

    /// Is the first operation always complete before the second one starts?
    pub(crate) fn is_over_before(&self, program: &Program, points: &WaitPoints, one: OpIx, other: OpIx) -> bool {
        let thread = program.ops[one as usize].thread;
        points.completed_at(one).is_some_and(|point| self.before_start(points, other, thread) >= points.count(point))
    }

    /// Can the two never match, since one is always complete before the other starts?
    pub(crate) fn keeps_apart(&self, program: &Program, points: &WaitPoints, pair: Pair) -> bool {
        let over_before = |one, other| self.is_over_before(program, points, one, other);
        let synchronous = matches!(program.ops[pair.send as usize].kind, Kind::Send { mode: Mode::Synchronous, .. });
        over_before(pair.recv, pair.send) || synchronous && over_before(pair.send, pair.recv)
    }
}

/// By point: points that must have been passed before it. `None`: too many.
fn requirements(program: &Program, points: &WaitPoints, partner: &[Option<OpIx>]) -> Option<Vec<Vec<u32>>> {
    let mut all = Vec::with_capacity(points.list.len());
    let mut edges = 0;
    for (number, point) in points.list.iter().enumerate() {
        let mut before: Vec<u32> = point.before.into_iter().collect();
        let starts = |op: OpIx| points.before_op[op as usize];
        match points.step(program, number as u32) {
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
        if edges > MAX_WORK / 8 {
            return None;
        }
        all.push(before);
    }
    Some(all)
}

/// The wait points in topological order, without those that wait for themselves.
fn in_order(before: &[Vec<u32>]) -> Vec<u32> {
    let mut open: Vec<u32> = before.iter().map(|b| b.len() as u32).collect();
    let mut after: Vec<Vec<u32>> = vec![Vec::new(); before.len()];
    for (point, before) in before.iter().enumerate() {
        before.iter().for_each(|b| after[*b as usize].push(point as u32));
    }
    let mut order: Vec<u32> = (0..before.len() as u32).filter(|g| open[*g as usize] == 0).collect();
    let mut next = 0;
    while let Some(point) = order.get(next).copied() {
        next += 1;
        for later in &after[point as usize] {
            open[*later as usize] -= 1;
            if open[*later as usize] == 0 {
                order.push(*later);
            }
        }
    }
    order
}
