//! Objects of a rank that its trace has named so far.

use report::ObjectNames;
use std::collections::HashMap;
use trace_format::definition::{Definition, Id, NULL_ID, ObjectKind};
use trace_format::mpi::Kind;
use trace_format::names::format_int;
use trace_format::ranks::Ranks;

/// The objects of a rank.
#[derive(Default)]
pub(crate) struct Objects {
    pub(crate) names: ObjectNames,
    /// By communicator: the processes of its ranks.
    groups: HashMap<Id, Ranks>,
    /// The communicators of windows and files.
    on_comm: HashMap<(Kind, Id), Id>,
}

impl Objects {
    pub(crate) fn learn(&mut self, definition: &Definition) {
        self.names.learn(definition);
        match definition {
            Definition::Comm { id, local, remote, .. } => {
                self.groups.insert(*id, remote.as_ref().unwrap_or(local).clone());
            }
            Definition::OnComm { kind, id, comm } => {
                let kind = if *kind == ObjectKind::Win { Kind::Win } else { Kind::File };
                self.on_comm.insert((kind, *id), *comm);
            }
            _ => {}
        }
    }

    /// The communicator that a handle is, or is on.
    pub(crate) fn comm_of(&self, kind: Kind, id: Id) -> Option<Id> {
        match kind {
            Kind::Comm if id != NULL_ID => Some(id),
            Kind::Win | Kind::File => self.on_comm.get(&(kind, id)).copied(),
            _ => None,
        }
    }

    /// The process that a rank in a call on a communicator is.
    pub(crate) fn process(&self, comm: Id, rank: i64) -> Option<i32> {
        self.groups.get(&comm)?.get(usize::try_from(rank).ok()?)
    }

    /// Its name as it is printed.
    pub(crate) fn comm_name(&self, id: Id) -> String {
        format_int(Kind::Comm, i64::from(id), &self.names)
    }
}
