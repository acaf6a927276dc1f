//! Call sites: the call stack behind a call as a small number. A stack seen before is recognized by return address
//! and stack pointer, and verified against the stack's own slots, so that the unwinder runs only for new ones.

use crate::call::caller::Callers;
use crate::call::info::Info;
use crate::call::python;
use crate::call::seen::Seen;
use crate::debuggers::queues;
use crate::mpi::origin::Origin;
use crate::mpi::words::Words;
use dashmap::DashMap;
use recorder::modules;
use recorder::trace;
use recorder::unwind::{self, Frame, Walker};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::{SmallVec, smallvec};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex};
use trace_format::definition::{Definition, Id};
use trace_format::mpi::Function;

static UNLOADINGS: AtomicU32 = AtomicU32::new(0);

/// How often something may have been unloaded.
#[inline(always)]
fn unloadings() -> u32 {
    UNLOADINGS.load(Ordering::Relaxed)
}

/// Something may have been unloaded: stacks with addresses in it are forgotten.
pub(crate) fn are_forgotten() {
    UNLOADINGS.fetch_add(1, Ordering::Relaxed);
}

/// Not an event: the MPI library called one of its own functions, or a language binding does so to prepare a call.
const NESTED: Id = Id::MAX;

/// Frames of language bindings and tools that are walked through besides the program's.
const EXTRA_FRAMES: usize = 3;
/// Places for return addresses of calls that are no events.
const NESTED_ADDRESSES: usize = 64;

/// How a call came in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub(crate) return_address: u64,
    /// As it was before the call.
    pub(crate) stack_pointer: u64,
}

/// Where a call comes from.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) stack: Id,
    /// The origin of the code that has called the entry point.
    pub(crate) caller: Origin,
    /// Another tool calls for itself.
    pub(crate) for_tool: bool,
}

impl Site {
    /// Does a language binding call for the program?
    #[inline(always)]
    pub(crate) fn is_by_binding(self) -> bool {
        self.caller == Origin::Binding
    }

    /// Is it no call of the program?
    #[inline(always)]
    pub(crate) fn is_nested(self) -> bool {
        self.stack == NESTED
    }
}

/// Stacks that one thread has seen.
pub(crate) struct Cache {
    seen: Seen,
    depth: usize,
    /// The number of unloadings when the stacks were seen.
    unloadings: u32,
    walker: Walker,
    callers: Callers,
    python: python::Cache,
    frames: Frames,
    /// Return addresses of calls that are no events, whatever the stack behind them: see [`Cache::is_nested_anyway`].
    nested: [u64; NESTED_ADDRESSES],
}

impl Cache {
    pub(crate) fn new(thread: u16, depth: usize) -> Cache {
        Cache {
            seen: Seen::new(),
            depth,
            unloadings: unloadings(),
            walker: Walker::default(),
            callers: Callers::default(),
            python: python::Cache::new(depth),
            frames: Frames { thread, known: FxHashMap::default() },
            nested: [0; NESTED_ADDRESSES],
        }
    }

    /// The place of a call. In a Python program it is the stack together with the lines that the Python functions
    /// are at.
    #[inline(always)]
    pub(crate) fn site(&mut self, arrival: Arrival, info: &Info, words: &Words) -> Site {
        let Arrival { return_address, stack_pointer } = arrival;
        let site = self.native(return_address, stack_pointer, info.row);
        if site.is_nested() {
            let whatever_is_behind =
                site.caller == Origin::Internal || site.caller == Origin::Binding && info.is_conversion;
            if whatever_is_behind {
                self.note_nested(return_address, site.caller);
            }
            return site;
        }
        let call = python::Arguments { info, words, return_address };
        Site { stack: self.python.site(site.stack, call), ..site }
    }

    /// Is a call from this address known to be no event? It is the library that calls, or a language binding for a conversion
    /// of its own, as those of Fortran do several times a call.
    #[inline(always)]
    pub(crate) fn is_nested_anyway(&self, return_address: u64, info: &Info) -> bool {
        let known = self.nested.get(nested_place(return_address)).copied().unwrap_or(0);
        let of_all = known == nested_anyway(return_address, Origin::Internal);
        let is_it = of_all || info.is_conversion && known == nested_anyway(return_address, Origin::Binding);
        is_it && self.unloadings == unloadings()
    }

