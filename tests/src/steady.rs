//! The steady part of mpivet's output, in any format: without parts that differ between runs, machines and versions.

use crate::normalize::normalize;
use anyhow::{Context as _, Result};
use regex::Regex;
use serde_json::{Value, json};

/// The steady part of a report, of `mpivet stats` (`stats`, `stats-json`) or of `mpivet export` (`perfetto`, `csv`).
/// JSON stays JSON.
pub fn steady(format: &str, report: &str) -> Result<String> {
    let parsed = |text: &str| serde_json::from_str::<Value>(text).context("no JSON");
    let pretty = |json: Value| format!("{json:#}\n");
    Ok(match format {
        "json" | "sarif" => pretty(steady_json(parsed(report)?)),
        "html" => pretty(steady_json(without_times(parsed(island(report)?)?))),
        "perfetto" => pretty(events(parsed(report)?)?),
        "stats-json" => pretty(steady_json(counts(parsed(report)?))),
        "csv" => calls(report)?,
        "stats" => tables(&normalize(report))?,
        "junit" => {
            // The checks that passed are another matter, and the same in all reports.
            let passed = |line: &&str| line.trim_start().starts_with("<testcase ") && line.ends_with("/>");
            let lines: Vec<&str> = report.lines().filter(|line| !passed(line)).collect();
            let text = normalize(&(lines.join("\n") + "\n"));
            Regex::new("tests=\"\\d+\"")?.replace_all(&text, "tests=\"<number>\"").into_owned()
        }
        // A line of the message on a line of its own.
        "github" => normalize(&report.replace("%0A", "%0A\n")),
        "protocol" => protocol(report)?,
        _ => normalize(report),
    })
}

fn steady_json(mut value: Value) -> Value {
    make_steady(&mut value);
    value
}

fn make_steady(value: &mut Value) {
    match value {
        Value::String(text) => *text = normalize(text),
        Value::Array(list) => list.iter_mut().for_each(make_steady),
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                match key.as_str() {
                    "offset" | "ruleIndex" if value.is_number() => *value = json!(0),
                    // The version of the form itself stays.
                    "version" if value == "2.1.0" => {}
                    "family" | "library" | "standard" | "version" | "semanticVersion" if value.is_string() => {
                        *value = json!(format!("<{key}>"));
                    }
                    // Frames of the system and the MPI library below the program are left out: debug information of
                    // theirs may be installed.
                    "stack" => retain(value, |frame| !frame["line"].is_null() && !is_of_system(frame)),
                    // The page of a check is no part of a report.
                    "rules" => retain(value, |_| false),
                    "doc" => *value = json!("<page>"),
                    "uri" if value.as_str().is_some_and(|uri| uri.starts_with("file://")) => *value = json!("<uri>"),
                    _ => {}
                }
                make_steady(value);
            }
        }
        _ => {}
    }
}

fn is_of_system(frame: &Value) -> bool {
    let module = frame["module"].as_str().unwrap_or_default();
    module.starts_with("/lib/") || module.starts_with("/usr/lib/")
}

fn retain(list: &mut Value, wanted: impl Fn(&Value) -> bool) {
    if let Value::Array(list) = list {
        list.retain(wanted);
    }
}

/// The data of the HTML page.
fn island(page: &str) -> Result<&str> {
    let (_, behind) = page.split_once("<script type=\"application/json\" id=\"data\">").context("no data")?;
    Ok(behind.split_once("</script>").context("the data do not end")?.0)
}

/// The data of the page without times. Of the time line stays what is drawn, but not where.
fn without_times(mut data: Value) -> Value {
    let time = json!("<time>");
    for finding in data["findings"].as_array_mut().into_iter().flatten() {
        for site in finding["sites"].as_array_mut().into_iter().flatten() {
            // Stacks have numbers, and what is below `main` is the library's.
            if !site["span"].is_null() {
                site["span"] = time.clone();
            }
        }
    }
    let line = &mut data["timeline"];
    for key in ["end", "last", "spans", "cells", "signals"] {
        line[key] = time.clone();
    }
    for lane in line["lanes"].as_array_mut().into_iter().flatten() {
        // Function, state and place have numbers in the order in which the calls of all ranks were read.
        let calls = lane["calls"].as_array().into_iter().flatten();
        lane["calls"] = calls.map(|call| call.as_array().and_then(|c| c.last()).cloned().unwrap_or_default()).collect();
    }
    line["states"] = json!("<of the functions>");
    for key in ["functions", "places"] {
        if let Some(names) = line[key].as_array_mut() {
            names.sort_by_key(Value::to_string);
        }
    }
    for message in line["messages"].as_array_mut().into_iter().flatten() {
        // The fields are from, to, bytes and tag.
        *message = [0, 1, 4, 5].iter().map(|i| message[*i].clone()).collect();
    }
    if let Some(all) = line["messages"].as_array_mut() {
        all.sort_by_key(Value::to_string);
    }
    for key in ["collectives", "alone"] {
        line[key].as_array_mut().into_iter().flatten().for_each(|operation| *operation = json!("<operation>"));
    }
    functions(&mut data["statistics"]["functions"]);
    data
}

