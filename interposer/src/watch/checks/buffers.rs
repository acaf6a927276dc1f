//! Buffers of a call against each other and against those of pending operations: what the checks on them share.

use super::{
    Spot, collective_overlap, overlapping, overlapping_sendrecv, partitioned_misuse, rma_local_conflict, send_checksum,
};
use crate::mpi::types;
use crate::pending::conflicts::Conflict;
use crate::pending::uses::{Access, Use};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operands::{self};
use crate::watch::operations;
use trace_format::definition::{FIRST_USER_ID, UNKNOWN_ID};
use trace_format::mpi::Class;
use trace_format::mpi::predefined::DATATYPES;
use typemap::{Change, Pending, common_byte};

/// A buffer that MPI was reading and that has changed.
pub(crate) struct Changed<'a> {
    pub(crate) used: &'a Use,
    pub(crate) change: Change,
    pub(crate) started: Spot,
}

pub(super) fn is_collective(class: Class) -> bool {
    matches!(class, Class::Collective(..))
}

/// Must the buffers of its calls share no byte?
fn has_buffers_apart(class: Class) -> bool {
    matches!(class, Class::SendRecv(_) | Class::Collective(..)) || is_access(class)
}

/// Does it access a window?
pub(super) fn is_access(class: Class) -> bool {
    matches!(class, Class::Rma | Class::RmaRequest)
}

/// The use that MPI makes of a buffer, in words.
pub(super) fn verb(access: Access) -> &'static str {
    match access {
        Access::Read => "reads",
        Access::Write => "writes",
        Access::Both => "reads and writes",
    }
}

/// A byte of a buffer in words: `byte 8 of recvbuf`.
pub(super) fn byte_of(used: &Use, address: u64) -> String {
    let name = used.func.row().params.get(usize::from(used.param)).map_or("the buffer", |p| p.name);
    // A buffer at MPI_BOTTOM has no beginning.
    if used.base == 0 || address < used.base {
        return format!("address {address:#x} of {name}");
    }
    format!("byte {} of {name}", address - used.base)
}

/// Two buffers of the call `here` have a byte in common, in words.
pub(super) fn two_of_one(here: Spot, a: &Use, b: &Use, address: u64) -> String {
    let (function, verb, byte) = (here.func.name(), verb(b.access), byte_of(b, address));
    format!("{function} {verb} {byte}, which is {} as well", byte_of(a, address))
}

/// How a buffer is described: `100 x MPI_INT`.
pub(super) fn what(used: &Use) -> String {
    let name = match used.datatype {
        UNKNOWN_ID => "elements".to_owned(),
        id if id < FIRST_USER_ID => DATATYPES.get(id as usize - 1).map_or("?", |n| n).to_owned(),
        _ => "elements of a derived datatype".to_owned(),
    };
    format!("{} x {name}", used.count).replace("x elements", "elements")
}

/// Where changed bytes are: by bytes, and by the elements that these belong to.
pub(super) fn changed_bytes(used: &Use, change: &Change) -> String {
    let (first, last) = (change.first, change.last);
    let bytes = if first == last { format!("byte {first}") } else { format!("bytes {first} to {last}") };
    let about = if change.exact { "" } else { "within " };
    let locate = |nth| match &used.map {
        Some(map) => map.locate(used.count, nth),
        None => types::with(used.datatype, |map| map.locate(used.count, nth)).flatten(),
    };
    let Some((from, to)) = locate(first).zip(locate(last)) else { return format!("{about}{bytes} of the data") };
    let elements = if from.element == to.element {
        format!("element {}", from.element)
    } else {
        format!("elements {} to {}", from.element, to.element)
    };
    // Within an element of several parts the position in its typemap says more.
    let parts = used.map.as_ref().is_some_and(|m| m.basic_elements() > 1);
    let position = if !parts {
        String::new()
    } else if (from.element, from.position) == (to.element, to.position) {
        format!(", entry {} of its typemap", from.position)
    } else {
        format!(", from entry {} of the first one's typemap to entry {} of the last one's", from.position, to.position)
    };
    format!("{about}{bytes} of the data ({elements} of {}{position})", what(used))
}

/// A blocking call is about to be made.
pub(crate) fn blocking(thread: &mut Thread, call: &Call) {
    let own = matches!(call.info.row.class, Class::SendRecv(_) | Class::Collective(..));
    // A call that is the same was looked at before, and found fine by itself.
    let is_new = own && !call.open.is_fine;
    if !is_new && !operations::is_any_pending(thread) {
        return;
    }
    let uses = operands::uses(thread, call);
    if itself(thread, call, &uses)
        && let Some(place) = call.open.place
    {
        thread.call_cache.set_fine(place, false);
    }
    if operations::is_any_pending(thread)
        && let Some(conflict) = operations::conflict(thread, &uses)
    {
        tell(thread, call, &conflict);
    }
}

/// The buffers of one call against each other: is anything wrong with them?
#[inline(always)]
pub(crate) fn itself(thread: &mut Thread, call: &Call, uses: &[Use]) -> bool {
    let class = call.info.row.class;
    // Parts of files go through one buffer, and replacing is what is wanted.
    if uses.len() < 2 || !has_buffers_apart(class) {
        return false;
    }
    against_each_other(thread, call, uses)
}

/// Apart: it takes pages of the stack.
#[inline(never)]
fn against_each_other(thread: &mut Thread, call: &Call, uses: &[Use]) -> bool {
    let class = call.info.row.class;
    let found = if let [a, b] = uses {
        let writes = a.access.writes() || b.access.writes();
        common_byte(&a.buffer, &b.buffer).filter(|_| writes).map(|address| (a.clone(), b.clone(), address))
    } else {
        let mut seen: Pending<usize> = Pending::new();
        uses.iter().enumerate().find_map(|(i, u)| {
            let conflict = seen.conflict(&u.buffer, u.access.writes()).map(|(other, address)| (*other, address));
            seen.insert(u.buffer.clone(), u.access.writes(), i);
            conflict.and_then(|(other, address)| Some((uses.get(other)?.clone(), u.clone(), address)))
        })
    };
    let Some((a, b, address)) = found else { return false };
    match class {
        Class::SendRecv(_) => overlapping_sendrecv::tell(thread, call, &a, &b, address),
        _ if is_access(class) => rma_local_conflict::tell_own(thread, call, &a, &b, address),
        _ => collective_overlap::tell_own(thread, call, &a, &b, address),
    }
    true
}

/// A conflict with a pending operation.
#[cold]
pub(crate) fn tell(thread: &mut Thread, call: &Call, conflict: &Conflict) {
    if [&conflict.mine, &conflict.theirs].into_iter().any(partitioned_misuse::is_partition) {
        partitioned_misuse::overlap(thread, call, conflict);
    } else if is_access(call.info.row.class) || is_access(conflict.class) {
        rma_local_conflict::tell(thread, call, conflict);
    } else if is_collective(call.info.row.class) || is_collective(conflict.class) {
        collective_overlap::tell(thread, call, conflict);
    } else {
        overlapping::tell(thread, call, conflict);
    }
}

/// A changed buffer.
#[cold]
pub(crate) fn tell_changed(thread: &mut Thread, call: &Call, changed: &Changed) {
    if is_access(changed.started.func.row().class) {
        return rma_local_conflict::tell_changed(thread, call, changed);
    }
    send_checksum::tell(thread, call, changed);
}