    /// A call from this address was no event.
    fn note_nested(&mut self, return_address: u64, caller: Origin) {
        if let Some(place) = self.nested.get_mut(nested_place(return_address)) {
            *place = nested_anyway(return_address, caller);
        }
    }

    #[inline(always)]
    fn native(&mut self, return_address: u64, stack_pointer: u64, row: &Function) -> Site {
        if self.unloadings != unloadings() {
            self.forget();
        }
        // SAFETY: the stack pointer is that of a call of this thread.
        match unsafe { self.seen.find(return_address, stack_pointer) } {
            Some(site) => site,
            None => self.unseen(return_address, stack_pointer, row),
        }
    }

    /// The slots to look for on the stack of a call whose place was just asked for, if they tell the place.
    pub(crate) fn slots(&self, arrival: Arrival) -> Option<Slots> {
        let pairs = self.seen.last(arrival)?;
        if python::is_there() { None } else { Slots::of(arrival, pairs) }
    }

    /// A module was unloaded: other code may lie where it lay, and call from the same addresses.
    #[cold]
    #[inline(never)]
    fn forget(&mut self) {
        self.unloadings = unloadings();
        self.seen = Seen::new();
        self.nested = [0; NESTED_ADDRESSES];
        self.walker.forget();
        self.callers.forget();
    }

    #[cold]
    #[inline(never)]
    fn unseen(&mut self, return_address: u64, stack_pointer: u64, row: &Function) -> Site {
        python::look();
        let mut walk = unwind(&mut self.walker, return_address, self.depth + EXTRA_FRAMES);
        let all = walk.addresses();
        let innermost = |most: usize| all.get(..most).unwrap_or(&all);
        let caller = self.callers.caller(innermost(self.depth), row);
        let kept = self.depth + caller.frames.min(EXTRA_FRAMES);
        let addresses = innermost(kept);
        // Where the program's own frames lie too deep, those of the binding are better than none.
        let frames = addresses.get(caller.frames..).filter(|f| !f.is_empty()).unwrap_or(addresses);
        let stack = if caller.nested { NESTED } else { intern(frames) };
        if !caller.nested && walk.exact && self.frames.are_of_use(stack) {
            let own = walk.pairs.get(addresses.len() - frames.len()..).unwrap_or(&[]);
            self.frames.note(stack, stack_pointer, own);
        }
        walk.pairs.truncate(kept);
        let site = Site { stack, caller: caller.origin, for_tool: caller.for_tool };
        match walk.exact {
            true => self.seen.add((return_address, stack_pointer), site, &walk.pairs),
            // A stack whose slots cannot be verified is never found again.
            false => self.seen.has_no_last(),
        }
        site
    }
}

/// Where the stacks lie that one thread has made calls from.
struct Frames {
    thread: u16,
    /// A number for where the calls had it; [`Frames::SEVERAL`].
    known: FxHashMap<Id, u64>,
}

impl Frames {
    /// It was not always there.
    const SEVERAL: u64 = u64::MAX;

    /// Would it be of use to know where the stack of another call lies?
    fn are_of_use(&self, stack: Id) -> bool {
        self.known.get(&stack) != Some(&Frames::SEVERAL)
    }

    /// A call had this stack pointer, and return addresses at these places. Written down at the first one, and when it is no
    /// longer the only one.
    fn note(&mut self, stack: Id, stack_pointer: u64, pairs: &[(u64, u64)]) {
        let fold = |all: u64, pair: &(u64, u64)| (all ^ pair.0).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let place = pairs.iter().fold(stack_pointer, fold) >> 1;
        let slots = match self.known.get_mut(&stack) {
            Some(known) if *known == place || *known == Frames::SEVERAL => return,
            Some(known) => {
                *known = Frames::SEVERAL;
                Vec::new()
            }
            None => {
                self.known.insert(stack, place);
                pairs.iter().map(|(slot, _)| *slot).collect()
            }
        };
        let Some(trace) = trace::get() else { return };
        trace.define(&[Definition::Frames { stack, thread: self.thread, slots }]);
    }
}

#[inline(always)]
fn nested_place(return_address: u64) -> usize {
    (return_address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - NESTED_ADDRESSES.ilog2())) as usize
}

/// An address, and whether all its calls are no events or only conversions. Addresses of programs have 48 bits.
#[inline(always)]
fn nested_anyway(return_address: u64, caller: Origin) -> u64 {
    return_address << 1 | u64::from(caller == Origin::Internal)
}

