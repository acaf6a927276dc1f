//! Faults on protected memory, and the trap behind the instruction that a page was opened for. For each, what is not ours goes to
//! whoever had the signal before ([`crate::signals`]).

use crate::{backstop, budget, edges, keys, pages, records, signals, table, thread, views, watchpoints};
use recorder::in_flight::How;
use std::ffi::{c_int, c_void};

/// The trap flag among the flags of the processor: a trap comes behind the next instruction.
const TRAP_FLAG: i64 = 1 << 8;
/// `si_code` of that trap, and of a fault for want of rights.
const TRAP_TRACE: c_int = 2;
const NO_RIGHT: c_int = 2;
/// The same, for want of the right that goes with a key.
const NO_KEY: c_int = 4;
/// Bit of the error code: the access was a store.
const STORE: i64 = 2;
/// An instruction accesses so many bytes at once at most.
const WIDEST: u64 = 64;
/// A smaller stack for handlers has no room for looking at the callers.
const ROOM: usize = 32 << 10;

/// # Safety
/// The kernel calls it, for SIGSEGV and SIGTRAP.
pub(crate) unsafe extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let calls = backstop::allow();
    // SAFETY: the address is that of this thread's own variable.
    let errno = unsafe { *libc::__errno_location() };
    // SAFETY: the kernel passes valid pointers to a handler with SA_SIGINFO.
    let (code, address, ucontext) =
        unsafe { ((*info).si_code, (*info).si_addr() as u64, &mut *context.cast::<libc::ucontext_t>()) };
    let is_ours = match signal {
        libc::SIGSEGV => matches!(code, NO_RIGHT | NO_KEY) && is_explained(address, code == NO_KEY, ucontext),
        _ if code == TRAP_TRACE => end_step(ucontext),
        // SAFETY: the kernel has passed it.
        _ => unsafe { watchpoints::is_hit(info, register(ucontext, libc::REG_RIP) as u64, has_room(ucontext)) },
    };
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    backstop::restore(calls);
    if is_ours && signal == libc::SIGTRAP {
        backstop::block();
    }
    if !is_ours {
        // SAFETY: the arguments are the kernel's.
        unsafe { signals::pass_on(signal, info, context) };
    }
}

pub(crate) fn register(context: &libc::ucontext_t, number: c_int) -> i64 {
    context.uc_mcontext.gregs.get(number as usize).copied().unwrap_or(0)
}

pub(crate) fn set_flag(context: &mut libc::ucontext_t, is_on: bool) {
    if let Some(flags) = context.uc_mcontext.gregs.get_mut(libc::REG_EFL as usize) {
        *flags = if is_on { *flags | TRAP_FLAG } else { *flags & !TRAP_FLAG };
    }
}

/// Is the fault one of protected memory? Then the instruction can go on.
fn is_explained(address: u64, is_by_key: bool, context: &mut libc::ucontext_t) -> bool {
    let start = budget::now();
    let page = address / pages::PAGE * pages::PAGE;
    let is_store = register(context, libc::REG_ERR) & STORE != 0;
    let instruction = register(context, libc::REG_RIP) as u64;
    let forbidding = || table::within(page..page + 1).filter(|entry| entry.forbids_at(page, is_store));
    if views::is_moving(page) {
        return true;
    }
    if forbidding().next().is_none() {
        // It may have been protected when the instruction was executed, and no longer: once is tried again.
        let is_new = thread::with(|state| state.unexplained.replace((instruction, address)) != (instruction, address));
        if !is_new && edges::was_one(page) {
            // Two threads have changed its rights at a time. What is not ours comes again.
            edges::forget(page);
            pages::open_page(page);
            return true;
        }
        return is_new;
    }
    thread::with(|state| state.unexplained.set((0, 0)));
    if thread::is_inside() || budget::is_over() {
        if is_by_key && keys::allow_in(context) {
            thread::may_use_key();
            return true;
        }
        thread::opens();
        for entry in table::within(page..page + 1) {
            if edges::may_stay(entry, page, false) {
                table::open(entry);
            }
        }
        return true;
    }
    let how = if is_store { How::Store } else { How::Load };
    let mut may_go_on = true;
    for entry in forbidding() {
        // It may begin beside the memory and end in it: the instruction tells, which is decoded elsewhere.
        if !entry.part(&(address..address.saturating_add(WIDEST))).is_empty() {
            let is_beside = entry.part(&(address..address + 1)).is_empty();
            let at = records::At { address: instruction, is_behind: false, is_beside, walks: has_room(context) };
            records::by_instruction(entry.ticket(), (address, 0), how, at);
        }
        may_go_on &= match entry.is_edge(page) {
            true => edges::may_stay(entry, page, is_store),
            false => budget::may_trap(entry.ticket(), page) && table::may_trap(entry),
        };
    }
    // With a key, the page stays closed to other threads meanwhile.
    let has_key = is_by_key && may_go_on && keys::allow_in(context);
    if !has_key {
        pages::open_page(page);
    }
    let steps = may_go_on
        && thread::with(|state| {
            let steps = state.steps.get();
            let place = state.stepping.get(steps);
            if steps == 0 {
                state.since.set(start);
                state.steps_by_key.set(false);
            }
            state.steps_by_key.set(state.steps_by_key.get() | has_key);
            place.map(|place| place.set(page)).inspect(|()| state.steps.set(steps + 1)).is_some()
        });
    budget::trapped();
    if steps {
        signals::unblock_in(context);
        set_flag(context, true);
    } else {
        budget::spend(start);
    }
    true
}

/// Is there room on the stack that the handler runs on? A stack of a thread has it; one that the program has made for handlers may
/// be small.
pub(crate) fn has_room(context: &libc::ucontext_t) -> bool {
    let (own, stack) = ((&raw const context) as usize, &context.uc_stack);
    let is_on_it = (stack.ss_sp as usize..(stack.ss_sp as usize).wrapping_add(stack.ss_size)).contains(&own);
    !is_on_it || stack.ss_size >= ROOM
}

/// The instruction that pages were opened for is over: they are protected again.
fn end_step(context: &mut libc::ucontext_t) -> bool {
    let pages = thread::with(|state| state.steps.replace(0));
    let is_of_call = backstop::end_call(register(context, libc::REG_RIP), register(context, libc::REG_RSP));
    if pages == 0 && !is_of_call {
        return false;
    }
    set_flag(context, false);
    if pages > 0 && thread::with(|state| state.steps_by_key.replace(false)) {
        keys::deny_in(context);
    }
    thread::with(|state| {
        for page in state.stepping.iter().take(pages) {
            table::close_page(page.get());
        }
        if pages > 0 {
            budget::spend(state.since.get());
        }
    });
    true
}
