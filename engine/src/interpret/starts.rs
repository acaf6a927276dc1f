//! Operations begin.

use crate::arg_places::{ArgPlaces, Place, Side};
use crate::model::Model;
use crate::state::{Data, Made, MessageEnd, Op, OpId, OpKind, Origin, ReqId, Target};
use crate::types::Amount;
use std::cell::Cell;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Class, SendMode};

impl Model {
    /// One half of a message: whom the call sends to or receives from at these places, and how much.
    #[inline]
    fn end(
        &mut self,
        origin: &Origin,
        (peer, tag, side): (Place, Place, Side),
        s: &ArgPlaces,
        found: Option<&Cell<Option<MessageEnd>>>,
    ) -> Option<(Target, Option<Data>)> {
        let end = match found.and_then(Cell::get).filter(|end| end.epoch == self.epoch) {
            Some(end) => end,
            None => {
                let Target { comm, peer, .. } = self.target(origin, peer, tag, s)?;
                let end = MessageEnd { comm, peer, one: self.element(origin, side), epoch: self.epoch };
                if let Some(found) = found {
                    found.set(Some(end));
                }
                end
            }
        };
        let MessageEnd { comm, peer, one, .. } = end;
        // Messages that are made most often have both at hand.
        let varying = |at: Option<u8>| at.map(|at| origin.varying[usize::from(at)]);
        let own = (varying(origin.own_tag), varying(origin.own_count));
        debug_assert!(own.0.is_none_or(|own| Some(own) == origin.int(tag)), "no other tag");
        debug_assert!(own.1.is_none_or(|own| Some(own) == origin.int(side.count)), "no other count");
        let tag = own.0.or_else(|| origin.int(tag))? as i32;
        let count = own.1.or_else(|| origin.int(side.count));
        Some((Target { comm, peer, tag }, Some(so_many(one, count))))
    }

    /// The data that a buffer of a call holds.
    pub(crate) fn data(&self, origin: &Origin, side: Side) -> Data {
        so_many(self.element(origin, side), origin.int(side.count))
    }

    /// One element of what a buffer of a call holds.
    fn element(&self, origin: &Origin, side: Side) -> Option<Amount> {
        self.one(origin.rank, origin.int(side.datatype)? as Id)
    }

    pub(crate) fn start_send(
        &mut self,
        origin: &Rc<Origin>,
        start: Option<&Rc<Origin>>,
        s: &ArgPlaces,
        mode: SendMode,
    ) -> Option<OpId> {
        let (target, data) = self.end(origin, (s.peer, s.tag, s.send), s, origin.found().map(|found| &found.send))?;
        let op = self.new_op(Op::new(OpKind::Send(mode), origin, start, target, data));
        self.notify_start(op);
        self.post_send(op);
        Some(op)
    }

    pub(crate) fn start_recv(
        &mut self,
        origin: &Rc<Origin>,
        start: Option<&Rc<Origin>>,
        peer: Place,
        tag: Place,
        s: &ArgPlaces,
    ) -> Option<OpId> {
        let (target, data) = self.end(origin, (peer, tag, s.recv), s, origin.found().map(|found| &found.recv))?;
        let op = self.new_op(Op::new(OpKind::Recv, origin, start, target, data));
        self.notify_start(op);
        self.post_recv(op);
        Some(op)
    }

    pub(crate) fn start_persistent(&mut self, start: &Rc<Origin>, id: ReqId) {
        let rank = start.rank as usize;
        let Some(request) = self.ranks[rank].requests.get_mut(id) else { return };
        if !request.persistent || request.active {
            return;
        }
        request.active = true;
        request.perhaps_gone = false;
        let next = request.rare.as_mut().and_then(|rare| rare.made.as_mut());
        let made = next.map(|made| std::mem::replace(made, Made { starts: made.starts + 1, ..*made }));
        (request.cancelled, request.seen_complete) = (false, false);
        request.start = Some(start.clone());
        let (origin, class) = (request.origin.clone(), request.class);
        origin.comes_again();
        let s = origin.arg_places;
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

/// So many elements.
fn so_many(one: Option<Amount>, count: Option<i64>) -> Data {
    Data { amount: one.zip(count).map_or(Amount::UNKNOWN, |(one, count)| one.times(count)) }
}
