//! What a call does to its rank and to the run: at its start (operations begin), and at its return (operations end,
//! objects appear).

use super::collective::is_blocking;
use super::comms::{COMM, CommIx, CommKey, Comms, FILE, Member, Topology, WIN};
use super::concurrent::Misused;
use super::facts::Origin;
use super::frees::is_free;
use super::p2p::{Data, Op, OpId, OpKind};
use super::requests::{ReqId, Request};
use super::shape::{NONE, Place, Shape, Side, shape};
use super::types::Amount;
use super::{Model, OpenCall};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use trace_format::call::special::{ANY_SOURCE, ANY_TAG, MESSAGE_NO_PROC, PROC_NULL, UNDEFINED};
use trace_format::call::{Call, Outcome, Status, Value};
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::mpi::predefined::UNKNOWN_ERROR_CLASS;
use trace_format::mpi::predefined::error_class_name;
use trace_format::mpi::{Class, Coll, Many, SendMode, Start};

/// May a receive that ended with this error class have taken a message?
fn may_have_received(class: u16) -> bool {
    let received = matches!(error_class_name(class), "MPI_ERR_TRUNCATE" | "MPI_ERR_IN_STATUS");
    class == 0 || class == UNKNOWN_ERROR_CLASS || received
}

/// What a call began.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Entered {
    pub(crate) send: Option<OpId>,
    pub(crate) recv: Option<OpId>,
    /// Communicator, number of the operation on it, place of the rank.
    pub(crate) collective: Option<(CommIx, u64, u32)>,
    /// What an open probe looks for.
    pub(crate) target: Option<Target>,
    /// Of MPI_Intercomm_create.
    pub(crate) bridge: Option<Bridge>,
}

/// The local side of MPI_Intercomm_create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bridge {
    /// The leader, who waits for the other leader (world ranks) to make its `nth` call with this tag.
    Leader { own: i32, other: i32, tag: i64, nth: u64 },
    /// Waits for its leader.
    Led { leader: i32 },
}

/// Where a send goes or a receive or probe looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) comm: CommIx,
    /// World rank, or ANY_SOURCE.
    pub(crate) peer: i32,
    pub(crate) tag: i32,
}

fn value(values: &[Value], place: Place) -> &Value {
    static NOTHING: Value = Value::None;
    if place == NONE { &NOTHING } else { values.get(place as usize).unwrap_or(&NOTHING) }
}

fn int(values: &[Value], place: Place) -> Option<i64> {
    match value(values, place) {
        Value::Int(v) => Some(*v),
        Value::Request { handle, .. } => Some(*handle),
        _ => None,
    }
}

fn status_at(outs: &[Value], place: Place, i: usize) -> Option<Status> {
    match value(outs, place) {
        Value::Status(s) => Some(*s),
        Value::Statuses(all) => all.get(i).copied(),
        _ => None,
    }
}

/// Handles of the requests that a call is given, with the address of the first.
pub(crate) fn given_requests(ins: &[Value], s: &Shape) -> (u64, SmallVec<[i64; 4]>) {
    match value(ins, s.request) {
        Value::Request { slot, handle } => (*slot, SmallVec::from_slice(&[*handle])),
        Value::Requests { base, handles } => (*base, SmallVec::from_slice(handles)),
        Value::Int(handle) => (0, SmallVec::from_slice(&[*handle])),
        Value::Ints(handles) => (0, SmallVec::from_slice(handles)),
        _ => (0, SmallVec::new()),
    }
}

