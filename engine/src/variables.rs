//! The variables of the program that hold the buffers of its calls: somebody who can read debug information tells of them.

use std::rc::Rc;
use symbols::variables::{Declared, Storage};
use trace_format::definition::Id;
use trace_format::mpi::FnId;

/// An argument of a call, as the source has it.
pub struct Argument {
    /// Its text.
    pub text: String,
    /// The text of the number of elements; empty if that is not there.
    pub count: String,
    /// The text of the datatype, likewise.
    pub datatype: String,
    /// The memory that it names.
    pub declared: Declared,
}

/// The variables of the ranks' programs. What is not known for certain is not told.
pub trait Variables {
    /// The variable of a rank that holds an address. `slots`: where the return addresses of the call site lie on the stack, if
    /// they always lie there.
    fn storage(&mut self, rank: i32, site: Id, slots: &[u64], address: u64) -> Option<Storage>;

    /// The argument for a parameter of a call. `others`: the parameters that say the number of elements and the datatype.
    fn argument(
        &mut self,
        rank: i32,
        site: Id,
        func: FnId,
        buffer: usize,
        others: [Option<usize>; 2],
    ) -> Option<Rc<Argument>>;

    /// The text of the call at a call site of an interpreted program.
    fn statement(&mut self, rank: i32, site: Id, func: FnId) -> Option<String>;
}
