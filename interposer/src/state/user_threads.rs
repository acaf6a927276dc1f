//! An MPI library over user-level threads (Argobots, Qthreads), or a callback of the program that changes the stack: a call may
//! lie still while its thread goes on with another stack, and may return on another thread. What belongs to which call cannot
//! be told then, so that recording ends before anything false is written down.

use crate::state::in_handler;
use crate::state::interrupted;
use crate::state::open_calls;
use crate::state::thread::{Thread, ThreadPtr};
use recorder::stop::{Reason, stop};
use recorder::{memory, trace};

/// Why recording ends then.
pub(crate) const OTHER_STACK: Reason = Reason::new(
    "another stack came to its turn inside of an MPI call: user-level threads in the MPI library, or a callback that changes \
     the stack",
);
/// The reason if it is seen when a call returns.
pub(crate) const OTHER_THREAD: Reason =
    Reason::new("an MPI call has returned on another thread: user-level threads in the MPI library");

/// Where a call is made while another one is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a callback of that one.
    Inside,
    /// Behind it: the program has jumped out of it.
    Behind,
    OtherStack,
}

/// Memory that was one stack when it was walked, from a call to another one that is under way.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct OneStack {
    lowest: u64,
    highest: u64,
}

impl OneStack {
    fn holds(self, stack_pointer: u64, outer: u64) -> bool {
        self.lowest <= stack_pointer && stack_pointer < outer && outer <= self.highest
    }

    fn learn(&mut self, stack_pointer: u64, outer: u64) {
        let is_same = stack_pointer <= self.highest && self.lowest <= outer;
        *self = match is_same {
            true => OneStack { lowest: self.lowest.min(stack_pointer), highest: self.highest.max(outer) },
            false => OneStack { lowest: stack_pointer, highest: outer },
        };
    }
}

/// A call comes with this stack pointer while others are under way. Those that the program has left by a jump are forgotten.
/// False, and recording ends, if it comes from another stack.
#[cold]
#[inline(never)]
pub(crate) fn look(thread: &mut Thread, stack_pointer: u64) -> bool {
    while let Some(outer) = thread.open_calls.innermost().map(|call| call.stack_pointer) {
        if trace::is_lost() {
            break;
        }
        match place(thread, stack_pointer, outer) {
            Place::Inside => break,
            Place::Behind => open_calls::left(thread, stack_pointer.max(outer)),
            Place::OtherStack => {
                stop(OTHER_STACK);
                return false;
            }
        }
    }
    true
}

fn place(thread: &mut Thread, stack_pointer: u64, outer: u64) -> Place {
    if thread.one_stack.holds(stack_pointer, outer) {
        return Place::Inside;
    }
    let is_there = interrupted::is_under_way(outer);
    if is_there == Some(true) {
        // A signal handler may have a stack of its own.
        if stack_pointer < outer && memory::is_own_stack(stack_pointer) == memory::is_own_stack(outer) {
            thread.one_stack.learn(stack_pointer, outer);
        }
        return Place::Inside;
    }
    let is_one_stack = memory::is_own_stack(stack_pointer) && memory::is_own_stack(outer);
    match is_there {
        Some(_) if is_one_stack => Place::Behind,
        None if is_one_stack && stack_pointer >= outer => Place::Behind,
        None if is_one_stack || in_handler::in_handler() => Place::Inside,
        _ => Place::OtherStack,
    }
}

/// A call of the library has returned, which this thread had made. False, and recording ends, if this is another one: the state
/// of the first one is not to be touched.
#[inline(always)]
pub(crate) fn is_here(thread: ThreadPtr) -> bool {
    let is_here = thread.is_here();
    if !is_here {
        stop(OTHER_THREAD);
    }
    is_here
}

/// A call has returned that had been taken for left: the program has not jumped out of it, it has changed the stack.
pub(crate) fn came_back() {
    stop(OTHER_STACK);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_one_stack_is_remembered() {
        let mut stack = OneStack::default();
        assert!(!stack.holds(10, 20));
        stack.learn(10, 20);
        assert!(stack.holds(10, 20) && stack.holds(15, 20) && !stack.holds(9, 20) && !stack.holds(20, 15));
        stack.learn(5, 12);
        assert!(stack.holds(5, 20));
        stack.learn(100, 200);
        assert!(stack.holds(150, 180) && !stack.holds(10, 20) && !stack.holds(10, 150));
    }
}