impl Model {
    pub(super) fn call(&mut self, rank: i32, call: Call) {
        let Call { func, thread, index, site, outcome, polls, ins, outs, t_call: time, t_return, .. } = call;
        let end = match outcome {
            Outcome::Open => u64::MAX,
            // Several calls in one record: when each of them was is not known.
            Outcome::Returned(_) if polls > 0 => time,
            Outcome::Returned(_) => t_return,
        };
        let origin = Arc::new(Origin { rank, time, end: AtomicU64::new(end), thread, func, index, site, ins });
        let s = shape(func);
        let r = &mut self.ranks[rank as usize];
        r.calls += 1 + u64::from(polls);
        r.events += 1;
        r.now = r.now.max(time);
        r.thread(thread).last = Some(origin.clone());
        if func.row().class != Class::Abort {
            r.went_on = r.went_on.max(time);
            // It handles the signal. Of which thread that was may be unknown.
            let alone = r.threads.len() == 1;
            r.signal.take_if(|s| s.thread.map_or(alone, |t| t == thread));
        }
        match outcome {
            Outcome::Open => {
                let entered = self.enter(&origin, s, None);
                self.ranks[rank as usize].thread(thread).open.push(OpenCall { origin, entered });
            }
            Outcome::Returned(class) => {
                self.ranks[rank as usize].events += 1;
                let entered = self.enter(&origin, s, Some(class));
                self.leave(&origin, s, entered, class, &outs);
            }
        }
    }

    /// The return of an open call. `(time, polls)`: when, and how many more polls with the same answer were counted in
    /// its record meanwhile, the last of which ended then.
    pub(super) fn return_of(
        &mut self,
        rank: i32,
        thread: u16,
        index: u64,
        (time, polls): (u64, u32),
        class: u16,
        outs: &[Value],
    ) {
        let r = &mut self.ranks[rank as usize];
        r.events += 1;
        r.calls += u64::from(polls);
        r.now = r.now.max(time);
        let open = &mut self.ranks[rank as usize].thread(thread).open;
        let Some(place) = open.iter().position(|o| o.origin.index == index) else { return };
        let OpenCall { origin, entered } = open.remove(place);
        // What happened between the polls is not known: the first of them says nothing of a time.
        origin.end.store(if polls > 0 { origin.time } else { time }, Ordering::Relaxed);
        self.leave(&origin, shape(origin.func), entered, class, outs);
    }

    /// The start of a call. `class`: its result, where it is known already.
    fn enter(&mut self, origin: &Arc<Origin>, s: &Shape, class: Option<u16>) -> Entered {
        let mut entered = Entered::default();
        // A call that failed started nothing; a receive that found its message too long has taken it.
        let failed = class.is_some_and(|c| c != 0);
        let received = class.is_none_or(may_have_received);
        match s.class {
            Class::Send(mode, Start::Blocking | Start::Nonblocking) if !failed => {
                entered.send = self.start_send(origin, None, s, mode);
            }
            Class::Recv(Start::Blocking | Start::Nonblocking) if received => {
                entered.recv = self.start_recv(origin, None, s.peer, s.tag, s);
            }
            Class::SendRecv(_) | Class::SendRecvReplace(_) if received => {
                entered.send = self.start_send(origin, None, s, SendMode::Standard);
                entered.recv = self.start_recv(origin, None, s.peer2, s.tag2, s);
            }
            Class::Collective(coll, Start::Blocking | Start::Nonblocking) => {
                if let Some(m) = self.collective_object(origin, s) {
                    let r = &mut self.ranks[origin.rank as usize];
                    r.collectives += 1;
                    if is_free(coll) && !failed {
                        r.frees.note(m.ix, origin);
                    }
                    entered.collective = Some((m.ix, self.arrive(m.ix, m.position, origin, None), m.position));
                }
            }
            Class::CommCreateGroup | Class::CommFromGroup => {
                let rank = origin.rank;
                let group = int(&origin.ins, s.group).unwrap_or(0) as Id;
                let most = self.ranks.len();
                let objects = &mut self.ranks[rank as usize].objects;
                if let Some(ranks) = objects.groups.get(&group).filter(|g| g.len() <= most).cloned() {
                    let id = int(&origin.ins, s.comm);
                    let parent = id.and_then(|id| self.comms.resolve(rank, objects, COMM, id as Id)).map(|m| m.ix);
                    let tag = int(&origin.ins, s.tag).unwrap_or(0);
                    let text = match value(&origin.ins, s.text) {
                        Value::Str(text) => text.clone(),
                        _ => String::new(),
                    };
                    let key = CommKey::GroupCalls { parent, ranks, tag, text };
                    if let Some(m) = self.comms.group_calls(rank, key) {
                        entered.collective = Some((m.ix, self.arrive(m.ix, m.position, origin, None), m.position));
                    }
                }
            }
            Class::IntercommCreate => self.enter_bridge(origin, s, &mut entered),
            Class::StartOne | Class::StartAll => {
                let (base, handles) = given_requests(&origin.ins, s);
                for i in 0..handles.len() {
                    let requests = &self.ranks[origin.rank as usize].requests;
                    if let Some(id) = requests.find_in(&handles, base, i) {
                        self.start_persistent(origin, id);
                    }
                }
            }
            Class::Wait(_) | Class::Test(_) if self.has_threads(origin.rank) => self.claim(origin, s),
            Class::Probe(Start::Blocking) | Class::Mprobe(Start::Blocking) if class.is_none() => {
                entered.target = self.target(origin, s.peer, s.tag, s);
            }
            // At its start: the message is there, and what is wrong with its size may keep the call from returning.
            Class::Mrecv(Start::Blocking) => self.matched_recv(origin, s, Start::Blocking, false, &[]),
            Class::Finalize => self.ranks[origin.rank as usize].finalize = Some(origin.clone()),
            Class::Abort => self.ranks[origin.rank as usize].abort = Some(origin.clone()),
            _ => {}
        }
        entered
    }

