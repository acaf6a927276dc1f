//! The words between `libmpivet.so` and `libmpivet_precise.so`, which traps accesses to memory that pending operations use. The
//! first finds the second by the name of one symbol, [`SYMBOL`]; without `--precise` it is not there.

use std::ffi::CStr;

/// The variable of type [`Interface`].
pub const SYMBOL: &CStr = c"mpivet_precise_interface";

/// Raised with each change of these types: both libraries are of one build.
pub const VERSION: u32 = 8;

/// Return addresses of one access at most, the instruction itself included.
pub const MAX_FRAMES: usize = 32;

/// How memory was accessed.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum How {
    /// An instruction has read.
    Load = 0,
    /// An instruction has written.
    Store = 1,
    /// A system call has read for the program.
    KernelLoad = 2,
    /// A system call has written for the program.
    KernelStore = 3,
    /// The memory was given back.
    Release = 4,
    /// An instruction has read or written.
    Any = 5,
    /// An instruction has written some of these bytes.
    SomeStore = 6,
}

/// An access of the program to memory that is in use.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// Which use of memory it concerns.
    pub ticket: u64,
    /// The first byte that is known to have been accessed.
    pub address: u64,
    /// So many are known to have been; 0: as many as the instruction accesses.
    pub bytes: u64,
    /// A load, a store, or another access.
    pub how: How,
    /// How many of `frames` there are.
    pub count: u32,
    /// The instruction, or the call of a wrapped function, and the return addresses above.
    pub frames: [u64; MAX_FRAMES],
}

impl Access {
    /// Nothing yet: for [`Interface::take`] to write to.
    pub const fn nothing() -> Access {
        Access { ticket: 0, address: 0, bytes: 0, how: How::Load, count: 0, frames: [0; MAX_FRAMES] }
    }

    /// The return addresses that there are.
    pub fn frames(&self) -> &[u64] {
        self.frames.get(..self.count as usize).unwrap_or(&self.frames)
    }
}

/// Bit of the tickets of memory that windows expose.
pub const OF_WINDOW: u64 = 1 << 63;

/// Why memory is not watched, beside those whose answer is a ticket.
pub mod refusal {
    /// It has no page to itself, and shares those that it has with more than can be known.
    pub const SMALL: u64 = 1;
    /// It is on a stack, shared with others, or not plain memory.
    pub const PLACE: u64 = 2;
    /// There is no room for more.
    pub const FULL: u64 = 3;
    /// Nothing is watched any more.
    pub const OVER: u64 = 4;
    /// Tickets are greater.
    pub const LAST: u64 = 15;
}

/// How much was watched.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Uses of memory that were watched.
    pub watched: u64,
    /// Not watched, because they share their pages.
    pub small: u64,
    /// Not watched, because of where they lie.
    pub place: u64,
    /// Not watched, because too many were at the same time.
    pub full: u64,
    /// Accesses that were trapped outside of MPI.
    pub traps: u64,
    /// How long one takes, in nanoseconds, on average; 0: there was none.
    pub trap_ns: u64,
    /// Pages that were given up after too many of them.
    pub pages: u64,
    /// All was given up, because the traps took too much time.
    pub is_over: u64,
    /// Bits of [`lacks`].
    pub lacks: u64,
}

/// Means that a kernel may refuse.
pub mod lacks {
    /// Handing system calls over: they fail on protected memory if they come by no function that something stands in front of.
    pub const CALLS: u64 = 1;
    /// Watchpoints: buffers on stacks are not watched.
    pub const WATCHPOINTS: u64 = 2;
}

/// The functions of `libmpivet_precise.so`.
#[repr(C)]
pub struct Interface {
    /// [`VERSION`]
    pub version: u32,
    /// Begins: takes the handlers of signals. `loads`: loads from memory that will be written are trapped, too. False: traps do not
    /// work here.
    pub begin: extern "C" fn(loads: bool) -> bool,
    /// Bytes from `start` to `end` are in use: they must not be written; `is_closed`: nor read. `has_gaps`: some of them are not.
    /// A ticket, or one of [`refusal`].
    pub arm: extern "C" fn(start: u64, end: u64, is_closed: bool, has_gaps: bool) -> u64,
    /// May these bytes be given to `arm_window`, as long as the window is there?
    pub may_watch: extern "C" fn(start: u64, end: u64) -> bool,
    /// Bytes from `start` to `end` are memory that a window exposes: stores are noted, and loads if `is_closed`; all of them, not
    /// one for each instruction. A ticket with [`OF_WINDOW`], or one of [`refusal`].
    pub arm_window: extern "C" fn(start: u64, end: u64, is_closed: bool) -> u64,
    /// They are in use no longer.
    pub disarm: extern "C" fn(ticket: u64),
    /// The thread is about to enter MPI with this stack pointer; the answer is for `leave`.
    pub enter: extern "C" fn(stack_pointer: u64) -> u32,
    /// It has left MPI.
    pub leave: extern "C" fn(before: u32),
    /// Takes an access out of those that were noted: was there one?
    pub take: extern "C" fn(into: &mut Access) -> bool,
    /// How much was watched up to now.
    pub counts: extern "C" fn() -> Counts,
    /// Gives all memory free, for good.
    pub stop: extern "C" fn(),
    /// Bytes from `start` to `end` are memory of the program that other processes may reach from now on, without any doing of this
    /// one: none of it is watched any more.
    pub expose: extern "C" fn(start: u64, end: u64),
    /// Gives memory of the program from `start` to `end`, which a window is about to expose, a second view, for the library: where
    /// `start` is there, or 0. It may then be given to `arm_window`.
    pub double: extern "C" fn(start: u64, end: u64) -> u64,
    /// The window is gone, or was not made.
    pub undouble: extern "C" fn(start: u64, end: u64),
}
