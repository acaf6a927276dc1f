//! The message buffers that a call names: where they are, of what, and whether MPI reads or writes them.

use crate::call::encode::{Words, ask, handle_at};
use crate::call::info::Info;
use crate::mpi::abi::Abi;
use crate::mpi::{define, handles, types};
use crate::state::recording::{Call, encoder};
use crate::state::thread::Thread;
use crate::watch::sums;
use smallvec::SmallVec;
use std::sync::Arc;
use trace_format::definition::Id;
use trace_format::folds::Fold;
use trace_format::mpi::special::{PROC_NULL, ROOT};
use trace_format::mpi::{Class, Coll, Dir, FnId, Function, Kind};
use trace_format::plan::{Len, Plan, Shape};
use typemap::{Buffer, Typemap};

/// What MPI does to a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
    /// Contributions and results in one place.
    Both,
}

impl Access {
    pub(crate) fn writes(self) -> bool {
        self != Access::Read
    }
}

/// Whose data a buffer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Partners {
    /// The operands of one partner, or the same for all.
    All,
    /// The operands of one partner of several, by its place among them.
    One(u32),
    /// The operands of so many partners, in blocks of one size.
    Each(u32),
}

/// Whether the data are reduced with those of others, and what is known of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reduced {
    No,
    By(Fold),
    /// By an operation, or of elements, that cannot be folded.
    Somehow,
}

/// A buffer that a call uses.
#[derive(Debug, Clone)]
pub(crate) struct Use {
    pub(crate) buffer: Buffer,
    pub(crate) access: Access,
    pub(crate) partners: Partners,
    pub(crate) reduced: Reduced,
    /// The parameter that names it, and the function that it is one of: not the one that starts what another describes.
    pub(crate) param: u8,
    pub(crate) func: FnId,
    /// What the parameter says.
    pub(crate) base: u64,
    /// Where the elements begin: elsewhere if there are displacements.
    pub(crate) address: u64,
    pub(crate) count: u64,
    pub(crate) datatype: Id,
    /// Of a type that the program has made, which it may free before the buffer is done with.
    pub(crate) map: Option<Arc<Typemap>>,
}

/// Most operations have one.
pub(crate) type Uses = SmallVec<[Use; 1]>;

/// One buffer of a function's row. Counts, displacements and types stand behind it; two buffers may share those.
#[derive(Debug, Clone, Copy)]
struct Operand {
    func: FnId,
    param: usize,
    kind: Kind,
    count: usize,
    large: bool,
    /// Length of the arrays, for functions that have one count a partner.
    many: Option<(Len, bool)>,
    /// Displacements, and whether they are 8 bytes wide.
    displacements: Option<(usize, bool)>,
    datatype: usize,
    /// One datatype a partner: then displacements are in bytes.
    types: bool,
}

/// The buffers of a function, from its row.
#[derive(Debug, Default)]
pub(crate) struct Operands {
    list: SmallVec<[Operand; 2]>,
    /// Partner of the send and of the receive half, where there is one.
    dest: Option<usize>,
    source: Option<usize>,
    /// One message to or from one partner.
    is_message: bool,
}

/// More partners than this are not looked at.
const MAX_PARTNERS: usize = 4096;

impl Operands {
    pub(crate) fn of(row: &Function, plan: &Plan) -> Operands {
        let communicates = matches!(
            row.class,
            Class::Send(..)
                | Class::Recv(_)
                | Class::SendRecv(_)
                | Class::SendRecvReplace(_)
                | Class::Mrecv(_)
                | Class::PartitionedSend
                | Class::PartitionedRecv
                | Class::Collective(..)
                | Class::FileIo(_)
        );
        if !communicates {
            return Operands::default();
        }
        let is_buffer = |k: Kind| matches!(k, Kind::SendBuf | Kind::RecvBuf | Kind::Buf);
        let operand = |param: usize| {
            let behind = |test: &dyn Fn(&trace_format::mpi::Param) -> bool| {
                row.params.iter().enumerate().skip(param + 1).find(|(_, p)| test(p)).map(|(i, _)| i)
            };
            let count = behind(&|p| matches!(p.kind, Kind::Count | Kind::LargeCount) && p.name != "partitions")?;
            let datatype = behind(&|p| p.kind == Kind::Datatype)?;
            let is_array = |i: usize| row.params.get(i).is_some_and(|p| !p.len.is_empty());
            let many = plan.ins.iter().find(|i| i.param == count).and_then(|i| match i.shape {
                Shape::Array { len, at_root, .. } => Some((len, at_root)),
                _ => None,
            });
            let between = || row.params.iter().enumerate().take(datatype).skip(count + 1);
            let displacements = between().find(|(i, p)| {
                is_array(*i) && matches!(p.kind, Kind::Int | Kind::Aint | Kind::LargeCount) && p.dir == Dir::In
            });
            Some(Operand {
                func: row.id,
                param,
                kind: row.params.get(param)?.kind,
                count,
                large: row.params.get(count)?.kind == Kind::LargeCount,
                many,
                displacements: displacements.map(|(i, p)| (i, p.kind != Kind::Int)),
                datatype,
                types: is_array(datatype),
            })
        };
        let buffers = row.params.iter().enumerate().filter(|(_, p)| is_buffer(p.kind));
        let ranks: SmallVec<[usize; 2]> =
            row.params.iter().enumerate().filter(|(_, p)| p.kind == Kind::Rank).map(|(i, _)| i).collect();
        let (dest, source) = match row.class {
            Class::Send(..) | Class::PartitionedSend => (ranks.first(), None),
            Class::Recv(_) | Class::PartitionedRecv => (None, ranks.first()),
            Class::SendRecv(_) | Class::SendRecvReplace(_) => (ranks.first(), ranks.get(1)),
            _ => (None, None),
        };
        Operands {
            list: buffers.filter_map(|(i, _)| operand(i)).collect(),
            dest: dest.copied(),
            source: source.copied(),
            is_message: matches!(row.class, Class::Send(..) | Class::Recv(_)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The parameter that names the receiver.
    pub(crate) fn dest(&self) -> Option<usize> {
        self.dest
    }
}

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

/// What a process contributes to a collective on one side.
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
        {
            continue;
        }
        match operand.many {
            None => {
                let count = count_at(operand, word(operand.count));
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

fn handle_id(thread: &mut Thread, abi: &Abi, word: u64) -> Id {
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

/// What this process reads or writes in a collective operation through a buffer of this kind (MPI 4.1, chapter 6).
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
        // Whose counts are meant differs in the two groups of an intercommunicator.
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
