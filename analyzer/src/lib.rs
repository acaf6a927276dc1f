//! The analyzer.

#![forbid(unsafe_code)]

mod early;
pub mod events;
pub mod load;
pub mod observe;
pub mod testing;
pub mod trails;
