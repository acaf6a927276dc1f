//! How much a single call moves, for those who count: what it sends, or what it says to have received.

use crate::arg_places::{ArgPlaces, NONE};
use crate::model::Model;
use crate::state::Origin;
use trace_format::definition::Id;
use trace_format::mpi::{Class, Coll, Kind, Start, special};
use trace_reader::args::{Arg, Args};

/// Bytes of a call that has returned; `None`: it moves nothing by itself, or how much is not known.
pub(crate) fn of_call(model: &Model, origin: &Origin, outs: &Args) -> Option<u64> {
    let s = origin.arg_places;
    match s.class {
        Class::Send(_, start) | Class::SendRecv(start) | Class::SendRecvReplace(start)
            if start != Start::Persistent =>
        {
            sent(model, origin, s)
        }
        Class::Collective(coll, start) if start != Start::Persistent => of_collective(model, origin, s, coll),
        Class::Recv(Start::Blocking) | Class::Mrecv(Start::Blocking) | Class::Wait(_) => {
            match origin.result(outs, s.status) {
                Arg::Status(status) => status.bytes,
                _ => None,
            }
        }
        _ => None,
    }
}

/// The send buffer of a call, where one count and one type describe it, or one type several counts.
fn sent(model: &Model, origin: &Origin, s: &ArgPlaces) -> Option<u64> {
    let datatype = origin.int(s.send.datatype)?;
    let count = match origin.arg(s.send.count.into()) {
        Arg::Int(count) => count,
        Arg::Ints(counts) => counts.iter().fold(0i64, |sum, n| sum.saturating_add(*n)),
        _ => return None,
    };
    model.one(origin.rank, datatype as Id)?.times(count).bytes
}

/// The bytes that a process gives to a collective operation.
fn of_collective(model: &Model, origin: &Origin, s: &ArgPlaces, coll: Coll) -> Option<u64> {
    use Coll::*;
    if s.send.buf == NONE {
        return None;
    }
    // Then the arguments of the receive buffer say how much, unless both buffers share them.
    if origin.int(s.send.buf) == Some(special::IN_PLACE) && s.send.count != s.recv.count {
        return None;
    }
    let comm = origin.int(s.comm)? as Id;
    let member = (*model.ranks.get(origin.rank as usize)?.objects.members.get(&(Kind::Comm, comm))?)?;
    let comm = model.comms.list.get(member.ix)?;
    let peers = i64::from(comm.peers(member.position).len());
    let is_root = || match origin.int(s.root) {
        Some(root) if root == i64::from(special::ROOT) => true,
        Some(root) => comm.peers(member.position).get(root as i32) == Some(origin.rank),
        None => false,
    };
    let times = match coll {
        Bcast | Scatterv => i64::from(is_root()),
        Scatter => {
            if is_root() {
                peers
            } else {
                0
            }
        }
        Alltoall | ReduceScatterBlock => peers,
        Gather | Gatherv | Allgather | Allgatherv | Alltoallv | Reduce | Allreduce | ReduceScatter | Scan | Exscan => 1,
        _ => return None,
    };
    if times == 0 {
        return Some(0);
    }
    sent(model, origin, s)?.checked_mul(u64::try_from(times).ok()?)
}
