//! Who waits for whom, and who can never go on. A rank is blocked when its open call cannot complete from what was
//! fed; its condition is a tree of AND (Waitall, collectives) and OR (Waitany, wildcards) over other ranks.

use super::collective::{Needs, View, needs, neighbors, what};
use super::comms::{Comm, CommIx};
use super::facts::{Origin, Site, rank_list};
use super::p2p::{OpId, OpKind, Outlook};
use super::replay::{Bridge, Entered, given_requests};
use super::requests::Request;
use super::shape::shape;
use super::{Model, OpenCall};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use trace_format::call::special::{ANY_SOURCE, ANY_TAG, PROC_NULL, ROOT};
use trace_format::mpi::{Class, Coll, Many, SendMode, Start};

/// Why a rank waits for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// It must send (tag).
    Send(i32),
    /// It must receive (tag).
    Receive(i32),
    /// It must call the collective.
    Collective,
}

/// When a blocked rank can go on.
#[derive(Debug, Clone)]
pub(crate) enum Cond {
    /// It can.
    Free,
    /// When that rank can. Not certain: the call may also return by itself.
    On {
        rank: i32,
        certain: bool,
        why: Why,
    },
    All(Vec<Cond>),
    Any(Vec<Cond>),
    /// In a collective that is wrong in itself: nobody can tell.
    Bad,
    /// Something that mpivet does not see may help (another thread).
    Perhaps,
}

/// One rank of the graph.
pub(crate) enum Vertex {
    /// Can go on, or nothing says that it cannot.
    Running,
    /// Will do nothing any more.
    Finished,
    Blocked {
        cond: Cond,
        /// The calls it is blocked in, one a thread.
        calls: Vec<Arc<Origin>>,
        /// Operations that it waits for and that were started elsewhere.
        awaited: Vec<Site>,
    },
}

/// Assumptions when conditions are evaluated.
#[derive(Clone, Copy)]
struct Assume {
    /// What is uncertain helps.
    uncertain: bool,
    /// Wrong collectives return.
    bad: bool,
}

/// What is known of a rank from outside of its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Watch {
    /// Nothing.
    Unwatched,
    /// Somebody looks, or has looked, what its threads do that are in no MPI call, and whether its calls return by
    /// themselves.
    Watched,
    /// As [`Watch::Unwatched`], while others are watched: whatever may help this rank does.
    Trusted,
    /// It can go on.
    Running,
}

pub(crate) struct Graph {
    pub(crate) vertices: Vec<Vertex>,
}

/// Outlooks of mailboxes, made when needed.
struct Outlooks<'a> {
    model: &'a Model,
    made: FxHashMap<(CommIx, i32), Outlook>,
}

impl Outlooks<'_> {
    fn get(&mut self, comm: CommIx, dest: i32) -> Option<&Outlook> {
        let mailbox = self.model.comms.list[comm as usize].boxes.get(&dest)?;
        Some(self.made.entry((comm, dest)).or_insert_with(|| mailbox.outlook()))
    }
}

impl Graph {
    /// `watch`: what is known of each rank.
    pub(crate) fn of(model: &Model, watch: impl Fn(i32) -> Watch) -> Graph {
        let mut outlooks = Outlooks { model, made: FxHashMap::default() };
        let one = |rank: i32| {
            let watch = watch(rank);
            let mut vertex = vertex(model, &mut outlooks, rank, watch == Watch::Watched);
            match (&mut vertex, watch) {
                (Vertex::Blocked { .. }, Watch::Running) => vertex = Vertex::Running,
                (Vertex::Blocked { cond, .. }, Watch::Trusted) => trust(cond),
                _ => {}
            }
            vertex
        };
        let vertices = (0..model.ranks.len() as i32).map(one).collect();
        Graph { vertices }
    }

    /// Ranks that can never go on, ascending. `certain`: only those for whom no uncertainty could help.
    pub(crate) fn dead(&self, certain: bool) -> Vec<i32> {
        self.stay(Assume { uncertain: certain, bad: false }, |_| None)
    }

    /// The same without those whom only a wrong collective holds.
    pub(crate) fn dead_apart_from_bad(&self, certain: bool) -> Vec<i32> {
        self.stay(Assume { uncertain: certain, bad: true }, |_| None)
    }

