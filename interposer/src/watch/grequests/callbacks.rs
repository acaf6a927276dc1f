//! The functions that the library is given in the place of the program's callbacks.

use super::{Answer, Grequest, all, of_state};
use crate::call::mode;
use crate::mpi::abi::Abi;
use crate::state::{interrupted, thread};
use crate::watch::checks::{Spot, grequest_misuse};
use std::cell::{Cell, RefCell};
use trace_format::callbacks::{Callback, Which};
use trace_format::mpi::{FnId, Status};
use trace_format::system::SystemEvent;

/// Our functions, in the order of the parameters of MPI_Grequest_start.
pub(super) const OURS: [fn() -> u64; 3] =
    [|| query as *const () as u64, || free as *const () as u64, || cancel as *const () as u64];

thread_local! {
    /// The things that a `query_fn` under way has set by calls: [`ELEMENTS`] and [`CANCELLED`].
    static SET: Cell<u8> = const { Cell::new(0) };
    /// Callbacks that returned errors, with the call that the library was in, for the message about that call's.
    static FAILED: RefCell<Vec<(u64, Which, i32)>> = const { RefCell::new(Vec::new()) };
}

const ELEMENTS: u8 = 1;
const CANCELLED: u8 = 2;

/// A call that sets a part of a status has succeeded.
pub(crate) fn sets_status(function: FnId) {
    let what = if function == FnId::MPI_Status_set_cancelled { CANCELLED } else { ELEMENTS };
    SET.set(SET.get() | what);
}

/// Which callbacks returned errors in this call, in words.
pub(crate) fn failures(call: u64) -> String {
    let failed = FAILED.with(|failed| failed.try_borrow_mut().map(|mut f| std::mem::take(&mut *f)).unwrap_or_default());
    failed
        .iter()
        .filter(|(index, ..)| *index == call)
        .take(4)
        .map(|(_, which, code)| format!("\n{} of a generalized request has returned the error {code}", which.name()))
        .collect()
}

type OfC = unsafe extern "C-unwind" fn(u64, u64) -> i32;
type OfFortran = unsafe extern "C-unwind" fn(u64, u64, u64);

impl Grequest {
    /// Calls a function of the program. `second` is its argument behind `extra_state`, if it has one; `ierror` is where
    /// Fortran wants the error code.
    fn call(&self, which: Which, second: Option<u64>, ierror: u64) -> i32 {
        let [query, free, cancel] = self.functions;
        let function = match which {
            Which::Query => query,
            Which::Free => free,
            Which::Cancel => cancel,
        };
        if !self.by_reference {
            // SAFETY: the program has passed this function to MPI_Grequest_start as one that takes these arguments;
            // superfluous ones are ignored by the calling convention.
            return unsafe { std::mem::transmute::<u64, OfC>(function)(self.extra_state, second.unwrap_or(0)) };
        }
        // SAFETY: as above, from Fortran.
        unsafe {
            let function = std::mem::transmute::<u64, OfFortran>(function);
            match second {
                Some(second) => function(self.extra_state, second, ierror),
                None => function(self.extra_state, ierror, 0),
            }
        }
        // SAFETY: the library passes the address of an INTEGER.
        if ierror == 0 { 0 } else { unsafe { (ierror as *const i32).read_unaligned() } }
    }

    /// Writes down that a callback has returned.
    fn record(&self, which: Which, complete: Option<bool>, status: Option<Status>, result: i32) {
        if result != 0 {
            let call = open_calls().map_or(u64::MAX, |spot| spot.call);
            FAILED.with(|failed| {
                if let Ok(mut failed) = failed.try_borrow_mut() {
                    failed.retain(|(index, ..)| *index == call);
                    failed.push((call, which, result));
                }
            });
        }
        let made = self.life().made;
        let (Some(made), Some(thread)) = (made, thread::existing().filter(|_| mode::is_recording())) else {
            return;
        };
        let request = (made.thread, made.call);
        let callback = Callback { which, request, extra_state: self.extra_state, complete, status, result };
        thread.with(|thread| thread.system(&SystemEvent::Callback(callback)));
    }
}

/// The call of this thread that the library is in.
fn open_calls() -> Option<Spot> {
    thread::existing()?.with(|thread| {
        let call = thread.open_calls.innermost()?;
        Some(Spot { call: call.index, site: call.site, func: call.func, thread: thread.number() })
    })
}

