//! A program in the terms of the formula: gates, pairs that may belong together, and what comes before what.

use crate::gates::{Gate, Gates};
use crate::mailboxes::Mailboxes;
use crate::order::Order;
use crate::program::{Kind, OpIx, Program, Step};
use rustc_hash::FxHashMap;

/// A send and a receive that may belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) send: OpIx,
    pub(crate) recv: OpIx,
}

/// What both the formula and the check of its models need to know of a program.
pub(crate) struct Layout<'a> {
    pub(crate) program: &'a Program,
    pub(crate) gates: Gates,
    /// The last gate of each thread.
    pub(crate) last: Vec<Option<u32>>,
    pub(crate) pairs: Vec<Pair>,
    /// By operation: pairs that it is in.
    pub(crate) pairs_of: Vec<Vec<u32>>,
    /// By operation: those that fit as far as their arguments go.
    pub(crate) fitting: Vec<Vec<OpIx>>,
    /// By operation: earlier ones of its thread that go the same way (same communicator and process).
    earlier: Vec<Vec<OpIx>>,
    /// Pairs behind which nobody knows what the process does are pairs, too, even if they lead nowhere.
    unknown_too: bool,
}

/// Pairs of operations that are looked at, for each pair that may belong together.
const WORK: usize = 200;

impl<'a> Layout<'a> {
    /// `None` if there are more than `max_pairs` pairs.
    pub(crate) fn new(program: &'a Program, max_pairs: usize) -> Option<Layout<'a>> {
        Layout::of(program, max_pairs, false)
    }

    /// The same with the pairs that no deadlock which can be told of has.
    pub(crate) fn with_unknown(program: &'a Program, max_pairs: usize) -> Option<Layout<'a>> {
        Layout::of(program, max_pairs, true)
    }

    fn of(program: &'a Program, max_pairs: usize, unknown_too: bool) -> Option<Layout<'a>> {
        let count = program.ops.len();
        let gates = Gates::new(program);
        let boxes = Mailboxes::new(program);
        let order = Order::new(program, &gates, &boxes.certain);
        let last = (0..program.lanes.len()).map(|lane| gates.last(lane)).collect();
        let mut layout = Layout {
            program,
            gates,
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
            self.may_meet(*send, *recv, usize::MAX)?;
        }
        let max_pairs = max_pairs + self.pairs.len();
        // Operations of one thread that go the same way, in its order.
        let mut streams: FxHashMap<(u32, u32, u32, bool), Vec<OpIx>> = FxHashMap::default();
        let mut work = 0;
        for (key, (sends, recvs)) in &boxes.open {
            for (op, is_send) in sends.iter().map(|s| (*s, true)).chain(recvs.iter().map(|r| (*r, false))) {
                let stream = streams.entry((self.program.ops[op as usize].lane, key.0, key.1, is_send)).or_default();
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
                    if !order.keeps_apart(self.program, &self.gates, Pair { send: *send, recv: *recv }) {
                        self.may_meet(*send, *recv, max_pairs)?;
                    }
                }
            }
        }
        Some(())
    }

    /// The two may belong together. `None`: there are too many already.
    fn may_meet(&mut self, send: OpIx, recv: OpIx, max_pairs: usize) -> Option<()> {
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

    /// Pairs that would each have to meet before the other, by the order of their threads; no more than `most` of them.
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

    /// Sends and receives that can meet each other only, where there are more than two, and no more than `most`.
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

    /// If the two met, the process would wait for nothing else, and nobody knows what it does then: no deadlock that can be
    /// told of has them together.
    fn leads_nowhere(&self, pair: Pair) -> bool {
        let Some(gate) = self.unknown_behind(pair) else { return false };
        // Nor does it wait for anything before.
        let at_once = self.gates.list[gate as usize].before == self.gates.before_op[pair.recv as usize];
        let alone = |step: &Step| matches!(step, Step::Wait(wait) if wait.ops == [pair.recv]);
        at_once && self.gates.completed_at(pair.recv) == Some(gate) && alone(self.gates.step(self.program, gate))
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

    /// The last gate before the operation starts.
    pub(crate) fn gate_before(&self, op: OpIx) -> Option<u32> {
        self.gates.before_op[op as usize]
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
        let completes = self.gates.completed_at(pair.recv)?;
        let lane = self.program.ops[pair.recv as usize].lane;
        let gates = self.gates.of_lane[lane as usize].clone();
        let before = self.gates.list[gates.start as usize..gates.end as usize].partition_point(|g| g.step < step);
        Some(before.checked_sub(1).map_or(completes, |b| completes.max(gates.start + b as u32)))
    }

    /// Pairs that are not those of the run.
    pub(crate) fn other_pairs(&self) -> Vec<u32> {
        let other = |pair: &Pair| !matches!(self.kind(pair.recv), Kind::Recv { got, .. } if *got == Some(pair.send));
        (0..self.pairs.len() as u32).filter(|p| other(&self.pairs[*p as usize])).collect()
    }

    /// Operations that must have met somebody before a probe is told of `found`: earlier messages that it would be told of,
    /// and receives of its thread that are there already and would take `found` (MPI 4.1 section 3.8.1).
    pub(crate) fn before_probe(&self, gate: &Gate, found: OpIx) -> impl Iterator<Item = OpIx> + '_ {
        let Step::Probe { comm, at, source, tag, .. } = *self.step(gate) else { unreachable!("a probe") };
        let sends = self.earlier[found as usize].iter().copied();
        let sends = sends.filter(move |s| self.program.fits(*s, comm, at, source, tag));
        let (lane, step) = (gate.lane, gate.step);
        let before = move |r: &OpIx| {
            let op = &self.program.ops[*r as usize];
            op.lane == lane && op.step < step
        };
        sends.chain(self.fitting[found as usize].iter().copied().filter(before))
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
