//! The message buffers that a call names: where they are, of what, and whether MPI reads or writes them.

use crate::call::encode::encoder;
use crate::call::info::Info;
use crate::call::operands::{ONE, Operand, Operands};
use crate::mpi::abi::Abi;
use crate::mpi::words::handle_at;
use crate::mpi::words::{Words, ask};
use crate::mpi::{define, handles, types};
use crate::pending::uses::{Access, Partners, Reduced, Use, Uses};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::sums;
use trace_format::definition::Id;
use trace_format::folds::Fold;
use trace_format::mpi::special::{PROC_NULL, ROOT};
use trace_format::mpi::{Class, Coll, FnId, Kind};
use trace_format::plan::Len;
use typemap::Buffer;

/// More partners than this are not looked at.
const MAX_PARTNERS: usize = 4096;

/// May one of the datatypes of the call's buffers be one that the program has made?
#[inline(always)]
pub(crate) fn has_own_types(thread: &mut Thread, call: &Call) -> bool {
    let &Call { info, abi, words, .. } = call;
    let own = |operand: &Operand| {
        let word = words.get(operand.datatype).copied().unwrap_or(0);
        operand.types || {
            let id = handle_id(thread, abi, word);
            id >= trace_format::definition::FIRST_USER_ID && id != trace_format::definition::UNKNOWN_ID
        }
    };
    info.operands.list.iter().any(own)
}

/// The contribution of a process to a collective on one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Share {
    Nothing,
    /// As many elements as the count says, or what the arrays say.
    Counted,
    /// That many for each of so many partners.
    Times(usize),
    /// The counts of all together.
    Sum,
}

/// The buffers that the call uses, without those that are not significant.
pub(crate) fn uses(thread: &mut Thread, call: &Call) -> Uses {
    let mut found = Uses::new();
    find(thread, call, &mut found);
    found
}

/// [`uses`], added to a list.
pub(crate) fn find(thread: &mut Thread, call: &Call, found: &mut Uses) {
    let &Call { info, abi, words, .. } = call;
    let word = |p: usize| words.get(p).copied().unwrap_or(0);
    if let Operands { list, dest, source, is_message: true } = &info.operands
        && let [operand] = &**list
    {
        let (address, access) = (word(operand.param), if dest.is_some() { Access::Read } else { Access::Write });
        let is_to_nobody = dest.or(*source).is_some_and(|p| abi.rank(word(p) as i32) == PROC_NULL);
        if !is_to_nobody && !abi.is_in_place(address) {
            let datatype = handle_id(thread, abi, word(operand.datatype));
            let count = count_at(operand, word(operand.count));
            push(found, operand, (access, Partners::All), (address, address), count, datatype);
        }
        return;
    }
    if matches!(info.row.class, Class::Mrecv(_)) && takes_nothing(call) {
        return;
    }
    for operand in &info.operands.list {
        let address = word(operand.param);
        if abi.is_in_place(address) {
            continue;
        }
        let is_send = operand.kind == Kind::SendBuf;
        let nobody = |p: Option<usize>| p.is_some_and(|p| abi.rank(word(p) as i32) == PROC_NULL);
        let (share, access) = match info.row.class {
            Class::Collective(coll, _) => collective(thread, call, coll, operand.kind),
            Class::SendRecvReplace(_) => match (nobody(info.operands.dest), nobody(info.operands.source)) {
                (true, true) => continue,
                (false, true) => (Share::Counted, Access::Read),
                _ => (Share::Counted, Access::Both),
            },
            Class::PartitionedSend | Class::PartitionedRecv => {
                let partitions = info.row.param("partitions").map_or(0, word) as i32;
                (Share::Times(partitions.max(0) as usize), if is_send { Access::Read } else { Access::Write })
            }
            _ => (Share::Counted, if is_send { Access::Read } else { Access::Write }),
        };
        if share == Share::Nothing
            || is_send && nobody(info.operands.dest)
            || operand.kind == Kind::RecvBuf && nobody(info.operands.source)
            || info.row.class == Class::PartitionedRecv && nobody(info.operands.dest)
        {
            continue;
        }
        match operand.many {
            None => {
                let count = if operand.count == ONE { 1 } else { count_at(operand, word(operand.count)) };
                let (times, partners) = match share {
                    Share::Times(n) => (n as u64, Partners::Each(n as u32)),
                    _ => (1, Partners::All),
                };
                let datatype = handle_id(thread, abi, word(operand.datatype));
                let count = count.saturating_mul(times);
                push(found, operand, (access, partners), (address, address), count, datatype);
            }
            Some((len, at_root)) => many(found, thread, call, (operand, access, share), (len, at_root)),
        }
    }
    if sums::are_on() {
        say_reduced(thread, call, found);
    }
}

