//! The buffers that a rank attached for its buffered sends (MPI 4.1, 3.6): which message is in which.

use super::call::Origin;
use super::comms::{CommIx, Objects};
use crate::arg_places::NONE;
use rustc_hash::FxHashMap;
use trace_format::definition::Id;
use trace_format::mpi::Kind;

/// The buffers of one rank.
#[derive(Default)]
pub(crate) struct Buffers {
    /// Communicators that have one of their own, and since when.
    pub(crate) own: FxHashMap<CommIx, u64>,
    /// A session has had one: which messages are in it is not followed.
    pub(crate) of_sessions: bool,
}

/// The owner of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Buffer {
    Process,
    Comm(CommIx),
}

impl Buffers {
    /// The buffer that a call detaches or flushes, if it is known what is in it.
    pub(crate) fn of_call(&self, objects: &Objects, origin: &Origin) -> Option<Buffer> {
        if self.of_sessions || names_session(origin) {
            return None;
        }
        let place = origin.arg_places.comm;
        if place == NONE {
            return Some(Buffer::Process);
        }
        let id = origin.int(place)? as Id;
        let comm = objects.members.get(&(Kind::Comm, id)).copied().flatten()?.ix;
        self.own.contains_key(&comm).then_some(Buffer::Comm(comm))
    }

    /// The buffer that a buffered send has put its message into.
    pub(crate) fn of_send(&self, comm: CommIx, send: &Origin) -> Buffer {
        match self.own.get(&comm) {
            Some(since) if send.time >= *since => Buffer::Comm(comm),
            _ => Buffer::Process,
        }
    }

    /// Communicators that are spoken of.
    pub(crate) fn comms(&self) -> impl Iterator<Item = CommIx> {
        self.own.keys().copied()
    }
}

pub(crate) fn names_session(origin: &Origin) -> bool {
    origin.func.row().params.iter().any(|p| p.kind == Kind::Session)
}
