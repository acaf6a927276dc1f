//! The parts of a run's state, one file a part: what is known of a rank, a communicator, a call, an operation, a message, a
//! finding in the making. [`crate::model`] holds them together.

mod attached;
mod buffers;
mod call;
mod channels;
mod comms;
mod damage;
mod entered;
mod epochs;
mod file_accesses;
mod files;
mod findings;
mod frees;
mod gathering;
mod handles;
mod hints;
mod listener_notes;
mod lock_knots;
mod locks;
mod mailbox;
mod message;
mod misuse;
mod op;
mod order;
mod passive;
mod persistents;
mod polls;
mod promises;
mod rank;
mod replay_ids;
mod requests;
mod seen;
mod site;
mod space;
mod sums;
mod sweeps;
mod turns;
mod untimely;
mod window;
mod words;

pub(crate) use buffers::names_session;
pub use call::int;
pub(crate) use call::row_int;
pub(crate) use call::{MessageEnd, Origin, Pattern, Target, as_call, status_at, value};
pub(crate) use channels::{Channel, ChannelEnd, Described, DescribedPair, MOST_PARTITIONS};
pub(crate) use comms::{Comm, CommIx, CommKey, Comms, Member, Topology, peers};
pub(crate) use damage::{Damage, Spoilt, WrongResult};
pub(crate) use entered::{Bridge, Entered};
pub(crate) use epochs::Lock;
pub(crate) use file_accesses::{FileConflict, FileMember, FilePiece, FileView};
pub(crate) use files::{FileFault, OpenFile};
pub(crate) use findings::{Draft, Findings, Kept};
pub(crate) use gathering::{Gathering, Verdict, View};
pub(crate) use handles::ids;
pub(crate) use hints::Hints;
pub(crate) use listener_notes::Counterpart;
pub(crate) use lock_knots::{Before, Holder};
pub(crate) use locks::{Locked, Locks};
pub(crate) use mailbox::{Lane, Mailbox, Pending};
pub(crate) use message::{Message, Pair, are_alike};
pub(crate) use misuse::{Misuse, Misused};
pub(crate) use op::{Data, Op, OpId, OpKind};
pub(crate) use order::{Begun, News, Order};
pub(crate) use passive::each_pair;
pub(crate) use persistents::{Made, Persistents};
pub(crate) use polls::{Poll, Polls, is_poll};
pub(crate) use promises::{Promise, Untrue};
pub use rank::is_crash;
pub(crate) use rank::{Breach, Discovery, MpiError, OpenCall, Rank, Thread};
pub(crate) use replay_ids::{CollectiveReplayIds, ReplayIds};
pub(crate) use requests::{ReqId, Request};
pub use seen::{CallSeen, Half};
pub(crate) use site::Site;
pub use site::outside;
pub(crate) use space::{Instance, Part};
pub(crate) use sums::Sum;
pub(crate) use sweeps::{SWEEP_AT, Sweeps};
pub(crate) use turns::LastUse;
pub(crate) use untimely::{Untimely, is_finalize};
pub(crate) use window::{
    AccessConflict, Accessed, Between, Exposed, Exposes, OutOfRange, Over, Together, UnlikeSides, Window,
};
pub(crate) use words::{op_name, outside_rank, plural, rank_list};

/// Communicator, destination, source, tag of a message; and the places of its two calls.
pub(crate) type Suspect = ((CommIx, i32, i32, i32), u64, u64);