/// Runs our own code behind a callback: work for the call that the library is in.
fn guarded(f: impl FnOnce()) {
    let marked = thread::existing().and_then(|thread| {
        let is_entered = thread.with(|state| {
            let stack_pointer = state.open_calls.innermost()?.stack_pointer;
            let is_free = !interrupted::is_at_work(state);
            is_free.then(|| interrupted::enter(state, stack_pointer))
        });
        is_entered.map(|()| thread)
    });
    mode::guarded(f);
    if let Some(thread) = marked {
        thread.with(|thread| interrupted::leave(thread));
    }
}

extern "C-unwind" fn query(state: u64, status: u64, ierror: u64) -> i32 {
    let Some(request) = of_state(state) else { return 0 };
    let Some(abi) = crate::mpi::abi::current() else { return request.call(Which::Query, Some(status), ierror) };
    let outer = SET.replace(0);
    let sentinel = Sentinel::put(abi, status);
    let result = request.call(Which::Query, Some(status), ierror);
    let is_untouched = sentinel.is_untouched();
    drop(sentinel);
    let set = SET.replace(outer);
    guarded(|| {
        let left = (status >= abi.lowest_address).then(|| {
            // SAFETY: the library passes a valid status.
            abi.status(unsafe { std::slice::from_raw_parts(status as *const u8, abi.status_size()) })
        });
        // A whole status may be copied there.
        let is_copied = !is_untouched && set & ELEMENTS == 0;
        let answer = Answer { elements: !is_untouched, cancelled: set & CANCELLED != 0 || is_copied };
        let is_cancelled = answer.cancelled && left.is_some_and(|s| s.cancelled);
        request.record(Which::Query, None, left, result);
        let mut life = request.life();
        life.answer = Some(answer);
        let is_wrong = is_cancelled && life.cancelled_late && !life.cancelled && !life.is_told;
        life.is_told |= is_wrong;
        let known = *life;
        drop(life);
        if is_wrong && let Some((here, thread)) = open_calls().zip(thread::existing()) {
            thread.with(|thread| grequest_misuse::cancelled_when_complete(thread, here, &known));
        }
    });
    result
}

extern "C-unwind" fn free(state: u64, ierror: u64) -> i32 {
    let Some(request) = of_state(state) else { return 0 };
    let result = request.call(Which::Free, None, ierror);
    guarded(|| {
        request.record(Which::Free, None, None, result);
        let mut life = request.life();
        life.frees = life.frees.saturating_add(1);
        let known = *life;
        drop(life);
        match known.frees {
            1 if known.completed.is_some() => all().bury(state),
            1 => {}
            2 => {
                if let Some((here, thread)) = open_calls().zip(thread::existing()) {
                    thread.with(|thread| grequest_misuse::freed_twice(thread, here, &known));
                }
            }
            _ => {}
        }
    });
    result
}

extern "C-unwind" fn cancel(state: u64, complete: u64, ierror: u64) -> i32 {
    let Some(request) = of_state(state) else { return 0 };
    let is_complete = match request.by_reference {
        // SAFETY: the library passes the address of a LOGICAL.
        true => complete != 0 && unsafe { (complete as *const i32).read_unaligned() } != 0,
        false => complete as i32 != 0,
    };
    guarded(|| {
        let mut life = request.life();
        life.cancelled |= !is_complete;
        life.cancelled_late |= is_complete;
    });
    let result = request.call(Which::Cancel, Some(complete), ierror);
    guarded(|| request.record(Which::Cancel, Some(is_complete), None, result));
    result
}

/// A number in the count of the status that `query_fn` is given, by which it is known whether it has set the count. What
/// the status holds then is undefined, and what was there before is put back if it was not set.
struct Sentinel {
    abi: &'static Abi,
    status: u64,
    before: Option<u64>,
}

impl Sentinel {
    fn put(abi: &'static Abi, status: u64) -> Sentinel {
        let is_wanted = mode::is_recording() && grequest_misuse::is_on() && status >= abi.lowest_address;
        // SAFETY: the library passes a valid status.
        let before = is_wanted.then(|| unsafe { abi.count_at(status) }.replace(MARK));
        Sentinel { abi, status, before }
    }

    /// False if that is not known.
    fn is_untouched(&self) -> bool {
        // SAFETY: as above.
        self.before.is_some() && unsafe { self.abi.count_at(self.status) }.get() == MARK
    }
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        if let Some(before) = self.before
            && self.is_untouched()
        {
            // SAFETY: as above.
            unsafe { self.abi.count_at(self.status) }.replace(before);
        }
    }
}

/// No number of bytes that a program would set.
const MARK: u64 = 0x5b1d_9e37;
