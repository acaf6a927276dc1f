//! Call sites: the call stack behind a call as a small number. A stack seen before is recognized by return address
//! and stack pointer, and verified against the stack's own slots, so that the unwinder runs only for new ones.

use crate::{modules, python, trace};
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex};
use trace_format::definition::{Definition, Id};

/// Not an event: the MPI library called one of its own functions.
pub(crate) const NESTED: Id = Id::MAX;

const ENTRIES: usize = 1024;

/// A stack as it was seen: where its return addresses lay and what they were.
struct Seen {
    return_address: u64,
    stack_pointer: u64,
    id: Id,
    frames: u32,
    /// Start of this entry's (slot, address) pairs in [`Cache::pairs`].
    first: u32,
}

/// Stacks that one thread has seen.
pub(crate) struct Cache {
    seen: Vec<Seen>,
    pairs: Vec<(u64, u64)>,
    depth: usize,
    python: python::Cache,
}

impl Cache {
    pub(crate) fn new(depth: usize) -> Cache {
        let seen = (0..ENTRIES)
            .map(|i| Seen { return_address: 0, stack_pointer: 0, id: 0, frames: 0, first: (i * depth) as u32 })
            .collect();
        Cache { seen, pairs: vec![(0, 0); ENTRIES * depth], depth, python: python::Cache::new(depth) }
    }

    /// The number of the call site with this return address and stack pointer: that of its stack, and in a Python
    /// program of the lines that its functions are at.
    #[inline(always)]
    pub(crate) fn site(&mut self, return_address: u64, stack_pointer: u64) -> Id {
        match self.stack(return_address, stack_pointer) {
            NESTED => NESTED,
            stack => self.python.site(stack),
        }
    }

