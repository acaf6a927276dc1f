//! `libmpivet_precise.so`: traps loads and stores of the program on memory that pending operations of MPI use
//! (`mpivet run --precise`). `libmpivet.so` says which memory that is and makes the findings; without the option nobody loads this.
//!
//! Whole pages inside of a buffer are protected, and the pages that it shares with other data where it is known who accesses
//! these ([`edges`]). Nothing is lifted when the library of MPI is called: a fault while the thread is inside of MPI opens the
//! buffer, and it is protected again when the thread leaves ([`table`]). A fault of the program is noted ([`records`]), the page is
//! opened for one instruction and closed by the trap behind it ([`handler`]). The kernel does not fault, it refuses: the functions
//! of the C library by which it accesses memory open what they are given ([`wrappers`]), and other system calls are looked at
//! first ([`backstop`]).
//!
//! Nothing on the path of a handler allocates, locks or waits.

#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::unreachable, clippy::indexing_slicing)
)]
// Tests have the C library without anything in front of it.
#![cfg_attr(test, allow(dead_code))]

mod arm;
mod backstop;
mod budget;
mod edges;
mod entry;
mod handler;
mod kernel;
mod keys;
mod pages;
mod place;
mod reach;
mod real;
mod records;
mod self_test;
mod signals;
mod table;
mod thread;
mod views;
mod watchpoints;
#[cfg(not(test))]
mod wrappers;

use recorder::in_flight::{Counts, Interface, VERSION, lacks};

/// Found by its name: [`recorder::in_flight::SYMBOL`].
#[unsafe(no_mangle)]
static mpivet_precise_interface: Interface = Interface {
    version: VERSION,
    begin,
    arm: arm::arm,
    may_watch: arm::may_watch,
    arm_window: arm::arm_window,
    disarm: table::disarm,
    enter: thread::enter,
    leave: thread::leave,
    take: records::take,
    counts,
    stop: table::stop,
    expose,
    double: views::double,
    undouble: views::undouble,
};

extern "C" fn begin(loads: bool) -> bool {
    keys::begin();
    table::begin(loads);
    budget::begin();
    signals::install();
    backstop::begins();
    // SAFETY: the functions only touch this library's own data.
    unsafe {
        libc::pthread_atfork(Some(before_fork), Some(after_fork), Some(in_child));
    }
    let passes = self_test::passes();
    if !passes {
        table::stop();
    }
    passes
}

extern "C" fn before_fork() {
    backstop::before_fork();
    views::before_fork();
}

extern "C" fn after_fork() {
    views::after_fork();
    backstop::after_fork();
}

/// In the process that a fork has made.
extern "C" fn in_child() {
    table::in_child();
    views::in_child();
}

/// Other processes may reach this memory from now on, and nothing of this process takes part in it.
extern "C" fn expose(start: u64, end: u64) {
    table::forget(&pages::all_pages(start, end));
    edges::end();
}

extern "C" fn counts() -> Counts {
    let mut counts = arm::counts();
    counts.traps = budget::traps();
    counts.pages = budget::pages();
    counts.trap_ns = budget::price();
    counts.is_over = u64::from(budget::is_over());
    let lacking = [(backstop::works(), lacks::CALLS), (watchpoints::works(), lacks::WATCHPOINTS)];
    counts.lacks = lacking.iter().filter(|(works, _)| !works).fold(0, |all, (_, bit)| all | bit);
    counts
}

#[ctor::ctor(unsafe)]
fn loaded() {
    thread::first();
    records::learn_self();
    #[cfg(not(test))]
    wrappers::learn();
}
