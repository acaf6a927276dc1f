//! Listeners are told of the run.

use super::volume;
use crate::arg_places::ArgPlaces;
use crate::listeners::{Communicator, Message, Returned};
use crate::model::Model;
use crate::state::{CallSeen, CommIx, Counterpart, Half, Member, Op, OpId, Origin};
use rustc_hash::FxHashMap;
use trace_format::annotations::is_annotation;
use trace_format::definition::Id;
use trace_format::mpi::Kind;
use trace_reader::args::Args;

impl Model {
    /// A call has returned, the last of its polls at `last`.
    pub(crate) fn hear_return(&mut self, origin: &Origin, polls: u32, (class, last): (u16, u64), outs: &Args) {
        // Annotations of the program come as events of their own.
        if self.listeners.is_on() && !is_annotation(origin.func, origin.arg(0).int()) {
            let bytes = volume::of_call(self, origin, outs).filter(|_| class == 0);
            self.listeners.returned(origin, polls, (class, last), bytes, outs);
        }
    }

    /// The two are one message.
    pub(crate) fn hear_pair(&mut self, send: OpId, recv: OpId) {
        if self.listeners.is_on() {
            self.ops[send].listener_notes_mut().counterpart = Counterpart::Op(recv);
            self.ops[recv].listener_notes_mut().counterpart = Counterpart::Op(send);
        }
    }

    /// The program learns now that the operation is over.
    pub(crate) fn hear_end(&mut self, op: OpId) {
        if let Some(now) = &self.listeners.now
            && let Some(o) = self.ops.get_mut(op)
        {
            o.listener_notes_mut().ended.get_or_insert_with(|| now.clone());
        }
    }

    /// Forgets an operation; its message is told of when both halves are forgotten.
    pub(crate) fn forget_op(&mut self, op: OpId) {
        if !self.listeners.is_on() {
            return self.drop_op(op);
        }
        if let Some(op) = self.ops.remove(op) {
            let half = self.half(&op);
            match op.listener_notes().map(|h| &h.counterpart) {
                Some(Counterpart::Op(other)) => {
                    let rare = self.ops.get_mut(*other).and_then(|o| o.rare.as_mut());
                    if let Some(notes) = rare.and_then(|rare| rare.listener_notes.as_mut()) {
                        notes.counterpart = Counterpart::Gone(half);
                    }
                }
                Some(Counterpart::Gone(other)) => {
                    self.notify_message(half, *other, matches!(op.kind, crate::state::OpKind::Send(_)))
                }
                Some(Counterpart::Nobody) | None => {}
            }
        }
    }

    fn notify_message(&mut self, half: Half, other: Half, is_send: bool) {
        if let Some(listener) = &mut self.listeners.listener {
            let (send, recv) = if is_send { (half, other) } else { (other, half) };
            listener.message(&Message::of(send, recv));
        }
    }

    fn half(&self, op: &Op) -> Half {
        let sent = op.data.and_then(|d| d.amount.bytes).filter(|_| op.is_send());
        Half {
            call: CallSeen::new(op.shown()),
            ended: op.listener_notes().and_then(|h| h.ended.as_deref()).map(CallSeen::new),
            bytes: sent.or(op.got),
            comm: self.comms.list.get(op.comm).map_or(0, |c| c.serial),
            peer: op.peer,
            tag: op.tag,
        }
    }

    /// The run is over: what is still under way.
    pub(crate) fn notify_the_rest(&mut self) {
        let Some(mut listener) = self.listeners.listener.take() else { return };
        let is_told = |open: &&crate::state::OpenCall| !is_annotation(open.origin.func, open.origin.arg(0).int());
        for open in self.ranks.iter().flat_map(crate::state::Rank::open_calls).filter(is_told) {
            let call = CallSeen::new(&open.origin);
            let ins = open.origin.common_ins();
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
            match op.listener_notes().map_or(&Counterpart::Nobody, |h| &h.counterpart) {
                Counterpart::Gone(other) if op.is_send() => listener.message(&Message::of(half, *other)),
                Counterpart::Gone(other) => listener.message(&Message::of(*other, half)),
                Counterpart::Op(other) if op.is_send() => match self.ops.get(*other) {
                    Some(recv) => listener.message(&Message::of(half, self.half(recv))),
                    None => debug_assert!(false, "operation {id} has lost its other half"),
                },
                Counterpart::Op(_) => {}
                Counterpart::Nobody => match under_way.get(&id) {
                    Some(other) if op.is_send() => {
                        let recv = self.ops.get(*other).map(|recv| self.half(recv));
                        recv.iter().for_each(|recv| listener.message(&Message::of(half, *recv)));
                    }
                    Some(_) => {}
                    None => listener.alone(&half, op.is_send()),
                },
            }
        }
        self.listeners.listener = Some(listener);
        for (_, comm) in self.comms.list.iter() {
            let group = |position: u32, rank: i32| comm.peers(position).get(rank);
            comm.space.open().for_each(|(_, instance)| self.listeners.over(comm.serial, instance, &group));
        }
        self.notify_communicators();
    }

    /// A process frees a communicator, window or file; the first one of its group speaks for all.
    pub(crate) fn notify_freed(&mut self, origin: &Origin, s: &ArgPlaces, member: Member) {
        if self.listeners.is_on() && member.position == 0 {
            let (kind, place) = s.ordering_object();
            let id = origin.int(place).unwrap_or(0) as Id;
            let name = self.ranks[origin.rank as usize].names.get(&(kind, id)).cloned();
            self.notify_communicator(member.ix, kind, name);
        }
    }

    /// Messages that can only go to one receive, which the program has not completed: both halves, each with its other one.
    fn under_way(&self) -> FxHashMap<OpId, OpId> {
        let mailboxes = self.comms.list.iter().flat_map(|(_, comm)| comm.boxes.values());
        let pairs = mailboxes.flat_map(|mailbox| mailbox.leftovers()).filter(|(_, _, sole)| *sole);
        pairs.flat_map(|(recv, send, _)| [(recv, send), (send, recv)]).collect()
    }

    /// The communicators, windows and files that ranks know now.
    pub(crate) fn notify_communicators(&mut self) {
        if !self.listeners.is_on() {
            return;
        }
        let mut known: FxHashMap<CommIx, (Kind, Option<String>)> = FxHashMap::default();
        for r in &self.ranks {
            for ((kind, id), member) in &r.objects.members {
                let Some(member) = member else { continue };
                let entry = known.entry(member.ix).or_insert((*kind, None));
                // All ranks have one name for it, by rights; the smallest for the same answer each time.
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
            self.notify_communicator(ix, kind, name);
        }
    }

    fn notify_communicator(&mut self, ix: CommIx, kind: Kind, name: Option<String>) {
        let (Some(comm), Some(listener)) = (self.comms.list.get(ix), &mut self.listeners.listener) else { return };
        let name = name.or_else(|| comm.predefined_name().map(str::to_owned));
        let (ranks, remote) = (comm.a.iter().collect(), comm.b.as_ref().map(|b| b.iter().collect()));
        listener.communicator(&Communicator { number: comm.serial, kind, name, ranks, remote });
    }
}
