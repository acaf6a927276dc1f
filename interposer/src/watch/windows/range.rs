//! Accesses beyond the memory of their target, as far as this process knows how much that is: of its own memory, and of that of
//! all where the info object of the window says that it is alike (MPI 4.1, 12.2.1). Of the others the analyzer knows.

use crate::mpi::library;
use crate::mpi::types;
use crate::mpi::words::is_true;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operands;
use std::ops::Range;
use trace_format::definition::{FIRST_USER_ID, UNKNOWN_ID};
use trace_format::mpi::{FnId, Kind};

/// The memory that a process has given to a window which is not a dynamic one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    /// Bytes.
    size: i64,
    /// Bytes of one unit of displacement.
    unit: i64,
    /// All processes give so much, with this unit.
    is_alike: bool,
}

/// Bytes of a target that are not in its memory.
pub(super) enum Beyond {
    /// From, and up to, of so many.
    Outside { bytes: Range<i64>, size: i64 },
    /// Before the beginning, by the displacement.
    Before { displacement: i64 },
}

/// An argument that is a number.
fn number(call: &Call, name: &str) -> Option<i64> {
    let param = call.info.row.param(name)?;
    let (word, kind) = (*call.words.get(param)?, call.info.row.params.get(param)?.kind);
    Some(if matches!(kind, Kind::Int | Kind::Count) { i64::from(word as i32) } else { word as i64 })
}

/// The memory that a call gives to the window that it makes.
pub(super) fn given(thread: &mut Thread, call: &Call) -> Option<Given> {
    let (size, unit) = (number(call, "size")?, number(call, "disp_unit")?);
    let is_alike = says(thread, call, c"same_size") && says(thread, call, c"same_disp_unit");
    (size >= 0 && unit > 0).then_some(Given { size, unit, is_alike })
}

/// Is a key of the call's info object true?
fn says(thread: &mut Thread, call: &Call, key: &std::ffi::CStr) -> bool {
    let abi = call.abi;
    let Some(word) = call.info.row.param("info").and_then(|p| call.words.get(p)) else { return false };
    let info = abi.handle_arg(Kind::Info, *word);
    let id = thread.handles.id(Kind::Info, info);
    if id < FIRST_USER_ID || id == UNKNOWN_ID {
        return false;
    }
    // A value that is longer is cut off.
    let (mut value, mut flag) = ([0u8; 16], 0i32);
    let most = value.len() as u64 - 1;
    let args = [info, key.as_ptr() as u64, most, value.as_mut_ptr() as u64, (&raw mut flag) as u64];
    let is_there = library::call(FnId::MPI_Info_get, &args) == Some(0) && is_true(abi, Some((&raw const flag) as u64));
    is_there && value.starts_with(b"true\0")
}

/// The bytes of an access that are not in the memory of its target.
pub(super) fn beyond(thread: &mut Thread, call: &Call, given: Given, is_own: bool) -> Option<Beyond> {
    let displacement = number(call, "target_disp")?;
    if !is_own && !given.is_alike && displacement >= 0 {
        return None;
    }
    let count = if call.info.row.param("target_count").is_some() { number(call, "target_count")? } else { 1 };
    let name = if call.info.row.param("target_datatype").is_some() { "target_datatype" } else { "datatype" };
    let datatype = operands::handle_id(thread, call.abi, *call.words.get(call.info.row.param(name)?)?);
    let span = types::with(datatype, |map| (!map.is_opaque()).then(|| map.span(u64::try_from(count).unwrap_or(0))))??;
    if span.is_empty() {
        return None;
    }
    if !is_own && !given.is_alike {
        // A unit has at least one byte.
        return (span.start <= 0).then_some(Beyond::Before { displacement });
    }
    let from = displacement.checked_mul(given.unit)?;
    let bytes = from.checked_add(span.start)?..from.checked_add(span.end)?;
    (bytes.start < 0 || bytes.end > given.size).then_some(Beyond::Outside { bytes, size: given.size })
}