/// Return addresses behind that of the call, with the default depth.
pub(super) const USUAL: usize = 7;

/// Slots of one stack: bytes between the slot of the call's return address and the others, and what they hold.
#[derive(Clone, Copy, Default)]
pub(crate) struct Slots {
    offsets: [u32; USUAL],
    addresses: [u64; USUAL],
    /// Is there more than the return address itself?
    are_any: bool,
}

impl Slots {
    /// `pairs`: where return addresses lie, and what they are. `None` if they are too many, or lie too far away.
    pub(crate) fn of(arrival: Arrival, pairs: &[(u64, u64)]) -> Option<Slots> {
        let Arrival { return_address, stack_pointer } = arrival;
        if pairs.len() > USUAL {
            return None;
        }
        // Missing slots repeat the return address.
        let mut slots = Slots { offsets: [0; USUAL], addresses: [return_address; USUAL], are_any: !pairs.is_empty() };
        for (place, (slot, address)) in slots.offsets.iter_mut().zip(&mut slots.addresses).zip(pairs) {
            *place.0 = u32::try_from(slot.checked_sub(stack_pointer.wrapping_sub(8))?).ok()?;
            *place.1 = *address;
        }
        Some(slots)
    }

    /// Are the addresses where they were?
    ///
    /// # Safety
    /// A call of this thread has this stack pointer, as the one had whose slots these are.
    #[inline(always)]
    #[expect(clippy::indexing_slicing, reason = "the loop ends where both arrays end; iterators may cost a call")]
    pub(crate) unsafe fn are_there(&self, stack_pointer: u64) -> bool {
        if !self.are_any {
            return true;
        }
        let first = stack_pointer.wrapping_sub(8);
        // By number: with two iterators CI's build, which is not optimized as a whole, may call a function for each call.
        for i in 0..USUAL {
            let slot = (first + u64::from(self.offsets[i])) as *const u64;
            // SAFETY: the functions below this slot are those that were there before, with their frames, so that this one is in
            // the frame of a function that has not returned. (The stack may be another one, and shorter.)
            if unsafe { *slot } != self.addresses[i] {
                return false;
            }
        }
        true
    }
}

static STACKS: LazyLock<DashMap<Box<[u64]>, Id, FxBuildHasher>> = LazyLock::new(DashMap::default);
static NEXT: AtomicU32 = AtomicU32::new(1);
/// The number of unloadings (see [`unloadings`]) before stacks with what is gone were last taken out; one that never was.
static LOOKED: AtomicU32 = AtomicU32::new(u32::MAX);
static MODULES: Mutex<Written> = Mutex::new(Written { changes: (0, 0), modules: Vec::new(), unloaded: Vec::new() });

/// The modules that were written down.
struct Written {
    /// When the modules were looked at.
    changes: modules::Changes,
    /// Modules that were loaded then.
    modules: Vec<modules::Loaded>,
    /// Stacks with addresses in modules that were unloaded since.
    unloaded: Vec<(Id, Box<[u64]>)>,
}

impl Written {
    /// Looks at the modules again. What is new among them.
    fn look(&mut self, changes: modules::Changes) -> Vec<modules::Loaded> {
        self.changes = changes;
        let now = modules::loaded();
        let (before, now) = (std::mem::replace(&mut self.modules, now), &self.modules);
        let gone: Vec<_> = before.iter().filter(|m| !now.iter().any(|n| n.is_same(m))).collect();
        if !gone.is_empty() {
            // The next stack with the same addresses is another one.
            STACKS.retain(|frames, id| {
                let stays = !frames.iter().any(|a| gone.iter().any(|m| (m.start..m.end).contains(a)));
                if !stays {
                    self.unloaded.push((*id, frames.clone()));
                }
                stays
            });
        }
        now.iter().filter(|n| !before.iter().any(|m| n.is_same(m))).cloned().collect()
    }
}

