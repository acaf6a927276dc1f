//! Calls, values and definitions in words.

use crate::call::{Call, Outcome, Value};
use std::fmt::Write as _;
use trace_format::definition::{Bridge, Definition};
use trace_format::mpi::predefined::error_class_name;
use trace_format::mpi::{Dir, Kind, Param, Status};
use trace_format::names::{Names, NoNames, format_int, handle_name};
use trace_format::system::{Checksum, Checksums};

pub(crate) fn format_status(s: &Status) -> String {
    let mut text = String::new();
    text.push_str(&format_int(Kind::Rank, i64::from(s.source), &NoNames));
    text.push('/');
    text.push_str(&format_int(Kind::Tag, i64::from(s.tag), &NoNames));
    match s.bytes {
        Some(b) => _ = write!(text, "/{b}"),
        None => text.push_str("/?"),
    }
    if s.cancelled {
        text.push_str("/cancelled");
    }
    text
}

/// Arrays longer than this are cut in print.
const MAX_PRINTED: usize = 16;

fn format_list<T>(items: &[T], f: impl Fn(&T) -> String) -> String {
    let mut parts: Vec<String> = items.iter().take(MAX_PRINTED).map(f).collect();
    if items.len() > MAX_PRINTED {
        parts.push(format!("... {} in all", items.len()));
    }
    format!("[{}]", parts.join(","))
}

fn format_value(kind: Kind, value: &Value, names: &dyn Names) -> Option<String> {
    Some(match value {
        Value::None => return None,
        Value::Int(v) => format_int(kind, *v, names),
        Value::Request { slot, handle } => format!("{}@{slot:#x}", format_int(kind, *handle, names)),
        Value::Requests { base, handles } => {
            format!("{}@{base:#x}", format_list(handles, |v| format_int(kind, *v, names)))
        }
        Value::Ints(v) => format_list(v, |v| format_int(kind, *v, names)),
        Value::Status(s) => format_status(s),
        Value::Statuses(s) => format_list(s, format_status),
        Value::Str(s) => format!("{s:?}"),
    })
}

/// The arguments of the call by the names of its parameters, as [`format_call`] prints them.
pub fn format_arguments(call: &Call, names: &dyn Names) -> Vec<(&'static str, String)> {
    let params = call.func.row().params.iter().zip(&call.ins);
    let given = params.filter_map(|(p, value)| {
        let value = match value {
            // A request that the call makes has no handle yet: its variable alone is printed.
            Value::Int(slot) if p.kind == Kind::Request && p.dir == Dir::Out => Some(format!("@{slot:#x}")),
            v => format_value(p.kind, v, names),
        };
        Some((p.name, value?))
    });
    given.collect()
}

/// The results of the call by the names of its parameters, as [`format_return`] prints them.
pub fn format_results(call: &Call, names: &dyn Names) -> Vec<(&'static str, String)> {
    let params = || call.func.row().params.iter().zip(&call.outs);
    let no = |(p, v): (&Param, &Value)| p.kind == Kind::Flag && *v == Value::Int(0);
    let nothing = call.func.row().class.is_poll() && params().any(no);
    // A poll that found nothing has no status (MPI 4.1, 3.7.3).
    let is_defined = |p: &Param| !(nothing && matches!(p.kind, Kind::Status | Kind::Message));
    let defined = params().filter(|(p, _)| is_defined(p));
    defined.filter_map(|(p, v)| Some((p.name, format_value(p.kind, v, names)?))).collect()
}