    /// A thread begins to complete requests: no other may be about it.
    fn claim(&mut self, origin: &Arc<Origin>, s: &Shape) {
        let (base, handles) = given_requests(&origin.ins, s);
        for i in 0..handles.len() {
            let requests = &mut self.ranks[origin.rank as usize].requests;
            let Some(id) = requests.certain(&handles, base, i) else { continue };
            let Some(request) = requests.all.get_mut(id).filter(|r| r.active) else { continue };
            let what = Misused::Request(request.start.as_ref().unwrap_or(&request.origin).clone());
            if let Some(first) = request.claim.replace(origin.clone()) {
                self.note_use(what, &first, origin);
            }
        }
    }

    fn enter_bridge(&mut self, origin: &Arc<Origin>, s: &Shape, entered: &mut Entered) {
        let Some(id) = int(&origin.ins, s.comm) else { return };
        let Some(local) = self.resolve(origin, COMM, id as Id) else { return };
        let comm = &self.comms.list[local.ix as usize];
        let tag = int(&origin.ins, s.tag).unwrap_or(0);
        let Some(leader) = int(&origin.ins, s.peer).and_then(|l| comm.a.get(l as i32)) else { return };
        // The group's calls have an order of their own; the text keeps them apart from MPI_Comm_create_group.
        let ranks = comm.a.iter().collect();
        let key = CommKey::GroupCalls { parent: Some(local.ix), ranks, tag, text: origin.name().to_owned() };
        if let Some(m) = self.comms.group_calls(origin.rank, key) {
            entered.collective = Some((m.ix, self.arrive(m.ix, m.position, origin, None), m.position));
        }
        if leader != origin.rank {
            entered.bridge = Some(Bridge::Led { leader });
            return;
        }
        // Only the leader names the other one.
        let peer = int(&origin.ins, s.comm2).and_then(|id| self.resolve(origin, COMM, id as Id));
        let group = peer.map(|m| self.comms.list[m.ix as usize].peers(m.position));
        let Some(other) = group.and_then(|g| g.get(int(&origin.ins, s.peer2)? as i32)) else { return };
        let made = self.bridges.entry((leader.min(other), leader.max(other), tag)).or_default();
        let nth = &mut made[usize::from(leader > other)];
        *nth += 1;
        entered.bridge = Some(Bridge::Leader { own: leader, other, tag, nth: *nth });
    }

    /// The object that a call names.
    fn resolve(&mut self, origin: &Origin, kind: u8, id: Id) -> Option<Member> {
        let r = &mut self.ranks[origin.rank as usize];
        // The events of several threads may come out of order: perhaps the call that made it is still to come, and
        // which object it is nobody knows before.
        let threads = r.threads.len() > 1 || origin.thread != 0;
        if threads && id >= FIRST_USER_ID && !r.objects.members.contains_key(&(kind, id)) {
            r.holed = true;
            return None;
        }
        self.comms.resolve(origin.rank, &mut r.objects, kind, id)
    }

