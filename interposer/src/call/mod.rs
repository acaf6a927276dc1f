//! A call of the program: from the entry point to the library and back, and its record.

pub(crate) mod access_places;
pub(crate) mod call_cache;
pub(crate) mod caller;
pub(crate) mod encode;
pub(crate) mod info;
pub(crate) mod mode;
pub(crate) mod operands;
pub(crate) mod python;
pub(crate) mod requests;
pub(crate) mod rules;
mod seen;
pub(crate) mod sites;
pub(crate) mod topology;
