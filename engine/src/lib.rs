//! The streaming engine: takes the events of all ranks in any interleaving, interprets those of each rank (requests, objects),
//! unifies communicators, matches messages and collectives, and says who waits for whom.
//!
//! ```text
//! feed -> interpret (a call's effect on its rank) -> matching (messages, collectives) -> model::Rules (the checks)
//! stuck, finish -> waits (who can go on) -> ending (how each rank ended, what is left) -> checks::end
//! ```
//!
//! Modules know each other in one direction: `state` (the parts) < `recorded`, `deadlock_replay`, `listen` < `model` <
//! `findings`, `collective`, `tell` < `matching`, `waits` < `interpret`, `ending` < `checks` < `engine`.
//!
//! Operations are forgotten once they are matched, checked and completed: memory grows with what is in flight.
//! The result does not depend on the interleaving: every decision is a function of each rank's own order.

#![forbid(unsafe_code)]

pub mod arg_places;
mod checks;
pub mod clocks;
mod collections;
mod collective;
mod deadlock_replay;
mod ending;
mod engine;
mod findings;
mod interpret;
pub mod limit;
pub mod link;
pub mod listeners;
mod matching;
mod model;
mod notify;
pub mod read_ahead;
mod recorded;
mod state;
mod types;
pub mod variables;
mod waits;
pub mod worlds;

pub use checks::signal_name;
pub use collective::{Needs, needs_of};
pub use ending::{Queue, Queued, RankEnd};
pub use engine::{Analysis, End, Engine, Fate, RankSummary, Stuck};
pub use recorded::{Alternative, Ways};
pub use state::{int, is_crash, outside};
