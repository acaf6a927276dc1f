//! An entry of a suppression file, and the findings that it covers.

use super::Date;
use globset::GlobMatcher;
use trace_format::settings::selection::is_like;

/// A `[[suppress]]`. A key that is left out covers everything; all keys that are there must fit.
#[derive(Debug, Clone)]
pub struct Entry {
    /// File and line.
    pub at: String,
    /// Codes.
    pub checks: Option<Vec<&'static str>>,
    /// Glob over MPI functions and functions of the program.
    pub function: Option<String>,
    /// Globs over paths of source files; one of them is enough.
    pub source: Option<Vec<GlobMatcher>>,
    /// Glob over names of communicators.
    pub communicator: Option<String>,
    /// Glob over names of installed libraries that make calls.
    pub library: Option<String>,
    pub reason: String,
    /// It covers so many findings; `None`: any number.
    pub count: Option<u64>,
    /// The last day on which it holds.
    pub until: Option<Date>,
}

/// A call that a finding names, as far as entries ask.
#[derive(Debug, Default)]
pub struct Call<'a> {
    /// The MPI function and the functions of the program that led to it.
    pub functions: Vec<&'a str>,
    /// Names of the source file: as reports show it, and in full.
    pub paths: Vec<&'a str>,
    pub communicators: Vec<&'a str>,
    pub libraries: Vec<&'a str>,
}

impl Entry {
    /// Does it cover a finding of this check that names these calls? One call must fit all that is said of calls.
    pub fn covers(&self, code: &str, calls: &[Call]) -> bool {
        let of_calls = [&self.function, &self.communicator, &self.library];
        let asks_of_calls = of_calls.iter().any(|glob| glob.is_some()) || self.source.is_some();
        self.checks.as_ref().is_none_or(|codes| codes.contains(&code))
            && (!asks_of_calls || calls.iter().any(|call| self.fits(call)))
    }

    fn fits(&self, call: &Call) -> bool {
        let one_of = |glob: &Option<String>, names: &[&str]| {
            glob.as_ref().is_none_or(|glob| names.iter().any(|name| is_like(glob, name)))
        };
        let path = |globs: &Vec<GlobMatcher>| globs.iter().any(|g| call.paths.iter().any(|path| g.is_match(path)));
        one_of(&self.function, &call.functions)
            && one_of(&self.communicator, &call.communicators)
            && one_of(&self.library, &call.libraries)
            && self.source.as_ref().is_none_or(path)
    }

    pub(crate) fn has_ended(&self, today: Date) -> bool {
        self.until.is_some_and(|until| until < today)
    }
}
