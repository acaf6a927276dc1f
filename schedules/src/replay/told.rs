//! What the replay is told of a run: operations, calls that wait for them, and whom collective operations need.

use super::probes::Look;
use crate::program::Mode;
use smallvec::SmallVec;

/// An operation of the replay. Numbers are used again once the replay is done with an operation.
pub type Id = u32;

/// Operations of one call.
pub type Ids = SmallVec<[Id; 8]>;

/// Whose call a part of a collective operation cannot do without, whatever the library does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needs {
    All,
    /// The root has what all others need.
    Root(u32),
    /// The root needs what all others have.
    AtRoot(u32),
    /// All before it.
    Lower,
    /// By position.
    Given(Vec<Vec<u32>>),
    Nobody,
}

impl Needs {
    /// Positions that `position` needs, of `size`.
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

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// `collective`: from [`super::Replay::collective`].
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

    /// Is it a receive from anybody, or with any tag?
    pub(super) fn is_open(&self) -> bool {
        matches!(self, Act::Recv { source, tag, .. } if source.is_none() || tag.is_none())
    }

    /// Is it a receive that could take the message of this send, as far as arguments go?
    pub(super) fn takes(&self, send: &Act) -> bool {
        let (Act::Recv { comm, at, source, tag }, Act::Send { comm: c, to, from, tag: t, .. }) = (self, send) else {
            return false;
        };
        (comm, at) == (c, to) && source.is_none_or(|s| s == *from) && tag.is_none_or(|tag| tag == *t)
    }
}

/// A call that waited. Its operations may be forgotten once it is told of.
#[derive(Debug, Clone)]
pub struct Call<T> {
    pub ops: Ids,
    /// It waits for any of them, and had these when it returned; `None`: it waits for all.
    pub any: Option<Ids>,
    /// The process did nothing else until then.
    pub patient: bool,
    /// It returned in the run.
    pub returned: bool,
    /// It waited for a message without receiving it.
    pub look: Option<Look>,
    pub info: T,
}
