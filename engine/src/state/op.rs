//! Sends and receives that are under way.

use super::call::{Origin, Target};
use super::comms::CommIx;
use super::listener_notes::ListenerNotes;
use super::sums::Sum;
use crate::collections::{At, NOWHERE};
use crate::types::Amount;
use std::rc::Rc;
use trace_format::mpi::SendMode;

pub(crate) type OpId = u32;

/// Which half of a message an operation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpKind {
    Send(SendMode),
    Recv,
}

/// The data that are sent, or the room for those that are received.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Data {
    pub(crate) amount: Amount,
}

/// A send or receive that was started.
#[derive(Debug)]
pub(crate) struct Op {
    pub(crate) kind: OpKind,
    pub(crate) rank: i32,
    pub(crate) comm: CommIx,
    /// World rank of the partner; ANY_SOURCE.
    pub(crate) peer: i32,
    pub(crate) tag: i32,
    /// `None`: a matched probe whose receive has not been called.
    pub(crate) data: Option<Data>,
    pub(crate) origin: Rc<Origin>,
    /// The call that started it, if that is not `origin` (persistent).
    pub(crate) start: Option<Rc<Origin>>,
    pub(crate) matched: bool,
    /// Completed for the program, or never to be completed by it (freed request).
    pub(crate) done: bool,
    pub(crate) order: u64,
    /// Where it is posted.
    pub(crate) mailbox: At,
    /// Not all calls of its rank are known at this place, or nobody says whether it was cancelled: which message it is
    /// about is uncertain.
    pub(crate) dim: bool,
    /// Bytes that a receive says it got.
    pub(crate) got: Option<u64>,
    /// Few have any of this, but where somebody listens or sums are taken. It is apart, as many operations come and go.
    pub(crate) rare: Option<Box<RareOfOp>>,
    /// Its number in the deadlock replay, until that is told the last thing of it.
    pub(crate) replayed: Option<super::replay_ids::ReplayIds>,
    /// That replay knows that it is over.
    pub(crate) is_over_in_replay: bool,
}

/// See [`Op::rare`].
#[derive(Debug, Default)]
pub(crate) struct RareOfOp {
    /// The matched probe that posted it, once `origin` is the receive.
    pub(crate) at: Option<Rc<Origin>>,
    /// The other half, while the receive of a matched probe has not been called.
    pub(crate) waiting_partner: Option<OpId>,
    /// The checksum of the data that were sent or received.
    pub(crate) sum: Option<Sum>,
    /// The other half, which is kept until both are over, for their sums.
    pub(crate) met: Option<OpId>,
    /// If somebody listens.
    pub(crate) listener_notes: Option<ListenerNotes>,
}

impl Op {
    /// See [`Op::rare`]: makes it, if there is none.
    pub(crate) fn rare(&mut self) -> &mut RareOfOp {
        self.rare.get_or_insert_default()
    }

    /// See [`RareOfOp::listener_notes`]: makes them, if there are none.
    pub(crate) fn listener_notes_mut(&mut self) -> &mut ListenerNotes {
        self.rare().listener_notes.get_or_insert_default()
    }

    /// See [`RareOfOp::listener_notes`].
    pub(crate) fn listener_notes(&self) -> Option<&ListenerNotes> {
        self.rare.as_ref()?.listener_notes.as_ref()
    }

    /// See [`RareOfOp::sum`].
    pub(crate) fn sum(&self) -> Option<&Sum> {
        self.rare.as_ref()?.sum.as_ref()
    }

    /// The call that gives it its place among the others.
    #[inline]
    pub(crate) fn at(&self) -> &Rc<Origin> {
        self.rare.as_ref().and_then(|rare| rare.at.as_ref()).unwrap_or(self.shown())
    }

    /// All calls that it may be spoken of with.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let by = self.sum().map(Sum::by);
        let ended = self.listener_notes().and_then(ListenerNotes::call);
        let at = self.rare.as_ref().and_then(|rare| rare.at.as_ref());
        [Some(&self.origin), self.start.as_ref(), at, by, ended].into_iter().flatten()
    }

    pub(crate) fn is_send(&self) -> bool {
        matches!(self.kind, OpKind::Send(_))
    }

    /// The call that shows where it was started.
    pub(crate) fn shown(&self) -> &Rc<Origin> {
        self.start.as_ref().unwrap_or(&self.origin)
    }
}

impl Op {
    #[inline(always)]
    pub(crate) fn new(
        kind: OpKind,
        origin: &Rc<Origin>,
        start: Option<&Rc<Origin>>,
        target: Target,
        data: Option<Data>,
    ) -> Op {
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
            dim: false,
            got: None,
            rare: None,
            replayed: None,
            is_over_in_replay: false,
        }
    }
}