    /// Those who stay blocked when the fate of some ranks is given.
    fn stay(&self, assume: Assume, given: impl Fn(i32) -> Option<bool>) -> Vec<i32> {
        let mut free: Vec<bool> = Vec::with_capacity(self.vertices.len());
        for (i, v) in self.vertices.iter().enumerate() {
            free.push(given(i as i32).unwrap_or(matches!(v, Vertex::Running)));
        }
        let mut blocked: Vec<usize> = (0..self.vertices.len())
            .filter(|i| given(*i as i32).is_none() && matches!(self.vertices[*i], Vertex::Blocked { .. }))
            .collect();
        loop {
            let before = blocked.len();
            blocked.retain(|i| {
                let Vertex::Blocked { cond, .. } = &self.vertices[*i] else { return false };
                let goes = eval(cond, &free, assume);
                free[*i] |= goes;
                !goes
            });
            if blocked.len() == before {
                return blocked.into_iter().map(|i| i as i32).collect();
            }
        }
    }

    /// Those of the dead ranks whose call may return by itself.
    pub(crate) fn may_return(&self, dead: &[i32]) -> Vec<i32> {
        let mut free: Vec<bool> = self.vertices.iter().map(|v| !matches!(v, Vertex::Finished)).collect();
        dead.iter().for_each(|r| free[*r as usize] = false);
        let assume = Assume { uncertain: true, bad: true };
        dead.iter().copied().filter(|r| self.cond(*r).is_none_or(|c| eval(c, &free, assume))).collect()
    }

    /// Those who cannot go on without these ranks, whatever all others do.
    pub(crate) fn needs(&self, ranks: &[i32]) -> Vec<i32> {
        let mut free = vec![true; self.vertices.len()];
        ranks.iter().for_each(|r| free[*r as usize] = false);
        let assume = Assume { uncertain: true, bad: true };
        let all = 0..self.vertices.len() as i32;
        all.filter(|r| self.cond(*r).is_some_and(|c| !eval(c, &free, assume))).collect()
    }

    pub(crate) fn cond(&self, rank: i32) -> Option<&Cond> {
        match &self.vertices[rank as usize] {
            Vertex::Blocked { cond, .. } => Some(cond),
            _ => None,
        }
    }

    pub(crate) fn calls(&self, rank: i32) -> &[Arc<Origin>] {
        match &self.vertices[rank as usize] {
            Vertex::Blocked { calls, .. } => calls,
            _ => &[],
        }
    }

    pub(crate) fn awaited(&self, rank: i32) -> &[Site] {
        match &self.vertices[rank as usize] {
            Vertex::Blocked { awaited, .. } => awaited,
            _ => &[],
        }
    }

    /// Ranks that `rank` waits for, ascending, with the reason.
    pub(crate) fn waits_for(&self, rank: i32) -> Vec<(i32, Why)> {
        let mut all = Vec::new();
        if let Some(cond) = self.cond(rank) {
            leaves(cond, &mut all);
        }
        // Processes outside the world are nobody's business.
        all.retain(|l| usize::try_from(l.0).is_ok_and(|r| r < self.vertices.len()));
        all.sort_by_key(|l| l.0);
        all.dedup_by_key(|l| l.0);
        all
    }

    /// What `rank` waits for, in words.
    pub(crate) fn role(&self, rank: i32) -> String {
        let waits = self.waits_for(rank);
        let ranks: Vec<i32> = waits.iter().map(|w| w.0).collect();
        if ranks.is_empty() {
            return "the waiting call".into();
        }
        let any = matches!(self.cond(rank), Some(Cond::Any(_))) && ranks.len() > 1;
        let who = if any { format!("any of {}", rank_list(&ranks)) } else { rank_list(&ranks) };
        let same = waits.iter().all(|w| w.1 == waits[0].1);
        let tag = |t: i32| if t == ANY_TAG { String::new() } else { format!(" with tag {t}") };
        match waits[0].1 {
            _ if !same => format!("waits for {who}"),
            Why::Send(t) => format!("waits for {who} to send a message{}", tag(t)),
            Why::Receive(t) => format!("waits for {who} to receive the message{}", tag(t)),
            Why::Collective => format!("waits for {who} to call it too"),
        }
    }

