//! Symmetry of receives: receives that take the same messages in any order are fixed before the search begins.
//!
//! A process that collects receives one message after the other from any source, and does nothing else in between. If
//! as many messages can match these receives as there are receives, and no earlier operation can take one of the
//! messages, then each message is received in the end, and nobody notices which receive takes which: each message is
//! received as soon as the process has come so far, and the process continues when all have arrived. So these
//! receives are equivalent to receives that name their messages, that all start at once and that one call waits for.
//! The solver gains much by this: it need not try the orders, of which there are n!.

use crate::mailboxes::{Mailboxes, Pattern};
use crate::order::Order;
use crate::program::Pair;
use crate::program::{Kind, Many, Mode, OpIx, Program, Step, Wait};
use crate::question::{Event, Witness};
use crate::wait_points::WaitPoints;
use rustc_hash::{FxHashMap, FxHashSet};

/// A program in which such receives name their messages, and the way back to the original program.
pub(crate) struct Reduced {
    pub(crate) program: Program,
    /// By thread: the new number of each step, and the old number of each new step.
    new: Vec<Vec<u32>>,
    old: Vec<Vec<u32>>,
    groups: Vec<Symmetric>,
}

/// Receives that take the same messages.
struct Symmetric {
    thread: u32,
    /// In the order in which they start.
    recvs: Vec<OpIx>,
    /// The step that waits for each of them; empty if one call waits for all of them.
    waits: Vec<u32>,
    /// The step that waits for the last one.
    end: u32,
}

/// Communicator and destination of messages.
type Place = (u32, u32);

/// The operations of all messages to one process.
#[derive(Default)]
struct Mailbox {
    sends: Vec<OpIx>,
    recvs: Vec<OpIx>,
    /// Each with its thread and step.
    probes: Vec<(u32, u32, Pattern)>,
}

/// Limit of comparisons: the solver decides what is left.
const MAX_WORK: usize = 20_000_000;

impl Reduced {
    /// Returns `None` if there are no such receives.
    pub(crate) fn new(program: &Program) -> Option<Reduced> {
        let mut boxes: FxHashMap<Place, Mailbox> = FxHashMap::default();
        for (i, op) in program.ops.iter().enumerate() {
            match op.kind {
                Kind::Send { comm, to, .. } => boxes.entry((comm, to)).or_default().sends.push(i as OpIx),
                Kind::Recv { comm, at, .. } => boxes.entry((comm, at)).or_default().recvs.push(i as OpIx),
                Kind::Part { .. } | Kind::Free => {}
            }
        }
        for (thread, steps) in program.threads.iter().enumerate() {
            for (step, what) in steps.iter().enumerate() {
                if let Step::Probe { comm, at, source, tag, .. } = *what {
                    boxes.entry((comm, at)).or_default().probes.push((thread as u32, step as u32, (source, tag)));
                }
            }
        }
        let all: Vec<Symmetric> =
            (0..program.threads.len() as u32).flat_map(|thread| candidates(program, thread)).collect();
        if all.is_empty() {
            return None;
        }
        let points = WaitPoints::new(program);
        let order = Order::new(program, &points, &Mailboxes::new(program).certain);
        let taken = vec![false; program.ops.len()];
        let mut check = SymmetryCheck { program, boxes, points, order, taken, work: 0 };
        let groups: Vec<Symmetric> = all.into_iter().filter(|group| check.is_symmetric(group)).collect();
        (!groups.is_empty()).then(|| Reduced::with(program, groups))
    }

    fn with(program: &Program, groups: Vec<Symmetric>) -> Reduced {
        let mut reduced = Reduced { program: program.clone(), new: Vec::new(), old: Vec::new(), groups: Vec::new() };
        for group in &groups {
            for recv in &group.recvs {
                reduced.name_message(*recv);
            }
        }
        for (thread, steps) in program.threads.iter().enumerate() {
            let of_thread = groups.iter().filter(|b| b.thread as usize == thread && !b.waits.is_empty());
            let (mut new, mut old, mut order) = (vec![0; steps.len()], Vec::new(), Vec::new());
            let mut at = 0;
            for group in of_thread {
                let (Some(first), Some(last)) = (group.waits.first(), group.waits.last()) else { continue };
                let (first, last) = (*first as usize - 1, *last as usize);
                for step in at..first {
                    new[step] = order.len() as u32;
                    order.push(steps[step].clone());
                    old.push(step as u32);
                }
                for recv in &group.recvs {
                    new[program.ops[*recv as usize].step as usize] = order.len() as u32;
                    order.push(Step::Start(*recv));
                    old.push(program.ops[*recv as usize].step);
                }
                group.waits.iter().for_each(|w| new[*w as usize] = order.len() as u32);
                order.push(Step::Wait(Wait { ops: group.recvs.clone(), many: Many::All, patient: true }));
                old.push(last as u32);
                at = last + 1;
            }
            for step in at..steps.len() {
                new[step] = order.len() as u32;
                order.push(steps[step].clone());
                old.push(step as u32);
            }
            reduced.program.threads[thread] = order;
            reduced.new.push(new);
            reduced.old.push(old);
        }
        for op in &mut reduced.program.ops {
            let new = &reduced.new[op.thread as usize];
            op.step = new[op.step as usize];
            if let Kind::Recv { steers: Some(steers), .. } = &mut op.kind {
                *steers = new.get(*steers as usize).copied().unwrap_or(u32::MAX);
            }
        }
        reduced.groups = groups;
        reduced
    }

