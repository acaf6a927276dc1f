//! The variables of the MPI tool information interface (MPI 4.1, chapter 15) as a run had them, for `job.json`: settings of
//! the library (control variables) and what it can count (performance variables).

mod bearing;
mod libraries;
mod limits;

pub use bearing::{Bearing, bearing};
pub use libraries::{Stress, buffering_limit, known_default, stress};
pub use limits::BufferingLimit;

use crate::settings::selection::is_like;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Environment variable of `--cvar`: `NAME=VALUE` pairs with `;` between.
pub const CVARS: &str = "MPIVET_CVARS";
/// Environment variable of `--stress`.
pub const STRESS: &str = "MPIVET_STRESS";
/// Environment variable of `--pvars`.
pub const PVARS: &str = "MPIVET_PVARS";
/// `off`: the variables are not read.
pub const VARIABLES: &str = "MPIVET_VARIABLES";

/// The answers of the tool interface to one rank when MPI had started.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Variables {
    /// Answer of MPI_T_cvar_get_num: some of the variables may not exist any more.
    pub controls: i32,
    /// Answer of MPI_T_pvar_get_num, as [`Variables::controls`].
    pub performances: i32,
    /// Control variables that exist, by ascending index (MPI 4.1, 15.3.6).
    pub control: Vec<Control>,
    /// Performance variables that exist, by ascending index (MPI 4.1, 15.3.7).
    pub performance: Vec<Performance>,
    /// Names and descriptions of the categories that variables name.
    pub categories: BTreeMap<String, String>,
    /// Settings of transports below the MPI library, which it has from the environment and no variable tells.
    pub environment: BTreeMap<String, String>,
    /// The wishes of `--cvar` and `--stress`, and what came of them.
    pub wishes: Vec<Wish>,
    /// Time that reading took, microseconds.
    pub microseconds: u64,
}

/// A control variable. Words are those of the standard's constants without their prefix, in lower case.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Control {
    /// Index for MPI_T_cvar_get_info; it may differ from run to run.
    pub index: i32,
    /// Name that the library gives it, for example `btl_tcp_eager_limit`.
    pub name: String,
    /// `None`: it is bound to an object, or cannot be read.
    pub value: Option<String>,
    /// The name of the value in an enumeration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value_name: Option<String>,
    /// Name of the datatype, `MPI_INT`.
    #[serde(rename = "type")]
    pub datatype: String,
    /// The words of an enumeration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<(i32, String)>,
    /// Scope without `MPI_T_SCOPE_`: when and where it may be set (`constant`, `readonly`, `local`, `group`, `all`, ...).
    pub scope: String,
    /// Binding without `MPI_T_BIND_`: the kind of object that it belongs to; `no_object` for none.
    pub binding: String,
    /// Verbosity without `MPI_T_VERBOSITY_`, for example `user_basic`: for whom it is.
    pub verbosity: String,
    /// Names of the categories that it is in, keys of [`Variables::categories`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// The library's own description; empty if it gives none.
    pub description: String,
    /// The environment variable that sets it in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// A performance variable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Performance {
    /// Index for MPI_T_pvar_get_info; it may differ from run to run.
    pub index: i32,
    /// Name that the library gives it; it is unique only together with the class (MPI 4.1, 15.3.7).
    pub name: String,
    /// Class without `MPI_T_PVAR_CLASS_`, for example `counter`: how its values run (MPI 4.1, 15.3.7).
    pub class: String,
    /// Name of the datatype of one element, for example `MPI_UNSIGNED_LONG`.
    #[serde(rename = "type")]
    pub datatype: String,
    /// As [`Control::binding`].
    pub binding: String,
    /// As [`Control::verbosity`].
    pub verbosity: String,
    /// The program can neither write nor reset it.
    pub readonly: bool,
    /// It counts all the time: the program can neither start nor stop it.
    pub continuous: bool,
    /// Names of the categories that it is in, keys of [`Variables::categories`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// The library's own description; empty if it gives none.
    pub description: String,
}

