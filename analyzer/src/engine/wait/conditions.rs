//! When an open call can return: its condition, from requests, mailboxes and collectives.

use super::bridges::in_bridge;
use super::buffers::flushed;
use super::collectives::in_collective;
use super::{Cond, Vertex, Why};
use crate::engine::comms::CommIx;
use crate::engine::facts::{Origin, Site};
use crate::engine::p2p::{OpId, OpKind, Outlook};
use crate::engine::polls::{Poll, is_poll};
use crate::engine::rank::Thread;
use crate::engine::replay::{Entered, Target};
use crate::engine::requests::Request;
use crate::engine::shape::shape;
use crate::engine::{Model, OpenCall, Rank};
use rustc_hash::FxHashMap;
use trace_format::call::special::ANY_SOURCE;
use trace_format::mpi::{Class, Many, RmaSync, SendMode, Start};

/// Outlooks of mailboxes, made when needed.
pub(super) struct Outlooks<'a> {
    pub(super) model: &'a Model,
    pub(super) made: FxHashMap<(CommIx, i32), Outlook>,
}

impl Outlooks<'_> {
    fn get(&mut self, comm: CommIx, dest: i32) -> Option<&Outlook> {
        let mailbox = self.model.comms.list[comm].boxes.get(dest)?;
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
    let (mut conds, mut calls, mut of_calls, mut awaited) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for t in &r.threads {
        let polls = if polling { poll_loop(r, t) } else { &[] };
        if !polls.is_empty() {
            let each: Vec<Cond> = polls.iter().map(|p| polled(model, outlooks, p, &mut awaited)).collect();
            let cond = any(each.clone());
            if matches!(cond, Cond::Free) {
                return Vertex::Running;
            }
            conds.push(cond);
            calls.extend(polls.iter().map(|p| p.origin.clone()));
            of_calls.extend(each);
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
        of_calls.push(cond.clone());
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
    Vertex::Blocked { cond, calls, of_calls, awaited }
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
        // Between two polls the thread may complete its generalized requests itself.
        Class::Test(_) | Class::GetStatus(_) if gives_incomplete(model, &poll.origin) => Cond::Free,
        Class::Test(many) | Class::GetStatus(many) => completion(model, outlooks, &poll.origin, many, awaited),
        Class::Probe(_) | Class::Mprobe(_) => arrival(model, outlooks, poll.origin.rank, poll.target),
        Class::RmaSync(sync) => poll.window.map_or(Cond::Free, |window| model.in_epoch(&poll.origin, sync, window)),
        Class::Parrived => model.arrived(&poll.origin),
        _ => Cond::Free,
    }
}

/// When the open call can return.
fn condition(model: &Model, outlooks: &mut Outlooks, rank: i32, open: &OpenCall, awaited: &mut Vec<Site>) -> Cond {
    let Entered { send, recv, collective, target, window, .. } = open.entered;
    let s = shape(open.origin.func);
    let op = |outlooks: &mut Outlooks, op: Option<OpId>| op.map_or(Cond::Free, |op| operation(model, outlooks, op));
    // Calls that only start an operation are local (MPI 4.1, 3.7.2): they return whatever others do.
    match s.class {
        Class::Send(_, Start::Blocking) => op(outlooks, send),
        Class::Recv(Start::Blocking) => op(outlooks, recv),
        Class::SendRecv(Start::Blocking) | Class::SendRecvReplace(Start::Blocking) => {
            all(vec![op(outlooks, send), op(outlooks, recv)])
        }
        Class::Probe(Start::Blocking) | Class::Mprobe(Start::Blocking) => arrival(model, outlooks, rank, target),
        Class::Collective(_, Start::Blocking) | Class::CommCreateGroup | Class::CommFromGroup => match collective {
            Some((comm, index, position)) => in_collective(model, comm, index, position),
            None => Cond::Free,
        },
        Class::IntercommCreate | Class::IntercommFromGroups => in_bridge(model, &open.entered),
        Class::Wait(many) => completion(model, outlooks, &open.origin, many, awaited),
        Class::RmaSync(sync) => window.map_or(Cond::Free, |window| model.in_epoch(&open.origin, sync, window)),
        Class::BufferFlush(Start::Blocking) => flushed(model, outlooks, &open.origin),
        _ => Cond::Free,
    }
}

/// When requests are complete: all that a call is given, or one of them.
fn completion(model: &Model, outlooks: &mut Outlooks, origin: &Origin, many: Many, awaited: &mut Vec<Site>) -> Cond {
    let (base, handles) = origin.requests();
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

/// Is a call given a generalized request that is not complete?
fn gives_incomplete(model: &Model, origin: &Origin) -> bool {
    let (base, handles) = origin.requests();
    let requests = &model.ranks[origin.rank as usize].requests;
    let given = (0..handles.len()).filter_map(|i| requests.get(requests.find_in(handles, base, i)?));
    given.into_iter().any(|request| request.incomplete)
}

/// When a probe can find a message.
fn arrival(model: &Model, outlooks: &mut Outlooks, rank: i32, target: Option<Target>) -> Cond {
    let Some(t) = target else { return Cond::Free };
    let there = outlooks.get(t.comm, rank).is_some_and(|o| o.has(t.peer, t.tag));
    if there { Cond::Free } else { another_message(model, outlooks, t.comm, rank, (t.peer, t.tag)) }
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
    if request.cancelled && !request.incomplete || request.seen_complete {
        return Cond::Free;
    }
    let ops = [request.send, request.recv];
    let mut conds: Vec<Cond> = ops.into_iter().flatten().map(|op| operation(model, outlooks, op)).collect();
    if let Some((comm, index, position)) = request.collective {
        conds.push(in_collective(model, comm, index, position));
    }
    if request.incomplete {
        // Another thread of the rank must complete it: if all of them are stuck, it is stuck.
        conds.push(Cond::On { rank: request.origin.rank, certain: true, why: Why::Generalized });
    }
    conds.push(model.in_channel(request));
    if matches!(request.class, Class::BufferFlush(_)) {
        conds.push(flushed(model, outlooks, &request.origin));
    }
    if let Some(window) = request.window {
        // Data pass when the lock is there: libraries may ask for it that late.
        conds.push(model.in_epoch(&request.origin, RmaSync::FlushLocal, window));
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
            another_message(model, outlooks, o.comm, o.rank, (o.peer, o.tag))
        }
        OpKind::Send(SendMode::Buffered) => Cond::Free,
        OpKind::Send(_) => received(model, outlooks, op),
    }
}

/// When the message of a send can leave its buffer.
pub(super) fn received(model: &Model, outlooks: &mut Outlooks, op: OpId) -> Cond {
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
