//! When an open call can return: its condition, from requests, mailboxes and collectives.

use super::{Cond, Vertex, Why};
use crate::engine::collective::{Needs, View, needs, neighbors, what};
use crate::engine::comms::{Comm, CommIx};
use crate::engine::facts::{Origin, Site};
use crate::engine::p2p::{OpId, OpKind, Outlook};
use crate::engine::polls::{Poll, is_poll};
use crate::engine::rank::Thread;
use crate::engine::replay::{Bridge, Entered, Target, given_requests};
use crate::engine::requests::Request;
use crate::engine::shape::shape;
use crate::engine::{Model, OpenCall, Rank};
use rustc_hash::FxHashMap;
use trace_format::call::special::{ANY_SOURCE, PROC_NULL, ROOT};
use trace_format::mpi::{Class, Coll, Kind, Many, SendMode, Start};

/// Outlooks of mailboxes, made when needed.
pub(super) struct Outlooks<'a> {
    pub(super) model: &'a Model,
    pub(super) made: FxHashMap<(CommIx, i32), Outlook>,
}

impl Outlooks<'_> {
    fn get(&mut self, comm: CommIx, dest: i32) -> Option<&Outlook> {
        let mailbox = self.model.comms.list[comm].boxes.get(&dest)?;
        Some(self.made.entry((comm, dest)).or_insert_with(|| mailbox.outlook(&self.model.ops)))
    }
}

/// `polling`: who only polls waits for what it polls for.
pub(super) fn vertex(model: &Model, outlooks: &mut Outlooks, rank: i32, watched: bool, polling: bool) -> Vertex {
    let r = &model.ranks[rank as usize];
    // A rank that failed, or of which not everything is known, holds nobody: what follows from it is not reported.
    let failed = r.abort.is_some() || r.errors.iter().any(|e| e.fatal);
    let crashed = r.signal.as_ref().is_some_and(|s| crate::engine::ending::is_crash(s.signal));
    if model.is_dim(rank) || failed || crashed {
        return Vertex::Running;
    }
    if r.exit.is_some() || r.finalize.is_some() && r.sessions == 0 {
        return Vertex::Finished;
    }
    let (mut conds, mut calls, mut awaited) = (Vec::new(), Vec::new(), Vec::new());
    for t in &r.threads {
        let polls = if polling { poll_loop(r, t) } else { &[] };
        if !polls.is_empty() {
            let cond = any(polls.iter().map(|p| polled(model, outlooks, p, &mut awaited)).collect());
            if matches!(cond, Cond::Free) {
                return Vertex::Running;
            }
            conds.push(cond);
            calls.extend(polls.iter().map(|p| p.origin.clone()));
            continue;
        }
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
    if r.multiple || conds.len() < r.threads.len() {
        conds.push(Cond::Perhaps);
    }
    let cond = if conds.len() == 1 { conds.remove(0) } else { Cond::Any(conds) };
    Vertex::Blocked { cond, calls, awaited }
}

/// The polls of a rank that does nothing else: it has one thread, which is between two of them or in one.
pub(super) fn poll_loop<'a>(r: &Rank, thread: &'a Thread) -> &'a [Poll] {
    let alone = !r.multiple && r.threads.len() == 1;
    let between = thread.open.last().is_none_or(|open| is_poll(open.origin.func));
    if alone && between { thread.polls.of_loop() } else { &[] }
}

/// When a poll can find something.
fn polled(model: &Model, outlooks: &mut Outlooks, poll: &Poll, awaited: &mut Vec<Site>) -> Cond {
    match shape(poll.origin.func).class {
        Class::Test(many) | Class::GetStatus(many) => completion(model, outlooks, &poll.origin, many, awaited),
        Class::Probe(_) | Class::Mprobe(_) => arrival(model, outlooks, poll.origin.rank, poll.target),
        Class::RmaSync(sync) => poll.window.map_or(Cond::Free, |window| model.in_epoch(&poll.origin, sync, window)),
        _ => Cond::Free,
    }
}

/// When the open call can return.
fn condition(model: &Model, outlooks: &mut Outlooks, rank: i32, open: &OpenCall, awaited: &mut Vec<Site>) -> Cond {
    let Entered { send, recv, collective, target, bridge, window } = open.entered;
    let s = shape(open.origin.func);
    let op = |outlooks: &mut Outlooks, op: Option<OpId>| op.map_or(Cond::Free, |op| operation(model, outlooks, op));
    match s.class {
        Class::Send(..) => op(outlooks, send),
        Class::Recv(_) => op(outlooks, recv),
        Class::SendRecv(_) | Class::SendRecvReplace(_) => all(vec![op(outlooks, send), op(outlooks, recv)]),
        Class::Probe(Start::Blocking) | Class::Mprobe(Start::Blocking) => arrival(model, outlooks, rank, target),
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
                    let parts = model.comms.list[comm].space.get(index).map(|i| &i.parts);
                    let leader_in = parts.into_iter().flatten().flatten().any(|p| p.call.rank == leader && !p.done);
                    if leader_in { Cond::On { rank: leader, certain: true, why: Why::Collective } } else { Cond::Free }
                }
                (cond, _) => cond,
            }
        }
        Class::Wait(many) => completion(model, outlooks, &open.origin, many, awaited),
        Class::RmaSync(sync) => window.map_or(Cond::Free, |window| model.in_epoch(&open.origin, sync, window)),
        Class::BufferFlush(Start::Blocking) => flushed(model, outlooks, rank, &open.origin),
        _ => Cond::Free,
    }
}