    /// Lets the receive name the message that it got.
    fn name_message(&mut self, recv: OpIx) {
        let Kind::Recv { got: Some(got), .. } = self.program.ops[recv as usize].kind else { return };
        let Kind::Send { from, tag: sent, .. } = self.program.ops[got as usize].kind else { return };
        if let Kind::Recv { source, tag, .. } = &mut self.program.ops[recv as usize].kind {
            (*source, *tag) = (Some(from), Some(sent));
        }
    }

    /// Translates steps of the original program into steps of the reduced one.
    pub(crate) fn to_reduced(&self, steps: &[(u32, u32)]) -> Vec<(u32, u32)> {
        steps.iter().map(|(thread, step)| (*thread, self.new[*thread as usize][*step as usize])).collect()
    }

    /// Translates a way to a deadlock of the reduced program into one of the original program.
    pub(crate) fn to_original(&self, witness: Witness) -> Witness {
        let mut of_recv: FxHashMap<OpIx, usize> = FxHashMap::default();
        for (i, group) in self.groups.iter().enumerate() {
            of_recv.extend(group.recvs.iter().map(|r| (*r, i)));
        }
        let mut came = vec![0; self.groups.len()];
        for event in &witness.events {
            if let Event::Match { recv, .. } = event
                && let Some(group) = of_recv.get(recv)
            {
                came[*group] += 1;
            }
        }
        let is_full = |group: usize| came[group] == self.groups[group].recvs.len();
        let (mut events, mut matched) = (Vec::new(), vec![0; self.groups.len()]);
        for event in witness.events {
            match event {
                Event::Match { send, recv } => match of_recv.get(&recv).copied().filter(|group| !is_full(*group)) {
                    // The first receive that is free takes the message.
                    Some(b) => {
                        let group = &self.groups[b];
                        events.push(Event::Match { send, recv: group.recvs[matched[b]] });
                        events.extend(
                            group.waits.get(matched[b]).map(|step| Event::Pass { thread: group.thread, step: *step }),
                        );
                        matched[b] += 1;
                    }
                    None => events.push(event),
                },
                Event::Pass { thread, step } => {
                    let step = self.old[thread as usize][step as usize];
                    let is_last = |b: &&Symmetric| b.thread == thread && b.waits.last() == Some(&step);
                    match self.groups.iter().find(is_last) {
                        Some(group) => events.extend(group.waits.iter().map(|w| Event::Pass { thread, step: *w })),
                        None => events.push(Event::Pass { thread, step }),
                    }
                }
            }
        }
        let stuck = witness.stuck.iter().enumerate().map(|(thread, step)| {
            let step = self.old[thread][(*step)? as usize];
            let is_last =
                |b: &usize| self.groups[*b].thread as usize == thread && self.groups[*b].waits.last() == Some(&step);
            let group = (0..self.groups.len()).find(is_last);
            group.map_or(Some(step), |b| self.groups[b].waits.get(matched[b]).copied())
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

/// Receives of one thread with the same arguments, between which the thread does nothing that may have to wait.
fn candidates(program: &Program, thread: u32) -> Vec<Symmetric> {
    let steps = &program.threads[thread as usize];
    let mut groups = Vec::new();
    let mut at = 0;
    while at < steps.len() {
        let found = one_by_one(program, thread, at).or_else(|| all_at_once(program, thread, at));
        let Some((group, next)) = found else {
            at += 1;
            continue;
        };
        at = next;
        groups.push(group);
    }
    groups
}

/// Finds receives of which each is waited for before the next one starts. Also returns the step behind them.
fn one_by_one(program: &Program, thread: u32, from: usize) -> Option<(Symmetric, usize)> {
    let steps = &program.threads[thread as usize];
    let unit = |at: usize| match (steps.get(at), steps.get(at + 1)) {
        (Some(Step::Start(op)), Some(Step::Wait(Wait { ops, many: Many::All, patient: true }))) if ops[..] == [*op] => {
            Some((*op, pattern(program, *op)?))
        }
        _ => None,
    };
    let (first, wanted) = unit(from)?;
    let (mut group, mut at) =
        (Symmetric { thread, recvs: vec![first], waits: vec![from as u32 + 1], end: 0 }, from + 2);
    while let Some((recv, _)) = unit(at).filter(|u| u.1 == wanted) {
        group.recvs.push(recv);
        group.waits.push(at as u32 + 1);
        at += 2;
    }
    group.end = at as u32 - 1;
    (group.recvs.len() > 1).then_some((group, at))
}

/// Finds receives that start one after the other and that one call waits for. Also returns the step behind the
/// starts.
fn all_at_once(program: &Program, thread: u32, from: usize) -> Option<(Symmetric, usize)> {
    let steps = &program.threads[thread as usize];
    let start = |at: usize| match steps.get(at) {
        Some(Step::Start(op)) => Some((*op, pattern(program, *op)?)),
        _ => None,
    };
    let (first, wanted) = start(from)?;
    let (mut group, mut at) = (Symmetric { thread, recvs: vec![first], waits: Vec::new(), end: 0 }, from + 1);
    while let Some((recv, _)) = start(at).filter(|s| s.1 == wanted) {
        group.recvs.push(recv);
        at += 1;
    }
    let mine: FxHashSet<OpIx> = group.recvs.iter().copied().collect();
    let of_mine = |w: &Wait| w.ops.iter().filter(|op| mine.contains(op)).count();
    let mut waits = steps.iter().enumerate().skip(at).filter_map(|(step, what)| match what {
        Step::Wait(w) => Some((step, w, of_mine(w))).filter(|w| w.2 > 0),
        _ => None,
    });
    let (Some((end, wait, count)), None) = (waits.next(), waits.next()) else { return None };
    group.end = end as u32;
    (mine.len() > 1 && wait.many == Many::All && count == mine.len()).then_some((group, at))
}

/// Decides, in the order of the receives, which of them are symmetric.
struct SymmetryCheck<'a> {
    program: &'a Program,
    boxes: FxHashMap<Place, Mailbox>,
    points: WaitPoints,
    order: Order,
    /// By operation: it belongs to receives that are symmetric.
    taken: Vec<bool>,
    work: usize,
}

impl SymmetryCheck<'_> {
    /// Can no earlier operation take their messages, and is there one message for each receive, all alike?
    fn is_symmetric(&mut self, group: &Symmetric) -> bool {
        let messages = self.messages(group);
        if messages.len() != group.recvs.len() || !self.are_alike(&messages) || !self.are_theirs(group, &messages) {
            return false;
        }
        messages.iter().chain(&group.recvs).for_each(|op| self.taken[*op as usize] = true);
        true
    }

    /// The messages that these receives can take.
    fn messages(&mut self, group: &Symmetric) -> Vec<OpIx> {
        let (Some(first), Some(last)) = (group.recvs.first(), group.recvs.last()) else { return Vec::new() };
        let Some((place, (source, tag))) = pattern(self.program, *first) else { return Vec::new() };
        let Some(mailbox) = self.boxes.get(&place).filter(|_| self.work <= MAX_WORK) else { return Vec::new() };
        self.work += mailbox.sends.len() + mailbox.recvs.len();
        let over = |one: OpIx, other: OpIx| self.order.is_over_before(self.program, &self.points, one, other);
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

    /// All the messages are gone when these receives are complete. Can no other receive or probe take or see one of
    /// them before that?
    fn are_theirs(&mut self, group: &Symmetric, sends: &[OpIx]) -> bool {
        let place = group.recvs.first().and_then(|r| pattern(self.program, *r)).map(|p| p.0);
        let Some((place, mailbox)) = place.and_then(|p| Some((p, self.boxes.get(&p)?))) else { return false };
        let mine: FxHashSet<OpIx> = group.recvs.iter().copied().collect();
        let is_behind = |thread: u32, step: u32| thread == group.thread && step > group.end;
        let wanted = |p: Pattern, send: OpIx| self.program.fits(send, place.0, place.1, p.0, p.1);
        for recv in mailbox.recvs.iter().filter(|r| !mine.contains(r) && !self.taken[**r as usize]) {
            let op = &self.program.ops[*recv as usize];
            let Kind::Recv { source, tag, .. } = op.kind else { continue };
            if is_behind(op.thread, op.step) {
                continue;
            }
            self.work += sends.len();
            let apart = |send| self.order.keeps_apart(self.program, &self.points, Pair { send, recv: *recv });
            if sends.iter().any(|send| wanted((source, tag), *send) && !apart(*send)) {
                return false;
            }
        }
        let mut probes = mailbox.probes.iter().filter(|p| !is_behind(p.0, p.1));
        !probes.any(|(_, _, pattern)| sends.iter().any(|send| wanted(*pattern, *send)))
    }
}