    /// The number of the stack of a call with this return address and stack pointer.
    #[inline(always)]
    fn stack(&mut self, return_address: u64, stack_pointer: u64) -> Id {
        let hash = (return_address ^ stack_pointer << 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        let Some(seen) = self.seen.get(hash as usize) else { return 0 };
        if seen.return_address == return_address && seen.stack_pointer == stack_pointer {
            let first = seen.first as usize;
            let pairs = self.pairs.get(first..first + seen.frames as usize).unwrap_or(&[]);
            // SAFETY: the slots lay on this thread's stack above the stack pointer of the call, which is the same
            // now; memory above the stack pointer in use is mapped.
            let changed =
                pairs.iter().fold(0, |bad, (slot, address)| bad | unsafe { *(*slot as *const u64) } ^ address);
            if changed == 0 {
                return seen.id;
            }
        }
        self.unseen(hash as usize, return_address, stack_pointer)
    }

    #[cold]
    #[inline(never)]
    fn unseen(&mut self, index: usize, return_address: u64, stack_pointer: u64) -> Id {
        python::look();
        let walk = unwind(return_address, self.depth);
        let addresses: Vec<u64> = match walk.pairs.is_empty() {
            true => vec![return_address],
            false => walk.pairs.iter().map(|p| p.1).collect(),
        };
        let id = if is_nested(return_address) { NESTED } else { intern(&addresses) };
        let Some(seen) = self.seen.get_mut(index) else { return id };
        let first = seen.first as usize;
        let verifiable = walk.exact && !walk.pairs.is_empty();
        // A stack whose slots cannot be verified is never found again.
        seen.return_address = if verifiable { return_address } else { 0 };
        seen.stack_pointer = stack_pointer;
        seen.id = id;
        seen.frames = walk.pairs.len() as u32;
        for (place, pair) in self.pairs.iter_mut().skip(first).zip(walk.pairs) {
            *place = pair;
        }
        id
    }
}

static STACKS: LazyLock<DashMap<Box<[u64]>, Id, FxBuildHasher>> = LazyLock::new(DashMap::default);
static NEXT: AtomicU32 = AtomicU32::new(1);
static MODULES: Mutex<Vec<modules::Loaded>> = Mutex::new(Vec::new());

/// A number for a call site that has none yet.
pub(crate) fn next_id() -> Id {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The number of a stack; a new one is written to the trace.
fn intern(frames: &[u64]) -> Id {
    if let Some(id) = STACKS.get(frames) {
        return *id;
    }
    let Some(trace) = trace::get() else { return 0 };
    let id = next_id();
    let mut definitions = new_modules(frames);
    definitions.push(Definition::Stack { id, frames: frames.to_vec() });
    trace.define(&definitions);
    STACKS.insert(frames.into(), id);
    id
}

/// Definitions of the modules that hold these addresses and are not known yet.
pub(crate) fn new_modules(addresses: &[u64]) -> Vec<Definition> {
    let mut known = MODULES.lock().unwrap_or_else(|e| e.into_inner());
    let covers = |known: &[modules::Loaded], a: &u64| known.iter().any(|m| (m.start..m.end).contains(a));
    if addresses.iter().all(|a| covers(&known, a)) {
        return Vec::new();
    }
    let fresh: Vec<modules::Loaded> = modules::loaded()
        .into_iter()
        .filter(|m| !known.iter().any(|k| k.start == m.start && k.end == m.end && k.path == m.path))
        .collect();
    known.extend(fresh.iter().cloned());
    fresh.iter().map(|m| Definition::Module(m.definition())).collect()
}

/// Does this return address lie in the MPI library or one of its components?
fn is_nested(return_address: u64) -> bool {
    modules::loaded().iter().any(|m| (m.start..m.end).contains(&return_address) && m.is_mpi_internal())
}

/// A walk up the stack.
struct Walk {
    /// Frames of mpivet itself come first; they are skipped until this return address.
    return_address: u64,
    found: bool,
    depth: usize,
    /// Every return address was where the unwinder's frame layout says.
    exact: bool,
    /// (slot on the stack, return address in it)
    pairs: Vec<(u64, u64)>,
}

fn unwind(return_address: u64, depth: usize) -> Walk {
    let mut walk = Walk { return_address, found: false, depth, exact: true, pairs: Vec::with_capacity(depth) };
    // SAFETY: the callback matches the unwinder's interface and `walk` outlives the call.
    unsafe { _Unwind_Backtrace(step, (&raw mut walk).cast()) };
    walk.exact &= walk.found;
    walk
}

const CONTINUE: c_int = 0;
const END_OF_STACK: c_int = 5;

unsafe extern "C" {
    fn _Unwind_Backtrace(step: unsafe extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
    fn _Unwind_GetCFA(context: *mut c_void) -> usize;
}

unsafe extern "C" fn step(context: *mut c_void, data: *mut c_void) -> c_int {
    // SAFETY: `unwind` passes a pointer to its walk; the context is valid during the callback.
    let (walk, ip, cfa) =
        unsafe { (&mut *data.cast::<Walk>(), _Unwind_GetIP(context) as u64, _Unwind_GetCFA(context) as u64) };
    if !walk.found && ip != walk.return_address {
        return CONTINUE;
    }
    walk.found = true;
    if walk.pairs.len() == walk.depth || ip == 0 {
        return END_OF_STACK;
    }
    let slot = cfa.wrapping_sub(8);
    // SAFETY: the canonical frame address of a frame being unwound lies within the stack, 8 above the slot.
    if unsafe { *(slot as *const u64) } != ip {
        walk.exact = false;
    }
    walk.pairs.push((slot, ip));
    CONTINUE
}

/// Return addresses of this thread's stack as it is now, innermost first.
pub(crate) fn here() -> Vec<u64> {
    // SAFETY: the callback matches the unwinder's interface and the vector outlives the call.
    unsafe extern "C" fn collect(context: *mut c_void, data: *mut c_void) -> c_int {
        // SAFETY: `here` passes a pointer to its vector; the context is valid during the callback.
        let (all, ip) = unsafe { (&mut *data.cast::<Vec<u64>>(), _Unwind_GetIP(context) as u64) };
        all.push(ip);
        if all.len() < 64 { CONTINUE } else { END_OF_STACK }
    }
    let mut all: Vec<u64> = Vec::new();
    // SAFETY: as above.
    unsafe { _Unwind_Backtrace(collect, (&raw mut all).cast()) };
    all
}