    /// Does the verdict on these ranks rest on a call that may also return by itself?
    pub(crate) fn is_uncertain(&self, ranks: &[i32]) -> bool {
        !self.may_return(ranks).is_empty()
    }

    /// What lies near the message that the rank waits for: one with another tag.
    pub(crate) fn hint(&self, model: &Model, rank: i32) -> Option<String> {
        for (from, why) in self.waits_for(rank) {
            let Why::Send(tag) = why else { continue };
            for comm in &model.comms.list {
                let Some(mailbox) = comm.boxes.get(&rank) else { continue };
                let mut near: Vec<_> = mailbox.candidates(from).collect();
                near.sort_unstable();
                if let Some(other) = near.into_iter().find(|t| *t != tag) {
                    return Some(format!("a message of rank {from} with tag {other} (not {tag}) was not received"));
                }
            }
        }
        None
    }

    /// What is wrong with the ranks that cannot go on.
    pub(crate) fn verdict(&self, certain: bool) -> Verdict {
        let assume = Assume { uncertain: certain, bad: true };
        let dead = self.dead_apart_from_bad(certain);
        let mut is_dead = vec![false; self.vertices.len()];
        dead.iter().for_each(|r| is_dead[*r as usize] = true);
        let finished = |r: i32| matches!(self.vertices[r as usize], Vertex::Finished);
        let mut verdict = Verdict::default();
        // Hang-ups: what a rank needs is a finished one, even if all others could go on.
        let mut hung = vec![false; self.vertices.len()];
        let others: Vec<bool> = self.vertices.iter().map(|v| !matches!(v, Vertex::Finished)).collect();
        for r in &dead {
            if self.cond(*r).is_some_and(|c| !eval(c, &others, assume)) {
                hung[*r as usize] = true;
                let needed = self.waits_for(*r).into_iter().map(|w| w.0).filter(|w| finished(*w)).collect();
                verdict.hang_ups.push((*r, needed));
            }
        }
        // Knots: parts of the graph that hold themselves.
        let components = self.components(&dead, &is_dead);
        let mut knotted = vec![false; self.vertices.len()];
        for helped in [true, false] {
            for part in &components {
                if part.iter().any(|r| knotted[*r as usize]) {
                    continue;
                }
                let inside = |r: i32| part.contains(&r);
                let stay = self.stay(assume, |r| if inside(r) { None } else { Some(helped || !finished(r)) });
                let stay: Vec<i32> =
                    if helped { stay } else { stay.into_iter().filter(|r| !hung[*r as usize]).collect() };
                let looped = stay.len() > 1 || stay.iter().any(|r| self.waits_for(*r).iter().any(|w| w.0 == *r));
                // What a hang-up holds is no knot of its own.
                if stay.is_empty() || !looped || !helped && part.iter().any(|r| hung[*r as usize]) {
                    continue;
                }
                stay.iter().for_each(|r| knotted[*r as usize] = true);
                let cycle = self.cycle(&stay);
                verdict.knots.push(Knot { ranks: stay, cycle });
            }
        }
        verdict.hang_ups.retain(|h| !knotted[h.0 as usize]);
        verdict.knots.sort_by(|a, b| a.ranks.cmp(&b.ranks));
        verdict.behind = dead.iter().copied().filter(|r| !knotted[*r as usize] && !hung[*r as usize]).collect();
        verdict.dead = self.dead(certain);
        verdict
    }

