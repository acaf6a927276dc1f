//! The rules for the arguments of a function, worked out once from its row of the table.

use crate::call::topology;
use crate::mpi::descent;
use once_cell::race::OnceBox;
use std::ops::Deref;
use trace_format::mpi::{Class, Coll, Dir, FnId, Function, Kind, Param};

/// Place of a parameter that a function does not have: its word is always 0.
pub(crate) const NONE: usize = crate::mpi::library::MAX_ARGS - 1;

/// Where an argument counts (MPI 4.1, 6.2.3 and the functions' own text); elsewhere MPI does not look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Everywhere,
    /// At the root.
    Root,
    /// At the processes that exchange data with the root: on an intercommunicator those of the other group.
    Leaf,
    /// At root and leaves: not in the group of the root on an intercommunicator.
    Member,
    /// Not at the first process.
    NotFirst,
}

/// When an argument means something.
#[derive(Debug, Clone, Copy)]
pub(crate) struct When {
    pub(crate) part: Part,
    /// Not if this buffer is MPI_IN_PLACE.
    pub(crate) in_place: Option<usize>,
    /// Not if the ranks of these parameters are MPI_PROC_NULL.
    pub(crate) partners: [Option<usize>; 2],
    /// Not if the operation of this parameter is MPI_NO_OP.
    pub(crate) no_op: Option<usize>,
}

const ALWAYS: When = When { part: Part::Everywhere, in_place: None, partners: [None; 2], no_op: None };

/// The group that a rank is one of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Of {
    /// The value of the communicator, window or group of this parameter.
    Object(Kind, usize),
    /// As many as the integer of this parameter says.
    Int(usize),
}

/// The question that is asked of an argument.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Test {
    /// A handle: passed by value or in a variable, an array of them with counts that say which elements matter.
    Handle {
        kind: Kind,
        null: bool,
        variable: bool,
        array: bool,
        counts: Option<usize>,
        transfers: bool,
    },
    Rank {
        of: Of,
        wildcard: bool,
        array: bool,
    },
    Root,
    Tag {
        wildcard: bool,
    },
    Count {
        array: bool,
    },
    Op {
        datatype: Option<usize>,
        one_sided: bool,
    },
    /// A result that MPI writes there.
    Output,
    /// Elements that MPI reads or writes. `counts`: an array beside it that says which of them matter.
    Array {
        counts: Option<usize>,
    },
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) param: usize,
    pub(crate) test: Test,
    pub(crate) when: When,
}

/// How much memory a buffer is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Amount {
    /// Elements of a datatype: the product of the counts, for so many processes.
    Typed {
        counts: [Option<usize>; 2],
        datatype: usize,
        times: Times,
    },
    /// A block for each process.
    Blocks {
        counts: usize,
        displs: Option<usize>,
        datatype: usize,
    },
    /// As many elements as the sum of an array.
    Sum {
        counts: usize,
        datatype: usize,
    },
    /// As many elements as an array says of this process.
    Own {
        counts: usize,
        datatype: usize,
    },
    Bytes(usize),
    Unknown,
}

/// How many processes have a part in a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Times {
    One,
    /// All of the communicator.
    Group,
    Neighbors,
}

/// A parameter that is memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buffer {
    pub(crate) param: usize,
    /// MPI writes there; in a broadcast only where it is not the root.
    pub(crate) writes: bool,
    pub(crate) amount: Amount,
    pub(crate) when: When,
    /// Where MPI_IN_PLACE may stand for it, on an intracommunicator only.
    pub(crate) in_place: Option<Part>,
}

/// One message of a point-to-point call, for the quick look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message {
    pub(crate) buf: usize,
    pub(crate) count: usize,
    pub(crate) datatype: usize,
    pub(crate) rank: usize,
    pub(crate) tag: usize,
    pub(crate) wide: bool,
    pub(crate) receives: bool,
}

