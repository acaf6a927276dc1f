//! When an open call can return: its condition, from requests, mailboxes and collectives.

use super::absent::Gathered;
use super::bridges::in_bridge;
use super::buffers::flushed;
use super::collectives::in_collective;
use super::outlook::Outlook;
use super::{Cond, Vertex, Why};
use crate::arg_places::arg_places;
use crate::model::Model;
use crate::state::{
    CommIx, Entered, OpId, OpKind, OpenCall, Origin, Poll, Rank, Request, Site, Target, Thread, is_poll,
};
use crate::waits::outlook::{Chance, Choice, Wanted};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use trace_format::mpi::special::ANY_SOURCE;
use trace_format::mpi::{Class, Many, RmaSync, SendMode, Start};

/// Outlooks of mailboxes, made when needed.
pub(super) struct Outlooks<'a> {
    pub(super) model: &'a Model,
    pub(super) made: FxHashMap<(CommIx, i32), Outlook>,
    /// Somebody looks whether the calls of the rank at hand return by themselves.
    pub(super) watched: bool,
    /// A rank that only polls waits for what it polls for.
    pub(super) polling: bool,
    /// For how long no rank has done anything new, in nanoseconds.
    pub(super) quiet: u64,
    /// Bytes of the messages of which it is not known whether they went to who waits for them.
    pub(super) bytes: u64,
    /// Collective operations that not all have come to.
    gathered: FxHashMap<(CommIx, u64), Rc<Gathered>>,
}

/// The assumption where nobody knows whether a message went to a receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    /// It did, or will.
    Helps,
    /// That can be seen at the process, or could have been: the call may return by itself.
    Seen,
    /// It did not.
    Past,
}

