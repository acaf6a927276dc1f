//! The MPI tool information interface (MPI 4.1, chapter 15) as mpivet uses it: what variables the library has, which of them
//! the user wants set, which of them are read while the program runs. Every reference that is taken on the interface is given
//! back, and the program's own use of it goes to the library past this one.

mod interface;
mod level;
mod probe;
mod read;
pub(crate) mod sampling;
mod set;
mod value;

pub(crate) use read::variables;
pub(crate) use set::{Settings, apply};

use crate::mpi::abi::Family;
use crate::mpi::real::{self, Real};

/// What a library says of itself.
#[derive(Debug, Clone, Default)]
pub(crate) struct Identity {
    /// The first line.
    pub(crate) library: String,
    /// The device of MPICH.
    pub(crate) device: String,
}

impl Identity {
    /// Can be asked before MPI_Init.
    pub(crate) fn ask() -> Identity {
        let text = real::library_version();
        let device = text.lines().find_map(|line| line.strip_prefix("MPICH Device:")).unwrap_or_default();
        let library = text.lines().next().unwrap_or_default();
        Identity { library: library.trim().to_owned(), device: device.trim().to_owned() }
    }
}

/// The environment variables that a library takes the value of a control variable from, the strongest first.
fn sources(family: Family, name: &str) -> Vec<String> {
    match family {
        Family::OpenMpi => vec![format!("OMPI_MCA_{name}")],
        _ => match name.strip_prefix("MPIR_CVAR_") {
            Some(short) => vec![name.to_owned(), format!("MPIR_PARAM_{short}"), format!("MPICH_{short}")],
            None => Vec::new(),
        },
    }
}

/// The one of them that is set.
fn source(real: &Real, name: &str) -> Option<String> {
    sources(real.family(), name).into_iter().find(|variable| std::env::var_os(variable).is_some())
}