/// The rules of a function.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// Messages of a function that is called often, and its communicator; empty for all others.
    pub(crate) messages: Vec<Message>,
    pub(crate) comm: usize,
    pub(crate) rules: Vec<Rule>,
    pub(crate) buffers: Vec<Buffer>,
    /// Has rules of its own, which follow from no kind of parameter.
    pub(crate) special: bool,
    /// Has several objects that must be of one session, or of the world model.
    pub(crate) meets: bool,
    /// Requests that are only waited for or looked at: their number (none: it is one), their place.
    pub(crate) requests: Option<(Option<usize>, usize)>,
    /// Where what such a call tells of its requests is written: NULL is no place for it. That of the requests if there is
    /// nothing of the kind.
    pub(crate) results: usize,
    /// It fills memory by a datatype, and has no operands of communication.
    pub(crate) unpacks: bool,
    /// It needs MPI to be under way.
    pub(crate) inside: bool,
}

impl Rules {
    fn of(row: &'static Function, special: bool) -> Rules {
        let mut rules = Rules {
            comm: NONE,
            inside: !(row.id.is_always_available() || row.is_extension() || row.class == Class::SessionFinalize),
            ..Rules::default()
        };
        if !has_rules(row) {
            rules.special = row.id == FnId::MPI_Init_thread;
            return rules;
        }
        rules.comm = row.params.iter().position(|p| p.kind == Kind::Comm && p.dir == Dir::In).unwrap_or(NONE);
        for (param, p) in row.params.iter().enumerate() {
            for test in array(row, param, p).into_iter().chain(test(row, param, p)) {
                rules.rules.push(Rule { param, test, when: when(row, param) });
            }
        }
        rules.rules.sort_by_key(|r| order(&r.test));
        rules.buffers = (0..row.params.len()).filter_map(|param| buffer(row, param)).collect();
        rules.messages = messages(row);
        rules.special = special;
        rules.meets = row.params.iter().filter(|p| descent::is_derived(p)).count() > 1;
        rules.requests = match row.class {
            Class::Wait(_) | Class::Test(_) => place(row, Kind::Request).map(|p| (length(row, p), p)),
            _ => None,
        };
        let results = row.params.iter().position(|p| p.kind == Kind::Status && p.dir == Dir::Out);
        rules.results = results.or(rules.requests.map(|(_, place)| place)).unwrap_or(NONE);
        rules.unpacks = unpacks(row.class) && rules.buffers.iter().any(|b| b.writes);
        rules
    }

    pub(crate) fn are_empty(&self) -> bool {
        self.rules.is_empty() && self.buffers.is_empty() && self.requests.is_none() && !self.special
    }
}

/// The rules of a function, worked out when they are first needed: programs call a few of the functions that there are. That
/// waits for nobody, so that a signal handler may need them while the thread works them out.
pub(crate) struct RulesOnUse {
    row: &'static Function,
    special: bool,
    known: OnceBox<Rules>,
}

impl RulesOnUse {
    /// `special`: there are rules for the function that follow from no kind of parameter.
    pub(crate) fn of(row: &'static Function, special: bool) -> RulesOnUse {
        RulesOnUse { row, special, known: OnceBox::new() }
    }

    #[cold]
    #[inline(never)]
    fn work_out(&self) -> &Rules {
        self.known.get_or_init(|| Box::new(Rules::of(self.row, self.special)))
    }
}

impl Deref for RulesOnUse {
    type Target = Rules;

    #[inline(always)]
    fn deref(&self) -> &Rules {
        match self.known.get() {
            Some(rules) => rules,
            None => self.work_out(),
        }
    }
}

/// Are there rules for the arguments of a function? One that returns no error code converts handles, the null handle too.
fn has_rules(row: &Function) -> bool {
    row.ret == Kind::Code && !matches!(row.class, Class::Init | Class::Abort | Class::Pcontrol) && !row.is_extension()
}

/// Is all that the rules of a function look at in the words of the arguments, not behind addresses?
pub(super) fn are_plain(row: &Function) -> bool {
    let is_plain = |p: &Param| p.len.is_empty() && (p.dir != Dir::InOut || is_buffer(p.kind));
    has_rules(row) && row.params.iter().all(is_plain)
}

