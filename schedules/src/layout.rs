//! A program in the terms of the formula: wait points, pairs that may match, and the order between them.

use crate::mailboxes::Mailboxes;
use crate::order::Order;
use crate::program::{Kind, OpIx, Pair, Program, Step};
use crate::wait_points::{WaitPoint, WaitPoints};
use rustc_hash::FxHashMap;

/// The facts of a program that both the formula and the check of its models need.
pub(crate) struct Layout<'a> {
    pub(crate) program: &'a Program,
    pub(crate) points: WaitPoints,
    /// The last point of each thread.
    pub(crate) last: Vec<Option<u32>>,
    pub(crate) pairs: Vec<Pair>,
    /// By operation: the pairs that contain it.
    pub(crate) pairs_of: Vec<Vec<u32>>,
    /// By operation: the operations whose arguments fit.
    pub(crate) fitting: Vec<Vec<OpIx>>,
    /// By operation: earlier ones of its thread with the same communicator and process.
    earlier: Vec<Vec<OpIx>>,
    /// Pairs behind which the process is unknown are kept, too, even if no deadlock contains them.
    unknown_too: bool,
}

/// Limit of pairs of operations that are compared, for each pair that may match.
const WORK: usize = 200;

impl<'a> Layout<'a> {
    /// Returns `None` if there are more than `max_pairs` pairs.
    pub(crate) fn new(program: &'a Program, max_pairs: usize) -> Option<Layout<'a>> {
        Layout::of(program, max_pairs, false)
    }

    /// As [`Layout::new`], with the pairs that are part of no deadlock that can be reported.
    pub(crate) fn with_unknown(program: &'a Program, max_pairs: usize) -> Option<Layout<'a>> {
        Layout::of(program, max_pairs, true)
    }

    fn of(program: &'a Program, max_pairs: usize, unknown_too: bool) -> Option<Layout<'a>> {
        let count = program.ops.len();
        let points = WaitPoints::new(program);
        let boxes = Mailboxes::new(program);
        let order = Order::new(program, &points, &boxes.certain);
        let last = (0..program.threads.len()).map(|thread| points.last(thread)).collect();
        let mut layout = Layout {
            program,
            points,
            last,
            pairs: Vec::new(),
            pairs_of: vec![Vec::new(); count],
            fitting: vec![Vec::new(); count],
            earlier: vec![Vec::new(); count],
            unknown_too,
        };
        layout.pair_up(&boxes, &order, max_pairs)?;
        Some(layout)
    }

    fn pair_up(&mut self, boxes: &Mailboxes, order: &Order, max_pairs: usize) -> Option<()> {
        for (send, recv) in &boxes.certain {
            self.may_match(*send, *recv, usize::MAX)?;
        }
        let max_pairs = max_pairs + self.pairs.len();
        // Operations of one thread with the same communicator and process, in the thread's order.
        let mut streams: FxHashMap<(u32, u32, u32, bool), Vec<OpIx>> = FxHashMap::default();
        let mut work = 0;
        for (key, (sends, recvs)) in &boxes.open {
            for (op, is_send) in sends.iter().map(|s| (*s, true)).chain(recvs.iter().map(|r| (*r, false))) {
                let stream = streams.entry((self.program.ops[op as usize].thread, key.0, key.1, is_send)).or_default();
                work += stream.len();
                self.earlier[op as usize].clone_from(stream);
                stream.push(op);
            }
            work += sends.len() * recvs.len();
            if work > WORK * max_pairs {
                return None;
            }
            for recv in recvs {
                let Kind::Recv { comm, at, source, tag, .. } = self.program.ops[*recv as usize].kind else { continue };
                for send in sends.iter().filter(|s| self.program.fits(**s, comm, at, source, tag)) {
                    if !order.keeps_apart(self.program, &self.points, Pair { send: *send, recv: *recv }) {
                        self.may_match(*send, *recv, max_pairs)?;
                    }
                }
            }
        }
        Some(())
    }

    /// Adds a pair that may match. Returns `None` if there are too many already.
    fn may_match(&mut self, send: OpIx, recv: OpIx, max_pairs: usize) -> Option<()> {
        self.fitting[send as usize].push(recv);
        self.fitting[recv as usize].push(send);
        if !self.unknown_too && self.leads_nowhere(Pair { send, recv }) {
            return Some(());
        }
        if self.pairs.len() == max_pairs {
            return None;
        }
        let pair = self.pairs.len() as u32;
        self.pairs.push(Pair { send, recv });
        self.pairs_of[send as usize].push(pair);
        self.pairs_of[recv as usize].push(pair);
        Some(())
    }

    /// Pairs of pairs that would each have to match before the other, by the order of their threads; at most `most`.
    pub(crate) fn crossing(&self, most: usize) -> Vec<(u32, u32)> {
        let mut all = Vec::new();
        for (i, pair) in self.pairs.iter().enumerate() {
            for earlier in self.earlier[pair.send as usize].iter().filter(|s| self.fit(**s, pair.recv)) {
                for other in &self.pairs_of[*earlier as usize] {
                    let later = self.pairs[*other as usize].recv;
                    if self.earlier[later as usize].contains(&pair.recv) {
                        if all.len() == most {
                            return all;
                        }
                        all.push((i as u32, *other));
                    }
                }
            }
        }
        all
    }

    /// Sends and receives that can match each other only, where there are more than two and at most `most`.
    pub(crate) fn pools(&self, most: usize) -> Vec<(Vec<OpIx>, Vec<OpIx>)> {
        let mut seen = vec![false; self.program.ops.len()];
        let mut pools = Vec::new();
        for first in 0..self.program.ops.len() as OpIx {
            if std::mem::replace(&mut seen[first as usize], true) || self.pairs_of[first as usize].is_empty() {
                continue;
            }
            let (mut sends, mut recvs, mut work) = (Vec::new(), Vec::new(), vec![first]);
            while let Some(op) = work.pop() {
                let is_send = matches!(self.kind(op), Kind::Send { .. });
                if is_send {
                    sends.push(op)
                } else {
                    recvs.push(op)
                }
                for pair in &self.pairs_of[op as usize] {
                    let Pair { send, recv } = self.pairs[*pair as usize];
                    let other = if is_send { recv } else { send };
                    if !std::mem::replace(&mut seen[other as usize], true) {
                        work.push(other);
                    }
                }
            }
            if sends.len() + recvs.len() > 2 && sends.len() + recvs.len() <= most {
                sends.sort_unstable();
                recvs.sort_unstable();
                pools.push((sends, recvs));
            }
        }
        pools
    }

    /// Is the process unknown right behind this pair? If the two matched, it would wait for nothing else, and nobody
    /// knows what it does then: no deadlock that can be reported contains the pair.
    fn leads_nowhere(&self, pair: Pair) -> bool {
        let Some(point) = self.unknown_behind(pair) else { return false };
        // It does not wait for anything before that, either.
        let at_once = self.points.list[point as usize].before == self.points.before_op[pair.recv as usize];
        let alone = |step: &Step| matches!(step, Step::Wait(wait) if wait.ops == [pair.recv]);
        at_once && self.points.completed_at(pair.recv) == Some(point) && alone(self.points.step(self.program, point))
    }

    /// Could a receive take a message of another thread, or with another tag, than it did?
    pub(crate) fn has_choices(&self) -> bool {
        let of = |op: OpIx| (self.program.ops[op as usize].thread, self.kind(op));
        self.pairs.iter().any(|pair| match *self.kind(pair.recv) {
            Kind::Recv { got: Some(got), .. } => match (of(got), of(pair.send)) {
                ((a, Kind::Send { tag: t, .. }), (b, Kind::Send { tag: u, .. })) => a != b || t != u,
                _ => true,
            },
            _ => true,
        })
    }

    /// The last point before the operation starts.
    pub(crate) fn point_before(&self, op: OpIx) -> Option<u32> {
        self.points.before_op[op as usize]
    }

    pub(crate) fn kind(&self, op: OpIx) -> &'a Kind {
        &self.program.ops[op as usize].kind
    }

    pub(crate) fn step(&self, point: &WaitPoint) -> &'a Step {
        &self.program.threads[point.thread as usize][point.step as usize]
    }

    pub(crate) fn fit(&self, a: OpIx, b: OpIx) -> bool {
        self.fitting[a as usize].contains(&b)
    }

    /// Operations that must have matched before this pair can.
    pub(crate) fn before_pair(&self, pair: Pair) -> impl Iterator<Item = OpIx> + '_ {
        let sends = self.earlier[pair.send as usize].iter().copied().filter(move |s| self.fit(*s, pair.recv));
        let recvs = self.earlier[pair.recv as usize].iter().copied().filter(move |r| self.fit(*r, pair.send));
        sends.chain(recvs)
    }

