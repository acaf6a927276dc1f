//! Layouts of MPI libraries that carry no debug information, by version: `layouts.json`.

use super::Structure;
use crate::library::{Family, Library};
use std::collections::BTreeMap;

/// The layouts of one build of one version.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layouts {
    pub family: Family,
    pub version: String,
    /// MPICH: the beginning of its device's name.
    #[serde(default)]
    pub device: String,
    /// The source of the numbers.
    pub from: String,
    pub types: BTreeMap<String, Structure>,
}

/// All tables. Empty if the data are damaged, which a test rules out.
pub fn known() -> Vec<Layouts> {
    serde_json::from_str(include_str!("layouts.json")).unwrap_or_default()
}

/// The table for a library, if its version was looked at.
pub fn for_library(library: &Library) -> Option<Layouts> {
    known()
        .into_iter()
        .find(|l| l.family == library.family && l.version == library.version && library.device.starts_with(&l.device))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(version: &str, device: &str, family: Family) -> Library {
        Library { family, version: version.into(), device: device.into(), path: "/x".into() }
    }

    #[test]
    fn only_the_very_version_has_a_table() {
        let found = for_library(&library("4.1.4", "", Family::OpenMpi)).unwrap();
        assert_eq!(found.types["ompi_communicator_t"].fields["c_name"], 160);
        for other in ["4.1.5", "4.1", "4.1.4rc1", ""] {
            assert!(for_library(&library(other, "", Family::OpenMpi)).is_none(), "{other}");
        }
        assert!(for_library(&library("4.0.2", "ch3:nemesis", Family::Mpich)).is_some());
        assert!(for_library(&library("4.0.2", "ch4:ucx", Family::Mpich)).is_none());
    }
}