    /// The object whose order of collectives a call belongs to.
    fn collective_object(&mut self, origin: &Origin, s: &Shape) -> Option<Member> {
        let (kind, place) = match (s.win, s.file) {
            (NONE, NONE) => (COMM, s.comm),
            (NONE, file) => (FILE, file),
            (win, _) => (WIN, win),
        };
        let id = int(&origin.ins, place)? as Id;
        let m = self.resolve(origin, kind, id)?;
        (!self.comms.list[m.ix as usize].foreign).then_some(m)
    }

    /// Where the call sends to or looks; `None` for nobody (MPI_PROC_NULL), or where mpivet cannot know.
    pub(crate) fn target(&mut self, origin: &Origin, peer: Place, tag: Place, s: &Shape) -> Option<Target> {
        let id = int(&origin.ins, s.comm)? as Id;
        let m = self.resolve(origin, COMM, id)?;
        let comm = &self.comms.list[m.ix as usize];
        let peer = int(&origin.ins, peer)? as i32;
        let peer = match peer {
            ANY_SOURCE => ANY_SOURCE,
            PROC_NULL => return None,
            p => comm.peers(m.position).get(p).filter(|r| *r >= 0 && (*r as usize) < self.ranks.len())?,
        };
        Some(Target { comm: m.ix, peer, tag: int(&origin.ins, tag)? as i32 })
    }

    /// What a buffer of a call holds.
    fn data(&self, origin: &Origin, side: Side) -> Data {
        let count = int(&origin.ins, side.count);
        let datatype = int(&origin.ins, side.datatype);
        let amount = match (count, datatype) {
            (Some(count), Some(datatype)) => self.one(origin.rank, datatype as Id).map(|a| a.times(count)),
            _ => None,
        };
        Data { amount: amount.unwrap_or(Amount::UNKNOWN) }
    }

    fn start_send(
        &mut self,
        origin: &Arc<Origin>,
        start: Option<&Arc<Origin>>,
        s: &Shape,
        mode: SendMode,
    ) -> Option<OpId> {
        let target = self.target(origin, s.peer, s.tag, s)?;
        let data = Some(self.data(origin, s.send));
        let op = self.new_op(Op::new(OpKind::Send(mode), origin, start, target, data));
        self.post_send(op);
        Some(op)
    }

    fn start_recv(
        &mut self,
        origin: &Arc<Origin>,
        start: Option<&Arc<Origin>>,
        peer: Place,
        tag: Place,
        s: &Shape,
    ) -> Option<OpId> {
        let target = self.target(origin, peer, tag, s)?;
        let data = Some(self.data(origin, s.recv));
        let op = self.new_op(Op::new(OpKind::Recv, origin, start, target, data));
        self.post_recv(op);
        Some(op)
    }

    fn start_persistent(&mut self, start: &Arc<Origin>, id: ReqId) {
        let rank = start.rank as usize;
        let Some(request) = self.ranks[rank].requests.all.get_mut(id) else { return };
        if !request.persistent || request.active {
            return;
        }
        request.active = true;
        request.cancelled = false;
        request.start = Some(start.clone());
        let (origin, class) = (request.origin.clone(), request.class);
        let s = shape(origin.func);
        let (mut send, mut recv, mut collective) = (None, None, None);
        match class {
            Class::Send(mode, _) => send = self.start_send(&origin, Some(start), s, mode),
            Class::Recv(_) => recv = self.start_recv(&origin, Some(start), s.peer, s.tag, s),
            Class::Collective(..) => {
                if let Some(m) = self.collective_object(&origin, s) {
                    self.ranks[rank].collectives += 1;
                    collective = Some((m.ix, self.arrive(m.ix, m.position, &origin, Some(start)), m.position));
                }
            }
            _ => {}
        }
        if let Some(request) = self.ranks[rank].requests.all.get_mut(id) {
            (request.send, request.recv, request.collective) = (send, recv, collective);
        }
    }

