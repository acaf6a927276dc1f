//! The calls around some calls of a run.

use std::collections::{BTreeMap, HashMap};
use trace_format::definition::{Definition, Id};
use trace_format::mpi::Kind;
use trace_format::names::Names;
use trace_format::ranks::Ranks;
use trace_reader::call::Call;

/// Calls kept before and after each one that is asked for.
pub const BEFORE: u64 = 3;
pub const AFTER: u64 = 2;

/// A call of a process: thread, and its place in the thread's sequence of calls.
pub type Place = (u16, u64);

/// Names that the program gave to its objects.
#[derive(Debug, Default)]
pub struct ObjectNames(HashMap<(Kind, Id), String>);

impl ObjectNames {
    /// Takes a name from its definition.
    pub fn learn(&mut self, definition: &Definition) {
        match definition {
            Definition::CommName { id, name } => _ = self.0.insert((Kind::Comm, *id), name.clone()),
            Definition::TypeName { id, name } => _ = self.0.insert((Kind::Datatype, *id), name.clone()),
            _ => {}
        }
    }
}

impl Names for ObjectNames {
    fn name(&self, kind: Kind, id: Id) -> Option<String> {
        self.0.get(&(kind, id)).cloned()
    }
}

/// A call, and the number of calls of its function at its call site so far, this one included.
#[derive(Debug)]
pub struct CountedCall {
    pub call: Call,
    pub pass: u64,
    /// When it was called, in seconds since the start of its process.
    pub seconds: f64,
}

/// The context of calls of one process.
#[derive(Debug, Default)]
pub struct CallContext {
    pub calls: BTreeMap<Place, CountedCall>,
    pub names: ObjectNames,
    /// The groups of its communicators, in its own numbers of processes.
    pub comms: HashMap<Id, Ranks>,
}

impl CallContext {
    /// The calls around one of them, in order.
    pub fn around(&self, (thread, index): Place) -> impl Iterator<Item = &CountedCall> {
        let calls = self.calls.range((thread, index.saturating_sub(BEFORE))..=(thread, index.saturating_add(AFTER)));
        calls.map(|(_, passed)| passed)
    }
}
