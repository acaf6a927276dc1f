//! Checksums of all that is sent and received, for the comparison between ranks (`--checksums all`). What is sent is
//! looked at when the operation starts, what is received when it is complete; the sums stand in the trace between the
//! call and its return.

use crate::job::config;
use crate::mpi::types;
use crate::mpi::words::ask;
use crate::pending::snapshots::looked_at;
use crate::pending::uses::{Access, Partners, Reduced, Use};
use crate::state::recording::Call;
use crate::state::slow_path::SUMS;
use crate::state::thread::{self, Thread};
use crate::watch::operands::{self};
use recorder::memory;
use recorder::slow_path;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering};
use trace_format::folds::Fold;
use trace_format::mpi::{Class, Coll, FnId, Kind};
use trace_format::system::{Checksum, Checksums, SystemEvent};
use typemap::{Buffer, Sampling, checksum_prefix};

static ON: AtomicBool = AtomicBool::new(false);

/// Are checksums wanted?
#[inline(always)]
pub(crate) fn are_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Recording begins: says in the trace that there will be checksums, if they are wanted.
pub(crate) fn announce() {
    if !config::checksums().between {
        return;
    }
    if let Some(thread) = thread::current() {
        thread.with(|thread| thread.system(&SystemEvent::Checksums(Checksums::default())));
        ON.store(true, Ordering::Relaxed);
        slow_path::set(SUMS, true);
    }
}

/// No more of one call.
const MAX_SUMS: usize = 1024;

/// Does an operation move data from one process to another, as they are or reduced?
fn moves(class: Class) -> bool {
    use Coll::*;
    match class {
        Class::Send(..) | Class::Recv(_) | Class::SendRecv(_) | Class::SendRecvReplace(_) => true,
        Class::Collective(coll, _) => matches!(
            coll,
            Bcast
                | Gather
                | Gatherv
                | Scatter
                | Scatterv
                | Allgather
                | Allgatherv
                | Alltoall
                | Alltoallv
                | Alltoallw
                | NeighborAllgather
                | NeighborAllgatherv
                | NeighborAlltoall
                | NeighborAlltoallv
                | NeighborAlltoallw
                | Reduce
                | Allreduce
                | ReduceScatter
                | ReduceScatterBlock
                | Scan
                | Exscan
        ),
        _ => false,
    }
}

/// The sum of the first `length` bytes of data, or of all.
fn sum(used: &Use, partner: u32, length: Option<u64>) -> Option<Checksum> {
    match used.reduced {
        Reduced::No => {}
        Reduced::By(fold) => return folded(used, fold),
        Reduced::Somehow => return None,
    }
    let is_opaque = match &used.map {
        Some(map) => map.is_opaque(),
        None => types::with(used.datatype, |map| map.is_opaque())?,
    };
    let bytes = length.unwrap_or(used.buffer.size());
    if is_opaque || bytes == 0 {
        return None;
    }
    let sampling = Sampling { over: config::checksums().sample_over.unwrap_or(u64::MAX) };
    let region = memory::region(&used.buffer.span());
    // SAFETY: `looked_at` passes a buffer that can be read.
    let digest = looked_at(region, used, |buffer| unsafe { checksum_prefix(buffer, bytes, sampling) })??;
    Some(Checksum { partner, bytes, digest })
}

/// The fold of integers that are reduced.
fn folded(used: &Use, fold: Fold) -> Option<Checksum> {
    let region = memory::region(&used.buffer.span());
    let digest = looked_at(region, used, |buffer| {
        let span = buffer.span();
        // SAFETY: `looked_at` passes a buffer that can be read; integers have no gaps.
        let bytes = unsafe { std::slice::from_raw_parts(span.start as *const u8, (span.end - span.start) as usize) };
        fold.integers(bytes)
    })??;
    Some(Checksum { partner: Checksum::WHOLE, bytes: used.buffer.size(), digest })
}

/// Block `i` of `n`, one behind the other.
fn block(used: &Use, n: u32, i: u32) -> Option<Use> {
    let count = used.count.checked_div(u64::from(n))?;
    let at = |map: &std::sync::Arc<typemap::Typemap>| {
        let offset = map.extent().checked_mul(i64::try_from(count).ok()?)?.checked_mul(i64::from(i))?;
        let address = used.address.checked_add_signed(offset)?;
        Some(Use { buffer: Buffer::new(address, map, count), address, count, ..used.clone() })
    };
    match &used.map {
        Some(map) => at(map),
        None => types::with(used.datatype, at)?,
    }
}

/// The sums of a buffer, one for each partner that has a part of it.
fn add(sums: &mut Vec<Checksum>, used: &Use, length: Option<u64>) {
    match used.partners {
        // One number for all of it.
        _ if used.reduced != Reduced::No => sums.extend(sum(used, Checksum::WHOLE, length)),
        Partners::All => sums.extend(sum(used, Checksum::WHOLE, length)),
        Partners::One(partner) => sums.extend(sum(used, partner, length)),
        Partners::Each(n) => {
            let room = MAX_SUMS.saturating_sub(sums.len());
            sums.extend((0..n).take(room).filter_map(|i| sum(&block(used, n, i)?, i, length)));
        }
    }
}

