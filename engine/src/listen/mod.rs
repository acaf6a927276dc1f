//! What the engine tells of a run beside findings, to those who count or draw it: calls, messages, collective operations,
//! communicators. Nothing is kept for them if nobody listens.

mod volume;

use crate::clocks::Clock;
use crate::model::{CommIx, Instance, Mate, Member, Model, Op, OpId, Origin, Part, int};
use crate::shape::{Shape, shape};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use trace_format::annotations::is_annotation;
use trace_format::definition::Id;
use trace_format::mpi::{FnId, Kind, special};
use trace_format::ranks::Ranks;
use trace_format::system::SystemEvent;
use trace_reader::args::Args;

/// Takes what happened, rank by rank in each rank's order; ranks in any interleaving.
///
/// Times are in ticks of the rank that they are about; see [`Listener::introduce`].
pub trait Listener: Send {
    /// The clock of a rank. Comes before anything else about it.
    fn introduce(&mut self, _rank: i32, _host: &str, _clock: Clock) {}
    /// A call has returned, or the run ended in it ([`CallSeen::end`] is `None`).
    fn call(&mut self, _call: &Returned) {}
    /// A message was sent and received, both sides are done with it or the run is over.
    fn message(&mut self, _message: &Message) {}
    /// A send or receive without its other half at the end of the run.
    fn alone(&mut self, _half: &Half, _is_send: bool) {}
    /// All processes are done with a collective operation, or the run is over.
    fn collective(&mut self, _collective: &Collective) {}
    /// A communicator, window or file, at the end of the run or earlier. It may come again; the last word counts.
    fn communicator(&mut self, _communicator: &Communicator) {}
    /// What else a rank's trace tells: marks of the program, samples, signals.
    fn system(&mut self, _rank: i32, _thread: u16, _time: u64, _event: &SystemEvent) {}
}

/// The caller of the engine keeps a clone to read what was collected.
impl<T: Listener> Listener for Arc<Mutex<T>> {
    fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        self.lock().unwrap_or_else(PoisonError::into_inner).introduce(rank, host, clock);
    }

    fn call(&mut self, call: &Returned) {
        self.lock().unwrap_or_else(PoisonError::into_inner).call(call);
    }

    fn message(&mut self, message: &Message) {
        self.lock().unwrap_or_else(PoisonError::into_inner).message(message);
    }

    fn alone(&mut self, half: &Half, is_send: bool) {
        self.lock().unwrap_or_else(PoisonError::into_inner).alone(half, is_send);
    }

    fn collective(&mut self, collective: &Collective) {
        self.lock().unwrap_or_else(PoisonError::into_inner).collective(collective);
    }

    fn communicator(&mut self, communicator: &Communicator) {
        self.lock().unwrap_or_else(PoisonError::into_inner).communicator(communicator);
    }

    fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        self.lock().unwrap_or_else(PoisonError::into_inner).system(rank, thread, time, event);
    }
}

/// Several listeners, each of which is told everything.
impl Listener for Vec<Box<dyn Listener>> {
    fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        self.iter_mut().for_each(|l| l.introduce(rank, host, clock));
    }

    fn call(&mut self, call: &Returned) {
        self.iter_mut().for_each(|l| l.call(call));
    }

    fn message(&mut self, message: &Message) {
        self.iter_mut().for_each(|l| l.message(message));
    }

    fn alone(&mut self, half: &Half, is_send: bool) {
        self.iter_mut().for_each(|l| l.alone(half, is_send));
    }

    fn collective(&mut self, collective: &Collective) {
        self.iter_mut().for_each(|l| l.collective(collective));
    }

    fn communicator(&mut self, communicator: &Communicator) {
        self.iter_mut().for_each(|l| l.communicator(communicator));
    }

    fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        self.iter_mut().for_each(|l| l.system(rank, thread, time, event));
    }
}

/// A call, as those who count and draw need it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallSeen {
    pub rank: i32,
    pub thread: u16,
    pub func: FnId,
    /// Place in the thread's sequence of calls, from 0.
    pub index: u64,
    /// Stack definition of the call site; 0: none.
    pub site: Id,
    /// When it was called.
    pub begin: u64,
    /// When it returned; `None`: it had not when the engine spoke of it.
    pub end: Option<u64>,
}

