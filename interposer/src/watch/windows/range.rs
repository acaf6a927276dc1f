//! Accesses beyond the memory of their target, as far as this process knows how much that is: of its own memory, of that of all
//! where the info object of the window says that it is alike (MPI 4.1, 12.2.1), and of what it was told by MPI_Win_shared_query
//! (12.2.3). Of the others the analyzer knows.

use crate::mpi::library;
use crate::mpi::types;
use crate::mpi::words::is_true;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operands;
use std::collections::BTreeMap;
use std::ops::Range;
use trace_format::definition::{FIRST_USER_ID, UNKNOWN_ID};
use trace_format::mpi::{Class, Coll, FnId, Kind};

/// The memory that a process has given to a window which is not a dynamic one.
#[derive(Debug, Clone, Copy)]
struct Given {
    /// Bytes.
    size: i64,
    /// Bytes of one unit of displacement.
    unit: i64,
}

/// The memory of one window, as far as this process knows how much there is.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    own: Option<Given>,
    /// All processes give as much as this one.
    is_alike: bool,
    /// All processes share their memory.
    is_shared: bool,
    queried: BTreeMap<i32, Given>,
}

/// A target, and its memory if that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target(Option<Given>);

impl Known {
    /// `None`: nothing can be said of a target, as it may be one of a dynamic window.
    pub(super) fn target(&self, target: i32, is_own: bool) -> Option<Target> {
        let own = self.own?;
        let is_as_own = is_own || self.is_alike;
        Some(Target(if is_as_own { Some(own) } else { self.queried.get(&target).copied() }))
    }

    /// A call has told how much memory a process gives.
    pub(super) fn query(&mut self, told: Option<(i32, i64, i64)>) {
        if let Some((rank, size, unit)) = told.filter(|_| self.is_shared) {
            self.queried.insert(rank, Given { size, unit });
        }
    }
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
    number_at(call, call.info.row.param(name)?)
}

fn number_at(call: &Call, param: usize) -> Option<i64> {
    let (word, kind) = (*call.words.get(param)?, call.info.row.params.get(param)?.kind);
    Some(if matches!(kind, Kind::Int | Kind::Count) { i64::from(word as i32) } else { word as i64 })
}

/// The memory that a call gives to the window that it makes.
pub(super) fn given(thread: &mut Thread, call: &Call) -> Known {
    let given = number(call, "size").zip(number(call, "disp_unit"));
    let own = given.filter(|(size, unit)| *size >= 0 && *unit > 0).map(|(size, unit)| Given { size, unit });
    let is_alike = says(thread, call, c"same_size") && says(thread, call, c"same_disp_unit");
    let is_shared = matches!(call.info.row.class, Class::Collective(Coll::WinAllocateShared, _));
    Known { own, is_alike, is_shared, queried: BTreeMap::new() }
}

/// A rank and what MPI_Win_shared_query has told of it: its bytes, and those of its unit of displacement.
pub(super) fn queried(call: &Call) -> Option<(i32, i64, i64)> {
    let rank = call.abi.rank(number(call, "rank")? as i32);
    let place = |name: &str| {
        let param = call.info.row.param(name)?;
        let address = call.words.get(param).copied().filter(|address| *address >= call.abi.lowest_address)?;
        Some((address, call.info.row.params.get(param)?.kind))
    };
    let written = |name: &str| {
        let (address, kind) = place(name)?;
        // SAFETY: the call has succeeded, and has written a number of this kind there.
        Some(unsafe {
            match kind {
                Kind::Int => i64::from((address as *const i32).read_unaligned()),
                _ => (address as *const i64).read_unaligned(),
            }
        })
    };
    let (size, unit) = (written("size")?, written("disp_unit")?);
    (rank >= 0 && size >= 0 && unit > 0).then_some((rank, size, unit))
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
pub(super) fn beyond(thread: &mut Thread, call: &Call, Target(given): Target) -> Option<Beyond> {
    let places = call.info.access.as_ref()?;
    let displacement = number_at(call, places.displacement)?;
    if given.is_none() && displacement >= 0 {
        return None;
    }
    let count = places.count.map_or(Some(1), |count| number_at(call, count))?;
    let datatype = operands::handle_id(thread, call.abi, *call.words.get(places.datatype)?);
    let span = types::with(datatype, |map| (!map.is_opaque()).then(|| map.span(u64::try_from(count).unwrap_or(0))))??;
    if span.is_empty() {
        return None;
    }
    let Some(Given { size, unit }) = given else {
        // A unit has at least one byte.
        return (span.start <= 0).then_some(Beyond::Before { displacement });
    };
    let from = displacement.checked_mul(unit)?;
    let bytes = from.checked_add(span.start)?..from.checked_add(span.end)?;
    (bytes.start < 0 || bytes.end > size).then_some(Beyond::Outside { bytes, size })
}
