//! The MPI library that a process has loaded, by the library's own data.

use crate::memory::Memory;
use crate::modules::Module;
use crate::symbols::Symbols;
use std::fmt;
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Family {
    #[serde(rename = "Open MPI")]
    OpenMpi,
    #[serde(rename = "MPICH")]
    Mpich,
    /// It has the functions of MPI, and does not say which it is.
    #[serde(rename = "unknown")]
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Library {
    pub family: Family,
    /// As the library has it; empty if it does not say.
    pub version: String,
    /// The device of MPICH, for example `ch4:ucx`.
    pub device: String,
    pub path: PathBuf,
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.family {
            Family::OpenMpi => write!(f, "Open MPI")?,
            Family::Mpich => write!(f, "MPICH")?,
            Family::Unknown => write!(f, "unknown MPI library")?,
        }
        if !self.version.is_empty() {
            write!(f, " {}", self.version)?;
        }
        if !self.device.is_empty() {
            write!(f, " ({})", self.device)?;
        }
        Ok(())
    }
}

/// Names of data in which libraries keep their version, and their device.
const OPEN_MPI_VERSION: &str = "ompi_version_string";
const MPICH_VERSION: &str = "MPII_Version_string";
const MPICH_DEVICE: &str = "MPII_Version_device";
/// Present in every MPI library, and in no tool that stands in front of it.
const MARK: &str = "PMPI_Get_library_version";

/// The preloaded library of mpivet, whose DLL serves every MPI library.
pub const INTERPOSER: &str = "libmpivet.so";

/// Is the module an MPI library?
pub fn is_mpi(module: &Module, symbols: &Symbols) -> bool {
    module.name() != INTERPOSER && symbols.find(MARK).is_some()
}

/// Names the library and its version.
pub fn identify(module: &Module, symbols: &Symbols, memory: &Memory) -> Library {
    let text = |name| symbols.find(name).and_then(|s| memory.text(s.address).ok());
    let (family, version) = match (text(OPEN_MPI_VERSION), text(MPICH_VERSION)) {
        (Some(version), _) => (Family::OpenMpi, version),
        (None, Some(version)) => (Family::Mpich, version),
        (None, None) => (Family::Unknown, String::new()),
    };
    let device = if family == Family::Mpich { text(MPICH_DEVICE).unwrap_or_default() } else { String::new() };
    Library { family, version, device, path: module.path.clone() }
}
