//! Suppression files: findings that somebody has looked at and accepted, with the reason.
//!
//! ```toml
//! [[suppress]]
//! check = "leak-*"                  # name, code, group (MV7xx) or glob
//! function = "MPI_Comm_dup"         # MPI function, or function of the program in the call stack; a glob
//! source = "third_party/**"         # path of the source file; a glob
//! communicator = "halo"             # its name; a glob
//! library = "libpetsc*"             # installed library that makes the call; a glob
//! reason = "the solver library keeps it until the end"
//! count = 2                         # at most so many findings
//! until = 2027-01-31                # the last day
//! ```

use super::{Date, Entry, GateError};
use globset::{GlobBuilder, GlobMatcher};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use trace_format::mpi::FUNCTIONS;
use trace_format::settings::selection::{codes, is_like};
use trace_format::settings::suggestions::did_you_mean;

/// The keys of an entry.
const KEYS: [&str; 8] = ["check", "function", "source", "communicator", "library", "reason", "count", "until"];
/// An entry needs one of these: an entry that covers everything is a mistake.
const SELECTORS: &str = "check, function, source, communicator or library";
const LIST: &str = "suppress";

/// The suppressions that come with mpivet, as a file.
pub const SHIPPED: &str = include_str!("shipped.toml");

/// The entries of [`SHIPPED`].
pub fn shipped() -> Result<Vec<Entry>, GateError> {
    parse("shipped with mpivet", SHIPPED)
}

/// Reads a file.
pub fn read(file: &Path) -> Result<Vec<Entry>, GateError> {
    let name = file.display().to_string();
    match std::fs::read_to_string(file) {
        Ok(text) => parse(&name, &text),
        Err(why) => Err(GateError::Unreadable { file: name, why }),
    }
}

/// The entries of a text; `name` is that of the file.
pub fn parse(name: &str, text: &str) -> Result<Vec<Entry>, GateError> {
    let mut reading = Reading { name, text, wrong: Vec::new() };
    let entries = match DeTable::parse(text) {
        Ok(table) => reading.file(table.get_ref()),
        Err(e) => {
            reading.wrong(e.span().unwrap_or_default(), e.message().to_owned());
            Vec::new()
        }
    };
    if reading.wrong.is_empty() {
        return Ok(entries);
    }
    // A table forgets the order of its keys.
    reading.wrong.sort();
    Err(GateError::Wrong(reading.wrong.into_iter().map(|(_, what)| what).collect()))
}

/// A file while it is read, and what is wrong with it.
struct Reading<'a> {
    name: &'a str,
    text: &'a str,
    /// Lines and messages of mistakes.
    wrong: Vec<(usize, String)>,
}

type Value<'i> = Spanned<DeValue<'i>>;

