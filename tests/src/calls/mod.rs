//! Programs that call every MPI function once or more, made from one scenario in C and in the three Fortran bindings, and
//! what mpivet must have recorded of them.
//!
//! The scenario is in `tests/calls/*.calls`, in a notation without a language ([`notation`]). From it and the table of MPI
//! functions come the program texts ([`c`], [`fortran`]) and the expectations ([`check`]). What only the running program
//! knows (addresses, results, values of the library's constants) the program itself writes down ([`witness`]).

pub mod c;
pub mod check;
pub mod exclusions;
pub mod exports;
pub mod fortran;
pub mod job;
pub mod notation;
pub mod program;
pub mod witness;

use std::fmt;

/// The binding of MPI that a program is written with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binding {
    C,
    /// C, with the functions for large counts wherever the library has one.
    LargeC,
    /// `include 'mpif.h'`
    MpifH,
    /// `use mpi`
    UseMpi,
    /// `use mpi_f08`
    UseMpiF08,
}

impl Binding {
    pub const ALL: [Binding; 5] = [Binding::C, Binding::LargeC, Binding::MpifH, Binding::UseMpi, Binding::UseMpiF08];

    pub fn is_fortran(self) -> bool {
        !matches!(self, Binding::C | Binding::LargeC)
    }

    /// Ending of the name of a source file.
    pub fn extension(self) -> &'static str {
        if self.is_fortran() { "f90" } else { "c" }
    }

    /// A name for files.
    pub fn slug(self) -> &'static str {
        match self {
            Binding::C => "c",
            Binding::LargeC => "large-c",
            Binding::MpifH => "mpif-h",
            Binding::UseMpi => "use-mpi",
            Binding::UseMpiF08 => "use-mpi-f08",
        }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Binding::C => "C",
            Binding::LargeC => "C, large counts",
            Binding::MpifH => "mpif.h",
            Binding::UseMpi => "use mpi",
            Binding::UseMpiF08 => "use mpi_f08",
        })
    }
}

/// Ranks of every program.
pub const RANKS: usize = 2;

/// The scenarios, one program each.
const SCENARIOS: &[(&str, &str)] = &[
    ("messages", include_str!("../../calls/messages.calls")),
    ("collectives", include_str!("../../calls/collectives.calls")),
    ("objects", include_str!("../../calls/objects.calls")),
    ("datatypes", include_str!("../../calls/datatypes.calls")),
    ("windows", include_str!("../../calls/windows.calls")),
    ("files", include_str!("../../calls/files.calls")),
    ("processes", include_str!("../../calls/processes.calls")),
    ("abort", include_str!("../../calls/abort.calls")),
];

/// Reads all scenarios.
pub fn scenarios() -> anyhow::Result<Vec<notation::Scenario>> {
    SCENARIOS.iter().map(|(name, text)| notation::Scenario::parse(name, text)).collect()
}