/// Sums of what an operation sends.
fn sent(uses: &[Use]) -> Vec<Checksum> {
    let mut sums = Vec::new();
    for used in uses.iter().filter(|u| u.access == Access::Read).take(MAX_SUMS) {
        add(&mut sums, used, None);
    }
    sums
}

/// Sums of what an operation has received; a message may be shorter than its buffer.
fn received(uses: &[Use], length: Option<u64>) -> Vec<Checksum> {
    let mut sums = Vec::new();
    for used in uses.iter().filter(|u| u.access.writes()).take(MAX_SUMS) {
        add(&mut sums, used, length);
    }
    sums
}

/// Sums of what stands in the buffer for the results, before it is overwritten.
fn in_place(call: &Call, uses: &[Use]) -> Vec<Checksum> {
    let &Call { info, abi, words, .. } = call;
    let mut sums = Vec::new();
    for used in uses.iter().filter(|u| u.access == Access::Both).take(MAX_SUMS) {
        match info.row.class {
            Class::SendRecvReplace(_) => add(&mut sums, used, None),
            _ if used.reduced != Reduced::No => add(&mut sums, used, None),
            Class::Collective(Coll::Alltoall | Coll::Alltoallv | Coll::Alltoallw, _) => add(&mut sums, used, None),
            Class::Collective(Coll::Allgather | Coll::Allgatherv, _) => {
                let comm = info.plan.comm.and_then(|p| words.get(p)).map(|w| abi.handle_arg(Kind::Comm, *w));
                let Some(rank) = comm.map(|comm| ask(FnId::MPI_Comm_rank, comm) as u32) else { continue };
                match used.partners {
                    Partners::Each(n) => {
                        sums.extend(block(used, n, rank).and_then(|own| sum(&own, Checksum::WHOLE, None)));
                    }
                    Partners::One(partner) if partner == rank => sums.extend(sum(used, Checksum::WHOLE, None)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    sums
}

/// Bytes of the message that a status tells of; `place` is its place among several.
fn message_bytes(call: &Call, place: usize) -> Option<u64> {
    let &Call { info, abi, words, .. } = call;
    let (param, array) = info.status?;
    let base = words.get(param).copied().filter(|w| *w >= abi.lowest_address && !abi.is_status_ignore(*w))?;
    let address = base + if array { place * abi.status_size() } else { 0 } as u64;
    // SAFETY: the library has written a status here, of the program's or our own.
    let bytes = unsafe { std::slice::from_raw_parts(address as *const u8, abi.status_size()) };
    abi.status(bytes).bytes
}

/// A blocking call is about to be made.
#[cold]
pub(crate) fn before_blocking(thread: &mut Thread, call: &Call) {
    let index = call.open.index;
    // Calls that an exception has left.
    thread.sent.retain(|(other, _)| *other < index);
    if !moves(call.info.row.class) {
        return;
    }
    let uses = operands::uses(thread, call);
    let mut sums = sent(&uses);
    sums.extend(in_place(call, &uses));
    thread.sent.push((index, sums));
}

/// A blocking call has returned.
#[cold]
pub(crate) fn after_blocking(thread: &mut Thread, call: &Call, failed: bool) {
    let class = call.info.row.class;
    if !moves(class) {
        return;
    }
    let Some((_, sent)) = thread.sent.pop_if(|(index, _)| *index == call.open.index).filter(|_| !failed) else {
        return;
    };
    let uses = if uses_are_written(class) { operands::uses(thread, call) } else { SmallVec::new() };
    let received = arrived(call, class, &uses, 0);
    write(thread, call, 0, sent, received);
}

fn uses_are_written(class: Class) -> bool {
    !matches!(class, Class::Send(..))
}

/// Sums of what a complete operation has received; `place` is that of its status.
fn arrived(call: &Call, class: Class, uses: &[Use], place: usize) -> Vec<Checksum> {
    if !uses.iter().any(|u| u.access.writes()) {
        return Vec::new();
    }
    match class {
        Class::Collective(..) => received(uses, None),
        // How much has come only the status says.
        _ => message_bytes(call, place).map(|length| received(uses, Some(length))).unwrap_or_default(),
    }
}

/// The operation of the request at this place has begun.
#[cold]
pub(crate) fn started(thread: &mut Thread, call: &Call, request: usize, class: Class, uses: &[Use]) {
    if moves(class) {
        write(thread, call, request, sent(uses), Vec::new());
    }
}

/// The operation of the request at this place is complete; `place` is that of its status.
#[cold]
pub(crate) fn completed(
    thread: &mut Thread,
    call: &Call,
    (request, place): (usize, usize),
    class: Class,
    uses: &[Use],
) {
    if moves(class) {
        let received = arrived(call, class, uses, place);
        write(thread, call, request, Vec::new(), received);
    }
}

fn write(thread: &mut Thread, call: &Call, request: usize, sent: Vec<Checksum>, received: Vec<Checksum>) {
    if sent.is_empty() && received.is_empty() {
        return;
    }
    let index = call.open.index;
    thread.system(&SystemEvent::Checksums(Checksums { call: index, request: request as u32, sent, received }));
    thread.return_apart = true;
}