/// Says of the buffers of a reduction how they are reduced.
fn say_reduced(thread: &mut Thread, call: &Call, uses: &mut Uses) {
    use Coll::*;
    let &Call { info, abi, words, .. } = call;
    let Class::Collective(coll @ (Reduce | Allreduce | ReduceScatter | ReduceScatterBlock | Scan | Exscan), _) =
        info.row.class
    else {
        return;
    };
    let op = info.row.param("op").and_then(|p| words.get(p)).map(|w| abi.handle_arg(Kind::Op, *w));
    let op = op.map(|op| thread.handles.id(Kind::Op, op));
    for used in uses {
        // In place, the result is only a part of what was contributed.
        let split = used.access == Access::Both && matches!(coll, ReduceScatter | ReduceScatterBlock);
        let fold = op.and_then(|op| Fold::of(op, used.datatype)).filter(|_| !split);
        used.reduced = fold.map_or(Reduced::Somehow, Reduced::By);
    }
}

/// Is the message of a matched probe the one from MPI_PROC_NULL?
pub(crate) fn takes_nothing(call: &Call) -> bool {
    let &Call { info, abi, words, .. } = call;
    let at = info.row.param("message").and_then(|p| words.get(p)).copied().unwrap_or(0);
    handle_at(abi, Kind::Message, at).is_none_or(handles::is_no_proc)
}

/// The number of a datatype.
pub(crate) fn handle_id(thread: &mut Thread, abi: &Abi, word: u64) -> Id {
    thread.handles.id(Kind::Datatype, abi.handle_arg(Kind::Datatype, word))
}

fn count_at(operand: &Operand, value: u64) -> u64 {
    (if operand.large { value as i64 } else { i64::from(value as i32) }).max(0) as u64
}

fn push(
    found: &mut Uses,
    operand: &Operand,
    (access, partners): (Access, Partners),
    (base, address): (u64, u64),
    count: u64,
    datatype: Id,
) {
    types::with(datatype, |map| {
        let buffer = Buffer::new(address, map, count);
        if buffer.is_empty() {
            return;
        }
        let map = (datatype >= trace_format::definition::FIRST_USER_ID).then(|| map.clone());
        let (param, func, reduced) = (operand.param as u8, operand.func, Reduced::No);
        found.push(Use { buffer, access, partners, reduced, param, func, base, address, count, datatype, map });
    });
}

/// The partners of a neighbourhood collective on one side, if the call is one.
fn neighbors_of(call: &Call, kind: Kind) -> Option<Vec<i32>> {
    use Coll::*;
    let &Call { info, abi, words, .. } = call;
    let Class::Collective(NeighborAllgatherv | NeighborAlltoallv | NeighborAlltoallw, _) = info.row.class else {
        return None;
    };
    let comm = info.plan.comm.and_then(|p| words.get(p)).map(|w| abi.handle_arg(Kind::Comm, *w))?;
    let neighbors = define::neighbors(abi, comm);
    Some(if kind == Kind::SendBuf { neighbors.destinations } else { neighbors.sources })
}

/// The buffers of one side of a call that has counts, and maybe displacements and types, for each partner.
fn many(
    found: &mut Uses,
    thread: &mut Thread,
    call: &Call,
    (operand, access, share): (&Operand, Access, Share),
    (len, at_root): (Len, bool),
) {
    let &Call { info, abi, words, .. } = call;
    let word = |p: usize| words.get(p).copied().unwrap_or(0);
    let n = encoder(std::ptr::null_mut(), &mut thread.handles, info, abi, words).length(len, at_root);
    let counts = word(operand.count);
    if n == 0 || n > MAX_PARTNERS || counts < abi.lowest_address {
        return;
    }
    // SAFETY: the program passed arrays of this length; the encoder has read them already.
    let load = |base: u64, i: usize, wide: bool| unsafe {
        if wide {
            ((base + 8 * i as u64) as *const i64).read_unaligned()
        } else {
            i64::from(((base + 4 * i as u64) as *const i32).read_unaligned())
        }
    };
    let count = |i: usize| load(counts, i, operand.large).max(0) as u64;
    let address = word(operand.param);
    let datatype = |thread: &mut Thread, i: usize| {
        let base = word(operand.datatype);
        let wide = abi.handle_bytes(Kind::Datatype) == 8;
        handle_id(thread, abi, if operand.types { load(base, i, wide) as u64 } else { base })
    };
    match (share, operand.displacements) {
        (Share::Sum, _) => {
            let datatype = datatype(thread, 0);
            push(
                found,
                operand,
                (access, Partners::All),
                (address, address),
                (0..n).map(count).fold(0, u64::saturating_add),
                datatype,
            );
        }
        // One's own part of what is scattered.
        (_, None) => {
            let rank = info.plan.comm.map_or(0, |p| ask(FnId::MPI_Comm_rank, abi.handle_arg(Kind::Comm, word(p))));
            if rank < n {
                let datatype = datatype(thread, rank);
                push(found, operand, (access, Partners::All), (address, address), count(rank), datatype);
            }
        }
        (_, Some((displacements, wide))) => {
            let base = word(displacements);
            if base < abi.lowest_address {
                return;
            }
            // Beyond the border of a grid there is nobody.
            let neighbors = neighbors_of(call, operand.kind);
            let nobody = |i: usize| neighbors.as_ref().is_some_and(|n| n.get(i).is_some_and(|rank| *rank < 0));
            for i in (0..n).filter(|i| count(*i) > 0 && !nobody(*i)) {
                let datatype = datatype(thread, i);
                let unit = if operand.types { Some(1) } else { types::with(datatype, |map| map.extent()) };
                let at = unit.and_then(|unit| load(base, i, wide).checked_mul(unit));
                if let Some(start) = at.and_then(|at| address.checked_add_signed(at)) {
                    push(found, operand, (access, Partners::One(i as u32)), (address, start), count(i), datatype);
                }
            }
        }
    }
}