/// Has a function without operands of communication buffers that it fills by a datatype?
fn unpacks(class: Class) -> bool {
    matches!(class, Class::Local | Class::Rma | Class::RmaRequest)
}

/// The order of tests: a value that a rank is checked against must be known to be right first.
fn order(test: &Test) -> u8 {
    match test {
        Test::Handle { kind: Kind::Comm | Kind::Win | Kind::File | Kind::Group, .. } => 0,
        Test::Root => 1,
        Test::Count { array: false } => 2,
        Test::Array { .. } | Test::Count { .. } => 3,
        Test::Handle { .. } => 4,
        Test::Op { .. } => 5,
        _ => 6,
    }
}

fn place(row: &Function, kind: Kind) -> Option<usize> {
    row.params.iter().position(|p| p.kind == kind && p.dir != Dir::Out)
}

fn length(row: &Function, param: usize) -> Option<usize> {
    row.params.get(param).filter(|p| !p.len.is_empty()).and_then(|p| row.param(p.len))
}

fn is_buffer(kind: Kind) -> bool {
    matches!(kind, Kind::SendBuf | Kind::RecvBuf | Kind::Buf)
}

/// Is a parameter a number of things? In the functions for large counts displacements have the same type: those of the
/// function for plain counts tell them apart.
fn is_count(row: &Function, p: &Param) -> bool {
    match p.kind {
        Kind::Count => true,
        Kind::LargeCount => match row.with_small_counts() {
            Some(plain) => plain.params.iter().any(|q| q.name == p.name && q.kind == Kind::Count),
            None => matches!(row.class, Class::PartitionedSend | Class::PartitionedRecv),
        },
        _ => false,
    }
}

fn test(row: &Function, param: usize, p: &Param) -> Option<Test> {
    let array = !p.len.is_empty();
    let input = p.dir == Dir::In;
    match p.kind {
        Kind::Rank if input => Some(Test::Rank { of: group_of(row, param)?, wildcard: takes_any(row), array }),
        Kind::Root if input => Some(Test::Root),
        Kind::Tag if input && (row.class.exchanges() || takes_any(row)) => {
            Some(Test::Tag { wildcard: takes_any_tag(row, p) })
        }
        _ if input && is_count(row, p) => Some(Test::Count { array }),
        Kind::Op if input => Some(Test::Op {
            datatype: place(row, Kind::Datatype).filter(|_| !is_one_sided(row)),
            one_sided: is_one_sided(row),
        }),
        Kind::Request | Kind::Status if p.dir == Dir::Out && !array => Some(Test::Output),
        Kind::Request | Kind::Message if p.dir != Dir::Out => {
            let needed = matches!(
                row.class,
                Class::StartOne
                    | Class::StartAll
                    | Class::RequestFree
                    | Class::Cancel
                    | Class::Pready
                    | Class::GrequestComplete
                    | Class::Mrecv(_)
            );
            needed.then_some(Test::Handle {
                kind: p.kind,
                null: false,
                variable: p.dir != Dir::In && !array,
                array,
                counts: None,
                transfers: false,
            })
        }
        kind if kind.is_handle() && p.dir != Dir::Out => {
            let counts = (kind == Kind::Datatype && array && !matches!(row.class, Class::Create))
                .then(|| row.params.iter().take(param).rposition(|q| !q.len.is_empty() && is_count(row, q)))
                .flatten();
            let transfers = kind == Kind::Datatype && (row.class.exchanges() || is_one_sided(row) || moves_data(row));
            let variable = p.dir == Dir::InOut && !array;
            Some(Test::Handle { kind, null: takes_null(row, kind), variable, array, counts, transfers })
        }
        Kind::Comm | Kind::Group | Kind::Datatype | Kind::Int | Kind::Count | Kind::Rank | Kind::Flag | Kind::Index
            if p.dir == Dir::Out && !array && !matches!(row.class, Class::BufferFlush(_)) =>
        {
            Some(Test::Output)
        }
        _ => None,
    }
}