/// A table of functions, sorted by name and without times.
fn functions(list: &mut Value) {
    let Some(list) = list.as_array_mut() else { return };
    for function in list.iter_mut().filter_map(Value::as_object_mut) {
        function.retain(|key, _| !key.ends_with("seconds"));
    }
    list.sort_by_key(|f| f["function"].to_string());
}

/// `mpivet stats` without times, and without what was waited for, which is a matter of times.
fn counts(mut stats: Value) -> Value {
    functions(&mut stats["functions"]);
    without_waiting(&mut stats);
    stats
}

fn without_waiting(value: &mut Value) {
    match value {
        Value::Array(list) => {
            list.iter_mut().for_each(without_waiting);
            // Calls that took longest come first.
            if list.iter().all(Value::is_object) {
                list.sort_by_key(Value::to_string);
            }
        }
        Value::Object(object) => {
            object.retain(|key, _| !key.ends_with("seconds") && !["waits", "places", "hosts"].contains(&key.as_str()));
            object.values_mut().for_each(without_waiting);
        }
        _ => {}
    }
}

/// Trace events, process by process, without when they were.
fn events(trace: Value) -> Result<Value> {
    let mut events = trace["traceEvents"].as_array().context("no events")?.clone();
    // The rank that the launcher ends first is a race, too.
    events.retain(|e| e["cat"] != "signal");
    for event in events.iter_mut().filter_map(Value::as_object_mut) {
        for key in ["ts", "dur", "id"] {
            if let Some(value) = event.get_mut(key) {
                *value = json!(format!("<{key}>"));
            }
        }
    }
    // The rank that begins a collective operation is a race.
    let in_collectives = events.iter_mut().filter(|e| e["id"] != Value::Null && e["cat"] != "message");
    for event in in_collectives.filter_map(Value::as_object_mut) {
        event.remove("bp");
        event.insert("ph".into(), json!("<flow>"));
    }
    // Calls of a rank stay in their order; messages are written when both sides are known.
    let is_call = |e: &Value| matches!(e["ph"].as_str(), Some("X" | "B" | "E"));
    let track = |e: &Value| (e["pid"].as_u64(), e["tid"].as_u64());
    events.sort_by_cached_key(|e| (track(e), is_call(e), if is_call(e) { String::new() } else { e.to_string() }));
    Ok(steady_json(Value::Array(events)))
}

/// The table of calls, rank by rank, without times and how often was polled.
fn calls(csv: &str) -> Result<String> {
    let mut lines = csv.lines();
    let head = lines.next().context("no head")?;
    let columns: Vec<&str> = head.split(',').collect();
    let mut rows = Vec::new();
    for line in lines {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        for (column, cell) in columns.iter().zip(&mut cells) {
            if matches!(*column, "begin_seconds" | "end_seconds" | "polls") && !cell.is_empty() {
                *cell = format!("<{column}>");
            }
        }
        rows.push(cells);
    }
    rows.sort_by_key(|cells| (cells[0].clone(), cells[1].clone()));
    let rows: Vec<String> = rows.iter().map(|cells| cells.join(",")).collect();
    Ok(normalize(&format!("{head}\n{}\n", rows.join("\n"))))
}

/// The tables of `mpivet stats` that do not speak of waiting, with sorted rows and without times.
fn tables(stats: &str) -> Result<String> {
    let spaces = Regex::new(" {2,}")?;
    let numbers = Regex::new(r"(<time>|\b\d+\.\d\b)( (<time>|\d+\.\d\b))*")?;
    let is_of_times = |part: &&str| {
        ["in MPI:", "waiting by cause", "ranks\n", "where ranks waited"].iter().any(|title| part.starts_with(title))
    };
    let parts = stats.split("\n\n").filter(|part| !is_of_times(part)).map(|part| {
        let lines = part.lines().map(|line| spaces.replace_all(line.trim(), " ").into_owned());
        let mut lines: Vec<String> = lines.map(|line| numbers.replace_all(&line, "<times>").into_owned()).collect();
        lines.retain(|line| !line.starts_with("in MPI:"));
        let head = lines.len().min(2);
        lines[head..].sort();
        lines.join("\n") + "\n"
    });
    Ok(parts.collect::<Vec<_>>().join("\n"))
}

/// The protocol without where it ran, how long its analysis took, and the spaces that times take.
fn protocol(protocol: &str) -> Result<String> {
    anyhow::ensure!(protocol.contains("\nTimes of the analyzer's stages\n"), "no stages");
    let text = normalize(protocol.split("\nRun environment\n").next().unwrap_or_default());
    let rules = [
        (r"\b\d+\.\d{6}\b", "<seconds>"),
        (r"(?m)^-[-+]+$", "-"),
        (r" +\|", " |"),
        (r"\| +", "| "),
        (r"(?m)^ +(\S.*\|)", " $1"),
    ];
    rules.iter().try_fold(text, |text, (pattern, with)| Ok(Regex::new(pattern)?.replace_all(&text, *with).into_owned()))
}
