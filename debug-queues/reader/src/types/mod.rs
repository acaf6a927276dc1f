//! Sizes and fields of the MPI library's own types: from its debug information where it has some, else from a table of
//! versions that were looked at. Nothing is guessed.

pub mod dwarf;
pub mod table;

use std::collections::BTreeMap;

/// A structure of the target.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Structure {
    /// `None`: the table does not say.
    pub size: Option<u64>,
    /// Offsets of fields, in bytes.
    #[serde(default)]
    pub fields: BTreeMap<String, u64>,
}

/// The source that answers a DLL's questions for types.
#[derive(Debug, Clone)]
pub enum Types {
    Dwarf(dwarf::DebugInfo),
    Table(table::Layouts),
    /// The target's DLL knows its types by itself, or there is nothing to be known.
    None,
}

impl Types {
    pub fn find(&self, name: &str) -> Option<Structure> {
        match self {
            Types::Dwarf(info) => info.find(name),
            Types::Table(layouts) => layouts.types.get(name).cloned(),
            Types::None => None,
        }
    }
}
