//! The user's wishes for findings: which checks are on, how severe their findings are, and how many of them are shown.
//! The command line and the environment say it in the same words, and both halves of mpivet obey it.
//!
//! ```text
//! --check wrong-data-type,MV5   --no-check 'leak-*'     MPIVET_CHECKS=wrong-data-type,MV5,-leak-*
//! --severity MV406=warning      --severity MV1=off      MPIVET_SEVERITY=MV406=warning,MV1=off
//! --max-findings 10                                     MPIVET_MAX_FINDINGS=10
//! ```
//!
//! A check is named by its name, its code, the beginning of its code (`MV4` or `MV4xx`), or a glob over names or codes
//! with `*` and `?`. Of several words about one check the last one counts.

use crate::catalogue::{CHECKS, CheckInfo};
use crate::settings::suggestions::did_you_mean;
use crate::severity::Severity;

/// Environment: checks to turn on, and with `-` in front to turn off.
pub const CHECKS_VARIABLE: &str = "MPIVET_CHECKS";
/// Environment: severities of checks.
pub const SEVERITY_VARIABLE: &str = "MPIVET_SEVERITY";
/// Environment: how many findings of a rank are shown.
pub const MAX_FINDINGS_VARIABLE: &str = "MPIVET_MAX_FINDINGS";

/// Findings of one rank that are shown if nothing else is said.
pub const DEFAULT_MAX_FINDINGS: u64 = 50;

/// A word that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectionError {
    /// The word names no check by name, code, beginning of a code or glob.
    #[error("there is no check `{word}`; {}", .near.as_deref().unwrap_or("`mpivet checks` lists them all"))]
    NoSuchCheck {
        /// The word.
        word: String,
        /// A question for people about close names: "did you mean leak-group?".
        near: Option<String>,
    },
    /// The whole word, which has no `=`.
    #[error("`{0}` is not of the form CHECK=SEVERITY")]
    NoSeverity(String),
    /// The part behind `=`, which is neither a severity nor `off`.
    #[error("`{0}` is no severity; there are error, warning, note and off")]
    WrongSeverity(String),
    /// The value of [`MAX_FINDINGS_VARIABLE`], which is no natural number.
    #[error("`{0}` is not a number of findings")]
    WrongNumber(String),
}

/// The wish for one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Wanted {
    on: bool,
    /// The user has named it.
    asked_for: bool,
    level: Level,
}

/// The severity of a check's findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    /// The severity that the check itself gives to each finding.
    Own,
    All(Severity),
    /// They are not reported, whether the check is on or not.
    Off,
}

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// In the order of [`CHECKS`].
    wanted: Vec<Wanted>,
    max_findings: u64,
    /// The words that led to this, for the environment of a job.
    checks: Vec<String>,
    severities: Vec<String>,
}

impl Default for Selection {
    fn default() -> Selection {
        Selection {
            wanted: CHECKS.iter().map(|c| Wanted { on: c.default_on, asked_for: false, level: Level::Own }).collect(),
            max_findings: DEFAULT_MAX_FINDINGS,
            checks: Vec::new(),
            severities: Vec::new(),
        }
    }
}

impl Selection {
    /// The selection of the environment, `get` being the value of a variable, and the words of it that mean nothing: those are
    /// passed over.
    pub fn from_environment(get: impl Fn(&str) -> Option<String>) -> (Selection, Vec<SelectionError>) {
        let mut selection = Selection::default();
        let mut errors = Vec::new();
        for word in words(&get(CHECKS_VARIABLE).unwrap_or_default()) {
            errors.extend(selection.choose(word).err());
        }
        for word in words(&get(SEVERITY_VARIABLE).unwrap_or_default()) {
            errors.extend(selection.set_severity(word).err());
        }
        if let Some(number) = get(MAX_FINDINGS_VARIABLE).filter(|n| !n.is_empty()) {
            match number.parse() {
                Ok(n) => selection.set_max_findings(n),
                Err(_) => errors.push(SelectionError::WrongNumber(number)),
            }
        }
        (selection, errors)
    }

