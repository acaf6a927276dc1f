//! Words of options and environment that both halves read: which checks are on, how much of a trace is kept; and how people are
//! told of wrong ones.

pub mod columns;
pub mod retention;
pub mod selection;
pub mod suggestions;