impl Reading<'_> {
    fn line(&self, offset: usize) -> (usize, usize) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }

    fn wrong(&mut self, at: Range<usize>, what: impl Into<String>) {
        let (line, column) = self.line(at.start);
        self.wrong.push((at.start, format!("{}:{line}:{column}: {}", self.name, what.into())));
    }

    fn no_such_key(&mut self, at: Range<usize>, key: &str, keys: &[&str]) {
        let near = did_you_mean(key, keys.iter().copied());
        let rest = near.unwrap_or_else(|| format!("there are {}", keys.join(", ")));
        self.wrong(at, format!("there is no key `{key}`; {rest}"));
    }

    fn file(&mut self, table: &DeTable) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (key, value) in table {
            let list = value.get_ref().as_array().filter(|_| key.get_ref() == LIST);
            match list {
                Some(list) => entries.extend(list.iter().filter_map(|entry| self.entry(entry))),
                None if key.get_ref() == LIST => {
                    self.wrong(value.span(), format!("`{LIST}` is a list: write [[{LIST}]]"));
                }
                None => self.no_such_key(key.span(), key.get_ref(), &[LIST]),
            }
        }
        entries
    }

    fn entry(&mut self, value: &Value) -> Option<Entry> {
        let Some(table) = value.get_ref().as_table() else {
            self.wrong(value.span(), format!("an entry of `{LIST}` is a table: write [[{LIST}]]"));
            return None;
        };
        let (before, start) = (self.wrong.len(), value.span());
        let mut entry = Entry {
            at: format!("{}:{}", self.name, self.line(start.start).0),
            checks: None,
            function: None,
            source: None,
            communicator: None,
            library: None,
            reason: String::new(),
            count: None,
            until: None,
        };
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "check" => entry.checks = self.checks(value),
                "function" => entry.function = self.function(value),
                "source" => entry.source = self.source(value),
                "communicator" => entry.communicator = self.string(value, "communicator"),
                "library" => entry.library = self.string(value, "library"),
                "reason" => entry.reason = self.string(value, "reason").unwrap_or_default(),
                "count" => entry.count = self.count(value),
                "until" => entry.until = self.until(value),
                other => self.no_such_key(key.span(), other, &KEYS),
            }
        }
        let selectors = ["check", "function", "source", "communicator", "library"];
        if !table.contains_key("reason") {
            self.wrong(start.clone(), "the entry has no `reason`");
        }
        if !selectors.iter().any(|key| table.contains_key(*key)) {
            self.wrong(start, format!("the entry would cover every finding: it needs {SELECTORS}"));
        }
        (self.wrong.len() == before).then_some(entry)
    }

    /// A text that is not empty.
    fn string(&mut self, value: &Value, key: &str) -> Option<String> {
        let text = value.get_ref().as_str().map(str::trim);
        match text {
            Some("") => self.wrong(value.span(), format!("`{key}` is empty")),
            None => self.wrong(value.span(), format!("`{key}` is a text in quotes")),
            Some(_) => {}
        }
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    }

    fn checks(&mut self, value: &Value) -> Option<Vec<&'static str>> {
        let word = self.string(value, "check")?;
        codes(&word).map_err(|e| self.wrong(value.span(), e.to_string())).ok()
    }

    fn function(&mut self, value: &Value) -> Option<String> {
        let glob = self.string(value, "function")?;
        let names = || FUNCTIONS.iter().map(|f| f.name);
        // The functions of the program are not known here.
        if glob.starts_with("MPI_") && !names().any(|name| is_like(&glob, name)) {
            let rest = did_you_mean(&glob, names()).map(|near| format!("; {near}")).unwrap_or_default();
            self.wrong(value.span(), format!("there is no MPI function `{glob}`{rest}"));
        }
        Some(glob)
    }

    fn source(&mut self, value: &Value) -> Option<Vec<GlobMatcher>> {
        let glob = self.string(value, "source")?;
        // `src/halo.c` also means the file of this name in any directory: reports show some paths in full.
        let anywhere = format!("**/{}", glob.trim_start_matches('/'));
        let globs = if glob.starts_with('/') { vec![glob] } else { vec![glob, anywhere] };
        let build = |glob: &String| GlobBuilder::new(glob).literal_separator(true).build().map(|g| g.compile_matcher());
        let globs: Result<Vec<GlobMatcher>, _> = globs.iter().map(build).collect();
        globs.map_err(|e| self.wrong(value.span(), e.kind().to_string())).ok()
    }

    fn count(&mut self, value: &Value) -> Option<u64> {
        let number = value.get_ref().as_integer();
        let number = number.and_then(|n| u64::from_str_radix(n.as_str(), n.radix()).ok()).filter(|n| *n > 0);
        if number.is_none() {
            self.wrong(value.span(), "`count` is a number of findings, at least 1");
        }
        number
    }

    fn until(&mut self, value: &Value) -> Option<Date> {
        let day = value.get_ref().as_datetime().filter(|d| d.time.is_none()).and_then(|d| d.date);
        if day.is_none() {
            self.wrong(value.span(), "`until` is a day, without quotes: until = 2027-01-31");
        }
        day.map(|d| Date { year: d.year.into(), month: d.month, day: d.day })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> String {
        match parse("s.toml", text) {
            Err(GateError::Wrong(lines)) => lines.join("|"),
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn an_entry_says_what_it_covers() {
        let text = "# none\n[[suppress]]\ncheck = 'MV301, wrong-root'\nreason = ' so it is '\ncount = 0x10\n\n\
                    [[suppress]]\nfunction = 'MPI_*dup'\nuntil = 2027-01-31\nreason = 'x'\n";
        let [first, second] = &parse("s.toml", text).unwrap()[..] else { panic!("not two") };
        assert_eq!((first.at.as_str(), first.reason.as_str(), first.count), ("s.toml:2", "so it is", Some(16)));
        assert_eq!(first.checks.as_deref(), Some(&["MV301", "MV508"][..]));
        assert_eq!((second.at.as_str(), second.until.unwrap().to_string()), ("s.toml:7", "2027-01-31".into()));
        assert!(parse("s.toml", "").unwrap().is_empty() && parse("s.toml", "suppress = []").unwrap().is_empty());
    }

    #[test]
    fn what_comes_with_mpivet_is_sound_and_narrow() {
        let all = shipped().unwrap();
        assert!(!all.is_empty() && all.iter().all(|entry| entry.checks.as_ref().is_some_and(|c| c.len() == 1)));
        assert!(all.iter().all(|entry| entry.function.is_some() || entry.library.is_some()));
    }

    #[test]
    fn what_means_nothing_is_said_with_its_place() {
        let with = |line: &str| wrong(&format!("[[suppress]]\ncheck = 'abort'\nreason = 'x'\n{line}\n"));
        for (line, said) in [
            ("sourc = 'x'", "s.toml:4:1: there is no key `sourc`; did you mean source?"),
            ("xyz = 1", "s.toml:4:1: there is no key `xyz`; there are check, function, source"),
            ("count = 0", "s.toml:4:9: `count` is a number of findings, at least 1"),
            ("count = -1", "s.toml:4:9: `count` is"),
            ("count = '1'", "s.toml:4:9: `count` is"),
            ("until = 2027-01-31T10:00:00", "s.toml:4:9: `until` is a day"),
            ("until = '2027-01-31'", "s.toml:4:9: `until` is a day"),
            ("until = 2027-02-31", "s.toml:4:"),
            ("source = '[a'", "s.toml:4:10: unclosed character class"),
            ("function = 'MPI_Xsend'", "s.toml:4:12: there is no MPI function `MPI_Xsend`; did you mean MPI_Bsend"),
            ("communicator = ''", "s.toml:4:16: `communicator` is empty"),
            ("communicator = 3", "s.toml:4:16: `communicator` is a text in quotes"),
            ("reason = 'again'", "s.toml:4:1: duplicate key"),
            ("[[supress]]", "s.toml:4:3: there is no key `supress`; did you mean suppress?"),
            ("count = ", "s.toml:4:"),
        ] {
            assert!(with(line).starts_with(said), "{line}: {}", with(line));
        }
        assert_eq!(wrong("[[suppress]]\nreason = ''\ncheck = 'abort'"), "s.toml:2:10: `reason` is empty");
        assert_eq!(wrong("[suppress]"), "s.toml:1:1: `suppress` is a list: write [[suppress]]");
        assert_eq!(wrong("suppress = [3]"), "s.toml:1:13: an entry of `suppress` is a table: write [[suppress]]");
        assert!(wrong("\n[[suppress]]").contains("s.toml:2:1: the entry has no `reason`|s.toml:2:1: the entry would"));
    }
}