    /// Strongly connected components of the dead ranks' waits-for graph (Tarjan, without recursion).
    fn components(&self, dead: &[i32], is_dead: &[bool]) -> Vec<Vec<i32>> {
        let n = self.vertices.len();
        let next: Vec<Vec<i32>> = (0..n as i32)
            .map(|r| {
                let all = if is_dead[r as usize] { self.waits_for(r) } else { Vec::new() };
                all.into_iter().map(|w| w.0).filter(|w| is_dead[*w as usize]).collect()
            })
            .collect();
        let (mut index, mut low, mut on_stack) = (vec![usize::MAX; n], vec![0; n], vec![false; n]);
        let (mut stack, mut count, mut components) = (Vec::new(), 0, Vec::new());
        for root in dead {
            if index[*root as usize] != usize::MAX {
                continue;
            }
            let mut work = vec![(*root, 0usize)];
            while let Some((v, i)) = work.pop() {
                let u = v as usize;
                if i == 0 {
                    index[u] = count;
                    low[u] = count;
                    count += 1;
                    stack.push(v);
                    on_stack[u] = true;
                }
                match next[u].get(i) {
                    Some(w) => {
                        work.push((v, i + 1));
                        let w = *w as usize;
                        if index[w] == usize::MAX {
                            work.push((w as i32, 0));
                        } else if on_stack[w] {
                            low[u] = low[u].min(index[w]);
                        }
                    }
                    None => {
                        if low[u] == index[u] {
                            let at = stack.iter().rposition(|s| *s == v).unwrap_or(0);
                            let mut part = stack.split_off(at);
                            part.iter().for_each(|p| on_stack[*p as usize] = false);
                            part.sort_unstable();
                            components.push(part);
                        }
                        if let Some((parent, _)) = work.last() {
                            let p = *parent as usize;
                            low[p] = low[p].min(low[u]);
                        }
                    }
                }
            }
        }
        components
    }

    /// A shortest circle through the lowest rank that is on one.
    fn cycle(&self, ranks: &[i32]) -> Vec<i32> {
        for start in ranks {
            let mut from: FxHashMap<i32, i32> = FxHashMap::default();
            let mut queue = std::collections::VecDeque::from([*start]);
            while let Some(v) = queue.pop_front() {
                for (w, _) in self.waits_for(v) {
                    if w == *start {
                        let mut path = vec![v];
                        while let Some(p) = path.last().and_then(|l| from.get(l)) {
                            path.push(*p);
                        }
                        path.reverse();
                        return path;
                    }
                    if ranks.contains(&w) && !from.contains_key(&w) {
                        from.insert(w, v);
                        queue.push_back(w);
                    }
                }
            }
        }
        Vec::new()
    }
}

/// Ranks that hold each other.
#[derive(Debug, Clone)]
pub(crate) struct Knot {
    pub(crate) ranks: Vec<i32>,
    /// A circle among them, from the lowest rank on.
    pub(crate) cycle: Vec<i32>,
}

/// What is wrong with the ranks that cannot go on.
#[derive(Debug, Clone, Default)]
pub(crate) struct Verdict {
    pub(crate) knots: Vec<Knot>,
    /// A waiting rank, and the finished ones that it needs.
    pub(crate) hang_ups: Vec<(i32, Vec<i32>)>,
    /// Ranks that wait behind the others.
    pub(crate) behind: Vec<i32>,
    /// All that cannot go on.
    pub(crate) dead: Vec<i32>,
}

fn eval(cond: &Cond, free: &[bool], assume: Assume) -> bool {
    match cond {
        Cond::Free => true,
        Cond::On { rank, certain, .. } => !certain && assume.uncertain || free.get(*rank as usize).is_none_or(|f| *f),
        Cond::All(all) => all.iter().all(|c| eval(c, free, assume)),
        Cond::Any(any) => any.iter().any(|c| eval(c, free, assume)),
        Cond::Bad => assume.bad,
        Cond::Perhaps => assume.uncertain,
    }
}

/// What may help does.
fn trust(cond: &mut Cond) {
    match cond {
        Cond::On { certain: false, .. } | Cond::Perhaps => *cond = Cond::Free,
        Cond::All(all) | Cond::Any(all) => all.iter_mut().for_each(trust),
        Cond::On { .. } | Cond::Free | Cond::Bad => {}
    }
}

fn leaves(cond: &Cond, out: &mut Vec<(i32, Why)>) {
    match cond {
        Cond::On { rank, why, .. } => out.push((*rank, *why)),
        Cond::All(all) | Cond::Any(all) => all.iter().for_each(|c| leaves(c, out)),
        Cond::Free | Cond::Bad | Cond::Perhaps => {}
    }
}

