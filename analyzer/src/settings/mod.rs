//! The settings of a project (`mpivet.toml`), of the environment (`MPIVET_*`) and of the command line, in rising order of
//! precedence. What file and environment say is given to clap as options in front of those that were typed, so that
//! nothing behind the command line knows where a value came from; `mpivet config` does (`config.rs`).

mod environment;
mod file;
mod list;
mod sample;

pub(crate) use list::{Kind, SETTINGS, Setting, is_variable};
pub(crate) use sample::sample;

use crate::exit::Exit;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Commands for which all settings hold.
const REPORTING: [&str; 3] = ["run", "analyze", "config"];

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    File {
        path: PathBuf,
        line: usize,
    },
    /// The variable.
    Environment(&'static str),
    /// The option, with its dashes.
    Flag(String),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Source::File { path, line } => write!(f, "{}:{line}", path.display()),
            Source::Environment(variable) => write!(f, "{variable}"),
            Source::Flag(option) => write!(f, "{option}"),
        }
    }
}

/// A value of a setting, as its option takes it; one of those in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SettingValue {
    pub(crate) setting: &'static Setting,
    pub(crate) value: OsString,
    pub(crate) source: Source,
}

/// The settings that hold for a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct EffectiveSettings {
    /// The file that was read.
    pub(crate) file: Option<PathBuf>,
    /// In rising order of precedence.
    pub(crate) values: Vec<SettingValue>,
}

impl EffectiveSettings {
    /// The format that was typed: that of `mpivet config` itself.
    pub(crate) fn typed_format(&self) -> Option<&OsStr> {
        let typed = |g: &&SettingValue| g.setting.key == "format" && matches!(g.source, Source::Flag(_));
        self.values.iter().find(typed).map(|g| g.value.as_os_str())
    }
}

/// Lets options turn off a setting that file or environment turned on: `--stress=false`.
pub(crate) fn prepare(mut command: Command) -> Command {
    for name in REPORTING {
        command = command.mut_subcommand(name, |mut command| {
            for setting in SETTINGS.iter().filter(|s| s.kind == Kind::Bool) {
                let Some(id) = option(&command, setting.option).map(|a| a.get_id().clone()) else { continue };
                command = command.mut_arg(id, |arg| {
                    let arg = arg.action(ArgAction::Set).num_args(0..=1).require_equals(true).value_name("BOOL");
                    arg.default_missing_value("true")
                        .default_value("false")
                        .hide_default_value(true)
                        .hide_possible_values(true)
                });
            }
            command
        });
    }
    command
}

/// The settings in force for the command `name`, one of `all`, whose typed options are `matches`; and the arguments
/// `args` with the options that file and environment add in front of the typed ones.
pub(crate) fn apply(
    all: &Command,
    name: &str,
    matches: &ArgMatches,
    args: &[OsString],
) -> Result<(Vec<OsString>, EffectiveSettings), Exit> {
    let (Some(command), Some(run)) = (all.find_subcommand(name), all.find_subcommand("run")) else {
        return Ok((args.to_vec(), EffectiveSettings::default()));
    };
    let holds = |setting: &&Setting| setting.everywhere || REPORTING.contains(&name);
    let known: Vec<&'static Setting> =
        SETTINGS.iter().filter(holds).filter(|s| option(command, s.option).is_some()).collect();
    if known.is_empty() {
        return Ok((args.to_vec(), EffectiveSettings::default()));
    }
    let file = which_file(command, matches)?;
    let mut below = match &file {
        Some(path) => file::read(path)?,
        None => Vec::new(),
    };
    below.extend(environment::read(|variable| std::env::var_os(variable))?);
    // Settings that this command does not use are checked, too: the file is right or wrong.
    below.iter().try_for_each(|given| check(run, given))?;
    below.retain(|given| known.iter().any(|s| **s == *given.setting));
    let typed = typed(command, matches, &known);
    let below = not_overruled(command, below, &typed);
    let more = below.iter().filter(|g| is_set(g) && is_meant(g, command, matches)).filter_map(argument);
    let mut whole: Vec<OsString> = args.iter().take(2).cloned().collect();
    whole.extend(more);
    whole.extend(args.iter().skip(2).cloned());
    Ok((whole, EffectiveSettings { file, values: below.into_iter().chain(typed).collect() }))
}

fn option<'a>(command: &'a Command, long: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(long))
}

/// `--config FILE`, or the nearest `mpivet.toml`.
fn which_file(command: &Command, matches: &ArgMatches) -> Result<Option<PathBuf>, Exit> {
    if option(command, "no-config").is_some() {
        let samples = option(command, "sample").is_some() && matches.get_flag("sample");
        if samples || matches.get_flag("no_config") {
            return Ok(None);
        }
        if let Some(path) = matches.get_one::<PathBuf>("config") {
            return Ok(Some(path.clone()));
        }
    }
    // A directory that is gone has no file above it.
    Ok(std::env::current_dir().ok().and_then(|here| file::find(&here)))
}

