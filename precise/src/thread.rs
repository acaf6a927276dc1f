//! The state of a thread: whether it is the program's, and whether it is inside of MPI.

use crate::{backstop, edges, keys, place, table};
use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

/// More pages cannot be touched by one instruction but by gathers, whose pages are opened one after the other.
pub(crate) const MOST_PAGES: usize = 16;

pub(crate) struct State {
    /// The program has started it. Others belong to a library, and count as inside of MPI.
    is_programs: Cell<bool>,
    /// Calls of MPI under way.
    depth: Cell<u32>,
    /// Stack pointer of the outermost of them.
    outermost: Cell<u64>,
    /// It has opened memory for the library or for the kernel, and is counted for that.
    has_opened: Cell<bool>,
    /// It may access pages with the key, until it leaves MPI.
    uses_key: Cell<bool>,
    /// Pages that are open until the next trap.
    pub(crate) stepping: [Cell<u64>; MOST_PAGES],
    pub(crate) steps: Cell<usize>,
    /// The thread may access pages with the key until then.
    pub(crate) steps_by_key: Cell<bool>,
    /// When the first of them was opened.
    pub(crate) since: Cell<u64>,
    /// The last fault that nothing explained: instruction and address.
    pub(crate) unexplained: Cell<(u64, u64)>,
}

thread_local! {
    // Constant and without a destructor, so that handlers may use it: nothing is allocated.
    static STATE: State = const {
        State {
            is_programs: Cell::new(false),
            depth: Cell::new(0),
            outermost: Cell::new(0),
            has_opened: Cell::new(false),
            uses_key: Cell::new(false),
            stepping: [const { Cell::new(0) }; MOST_PAGES],
            steps: Cell::new(0),
            steps_by_key: Cell::new(false),
            since: Cell::new(0),
            unexplained: Cell::new((0, 0)),
        }
    };
}

/// Threads of the program that live.
static PROGRAMS: AtomicU32 = AtomicU32::new(0);

pub(crate) fn with<T>(f: impl FnOnce(&State) -> T) -> T {
    STATE.with(f)
}

/// The library was loaded: by the first thread.
pub(crate) fn first() {
    STATE.with(|state| state.is_programs.set(true));
    PROGRAMS.fetch_add(1, Ordering::SeqCst);
    place::is_first_thread();
    place::own_stack().and_then(|stack| place::add_stack(&stack));
}

/// A thread begins, which the program (or a library) has started.
pub(crate) fn begins(is_programs: bool) {
    thread_local! {
        static OWN_STACK: OwnStack = OwnStack(place::own_stack().and_then(|stack| place::add_stack(&stack)));
    }
    STATE.with(|state| state.is_programs.set(is_programs));
    if is_programs {
        PROGRAMS.fetch_add(1, Ordering::SeqCst);
        backstop::begins();
        edges::drop_for_several();
    } else {
        backstop::begins_in_library();
    }
    OWN_STACK.with(|_| ());
}

/// The place of a thread's stack in the list of all, as long as the thread lives.
struct OwnStack(Option<usize>);

impl Drop for OwnStack {
    fn drop(&mut self) {
        self.0.into_iter().for_each(place::remove_stack);
        backstop::ends_in_library();
        if STATE.with(|state| state.is_programs.get()) {
            PROGRAMS.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// Does something as if the thread were not inside of MPI.
pub(crate) fn as_program<T>(f: impl FnOnce() -> T) -> T {
    let depth = STATE.with(|state| state.depth.replace(0));
    let result = f();
    STATE.with(|state| state.depth.set(depth));
    result
}

/// Does the program have this thread alone?
pub(crate) fn is_only_one() -> bool {
    STATE.with(|state| state.is_programs.get()) && PROGRAMS.load(Ordering::SeqCst) == 1
}

/// Does the stack on which the program has called MPI lie there?
pub(crate) fn is_stack_near(range: &Range<u64>) -> bool {
    STATE.with(|state| state.depth.get() > 0 && range.contains(&state.outermost.get()))
}

/// Does what the thread does count as MPI's?
pub(crate) fn is_inside() -> bool {
    STATE.with(|state| state.depth.get() > 0 || !state.is_programs.get())
}

/// Memory was opened: it stays open until the thread leaves MPI. Threads of libraries never leave; they are not counted.
pub(crate) fn opens() {
    STATE.with(|state| {
        if state.depth.get() > 0 && !state.has_opened.replace(true) {
            table::begin_opening();
        }
    });
}

/// The thread may access pages with the key until it leaves MPI; threads of libraries never do.
pub(crate) fn may_use_key() {
    STATE.with(|state| state.uses_key.set(state.depth.get() > 0));
}

/// All memory was opened, for something that nobody sees the end of: until the thread leaves MPI for the next time.
pub(crate) fn opens_until_mpi() {
    STATE.with(|state| {
        if !state.has_opened.replace(true) {
            table::begin_opening();
        }
    });
}

pub(crate) extern "C" fn enter(stack_pointer: u64) -> u32 {
    backstop::enters();
    STATE.with(|state| {
        let before = state.depth.get();
        // The stack grows downwards: a call from above the outermost one comes after a jump out of that.
        if before > 0 && stack_pointer < state.outermost.get() {
            state.depth.set(before.saturating_add(1));
            return before;
        }
        if before > 0 {
            close(state);
        }
        state.outermost.set(stack_pointer);
        state.depth.set(1);
        if table::open_windows() && state.has_opened.replace(true) {
            table::end_opening();
        }
        0
    })
}

pub(crate) extern "C" fn leave(before: u32) {
    STATE.with(|state| {
        if before == 0 {
            close(state);
        }
        state.depth.set(before);
    });
    backstop::block();
}

fn close(state: &State) {
    if state.uses_key.replace(false) {
        keys::deny();
    }
    if state.has_opened.replace(false) {
        table::end_opening();
    } else {
        table::close_if_left_open();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_out_of_mpi_is_noticed_by_the_next_call() {
        first();
        assert!(!is_inside());
        let outer = enter(1000);
        assert_eq!((outer, is_inside()), (0, true));
        let inner = enter(900);
        assert_eq!(inner, 1);
        leave(inner);
        assert!(is_inside());
        // It never returns, and the next call comes from further up.
        assert_eq!(enter(1100), 0);
        leave(0);
        assert!(!is_inside());
        std::thread::spawn(|| assert!(is_inside(), "nobody has said that the thread is the program's")).join().unwrap();
    }
}