fn vertex(model: &Model, outlooks: &mut Outlooks, rank: i32, watched: bool) -> Vertex {
    let r = &model.ranks[rank as usize];
    // A rank that failed, or of which not everything is known, holds nobody: what follows from it is not reported.
    let failed = r.abort.is_some() || r.errors.iter().any(|e| e.fatal);
    let crashed = r.signal.as_ref().is_some_and(|s| super::ending::is_crash(s.signal));
    if model.is_dim(rank) || failed || crashed {
        return Vertex::Running;
    }
    if r.exit.is_some() || r.finalize.is_some() && r.sessions == 0 {
        return Vertex::Finished;
    }
    let (mut conds, mut calls, mut awaited) = (Vec::new(), Vec::new(), Vec::new());
    for t in &r.threads {
        // A thread that is in no call may do anything; it may also have ended, or wait for the others.
        // A call from a callback is inside another one.
        let Some(open) = t.open.last() else {
            if watched && r.threads.len() > 1 {
                continue;
            }
            return Vertex::Running;
        };
        let cond = condition(model, outlooks, rank, open, &mut awaited);
        if matches!(cond, Cond::Free) {
            return Vertex::Running;
        }
        conds.push(cond);
        calls.push(open.origin.clone());
    }
    if conds.is_empty() {
        return Vertex::Running;
    }
    if r.multiple && !watched {
        // A thread that has not called MPI yet may have been about to.
        return Vertex::Running;
    }
    if r.multiple || calls.len() < r.threads.len() {
        conds.push(Cond::Perhaps);
    }
    let cond = if conds.len() == 1 { conds.remove(0) } else { Cond::Any(conds) };
    Vertex::Blocked { cond, calls, awaited }
}

/// When the open call can return.
fn condition(model: &Model, outlooks: &mut Outlooks, rank: i32, open: &OpenCall, awaited: &mut Vec<Site>) -> Cond {
    let Entered { send, recv, collective, target, bridge } = open.entered;
    let s = shape(open.origin.func);
    let op = |outlooks: &mut Outlooks, op: Option<OpId>| op.map_or(Cond::Free, |op| operation(model, outlooks, op));
    match s.class {
        Class::Send(..) => op(outlooks, send),
        Class::Recv(_) => op(outlooks, recv),
        Class::SendRecv(_) | Class::SendRecvReplace(_) => all(vec![op(outlooks, send), op(outlooks, recv)]),
        Class::Probe(_) | Class::Mprobe(_) => match target {
            Some(t) => {
                let there = outlooks.get(t.comm, rank).is_some_and(|o| o.has(t.peer, t.tag));
                if there { Cond::Free } else { message_from(model, t.comm, rank, t.peer, t.tag) }
            }
            None => Cond::Free,
        },
        Class::Collective(_, Start::Blocking) | Class::CommCreateGroup | Class::CommFromGroup => match collective {
            Some((comm, index, position)) => in_collective(model, comm, index, position),
            None => Cond::Free,
        },
        Class::IntercommCreate => {
            let Some((comm, index, position)) = collective else { return Cond::Free };
            match (in_collective(model, comm, index, position), bridge) {
                (Cond::Free, Some(Bridge::Leader { own, other, tag, nth })) => {
                    let made = model.bridges.get(&(own.min(other), own.max(other), tag));
                    let came = made.is_none_or(|m| m[usize::from(other > own)] >= nth);
                    if came { Cond::Free } else { Cond::On { rank: other, certain: true, why: Why::Collective } }
                }
                (Cond::Free, Some(Bridge::Led { leader })) => {
                    // Until the leader's call is over.
                    let parts = model.comms.list[comm as usize].space.get(index).map(|i| &i.parts);
                    let leader_in = parts.into_iter().flatten().flatten().any(|p| p.call.rank == leader && !p.done);
                    if leader_in { Cond::On { rank: leader, certain: true, why: Why::Collective } } else { Cond::Free }
                }
                (cond, _) => cond,
            }
        }
        Class::Wait(many) => {
            let (base, handles) = given_requests(&open.origin.ins, s);
            let requests = &model.ranks[rank as usize].requests;
            let mut conds = Vec::new();
            for i in 0..handles.len() {
                let request = requests.find_in(&handles, base, i).and_then(|id| requests.all.get(id));
                let Some(request) = request.filter(|r| r.active) else {
                    // Handles that mpivet does not know may be anything; null and inactive ones are complete.
                    if handles[i] != 0 && request.is_none() {
                        return Cond::Free;
                    }
                    continue;
                };
                let cond = of_request(model, outlooks, request);
                if !matches!(cond, Cond::Free) && awaited.len() < 4 {
                    let role = "started what is waited for";
                    awaited.push(Site::new(request.start.as_ref().unwrap_or(&request.origin), role));
                }
                conds.push(cond);
            }
            match many {
                _ if conds.is_empty() => Cond::Free,
                Many::One | Many::All => all(conds),
                Many::Any | Many::Some => any(conds),
            }
        }
        _ => Cond::Free,
    }
}