/// When requests are complete: all that a call is given, or one of them.
fn completion(model: &Model, outlooks: &mut Outlooks, origin: &Origin, many: Many, awaited: &mut Vec<Site>) -> Cond {
    let (base, handles) = given_requests(&origin.ins, shape(origin.func));
    let requests = &model.ranks[origin.rank as usize].requests;
    let mut conds = Vec::new();
    for i in 0..handles.len() {
        let request = requests.find_in(handles, base, i).and_then(|id| requests.get(id));
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

/// When a probe can find a message.
fn arrival(model: &Model, outlooks: &mut Outlooks, rank: i32, target: Option<Target>) -> Cond {
    let Some(t) = target else { return Cond::Free };
    let there = outlooks.get(t.comm, rank).is_some_and(|o| o.has(t.peer, t.tag));
    if there { Cond::Free } else { another_message(model, outlooks, t.comm, rank, (t.peer, t.tag)) }
}

/// When the messages in the attached buffer of the process have left it.
fn flushed(model: &Model, outlooks: &mut Outlooks, rank: i32, origin: &Origin) -> Cond {
    // Communicators and sessions may have buffers of their own; which messages are in these is not followed.
    if origin.func.row().params.iter().any(|p| matches!(p.kind, Kind::Comm | Kind::Session)) {
        return Cond::Free;
    }
    let held = model.ops.iter().filter(|(_, o)| o.rank == rank && o.kind == OpKind::Send(SendMode::Buffered));
    let mut held: Vec<OpId> = held.map(|(op, _)| op).collect();
    held.sort_by_key(|op| model.ops.get(*op).map(|o| (o.origin.thread, o.origin.index)));
    all(held.into_iter().map(|op| received(model, outlooks, op)).collect())
}

pub(crate) fn all(mut conds: Vec<Cond>) -> Cond {
    conds.retain(|c| !matches!(c, Cond::Free));
    match conds.len() {
        0 => Cond::Free,
        1 => conds.remove(0),
        _ => Cond::All(conds),
    }
}

pub(crate) fn any(mut conds: Vec<Cond>) -> Cond {
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
    conds.push(model.in_channel(request));
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
            another_message(model, outlooks, o.comm, o.rank, (o.peer, o.tag))
        }
        OpKind::Send(SendMode::Buffered) => Cond::Free,
        OpKind::Send(_) => received(model, outlooks, op),
    }
}

/// When the message of a send can leave its buffer.
fn received(model: &Model, outlooks: &mut Outlooks, op: OpId) -> Cond {
    let Some(o) = model.ops.get(op).filter(|o| !o.matched) else { return Cond::Free };
    let lane = (o.rank, o.tag);
    if outlooks.get(o.comm, o.peer).is_some_and(|l| l.served.contains(&op) || l.is_unsure(lane)) {
        return Cond::Free;
    }
    let comm = &model.comms.list[o.comm];
    if comm.is_foreign() {
        return Cond::Free;
    }
    if comm.made_wrongly {
        return Cond::Bad;
    }
    let certain = o.kind == OpKind::Send(SendMode::Synchronous);
    Cond::On { rank: o.peer, certain, why: Why::Receive(o.tag) }
}

/// A message that is not there yet, or goes to a receive from anybody: unless any other rank sends one that comes first.
fn another_message(model: &Model, outlooks: &mut Outlooks, comm: CommIx, rank: i32, (source, tag): (i32, i32)) -> Cond {
    let fickle = outlooks.get(comm, rank).is_some_and(|o| o.may_be_left(source, tag));
    message_from(model, comm, rank, if fickle { ANY_SOURCE } else { source }, tag)
}

/// A message that nobody has sent yet.
fn message_from(model: &Model, comm: CommIx, rank: i32, source: i32, tag: i32) -> Cond {
    if model.comms.list[comm].is_foreign() {
        return Cond::Free;
    }
    if model.comms.list[comm].made_wrongly {
        return Cond::Bad;
    }
    if source != ANY_SOURCE {
        return Cond::On { rank: source, certain: true, why: Why::Send(tag) };
    }
    let comm = &model.comms.list[comm];
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
    let c = &model.comms.list[comm];
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
        crate::engine::collective::What::Coll(
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
