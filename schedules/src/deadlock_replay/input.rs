//! The input of the deadlock replay: operations, calls that wait for them, and the positions that collective
//! operations depend on.

use super::probes::Probe;
use crate::program::Mode;
use smallvec::SmallVec;

/// An operation of the replay. Numbers are used again once the replay is done with an operation.
pub type Id = u32;

/// Operations of one call.
pub type Ids = SmallVec<[Id; 8]>;

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
    /// `collective`: from [`super::DeadlockReplay::collective`].
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
    pub(super) fn is_open(&self) -> bool {
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
#[derive(Debug, Clone)]
pub struct Call<T> {
    pub ops: Ids,
    /// It waits for any of them, and these were complete when it returned; `None`: it waits for all.
    pub any: Option<Ids>,
    /// The process did nothing else until then.
    pub patient: bool,
    /// It returned in the run.
    pub returned: bool,
    /// It waited for a message without receiving it.
    pub probe: Option<Probe>,
    pub info: T,
}