/// The options that were typed.
fn typed(command: &Command, matches: &ArgMatches, known: &[&'static Setting]) -> Vec<SettingValue> {
    let mut all = Vec::new();
    for setting in known {
        let mut of_setting: Vec<(usize, SettingValue)> = Vec::new();
        for (name, is_off) in std::iter::once((setting.option, false)).chain(setting.off.map(|name| (name, true))) {
            let Some(id) = option(command, name).map(|a| a.get_id().as_str()) else { continue };
            if matches.value_source(id) != Some(ValueSource::CommandLine) {
                continue;
            }
            let values = matches.get_raw(id).into_iter().flatten();
            let places = matches.indices_of(id).into_iter().flatten();
            for (place, value) in places.zip(values) {
                for value in if setting.kind == Kind::Words { split(value) } else { vec![value.to_owned()] } {
                    let mut word = OsString::from(if is_off { "-" } else { "" });
                    word.push(value);
                    let source = Source::Flag(format!("--{name}"));
                    of_setting.push((place, SettingValue { setting, value: word, source }));
                }
            }
        }
        of_setting.sort_by_key(|(place, _)| *place);
        all.extend(of_setting.into_iter().map(|(_, given)| given));
    }
    all
}

fn split(words: &OsStr) -> Vec<OsString> {
    words.to_string_lossy().split(',').map(str::trim).filter(|w| !w.is_empty()).map(Into::into).collect()
}

/// The settings of file and environment that no setting of higher precedence overrules.
fn not_overruled(command: &Command, below: Vec<SettingValue>, typed: &[SettingValue]) -> Vec<SettingValue> {
    let mut left: Vec<SettingValue> = Vec::new();
    for (at, given) in below.iter().enumerate() {
        let mut later = below[at + 1..].iter().chain(typed);
        let overruled = later.any(|other| {
            let same = other.setting == given.setting;
            same && !given.setting.kind.is_list() || is_set(other) && exclude_each_other(command, given, other)
        });
        if !overruled {
            left.push(given.clone());
        }
    }
    left
}

/// Does the value turn something on? An option with `false` is as if it was not there.
fn is_set(given: &SettingValue) -> bool {
    given.setting.kind != Kind::Bool || given.value != *"false"
}

fn exclude_each_other(command: &Command, one: &SettingValue, other: &SettingValue) -> bool {
    let conflicts = |a: &SettingValue, b: &SettingValue| {
        let (Some(a), Some(b)) = (option(command, a.setting.option), option(command, b.setting.option)) else {
            return false;
        };
        command.get_arg_conflicts_with(a).iter().any(|arg| arg.get_id() == b.get_id())
    };
    conflicts(one, other) || conflicts(other, one)
}

/// Has the setting a meaning beside the options that were typed? Limits of an exploration need a typed `--explore`, and
/// no typed option may exclude the setting.
fn is_meant(given: &SettingValue, command: &Command, matches: &ArgMatches) -> bool {
    let is_typed = |arg: &Arg| matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
    let only_with = given.setting.only_with.and_then(|name| option(command, name));
    let own = option(command, given.setting.option);
    let excludes = |arg: &Arg| {
        let conflicts = command.get_arg_conflicts_with(arg);
        conflicts.iter().any(|other| Some(other.get_id()) == own.map(Arg::get_id))
    };
    only_with.is_none_or(is_typed)
        && !command.get_arguments().any(|arg| arg.get_long().is_some() && is_typed(arg) && excludes(arg))
}

/// The setting as an option of the command line.
fn argument(given: &SettingValue) -> Option<OsString> {
    let Setting { option, off, .. } = *given.setting;
    let (option, value) = match (off, strip_dash(&given.value)) {
        (Some(off), Some(rest)) => (off, rest),
        _ => (option, given.value.clone()),
    };
    let mut whole = OsString::from(format!("--{option}="));
    whole.push(value);
    Some(whole)
}

fn strip_dash(word: &OsStr) -> Option<OsString> {
    word.to_str()?.strip_prefix('-').map(Into::into)
}

/// Checks that the option takes the value; the error names the source of the value.
fn check(command: &Command, given: &SettingValue) -> Result<(), Exit> {
    let off = given.setting.off.filter(|_| strip_dash(&given.value).is_some());
    let name = off.unwrap_or(given.setting.option);
    let Some(arg) = option(command, name) else { return Ok(()) };
    let Some(argument) = argument(given) else { return Ok(()) };
    let alone =
        Arg::new("value").long(name).action(arg.get_action().clone()).value_parser(arg.get_value_parser().clone());
    let tried = Command::new("mpivet").no_binary_name(true).arg(alone).try_get_matches_from([argument]);
    tried.map(|_| ()).map_err(|e| Exit::Usage(format!("{}: {}: {}", given.source, given.setting.key, why(&e, given))))
}

/// The message of clap, without its advice on the command line.
fn why(error: &clap::Error, given: &SettingValue) -> String {
    use clap::error::{ContextKind, ContextValue};
    if let Some(source) = std::error::Error::source(error) {
        return format!("`{}`: {source}", given.value.to_string_lossy());
    }
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(all)) if !all.is_empty() => {
            let word = given.value.to_string_lossy();
            let near = trace_format::settings::suggestions::did_you_mean(&word, all.iter().map(String::as_str));
            let near = near.map(|near| format!("; {near}")).unwrap_or_default();
            format!("`{word}` is none of {}{near}", all.join(", "))
        }
        _ => {
            let text = error.to_string();
            let line = text.lines().next().unwrap_or_default();
            line.trim_start_matches("error: ").to_owned()
        }
    }
}

#[cfg(test)]
mod tests;
