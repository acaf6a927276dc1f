//! `mpivet config`: the settings in force, and where each comes from.

use crate::cli::{ConfigPlan, ConfigShown, run_command};
use crate::exit::{CLEAN, Exit, put};
use crate::settings::{EffectiveSettings, Kind, SETTINGS, Setting, SettingValue, Source, sample};
use serde_json::{Value, json};
use std::fmt::Write as _;

pub(crate) fn config(plan: &ConfigPlan) -> Result<u8, Exit> {
    let text = match plan.shown {
        ConfigShown::Text => text(&plan.settings),
        ConfigShown::Json => json(&plan.settings),
        ConfigShown::Environment => environment(&plan.settings),
        ConfigShown::Sample => sample(&run_command()),
    };
    put(&text)?;
    Ok(CLEAN)
}

fn of<'a>(all: &'a EffectiveSettings, setting: &'static Setting) -> impl Iterator<Item = &'a SettingValue> {
    all.values.iter().filter(move |given| given.setting == setting)
}

/// Files as a person would name them here.
fn short(source: &Source) -> String {
    let shown = source.to_string();
    let here = std::env::current_dir().map(|dir| format!("{}/", dir.display())).unwrap_or_default();
    match shown.strip_prefix(&here) {
        Some(rest) if !here.is_empty() => rest.to_owned(),
        _ => shown,
    }
}

fn text(all: &EffectiveSettings) -> String {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for setting in SETTINGS {
        let before = rows.len();
        for given in of(all, setting) {
            let key = if rows.len() == before { setting.key } else { "" };
            rows.push([key.into(), given.value.to_string_lossy().into_owned(), short(&given.source)]);
        }
        if rows.len() == before {
            rows.push([setting.key.into(), setting.default.into(), "default".into()]);
        }
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (key, value) = (width(0), width(1).min(48));
    let mut text = match &all.file {
        Some(file) => format!("settings of {}, MPIVET_* and options\n", file.display()),
        None => "settings of MPIVET_* and options; no mpivet.toml is found\n".to_owned(),
    };
    for [k, v, source] in rows {
        _ = writeln!(text, "  {k:key$}  {v:value$}  {source}");
    }
    text
}

fn json(all: &EffectiveSettings) -> String {
    let settings: Vec<Value> = SETTINGS
        .iter()
        .map(|setting| {
            let values: Vec<Value> = of(all, setting).map(|given| entry(setting, given)).collect();
            let list = setting.kind.is_list();
            json!({ "name": setting.key, "variable": setting.variable, "list": list, "default": setting.default, "values": values })
        })
        .collect();
    let whole = json!({ "version": 1, "file": all.file.as_ref().map(|f| f.to_string_lossy()), "settings": settings });
    format!("{whole:#}\n")
}

fn entry(setting: &Setting, given: &SettingValue) -> Value {
    let text = given.value.to_string_lossy().into_owned();
    let value = match setting.kind {
        Kind::Bool => Value::Bool(text == "true"),
        Kind::Number => text.parse::<u64>().map_or(Value::String(text), Value::from),
        _ => Value::String(text),
    };
    match &given.source {
        Source::File { path, line } => {
            json!({ "value": value, "from": "file", "file": path.to_string_lossy(), "line": line })
        }
        Source::Environment(variable) => json!({ "value": value, "from": "environment", "variable": variable }),
        Source::Flag(option) => json!({ "value": value, "from": "option", "option": option }),
    }
}

/// Lines for a shell that pass the settings to `libmpivet.so` without `mpivet run`.
fn environment(all: &EffectiveSettings) -> String {
    let mut text = String::new();
    for setting in SETTINGS.iter().filter(|s| s.in_process) {
        let values: Vec<String> = of(all, setting).map(|given| for_process(setting, given)).collect();
        let separator = match setting.kind {
            Kind::Pairs(separator) => separator.to_string(),
            _ => ",".to_owned(),
        };
        if !values.is_empty() {
            let value = values.join(&separator).replace('\'', r"'\''");
            _ = writeln!(text, "export {}='{value}'", setting.variable);
        }
    }
    text
}

fn for_process(setting: &Setting, given: &SettingValue) -> String {
    let value = given.value.to_string_lossy().into_owned();
    match setting.kind {
        Kind::Bool => if value == "true" { "1" } else { "0" }.to_owned(),
        // The ranks may have another working directory.
        Kind::Path => std::path::absolute(&given.value).map_or(value, |path| path.display().to_string()),
        _ => value,
    }
}