impl CallSeen {
    fn new(origin: &Origin) -> CallSeen {
        let end = origin.end();
        CallSeen {
            rank: origin.rank,
            thread: origin.thread,
            func: origin.func,
            index: origin.index,
            site: origin.site,
            begin: origin.time,
            end: (end != u64::MAX).then_some(end),
        }
    }
}

/// A call with what it was given and answered.
#[derive(Debug)]
pub struct Returned<'a> {
    pub call: CallSeen,
    /// How many more times the same poll was made with the same negative answer. The times are those of the whole row.
    pub polls: u32,
    /// Error class as in [`trace_reader::call::Outcome::Returned`]; 0 is success. `None`: it did not return.
    pub class: Option<u16>,
    /// When the call, or the last of its polls, returned.
    pub last: Option<u64>,
    /// What it sends, or what it says to have received; `None`: neither, or it is not known.
    pub bytes: Option<u64>,
    pub ins: &'a Args,
    pub outs: &'a Args,
}

/// One side of a message, or a part of a collective operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Half {
    /// The call that started it.
    pub call: CallSeen,
    /// The call in which the program learnt that it is over (the same one if it blocks); `None`: it never did.
    pub ended: Option<CallSeen>,
    /// What was sent, or what the receive says it got; `None`: unknown.
    pub bytes: Option<u64>,
    /// [`Communicator::number`]
    pub comm: u32,
    /// The other side, as the call named it or as it turned out; of a collective operation its root. -1: nobody knows, or
    /// there is none.
    pub peer: i32,
    pub tag: i32,
}

/// A send and the receive that got it.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub send: Half,
    pub recv: Half,
}

impl Message {
    /// What a receive from anybody left open, its send says.
    fn of(send: Half, recv: Half) -> Message {
        Message { send, recv: Half { peer: send.call.rank, tag: send.tag, ..recv } }
    }
}

/// A collective operation with the parts that came, by their place in the communicator.
#[derive(Debug)]
pub struct Collective<'a> {
    pub comm: u32,
    pub parts: &'a [Half],
    /// Processes of the communicator.
    pub size: usize,
}

/// A communicator, window or file of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Communicator {
    /// Never given to another one.
    pub number: u32,
    pub kind: Kind,
    pub name: Option<String>,
    /// World ranks (see [`crate::worlds`]) in the order of the group.
    pub ranks: Ranks,
    /// The other group of an intercommunicator.
    pub remote: Option<Ranks>,
}

/// The listeners.
#[derive(Default)]
pub(crate) struct Listening {
    listener: Option<Box<dyn Listener>>,
    /// The call that begins or returns just now.
    now: Option<Rc<Origin>>,
}

impl Listening {
    pub(crate) fn listen(&mut self, listener: Box<dyn Listener>) {
        self.listener = Some(listener);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.listener.is_some()
    }

    pub(crate) fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        self.listener.iter_mut().for_each(|l| l.introduce(rank, host, clock));
    }

    pub(crate) fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        self.listener.iter_mut().for_each(|l| l.system(rank, thread, time, event));
    }

    /// What ends now ends in this call.
    pub(crate) fn begin(&mut self, origin: &Rc<Origin>) {
        if self.is_on() {
            self.now = Some(origin.clone());
        }
    }

    /// The call that ends what ends now, if anybody wants to know.
    pub(crate) fn ending_call(&self) -> Option<Rc<Origin>> {
        self.now.clone()
    }

    /// A call has returned, the last of its polls at `last`.
    fn returned(&mut self, origin: &Origin, polls: u32, (class, last): (u16, u64), bytes: Option<u64>, outs: &Args) {
        if let Some(listener) = &mut self.listener {
            let (call, class, last) = (CallSeen::new(origin), Some(class), Some(last));
            listener.call(&Returned { call, polls, class, last, bytes, ins: &origin.ins, outs });
        }
    }

    /// The call of now ends nothing that the program would learn of; the answer is for [`Listening::go_on`].
    pub(crate) fn look_away(&mut self) -> Option<Rc<Origin>> {
        self.now.take()
    }

    pub(crate) fn go_on(&mut self, now: Option<Rc<Origin>>) {
        self.now = now;
    }

    /// A collective operation is over. `group` knows which process the one at a place calls by a rank.
    pub(crate) fn over(&mut self, comm: u32, instance: &Instance, group: &dyn Fn(u32, i32) -> Option<i32>) {
        let Some(listener) = &mut self.listener else { return };
        let half = |(position, part): (usize, &Part)| Half {
            call: CallSeen::new(part.shown()),
            ended: part.ended.as_deref().map(CallSeen::new),
            bytes: None,
            comm,
            peer: match int(&part.call.ins, shape(part.call.func).root).and_then(|r| i32::try_from(r).ok()) {
                Some(special::ROOT) => part.call.rank,
                Some(root) => group(position as u32, root).unwrap_or(-1),
                None => -1,
            },
            tag: 0,
        };
        let parts = instance.parts.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        let parts: Vec<Half> = parts.map(half).collect();
        listener.collective(&Collective { comm, parts: &parts, size: instance.parts.len() });
    }
}