/// `count=1, datatype=MPI_INT`
fn joined(values: Vec<(&'static str, String)>) -> String {
    values.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

/// The call with its arguments by name: `MPI_Send(buf=0x10, count=1, ...)`.
pub fn format_call(call: &Call, names: &dyn Names) -> String {
    format!("{}({})", call.func.name(), joined(format_arguments(call, names)))
}

/// The return of the call: `= ok {status=...}`, `= MPI_ERR_RANK`, or nothing while it is open.
pub fn format_return(call: &Call, names: &dyn Names) -> String {
    let Outcome::Returned(class) = call.outcome else { return String::new() };
    let mut text = format!("= {}", if class == 0 { "ok" } else { error_class_name(class) });
    let outs = joined(format_results(call, names));
    if !outs.is_empty() {
        _ = write!(text, " {{{outs}}}");
    }
    text
}

/// A definition in the notation, or `None` for those that are not part of it (modules, stacks).
pub fn format_definition(def: &Definition) -> Option<String> {
    Some(match def {
        Definition::Comm { id, local, remote, .. } => {
            let name = handle_name(Kind::Comm, *id, &NoNames);
            match remote {
                Some(remote) => format!("def comm {name} {{{local}}}|{{{remote}}}"),
                None => format!("def comm {name} {{{local}}}"),
            }
        }
        Definition::Group { id, ranks } => {
            format!("def group {} {{{ranks}}}", handle_name(Kind::Group, *id, &NoNames))
        }
        Definition::Bridge(b) => {
            let (name, kind) = (handle_name(Kind::Comm, b.comm, &NoNames), format!("{:?}", b.kind).to_lowercase());
            let port = if b.port.is_empty() { String::new() } else { format!(" port {:?}", b.port) };
            let Bridge { local, first, count, root, entered, returned, .. } = b;
            format!(
                "def bridge {name} {kind} {{{local}}}|{first}+{count} root {root} during {entered}-{returned}{port}"
            )
        }
        Definition::Datatype { id, combiner, ints, types, .. } => {
            let ints: Vec<String> = ints.iter().map(i64::to_string).collect();
            let types: Vec<String> = types.iter().map(|t| handle_name(Kind::Datatype, *t, &NoNames)).collect();
            let combiner = format!("{combiner:?}").to_lowercase();
            let name = handle_name(Kind::Datatype, *id, &NoNames);
            format!("def type {name} {combiner}({}; {})", ints.join(","), types.join(","))
        }
        Definition::Op { id, commute } => {
            let commute = if *commute { " commutes" } else { "" };
            format!("def op {}{commute}", handle_name(Kind::Op, *id, &NoNames))
        }
        _ => return None,
    })
}

/// The inverse of [`super::definitions::parse_checksums`].
pub fn format_checksums(checksums: &Checksums) -> String {
    let mut text = "checksums".to_owned();
    if checksums.request > 0 {
        _ = write!(text, " at {}", checksums.request);
    }
    for (what, list) in [("sent", &checksums.sent), ("received", &checksums.received)] {
        for (i, c) in list.iter().enumerate() {
            text += &if i == 0 { format!(" {what} ") } else { ",".to_owned() };
            text += &if c.partner == Checksum::WHOLE { "all".to_owned() } else { c.partner.to_string() };
            _ = write!(text, ":{}:{:x}", c.bytes, c.digest);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::FnId;

    fn answer(func: FnId, flag: i64) -> String {
        let mut call = Call::new(func);
        call.outcome = Outcome::Returned(0);
        for (p, out) in func.row().params.iter().zip(&mut call.outs) {
            match p.kind {
                Kind::Flag => *out = Value::Int(flag),
                Kind::Status => *out = Value::Status(Status { source: 77, tag: 5, bytes: Some(4), cancelled: false }),
                _ => {}
            }
        }
        format_return(&call, &NoNames)
    }

    #[test]
    fn a_status_that_was_not_written_is_not_printed() {
        for func in [FnId::MPI_Test, FnId::MPI_Iprobe, FnId::MPI_Improbe, FnId::MPI_Request_get_status] {
            assert_eq!(answer(func, 0), "= ok {flag=0}", "{}", func.name());
            assert_eq!(answer(func, 1), "= ok {flag=1, status=77/5/4}", "{}", func.name());
        }
    }
}
