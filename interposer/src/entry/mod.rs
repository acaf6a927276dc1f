//! How calls come in: the exported functions of C and Fortran.

pub(crate) mod dispatch;
pub(crate) mod exports;
pub(crate) mod fortran;
pub(crate) mod ordinary;
pub(crate) mod quick;
pub(crate) mod stubs;
pub(crate) mod unloading;