/// The memory that this process reads or writes in a collective operation through a buffer of this kind (MPI 4.1, chapter 6).
fn collective(thread: &mut Thread, call: &Call, coll: Coll, kind: Kind) -> (Share, Access) {
    use Coll::*;
    let &Call { info, abi, words, .. } = call;
    let nothing = (Share::Nothing, Access::Read);
    let Some(comm) = info.plan.comm.and_then(|p| words.get(p)).map(|w| abi.handle_arg(Kind::Comm, *w)) else {
        return (Share::Counted, if kind == Kind::SendBuf { Access::Read } else { Access::Write });
    };
    if matches!(
        thread.handles.id(Kind::Comm, comm),
        trace_format::definition::NULL_ID | trace_format::definition::UNKNOWN_ID
    ) {
        return nothing;
    }
    let inter = || ask(FnId::MPI_Comm_test_inter, comm) != 0;
    let partners = || if inter() { ask(FnId::MPI_Comm_remote_size, comm) } else { ask(FnId::MPI_Comm_size, comm) };
    let root = info.plan.root.and_then(|p| words.get(p)).map(|w| abi.rank(*w as i32));
    // The root, one who takes part, and one who does not (beside the root of an intercommunicator).
    let is_root = || match root {
        Some(ROOT) => Some(true),
        Some(PROC_NULL) => None,
        Some(_) if inter() => Some(false),
        Some(root) => Some(root == ask(FnId::MPI_Comm_rank, comm) as i32),
        None => Some(false),
    };
    let is_send = kind == Kind::SendBuf;
    let in_place = || is_in_place(info, abi, words);
    let plain = if is_send { Access::Read } else { Access::Write };
    // A receive buffer that holds the contribution, too.
    let result = if !is_send && in_place() { Access::Both } else { plain };
    match coll {
        Bcast => match is_root() {
            Some(true) => (Share::Counted, Access::Read),
            Some(false) => (Share::Counted, Access::Write),
            None => nothing,
        },
        Gather | Gatherv | Reduce => match (is_root(), is_send) {
            (Some(true), true) if root == Some(ROOT) => nothing,
            (Some(_), true) => (Share::Counted, Access::Read),
            (Some(true), false) if coll == Gather => (Share::Times(partners()), result),
            (Some(true), false) => (Share::Counted, result),
            _ => nothing,
        },
        Scatter | Scatterv => match (is_root(), is_send) {
            (Some(true), true) if coll == Scatter => (Share::Times(partners()), Access::Read),
            (Some(true), true) => (Share::Counted, Access::Read),
            (Some(true), false) if root == Some(ROOT) => nothing,
            (Some(_), false) => (Share::Counted, Access::Write),
            _ => nothing,
        },
        Allgather if !is_send => (Share::Times(partners()), result),
        Alltoall => (Share::Times(partners()), result),
        // The counts that are meant differ in the two groups of an intercommunicator.
        ReduceScatter | ReduceScatterBlock if inter() => nothing,
        ReduceScatter if is_send || in_place() => (Share::Sum, result),
        ReduceScatterBlock if is_send || in_place() => (Share::Times(partners()), result),
        // Not written in the first process.
        Exscan if !is_send && ask(FnId::MPI_Comm_rank, comm) == 0 => nothing,
        NeighborAllgather if !is_send => (Share::Times(define::neighbors(abi, comm).sources.len()), Access::Write),
        NeighborAlltoall if is_send => (Share::Times(define::neighbors(abi, comm).destinations.len()), Access::Read),
        NeighborAlltoall => (Share::Times(define::neighbors(abi, comm).sources.len()), Access::Write),
        _ => (Share::Counted, result),
    }
}

fn is_in_place(info: &Info, abi: &Abi, words: &Words) -> bool {
    let send = info.operands.list.iter().find(|o| o.kind == Kind::SendBuf);
    send.and_then(|o| words.get(o.param)).is_some_and(|w| abi.is_in_place(*w))
}