    /// The return of a call.
    fn leave(&mut self, origin: &Arc<Origin>, s: &Shape, entered: Entered, class: u16, outs: &[Value]) {
        let failed = class != 0;
        if failed {
            self.ranks[origin.rank as usize].failures.insert((origin.thread, origin.index));
        }
        if self.ranks[origin.rank as usize].sums {
            self.take_sums(origin, s, &entered);
        }
        // An exception has left the call, or the library has an error class of its own: nobody says what it did.
        if class == UNKNOWN_ERROR_CLASS {
            for op in [entered.send, entered.recv].into_iter().flatten() {
                self.ops.get_mut(op).into_iter().for_each(|op| op.dim = true);
            }
        }
        match s.class {
            Class::Init if !failed => {
                let r = &mut self.ranks[origin.rank as usize];
                r.initialized = true;
                r.start = Some(origin.func);
                // MPI_THREAD_MULTIPLE in the libraries' numbering and in that of the standard ABI.
                r.multiple |= matches!(int(outs, s.thread_level), Some(3 | 4096));
            }
            Class::Finalize => self.ranks[origin.rank as usize].finalized = !failed,
            Class::SessionInit if !failed => {
                let r = &mut self.ranks[origin.rank as usize];
                r.sessions += 1;
                // A session has a level of its own.
                r.multiple = true;
            }
            Class::SessionFinalize if !failed => {
                let r = &mut self.ranks[origin.rank as usize];
                r.sessions = r.sessions.saturating_sub(1);
            }
            Class::Send(_, Start::Blocking) => {
                if let Some(op) = entered.send {
                    if failed { self.withdraw(op) } else { self.finish_op(op) }
                }
            }
            Class::Recv(Start::Blocking)
            | Class::SendRecv(Start::Blocking)
            | Class::SendRecvReplace(Start::Blocking)
                if !may_have_received(class) =>
            {
                for op in [entered.send, entered.recv].into_iter().flatten() {
                    self.withdraw(op);
                }
            }
            Class::Recv(Start::Blocking) => {
                if let Some(op) = entered.recv {
                    self.end_recv(op, status_at(outs, s.status, 0), failed, false);
                }
            }
            Class::SendRecv(Start::Blocking) | Class::SendRecvReplace(Start::Blocking) => {
                if let Some(op) = entered.send {
                    self.finish_op(op);
                }
                if let Some(op) = entered.recv {
                    self.end_recv(op, status_at(outs, s.status, 0), failed, false);
                }
            }
            Class::Send(_, Start::Nonblocking)
            | Class::Recv(Start::Nonblocking)
            | Class::SendRecv(Start::Nonblocking)
            | Class::SendRecvReplace(Start::Nonblocking) => {
                if failed {
                    for op in [entered.send, entered.recv].into_iter().flatten() {
                        self.withdraw(op);
                    }
                } else {
                    let mut request = Request::new(origin, s.class);
                    (request.send, request.recv) = (entered.send, entered.recv);
                    self.add_request(request, s, outs);
                }
            }
            Class::Send(_, Start::Persistent)
            | Class::Recv(Start::Persistent)
            | Class::SendRecv(Start::Persistent)
            | Class::SendRecvReplace(Start::Persistent)
            | Class::PartitionedSend
            | Class::PartitionedRecv
            | Class::Collective(_, Start::Persistent)
                if !failed =>
            {
                let mut request = Request::new(origin, s.class);
                (request.persistent, request.active) = (true, false);
                self.add_request(request, s, outs);
            }
            Class::Mprobe(_) if !failed => self.matched_probe(origin, s, outs),
            Class::Mrecv(Start::Nonblocking) => self.matched_recv(origin, s, Start::Nonblocking, failed, outs),
            Class::Wait(many) => self.complete(origin, s, many, true, failed, outs),
            Class::Test(many) => self.complete(origin, s, many, false, failed, outs),
            Class::GetStatus(many) if !failed => self.peek(origin, s, many, outs),
            Class::RequestFree if !failed => {
                let (base, handles) = given_requests(&origin.ins, s);
                if let Some(id) = self.ranks[origin.rank as usize].requests.find_in(&handles, base, 0) {
                    self.free_request(origin.rank, id);
                }
            }
            Class::Cancel if !failed => {
                let (base, handles) = given_requests(&origin.ins, s);
                let requests = &mut self.ranks[origin.rank as usize].requests;
                if let Some(id) = requests.find_in(&handles, base, 0) {
                    requests.all[id].cancelled = true;
                }
            }
            Class::Collective(coll, start) => {
                self.note_topology(origin, s, coll, outs);
                if let Some((comm, index, _)) = entered.collective {
                    self.made_by(origin, s, comm, index, outs);
                } else if let Some(id) = int(outs, s.new_comm) {
                    // Where the other members of the parent are not known: told by its group and the order.
                    let objects = &mut self.ranks[origin.rank as usize].objects;
                    self.comms.register(origin.rank, objects, COMM, id as Id, None);
                }
                if start == Start::Nonblocking && !failed {
                    let mut request = Request::new(origin, s.class);
                    request.collective = entered.collective;
                    self.add_request(request, s, outs);
                } else if let Some((comm, index, position)) = entered.collective {
                    debug_assert!(is_blocking(origin.func) || failed);
                    self.part_done(comm, index, position);
                }
            }
            Class::CommCreateGroup | Class::CommFromGroup => {
                if let Some((comm, index, position)) = entered.collective {
                    self.made_by(origin, s, comm, index, outs);
                    self.part_done(comm, index, position);
                }
            }
            Class::IntercommCreate | Class::IntercommFromGroups => {
                if let Some((comm, index, position)) = entered.collective {
                    self.part_done(comm, index, position);
                }
                if let Some(id) = int(outs, s.new_comm) {
                    let objects = &mut self.ranks[origin.rank as usize].objects;
                    let tag = int(&origin.ins, s.tag).unwrap_or(0);
                    if let Some(key) = self.comms.inter_key(objects, id as Id, tag) {
                        self.comms.register(origin.rank, objects, COMM, id as Id, Some(key));
                    }
                }
            }
            Class::RmaRequest
            | Class::FileIo(Start::Nonblocking)
            | Class::BufferFlush(Start::Nonblocking)
            | Class::GrequestStart
                if !failed =>
            {
                self.add_request(Request::new(origin, s.class), s, outs);
            }
            _ => {}
        }
    }

