//! `mpivet print --format json`: an object a line.

use serde_json::{Map, Value, json};
use trace_format::location::Location;
use trace_format::mpi::predefined::error_class_name;
use trace_format::names::Names;
use trace_reader::call::{Call, Outcome};
use trace_reader::text::{format_arguments, format_results};

/// The speaker of a line.
pub(super) struct Origin {
    pub(super) world: usize,
    pub(super) rank: i32,
    pub(super) thread: u16,
}

/// The events of a call that a line is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Both,
    Call,
    Return,
}

/// A line of its own kind.
pub(super) fn line(kind: &str, origin: &Origin) -> Map<String, Value> {
    let mut line = Map::new();
    line.insert("kind".into(), json!(kind));
    if origin.world != 0 {
        line.insert("world".into(), json!(origin.world));
    }
    line.insert("rank".into(), json!(origin.rank));
    line.insert("thread".into(), json!(origin.thread));
    line
}

/// A call, or one of its events. `seconds` are those of the call and of its return.
pub(super) fn call(
    call: &Call,
    part: Part,
    origin: &Origin,
    seconds: (f64, Option<f64>),
    place: Option<&Location>,
    names: &dyn Names,
) -> String {
    let mut line = line(if part == Part::Return { "return" } else { "call" }, origin);
    line.insert("function".into(), json!(call.func.name()));
    if part != Part::Return {
        line.insert("event".into(), json!(call.call_event()));
        line.insert("seconds".into(), json!(micros(seconds.0)));
        line.insert("arguments".into(), values(format_arguments(call, names)));
    }
    if let (Outcome::Returned(class), true) = (call.outcome, part != Part::Call) {
        let key = |one: &str, both: &str| if part == Part::Both { both } else { one }.to_owned();
        line.insert(key("event", "return_event"), json!(call.return_event()));
        line.insert(key("seconds", "return_seconds"), json!(seconds.1.map(micros)));
        line.insert("returned".into(), json!(if class == 0 { "ok" } else { error_class_name(class) }));
        line.insert("results".into(), values(format_results(call, names)));
        if call.polls > 0 {
            line.insert("polls".into(), json!(u64::from(call.polls) + 1));
        }
    }
    if let Some(place) = place.filter(|p| p.line > 0 && !p.file.is_empty()) {
        line.insert("file".into(), json!(place.file));
        line.insert("line".into(), json!(place.line));
    }
    Value::Object(line).to_string()
}

/// Microseconds are what clocks are good for.
pub(super) fn micros(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// Numbers as numbers, all else as it is printed.
fn values(values: Vec<(&'static str, String)>) -> Value {
    let value = |text: String| text.parse::<i64>().map_or(Value::String(text), Value::from);
    Value::Object(values.into_iter().map(|(name, text)| (name.to_owned(), value(text))).collect())
}
