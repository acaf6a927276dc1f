//! `libmpivet_heap.so`: knows the blocks of the program's heap, for `mpivet run --heap`. It stands in front of whatever
//! allocator the program uses, notes each block with the size that was asked for, and passes every call on; libmpivet.so asks
//! it which block holds an address ([`interface`]).
//!
//! All of this may be called at any time: while the loader is at work, in a child that was forked while other threads
//! allocated, when a thread ends. So nothing here locks, allocates, uses thread-local storage or panics; blocks are in a table
//! of its own memory ([`blocks`]) that is read and written without locks.
//!
//! A block that is not known is never spoken of: of allocators inside of the program that come first, of those that have
//! entry points of their own beside malloc (C++ new of jemalloc, for one), and of memory that is mapped.

// No panic crosses into the program: what could is not written.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::indexing_slicing)
)]

mod blocks;
mod callers;
mod early;
#[cfg_attr(test, allow(dead_code))]
mod interface;
mod next;
#[cfg(test)]
mod tests;
// A test program keeps the allocator that it has.
#[cfg_attr(test, allow(dead_code))]
mod wrappers;
