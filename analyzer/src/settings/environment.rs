//! Settings of the environment (`MPIVET_*`).

use super::list::{Kind, SETTINGS, Setting};
use super::{SettingValue, Source};
use crate::exit::Exit;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

/// Reads the settings by `get`, which returns the value of a variable. An empty variable sets nothing.
pub(crate) fn read(get: impl Fn(&str) -> Option<OsString>) -> Result<Vec<SettingValue>, Exit> {
    // Below another `mpivet run` the directory is that of its job.
    let nested = get("MPIVET_RUN").is_some_and(|v| !v.is_empty());
    let mut all = Vec::new();
    for setting in SETTINGS.iter().filter(|s| !(nested && s.variable == "MPIVET_DIR")) {
        let Some(text) = get(setting.variable).filter(|text| !text.is_empty()) else { continue };
        let source = Source::Environment(setting.variable);
        let values = values(setting, &text).map_err(|why| Exit::Usage(format!("{}: {why}", setting.variable)))?;
        all.extend(values.into_iter().map(|value| SettingValue { setting, value, source: source.clone() }));
    }
    Ok(all)
}

fn values(setting: &Setting, text: &OsStr) -> Result<Vec<OsString>, String> {
    let separator = match setting.kind {
        Kind::Bool => return Ok(vec![if truth(text)? { "true" } else { "false" }.into()]),
        Kind::Words => b',',
        Kind::Paths => b':',
        Kind::Reports => return Ok(reports(text)),
        Kind::Pairs(separator) => separator as u8,
        Kind::Number | Kind::Word | Kind::Path => return Ok(vec![text.to_owned()]),
    };
    let words = text.as_bytes().split(|b| *b == separator).map(<[u8]>::trim_ascii);
    Ok(words.filter(|w| !w.is_empty()).map(|w| OsStr::from_bytes(w).to_owned()).collect())
}

/// `a:b`; a colon behind the name of a format (`json:a`) belongs to the path.
fn reports(text: &OsStr) -> Vec<OsString> {
    let mut all: Vec<OsString> = Vec::new();
    let mut format: Option<OsString> = None;
    for part in text.as_bytes().split(|b| *b == b':').filter(|p| !p.is_empty()) {
        let word = OsStr::from_bytes(part);
        match format.take() {
            Some(mut whole) => {
                whole.push(":");
                whole.push(word);
                all.push(whole);
            }
            None if part.iter().all(u8::is_ascii_alphabetic) => format = Some(word.to_owned()),
            None => all.push(word.to_owned()),
        }
    }
    all.extend(format);
    all
}

/// A truth value, as the running program understands it.
fn truth(text: &OsStr) -> Result<bool, String> {
    match text.to_string_lossy().to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        other => Err(format!("`{other}` is neither 1 nor 0")),
    }
}
