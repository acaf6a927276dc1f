//! Random communication schedules: correct by construction, and with exactly one mistake.
//!
//! A schedule is a list of operations in one global order; every rank performs its own operations in that order.
//! [`generate`] says why the schedules cannot deadlock and why every message has one possible receive; [`mutate`] puts
//! one mistake in. `tests/schedule/player.c` performs the text form, one operation a line:
//!
//! ```text
//! schedule SEED RANKS correct|wrong                   begins a schedule; a barrier separates it from the last one
//! RANK dup COMM PARENT                                communicators have numbers, 0 is MPI_COMM_WORLD
//! RANK split COMM PARENT COLOR KEY                    the color - is MPI_UNDEFINED
//! RANK freecomm COMM
//! RANK send MODE COMM TO TAG DATA ID                  MODE n, s, b, r: standard, synchronous, buffered, ready
//! RANK recv LOOK COMM FROM TAG DATA ID ELEMENTS       LOOK plain, probe, iprobe, mprobe, improbe
//! RANK isend REQUEST MODE COMM TO TAG DATA ID         requests have numbers
//! RANK irecv REQUEST COMM FROM TAG DATA ID ELEMENTS
//! RANK sendinit REQUEST MODE COMM TO TAG DATA
//! RANK recvinit REQUEST COMM FROM TAG DATA
//! RANK start REQUEST ID ELEMENTS
//! RANK freerequest REQUEST
//! RANK sendrecv COMM TO TAG DATA ID FROM TAG DATA ID ELEMENTS
//! RANK replace COMM TO TAG FROM TAG DATA ID ID ELEMENTS
//! RANK complete HOW N REQUEST...                      HOW wait, waitall, testsome, ...
//! RANK coll NAME REQUEST COMM ROOT OP DATA IN_PLACE ID
//! ```
//!
//! TO, FROM and ROOT are ranks of the communicator, `null` is MPI_PROC_NULL, `*` a wildcard or, for the request of a
//! collective, none. DATA is a type and a count, `int.comb 3`: three items of the layout `comb` made of integers. The values
//! of a message follow from its ID, and the receiver expects the first ELEMENTS of them.

pub mod generate;
pub mod mutate;
pub mod random;

use std::fmt::{self, Display, Write as _};

/// A communicator as one group of ranks has it. `split` makes several groups with the same slot.
#[derive(Debug, Clone)]
pub struct Group {
    /// The player's slot; 0 is MPI_COMM_WORLD.
    pub slot: usize,
    /// World ranks, in the order of their ranks in the communicator.
    pub members: Vec<usize>,
}

impl Group {
    pub fn rank_of(&self, world: usize) -> usize {
        self.members.iter().position(|&m| m == world).expect("a member")
    }
}

/// Layouts of the basic types, and how many basic elements one item has.
pub const LAYOUTS: [(&str, usize); 5] = [("one", 1), ("block", 3), ("comb", 3), ("mixed", 4), ("wide", 1)];
/// The basic types; those next to each other in pairs have the same size.
pub const BASES: [&str; 6] = ["int", "float", "long", "double", "char", "byte"];

/// Reduction operations, the first of which work on floating-point numbers too.
pub const OPS: [&str; 9] = ["sum", "prod", "max", "min", "band", "bor", "bxor", "land", "lor"];
pub const OPS_ANY_TYPE: [&str; 4] = ["sum", "prod", "max", "min"];

/// `count` items of a datatype, as one side of a message or a rank of a collective describes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    pub base: &'static str,
    pub layout: &'static str,
    pub count: usize,
}

impl Data {
    pub fn elements(&self) -> usize {
        self.count * self.per_item()
    }

    pub fn per_item(&self) -> usize {
        LAYOUTS.iter().find(|(name, _)| *name == self.layout).map_or(2, |(_, n)| *n)
    }
}

impl Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{} {}", self.base, self.layout, self.count)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Standard,
    Synchronous,
    Buffered,
    Ready,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Plain,
    Probe,
    Iprobe,
    Mprobe,
    Improbe,
}

/// An end of a message: the communicator's slot, the other side, and the tag; `None` is a wildcard.
#[derive(Debug, Clone)]
pub struct End {
    pub comm: usize,
    pub peer: Option<usize>,
    pub tag: Option<u32>,
}

/// A collective operation as one rank calls it.
#[derive(Debug, Clone)]
pub struct Collective {
    pub name: &'static str,
    /// Nonblocking: the request.
    pub request: Option<usize>,
    pub comm: usize,
    pub root: usize,
    pub op: &'static str,
    pub data: Data,
    pub in_place: bool,
    pub id: usize,
}

