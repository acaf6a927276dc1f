//! `--check`, `--no-check`, `--severity` and `--max-findings`: the findings that the user wants to see. The order of
//! the first two matters, which derived options do not keep.

use crate::exit::Exit;
use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use trace_format::settings::selection::{Selection, SelectionError};

/// The options in the order of the command line.
#[derive(Debug, Clone, Default)]
pub(crate) struct CheckOptions(Vec<CheckOption>);

#[derive(Debug, Clone)]
enum CheckOption {
    /// Words as [`Selection::choose`] takes them.
    Checks(String),
    Severity(String),
    MaxFindings(u64),
}

impl CheckOption {
    fn apply(&self, selection: &mut Selection) -> Result<(), SelectionError> {
        match self {
            CheckOption::Checks(words) => selection.choose(words),
            CheckOption::Severity(words) => selection.set_severity(words),
            CheckOption::MaxFindings(most) => {
                selection.set_max_findings(*most);
                Ok(())
            }
        }
    }

    /// Refuses a choice without meaning.
    fn checked(self) -> Result<CheckOption, SelectionError> {
        self.apply(&mut Selection::default())?;
        Ok(self)
    }
}

fn on(words: &str) -> Result<CheckOption, SelectionError> {
    CheckOption::Checks(words.to_owned()).checked()
}

fn off(words: &str) -> Result<CheckOption, SelectionError> {
    let words: Vec<String> = words.split(',').map(|word| format!("-{}", word.trim())).collect();
    CheckOption::Checks(words.join(",")).checked()
}

fn severity(words: &str) -> Result<CheckOption, SelectionError> {
    CheckOption::Severity(words.to_owned()).checked()
}

fn max_findings(number: &str) -> Result<CheckOption, SelectionError> {
    let number = number.parse().map_err(|_| SelectionError::WrongNumber(number.to_owned()))?;
    Ok(CheckOption::MaxFindings(number))
}

const OPTIONS: [&str; 4] = ["check", "no-check", "severity", "max-findings"];

impl Args for CheckOptions {
    fn augment_args(command: Command) -> Command {
        let arg = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append);
        command.args([
            arg("check").value_name("CHECKS").value_parser(on).help(
                "Look for these too: names, codes, groups as MV4, globs, with commas between. The option that comes last wins",
            ),
            arg("no-check").value_name("CHECKS").value_parser(off).help("Do not look for these"),
            arg("severity")
                .value_name("CHECKS=SEVERITY")
                .value_parser(severity)
                .help("Report what these find as an error, a warning or a note, or not at all (off)"),
            arg("max-findings")
                .value_name("N")
                .value_parser(max_findings)
                .help("Show at most N findings of each rank, and N of collective operations; 0: all [default: 50]"),
        ])
    }

    fn augment_args_for_update(command: Command) -> Command {
        CheckOptions::augment_args(command)
    }
}

impl FromArgMatches for CheckOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<CheckOptions, Error> {
        let mut all: Vec<(usize, CheckOption)> = Vec::new();
        for name in OPTIONS {
            let places = matches.indices_of(name).into_iter().flatten();
            let values = matches.get_many::<CheckOption>(name).into_iter().flatten();
            all.extend(places.zip(values.cloned()));
        }
        all.sort_by_key(|(place, _)| *place);
        Ok(CheckOptions(all.into_iter().map(|(_, option)| option).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = CheckOptions::from_arg_matches(matches)?;
        Ok(())
    }
}

impl CheckOptions {
    /// The checks that the options select; those of file and environment are among them (`settings/`).
    pub(crate) fn selection(&self) -> Result<Selection, Exit> {
        let mut selection = Selection::default();
        self.0.iter().try_for_each(|option| option.apply(&mut selection)).map_err(|e| Exit::Usage(e.to_string()))?;
        Ok(selection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::catalogue::{WRONG_DATA_TYPE, WRONG_ROOT, WRONG_SEND_SIZE};
    use trace_format::finding::Severity;

    fn selection(args: &[&str]) -> Selection {
        let command = CheckOptions::augment_args(Command::new("test").no_binary_name(true));
        let check_options = CheckOptions::from_arg_matches(&command.try_get_matches_from(args).unwrap()).unwrap();
        check_options.selection().unwrap_or_else(|e| panic!("{e:?}"))
    }

    #[test]
    fn the_order_of_the_options_counts() {
        let one = selection(&["--no-check", "*", "--check", "wrong-root,MV406", "--max-findings=3"]);
        assert!(one.is_on(&WRONG_ROOT) && one.is_on(&WRONG_DATA_TYPE) && !one.is_on(&WRONG_SEND_SIZE));
        assert_eq!(one.max_findings(), Some(3));
        let none = selection(&["--check", "wrong-root", "--check=MV4", "--no-check", "*"]);
        assert!(!none.is_on(&WRONG_ROOT) && !none.is_on(&WRONG_DATA_TYPE));
        let but = selection(&["--no-check", "MV4", "--check", "MV406", "--no-check", "wrong-root, MV405"]);
        assert!(but.is_on(&WRONG_DATA_TYPE) && !but.is_on(&WRONG_ROOT) && !but.is_on(&WRONG_SEND_SIZE));
        let note = selection(&["--severity", "MV4=warning,MV406=note", "--severity", "wrong-root=off"]);
        assert_eq!(note.severity(&WRONG_DATA_TYPE, Severity::Error), Some(Severity::Note));
        assert_eq!(note.severity(&WRONG_SEND_SIZE, Severity::Error), Some(Severity::Warning));
        assert_eq!(note.severity(&WRONG_ROOT, Severity::Error), None);
    }
}
