//! The MPI tool information interface (MPI 4.1, chapter 15) of each family: its numbers, which the trace has words for, and
//! what is to be heeded when it is used.

/// A word of the trace for each number that a family has, in the order of the words below.
const VERBOSITIES: [&str; 9] = [
    "user_basic",
    "user_detail",
    "user_all",
    "tuner_basic",
    "tuner_detail",
    "tuner_all",
    "mpidev_basic",
    "mpidev_detail",
    "mpidev_all",
];
const BINDINGS: [&str; 12] = [
    NO_OBJECT,
    COMM,
    "mpi_datatype",
    "mpi_errhandler",
    "mpi_file",
    "mpi_group",
    "mpi_op",
    "mpi_request",
    "mpi_win",
    "mpi_message",
    "mpi_info",
    "mpi_session",
];
const SCOPES: [&str; 7] = [CONSTANT, READONLY, "local", "group", "group_eq", "all", "all_eq"];
const CLASSES: [&str; 10] = [
    "state",
    "level",
    "size",
    "percentage",
    "highwatermark",
    "lowwatermark",
    "counter",
    "aggregate",
    "timer",
    "generic",
];

pub(crate) const NO_OBJECT: &str = "no_object";
pub(crate) const COMM: &str = "mpi_comm";
pub(crate) const CONSTANT: &str = "constant";
pub(crate) const READONLY: &str = "readonly";

/// The tool interface of a family.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    /// Numbers of MPI_T_VERBOSITY_, MPI_T_BIND_, MPI_T_SCOPE_ and MPI_T_PVAR_CLASS_; fewer than there are words where the
    /// family lacks the last ones.
    pub(super) verbosities: &'static [i32],
    pub(super) bindings: &'static [i32],
    pub(super) scopes: &'static [i32],
    pub(super) classes: &'static [i32],
    /// The environment variables that control variables have their values from, the strongest first: where a name begins with
    /// the first, these in its place.
    pub(super) environment: &'static [(&'static str, &'static [&'static str])],
    /// Variables that cannot be changed through the interface are set by the environment, before the interface is first used.
    pub(crate) is_set_by_environment: bool,
    /// The library frees its tables with the last reference on the interface and never makes them again: the program's own use
    /// of it, or MPI_Init, would crash afterwards.
    pub(crate) must_stay_in_use: bool,
    /// Variables of components that were unloaded while somebody used the interface are still there, and the library crashes
    /// when one is read. Others may crash when they are asked whether somebody uses the interface.
    pub(crate) keeps_unloaded_variables: bool,
    /// The variable in which the library counts references on the interface, where the first MPI_T_init_thread opens all
    /// components that there are, which takes long: Open MPI looks for hardware that the job does not use, 0.2 s.
    pub(crate) references: Option<&'static str>,
    /// MPI_T_init_thread replaces the thread level of the program, which is in variables of these names.
    pub(crate) level: Level,
}

/// Names of variables of the library.
#[derive(Clone, Copy)]
pub(crate) struct Level {
    pub(crate) ints: &'static [&'static str],
    pub(crate) bools: &'static [&'static str],
}

/// The level of the program stays as it is.
pub(super) const LEVEL_STAYS: Level = Level { ints: &[], bools: &[] };

/// Consecutive numbers.
#[expect(clippy::indexing_slicing, reason = "worked out by the compiler; the loop ends where the array ends")]
pub(super) const fn from<const N: usize>(first: i32) -> [i32; N] {
    let mut numbers = [0; N];
    let mut i = 0;
    while i < N {
        numbers[i] = first + i as i32;
        i += 1;
    }
    numbers
}

fn word(words: &[&str], numbers: &[i32], value: i32) -> String {
    let place = numbers.iter().position(|number| *number == value);
    place.and_then(|i| words.get(i)).map_or_else(|| value.to_string(), |word| (*word).to_owned())
}

impl Tool {
    pub(crate) fn verbosity(&self, value: i32) -> String {
        word(&VERBOSITIES, self.verbosities, value)
    }

    pub(crate) fn binding(&self, value: i32) -> String {
        word(&BINDINGS, self.bindings, value)
    }

    pub(crate) fn scope(&self, value: i32) -> String {
        word(&SCOPES, self.scopes, value)
    }

    pub(crate) fn class(&self, value: i32) -> String {
        word(&CLASSES, self.classes, value)
    }

    /// The environment variables that the library takes the value of a control variable from, the strongest first.
    pub(crate) fn environment(&self, name: &str) -> impl Iterator<Item = String> {
        let named = self.environment.iter().find_map(|(prefix, others)| name.strip_prefix(prefix).zip(Some(*others)));
        let (rest, prefixes) = named.unwrap_or_default();
        prefixes.iter().map(move |prefix| format!("{prefix}{rest}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mpi::abi::all;

    #[test]
    fn every_number_has_a_word() {
        for abi in all() {
            let Tool { verbosities, bindings, scopes, classes, .. } = abi.tool;
            assert_eq!(verbosities.len(), VERBOSITIES.len(), "{}", abi.name);
            assert!(bindings.len() <= BINDINGS.len() && bindings.len() >= 11, "{}", abi.name);
            assert_eq!((scopes.len(), classes.len()), (SCOPES.len(), CLASSES.len()), "{}", abi.name);
            assert_eq!(abi.tool.scope(scopes[1]), READONLY);
            assert_eq!(abi.tool.scope(-7), "-7");
        }
    }
}