impl Model {
    /// A call has returned, the last of its polls at `last`.
    pub(crate) fn hear_return(&mut self, origin: &Origin, polls: u32, (class, last): (u16, u64), outs: &Args) {
        // What the program says to mpivet comes as an event of its own.
        if self.listening.is_on() && !is_annotation(origin.func, origin.ins.get(0).int()) {
            let bytes = volume::of_call(self, origin, outs).filter(|_| class == 0);
            self.listening.returned(origin, polls, (class, last), bytes, outs);
        }
    }

    /// The two are one message.
    pub(crate) fn hear_pair(&mut self, send: OpId, recv: OpId) {
        if self.listening.is_on() {
            self.ops[send].heard.get_or_insert_default().mate = Mate::Op(recv);
            self.ops[recv].heard.get_or_insert_default().mate = Mate::Op(send);
        }
    }

    /// The program learns now that the operation is over.
    pub(crate) fn hear_end(&mut self, op: OpId) {
        if let Some(now) = &self.listening.now
            && let Some(o) = self.ops.get_mut(op)
        {
            o.heard.get_or_insert_default().ended.get_or_insert_with(|| now.clone());
        }
    }

    /// Forgets an operation; its message is told of when both halves are forgotten.
    pub(crate) fn forget_op(&mut self, op: OpId) {
        if !self.listening.is_on() {
            return self.drop_op(op);
        }
        if let Some(op) = self.ops.remove(op) {
            let half = self.half(&op);
            match op.heard.map(|h| h.mate) {
                Some(Mate::Op(other)) => {
                    if let Some(heard) = self.ops.get_mut(other).and_then(|o| o.heard.as_mut()) {
                        heard.mate = Mate::Gone(half);
                    }
                }
                Some(Mate::Gone(other)) => {
                    self.tell_message(half, other, matches!(op.kind, crate::model::OpKind::Send(_)))
                }
                Some(Mate::Nobody) | None => {}
            }
        }
    }

    fn tell_message(&mut self, half: Half, other: Half, is_send: bool) {
        if let Some(listener) = &mut self.listening.listener {
            let (send, recv) = if is_send { (half, other) } else { (other, half) };
            listener.message(&Message::of(send, recv));
        }
    }

    fn half(&self, op: &Op) -> Half {
        let sent = op.data.and_then(|d| d.amount.bytes).filter(|_| op.is_send());
        Half {
            call: CallSeen::new(op.shown()),
            ended: op.heard.as_ref().and_then(|h| h.ended.as_deref()).map(CallSeen::new),
            bytes: sent.or(op.got),
            comm: self.comms.list.get(op.comm).map_or(0, |c| c.serial),
            peer: op.peer,
            tag: op.tag,
        }
    }

