//! Which deadlocks the MPI standard permits for what a run did, although this run got through.
//!
//! A [`Program`] is what each thread of each process did: the operations that it started and the calls in which it
//! waited for them. Three questions are asked of it.
//!
//! - `Replay` keeps the matching of the run and takes away what the standard does not promise: no buffer for standard
//!   sends, no collective operation that returns before all have called it. It needs time proportional to the run and
//!   memory proportional to what lags behind, so it takes runs of any length.
//! - [`mod@explore`] asks for every matching of wildcard receives and probes that the standard permits. It writes the question
//!   as a formula and has it decided by a SAT solver; the answer is that nothing can go wrong, a [`Witness`], or that the
//!   budget did not suffice.
//!
//! - [`mod@races`] names the messages that a wildcard receive could have got instead of its own, if everything before had been
//!   as it was.
//!
//! [`mod@reach`] asks how a wildcard could have got a message that it did not get, whatever comes before and after that.
//!
//! All but the races take for granted that a process goes on in the same way whatever it is told by the calls that return: what a
//! receive could have got instead changes the order of things, not the program. Where that is not so
//! ([`Kind::Recv`], `steers`), nothing is said of what the process does from then on.

#![forbid(unsafe_code)]

mod bags;
mod explore;
mod formula;
mod gates;
mod layout;
mod mailboxes;
mod order;
mod play;
mod program;
mod races;
mod reach;
mod replay;
mod search;

pub use explore::{Answer, Budget, Event, Reading, Witness, explore, has_choices};
pub use program::{Collective, Kind, Many, Mode, OpIx, Operation, Program, Step, Wait};
pub use races::{Race, races};
pub use reach::{Choice, Place, Reached, reach};
pub use replay::{Act, Block, Call, Id, Ids, Knot, Look, Need, Needs, Permission, Replay};