    /// The kind of topology that a new communicator has.
    fn note_topology(&mut self, origin: &Origin, s: &Shape, coll: Coll, outs: &[Value]) {
        let Some(new) = int(outs, s.new_comm) else { return };
        let topologies = &mut self.ranks[origin.rank as usize].objects.topologies;
        let old = int(&origin.ins, s.comm).and_then(|old| topologies.get(&(old as Id)).copied());
        let kind = match coll {
            Coll::CartCreate | Coll::CartSub => Some(Topology::Grid),
            Coll::GraphCreate | Coll::DistGraphCreate | Coll::DistGraphCreateAdjacent => Some(Topology::Graph),
            Coll::CommDup | Coll::CommDupWithInfo => old,
            _ => None,
        };
        if let Some(kind) = kind {
            topologies.insert(new as Id, kind);
        }
    }

    /// Objects that a collective made.
    fn made_by(&mut self, origin: &Origin, s: &Shape, parent: CommIx, index: u64, outs: &[Value]) {
        let objects = &mut self.ranks[origin.rank as usize].objects;
        let rank = origin.rank;
        if let Some(id) = int(outs, s.new_comm)
            && let Some(first) = Comms::first_rank(objects, id as Id)
        {
            let key = CommKey::Child { parent, index, first };
            self.comms.register(rank, objects, COMM, id as Id, Some(key));
        }
        for (kind, place) in [(WIN, s.new_win), (FILE, s.new_file)] {
            if let Some(id) = int(outs, place) {
                let key = CommKey::Object { parent, index };
                self.comms.register(rank, objects, kind, id as Id, Some(key));
            }
        }
    }

    fn add_request(&mut self, request: Request, s: &Shape, outs: &[Value]) {
        let slot = int(&request.origin.ins, s.request).unwrap_or(0) as u64;
        let handle = int(outs, s.request).unwrap_or(0);
        self.ranks[request.origin.rank as usize].requests.add(request, handle, slot);
    }

    /// A receive is over.
    fn end_recv(&mut self, op: OpId, status: Option<Status>, failed: bool, asked_to_cancel: bool) {
        self.ops[op].got = status.and_then(|s| s.bytes).filter(|_| !failed);
        let o = &self.ops[op];
        if asked_to_cancel && status.is_some_and(|s| s.cancelled) {
            return self.withdraw(op);
        }
        if o.matched {
            return self.finish_op(op);
        }
        self.ops[op].done = true;
        match self.got(op, status) {
            Some((source, tag)) => self.settle(op, source, tag),
            // Nobody knows whether it got a message.
            None if failed => self.withdraw(op),
            None => {}
        }
    }