/// The question that is asked of an array. Queries whose result may be shorter than the program's array say so by themselves,
/// strings may be missing, and error codes be ignored.
fn array(row: &Function, param: usize, p: &Param) -> Option<Test> {
    let shorter = p.dir == Dir::Out && (row.class == Class::Create || topology::concerns(row));
    let elements = !p.kind.is_address() || p.kind == Kind::Status;
    if p.len.is_empty() || !elements || shorter || p.kind == Kind::ErrorCode {
        return None;
    }
    let mut before = row.params.iter().enumerate().take(param);
    let counts = before.rfind(|(_, q)| q.len == p.len && q.dir == Dir::In && is_count(row, q)).map(|(i, _)| i);
    Some(Test::Array { counts })
}

fn is_one_sided(row: &Function) -> bool {
    matches!(row.class, Class::Rma | Class::RmaRequest)
}

/// A collective operation or an access to a file that has a buffer.
fn moves_data(row: &Function) -> bool {
    matches!(row.class, Class::Collective(..) | Class::FileIo(_)) && row.params.iter().any(|p| is_buffer(p.kind))
}

/// Ranks that are sources of messages may be MPI_ANY_SOURCE. A combined call has one of each: the looser rule holds.
fn takes_any(row: &Function) -> bool {
    matches!(
        row.class,
        Class::Recv(_) | Class::Probe(_) | Class::Mprobe(_) | Class::SendRecv(_) | Class::SendRecvReplace(_)
    )
}

fn takes_any_tag(row: &Function, p: &Param) -> bool {
    match row.class {
        Class::SendRecv(_) | Class::SendRecvReplace(_) => {
            row.params.iter().rfind(|q| q.kind == Kind::Tag).is_some_and(|q| std::ptr::eq(q, p))
        }
        _ => takes_any(row) || row.class == Class::PartitionedRecv,
    }
}

fn takes_null(row: &Function, kind: Kind) -> bool {
    use FnId::*;
    match kind {
        // Whatever wants hints takes none of them; functions of the info object itself do not.
        Kind::Info => !matches!(
            row.id,
            MPI_Info_dup
                | MPI_Info_free
                | MPI_Info_set
                | MPI_Info_delete
                | MPI_Info_get
                | MPI_Info_get_string
                | MPI_Info_get_valuelen
                | MPI_Info_get_nkeys
                | MPI_Info_get_nthkey
        ),
        Kind::Errhandler => row.class != Class::Free,
        // MPI_FILE_NULL stands for the default error handler of files (MPI 4.1, 14.7).
        Kind::File => row.params.iter().any(|p| matches!(p.kind, Kind::Errhandler | Kind::ErrorCode)),
        // Null handles have names (MPI 4.1, 7.8).
        Kind::Comm | Kind::Datatype | Kind::Win => {
            matches!(row.id, MPI_Comm_get_name | MPI_Type_get_name | MPI_Win_get_name)
        }
        _ => false,
    }
}

/// The group that a rank refers to.
fn group_of(row: &Function, param: usize) -> Option<Of> {
    use FnId::*;
    let object = |kind| place(row, kind).map(|p| Of::Object(kind, p));
    match row.id {
        MPI_Status_set_source => None,
        MPI_Type_create_darray | MPI_Type_create_darray_c => row.param("size").map(Of::Int),
        MPI_Graph_create | MPI_Graph_map => row.param("nnodes").map(Of::Int),
        MPI_Intercomm_create => {
            let leader = row.param("local_leader")? == param;
            leader.then(|| object(Kind::Comm)).flatten()
        }
        MPI_Intercomm_create_from_groups => {
            let name = if row.param("local_leader")? == param { "local_group" } else { "remote_group" };
            row.param(name).map(|p| Of::Object(Kind::Group, p))
        }
        _ => object(Kind::Win).or_else(|| object(Kind::Comm)).or_else(|| object(Kind::Group)),
    }
}

