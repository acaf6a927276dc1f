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

/// The calls of a thread that have not returned. The outermost one has its place: most calls are in no other.
#[derive(Default)]
pub(crate) struct OpenCalls {
    outermost: Option<OpenCall>,
    /// The calls inside of it; none without it.
    inner: Vec<OpenCall>,
}

impl OpenCalls {
    pub(crate) fn len(&self) -> usize {
        usize::from(self.outermost.is_some()) + self.inner.len()
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.outermost.is_none()
    }

    /// The one inside of so many others.
    #[inline(always)]
    pub(crate) fn get(&self, outer: usize) -> Option<&OpenCall> {
        match outer.checked_sub(1) {
            None => self.outermost.as_ref(),
            Some(place) => self.inner.get(place),
        }
    }

    pub(crate) fn innermost(&self) -> Option<&OpenCall> {
        self.inner.last().or(self.outermost.as_ref())
    }

    /// A call is made inside of those that there are.
    pub(crate) fn push(&mut self, call: OpenCall) {
        match self.outermost {
            None => self.outermost = Some(call),
            Some(_) => self.inner.push(call),
        }
    }

    /// A call is made inside of none.
    #[inline(always)]
    pub(crate) fn begin(&mut self, call: OpenCall) {
        self.outermost = Some(call);
    }

    /// The outermost call is over.
    #[inline(always)]
    pub(crate) fn end(&mut self) {
        self.outermost = None;
        self.inner.clear();
    }

    /// Calls inside of so many others are over.
    pub(crate) fn truncate(&mut self, outer: usize) {
        match outer.checked_sub(1) {
            None => self.end(),
            Some(inner) => self.inner.truncate(inner),
        }
    }

    /// The innermost call is over if this holds of it.
    fn pop_if(&mut self, is_over: impl FnOnce(&OpenCall) -> bool) -> Option<OpenCall> {
        let innermost = self.innermost().copied().filter(is_over)?;
        self.truncate(self.len() - 1);
        Some(innermost)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn call(index: u64) -> OpenCall {
        OpenCall {
            index,
            func: FnId::MPI_Send,
            site: 0,
            stack_pointer: 1000 - index,
            depth: index as usize,
            freed: None,
        }
    }

    #[test]
    fn calls_end_from_the_innermost_outwards() {
        let mut calls = OpenCalls::default();
        assert!(calls.is_empty() && calls.innermost().is_none() && calls.get(0).is_none());
        (0..4).for_each(|index| calls.push(call(index)));
        assert_eq!(calls.len(), 4);
        assert!((0..4).all(|outer| calls.get(outer).is_some_and(|call| call.index == outer as u64)));
        assert!(calls.pop_if(|call| call.index == 2).is_none());
        assert!(calls.pop_if(|call| call.index == 3).is_some());
        assert_eq!(calls.innermost().map(|call| call.index), Some(2));
        calls.truncate(1);
        assert_eq!((calls.len(), calls.innermost().map(|call| call.index)), (1, Some(0)));
        assert!(calls.pop_if(|_| true).is_some() && calls.pop_if(|_| true).is_none() && calls.is_empty());
    }

    #[test]
    fn the_end_of_the_outermost_call_is_that_of_all() {
        let mut calls = OpenCalls::default();
        calls.begin(call(0));
        calls.push(call(1));
        calls.end();
        assert!(calls.is_empty() && calls.innermost().is_none());
    }
}
