//! Small MPI programs without branches, and how they are printed.

use std::fmt;

pub(crate) type Rank = usize;
/// Number of an operation in [`Program::ops`].
pub(crate) type Op = usize;

/// Operations of one program; those of all ranks together.
pub(crate) const MOST_OPS: usize = 12;
pub(crate) const MOST_RANKS: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Standard,
    Synchronous,
    Buffered,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Send {
    pub(crate) mode: Mode,
    pub(crate) comm: usize,
    pub(crate) to: Rank,
    pub(crate) tag: i32,
    pub(crate) count: u64,
}

/// The message that a receive or probe asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// `None`: any.
    Given { comm: usize, from: Option<Rank>, tag: Option<i32> },
    /// Source and tag of the message that the rank's last probe was told of.
    Told { comm: usize },
}

impl Wanted {
    pub(crate) fn comm(self) -> usize {
        match self {
            Wanted::Given { comm, .. } | Wanted::Told { comm } => comm,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coll {
    Barrier,
    Allreduce,
    Scan,
    Bcast,
    Reduce,
}

/// The part of one rank in a collective operation, the `nth` on its communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) coll: Coll,
    pub(crate) comm: usize,
    pub(crate) nth: usize,
    pub(crate) root: Rank,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Send(Send),
    Recv(Wanted),
    Part(Part),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Operation {
    pub(crate) kind: Kind,
    pub(crate) rank: Rank,
    /// The statement that starts it.
    pub(crate) at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Many {
    One,
    All,
    Any,
    Some,
}

/// The event that a statement waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gate {
    /// It waits for nothing.
    Open,
    /// The operation that it started itself.
    Own,
    Requests(Many, Vec<Op>),
    /// A message, without receiving it.
    Probe(Wanted),
    /// Gives the message of the matched probe before it: waits for nothing.
    Mrecv,
}

/// One call.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) starts: Vec<Op>,
    pub(crate) gate: Gate,
    /// It is MPI_Mprobe: its receive is that of the MPI_Mrecv behind it.
    pub(crate) matched_probe: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    pub(crate) ranks: Vec<Vec<Statement>>,
    pub(crate) ops: Vec<Operation>,
    /// By communicator: world ranks of its members, in order. The first is MPI_COMM_WORLD.
    pub(crate) comms: Vec<Vec<Rank>>,
    /// Receives that start something are persistent ones.
    pub(crate) persistent: bool,
}

impl Program {
    /// The parts that others must have called before this part can be complete: in a library that does as much as it
    /// can without the others, or (`strict`) in one that synchronizes.
    pub(crate) fn partners(&self, rank: Rank, part: Part, strict: bool) -> Vec<Rank> {
        let members = &self.comms[part.comm];
        match part.coll {
            _ if strict => members.clone(),
            Coll::Barrier | Coll::Allreduce => members.clone(),
            Coll::Scan => members.iter().copied().take_while(|m| *m != rank).collect(),
            Coll::Bcast => vec![part.root],
            Coll::Reduce if rank == part.root => members.clone(),
            Coll::Reduce => Vec::new(),
        }
    }

    /// The part of `rank` in a collective operation.
    pub(crate) fn part_of(&self, rank: Rank, part: Part) -> Option<Op> {
        let same = |op: &Operation| op.rank == rank && op.kind == Kind::Part(part);
        self.ops.iter().position(same)
    }

    fn place(&self, comm: usize, rank: Rank) -> usize {
        self.comms[comm].iter().position(|m| *m == rank).expect("a member")
    }

    pub(crate) fn comm_name(comm: usize) -> String {
        if comm == 0 { "MPI_COMM_WORLD".into() } else { format!("c{comm}") }
    }

    /// The call in the notation of traces. `told`: what `Wanted::Told` stands for; `gone`: requests that were given back.
    pub(crate) fn call(&self, rank: Rank, at: usize, told: Option<(Rank, i32)>, gone: &dyn Fn(Op) -> bool) -> String {
        let statement = &self.ranks[rank][at];
        let asks = |w: Wanted, tag_name: &str| {
            let (from, tag) = match w {
                Wanted::Given { from, tag, .. } => (from, tag),
                Wanted::Told { .. } => (told.map(|t| t.0), told.map(|t| t.1)),
            };
            let from = from.map_or("ANY".into(), |f| self.place(w.comm(), f).to_string());
            let tag = tag.map_or("ANY".into(), |t| t.to_string());
            format!("source={from}, {tag_name}={tag}")
        };
        let sends = |s: Send, count: &str, tag: &str| {
            let dest = self.place(s.comm, s.to);
            format!("dest={dest}, {tag}={}, {count}={}", s.tag, s.count)
        };
        let request = |op: Op| if gone(op) { "MPI_REQUEST_NULL".into() } else { format!("r{}", op + 1) };
        let kinds: Vec<Kind> = statement.starts.iter().map(|op| self.ops[*op].kind).collect();
        let nonblocking = statement.gate == Gate::Open;
        let i = if nonblocking { "I" } else { "" };
        let cap = |name: &str| if nonblocking { name.to_lowercase() } else { name.to_owned() };
        match (&kinds[..], &statement.gate) {
            ([Kind::Send(s), Kind::Recv(w)], _) => format!(
                "MPI_Sendrecv({}, {}, recvcount=4, comm={})",
                sends(*s, "sendcount", "sendtag"),
                asks(*w, "recvtag"),
                Program::comm_name(s.comm)
            ),
            ([Kind::Send(s)], _) => {
                let name = match s.mode {
                    Mode::Standard => "Send",
                    Mode::Synchronous => "Ssend",
                    Mode::Buffered => "Bsend",
                };
                format!("MPI_{i}{}({}, comm={})", cap(name), sends(*s, "count", "tag"), Program::comm_name(s.comm))
            }
            ([Kind::Recv(w)], _) if statement.matched_probe => {
                format!("MPI_Mprobe({}, comm={})", asks(*w, "tag"), Program::comm_name(w.comm()))
            }
            ([Kind::Recv(w)], _) => {
                let comm = Program::comm_name(w.comm());
                let name =
                    if nonblocking && self.persistent { "Recv_init".into() } else { format!("{i}{}", cap("Recv")) };
                format!("MPI_{name}({}, count=4, comm={comm})", asks(*w, "tag"))
            }
            ([Kind::Part(p)], _) => {
                let root = match p.coll {
                    Coll::Bcast | Coll::Reduce => format!("root={}, ", self.place(p.comm, p.root)),
                    _ => String::new(),
                };
                format!("MPI_{i}{}({root}comm={})", cap(&format!("{:?}", p.coll)), Program::comm_name(p.comm))
            }
            (_, Gate::Requests(Many::One, ops)) => format!("MPI_Wait(request={})", request(ops[0])),
            (_, Gate::Requests(many, ops)) => {
                let all: Vec<String> = ops.iter().map(|op| request(*op)).collect();
                format!("MPI_Wait{}(requests=[{}])", format!("{many:?}").to_lowercase(), all.join(","))
            }
            (_, Gate::Probe(w)) => format!("MPI_Probe({}, comm={})", asks(*w, "tag"), Program::comm_name(w.comm())),
            (_, Gate::Mrecv) => "MPI_Mrecv(count=4, message=m1)".into(),
            other => unreachable!("{other:?}"),
        }
    }

    /// Source in the communicator, tag and bytes of a message.
    pub(crate) fn status(&self, send: Op) -> String {
        let Kind::Send(s) = self.ops[send].kind else { unreachable!("a send") };
        format!("{}/{}/{}", self.place(s.comm, self.ops[send].rank), s.tag, 4 * s.count)
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (comm, members) in self.comms.iter().enumerate().skip(1) {
            writeln!(f, "{}: {members:?}", Program::comm_name(comm))?;
        }
        for (rank, statements) in self.ranks.iter().enumerate() {
            for (at, statement) in statements.iter().enumerate() {
                let request = match (&statement.gate, &statement.starts[..]) {
                    (Gate::Open, [op]) => format!(" -> r{}", op + 1),
                    _ => String::new(),
                };
                let told =
                    statement.starts.iter().any(|op| matches!(self.ops[*op].kind, Kind::Recv(Wanted::Told { .. })));
                let told = if told { "   (source and tag: as the probe says)" } else { "" };
                writeln!(f, "{rank}: {}{request}{told}", self.call(rank, at, None, &|_| false))?;
            }
        }
        Ok(())
    }
}
