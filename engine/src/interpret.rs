//! What a call does to its rank and to the run: at its start (operations begin), and at its return (operations end,
//! objects appear).

mod bridges;
mod completion;
mod returns;

use super::comms::{CommIx, CommKey, Member};
use super::concurrent::Misused;
use super::facts::{End, Origin, Pattern};
use super::frees::is_free;
use super::indexed::NOWHERE;
use super::p2p::{Data, Op, OpId, OpKind};
use super::requests::{ReqId, Request};
use super::shape::{NONE, Place, Shape, Side};
use super::types::Amount;
use super::{Model, OpenCall};
pub(crate) use bridges::Bridge;
use std::cell::Cell;
use std::rc::Rc;
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::mpi::predefined::{UNKNOWN_ERROR_CLASS, error_class_name};
use trace_format::mpi::special::{ANY_SOURCE, PROC_NULL};
use trace_format::mpi::{Class, Kind, SendMode, Start, Status};
use trace_reader::args::{Arg, Args};
use trace_reader::call::{Call, Outcome};
use trace_reader::reader::{Own, Repeat, own_of};

/// May a receive that ended with this error class have taken a message?
fn may_have_received(class: u16) -> bool {
    let received = matches!(error_class_name(class), "MPI_ERR_TRUNCATE" | "MPI_ERR_IN_STATUS");
    class == 0 || class == UNKNOWN_ERROR_CLASS || received
}

/// Does this error class of a collective call say that its arguments were refused, before anything was sent?
fn is_refused(class: u16) -> bool {
    let arguments = ["BUFFER", "COUNT", "TYPE", "COMM", "ROOT", "OP", "ARG"];
    error_class_name(class).strip_prefix("MPI_ERR_").is_some_and(|name| arguments.contains(&name))
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
    /// The window of one-sided synchronisation.
    pub(crate) window: Option<CommIx>,
    /// Of MPI_Intercomm_create.
    pub(crate) bridge: Option<Bridge>,
}

/// Where a send goes or a receive or probe looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) comm: CommIx,
    /// World rank, or ANY_SOURCE.
    pub(crate) peer: i32,
    pub(crate) tag: i32,
}

fn value(values: &Args, place: Place) -> Arg<'_> {
    if place == NONE { Arg::None } else { values.get(place.into()) }
}

/// An integer argument or handle at its place.
#[inline]
pub fn int(values: &Args, place: Place) -> Option<i64> {
    if place == NONE { None } else { values.int(place.into()) }
}

fn status_at(outs: &Args, place: Place, i: usize) -> Option<Status> {
    match value(outs, place) {
        Arg::Status(status) => Some(status),
        Arg::Statuses(all) => all.get(i).copied(),
        _ => None,
    }
}

impl Model {
    /// A call that is open or has returned.
    pub(super) fn call(&mut self, rank: i32, call: &mut Call<Args>) {
        let Call { thread, index, outcome, t_call, t_return, .. } = *call;
        let pattern = self.keep(rank, call);
        let own = own_of(pattern.fields, &pattern.ins, &pattern.outs);
        self.made(rank, (thread, index), (t_call, t_return), outcome, (pattern, own));
    }

    /// What a call has in common with others, which is kept for them if the call says where. It has no values any more.
    pub(super) fn keep(&mut self, rank: i32, call: &mut Call<Args>) -> Rc<Pattern> {
        let (ins, outs) = (std::mem::take(&mut call.ins), std::mem::take(&mut call.outs));
        let pattern = Rc::new(Pattern::new(call.func, call.site, ins, outs, call.polls));
        if let Some(place) = call.slot.map(usize::from) {
            let kept = &mut self.ranks[rank as usize].thread(call.thread).kept;
            if kept.len() <= place {
                kept.resize(place + 1, None);
            }
            kept[place] = Some(pattern.clone());
        }
        pattern
    }

    /// A call that repeats a kept one.
    #[inline]
    pub(super) fn repeat(&mut self, rank: i32, repeat: &Repeat) {
        let Repeat { slot, thread, class, index, t_call, t_return, own } = *repeat;
        let kept = &self.ranks[rank as usize].thread(thread).kept;
        let Some(pattern) = kept.get(usize::from(slot)).cloned().flatten() else {
            debug_assert!(false, "call {index} of rank {rank} repeats one that was not kept");
            return self.lose_sight();
        };
        self.made(rank, (thread, index), (t_call, t_return), Outcome::Returned(class), (pattern, own));
    }

