//! The analyzer.

#![forbid(unsafe_code)]

pub mod call_contexts;
pub mod crew;
mod early;
pub mod events;
pub mod hosts;
pub mod interruption;
pub mod load;
pub mod observe;
pub mod testing;