    /// The variables that say the same; none for what was not said.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        for (name, words) in [(CHECKS_VARIABLE, &self.checks), (SEVERITY_VARIABLE, &self.severities)] {
            if !words.is_empty() {
                all.push((name, words.join(",")));
            }
        }
        if self.max_findings != DEFAULT_MAX_FINDINGS {
            all.push((MAX_FINDINGS_VARIABLE, self.max_findings.to_string()));
        }
        all
    }

    /// Turns checks on, or off with `-` in front: `MV4xx`, `-leak-*`, `wrong-root,-MV406`. Nothing is changed if a word
    /// means nothing.
    pub fn choose(&mut self, list: &str) -> Result<(), SelectionError> {
        let mut after = self.clone();
        for word in words(list) {
            let (pattern, on) = word.strip_prefix('-').map_or((word, true), |pattern| (pattern, false));
            after.each(pattern, |wanted| (wanted.on, wanted.asked_for) = (on, on))?;
            after.checks.push(word.to_owned());
        }
        *self = after;
        Ok(())
    }

    /// Gives all findings of checks a severity: `MV406=warning,leak-*=off`. Nothing is changed if a word means nothing.
    pub fn set_severity(&mut self, list: &str) -> Result<(), SelectionError> {
        let mut after = self.clone();
        for word in words(list) {
            let (pattern, level) = word.rsplit_once('=').ok_or_else(|| SelectionError::NoSeverity(word.to_owned()))?;
            let level = match Severity::by_name(level) {
                Some(severity) => Level::All(severity),
                None if level == "off" => Level::Off,
                None => return Err(SelectionError::WrongSeverity(level.to_owned())),
            };
            after.each(pattern, |wanted| wanted.level = level)?;
            after.severities.push(word.to_owned());
        }
        *self = after;
        Ok(())
    }

    /// How many findings are shown of each rank, and how many of collective operations; 0: all.
    pub fn set_max_findings(&mut self, most: u64) {
        self.max_findings = most;
    }

    /// How many findings are shown of each rank, and how many of collective operations; `None`: all.
    pub fn max_findings(&self) -> Option<u64> {
        (self.max_findings > 0).then_some(self.max_findings)
    }

    /// Are findings of this check wanted?
    pub fn is_on(&self, check: &CheckInfo) -> bool {
        self.wanted(check).is_none_or(|w| w.on && w.level != Level::Off)
    }

    /// Has the user turned this check on by name? Then it also says what is legal and common.
    pub fn is_asked_for(&self, check: &CheckInfo) -> bool {
        self.is_on(check) && self.wanted(check).is_some_and(|w| w.asked_for)
    }

    /// The severity of a finding that the check itself calls `own`; `None`: it is not wanted.
    pub fn severity(&self, check: &CheckInfo, own: Severity) -> Option<Severity> {
        match self.wanted(check).map(|w| w.level) {
            _ if !self.is_on(check) => None,
            Some(Level::All(severity)) => Some(severity),
            _ => Some(own),
        }
    }

    /// Changes what is wanted of all checks that a word names.
    fn each(&mut self, word: &str, change: impl Fn(&mut Wanted)) -> Result<(), SelectionError> {
        let meant = named(word)?;
        let all = self.wanted.iter_mut().zip(CHECKS);
        all.filter(|(_, check)| meant.contains(&check.code)).for_each(|(wanted, _)| change(wanted));
        Ok(())
    }

    fn wanted(&self, check: &CheckInfo) -> Option<&Wanted> {
        let at = CHECKS.binary_search_by(|c| c.code.cmp(check.code)).ok()?;
        self.wanted.get(at)
    }
}

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// The codes of all checks that words with commas between name.
pub fn codes(list: &str) -> Result<Vec<&'static str>, SelectionError> {
    let mut codes = Vec::new();
    for word in words(list) {
        codes.extend(named(word)?);
    }
    Ok(codes)
}

