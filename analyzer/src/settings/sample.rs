//! The sample file (`examples/mpivet.toml`) and the page about settings (`docs/configuration.md`), both from the list.

#[cfg(test)]
use super::list::Kind;
use super::list::{SETTINGS, Setting};
use super::option;
use clap::Command;
use std::fmt::Write as _;

const WIDTH: usize = 100;

/// The description of a setting: its own, or the help of its option. `run`: the command that has the options.
pub(super) fn doc(setting: &Setting, run: &Command) -> String {
    let help = || option(run, setting.option).and_then(|arg| arg.get_help()).map(ToString::to_string);
    let text = if setting.doc.is_empty() { help().unwrap_or_default() } else { setting.doc.to_owned() };
    let text = text.split(" [default:").next().unwrap_or_default();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A sample of `mpivet.toml` with all keys, commented out.
pub(crate) fn sample(run: &Command) -> String {
    let mut text = String::from(
        "# Settings of mpivet for a project: put this file into its top directory and take away the `#` in front of what you\n\
         # want. mpivet looks for `mpivet.toml` in the working directory and above it. MPIVET_* variables overrule the file,\n\
         # options overrule both; `mpivet config` shows what holds. Paths are relative to this file.\n",
    );
    for setting in SETTINGS {
        text.push('\n');
        for line in wrapped(&format!("{}. Default: {}.", doc(setting, run), setting.default)) {
            _ = writeln!(text, "# {line}");
        }
        _ = writeln!(text, "#{} = {}", setting.key, setting.example);
    }
    text
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `docs/configuration.md`.
#[cfg(test)]
pub(super) fn page(run: &Command) -> String {
    let mut text = include_str!("page.md").to_owned();
    for setting in SETTINGS {
        let Setting { key, variable, default, example, kind, .. } = setting;
        let option = match (setting.off, kind) {
            (Some(off), _) => format!("`--{}`, `--{off}`", setting.option),
            (None, Kind::Bool) => format!("`--{0}`, `--{0}=false`", setting.option),
            (None, _) => format!("`--{}`", setting.option),
        };
        let read = if setting.in_process { " (read by `libmpivet.so`)" } else { "" };
        _ = write!(text, "\n## `{key}`\n\n{}.\n\n", doc(setting, run));
        _ = writeln!(text, "| | |\n|---|---|\n| type | {} |\n| default | {default} |", kind.name());
        _ = writeln!(
            text,
            "| file | `{key} = {example}` |\n| environment | `{variable}`{read} |\n| option | {option} |"
        );
    }
    text
}
