//! Receives that take the same messages in any order: they are settled before anything is decided by search.
//!
//! A process that collects receives one message after the other from anybody, and does nothing else in between. If there are
//! as many messages that these receives can take as there are receives, and nothing before can take one of them, then each
//! of them is taken in the end, and which receive takes which makes no difference to anybody: whatever lies there is taken as
//! soon as the process has come so far, and the process goes on when all have come. So they are the same as receives that
//! name their messages, are all started at once and waited for together. To a solver the difference is large: it does not
//! try out the orders, of which there are n!.

use crate::explore::{Event, Witness};
use crate::gates::Gates;
use crate::layout::Pair;
use crate::mailboxes::{Mailboxes, Pattern};
use crate::order::Order;
use crate::program::{Kind, Many, Mode, OpIx, Program, Step, Wait};
use rustc_hash::{FxHashMap, FxHashSet};

/// A program without such receives, and the way back.
pub(crate) struct Settled {
    pub(crate) program: Program,
    /// By thread: what became of each step, and what each step was.
    new: Vec<Vec<u32>>,
    old: Vec<Vec<u32>>,
    bags: Vec<Bag>,
}

/// Receives that take the same messages.
struct Bag {
    lane: u32,
    /// In their order.
    recvs: Vec<OpIx>,
    /// The steps in which each is waited for; empty if one call waits for all of them.
    waits: Vec<u32>,
    /// The step in which the last one is waited for.
    end: u32,
}

/// Communicator and process of messages.
type Place = (u32, u32);

/// What goes to a process.
#[derive(Default)]
struct Mailbox {
    sends: Vec<OpIx>,
    recvs: Vec<OpIx>,
    /// With thread and step.
    probes: Vec<(u32, u32, Pattern)>,
}

/// Comparisons that are made before the rest is left to the solver.
const MOST_WORK: usize = 20_000_000;

impl Settled {
    /// `None`: there are no such receives.
    pub(crate) fn new(program: &Program) -> Option<Settled> {
        let mut boxes: FxHashMap<Place, Mailbox> = FxHashMap::default();
        for (i, op) in program.ops.iter().enumerate() {
            match op.kind {
                Kind::Send { comm, to, .. } => boxes.entry((comm, to)).or_default().sends.push(i as OpIx),
                Kind::Recv { comm, at, .. } => boxes.entry((comm, at)).or_default().recvs.push(i as OpIx),
                Kind::Part { .. } | Kind::Free => {}
            }
        }
        for (lane, steps) in program.lanes.iter().enumerate() {
            for (step, what) in steps.iter().enumerate() {
                if let Step::Probe { comm, at, source, tag, .. } = *what {
                    boxes.entry((comm, at)).or_default().probes.push((lane as u32, step as u32, (source, tag)));
                }
            }
        }
        let all: Vec<Bag> = (0..program.lanes.len() as u32).flat_map(|lane| candidates(program, lane)).collect();
        if all.is_empty() {
            return None;
        }
        let gates = Gates::new(program);
        let order = Order::new(program, &gates, &Mailboxes::new(program).certain);
        let taken = vec![false; program.ops.len()];
        let mut judge = Judge { program, boxes, gates, order, taken, work: 0 };
        let bags: Vec<Bag> = all.into_iter().filter(|bag| judge.is_settled(bag)).collect();
        (!bags.is_empty()).then(|| Settled::with(program, bags))
    }

    fn with(program: &Program, bags: Vec<Bag>) -> Settled {
        let mut settled = Settled { program: program.clone(), new: Vec::new(), old: Vec::new(), bags: Vec::new() };
        for bag in &bags {
            for recv in &bag.recvs {
                settled.name_message(*recv);
            }
        }
        for (lane, steps) in program.lanes.iter().enumerate() {
            let of_lane = bags.iter().filter(|b| b.lane as usize == lane && !b.waits.is_empty());
            let (mut new, mut old, mut order) = (vec![0; steps.len()], Vec::new(), Vec::new());
            let mut at = 0;
            for bag in of_lane {
                let (Some(first), Some(last)) = (bag.waits.first(), bag.waits.last()) else { continue };
                let (first, last) = (*first as usize - 1, *last as usize);
                for step in at..first {
                    new[step] = order.len() as u32;
                    order.push(steps[step].clone());
                    old.push(step as u32);
                }
                for recv in &bag.recvs {
                    new[program.ops[*recv as usize].step as usize] = order.len() as u32;
                    order.push(Step::Start(*recv));
                    old.push(program.ops[*recv as usize].step);
                }
                bag.waits.iter().for_each(|w| new[*w as usize] = order.len() as u32);
                order.push(Step::Wait(Wait { ops: bag.recvs.clone(), many: Many::All, patient: true }));
                old.push(last as u32);
                at = last + 1;
            }
            for step in at..steps.len() {
                new[step] = order.len() as u32;
                order.push(steps[step].clone());
                old.push(step as u32);
            }
            settled.program.lanes[lane] = order;
            settled.new.push(new);
            settled.old.push(old);
        }
        for op in &mut settled.program.ops {
            let new = &settled.new[op.lane as usize];
            op.step = new[op.step as usize];
            if let Kind::Recv { steers: Some(steers), .. } = &mut op.kind {
                *steers = new.get(*steers as usize).copied().unwrap_or(u32::MAX);
            }
        }
        settled.bags = bags;
        settled
    }

