//! Two threads at the same thing at once (MPI 4.1, 11.6).

use super::call::Origin;
use super::comms::CommIx;
use std::rc::Rc;

/// The thing that two threads must not do at the same time.
#[derive(Debug, Clone)]
pub(crate) enum Misused {
    /// Complete this request: the call that started it.
    Request(Rc<Origin>),
    /// Run collectives on this object.
    Object(CommIx),
}

/// Two calls of two threads that may have overlapped.
#[derive(Debug, Clone)]
pub(crate) struct Misuse {
    pub(crate) what: Misused,
    pub(crate) first: Rc<Origin>,
    pub(crate) second: Rc<Origin>,
}

impl Misused {
    pub(crate) fn object(&self) -> Option<CommIx> {
        if let Misused::Object(comm) = self { Some(*comm) } else { None }
    }
}

impl Misuse {
    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        let request = if let Misused::Request(call) = &self.what { Some(call) } else { None };
        [&self.first, &self.second].into_iter().chain(request)
    }
}