#[derive(Debug, Clone)]
pub enum Action {
    Dup { comm: usize, parent: usize },
    Split { comm: usize, parent: usize, color: Option<usize>, key: i32 },
    FreeComm { comm: usize },
    Send { mode: Mode, end: End, data: Data, id: usize },
    Recv { look: Look, end: End, data: Data, id: usize, elements: usize },
    Isend { request: usize, mode: Mode, end: End, data: Data, id: usize },
    Irecv { request: usize, end: End, data: Data, id: usize, elements: usize },
    SendInit { request: usize, mode: Mode, end: End, data: Data },
    RecvInit { request: usize, end: End, data: Data },
    Start { request: usize, id: usize, elements: usize },
    FreeRequest { request: usize },
    Sendrecv { out: End, out_data: Data, out_id: usize, back: End, data: Data, id: usize, elements: usize },
    Replace { out: End, out_id: usize, back: End, data: Data, id: usize, elements: usize },
    Complete { how: &'static str, requests: Vec<usize> },
    Collective(Collective),
}

/// An operation of one rank.
#[derive(Debug, Clone)]
pub struct Op {
    pub rank: usize,
    pub action: Action,
}

/// A message: the places in [`Schedule::ops`] of the operations that start its two sides.
#[derive(Debug, Clone)]
pub struct Message {
    pub group: usize,
    pub from: usize,
    pub to: usize,
    pub send: usize,
    pub recv: usize,
    /// Messages with the same number here have the same tag (those of one persistent request).
    pub channel: usize,
}

#[derive(Debug, Clone)]
pub struct Schedule {
    pub seed: u64,
    pub ranks: usize,
    pub groups: Vec<Group>,
    pub ops: Vec<Op>,
    pub messages: Vec<Message>,
    /// For every blocking collective: its group and the places of its operations, in the order of the members.
    pub collectives: Vec<(usize, Vec<usize>)>,
    /// The place behind the creation of the communicators, and the one before they are freed.
    pub body: (usize, usize),
    /// Whether receivers shall check what they get.
    pub correct: bool,
}

impl Schedule {
    /// The text that the player reads.
    pub fn text(&self) -> String {
        let mut text =
            format!("schedule {} {} {}\n", self.seed, self.ranks, if self.correct { "correct" } else { "wrong" });
        for op in &self.ops {
            _ = writeln!(text, "{} {}", op.rank, op.action);
        }
        text
    }

    /// Whether some receive of `rank` on MPI_COMM_WORLD accepts any tag.
    pub fn accepts_any_tag(&self, rank: usize) -> bool {
        self.ops.iter().filter(|op| op.rank == rank).any(|op| {
            let end = match &op.action {
                Action::Recv { end, .. } | Action::Irecv { end, .. } | Action::RecvInit { end, .. } => end,
                Action::Sendrecv { back, .. } | Action::Replace { back, .. } => back,
                _ => return false,
            };
            end.comm == 0 && end.tag.is_none()
        })
    }

    /// A request number that no rank uses yet.
    pub fn free_request(&self) -> usize {
        let used = self.ops.iter().filter_map(|op| match &op.action {
            Action::Isend { request, .. }
            | Action::Irecv { request, .. }
            | Action::SendInit { request, .. }
            | Action::RecvInit { request, .. } => Some(*request),
            Action::Collective(c) => c.request,
            _ => None,
        });
        used.max().map_or(0, |most| most + 1)
    }
}

impl Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Standard => "n",
            Mode::Synchronous => "s",
            Mode::Buffered => "b",
            Mode::Ready => "r",
        })
    }
}

impl Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Look::Plain => "plain",
            Look::Probe => "probe",
            Look::Iprobe => "iprobe",
            Look::Mprobe => "mprobe",
            Look::Improbe => "improbe",
        })
    }
}

/// Prints a wildcard as `*`.
struct Any<T>(Option<T>);

impl<T: Display> Display for Any<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("*"),
        }
    }
}

impl End {
    /// The other side and the tag, without the communicator.
    fn target(&self) -> impl Display {
        format!("{} {}", PeerOrNull(self.peer), Any(self.tag))
    }
}

/// A peer; [`NOBODY`] is MPI_PROC_NULL.
struct PeerOrNull(Option<usize>);

/// The peer that stands for MPI_PROC_NULL.
pub const NOBODY: usize = usize::MAX;

impl Display for PeerOrNull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(NOBODY) => f.write_str("null"),
            peer => Any(peer).fmt(f),
        }
    }
}

impl Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.comm, self.target())
    }
}

impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Dup { comm, parent } => write!(f, "dup {comm} {parent}"),
            Action::Split { comm, parent, color: Some(color), key } => write!(f, "split {comm} {parent} {color} {key}"),
            Action::Split { comm, parent, color: None, key } => write!(f, "split {comm} {parent} - {key}"),
            Action::FreeComm { comm } => write!(f, "freecomm {comm}"),
            Action::Send { mode, end, data, id } => write!(f, "send {mode} {end} {data} {id}"),
            Action::Recv { look, end, data, id, elements } => write!(f, "recv {look} {end} {data} {id} {elements}"),
            Action::Isend { request, mode, end, data, id } => write!(f, "isend {request} {mode} {end} {data} {id}"),
            Action::Irecv { request, end, data, id, elements } => {
                write!(f, "irecv {request} {end} {data} {id} {elements}")
            }
            Action::SendInit { request, mode, end, data } => write!(f, "sendinit {request} {mode} {end} {data}"),
            Action::RecvInit { request, end, data } => write!(f, "recvinit {request} {end} {data}"),
            Action::Start { request, id, elements } => write!(f, "start {request} {id} {elements}"),
            Action::FreeRequest { request } => write!(f, "freerequest {request}"),
            Action::Sendrecv { out, out_data, out_id, back, data, id, elements } => {
                write!(f, "sendrecv {out} {out_data} {out_id} {} {data} {id} {elements}", back.target())
            }
            Action::Replace { out, out_id, back, data, id, elements } => {
                write!(f, "replace {out} {} {data} {out_id} {id} {elements}", back.target())
            }
            Action::Complete { how, requests } => {
                write!(f, "complete {how} {}", requests.len())?;
                requests.iter().try_for_each(|r| write!(f, " {r}"))
            }
            Action::Collective(c) => {
                let request = Any(c.request);
                let Collective { name, comm, root, op, data, in_place, id, .. } = c;
                write!(f, "coll {name} {request} {comm} {root} {op} {data} {} {id}", u8::from(*in_place))
            }
        }
    }
}
