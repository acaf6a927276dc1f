//! Fortran bindings.

/// What a Fortran handle is to the C handle of the same object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FortranHandles {
    /// The same number.
    Same,
    /// What MPI_Comm_f2c and its like make a C handle of.
    ByF2c,
    /// What MPI_Comm_fromint and its like make a C handle of.
    ByFromInt,
}

/// How the Fortran forms of routines are called in the bindings of libraries: `ompi_send_f`, `pmpi_send_`,
/// `mpi_send_f08ts_large_`. Longer ones come first.
const PREFIXES: [&str; 7] = ["pmpir_", "pmpix_", "ompix_", "pmpi_", "ompi_", "mpix_", "mpi_"];
const SUFFIXES: [&str; 11] =
    ["_c_f08ts_", "_c_f08_", "_f08ts_large_", "_f08_large_", "_f08ts_", "_f08_", "_f08", "_cptr_f", "_f", "__", "_"];

/// The MPI routine, without prefix and suffix, whose Fortran form a symbol in lower case is: `send`.
pub(crate) fn routine(symbol: &str) -> Option<&str> {
    let name = PREFIXES.iter().find_map(|prefix| symbol.strip_prefix(prefix))?;
    Some(SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name))
}
