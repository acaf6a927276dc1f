//! Deadlocks that the MPI standard permits for the calls of a run, although this run got through.
//!
//! A [`Program`] holds what each thread of each process did: the operations that it started and the calls in which it
//! waited for them. This crate answers four questions about it.
//!
//! - `DeadlockReplay` keeps the matching of the run and takes away what the standard does not promise: no buffer for
//!   standard sends, no collective operation that returns before all have called it. Its time is proportional to the
//!   run and its memory to what lags behind, so it takes runs of any length.
//! - [`mod@explore`] asks for every matching of wildcard receives and probes that the standard permits. It writes the
//!   question as a formula for a SAT solver; the answer is that nothing can go wrong, a [`Witness`], or that the
//!   budget did not suffice.
//! - [`mod@races`] names the messages that a wildcard receive could have got instead of its own, if everything before
//!   had been as it was.
//! - [`mod@reach`] asks how a wildcard could have got a message that it did not get, whatever comes before and after
//!   that.
//!
//! All but the races assume that a process continues in the same way whatever its calls return: another message
//! changes the order of events, not the program. Where this is known to be false ([`Kind::Recv`], `steers`), nothing
//! is said of what the process does from then on.

#![forbid(unsafe_code)]

mod deadlock_replay;
mod explore;
mod formula;
mod layout;
mod linearization;
mod mailboxes;
mod order;
mod program;
mod question;
mod races;
mod reach;
mod search;
mod symmetry;
mod wait_points;

pub use deadlock_replay::{Act, Block, Call, DeadlockReplay, Gone, Id, Knot, Need, Needs, Permission, Probe};
pub use explore::{Answer, explore, has_choices};
pub use program::{Collective, Kind, Many, Mode, OpIx, Operation, Program, Step, Wait};
pub use question::{Budget, Event, Semantics, Witness};
pub use races::{Race, races};
pub use reach::{Choice, Place, Reached, reach};