impl<'a> Outlooks<'a> {
    pub(super) fn new(model: &'a Model, polling: bool, quiet: u64) -> Outlooks<'a> {
        let (made, gathered) = (FxHashMap::default(), FxHashMap::default());
        Outlooks { model, made, watched: false, polling, quiet, bytes: 0, gathered }
    }

    /// A collective operation that is not over.
    pub(super) fn gathered(&mut self, comm: CommIx, index: u64) -> Option<Rc<Gathered>> {
        if let Some(known) = self.gathered.get(&(comm, index)) {
            return Some(known.clone());
        }
        let gathered = Rc::new(Gathered::of(self.model, comm, index)?);
        self.gathered.insert((comm, index), gathered.clone());
        Some(gathered)
    }

    fn get(&mut self, comm: CommIx, dest: i32) -> Option<&Outlook> {
        let mailbox = self.model.comms.list[comm].boxes.get(dest)?;
        Some(self.made.entry((comm, dest)).or_insert_with(|| mailbox.outlook(&self.model.ops)))
    }

    /// The help that comes if nobody knows which of these messages went where. When nothing has happened for long enough, they are
    /// where they go.
    fn fate(&self, bytes: u64) -> Doubt {
        match (self.watched, self.quiet >= time_for(bytes)) {
            (true, _) => Doubt::Seen,
            (false, true) if self.polling => Doubt::Past,
            (false, true) => Doubt::Seen,
            (false, false) => Doubt::Helps,
        }
    }

    fn doubt_of(&mut self, comm: CommIx, dest: i32) -> Doubt {
        let Some(bytes) = self.get(comm, dest).and_then(Outlook::choice).and_then(|c| c.bytes) else {
            return Doubt::Helps;
        };
        self.bytes = self.bytes.max(bytes);
        self.fate(bytes)
    }

    /// When a process may go on that waits for a message to `rank`, if nobody knows whether it got one.
    fn doubt(&mut self, comm: CommIx, rank: i32) -> Cond {
        let doubt = self.doubt_of(comm, rank);
        let any = self.get(comm, rank).and_then(Outlook::choice).map(Choice::any);
        match any {
            Some(any) if doubt != Doubt::Helps => another(self.model, comm, rank, &any, doubt == Doubt::Past),
            _ => Cond::Free,
        }
    }
}

/// How long messages of so many bytes may be under way, in nanoseconds, at 20 MB a second, where nothing else happens.
pub(crate) fn time_for(bytes: u64) -> u64 {
    1_000_000_000 + bytes.saturating_mul(50)
}

pub(super) fn vertex(model: &Model, outlooks: &mut Outlooks, rank: i32, watched: bool) -> Vertex {
    let r = &model.ranks[rank as usize];
    // A rank that failed, or of which not everything is known, holds nobody: what follows from it is not reported.
    let failed = r.abort.is_some() || r.errors.iter().any(|e| e.fatal);
    let crashed = r.signal.as_ref().is_some_and(|s| crate::state::is_crash(s.signal));
    if model.is_dim(rank) || failed || crashed {
        return Vertex::Running;
    }
    if r.exit.is_some() || r.finalize.is_some() && r.sessions == 0 {
        return Vertex::Finished;
    }
    let (mut conds, mut calls, mut of_calls, mut awaited) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for t in &r.threads {
        let polls = if outlooks.polling { poll_loop(r, t) } else { &[] };
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
    match arg_places(poll.origin.func).class {
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
    let s = arg_places(open.origin.func);
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
            Some((comm, index, position)) => in_collective(outlooks, comm, index, position),
            None => Cond::Free,
        },
        Class::IntercommCreate | Class::IntercommFromGroups => in_bridge(outlooks, &open.entered),
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
        Many::One | Many::All => {
            conds.extend(of_all(model, outlooks, origin));
            all(conds)
        }
        Many::Any | Many::Some => any(conds),
    }
}

/// All receives that a call waits for need a message each: if these are too few, another one.
fn of_all(model: &Model, outlooks: &mut Outlooks, origin: &Origin) -> Vec<Cond> {
    let (base, handles) = origin.requests();
    let requests = &model.ranks[origin.rank as usize].requests;
    let mut by_comm: Vec<(CommIx, Vec<OpId>)> = Vec::new();
    for id in (0..handles.len()).filter_map(|i| requests.find_in(handles, base, i)) {
        let waits = requests.get(id).filter(|r| r.active && !r.cancelled && !r.seen_complete);
        let Some(recv) = waits.and_then(|r| r.recv) else { continue };
        let Some(op) = model.ops.get(recv).filter(|op| !op.matched) else { continue };
        match by_comm.iter_mut().find(|(comm, _)| *comm == op.comm) {
            Some((_, all)) => all.push(recv),
            None => by_comm.push((op.comm, vec![recv])),
        }
    }
    let too_few = by_comm.into_iter().filter_map(|(comm, recvs)| {
        let wanted = outlooks.get(comm, origin.rank)?.choice()?.too_many(&recvs)?;
        Some(another(model, comm, origin.rank, &wanted, true))
    });
    too_few.collect()
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
    let Some(look) = outlooks.get(t.comm, rank) else {
        return another_message(model, outlooks, t.comm, rank, (t.peer, t.tag));
    };
    let chance = match look.choice().filter(|_| look.may_be_there(t.peer, t.tag)) {
        Some(choice) => choice.of_probe(t.peer, t.tag),
        None if look.has(t.peer, t.tag) => Chance::Served,
        None => return another_message(model, outlooks, t.comm, rank, (t.peer, t.tag)),
    };
    by_chance(model, outlooks, (t.comm, rank), chance)
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
        conds.push(in_collective(outlooks, comm, index, position));
    }
    if request.incomplete {
        // Another thread of the rank must complete it: if all of them are stuck, it is stuck.
        conds.push(Cond::On { rank: request.origin.rank, certain: true, why: Why::Generalized });
    }
    conds.push(model.in_channel(request));
    if matches!(request.class, Class::BufferFlush(_)) {
        conds.push(flushed(model, outlooks, &request.origin));
    }
    if let Some(window) = request.window() {
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
            let look = outlooks.get(o.comm, o.rank);
            if look.is_some_and(|look| look.served.contains(&op)) {
                return Cond::Free;
            }
            if let Some(look) = look.filter(|look| look.doubtful.contains(&op)) {
                let chance = look.choice().map_or(Chance::Open, |choice| choice.of_receive(op));
                return by_chance(model, outlooks, (o.comm, o.rank), chance);
            }
            another_message(model, outlooks, o.comm, o.rank, (o.peer, o.tag))
        }
        OpKind::Send(SendMode::Buffered) => Cond::Free,
        OpKind::Send(_) => received(model, outlooks, op),
    }
}