    /// The receive asks for the message that it got.
    fn name_message(&mut self, recv: OpIx) {
        let Kind::Recv { got: Some(got), .. } = self.program.ops[recv as usize].kind else { return };
        let Kind::Send { from, tag: sent, .. } = self.program.ops[got as usize].kind else { return };
        if let Kind::Recv { source, tag, .. } = &mut self.program.ops[recv as usize].kind {
            (*source, *tag) = (Some(from), Some(sent));
        }
    }

    /// The same threads and steps in the settled program.
    pub(crate) fn there(&self, steps: &[(u32, u32)]) -> Vec<(u32, u32)> {
        steps.iter().map(|(lane, step)| (*lane, self.new[*lane as usize][*step as usize])).collect()
    }

    /// A way to a deadlock of the settled program in terms of the first one.
    pub(crate) fn back(&self, witness: Witness) -> Witness {
        let mut of_recv: FxHashMap<OpIx, usize> = FxHashMap::default();
        for (i, bag) in self.bags.iter().enumerate() {
            of_recv.extend(bag.recvs.iter().map(|r| (*r, i)));
        }
        let mut came = vec![0; self.bags.len()];
        for event in &witness.events {
            if let Event::Meet { recv, .. } = event
                && let Some(bag) = of_recv.get(recv)
            {
                came[*bag] += 1;
            }
        }
        let is_full = |bag: usize| came[bag] == self.bags[bag].recvs.len();
        let (mut events, mut met) = (Vec::new(), vec![0; self.bags.len()]);
        for event in witness.events {
            match event {
                Event::Meet { send, recv } => match of_recv.get(&recv).copied().filter(|bag| !is_full(*bag)) {
                    // What comes is taken by the first that is free.
                    Some(b) => {
                        let bag = &self.bags[b];
                        events.push(Event::Meet { send, recv: bag.recvs[met[b]] });
                        events.extend(bag.waits.get(met[b]).map(|step| Event::Pass { lane: bag.lane, step: *step }));
                        met[b] += 1;
                    }
                    None => events.push(event),
                },
                Event::Pass { lane, step } => {
                    let step = self.old[lane as usize][step as usize];
                    let is_last = |b: &&Bag| b.lane == lane && b.waits.last() == Some(&step);
                    match self.bags.iter().find(is_last) {
                        Some(bag) => events.extend(bag.waits.iter().map(|w| Event::Pass { lane, step: *w })),
                        None => events.push(Event::Pass { lane, step }),
                    }
                }
            }
        }
        let stuck = witness.stuck.iter().enumerate().map(|(lane, step)| {
            let step = self.old[lane][(*step)? as usize];
            let is_last = |b: &usize| self.bags[*b].lane as usize == lane && self.bags[*b].waits.last() == Some(&step);
            let bag = (0..self.bags.len()).find(is_last);
            bag.map_or(Some(step), |b| self.bags[b].waits.get(met[b]).copied())
        });
        let stuck = stuck.collect();
        Witness { events, stuck }
    }
}

fn pattern(program: &Program, recv: OpIx) -> Option<(Place, Pattern)> {
    match program.ops[recv as usize].kind {
        Kind::Recv { comm, at, source, tag, got: Some(_), steers: None } if source.is_none() || tag.is_none() => {
            Some(((comm, at), (source, tag)))
        }
        _ => None,
    }
}

/// Receives of a thread that ask for the same, and between which it does nothing that may have to wait.
fn candidates(program: &Program, lane: u32) -> Vec<Bag> {
    let steps = &program.lanes[lane as usize];
    let mut bags = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let found = one_by_one(program, lane, at).or_else(|| all_at_once(program, lane, at));
        let Some((bag, next)) = found else {
            at += 1;
            continue;
        };
        at = next;
        bags.push(bag);
    }
    bags
}

/// Each receive is waited for before the next one starts. With the step behind them.
fn one_by_one(program: &Program, lane: u32, from: usize) -> Option<(Bag, usize)> {
    let steps = &program.lanes[lane as usize];
    let unit = |at: usize| match (steps.get(at), steps.get(at + 1)) {
        (Some(Step::Start(op)), Some(Step::Wait(Wait { ops, many: Many::All, patient: true }))) if ops[..] == [*op] => {
            Some((*op, pattern(program, *op)?))
        }
        _ => None,
    };
    let (first, wanted) = unit(from)?;
    let (mut bag, mut at) = (Bag { lane, recvs: vec![first], waits: vec![from as u32 + 1], end: 0 }, from + 2);
    while let Some((recv, _)) = unit(at).filter(|u| u.1 == wanted) {
        bag.recvs.push(recv);
        bag.waits.push(at as u32 + 1);
        at += 2;
    }
    bag.end = at as u32 - 1;
    (bag.recvs.len() > 1).then_some((bag, at))
}