    /// Source (world rank) and tag of the message that a receive got, as far as its arguments and its status tell.
    fn got(&self, op: OpId, status: Option<Status>) -> Option<(i32, i32)> {
        let o = &self.ops[op];
        let (mut source, mut tag) = (o.peer, o.tag);
        if let Some(status) = status {
            if source == ANY_SOURCE && status.source >= 0 {
                let comm = &self.comms.list[o.comm as usize];
                let peers = comm.position(o.rank).map(|p| comm.peers(p));
                let known = peers.and_then(|g| g.get(status.source));
                source = known.filter(|r| *r >= 0 && (*r as usize) < self.ranks.len()).unwrap_or(ANY_SOURCE);
            }
            if tag == ANY_TAG && status.tag >= 0 {
                tag = status.tag;
            }
        }
        (source != ANY_SOURCE && tag != ANY_TAG).then_some((source, tag))
    }

    /// Which of the given requests a completion call completed, with the place of their status.
    fn completed(
        origin: &Origin,
        s: &Shape,
        many: Many,
        wait: bool,
        failed: bool,
        outs: &[Value],
    ) -> SmallVec<[(usize, usize); 4]> {
        let flag = wait || failed && many == Many::One || int(outs, s.flag).is_some_and(|f| f != 0);
        let count = match value(&origin.ins, s.request) {
            Value::Requests { handles, .. } | Value::Ints(handles) => handles.len(),
            Value::None => 0,
            _ => 1,
        };
        match many {
            Many::One | Many::All if flag => (0..count).map(|i| (i, i)).collect(),
            Many::One | Many::All => SmallVec::new(),
            Many::Any if flag => match int(outs, s.index) {
                Some(i) if i >= 0 && i != i64::from(UNDEFINED) => SmallVec::from_slice(&[(i as usize, 0)]),
                _ => SmallVec::new(),
            },
            Many::Any => SmallVec::new(),
            Many::Some => {
                let n = int(outs, s.index).unwrap_or(0);
                let indices = value(outs, s.indices).ints();
                indices.iter().take(n.max(0) as usize).enumerate().map(|(k, i)| (*i as usize, k)).collect()
            }
        }
    }

    fn complete(&mut self, origin: &Origin, s: &Shape, many: Many, wait: bool, failed: bool, outs: &[Value]) {
        let completed = Model::completed(origin, s, many, wait, failed, outs);
        if completed.is_empty() {
            return;
        }
        let (base, handles): (u64, &[i64]) = match value(&origin.ins, s.request) {
            Value::Request { slot, handle } => (*slot, std::slice::from_ref(handle)),
            Value::Requests { base, handles } => (*base, handles),
            Value::Int(handle) => (0, std::slice::from_ref(handle)),
            Value::Ints(handles) => (0, handles),
            _ => return,
        };
        for (i, k) in completed {
            let requests = &self.ranks[origin.rank as usize].requests;
            if let Some(id) = requests.find_in(handles, base, i) {
                self.complete_one(origin.rank, id, status_at(outs, s.status, k), failed);
            }
        }
    }

    fn complete_one(&mut self, rank: i32, id: ReqId, status: Option<Status>, failed: bool) {
        let requests = &mut self.ranks[rank as usize].requests;
        let Some(request) = requests.all.get_mut(id) else { return };
        let (send, recv, collective) = (request.send.take(), request.recv.take(), request.collective.take());
        let (was_active, cancelled) = (request.active, request.cancelled);
        request.active = false;
        if !request.persistent {
            requests.remove(id);
        }
        if !was_active {
            return;
        }
        if let Some(op) = send {
            if cancelled && status.is_some_and(|s| s.cancelled) { self.withdraw(op) } else { self.finish_op(op) }
        }
        if let Some(op) = recv {
            self.end_recv(op, status, failed, cancelled);
        }
        if let Some((comm, index, position)) = collective {
            self.part_done(comm, index, position);
        }
    }

