//! Values of arguments, handles and numbers, read from the notation.

use super::definitions::parse_comm;
use crate::call::Value;
use trace_format::definition::{COMM_SELF, COMM_WORLD, Definition, FIRST_USER_ID, Id, NULL_ID};
use trace_format::mpi::predefined::{ERROR_CLASSES, datatype_id, op_id};
use trace_format::mpi::{Kind, Status, special};
use trace_format::ranks::Ranks;

pub(super) fn matching_close(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(i),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at commas that are not inside brackets.
pub(super) fn split_top(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}

pub(super) fn int(text: &str) -> Result<i64, String> {
    let text = text.trim();
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| format!("`{text}` is no number"))
}

pub(super) fn error(name: &str) -> Result<u16, String> {
    if name == "ok" || name == "MPI_SUCCESS" {
        return Ok(0);
    }
    let place = ERROR_CLASSES.iter().position(|n| *n == name);
    place.map(|i| i as u16 + 1).ok_or_else(|| format!("`{name}` is no error class"))
}

fn user_id(text: &str) -> Option<Id> {
    let digits = text.get(1..)?;
    text.starts_with(|c: char| c.is_ascii_lowercase()).then(|| digits.parse::<Id>().ok())??.checked_add(FIRST_USER_ID)
}

pub(super) fn parse_id(kind: Kind, text: &str) -> Result<Id, String> {
    if text.starts_with("MPI_") && text.ends_with("_NULL") {
        return Ok(NULL_ID);
    }
    let predefined = match (kind, text) {
        (Kind::Comm, "MPI_COMM_WORLD") => Some(COMM_WORLD),
        (Kind::Comm, "MPI_COMM_SELF") => Some(COMM_SELF),
        (Kind::Group, "MPI_GROUP_EMPTY") => Some(trace_format::definition::GROUP_EMPTY),
        (Kind::Datatype, name) => datatype_id(name),
        (Kind::Op, name) => op_id(name),
        _ => None,
    };
    let numbered = || text.split_once('#').and_then(|(_, number)| number.parse().ok());
    predefined.or_else(|| user_id(text)).or_else(numbered).ok_or_else(|| format!("`{text}` names no {kind:?}"))
}

pub(super) fn parse_value(kind: Kind, text: &str, define: &mut dyn FnMut(Definition)) -> Result<Value, String> {
    let (text, slot) = match text.rsplit_once('@') {
        Some((text, slot)) if matches!(kind, Kind::Request | Kind::Message) => (text, Some(int(slot)? as u64)),
        _ => (text, None),
    };
    if let Some(list) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let items = split_top(list);
        if kind == Kind::Status {
            return Ok(Value::Statuses(items.into_iter().map(parse_status).collect::<Result<_, _>>()?));
        }
        let ints = items.into_iter().map(|t| parse_one(kind, t, define)).collect::<Result<Vec<_>, _>>()?;
        return Ok(match slot {
            Some(base) => Value::Requests { base, handles: ints },
            None => Value::Ints(ints),
        });
    }
    match (kind, slot) {
        (Kind::Status, _) => Ok(Value::Status(parse_status(text)?)),
        (Kind::Str, _) => Ok(Value::Str(text.trim_matches('"').to_owned())),
        (_, Some(slot)) if text.is_empty() => Ok(Value::Int(slot as i64)),
        (_, Some(slot)) => Ok(Value::Request { slot, handle: parse_one(kind, text, define)? }),
        _ => Ok(Value::Int(parse_one(kind, text, define)?)),
    }
}

fn parse_one(kind: Kind, text: &str, define: &mut dyn FnMut(Definition)) -> Result<i64, String> {
    let named = match text {
        "MPI_ANY_SOURCE" | "ANY" if kind == Kind::Rank => Some(special::ANY_SOURCE.into()),
        "MPI_ANY_TAG" | "ANY" if kind == Kind::Tag => Some(special::ANY_TAG.into()),
        "MPI_PROC_NULL" => Some(special::PROC_NULL.into()),
        "MPI_ROOT" => Some(special::ROOT.into()),
        "MPI_UNDEFINED" => Some(special::UNDEFINED.into()),
        "MPI_IN_PLACE" => Some(special::IN_PLACE),
        "NULL" | "MPI_BOTTOM" | "MPI_REQUEST_NULL" | "MPI_MESSAGE_NULL" => Some(0),
        "MPI_MESSAGE_NO_PROC" => Some(special::MESSAGE_NO_PROC),
        _ => None,
    };
    if let Some(value) = named {
        return Ok(value);
    }
    match kind {
        Kind::Request | Kind::Message => match text.strip_prefix(['r', 'm']) {
            Some(digits) => int(digits),
            None => int(text),
        },
        Kind::Comm if text.contains('{') => {
            let (name, _) = text.split_once('{').unwrap_or((text, ""));
            let id = parse_id(kind, name)?;
            define(parse_comm(id, &text[name.len()..])?);
            Ok(id.into())
        }
        k if k.is_handle() => parse_id(k, text).map(i64::from),
        _ => int(text),
    }
}

pub(crate) fn parse_status(text: &str) -> Result<Status, String> {
    let parts: Vec<&str> = text.split('/').collect();
    let [source, tag, rest @ ..] = &parts[..] else { return Err(format!("`{text}` is no source/tag/bytes")) };
    let mut none = |_| {};
    let source = parse_one(Kind::Rank, source, &mut none)? as i32;
    let tag = parse_one(Kind::Tag, tag, &mut none)? as i32;
    let bytes = match rest.first() {
        None | Some(&"?") => None,
        Some(b) => Some(int(b)? as u64),
    };
    Ok(Status { source, tag, bytes, cancelled: rest.get(1) == Some(&"cancelled") })
}

pub(super) fn parse_ranks(text: &str) -> Result<Ranks, String> {
    let inner = text.trim().strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    inner.ok_or_else(|| format!("expected {{ranks}}, found `{text}`"))?.parse()
}