/// The codes of all checks that a word names.
fn named(word: &str) -> Result<Vec<&'static str>, SelectionError> {
    let lower = word.to_ascii_lowercase();
    // A code stands for itself, and the beginning of one, with or without `x` for the rest, for a group.
    let digits = lower.strip_prefix("mv").map(|rest| rest.trim_end_matches('x'));
    let group = digits.filter(|d| (1..=3).contains(&d.len()) && lower.len() <= 5);
    let group = group.filter(|d| d.bytes().all(|b| b.is_ascii_digit())).map(|d| format!("mv{d}"));
    let is_meant = |c: &CheckInfo| {
        let code = c.code.to_ascii_lowercase();
        match &group {
            Some(start) => code.starts_with(start.as_str()),
            None => matches(lower.as_bytes(), c.name.as_bytes()) || matches(lower.as_bytes(), code.as_bytes()),
        }
    };
    let all: Vec<&str> = CHECKS.iter().filter(|c| is_meant(c)).map(|c| c.code).collect();
    if all.is_empty() {
        let near = did_you_mean(&lower, CHECKS.iter().flat_map(|c| [c.name, c.code]));
        return Err(SelectionError::NoSuchCheck { word: word.to_owned(), near });
    }
    Ok(all)
}

/// Is `text` of the form of `glob`, where `*` stands for any letters and `?` for one?
pub fn is_like(glob: &str, text: &str) -> bool {
    matches(glob.as_bytes(), text.as_bytes())
}