/// A number for a call site that has none yet.
pub(crate) fn next_id() -> Id {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The number of a stack; a new one is written to the trace.
pub(crate) fn intern(frames: &[u64]) -> Id {
    let nothing_is_gone = LOOKED.load(Ordering::Relaxed) == unloadings();
    if nothing_is_gone && let Some(id) = STACKS.get(frames) {
        return *id;
    }
    // Modules first: those that are gone take their stacks with them.
    let mut definitions = new_modules(frames);
    let Some(trace) = trace::get() else { return 0 };
    let was_looked_for = nothing_is_gone && definitions.is_empty();
    if !was_looked_for && let Some(id) = STACKS.get(frames) {
        if !definitions.is_empty() {
            trace.define(&definitions);
        }
        return *id;
    }
    let id = next_id();
    definitions.push(Definition::Stack { id, frames: frames.to_vec() });
    trace.define(&definitions);
    if let Some(at) = frames.first() {
        queues::name_site(id, &place(*at));
    }
    STACKS.insert(frames.into(), id);
    id
}

/// A return address as `MODULE+0xOFFSET`, the offset as the module's file has it.
fn place(address: u64) -> String {
    let known = MODULES.lock().unwrap_or_else(|e| e.into_inner());
    match known.modules.iter().find(|m| (m.start..m.end).contains(&address)) {
        Some(m) => format!("{}+{:#x}", m.path.rsplit('/').next().unwrap_or(""), address.wrapping_sub(m.bias)),
        None => format!("{address:#x}"),
    }
}

/// The return addresses of a stack, innermost first; empty if there is no such stack. Slow.
pub(crate) fn frames(stack: Id) -> Vec<u64> {
    let known = STACKS.iter().find(|entry| *entry.value() == stack).map(|entry| entry.key().to_vec());
    known.unwrap_or_else(|| {
        let written = MODULES.lock().unwrap_or_else(|e| e.into_inner());
        let unloaded = written.unloaded.iter().find(|(id, _)| *id == stack);
        unloaded.map_or(Vec::new(), |(_, frames)| frames.to_vec())
    })
}

/// Definitions of modules that are not known yet, if there are such or if one of these addresses is in none that is.
pub(crate) fn new_modules(addresses: &[u64]) -> Vec<Definition> {
    let mut written = MODULES.lock().unwrap_or_else(|e| e.into_inner());
    let covers = |a: &u64| written.modules.iter().any(|m| (m.start..m.end).contains(a));
    let (unloadings, changes) = (unloadings(), modules::changes());
    // A module that only came need not be told before it calls.
    let are_known = changes.1 == written.changes.1 && addresses.iter().all(covers);
    let new = if are_known { Vec::new() } else { written.look(changes) };
    LOOKED.store(unloadings, Ordering::Relaxed);
    new.iter().map(|m| Definition::Module(m.definition())).collect()
}

/// A walk up the stack.
struct Walk {
    return_address: u64,
    /// Every return address was where the unwinder's frame layout says.
    exact: bool,
    /// (slot on the stack, return address in it)
    pairs: SmallVec<[(u64, u64); 12]>,
}

impl Walk {
    /// The return addresses, innermost first; at least that of the call.
    fn addresses(&self) -> SmallVec<[u64; 12]> {
        match self.pairs.is_empty() {
            true => smallvec![self.return_address],
            false => self.pairs.iter().map(|p| p.1).collect(),
        }
    }

    /// Takes the next return address: does the walk go on? Frames of mpivet itself come first; they are skipped.
    fn take(&mut self, depth: usize, slot: u64, address: u64) -> bool {
        if self.pairs.is_empty() && address != self.return_address {
            return true;
        }
        if self.pairs.len() < depth {
            self.pairs.push((slot, address));
        }
        self.pairs.len() < depth
    }
}

/// Walks by rules that are known, or by the system's unwinder where some function has none.
fn unwind(walker: &mut Walker, return_address: u64, depth: usize) -> Walk {
    let mut walk = Walk { return_address, exact: true, pairs: SmallVec::new() };
    if walker.walk(|slot, address| walk.take(depth, slot, address)) && !walk.pairs.is_empty() {
        return walk;
    }
    walk.pairs.clear();
    unwind::walk(|Frame { address, stack_pointer, .. }| {
        let slot = stack_pointer.wrapping_sub(8);
        if address != 0 && (!walk.pairs.is_empty() || address == return_address) {
            // SAFETY: the stack pointer of a frame being unwound lies within the stack, 8 above the slot.
            walk.exact &= unsafe { *(slot as *const u64) } == address;
        }
        address != 0 && walk.take(depth, slot, address)
    });
    walk.exact &= !walk.pairs.is_empty();
    walk
}

/// Return addresses of this thread's stack as it is now, innermost first.
pub(crate) fn here() -> Vec<u64> {
    let mut all: Vec<u64> = Vec::new();
    unwind::walk(|frame| {
        all.push(frame.address);
        all.len() < 64
    });
    all
}