    /// The point that is not passed if the two match: the last one before the process becomes unknown, but none before
    /// the one that waits for the receive.
    pub(crate) fn unknown_behind(&self, pair: Pair) -> Option<u32> {
        let step = self.program.steered(pair.send, pair.recv)?;
        let completes = self.points.completed_at(pair.recv)?;
        let thread = self.program.ops[pair.recv as usize].thread;
        let points = self.points.of_thread[thread as usize].clone();
        let before = self.points.list[points.start as usize..points.end as usize].partition_point(|g| g.step < step);
        Some(before.checked_sub(1).map_or(completes, |b| completes.max(points.start + b as u32)))
    }

    /// Pairs that did not match in the run.
    pub(crate) fn other_pairs(&self) -> Vec<u32> {
        let other = |pair: &Pair| !matches!(self.kind(pair.recv), Kind::Recv { got, .. } if *got == Some(pair.send));
        (0..self.pairs.len() as u32).filter(|p| other(&self.pairs[*p as usize])).collect()
    }

    /// Operations that must have matched before a probe reports `found`: earlier messages that it would report, and
    /// earlier receives of its thread that would take `found` (MPI 4.1 section 3.8.1).
    pub(crate) fn before_probe(&self, point: &WaitPoint, found: OpIx) -> impl Iterator<Item = OpIx> + '_ {
        let Step::Probe { comm, at, source, tag, .. } = *self.step(point) else { unreachable!("a probe") };
        let sends = self.earlier[found as usize].iter().copied();
        let sends = sends.filter(move |s| self.program.fits(*s, comm, at, source, tag));
        let (thread, step) = (point.thread, point.step);
        let before = move |r: &OpIx| {
            let op = &self.program.ops[*r as usize];
            op.thread == thread && op.step < step
        };
        sends.chain(self.fitting[found as usize].iter().copied().filter(before))
    }

    /// The operations of a collective that a part depends on, and whether one of them is never called.
    pub(crate) fn needed(&self, collective: u32, position: u32, strict: bool) -> (Vec<OpIx>, bool) {
        let c = &self.program.collectives[collective as usize];
        let all: Vec<u32> = (0..c.parts.len() as u32).collect();
        let needs = if strict { &all } else { c.needs.get(position as usize).unwrap_or(&all) };
        let parts: Vec<Option<OpIx>> = needs.iter().map(|p| c.parts.get(*p as usize).copied().flatten()).collect();
        (parts.iter().copied().flatten().collect(), parts.contains(&None))
    }
}
