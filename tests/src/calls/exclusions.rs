//! Functions that no program calls, each with its reason. What a single library or binding cannot do is in the scenarios,
//! with its reason at the paragraph.

use super::Binding;

/// The bindings and libraries in which a function is not called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    Everywhere,
    Fortran,
}

impl Scope {
    pub fn includes(self, binding: Binding) -> bool {
        match self {
            Scope::Everywhere => true,
            Scope::Fortran => binding.is_fortran(),
        }
    }
}

/// Function, where it is not called, why.
pub const EXCLUSIONS: &[(&str, Scope, &str)] = &[
    ("MPI_Comm_join", Scope::Everywhere, "needs a socket that connects two processes of the program"),
    ("MPI_Comm_spawn", Scope::Everywhere, "starts processes of a world of their own"),
    ("MPI_Comm_spawn_multiple", Scope::Everywhere, "starts processes of a world of their own"),
];
