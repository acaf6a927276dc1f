//! The names that libraries of all families give to their modules and Fortran routines: a module is judged before it is known
//! which family the process has.

/// Names of modules that are MPI's begin with one of these, and those of language bindings among them contain one of
/// [`BINDINGS`].
const MODULES: [&str; 2] = ["libmpi", "libpmpi"];
const BINDINGS: [&str; 7] = ["cxx", "mpifh", "mpifort", "mpichfort", "usempi", "ilp64", "java"];
/// Libraries that programs are linked with.
const LIBRARIES: [&str; 5] = ["libmpi", "libmpich", "libmpi_abi", "libpmpi", "libpmpi_abi"];
/// Beginnings of names of their components, and of what they use.
const COMPONENTS: [&str; 10] =
    ["mca_", "libopen-", "libmca_", "libucp", "libucs", "libuct", "libucm", "libucc", "libpmix", "libprrte"];

/// Is the module of this file, without `.so` and what follows, a language binding?
pub(crate) fn is_binding(stem: &str) -> bool {
    MODULES.iter().any(|start| stem.starts_with(start)) && BINDINGS.iter().any(|binding| stem.contains(binding))
}

/// Is it an MPI library or a component of one?
pub(crate) fn is_library(stem: &str) -> bool {
    LIBRARIES.contains(&stem) || COMPONENTS.iter().any(|start| stem.starts_with(start))
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
