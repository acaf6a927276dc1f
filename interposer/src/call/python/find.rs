//! Whether there is an interpreter in this process whose frames can be read.

use super::layout::{self, Layout};
use super::source::{self, Memory};
use super::{Frame, INTERPRETER, Interpreter, IsInitialized, ThreadState, interpreter};
use crate::mpi::changes;
use recorder::modules;
use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Set when there is an interpreter, and it is none whose frames can be read.
static UNREADABLE: AtomicBool = AtomicBool::new(false);

/// Looks for an interpreter if none is known. Called where a C stack is new: the one that comes from an interpreter is.
pub(crate) fn look() {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if interpreter().is_some() || UNREADABLE.load(Ordering::Relaxed) {
        return;
    }
    // A library that is loaded later may bring one; to look in all of them takes long.
    static ABSENT: AtomicU64 = AtomicU64::new(0);
    let loaded = modules::changes().0;
    if ABSENT.load(Ordering::Relaxed) == loaded {
        return;
    }
    let Some(get) = symbol(c"PyGILState_GetThisThreadState") else { return ABSENT.store(loaded, Ordering::Relaxed) };
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    if interpreter().is_some() {
        return;
    }
    let Some(found) = find(get) else { return UNREADABLE.store(true, Ordering::Relaxed) };
    match found.looks_right() {
        Some(true) => {
            INTERPRETER.store(Box::into_raw(Box::new(found.interpreter)), Ordering::Release);
            // From now on C stacks do not tell call sites.
            changes::happened_to_all();
        }
        Some(false) => UNREADABLE.store(true, Ordering::Relaxed),
        None => {}
    }
}

fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: the name is a C string; the lookup has no preconditions.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// An interpreter of a version whose layout is known, and what it takes to try that layout on this process.
struct Candidate {
    interpreter: Interpreter,
    memory: Memory,
    types: source::Types,
}

fn find(get: *mut c_void) -> Option<Candidate> {
    let memory = Memory::open()?;
    // `const unsigned long Py_Version`, since 3.11. Interpreters without it are older.
    let version = memory.word(symbol(c"Py_Version")? as u64)?;
    let layout = Layout::of(version, &memory, symbol(c"_PyRuntime")? as u64)?;
    let is_initialized = symbol(c"Py_IsInitialized")?;
    // SAFETY: both functions take nothing, and return an int and a pointer.
    let (is_initialized, thread_state) = unsafe {
        (
            std::mem::transmute::<*mut c_void, IsInitialized>(is_initialized),
            std::mem::transmute::<*mut c_void, ThreadState>(get),
        )
    };
    let interpreter = Interpreter { layout, is_initialized, thread_state, code_type: symbol(c"PyCode_Type")? as u64 };
    let types = source::Types { unicode: symbol(c"PyUnicode_Type")? as u64, bytes: symbol(c"PyBytes_Type")? as u64 };
    Some(Candidate { interpreter, memory, types })
}

impl Candidate {
    /// Are the thread's frames what the layout says? `None` for a thread that runs no Python code. Reads them through the
    /// kernel, so that a wrong guess is an error and not a fault.
    fn looks_right(&self) -> Option<bool> {
        let (memory, l) = (&self.memory, &self.interpreter.layout);
        let thread = match self.interpreter.thread() {
            0 => return None,
            thread => thread,
        };
        let current = || match l.cframe {
            Some(offset) => memory.word(memory.word(thread.wrapping_add(offset))?.wrapping_add(l.current_frame)),
            None => memory.word(thread.wrapping_add(l.current_frame)),
        };
        let mut frame = match current() {
            Some(0) => return None,
            Some(frame) => frame,
            None => return Some(false),
        };
        let mut good = 0;
        while frame != 0 && good < 3 {
            match self.previous_of(frame) {
                Some((is_python, previous)) => {
                    good += usize::from(is_python);
                    frame = previous;
                }
                None => return Some(false),
            }
        }
        Some(good > 0)
    }

    /// Does the frame run Python code, and which is the one before? `None` if it is not what it should be.
    fn previous_of(&self, frame: u64) -> Option<(bool, u64)> {
        let (memory, l) = (&self.memory, &self.interpreter.layout);
        let field = |offset: u64| memory.word(frame.wrapping_add(offset));
        let (code, instruction, previous) = (field(l.executable)?, field(l.instruction)?, field(l.previous)?);
        let owner = memory.byte(frame.wrapping_add(l.owner))?;
        let kind = memory.word(code.wrapping_add(l.object_type))?;
        if owner == layout::OWNED_BY_C_STACK || kind != self.interpreter.code_type {
            return Some((false, previous));
        }
        let there = Frame { address: frame, code, instruction, mark: 0 };
        let right = source::has_right_types(memory, l, &self.types, &there);
        (right && source::of(memory, l, &there).is_some()).then_some((true, previous))
    }
}