    fn made(
        &mut self,
        rank: i32,
        (thread, index): (u16, u64),
        (time, t_return): (u64, u64),
        outcome: Outcome,
        (pattern, own): (Rc<Pattern>, Own),
    ) {
        let polls = pattern.polls;
        let end = match outcome {
            Outcome::Open => u64::MAX,
            // Several calls in one record: when each of them was is not known.
            Outcome::Returned(_) if polls > 0 => time,
            Outcome::Returned(_) => t_return,
        };
        let origin = self.origin(Origin { rank, time, end: Cell::new(end), thread, index, own, pattern });
        let s = origin.shape;
        let r = &mut self.ranks[rank as usize];
        r.calls += 1 + u64::from(polls);
        r.events += 1;
        r.now = r.now.max(time);
        let is_late = r.finalize.is_some();
        let before = r.thread(thread).last.replace(origin.clone());
        if !matches!(s.class, Class::Abort) {
            r.went_on = r.went_on.max(time);
            // It handles the signal. Of which thread that was may be unknown.
            let alone = r.threads.len() == 1;
            r.signal.take_if(|s| s.thread.map_or(alone, |t| t == thread));
        }
        before.into_iter().for_each(|before| self.recycle(before));
        if is_late {
            self.after_finalize(&origin);
        }
        match outcome {
            Outcome::Open => {
                let entered = self.enter(&origin, s, None);
                self.ranks[rank as usize].thread(thread).open.push(OpenCall { origin, entered });
            }
            Outcome::Returned(class) => {
                let r = &mut self.ranks[rank as usize];
                r.events += 1;
                let plain = class == 0 && !r.sums && !self.blind && !self.listening.is_on();
                if plain && r.thread(thread).polls.all().is_empty() && self.quick(&origin, s) {
                    return;
                }
                let entered = self.enter(&origin, s, Some(class));
                let outs = &origin.outs;
                self.leave(&origin, s, entered, class, outs);
                self.hear_return(&origin, polls, (class, t_return), outs);
                if !self.blind {
                    self.note_poll(&origin, entered, class != 0, outs, 1 + u64::from(polls));
                }
            }
        }
    }

    /// A call of the kinds that are made most often, which has returned without an error: what [`Model::enter`] and
    /// [`Model::leave`] do with it. False for other calls.
    #[inline]
    fn quick(&mut self, origin: &Rc<Origin>, s: &Shape) -> bool {
        let (mut send, mut recv) = (None, None);
        match s.class {
            Class::Local if !s.hands_out => return true,
            Class::Send(mode, Start::Nonblocking) => send = self.start_send(origin, None, s, mode),
            Class::Recv(Start::Nonblocking) => recv = self.start_recv(origin, None, s.peer, s.tag, s),
            _ => return false,
        }
        let mut request = Request::new(origin, s.class);
        (request.send, request.recv) = (send, recv);
        self.add_request(request, &origin.outs);
        true
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
        outs: &Args,
    ) {
        let r = &mut self.ranks[rank as usize];
        r.events += 1;
        r.calls += u64::from(polls);
        r.now = r.now.max(time);
        let open = &mut self.ranks[rank as usize].thread(thread).open;
        // The innermost call returns; those that were left by a jump pile up in front.
        let Some(place) = open.iter().rposition(|o| o.origin.index == index) else {
            return self.note_repeated(rank, thread, index, polls.into());
        };
        let OpenCall { origin, entered } = open.remove(place);
        // What happened between the polls is not known: the first of them says nothing of a time.
        origin.end.set(if polls > 0 { origin.time } else { time });
        self.leave(&origin, origin.shape, entered, class, outs);
        self.hear_return(&origin, polls, (class, time), outs);
        if !self.blind {
            self.note_poll(&origin, entered, class != 0, outs, 1 + u64::from(polls));
        }
    }

