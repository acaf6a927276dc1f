//! A launcher of another MPI than the program's starts processes that do not know each other: each is rank 0 of one.

/// Launchers by the variables that they give to processes: number of processes, and the place of this one among them.
const LAUNCHERS: [(&str, &str, &str); 2] =
    [("Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"), ("MPICH", "PMI_SIZE", "PMI_RANK")];

/// What a process that is alone in its MPI_COMM_WORLD knows of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stranger {
    /// What to say.
    pub(crate) text: String,
    /// It is the first of those that were started together.
    pub(crate) is_first: bool,
}

/// `library`: what MPI_Get_library_version says. `None`: nothing is known to be wrong.
pub(crate) fn of(library: &str, variable: impl Fn(&str) -> Option<String>) -> Option<Stranger> {
    let number = |name: &str| variable(name)?.parse::<u32>().ok();
    let ours = name(library)?;
    let (launcher, processes, place) = LAUNCHERS.iter().find_map(|(launcher, size, place)| {
        let processes = number(size)?;
        Some((*launcher, processes, number(place)))
    })?;
    // Intel MPI has MPICH's launcher.
    let fits = launcher == ours || launcher == "MPICH" && ours == "Intel MPI";
    (processes > 1 && !fits).then(|| Stranger {
        text: format!(
            "the launcher is that of {launcher} and has started {processes} processes, but the program uses {ours}: each of \
             them is alone, rank 0 of an MPI_COMM_WORLD of 1; start it with the launcher of {ours}"
        ),
        is_first: place.is_none_or(|place| place == 0),
    })
}

/// What the library is called, if it is one that has a launcher of its own.
fn name(library: &str) -> Option<&'static str> {
    let starts = [("Open MPI", "Open MPI"), ("Intel(R) MPI", "Intel MPI"), ("MPICH", "MPICH")];
    starts.into_iter().find(|(start, _)| library.starts_with(start)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(library: &str, variables: &[(&str, &str)]) -> Option<Stranger> {
        of(library, |name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()))
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