    /// A status without completion: the receive has its message already, or was cancelled as asked.
    fn peek(&mut self, origin: &Origin, s: &Shape, many: Many, outs: &[Value]) {
        let (base, handles) = given_requests(&origin.ins, s);
        for (i, k) in Model::completed(origin, s, many, false, false, outs) {
            let requests = &mut self.ranks[origin.rank as usize].requests;
            let Some(id) = requests.find_in(&handles, base, i) else { continue };
            let Some(request) = requests.all.get_mut(id) else { continue };
            let status = status_at(outs, s.status, k);
            match (request.recv, request.cancelled) {
                (Some(op), false) => self.settle_by_status(op, status),
                (_, true) if status.is_some_and(|s| s.cancelled) => {
                    let ops = [request.send.take(), request.recv.take()];
                    ops.into_iter().flatten().for_each(|op| self.withdraw(op));
                }
                _ => {}
            }
        }
    }

    /// Says what a receive got that the program has not completed yet.
    fn settle_by_status(&mut self, op: OpId, status: Option<Status>) {
        self.ops[op].got = status.and_then(|s| s.bytes);
        if !self.ops[op].matched
            && let Some((source, tag)) = self.got(op, status)
        {
            self.settle(op, source, tag);
        }
    }

    fn free_request(&mut self, rank: i32, id: ReqId) {
        let Some(request) = self.ranks[rank as usize].requests.remove(id) else { return };
        if request.cancelled {
            // Nobody will say whether it was in time.
            for op in [request.send, request.recv].into_iter().flatten() {
                self.ops[op].dim = true;
            }
        }
        if let Some(op) = request.send {
            self.finish_op(op);
        }
        if let Some(op) = request.recv {
            // Nobody will say what it got; if it named its source and tag, that is known.
            self.end_recv(op, None, false, false);
        }
        if let Some((comm, index, position)) = request.collective {
            self.part_done(comm, index, position);
        }
    }

    /// A matched probe takes its message at its return; the receive is called later.
    fn matched_probe(&mut self, origin: &Arc<Origin>, s: &Shape, outs: &[Value]) {
        if s.flag != NONE && int(outs, s.flag) == Some(0) {
            return;
        }
        let handle = int(outs, s.message).unwrap_or(0);
        if handle == 0 || handle == MESSAGE_NO_PROC {
            return;
        }
        let Some(target) = self.target(origin, s.peer, s.tag, s) else { return };
        let op = self.new_op(Op::new(OpKind::Recv, origin, None, target, None));
        self.post_recv(op);
        self.ranks[origin.rank as usize].messages.entry(handle).or_default().push(op);
        self.settle_by_status(op, status_at(outs, s.status, 0));
    }

    fn matched_recv(&mut self, origin: &Arc<Origin>, s: &Shape, start: Start, failed: bool, outs: &[Value]) {
        let handle = int(&origin.ins, s.message).unwrap_or(0);
        let data = self.data(origin, s.recv);
        let messages = self.ranks[origin.rank as usize].messages.get_mut(&handle);
        let op = messages.and_then(|m| (!m.is_empty()).then(|| m.remove(0)));
        if let Some(op) = op {
            let posted = std::mem::replace(&mut self.ops[op].origin, origin.clone());
            self.ops[op].at = Some(posted);
            self.ops[op].done = start == Start::Blocking;
            self.supply(op, data);
        }
        if start == Start::Nonblocking && !failed {
            let mut request = Request::new(origin, s.class);
            request.recv = op.filter(|op| self.ops.get(*op).is_some());
            self.add_request(request, s, outs);
        }
    }
}

impl Op {
    fn new(kind: OpKind, origin: &Arc<Origin>, start: Option<&Arc<Origin>>, target: Target, data: Option<Data>) -> Op {
        Op {
            kind,
            rank: origin.rank,
            comm: target.comm,
            peer: target.peer,
            tag: target.tag,
            data,
            origin: origin.clone(),
            start: start.cloned(),
            matched: false,
            done: false,
            order: 0,
            waiting_partner: None,
            dim: false,
            at: None,
            got: None,
            sum: None,
            met: None,
        }
    }
}