fn matches(glob: &[u8], text: &[u8]) -> bool {
    let (mut g, mut t) = (0, 0);
    // Behind the last star, and where the text that it does not stand for begins.
    let mut retry = None;
    loop {
        match (glob.get(g), text.get(t)) {
            (Some(b'*'), _) => {
                g += 1;
                retry = Some((g, t));
            }
            (Some(letter), Some(other)) if *letter == b'?' || letter == other => (g, t) = (g + 1, t + 1),
            (None, None) => return true,
            _ => match retry {
                Some((behind, start)) if start < text.len() => {
                    (g, t) = (behind, start + 1);
                    retry = Some((g, t));
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::{MPI_ERROR, REAL_DEADLOCK, WRONG_DATA_TYPE, WRONG_ROOT, WRONG_SEND_SIZE};

    fn chosen(words: &str) -> Selection {
        let mut selection = Selection::default();
        selection.choose(words).unwrap();
        selection
    }

    fn on(selection: &Selection) -> Vec<&'static str> {
        CHECKS.iter().filter(|c| selection.is_on(c)).map(|c| c.name).collect()
    }

    fn of_group(start: &str) -> Vec<&'static str> {
        CHECKS.iter().filter(|c| c.code.starts_with(start)).map(|c| c.name).collect()
    }

    #[test]
    fn without_words_the_catalogue_decides() {
        let selection = Selection::default();
        for check in CHECKS {
            assert_eq!(selection.is_on(check), check.default_on, "{}", check.name);
            assert_eq!(selection.severity(check, Severity::Note).is_some(), check.default_on);
        }
        assert_eq!(selection.max_findings(), Some(DEFAULT_MAX_FINDINGS));
        assert!(selection.environment().is_empty());
    }

    #[test]
    fn checks_are_named_in_four_ways() {
        assert_eq!(on(&chosen("-*,wrong-data-type")), ["wrong-data-type"]);
        assert_eq!(on(&chosen("-*,mv406")), ["wrong-data-type"]);
        for group in ["MV4", "MV4xx", "mv4xx", "MV4*", "mv4??"] {
            assert_eq!(on(&chosen(&format!("-*,{group}"))), of_group("MV4"), "{group}");
        }
        assert_eq!(on(&chosen("-*,MV40x")), of_group("MV40"));
        assert_eq!(on(&chosen("-*, wrong-r??t , *l-deadlock")), ["wrong-root", "real-deadlock", "potential-deadlock"]);
        assert_eq!(on(&chosen("-*,*r*e*a*l-*l*o*c*k")), ["real-deadlock"]);
        let slow = "*?".repeat(20) + "!";
        assert!(Selection::default().choose(&slow).is_err());
    }

    #[test]
    fn the_last_word_counts() {
        assert!(!chosen("-MV4").is_on(&WRONG_DATA_TYPE));
        assert!(chosen("-MV4,wrong-data-type").is_on(&WRONG_DATA_TYPE));
        assert!(!chosen("-MV4,wrong-data-type").is_on(&WRONG_SEND_SIZE));
        assert!(!chosen("wrong-data-type,-MV4").is_on(&WRONG_DATA_TYPE));
        // One check in addition, none turned off.
        assert_eq!(on(&chosen("wrong-root")), on(&Selection::default()));
    }

    #[test]
    fn words_that_name_nothing_are_errors() {
        let error = |words: &str| Selection::default().choose(words).unwrap_err().to_string();
        assert_eq!(error("wrong-rot"), "there is no check `wrong-rot`; did you mean wrong-root?");
        assert_eq!(error("wrong-root,-xyzzy"), "there is no check `xyzzy`; `mpivet checks` lists them all");
        for word in ["MV", "MVxxx", "MV9", "MV4065", "MV4zz", "xx*", "-", "--wrong-root"] {
            assert!(Selection::default().choose(word).is_err(), "{word}");
        }
        // All or nothing.
        let mut selection = Selection::default();
        assert!(selection.choose("-wrong-root,xyzzy").is_err());
        assert_eq!(selection, Selection::default());
    }

    #[test]
    fn severities_are_changed() {
        let mut selection = Selection::default();
        selection.set_severity("MV4=note,wrong-data-type=warning,mpi-error=off").unwrap();
        assert_eq!(selection.severity(&WRONG_DATA_TYPE, Severity::Error), Some(Severity::Warning));
        assert_eq!(selection.severity(&WRONG_SEND_SIZE, Severity::Error), Some(Severity::Note));
        assert_eq!(selection.severity(&REAL_DEADLOCK, Severity::Warning), Some(Severity::Warning));
        assert!(!selection.is_on(&MPI_ERROR) && selection.severity(&MPI_ERROR, Severity::Error).is_none());
        selection.set_severity("MPI-ERROR=error").unwrap();
        assert_eq!(selection.severity(&MPI_ERROR, Severity::Note), Some(Severity::Error));
        // A severity turns nothing on.
        selection.choose("-wrong-root").unwrap();
        selection.set_severity("wrong-root=error").unwrap();
        assert_eq!(selection.severity(&WRONG_ROOT, Severity::Error), None);
        let error = |words: &str| Selection::default().set_severity(words).unwrap_err().to_string();
        assert_eq!(error("wrong-root"), "`wrong-root` is not of the form CHECK=SEVERITY");
        assert_eq!(error("wrong-root=fatal"), "`fatal` is no severity; there are error, warning, note and off");
        assert!(error("wrong-rot=note").contains("did you mean wrong-root?"));
    }

    #[test]
    fn the_environment_says_the_same() {
        let mut selection = chosen("-MV4,wrong-data-type");
        selection.set_severity("MV5=note").unwrap();
        selection.set_max_findings(0);
        let variables = selection.environment();
        assert_eq!(
            variables,
            [
                (CHECKS_VARIABLE, "-MV4,wrong-data-type".to_owned()),
                (SEVERITY_VARIABLE, "MV5=note".to_owned()),
                (MAX_FINDINGS_VARIABLE, "0".to_owned()),
            ]
        );
        let get = |name: &str| variables.iter().find(|v| v.0 == name).map(|v| v.1.clone());
        assert_eq!(Selection::from_environment(get), (selection.clone(), vec![]));
        assert_eq!(selection.max_findings(), None);
    }

    #[test]
    fn what_the_environment_says_well_is_kept() {
        let get = |name: &str| {
            let value = match name {
                CHECKS_VARIABLE => "xyzzy,-wrong-root",
                SEVERITY_VARIABLE => "mpi-error=loud,wrong-data-type=note",
                _ => "many",
            };
            Some(value.to_owned())
        };
        let (selection, errors) = Selection::from_environment(get);
        assert_eq!(errors.len(), 3, "{errors:?}");
        assert!(!selection.is_on(&WRONG_ROOT));
        assert_eq!(selection.severity(&WRONG_DATA_TYPE, Severity::Error), Some(Severity::Note));
        assert_eq!(selection.max_findings(), Some(DEFAULT_MAX_FINDINGS));
    }
}
