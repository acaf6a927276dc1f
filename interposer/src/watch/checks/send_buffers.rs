//! The buffers that are attached for buffered sends (MPI 4.1, 3.6): to the process, to a communicator, to a session.

use super::{Finding, Spot};
use crate::call::info::Buffering;
use crate::mpi::handles::{self, Dying};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard};
use trace_format::catalogue::INVALID_ARGUMENT;
use trace_format::definition::{Id, UNKNOWN_ID};
use trace_format::mpi::Kind;

/// The owner of the messages that a buffer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Process,
    /// A communicator or session by its number: when it is freed, its handle may already be that of another one. The
    /// handle is there only if there is no number.
    Object(Kind, Id, u64),
}

impl Owner {
    fn object(kind: Kind, id: Id, handle: u64) -> Owner {
        Owner::Object(kind, id, if id == UNKNOWN_ID { handle } else { 0 })
    }

    /// The owner of the buffer that a call attaches or detaches, or that its communicator may have.
    fn of(thread: &mut Thread, call: &Call) -> Owner {
        let &Call { info, abi, words, .. } = call;
        let named = [("comm", Kind::Comm), ("session", Kind::Session)].into_iter().find_map(|(name, kind)| {
            let word = info.row.param(name).and_then(|p| words.get(p))?;
            Some((kind, abi.handle_arg(kind, *word)))
        });
        named.map_or(Owner::Process, |(kind, handle)| Owner::object(kind, thread.handles.id(kind, handle), handle))
    }
}

/// An attached buffer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attached {
    /// In bytes; `None` if it is the library's, which makes it as large as it must be.
    pub(super) size: Option<u64>,
    pub(super) by: Spot,
    /// A call that detaches it is under way. When that has returned, another thread may have attached the next one.
    is_leaving: bool,
}

static ATTACHED: Mutex<Option<FxHashMap<Owner, Attached>>> = Mutex::new(None);

fn attached() -> MutexGuard<'static, Option<FxHashMap<Owner, Attached>>> {
    ATTACHED.lock().unwrap_or_else(|e| e.into_inner())
}

/// Constants of MPI for addresses lie behind it.
const LAST_ADDRESS: u64 = u64::MAX - 4096;

/// A buffer is about to be attached: there may be one at a time (MPI 4.1, 3.6).
#[cold]
pub(crate) fn arriving(thread: &mut Thread, call: &Call) {
    let (owner, here) = (Owner::of(thread, call), Spot::of(thread, call));
    let there = attached().as_ref().and_then(|all| all.get(&owner).copied());
    let Some(there) = there.filter(|buffer| !buffer.is_leaving) else { return };
    let whose = match owner {
        Owner::Process => "the process",
        Owner::Object(Kind::Session, ..) => "the session",
        Owner::Object(..) => "the communicator",
    };
    let message = format!("{} attaches a buffer, but {whose} has one already, which is not detached", here.func.name());
    Finding::new(&INVALID_ARGUMENT, message)
        .at(here, "attaches another")
        .at(there.by, "attached the first")
        .tell(thread);
}

/// A buffer is about to be detached.
#[cold]
pub(crate) fn leaving(thread: &mut Thread, call: &Call) {
    let owner = Owner::of(thread, call);
    if let Some(buffer) = attached().as_mut().and_then(|all| all.get_mut(&owner)) {
        buffer.is_leaving = true;
    }
}

/// A call that attaches or detaches a buffer has returned.
#[cold]
pub(crate) fn changed(thread: &mut Thread, call: &Call, failed: bool) {
    let &Call { info, words, abi, .. } = call;
    let (owner, by) = (Owner::of(thread, call), Spot::of(thread, call));
    let mut all = attached();
    let all = all.get_or_insert_default();
    if info.buffering == Buffering::Detach {
        match all.get_mut(&owner) {
            Some(buffer) if failed => buffer.is_leaving = false,
            Some(buffer) if buffer.is_leaving => drop(all.remove(&owner)),
            _ => {}
        }
        return;
    }
    if failed {
        return;
    }
    let param = |name: &str| info.row.param(name).and_then(|p| words.get(p)).copied().unwrap_or(0);
    let large = info.row.params.iter().any(|p| p.kind == Kind::LargeCount);
    let size = if large { param("size") } else { (param("size") as i32).max(0) as u64 };
    // MPI_BUFFER_AUTOMATIC is no address of the program's.
    let is_own = (abi.lowest_address..=LAST_ADDRESS).contains(&param("buffer"));
    all.insert(owner, Attached { size: is_own.then_some(size), by, is_leaving: false });
}

/// A communicator or session was freed, and its buffer with it unless the program still holds the object.
#[cold]
pub(crate) fn freed(dying: Dying) {
    let (kind, handle, id) = dying.object();
    let is_gone = id == UNKNOWN_ID || handles::lookup(kind, handle) != id;
    if let Some(all) = attached().as_mut().filter(|_| is_gone) {
        all.remove(&Owner::object(kind, id, handle));
    }
}

/// The buffer that takes what a call sends.
pub(super) enum Taking {
    /// Which communicators are of a session is not looked at.
    Unknown,
    Nothing,
    Buffer(Attached),
}

pub(super) fn of_send(thread: &mut Thread, call: &Call) -> Taking {
    let owner = Owner::of(thread, call);
    let all = attached();
    let Some(all) = all.as_ref() else { return Taking::Nothing };
    if all.keys().any(|owner| matches!(owner, Owner::Object(Kind::Session, ..))) {
        return Taking::Unknown;
    }
    all.get(&owner).or_else(|| all.get(&Owner::Process)).map_or(Taking::Nothing, |buffer| Taking::Buffer(*buffer))
}

/// The calls that attached the program's buffers which are not detached.
pub(super) fn outstanding() -> Vec<Spot> {
    attached().iter().flatten().filter(|(_, buffer)| buffer.size.is_some()).map(|(_, buffer)| buffer.by).collect()
}
