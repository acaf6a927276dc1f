//! The input of the deadlock replay: operations, calls that wait for them, and the positions that collective
//! operations depend on.

use super::probes::Probe;
use crate::program::Mode;
use smallvec::SmallVec;

/// The caller's number of an operation or of a call. It may be used again once it was among [`super::Gone`].
pub type Id = u32;

/// Operations of one call.
pub(super) type Ids = SmallVec<[Id; 8]>;

/// The positions of a collective operation whose data a part needs, so that it cannot return before their calls,
/// whatever the library does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needs {
    All,
    /// Every position needs the root's data.
    Root(u32),
    /// The root needs the data of all others.
    AtRoot(u32),
    /// Each position needs all lower ones.
    Lower,
    /// By position.
    Given(Vec<Vec<u32>>),
    Nobody,
}

impl Needs {
    /// The positions that `position` needs, out of `size`.
    pub fn of(&self, position: u32, size: u32) -> Vec<u32> {
        match self {
            Needs::All => (0..size).collect(),
            Needs::Root(root) if *root != position => vec![*root],
            Needs::AtRoot(root) if *root == position => (0..size).collect(),
            Needs::Lower => (0..position).collect(),
            Needs::Given(all) => all.get(position as usize).cloned().unwrap_or_default(),
            Needs::Root(_) | Needs::AtRoot(_) | Needs::Nobody => Vec::new(),
        }
    }
}

/// The operation that a thread starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Send {
        mode: Mode,
        comm: u32,
        to: u32,
        from: u32,
        tag: i32,
        bytes: u64,
    },
    /// `None`: any.
    Recv {
        comm: u32,
        at: u32,
        source: Option<u32>,
        tag: Option<i32>,
    },
    /// `collective`: told to [`super::DeadlockReplay::collective`].
    Part {
        collective: u32,
        position: u32,
    },
}

/// Communicator and destination.
pub(super) type Place = (u32, u32);

impl Act {
    pub(super) fn place(&self) -> Option<Place> {
        match *self {
            Act::Send { comm, to: at, .. } | Act::Recv { comm, at, .. } => Some((comm, at)),
            Act::Part { .. } => None,
        }
    }

    pub(super) fn is_send(&self) -> bool {
        matches!(self, Act::Send { .. })
    }

    /// Is it a wildcard receive?
    pub fn is_open(&self) -> bool {
        matches!(self, Act::Recv { source, tag, .. } if source.is_none() || tag.is_none())
    }

    /// Do the arguments of this receive fit the send?
    pub(super) fn takes(&self, send: &Act) -> bool {
        let (Act::Recv { comm, at, source, tag }, Act::Send { comm: c, to, from, tag: t, .. }) = (self, send) else {
            return false;
        };
        (comm, at) == (c, to) && source.is_none_or(|s| s == *from) && tag.is_none_or(|tag| tag == *t)
    }
}

/// A call that waited. Its operations may be forgotten once it is passed to the replay.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    pub ops: &'a [Id],
    /// It waits for any of them, and these were complete when it returned; `None`: it waits for all.
    pub any: Option<&'a [Id]>,
    /// The process did nothing else until then.
    pub patient: bool,
    /// It returned in the run.
    pub returned: bool,
    /// It waited for a message without receiving it.
    pub probe: Option<Probe>,
    /// A number that no operation and no other call has.
    pub name: Id,
}

/// A [`Call`] that waits here.
pub(super) struct OpenCall {
    pub(super) ops: Ids,
    pub(super) any: Option<Ids>,
    pub(super) patient: bool,
    pub(super) returned: bool,
    pub(super) probe: Option<Probe>,
    pub(super) name: Id,
}

impl OpenCall {
    pub(super) fn of(call: &Call) -> OpenCall {
        let Call { patient, returned, probe, name, .. } = *call;
        let (ops, any) = (Ids::from_slice(call.ops), call.any.map(Ids::from_slice));
        OpenCall { ops, any, patient, returned, probe, name }
    }

    /// The operations that were complete when it returned.
    pub(super) fn wanted(&self) -> &Ids {
        self.any.as_ref().unwrap_or(&self.ops)
    }
}
