//! `buffered-send-space`: see `trace_format::catalogue::BUFFERED_SEND_SPACE`.

use super::{Finding, Spot};
use crate::abi::Abi;
use crate::operands::Use;
use crate::recording::Call;
use crate::thread::Thread;
use crate::{operands, real};
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use trace_format::catalogue::{BUFFERED_SEND_SPACE, CheckInfo};
use trace_format::mpi::{Class, FnId, Kind, SendMode, Start};

static CHECK: &CheckInfo = &BUFFERED_SEND_SPACE;

/// What a function has to do with attached buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    None,
    Attach,
    Detach,
    Send,
}

impl Part {
    pub(crate) fn of(id: FnId, class: Class) -> Part {
        use FnId::*;
        match id {
            MPI_Buffer_attach
            | MPI_Buffer_attach_c
            | MPI_Comm_attach_buffer
            | MPI_Comm_attach_buffer_c
            | MPI_Session_attach_buffer
            | MPI_Session_attach_buffer_c => Part::Attach,
            MPI_Buffer_detach
            | MPI_Buffer_detach_c
            | MPI_Comm_detach_buffer
            | MPI_Comm_detach_buffer_c
            | MPI_Session_detach_buffer
            | MPI_Session_detach_buffer_c => Part::Detach,
            _ if matches!(class, Class::Send(SendMode::Buffered, Start::Blocking | Start::Nonblocking)) => Part::Send,
            _ => Part::None,
        }
    }
}

/// Whose messages a buffer takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Owner {
    Process,
    Comm(u64),
    Session(u64),
}

/// An attached buffer: its size in bytes, `None` if the library makes it as large as it must be.
#[derive(Debug, Clone, Copy)]
struct Attached {
    size: Option<u64>,
    by: Spot,
}

static ATTACHED: Mutex<Option<FxHashMap<Owner, Attached>>> = Mutex::new(None);

fn owner(call: &Call) -> Owner {
    let &Call { info, abi, words, .. } = call;
    let handle = |name: &str, kind| info.row.param(name).and_then(|p| words.get(p)).map(|w| abi.handle_arg(kind, *w));
    match (handle("comm", Kind::Comm), handle("session", Kind::Session)) {
        (Some(comm), _) => Owner::Comm(comm),
        (None, Some(session)) => Owner::Session(session),
        (None, None) => Owner::Process,
    }
}

/// A buffer was attached or detached.
#[cold]
pub(super) fn changed(thread: &mut Thread, call: &Call) {
    let &Call { info, words, abi, .. } = call;
    let mut all = ATTACHED.lock().unwrap_or_else(|e| e.into_inner());
    let all = all.get_or_insert_default();
    if info.buffering == Part::Detach {
        all.remove(&owner(call));
        return;
    }
    let param = |name: &str| info.row.param(name).and_then(|p| words.get(p)).copied().unwrap_or(0);
    let large = info.row.params.iter().any(|p| p.kind == Kind::LargeCount);
    let size = if large { param("size") } else { (param("size") as i32).max(0) as u64 };
    // MPI_BUFFER_AUTOMATIC is no address of the program's.
    let own = (abi.lowest_address..u64::MAX - 16).contains(&param("buffer"));
    all.insert(owner(call), Attached { size: own.then_some(size), by: Spot::of(thread, call) });
}

/// A communicator or session is freed, and its buffer with it.
#[cold]
pub(super) fn freed(kind: Kind, handle: u64) {
    let mut all = ATTACHED.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(all) = all.as_mut() {
        all.remove(&if kind == Kind::Session { Owner::Session(handle) } else { Owner::Comm(handle) });
    }
}

/// A buffered send is about to be made: by the accounting of MPI 4.1, 3.6.1 its message needs its packed size and
/// MPI_BSEND_OVERHEAD.
#[cold]
pub(super) fn check(thread: &mut Thread, call: &Call) {
    let uses = operands::uses(thread, call);
    let (here, abi) = (Spot::of(thread, call), call.abi);
    let attached = {
        let all = ATTACHED.lock().unwrap_or_else(|e| e.into_inner());
        let Some(all) = all.as_ref() else {
            drop(all);
            return missing(thread, call, &uses, here);
        };
        // Which communicators are of a session is not looked at.
        if all.keys().any(|owner| matches!(owner, Owner::Session(_))) {
            return;
        }
        all.get(&owner(call)).or_else(|| all.get(&Owner::Process)).copied()
    };
    let Some(attached) = attached else { return missing(thread, call, &uses, here) };
    let (Some(size), Some(used)) = (attached.size, uses.first()) else { return };
    let Some((packed, overhead)) = needed(call, abi, used) else { return };
    if packed + overhead > size {
        let message = format!(
            "{} needs {} bytes of buffer ({packed} for the message and {overhead} of MPI_BSEND_OVERHEAD); the attached \
             buffer has {size}",
            here.func.name(),
            packed + overhead
        );
        Finding::new(CHECK, message).at(here, "sends").at(attached.by, "attached the buffer").tell(thread);
    }
}

/// No buffer is attached.
fn missing(thread: &mut Thread, _: &Call, uses: &[Use], here: Spot) {
    // To MPI_PROC_NULL, or nothing at all.
    if uses.is_empty() {
        return;
    }
    let message = format!("{} is called and no buffer is attached", here.func.name());
    Finding::new(CHECK, message).at(here, "sends").tell(thread);
}

/// Bytes of the packed message, and of MPI_BSEND_OVERHEAD.
fn needed(call: &Call, abi: &Abi, used: &Use) -> Option<(u64, u64)> {
    let words = call.words;
    let count = i32::try_from(used.count).ok()?;
    let mut size = 0i32;
    let (datatype, comm) = (abi.handle_arg(Kind::Datatype, words[2]), abi.handle_arg(Kind::Comm, words[5]));
    let asked = real::call(FnId::MPI_Pack_size, &[count as u64, datatype, comm, &raw mut size as u64]);
    (asked == Some(0)).then_some((u64::try_from(size).ok()?, abi.bsend_overhead))
}
