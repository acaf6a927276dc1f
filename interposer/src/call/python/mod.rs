//! Where a Python program is. Python functions that call each other share one C stack, so a call site of such a program
//! is the C stack together with the interpreter's own frames of the calling thread.
//!
//! MPI is called with the GIL released, so no function of the interpreter that needs it may be called. It is not needed:
//! the frames of a thread, and the code objects that they hold, do not change while the thread is inside of an MPI call.
//! They are read where they lie. What cannot be read that way (another version of CPython, another build) gives no
//! frames, and call sites are C stacks as everywhere else. So are those of what runs while the interpreter shuts down.

mod arguments;
mod arrays;
mod elements;
mod find;
mod layout;
mod objects;
mod source;

use crate::call::info::Info;
use crate::call::sites;
use crate::debuggers::queues;
use crate::mpi::words::Words;
pub(crate) use find::look;
use layout::Layout;
use recorder::trace;
use rustc_hash::FxHashMap;
use source::Memory;
pub(crate) use source::Source;
use std::cell::OnceCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};
use trace_format::definition::{Definition, Id};

const ENTRIES: usize = 4096;

type IsInitialized = unsafe extern "C" fn() -> c_int;
type ThreadState = unsafe extern "C" fn() -> *const c_void;

/// The interpreter of this process.
struct Interpreter {
    layout: Layout,
    is_initialized: IsInitialized,
    thread_state: ThreadState,
    /// `&PyCode_Type`: the type of what frames execute.
    code_type: u64,
}

/// Set once an interpreter is found whose frames can be read; never freed.
static INTERPRETER: AtomicPtr<Interpreter> = AtomicPtr::new(std::ptr::null_mut());

#[inline(always)]
fn interpreter() -> Option<&'static Interpreter> {
    // SAFETY: the pointer is null or that of a leaked box.
    unsafe { INTERPRETER.load(Ordering::Acquire).as_ref() }
}

/// Is there an interpreter whose frames are parts of call sites?
pub(crate) fn is_there() -> bool {
    interpreter().is_some()
}

/// A frame of the interpreter: its code object, the instruction it is at, and what tells the code object from another
/// one that may lie at the same address later.
#[derive(Clone, Copy)]
struct Frame {
    address: u64,
    code: u64,
    instruction: u64,
    mark: u64,
}

/// A word of the interpreter's memory.
///
/// # Safety
/// `base` is an object of the interpreter that the calling thread keeps alive, and its field of 8 bytes lies at `offset`.
#[inline(always)]
unsafe fn field(base: u64, offset: u64) -> u64 {
    // SAFETY: the caller vouches for the object.
    unsafe { (base.wrapping_add(offset) as *const u64).read_unaligned() }
}

impl Interpreter {
    /// The state that the interpreter keeps of this thread; 0 if it knows nothing of it.
    #[inline(always)]
    fn thread(&self) -> u64 {
        // SAFETY: neither function needs the GIL: the first reads a flag, the second a thread-specific key. The key
        // exists while the interpreter is initialized.
        unsafe { if (self.is_initialized)() == 0 { 0 } else { (self.thread_state)() as u64 } }
    }

