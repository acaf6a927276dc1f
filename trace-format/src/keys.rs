//! Where there is a limit of size: which definitions are repeated, and of which objects they are.

use crate::definition::{Definition, Id, ObjectKind};
use crate::mpi::Kind;

/// The object that a definition is of, and whether it is its name. Objects that others are made of come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u8, Id, bool);

impl Key {
    /// The key of a definition that is repeated at the front of each segment; `None` for others.
    pub fn of(definition: &Definition) -> Option<Key> {
        let (kind, id, is_name) = match definition {
            Definition::Comm { id, .. } => (Kind::Comm, id, false),
            Definition::CommName { id, .. } => (Kind::Comm, id, true),
            Definition::Group { id, .. } => (Kind::Group, id, false),
            Definition::Datatype { id, .. } => (Kind::Datatype, id, false),
            Definition::TypeName { id, .. } => (Kind::Datatype, id, true),
            Definition::Op { id, .. } => (Kind::Op, id, false),
            Definition::Object { kind, id } | Definition::OnComm { kind, id, .. } => (kind_of(*kind), id, false),
            _ => return None,
        };
        Some(Key(kind as u8, *id, is_name))
    }

    /// The keys that definitions of this object may have.
    pub fn of_object(kind: Kind, id: Id) -> [Key; 2] {
        [false, true].map(|is_name| Key(kind as u8, id, is_name))
    }
}

/// Does it go to the segments, and not into the rank's file?
pub fn is_of_segment(definition: &Definition) -> bool {
    matches!(definition, Definition::Blob { .. } | Definition::Dump { .. }) || Key::of(definition).is_some()
}

fn kind_of(kind: ObjectKind) -> Kind {
    match kind {
        ObjectKind::Win => Kind::Win,
        ObjectKind::File => Kind::File,
        ObjectKind::Info => Kind::Info,
        ObjectKind::Errhandler => Kind::Errhandler,
        ObjectKind::Session => Kind::Session,
    }
}