/// When a message comes to `rank` that it waits for, where a wildcard may have taken it.
fn by_chance(model: &Model, outlooks: &mut Outlooks, (comm, rank): (CommIx, i32), chance: Chance) -> Cond {
    match (chance, outlooks.get(comm, rank).and_then(Outlook::choice)) {
        (Chance::Served, _) => Cond::Free,
        (Chance::Alone, Some(choice)) => another(model, comm, rank, &choice.any(), true),
        _ => outlooks.doubt(comm, rank),
    }
}

/// When the message of a send can leave its buffer.
pub(super) fn received(model: &Model, outlooks: &mut Outlooks, op: OpId) -> Cond {
    let Some(o) = model.ops.get(op).filter(|o| !o.matched) else { return Cond::Free };
    let lane = (o.rank, o.tag);
    let look = outlooks.get(o.comm, o.peer);
    if look.is_some_and(|l| l.served.contains(&op)) {
        return Cond::Free;
    }
    let chance = look.filter(|l| l.is_unsure(lane)).map(|l| l.choice().map_or(Chance::Served, |c| c.of_send(op)));
    let doubt = match chance {
        Some(Chance::Served) => return Cond::Free,
        Some(Chance::Open) => outlooks.doubt_of(o.comm, o.peer),
        Some(Chance::Alone) | None => Doubt::Past,
    };
    if doubt == Doubt::Helps {
        return Cond::Free;
    }
    let comm = &model.comms.list[o.comm];
    if comm.is_foreign() {
        return Cond::Free;
    }
    if comm.made_wrongly {
        return Cond::Bad;
    }
    let certain = o.kind == OpKind::Send(SendMode::Synchronous) && doubt == Doubt::Past;
    Cond::On { rank: o.peer, certain, why: Why::Receive(o.tag) }
}

/// A message that is not there yet, or goes to a receive from anybody: unless any other rank sends one that comes first.
fn another_message(model: &Model, outlooks: &mut Outlooks, comm: CommIx, rank: i32, (source, tag): (i32, i32)) -> Cond {
    let fickle = outlooks.get(comm, rank).is_some_and(|o| o.may_be_left(source, tag));
    message_from(model, comm, rank, if fickle { ANY_SOURCE } else { source }, tag)
}

/// A message that nobody has sent yet.
fn message_from(model: &Model, comm: CommIx, rank: i32, source: i32, tag: i32) -> Cond {
    let sources = (source != ANY_SOURCE).then(|| vec![source]);
    message(model, comm, rank, sources.as_deref(), (Why::Send(tag), true))
}

/// One more message than there are.
fn another(model: &Model, comm: CommIx, rank: i32, wanted: &Wanted, certain: bool) -> Cond {
    message(model, comm, rank, wanted.sources.as_deref(), (Why::Another(wanted.tag), certain))
}

/// A message of one of these, or of anybody.
fn message(model: &Model, comm: CommIx, rank: i32, sources: Option<&[i32]>, (why, certain): (Why, bool)) -> Cond {
    let comm = &model.comms.list[comm];
    if comm.is_foreign() {
        return Cond::Free;
    }
    if comm.made_wrongly {
        return Cond::Bad;
    }
    let on = |rank: i32| Cond::On { rank, certain, why };
    if let Some(sources) = sources {
        return any(sources.iter().copied().map(on).collect());
    }
    let peers = comm.position(rank).map(|p| comm.peers(p));
    let others = peers.into_iter().flat_map(|g| g.iter()).filter(|r| *r != rank);
    let conds: Vec<Cond> = others.map(on).collect();
    // Alone in the communicator, and nothing sent to itself.
    if conds.is_empty() { on(rank) } else { any(conds) }
}