    /// Hands the frames of this thread to `each`, innermost first.
    #[inline(always)]
    fn walk(&self, depth: usize, mut each: impl FnMut(Frame)) {
        let l = &self.layout;
        let thread = self.thread();
        if thread == 0 {
            return;
        }
        // SAFETY: the thread's state, its frames and their code objects live while the thread is in this call, and the
        // offsets were tried on the frames of this process when the interpreter was found. The mark of a code object is
        // in its table of lines, a bytes object: its first word of data is part of the object, however short it is.
        unsafe {
            let mut frame = match l.cframe {
                Some(offset) => match field(thread, offset) {
                    0 => 0,
                    cframe => field(cframe, l.current_frame),
                },
                None => field(thread, l.current_frame),
            };
            let mut left = depth;
            // Frames of the C stack are not shown and not counted; there is one for each entry into the interpreter.
            for _ in 0..4 * depth {
                if frame == 0 || left == 0 {
                    break;
                }
                let code = field(frame, l.executable);
                let owner = (frame.wrapping_add(l.owner) as *const u8).read();
                if owner != layout::OWNED_BY_C_STACK && code != 0 && field(code, l.object_type) == self.code_type {
                    let lines = field(code, l.linetable);
                    let mark = field(code, l.filename).rotate_left(17)
                        ^ lines.rotate_left(41)
                        ^ field(lines, l.bytes_size).rotate_left(7)
                        ^ field(lines, l.bytes_data)
                        ^ u64::from(field(code, l.firstlineno) as u32);
                    each(Frame { address: frame, code, instruction: field(frame, l.instruction), mark });
                    left -= 1;
                }
                frame = field(frame, l.previous);
            }
        }
    }
}

/// A call whose place is asked for.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a> {
    pub(crate) info: &'a Info,
    pub(crate) words: &'a Words,
    /// Where the call returns to.
    pub(crate) return_address: u64,
}

/// Call sites of one thread that were seen before, by a hash of the C stack and the interpreter's frames.
pub(crate) struct Cache {
    seen: Vec<(u64, Id)>,
    depth: usize,
}

impl Cache {
    pub(crate) fn new(depth: usize) -> Cache {
        Cache { seen: Vec::new(), depth }
    }

    /// The number of the call site with this C stack and the frames that the thread has now.
    #[inline(always)]
    pub(crate) fn site(&mut self, stack: Id, call: Arguments) -> Id {
        match interpreter() {
            Some(python) => self.with_frames(python, stack, call.info, call.words, call.return_address),
            None => stack,
        }
    }

    /// The parts of the call one by one, so that they are in registers.
    #[inline(never)]
    fn with_frames(&mut self, python: &Interpreter, stack: Id, info: &Info, words: &Words, return_address: u64) -> Id {
        let start = u64::from(stack) ^ 0x9e37_79b9_7f4a_7c15;
        let mut hash = start;
        python.walk(self.depth, |frame| {
            hash = mixed(hash ^ frame.code, 0xe703_7ed1_a0b4_28db);
            hash = mixed(hash ^ frame.instruction, 0x8ebc_6af0_9c88_c6e3);
            hash = mixed(hash ^ frame.mark, 0x5899_65cc_7537_4cc3);
        });
        if hash == start {
            return stack;
        }
        let place = (hash >> 52) as usize % ENTRIES;
        match self.seen.get(place) {
            Some((known, id)) if *known == hash => *id,
            _ => self.unseen(python, stack, (hash, place), Arguments { info, words, return_address }),
        }
    }

    #[cold]
    #[inline(never)]
    fn unseen(&mut self, python: &Interpreter, stack: Id, (hash, place): (u64, usize), call: Arguments) -> Id {
        let (id, is_new) = intern(python, &frames(python, self.depth), stack);
        if is_new {
            arrays::note(python, id, call);
        }
        if self.seen.is_empty() {
            self.seen = vec![(0, 0); ENTRIES];
        }
        if let Some(entry) = self.seen.get_mut(place) {
            *entry = (hash, id);
        }
        id
    }
}