    /// The run is over: what is still under way.
    pub(crate) fn tell_the_rest(&mut self) {
        let Some(mut listener) = self.listening.listener.take() else { return };
        let is_told = |open: &&crate::model::OpenCall| !is_annotation(open.origin.func, open.origin.ins.get(0).int());
        for open in self.ranks.iter().flat_map(crate::model::Rank::open_calls).filter(is_told) {
            let call = CallSeen::new(&open.origin);
            let ins = &open.origin.ins;
            listener.call(&Returned {
                call,
                polls: 0,
                class: None,
                last: None,
                bytes: None,
                ins,
                outs: &Args::default(),
            });
        }
        let under_way = self.under_way();
        for (id, op) in self.ops.iter() {
            let half = self.half(op);
            match op.heard.as_ref().map_or(&Mate::Nobody, |h| &h.mate) {
                Mate::Gone(other) if op.is_send() => listener.message(&Message::of(half, *other)),
                Mate::Gone(other) => listener.message(&Message::of(*other, half)),
                Mate::Op(other) if op.is_send() => match self.ops.get(*other) {
                    Some(recv) => listener.message(&Message::of(half, self.half(recv))),
                    None => debug_assert!(false, "operation {id} has lost its other half"),
                },
                Mate::Op(_) => {}
                Mate::Nobody => match under_way.get(&id) {
                    Some(other) if op.is_send() => {
                        let recv = self.ops.get(*other).map(|recv| self.half(recv));
                        recv.iter().for_each(|recv| listener.message(&Message::of(half, *recv)));
                    }
                    Some(_) => {}
                    None => listener.alone(&half, op.is_send()),
                },
            }
        }
        self.listening.listener = Some(listener);
        for (_, comm) in self.comms.list.iter() {
            let group = |position: u32, rank: i32| comm.peers(position).get(rank);
            comm.space.open().for_each(|(_, instance)| self.listening.over(comm.serial, instance, &group));
        }
        self.tell_communicators();
    }

    /// A process frees a communicator, window or file; the first one of its group speaks for all.
    pub(crate) fn tell_freed(&mut self, origin: &Origin, s: &Shape, member: Member) {
        if self.listening.is_on() && member.position == 0 {
            let (kind, place) = s.ordering_object();
            let id = int(&origin.ins, place).unwrap_or(0) as Id;
            let name = self.ranks[origin.rank as usize].names.get(&(kind, id)).cloned();
            self.tell_communicator(member.ix, kind, name);
        }
    }

    /// Messages that can only go to one receive, which the program has not completed: both halves, each with its other one.
    fn under_way(&self) -> FxHashMap<OpId, OpId> {
        let mailboxes = self.comms.list.iter().flat_map(|(_, comm)| comm.boxes.values());
        let pairs = mailboxes.flat_map(|mailbox| mailbox.leftovers()).filter(|(_, _, sole)| *sole);
        pairs.flat_map(|(recv, send, _)| [(recv, send), (send, recv)]).collect()
    }

    /// The communicators, windows and files that ranks know now.
    pub(crate) fn tell_communicators(&mut self) {
        if !self.listening.is_on() {
            return;
        }
        let mut known: FxHashMap<CommIx, (Kind, Option<String>)> = FxHashMap::default();
        for r in &self.ranks {
            for ((kind, id), member) in &r.objects.members {
                let Some(member) = member else { continue };
                let entry = known.entry(member.ix).or_insert((*kind, None));
                // The same name on all ranks, by rights; the smallest for the same answer each time.
                let name = r.names.get(&(*kind, *id)).cloned();
                entry.1 = entry.1.take().into_iter().chain(name).min();
            }
        }
        let mut known: Vec<(u32, CommIx, Kind, Option<String>)> = known
            .into_iter()
            .filter_map(|(ix, (kind, name))| Some((self.comms.list.get(ix)?.serial, ix, kind, name)))
            .collect();
        known.sort_unstable_by_key(|k| k.0);
        for (_, ix, kind, name) in known {
            self.tell_communicator(ix, kind, name);
        }
    }

    fn tell_communicator(&mut self, ix: CommIx, kind: Kind, name: Option<String>) {
        let (Some(comm), Some(listener)) = (self.comms.list.get(ix), &mut self.listening.listener) else { return };
        let name = name.or_else(|| comm.predefined_name().map(str::to_owned));
        let (ranks, remote) = (comm.a.iter().collect(), comm.b.as_ref().map(|b| b.iter().collect()));
        listener.communicator(&Communicator { number: comm.serial, kind, name, ranks, remote });
    }
}
