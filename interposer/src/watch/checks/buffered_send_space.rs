//! `buffered-send-space`: see `trace_format::catalogue::BUFFERED_SEND_SPACE`.

use super::send_buffers::{self, Taking};
use super::{Finding, Spot};
use crate::mpi::abi::Abi;
use crate::mpi::library;
use crate::pending::uses::Use;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operands;
use trace_format::catalogue::{BUFFERED_SEND_SPACE, CheckInfo};
use trace_format::mpi::{FnId, Kind};

static CHECK: &CheckInfo = &BUFFERED_SEND_SPACE;

/// A buffered send is about to be made: by the accounting of MPI 4.1, 3.6.1 its message needs its packed size and
/// MPI_BSEND_OVERHEAD.
#[cold]
pub(crate) fn check(thread: &mut Thread, call: &Call) {
    let uses = operands::uses(thread, call);
    let (here, abi) = (Spot::of(thread, call), call.abi);
    let attached = match send_buffers::of_send(thread, call) {
        Taking::Unknown => return,
        Taking::Nothing => return missing(thread, &uses, here),
        Taking::Buffer(attached) => attached,
    };
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
fn missing(thread: &mut Thread, uses: &[Use], here: Spot) {
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
    let asked = library::call(FnId::MPI_Pack_size, &[count as u64, datatype, comm, &raw mut size as u64]);
    (asked == Some(0)).then_some((u64::try_from(size).ok()?, abi.bsend_overhead(library::identity())))
}