    /// The start of a call. `class`: its result, where it is known already.
    fn enter(&mut self, origin: &Rc<Origin>, s: &Shape, class: Option<u16>) -> Entered {
        let mut entered = Entered::default();
        self.listening.begin(origin);
        if self.blind && !matches!(s.class, Class::Finalize | Class::Abort) {
            return entered;
        }
        self.tell_unseen(s.class);
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
                        self.tell_freed(origin, s, m);
                    }
                    if !class.is_some_and(is_refused) {
                        entered.collective = Some((m.ix, self.arrive(m.ix, m.position, origin, None), m.position));
                    }
                }
            }
            Class::CommCreateGroup | Class::CommFromGroup => {
                let rank = origin.rank;
                let group = int(&origin.ins, s.group).unwrap_or(0) as Id;
                let most = self.ranks.len();
                let objects = &mut self.ranks[rank as usize].objects;
                if let Some(ranks) = objects.groups.get(&group).filter(|g| g.len() <= most).cloned() {
                    let id = int(&origin.ins, s.comm);
                    let parent =
                        id.and_then(|id| self.comms.resolve(rank, objects, Kind::Comm, id as Id)).map(|m| m.ix);
                    let tag = int(&origin.ins, s.tag).unwrap_or(0);
                    let text = match value(&origin.ins, s.text) {
                        Arg::Str(text) => text.to_owned(),
                        _ => String::new(),
                    };
                    let key = CommKey::GroupCalls { parent, ranks, tag, text };
                    if let Some(m) = self.comms.group_calls(rank, key) {
                        entered.collective = Some((m.ix, self.arrive(m.ix, m.position, origin, None), m.position));
                    }
                }
            }
            Class::IntercommCreate | Class::IntercommFromGroups => self.enter_bridge(origin, s, &mut entered),
            Class::StartOne | Class::StartAll => {
                let (base, handles) = origin.requests();
                for i in 0..handles.len() {
                    let requests = &self.ranks[origin.rank as usize].requests;
                    if let Some(id) = requests.find_in(handles, base, i) {
                        self.start_persistent(origin, id);
                    }
                }
            }
            Class::Wait(_) | Class::Test(_) if self.has_threads(origin.rank) => self.claim(origin),
            Class::Probe(Start::Blocking) | Class::Mprobe(Start::Blocking) if class.is_none() => {
                entered.target = self.target(origin, s.peer, s.tag, s);
            }
            // At its start: the message is there, and what is wrong with its size may keep the call from returning.
            Class::Mrecv(Start::Blocking) => self.matched_recv(origin, s, Start::Blocking, false, &Args::default()),
            Class::RmaSync(sync) => entered.window = self.enter_epoch(origin, sync),
            // At its start: whoever waits may return before it does.
            Class::GrequestComplete => self.grequest_complete(origin),
            Class::Finalize => self.begin_finalize(origin),
            Class::Abort => self.ranks[origin.rank as usize].abort = Some(origin.clone()),
            _ => {}
        }
        entered
    }

    /// A thread begins to complete requests: no other may be about it.
    fn claim(&mut self, origin: &Rc<Origin>) {
        let (base, handles) = origin.requests();
        for i in 0..handles.len() {
            let requests = &mut self.ranks[origin.rank as usize].requests;
            let Some(id) = requests.certain(handles, base, i) else { continue };
            let Some(request) = requests.get_mut(id).filter(|r| r.active) else { continue };
            let what = Misused::Request(request.start.as_ref().unwrap_or(&request.origin).clone());
            if let Some(first) = request.claim.replace(origin.clone()) {
                self.note_use(what, &first, origin);
            }
        }
    }

    /// The object that a call names.
    pub(super) fn resolve(&mut self, origin: &Origin, kind: Kind, id: Id) -> Option<Member> {
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
        let (kind, place) = s.ordering_object();
        let id = int(&origin.ins, place)? as Id;
        let m = self.resolve(origin, kind, id)?;
        (!self.comms.list[m.ix].foreign).then_some(m)
    }

    /// Where the call sends to or looks; `None` for nobody (MPI_PROC_NULL), or where mpivet cannot know.
    pub(crate) fn target(&mut self, origin: &Origin, peer: Place, tag: Place, s: &Shape) -> Option<Target> {
        let id = int(&origin.ins, s.comm)? as Id;
        let m = self.resolve(origin, Kind::Comm, id)?;
        let comm = &self.comms.list[m.ix];
        let peer = int(&origin.ins, peer)? as i32;
        let peer = match peer {
            ANY_SOURCE => ANY_SOURCE,
            PROC_NULL => return None,
            p => comm.peers(m.position).get(p).filter(|r| *r >= 0 && (*r as usize) < self.ranks.len())?,
        };
        Some(Target { comm: m.ix, peer, tag: int(&origin.ins, tag)? as i32 })
    }

    /// One half of a message: whom the call sends to or receives from at these places, and how much.
    fn end(
        &mut self,
        origin: &Origin,
        (peer, tag, side): (Place, Place, Side),
        s: &Shape,
        found: &Cell<Option<End>>,
    ) -> Option<(Target, Option<Data>)> {
        let end = match found.get().filter(|end| end.epoch == self.epoch) {
            Some(end) => end,
            None => {
                let target = self.target(origin, peer, tag, s)?;
                let end = End { target, amount: self.data(origin, side).amount, epoch: self.epoch };
                found.set(Some(end));
                end
            }
        };
        Some((end.target, Some(Data { amount: end.amount })))
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
        origin: &Rc<Origin>,
        start: Option<&Rc<Origin>>,
        s: &Shape,
        mode: SendMode,
    ) -> Option<OpId> {
        let (target, data) = self.end(origin, (s.peer, s.tag, s.send), s, &origin.found.send)?;
        let op = self.new_op(Op::new(OpKind::Send(mode), origin, start, target, data));
        self.tell_start(op);
        self.post_send(op);
        Some(op)
    }

    fn start_recv(
        &mut self,
        origin: &Rc<Origin>,
        start: Option<&Rc<Origin>>,
        peer: Place,
        tag: Place,
        s: &Shape,
    ) -> Option<OpId> {
        let (target, data) = self.end(origin, (peer, tag, s.recv), s, &origin.found.recv)?;
        let op = self.new_op(Op::new(OpKind::Recv, origin, start, target, data));
        self.tell_start(op);
        self.post_recv(op);
        Some(op)
    }

    fn start_persistent(&mut self, start: &Rc<Origin>, id: ReqId) {
        let rank = start.rank as usize;
        let Some(request) = self.ranks[rank].requests.get_mut(id) else { return };
        if !request.persistent || request.active {
            return;
        }
        request.active = true;
        request.perhaps_gone = false;
        let made = request.made.as_deref().copied();
        request.made.iter_mut().for_each(|made| made.starts += 1);
        (request.cancelled, request.seen_complete) = (false, false);
        request.start = Some(start.clone());
        let (origin, class) = (request.origin.clone(), request.class);
        let s = origin.shape;
        let (mut send, mut recv, mut collective) = (None, None, None);
        match class {
            Class::Send(mode, _) => send = self.start_send(&origin, Some(start), s, mode),
            Class::Recv(_) => recv = self.start_recv(&origin, Some(start), s.peer, s.tag, s),
            Class::Collective(..) => {
                if let Some(m) = self.collective_object(&origin, s) {
                    self.ranks[rank].collectives += 1;
                    // Where it was not known what it was made on, its number is not known either.
                    self.comms.list[m.ix].space.tangled |= made.is_none();
                    let start = made.map(|made| (start, made));
                    collective = Some((m.ix, self.arrive(m.ix, m.position, &origin, start), m.position));
                }
            }
            Class::PartitionedSend | Class::PartitionedRecv => self.start_partitioned(start.rank, id),
            _ => {}
        }
        if let Some(request) = self.ranks[rank].requests.get_mut(id) {
            (request.send, request.recv, request.collective) = (send, recv, collective);
        }
    }
}

impl Op {
    fn new(kind: OpKind, origin: &Rc<Origin>, start: Option<&Rc<Origin>>, target: Target, data: Option<Data>) -> Op {
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
            mailbox: NOWHERE,
            waiting_partner: None,
            dim: false,
            at: None,
            got: None,
            sum: None,
            met: None,
            replayed: None,
            told: false,
            heard: None,
        }
    }
}
