//! The MPI tool information interface (MPI 4.1, chapter 15) as mpivet uses it: what variables the library has, which of them
//! the user wants set, which of them are read while the program runs. Every reference that is taken on the interface is given
//! back, and the program's own use of it goes to the library past this one.

mod interface;
mod level;
mod probe;
mod read;
pub(crate) mod sampling;
mod set;
mod value;

pub(crate) use read::variables;
pub(crate) use set::{Settings, apply};