fn all(mut conds: Vec<Cond>) -> Cond {
    conds.retain(|c| !matches!(c, Cond::Free));
    match conds.len() {
        0 => Cond::Free,
        1 => conds.remove(0),
        _ => Cond::All(conds),
    }
}

fn any(mut conds: Vec<Cond>) -> Cond {
    if conds.iter().any(|c| matches!(c, Cond::Free)) {
        return Cond::Free;
    }
    if conds.len() == 1 { conds.remove(0) } else { Cond::Any(conds) }
}

fn of_request(model: &Model, outlooks: &mut Outlooks, request: &Request) -> Cond {
    if request.cancelled {
        return Cond::Free;
    }
    let ops = [request.send, request.recv];
    let mut conds: Vec<Cond> = ops.into_iter().flatten().map(|op| operation(model, outlooks, op)).collect();
    if let Some((comm, index, position)) = request.collective {
        conds.push(in_collective(model, comm, index, position));
    }
    all(conds)
}

/// When a send or receive can complete.
fn operation(model: &Model, outlooks: &mut Outlooks, op: OpId) -> Cond {
    let Some(o) = model.ops.get(op) else { return Cond::Free };
    if o.matched {
        return Cond::Free;
    }
    match o.kind {
        OpKind::Recv => {
            if outlooks.get(o.comm, o.rank).is_some_and(|look| look.served.contains(&op)) {
                return Cond::Free;
            }
            message_from(model, o.comm, o.rank, o.peer, o.tag)
        }
        OpKind::Send(SendMode::Buffered) => Cond::Free,
        OpKind::Send(mode) => {
            let lane = (o.rank, o.tag);
            if outlooks.get(o.comm, o.peer).is_some_and(|l| l.served.contains(&op) || l.is_unsure(lane)) {
                return Cond::Free;
            }
            let comm = &model.comms.list[o.comm as usize];
            if comm.is_foreign() {
                return Cond::Free;
            }
            if comm.made_wrongly {
                return Cond::Bad;
            }
            Cond::On { rank: o.peer, certain: mode == SendMode::Synchronous, why: Why::Receive(o.tag) }
        }
    }
}

/// A message that nobody has sent yet.
fn message_from(model: &Model, comm: CommIx, rank: i32, source: i32, tag: i32) -> Cond {
    if model.comms.list[comm as usize].is_foreign() {
        return Cond::Free;
    }
    if model.comms.list[comm as usize].made_wrongly {
        return Cond::Bad;
    }
    if source != ANY_SOURCE {
        return Cond::On { rank: source, certain: true, why: Why::Send(tag) };
    }
    let comm = &model.comms.list[comm as usize];
    let peers = comm.position(rank).map(|p| comm.peers(p));
    let others = peers.into_iter().flat_map(|g| g.iter()).filter(|r| *r != rank);
    let conds: Vec<Cond> = others.map(|r| Cond::On { rank: r, certain: true, why: Why::Send(tag) }).collect();
    if conds.is_empty() {
        // Alone in the communicator, and nothing sent to itself.
        return Cond::On { rank, certain: true, why: Why::Send(tag) };
    }
    any(conds)
}

