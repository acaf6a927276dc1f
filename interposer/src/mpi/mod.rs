//! The loaded MPI library: its family, its functions, its objects.

pub(crate) mod abi;
pub(crate) mod datatype;
pub(crate) mod define;
pub(crate) mod emulated;
pub(crate) mod error_handlers;
pub(crate) mod facts;
pub(crate) mod handles;
pub(crate) mod origin;
pub(crate) mod outsiders;
pub(crate) mod real;
pub(crate) mod sessions;
pub(crate) mod spot;
pub(crate) mod types;
pub(crate) mod words;
