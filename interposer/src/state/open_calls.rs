//! Calls that the library is in, and what has happened in them.

use crate::mpi::error_handlers::{Means, Owner};
use crate::mpi::handles;
use crate::state::thread::Thread;
use crate::state::{levels, queued};
use trace_format::mpi::FnId;

/// A call of the program that the library is in.
#[derive(Clone, Copy)]
pub(crate) struct OpenCall {
    pub(crate) index: u64,
    pub(crate) func: FnId,
    pub(crate) site: u32,
    /// The stack pointer of the program at the call.
    pub(crate) stack_pointer: u64,
    /// Calls of this thread that had not returned when it was made.
    pub(crate) depth: usize,
    /// The handle that it frees.
    pub(crate) freed: Option<handles::Dying>,
}

/// A handler of ours was called in the place of one that ends the program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fatal {
    pub(crate) owner: Owner,
    /// `None`: the library would have gone on, and the call returns the code.
    pub(crate) means: Option<Means>,
    pub(crate) handle: u64,
    pub(crate) code: i32,
}

impl Fatal {
    pub(crate) fn code(&self) -> i32 {
        self.code
    }
}

/// A wrapped routine that this thread is in.
#[derive(Clone, Copy)]
pub(crate) struct InRoutine {
    pub(crate) function: FnId,
    /// The Fortran program's call.
    pub(crate) return_address: u64,
    pub(crate) stack_pointer: u64,
    /// Its first argument.
    pub(crate) first: u64,
    /// The routine has called the C function, and that is recorded.
    pub(crate) recorded: bool,
}

/// The program calls with this stack pointer, from where calls under way were made or from outside of them: a callback of
/// the program, an error handler mostly, has jumped away (longjmp), and those calls never return.
#[cold]
pub(crate) fn left(thread: &mut Thread, stack_pointer: u64) {
    while let Some(call) = thread.open_calls.pop_if(|call| stack_pointer >= call.stack_pointer) {
        thread.depth = call.depth;
        call.freed.into_iter().for_each(handles::kept);
    }
    queued::abandoned(thread);
    thread.untold = None;
    thread.told = None;
    thread.fatal = None;
    if thread.depth == 0 {
        levels::leave(thread);
    }
}
