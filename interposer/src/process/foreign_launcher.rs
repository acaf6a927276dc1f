//! A launcher of another MPI than the program's starts processes that do not know each other: each is rank 0 of one.

use crate::mpi::abi::{Identity, LAUNCHERS};

/// The knowledge of a process that is alone in its MPI_COMM_WORLD.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ForeignLauncher {
    /// The words to print.
    pub(crate) text: String,
    /// It is the first of those that were started together.
    pub(crate) is_first: bool,
}

/// `None`: nothing is known to be wrong.
pub(crate) fn of(library: &Identity, variable: impl Fn(&str) -> Option<String>) -> Option<ForeignLauncher> {
    let number = |name: &str| variable(name)?.parse::<u32>().ok();
    let ours = library.product?;
    let (launcher, processes) = LAUNCHERS.into_iter().find_map(|launcher| Some((launcher, number(launcher.size)?)))?;
    let (theirs, name) = (launcher.product, ours.name);
    (processes > 1 && launcher != ours.launcher).then(|| ForeignLauncher {
        text: format!(
            "the launcher is that of {theirs} and has started {processes} processes, but the program uses {name}: each of \
             them is alone, rank 0 of an MPI_COMM_WORLD of 1; start it with the launcher of {name}"
        ),
        is_first: number(launcher.rank).is_none_or(|place| place == 0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(library: &str, variables: &[(&str, &str)]) -> Option<ForeignLauncher> {
        of(&Identity::of(library), |name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn launchers_of_other_libraries_are_told() {
        let open = [("OMPI_COMM_WORLD_SIZE", "3"), ("OMPI_COMM_WORLD_RANK", "1")];
        let hydra = [("PMI_SIZE", "4"), ("PMI_RANK", "0")];
        let told = with("MPICH Version:      4.0.2", &open).expect("a stranger");
        assert!(
            told.text.contains("that of Open MPI and has started 3") && told.text.contains("uses MPICH"),
            "{told:?}"
        );
        assert!(!told.is_first);
        assert!(with("Open MPI v4.1.4, package", &hydra).is_some_and(|told| told.is_first));
        for (library, variables) in [
            ("MPICH Version: 5.0", &hydra[..]),
            ("Intel(R) MPI Library 2021", &hydra),
            ("Open MPI v5", &open),
            ("Open MPI v5", &[]),
            ("MPICH Version: 4", &[("OMPI_COMM_WORLD_SIZE", "1")]),
            ("something else", &open),
        ] {
            assert_eq!(with(library, variables), None, "{library} {variables:?}");
        }
    }
}