/// When an argument means something.
fn when(row: &Function, param: usize) -> When {
    use Coll::*;
    let find = |kind: Kind| row.params.iter().position(|p| p.kind == kind);
    let send = find(Kind::SendBuf).unwrap_or(usize::MAX);
    let recv = find(Kind::RecvBuf).unwrap_or(usize::MAX);
    let root = find(Kind::Root).unwrap_or(usize::MAX);
    let kind = row.params.get(param).map_or(Kind::Int, |p| p.kind);
    let within = |part, from: usize, to: usize, buffer: usize| When {
        part,
        in_place: (from < param && param < to).then_some(buffer),
        ..ALWAYS
    };
    match row.class {
        Class::Collective(_, _) if kind == Kind::Root || kind == Kind::Comm || param > root => ALWAYS,
        Class::Collective(Gather | Gatherv, _) if param < recv => within(Part::Leaf, send, recv, send),
        Class::Collective(Gather | Gatherv, _) => When { part: Part::Root, ..ALWAYS },
        Class::Collective(Scatter | Scatterv, _) if param < recv => When { part: Part::Root, ..ALWAYS },
        Class::Collective(Scatter | Scatterv, _) => within(Part::Leaf, recv, root, recv),
        Class::Collective(Reduce, _) => {
            let part = match kind {
                Kind::SendBuf => Part::Leaf,
                Kind::RecvBuf => Part::Root,
                _ => Part::Member,
            };
            When { part, ..ALWAYS }
        }
        Class::Collective(Bcast, _) => When { part: Part::Member, ..ALWAYS },
        Class::Collective(Exscan, _) if kind == Kind::RecvBuf => When { part: Part::NotFirst, ..ALWAYS },
        Class::Collective(CommSpawn | CommSpawnMultiple | CommAccept | CommConnect, _) => {
            When { part: Part::Root, ..ALWAYS }
        }
        Class::Collective(..) if send < param && param < recv && recv != usize::MAX => {
            When { in_place: Some(send), ..ALWAYS }
        }
        _ => point_to_point(row, param, kind),
    }
}

fn point_to_point(row: &Function, param: usize, kind: Kind) -> When {
    let ranks: Vec<usize> = (0..row.params.len())
        .filter(|i| row.params.get(*i).is_some_and(|p| p.kind == Kind::Rank && p.dir == Dir::In))
        .collect();
    let after = ranks.iter().copied().find(|r| *r > param);
    let before = ranks.iter().copied().rfind(|r| *r < param);
    let partners = match kind {
        Kind::Tag => [before, None],
        // The buffer of MPI_Sendrecv_replace is used if one of the two partners is.
        Kind::Buf if matches!(row.class, Class::SendRecvReplace(_)) => [ranks.first().copied(), ranks.last().copied()],
        Kind::SendBuf | Kind::RecvBuf if row.class.exchanges() || is_one_sided(row) => [after, None],
        _ => [None; 2],
    };
    // The arguments of the origin are ignored with MPI_NO_OP.
    let result = row.params.iter().position(|p| p.kind == Kind::RecvBuf);
    let origin = is_one_sided(row) && result.is_some_and(|r| param < r);
    When { partners, no_op: place(row, Kind::Op).filter(|_| origin), ..ALWAYS }
}