/// When the part of the process at `position` in a collective can complete.
fn in_collective(model: &Model, comm: CommIx, index: u64, position: u32) -> Cond {
    let c = &model.comms.list[comm as usize];
    let Some(instance) = c.space.get(index) else { return Cond::Free };
    let Some(mine) = instance.parts.get(position as usize).and_then(Option::as_ref) else { return Cond::Free };
    let kind = what(mine.call.func);
    if c.is_foreign() {
        return Cond::Free;
    }
    if instance.bad || c.spoiled || instance.parts.iter().flatten().any(|p| what(p.call.func) != kind) {
        return Cond::Bad;
    }
    if instance.arrived as usize == instance.parts.len() || c.space.tangled {
        return Cond::Free;
    }
    let me = View { rank: mine.call.rank, position, call: &mine.call };
    let missing = || (0..instance.parts.len() as u32).filter(|p| instance.parts[*p as usize].is_none());
    let on = |p: u32, certain: bool| Cond::On { rank: c.member(p), certain, why: Why::Collective };
    let mut certain: Vec<Cond> = Vec::new();
    match needs(kind) {
        Needs::All => certain.extend(missing().filter(|p| exchanges(model, c, &me, *p)).map(|p| on(p, true))),
        Needs::RootNeedsAll if is_root(c, &me) => {
            certain
                .extend(missing().filter(|p| is_peer(c, &me, *p) && exchanges(model, c, &me, *p)).map(|p| on(p, true)));
        }
        Needs::AllNeedRoot if !is_root(c, &me) => {
            let root = root_position(c, &me).filter(|p| instance.parts[*p as usize].is_none());
            certain.extend(root.filter(|p| exchanges(model, c, &me, *p)).map(|p| on(p, true)));
        }
        Needs::Lower => {
            certain.extend(missing().filter(|p| *p < position && exchanges(model, c, &me, *p)).map(|p| on(p, true)));
        }
        _ => {}
    }
    if !certain.is_empty() {
        return all(certain);
    }
    if let Some(neighbors) = neighbors(model, &me) {
        let among = |list: &[i32]| -> Vec<u32> {
            let mut all: Vec<u32> = list.iter().filter_map(|p| u32::try_from(*p).ok()).collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|p| instance.parts.get(*p as usize).is_some_and(Option::is_none));
            all
        };
        let uniform = me.recv().is_uniform() && me.recv().amount(model, 0).is_some_and(|a| a.reps != 0);
        let sources = among(&neighbors.sources);
        let mut conds: Vec<Cond> = sources.into_iter().map(|p| on(p, uniform)).collect();
        if !uniform || conds.is_empty() {
            conds.extend(among(&neighbors.destinations).into_iter().map(|p| on(p, false)));
        }
        return all(conds);
    }
    let others: Vec<Cond> = missing().map(|p| on(p, false)).collect();
    match kind {
        // Only neighbours count, and nobody said which are.
        super::collective::What::Coll(
            Coll::NeighborAllgather
            | Coll::NeighborAllgatherv
            | Coll::NeighborAlltoall
            | Coll::NeighborAlltoallv
            | Coll::NeighborAlltoallw,
        ) => any(others),
        _ => all(others),
    }
}

fn is_peer(c: &Comm, me: &View, other: u32) -> bool {
    let low = c.a.len();
    c.b.is_none() || (me.position < low) != (other < low)
}

fn is_root(c: &Comm, me: &View) -> bool {
    match me.root() {
        Some(ROOT) => true,
        // Takes part in name only.
        Some(PROC_NULL) => false,
        Some(root) => c.b.is_none() && root as u32 == me.position,
        None => false,
    }
}

fn root_position(c: &Comm, me: &View) -> Option<u32> {
    let root = u32::try_from(me.root()?).ok()?;
    let position = c.peers_at(me.position) + root;
    (position < c.size()).then_some(position)
}

/// Does data pass between the two, so that one cannot do without the other? Not if nothing is sent.
fn exchanges(model: &Model, c: &Comm, me: &View, other: u32) -> bool {
    let low = c.a.len();
    let index = if c.b.is_some() && other >= low { other - low } else { other };
    let (send, recv) = (me.send(), me.recv());
    let amounts = [send.amount(model, index), recv.amount(model, index)];
    let known: Vec<_> = amounts.into_iter().flatten().collect();
    known.is_empty() || known.iter().any(|a| a.reps != 0)
}