/// Both halves of the product, folded: every bit of the factors reaches every bit of the result.
#[inline(always)]
fn mixed(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

/// The thread's frames, innermost first.
fn frames(python: &Interpreter, depth: usize) -> Vec<Frame> {
    let mut frames = Vec::with_capacity(depth);
    python.walk(depth, |frame| frames.push(frame));
    frames
}

/// Is a place between an import statement and the module that it runs? It is not the program's, and left out of Python's
/// tracebacks too.
fn is_of_import(source: &Source) -> bool {
    source.file.starts_with("<frozen importlib")
}

/// The place in the source that this thread is at.
pub(crate) fn here() -> Option<Source> {
    let python = interpreter()?;
    let (frames, memory) = (frames(python, 8), Memory::open()?);
    let mut all = frames.iter().filter_map(|frame| source::of(&memory, &python.layout, frame));
    all.find(|source| !is_of_import(source))
}

/// The innermost place of a call site in a Python program. Slow.
pub(crate) fn place(site: Id) -> Option<Source> {
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let Known { sources, stacks, .. } = known.as_ref()?;
    let ((_, places), _) = stacks.iter().find(|(_, id)| **id == site)?;
    let first = *places.first()?;
    sources.iter().find(|(_, id)| **id == first).map(|(source, _)| source.clone())
}

/// The instruction that a frame is at: its code object with the mark, and its address.
type At = (u64, u64, u64);

#[derive(Default)]
struct Known {
    /// Places in the source by instructions, 0 for those of imports. Programs come to a place on many ways, each of which is a call
    /// site of its own, and to read the objects of the interpreter takes a hundred system calls.
    places: FxHashMap<At, Id>,
    sources: FxHashMap<Source, Id>,
    /// Names of these for debuggers, in the order of their numbers, which begin with 1.
    labels: Vec<String>,
    stacks: FxHashMap<(Id, Box<[Id]>), Id>,
}

/// More places are not kept by their instructions: a program may make functions for ever.
const MAX_PLACES: usize = 1 << 16;

impl Known {
    /// The number of the place that a frame is at, 0 for none that is shown; a new one is defined. `None`: it cannot be read.
    fn place(
        &mut self,
        frame: &Frame,
        read: impl FnOnce() -> Option<Source>,
        definitions: &mut Vec<Definition>,
    ) -> Option<Id> {
        let at = (frame.code, frame.mark, frame.instruction);
        if let Some(id) = self.places.get(&at) {
            return Some(*id);
        }
        let source = read()?;
        let id = match self.sources.get(&source) {
            _ if is_of_import(&source) => 0,
            Some(id) => *id,
            None => {
                let id = self.sources.len() as Id + 1;
                let Source { file, function, line } = source.clone();
                definitions.push(Definition::Source { id, file, function, line });
                let name = source.file.rsplit('/').next().unwrap_or(&source.file);
                self.labels.push(format!("{name}:{} in {}", source.line, source.function));
                self.sources.insert(source, id);
                id
            }
        };
        if self.places.len() >= MAX_PLACES {
            self.places.clear();
        }
        self.places.insert(at, id);
        Some(id)
    }
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// The number of the places that these frames are at with this C stack below them; a new one is written to the trace. Is it new?
fn intern(python: &Interpreter, frames: &[Frame], stack: Id) -> (Id, bool) {
    let Some(trace) = trace::get() else { return (stack, false) };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    let (mut definitions, mut ids) = (Vec::new(), Vec::with_capacity(frames.len()));
    let memory = OnceCell::new();
    for frame in frames {
        let read = || source::of(memory.get_or_init(Memory::open).as_ref()?, &python.layout, frame);
        ids.extend(known.place(frame, read, &mut definitions).filter(|id| *id != 0));
    }
    let Some(first) = ids.first().copied() else { return (stack, false) };
    let ids = ids.into_boxed_slice();
    if let Some(id) = known.stacks.get(&(stack, ids.clone())) {
        return (*id, false);
    }
    let id = sites::next_id();
    let interpreter = python.thread_state as *const () as u64;
    definitions.splice(0..0, sites::new_modules(&[interpreter]));
    definitions.push(Definition::SourceStack { id, sources: ids.to_vec(), stack, interpreter });
    trace.define(&definitions);
    if let Some(label) = known.labels.get(first as usize - 1) {
        queues::name_site(id, label);
    }
    known.stacks.insert((stack, ids), id);
    (id, true)
}