fn buffer(row: &Function, param: usize) -> Option<Buffer> {
    use Coll::*;
    let p = row.params.get(param).filter(|p| is_buffer(p.kind))?;
    if row.id == FnId::MPI_Win_detach {
        return None;
    }
    let coll = match row.class {
        Class::Collective(coll, _) => Some(coll),
        _ => None,
    };
    let sends = p.kind == Kind::SendBuf;
    let in_place = match coll {
        Some(Gather | Gatherv | Reduce) if sends => Some(Part::Root),
        Some(Scatter | Scatterv) if !sends => Some(Part::Root),
        Some(
            Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw | Allreduce | ReduceScatter | ReduceScatterBlock
            | Scan | Exscan,
        ) if sends => Some(Part::Everywhere),
        _ => None,
    };
    let times = match coll {
        Some(Gather | Allgather) if !sends => Times::Group,
        Some(Scatter | ReduceScatterBlock) if sends => Times::Group,
        Some(Alltoall) => Times::Group,
        Some(NeighborAlltoall) => Times::Neighbors,
        Some(NeighborAllgather) => Times::Neighbors,
        _ => Times::One,
    };
    let amount = match coll {
        Some(NeighborAllgatherv | NeighborAlltoallv | NeighborAlltoallw) => Amount::Unknown,
        Some(ReduceScatter) if !sends => match amount(row, param, times) {
            Amount::Sum { counts, datatype } => Amount::Own { counts, datatype },
            other => other,
        },
        _ => amount(row, param, times),
    };
    let writes = matches!(p.kind, Kind::RecvBuf | Kind::Buf);
    Some(Buffer { param, writes, amount, when: when(row, param), in_place })
}

/// The size of a buffer, as the parameters behind it say.
fn amount(row: &Function, param: usize, times: Times) -> Amount {
    let rest = || row.params.iter().enumerate().skip(param + 1).skip_while(|(_, p)| is_buffer(p.kind));
    let described = || rest().take_while(|(_, p)| !is_buffer(p.kind));
    let datatype = described().find(|(_, p)| p.kind == Kind::Datatype).map(|(i, _)| i);
    let mut counts = described().filter(|(_, p)| is_count(row, p)).take_while(|(i, _)| datatype.is_none_or(|d| *i < d));
    let first = counts.next();
    let second = counts.next().map(|(i, _)| i);
    match (first, datatype) {
        (Some((counts, p)), Some(datatype)) if !p.len.is_empty() => {
            let displs = described().find(|(i, p)| *i > counts && *i < datatype && !p.len.is_empty()).map(|(i, _)| i);
            match displs {
                Some(_) => Amount::Blocks { counts, displs, datatype },
                None => Amount::Sum { counts, datatype },
            }
        }
        (Some((count, _)), Some(datatype)) => Amount::Typed { counts: [Some(count), second], datatype, times },
        (None, Some(datatype)) if is_one_sided(row) => Amount::Typed { counts: [None; 2], datatype, times },
        (Some((count, _)), None) => Amount::Bytes(count),
        (None, None) => match row.params.get(param + 1) {
            Some(p) if p.kind == Kind::Aint && p.dir == Dir::In => Amount::Bytes(param + 1),
            _ => Amount::Unknown,
        },
        _ => Amount::Unknown,
    }
}

/// The messages of a point-to-point function.
fn messages(row: &Function) -> Vec<Message> {
    let simple = matches!(row.class, Class::Send(..) | Class::Recv(_) | Class::SendRecv(_) | Class::Probe(_));
    if !simple {
        return Vec::new();
    }
    let of = |from: usize, receives: bool| {
        let find = |test: &dyn Fn(&Param) -> bool| {
            let mut rest = row.params.iter().enumerate().skip(from);
            rest.find(|(_, p)| p.dir == Dir::In && test(p)).map_or(NONE, |(i, _)| i)
        };
        let has_buffer = row.params.iter().any(|p| is_buffer(p.kind));
        let count = find(&|p| is_count(row, p));
        Message {
            buf: if has_buffer { from } else { NONE },
            count,
            datatype: find(&|p| p.kind == Kind::Datatype),
            rank: find(&|p| p.kind == Kind::Rank),
            tag: find(&|p| p.kind == Kind::Tag),
            wide: row.params.get(count).is_some_and(|p| p.kind == Kind::LargeCount),
            receives,
        }
    };
    let receiving = row.params.iter().position(|p| p.kind == Kind::RecvBuf);
    match row.class {
        Class::Send(..) => vec![of(0, false)],
        Class::Recv(_) | Class::Probe(_) => vec![of(0, true)],
        _ => receiving.map_or(Vec::new(), |recv| vec![of(0, false), of(recv, true)]),
    }
}

#[cfg(test)]
mod tests;