/// They are started one after the other, and one call waits for all of them. With the step behind the starts.
fn all_at_once(program: &Program, lane: u32, from: usize) -> Option<(Bag, usize)> {
    let steps = &program.lanes[lane as usize];
    let start = |at: usize| match steps.get(at) {
        Some(Step::Start(op)) => Some((*op, pattern(program, *op)?)),
        _ => None,
    };
    let (first, wanted) = start(from)?;
    let (mut bag, mut at) = (Bag { lane, recvs: vec![first], waits: Vec::new(), end: 0 }, from + 1);
    while let Some((recv, _)) = start(at).filter(|s| s.1 == wanted) {
        bag.recvs.push(recv);
        at += 1;
    }
    let mine: FxHashSet<OpIx> = bag.recvs.iter().copied().collect();
    let of_mine = |w: &Wait| w.ops.iter().filter(|op| mine.contains(op)).count();
    let mut waits = steps.iter().enumerate().skip(at).filter_map(|(step, what)| match what {
        Step::Wait(w) => Some((step, w, of_mine(w))).filter(|w| w.2 > 0),
        _ => None,
    });
    let (Some((end, wait, count)), None) = (waits.next(), waits.next()) else { return None };
    bag.end = end as u32;
    (mine.len() > 1 && wait.many == Many::All && count == mine.len()).then_some((bag, at))
}

/// Finds out which receives are settled, in their order.
struct Judge<'a> {
    program: &'a Program,
    boxes: FxHashMap<Place, Mailbox>,
    gates: Gates,
    order: Order,
    /// By operation: it belongs to receives that are settled.
    taken: Vec<bool>,
    work: usize,
}

impl Judge<'_> {
    /// Can nothing before take what they take, and is there one message for each, all alike?
    fn is_settled(&mut self, bag: &Bag) -> bool {
        let messages = self.messages(bag);
        if messages.len() != bag.recvs.len() || !self.are_alike(&messages) || !self.are_theirs(bag, &messages) {
            return false;
        }
        messages.iter().chain(&bag.recvs).for_each(|op| self.taken[*op as usize] = true);
        true
    }

    /// What they can take.
    fn messages(&mut self, bag: &Bag) -> Vec<OpIx> {
        let (Some(first), Some(last)) = (bag.recvs.first(), bag.recvs.last()) else { return Vec::new() };
        let Some((place, (source, tag))) = pattern(self.program, *first) else { return Vec::new() };
        let Some(mailbox) = self.boxes.get(&place).filter(|_| self.work <= MOST_WORK) else { return Vec::new() };
        self.work += mailbox.sends.len() + mailbox.recvs.len();
        let over = |one: OpIx, other: OpIx| self.order.is_over_before(self.program, &self.gates, one, other);
        let synchronous =
            |op: OpIx| matches!(self.program.ops[op as usize].kind, Kind::Send { mode: Mode::Synchronous, .. });
        let too_late = |send: OpIx| over(*last, send) || synchronous(send) && over(send, *first);
        let fits = |send: OpIx| self.program.fits(send, place.0, place.1, source, tag);
        let can = |send: &OpIx| !self.taken[*send as usize] && fits(*send) && !too_late(*send);
        mailbox.sends.iter().copied().filter(can).collect()
    }

    fn are_alike(&self, sends: &[OpIx]) -> bool {
        let look = |send: OpIx| match self.program.ops[send as usize].kind {
            Kind::Send { tag, bytes, .. } => Some((tag, bytes)),
            _ => None,
        };
        sends.windows(2).all(|pair| look(pair[0]) == look(pair[1]))
    }

    /// When these receives are over, all the messages are gone. Can nobody take or see one of them before?
    fn are_theirs(&mut self, bag: &Bag, sends: &[OpIx]) -> bool {
        let place = bag.recvs.first().and_then(|r| pattern(self.program, *r)).map(|p| p.0);
        let Some((place, mailbox)) = place.and_then(|p| Some((p, self.boxes.get(&p)?))) else { return false };
        let mine: FxHashSet<OpIx> = bag.recvs.iter().copied().collect();
        let is_behind = |lane: u32, step: u32| lane == bag.lane && step > bag.end;
        let wanted = |p: Pattern, send: OpIx| self.program.fits(send, place.0, place.1, p.0, p.1);
        for recv in mailbox.recvs.iter().filter(|r| !mine.contains(r) && !self.taken[**r as usize]) {
            let op = &self.program.ops[*recv as usize];
            let Kind::Recv { source, tag, .. } = op.kind else { continue };
            if is_behind(op.lane, op.step) {
                continue;
            }
            self.work += sends.len();
            let apart = |send| self.order.keeps_apart(self.program, &self.gates, Pair { send, recv: *recv });
            if sends.iter().any(|send| wanted((source, tag), *send) && !apart(*send)) {
                return false;
            }
        }
        let mut probes = mailbox.probes.iter().filter(|p| !is_behind(p.0, p.1));
        !probes.any(|(_, _, pattern)| sends.iter().any(|send| wanted(*pattern, *send)))
    }
}
