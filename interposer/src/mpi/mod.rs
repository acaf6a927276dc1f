//! The loaded MPI library: its family, its functions, its objects.

pub(crate) mod abi;
pub(crate) mod changes;
pub(crate) mod const_text;
pub(crate) mod datatype;
pub(crate) mod define;
pub(crate) mod descent;
pub(crate) mod emulated;
pub(crate) mod error_handlers;
pub(crate) mod handles;
pub(crate) mod library;
pub(crate) mod members;
pub(crate) mod origin;
pub(crate) mod other_worlds;
pub(crate) mod properties;
pub(crate) mod sessions;
pub(crate) mod spot;
pub(crate) mod types;
pub(crate) mod words;
