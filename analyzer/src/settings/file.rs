//! `mpivet.toml`: finds and reads it.

use super::list::{Kind, SETTINGS, Setting};
use super::{SettingValue, Source};
use crate::exit::Exit;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use trace_format::settings::suggestions::did_you_mean;

pub(crate) const NAME: &str = "mpivet.toml";

/// The file that holds in `start`: there or above, up to the root of the git repository or of the file system.
pub(crate) fn find(start: &Path) -> Option<PathBuf> {
    for dir in start.ancestors() {
        let file = dir.join(NAME);
        if file.is_file() {
            return Some(file);
        }
        // In further worktrees and in submodules it is a file.
        if dir.join(".git").exists() {
            return None;
        }
    }
    None
}

/// The settings of the file.
pub(crate) fn read(path: &Path) -> Result<Vec<SettingValue>, Exit> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| Exit::Usage(format!("cannot read the settings in {}: {e}", path.display())))?;
    parse(path, &text)
}

/// The settings of a file at `path` with this text.
pub(crate) fn parse(path: &Path, text: &str) -> Result<Vec<SettingValue>, Exit> {
    let file = File { path, text };
    let table = DeTable::parse(text).map_err(|e| file.wrong(e.span(), e.message()))?;
    let mut given = Vec::new();
    for (key, value) in in_order(table.get_ref()) {
        let name = key.get_ref().as_ref();
        let Some(setting) = SETTINGS.iter().find(|s| s.key == name) else {
            return Err(file.wrong(Some(key.span()), &unknown(name)));
        };
        file.take(setting, value, &mut given)?;
    }
    Ok(given)
}

/// Entries in the order of the file: a later one has precedence.
fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<(&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>)> {
    let mut all: Vec<_> = table.iter().collect();
    all.sort_by_key(|(key, _)| key.span().start);
    all
}

fn unknown(name: &str) -> String {
    // An option may have another name here.
    let option = SETTINGS.iter().find(|s| s.option == name || s.off == Some(name));
    let near = match option {
        Some(setting) => Some(format!("did you mean {}?", setting.key)),
        None => did_you_mean(name, SETTINGS.iter().map(|s| s.key)),
    };
    let near = near.unwrap_or_else(|| "`mpivet config` shows them all".into());
    format!("there is no setting `{name}`; {near}")
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.as_bytes().get(..span.start.min(self.text.len())).unwrap_or_default();
        1 + before.iter().filter(|b| **b == b'\n').count()
    }

    fn wrong(&self, span: Option<Range<usize>>, what: &str) -> Exit {
        let line = span.map(|s| format!(":{}", self.line(&s))).unwrap_or_default();
        Exit::Usage(format!("{}{line}: {what}", self.path.display()))
    }

    fn take(
        &self,
        setting: &'static Setting,
        value: &Spanned<DeValue>,
        given: &mut Vec<SettingValue>,
    ) -> Result<(), Exit> {
        match (setting.kind, value.get_ref()) {
            (Kind::Words | Kind::Paths | Kind::Reports, DeValue::Array(all)) => {
                for word in all.iter() {
                    let DeValue::String(text) = word.get_ref() else {
                        return Err(self.mismatch(setting, "a list with something else in it", word.span()));
                    };
                    given.push(self.given(setting, text, word.span()));
                }
            }
            (Kind::Pairs(_), DeValue::Table(table)) => {
                for (name, value) in in_order(table) {
                    let text = match value.get_ref() {
                        DeValue::String(text) => text.to_string(),
                        DeValue::Integer(number) => number.to_string(),
                        DeValue::Boolean(yes) => yes.to_string(),
                        other => {
                            return Err(self.mismatch(setting, &format!("{} in it", kind(other)), value.span()));
                        }
                    };
                    let pair = format!("{}={text}", name.get_ref());
                    given.push(self.given(setting, &pair, name.span()));
                }
            }
            (Kind::Bool, DeValue::Boolean(yes)) => given.push(self.given(setting, &yes.to_string(), value.span())),
            (Kind::Number, DeValue::Integer(number)) => {
                let plain = i64::from_str_radix(number.as_str(), number.radix()).map(|n| n.to_string());
                let text = plain.unwrap_or_else(|_| number.as_str().to_owned());
                given.push(self.given(setting, &text, value.span()));
            }
            (Kind::Word | Kind::Path, DeValue::String(text)) => given.push(self.given(setting, text, value.span())),
            (_, other) => return Err(self.mismatch(setting, kind(other), value.span())),
        }
        Ok(())
    }

    fn mismatch(&self, setting: &Setting, found: &str, span: Range<usize>) -> Exit {
        let Setting { key, example, .. } = setting;
        let expected = setting.kind.name();
        self.wrong(Some(span), &format!("`{key}` is {expected}, not {found}; for example {key} = {example}"))
    }

    fn given(&self, setting: &'static Setting, text: &str, span: Range<usize>) -> SettingValue {
        let here = self.path.parent().unwrap_or(Path::new(""));
        let value = match setting.kind {
            Kind::Path => here.join(text).into_os_string(),
            Kind::Paths => here.join(text).into_os_string(),
            Kind::Reports => with_format(text, |file| here.join(file).into_os_string()),
            _ => text.into(),
        };
        SettingValue { setting, value, source: Source::File { path: self.path.to_owned(), line: self.line(&span) } }
    }
}

/// `FORMAT:FILE` or `FILE` with another FILE.
fn with_format(text: &str, change: impl Fn(&str) -> OsString) -> OsString {
    match text.split_once(':') {
        Some((format, file)) if !format.is_empty() && format.bytes().all(|b| b.is_ascii_alphabetic()) => {
            let mut whole = OsString::from(format!("{format}:"));
            whole.push(change(file));
            whole
        }
        _ => change(text),
    }
}

fn kind(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
