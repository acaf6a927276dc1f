//! When buffered messages have left their buffer: detaching one waits for that (MPI 4.1, 3.6), and so does flushing it.

use super::Cond;
use super::conditions::{Outlooks, all, received};
use crate::model::Model;
use crate::state::{OpId, OpKind, Origin};
use trace_format::mpi::SendMode;

/// When the messages have left that are in the buffer which a call detaches or flushes, and were when it began.
pub(super) fn flushed(model: &Model, outlooks: &mut Outlooks, origin: &Origin) -> Cond {
    let r = &model.ranks[origin.rank as usize];
    let Some(buffer) = r.buffers.of_call(&r.objects, origin) else { return Cond::Free };
    let here = model.ops.iter().filter(|(_, o)| o.rank == origin.rank && o.kind == OpKind::Send(SendMode::Buffered));
    let held = here.filter(|(_, o)| r.buffers.of_send(o.comm, o.shown()) == buffer && o.shown().time <= origin.time);
    let mut held: Vec<OpId> = held.map(|(op, _)| op).collect();
    held.sort_by_key(|op| model.ops.get(*op).map(|o| (o.origin.thread, o.origin.index)));
    all(held.into_iter().map(|op| received(model, outlooks, op)).collect())
}