/// A variable that was to be set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Wish {
    /// Name of the control variable, or of the environment variable of a transport.
    pub name: String,
    /// Value as the user or the table of `--stress` wrote it.
    pub value: String,
    /// It was one of `--stress`.
    pub by_stress: bool,
    /// The environment variable by which it was set; `None`: by MPI_T.
    pub by_environment: Option<String>,
    /// Why it was not set.
    pub refused: Option<String>,
}

impl Wish {
    /// One line for people.
    pub fn text(&self) -> String {
        let Wish { name, value, by_stress, by_environment, refused } = self;
        let option = if *by_stress { "--stress" } else { "--cvar" };
        match (refused, by_environment) {
            (Some(why), _) => format!("{option} {name}={value} is not in force: {why}"),
            (None, Some(variable)) if variable == name => format!("{option} has set {name}={value} in the environment"),
            (None, Some(variable)) => format!("{option} has set {name}={value} by {variable} in the environment"),
            (None, None) => format!("{option} has set {name}={value}"),
        }
    }
}

/// The origin of a variable's value, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The environment has a variable for it.
    Environment(String),
    /// `--cvar` or `--stress`.
    Option(&'static str),
    /// It is not what this version of the library has by itself.
    Default {
        /// The value that the library has by itself.
        known: &'static str,
        /// Name and version of the library: "Open MPI 4.1".
        library: &'static str,
    },
}

impl Change {
    /// Returns a phrase for people: "set by --cvar".
    pub fn text(&self) -> String {
        match self {
            Change::Environment(name) => format!("set by environment {name}"),
            Change::Option(option) => format!("set by {option}"),
            Change::Default { known, library } => format!("differs from the default known for {library}: {known}"),
        }
    }
}

impl Variables {
    /// The control variable of this name.
    pub fn named(&self, name: &str) -> Option<&Control> {
        self.control.iter().find(|c| c.name == name)
    }

    /// Was it changed, as far as that can be known? The tool interface does not tell defaults.
    pub fn change(&self, control: &Control, library: &str) -> Option<Change> {
        let wish = self.wishes.iter().find(|w| w.name == control.name && w.refused.is_none());
        if let Some(wish) = wish {
            return Some(Change::Option(if wish.by_stress { "--stress" } else { "--cvar" }));
        }
        if let Some(name) = &control.environment {
            return Some(Change::Environment(name.clone()));
        }
        let (known, version) = known_default(library, &control.name)?;
        let differs = control.value.as_deref().is_some_and(|value| value != known);
        differs.then_some(Change::Default { known, library: version })
    }
}

/// Does `name` fit `pattern`, as in [`is_like`]? Letters of both cases are the same.
pub fn fits(pattern: &str, name: &str) -> bool {
    is_like(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase())
}

/// `NAME=VALUE` pairs of [`CVARS`].
pub fn pairs(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(';').filter(|pair| !pair.is_empty()).map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit() {
        for (pattern, name) in
            [("a*", "abc"), ("*c", "abc"), ("a*c", "abc"), ("ABC", "abc"), ("*", ""), ("a*b*c", "axbxc")]
        {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a", "abc"), ("*b", "abc"), ("a*d", "abc"), ("ab*bc", "abc"), ("", "a")] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn what_changed_a_variable_is_told() {
        let library = "Open MPI v4.1.4, package: Debian OpenMPI";
        let control = |value: &str| Control {
            name: "btl_vader_eager_limit".into(),
            value: Some(value.into()),
            ..Control::default()
        };
        let mut all = Variables::default();
        assert_eq!(all.change(&control("4096"), library), None);
        let change = all.change(&control("100"), library).map(|c| c.text());
        assert_eq!(change.as_deref(), Some("differs from the default known for Open MPI 4.1: 4096"));
        let by = Control { environment: Some("OMPI_MCA_btl_vader_eager_limit".into()), ..control("4096") };
        let text = all.change(&by, library).map(|c| c.text());
        assert_eq!(text.as_deref(), Some("set by environment OMPI_MCA_btl_vader_eager_limit"));
        all.wishes.push(Wish { name: by.name.clone(), value: "1".into(), ..Wish::default() });
        assert_eq!(all.change(&by, library).map(|c| c.text()).as_deref(), Some("set by --cvar"));
        assert_eq!(all.change(&control("100"), "Some MPI 1.0"), Some(Change::Option("--cvar")));
    }
}
