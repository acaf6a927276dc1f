//! Finds the MPI library of the process and its entry points. The only module that calls the library, always through
//! pointers taken from it, never by name.

use crate::mpi::abi::{Abi, Family, LAST_CODE, LAST_USED_CODE};
use crate::mpi::emulated;
use crate::mpi::origin::{self, Origin};
use libloading::os::unix::{Library, Symbol};
use recorder::modules;
use std::ffi::{CStr, CString, c_void};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock};
use trace_format::mpi::{FUNCTIONS, FnId, Kind};

const RTLD_NOLOAD: i32 = 4;

/// The MPI library.
pub(crate) struct Real {
    family: Family,
    /// See [`Real::tell_drafts`].
    is_draft: AtomicBool,
    pub(crate) path: String,
    /// The module that defines the PMPI_ functions.
    library: Library,
    /// The module that defines the MPI_ functions, where that is another one: MPICH may be built so that they are in
    /// `libmpi_abi` and the PMPI_ functions in `libpmpi_abi`.
    front: Option<Library>,
}

// SAFETY: the handle is only used for dlsym, which is thread-safe; it is never closed.
unsafe impl Sync for Real {}
// SAFETY: as above.
unsafe impl Send for Real {}

static REAL: OnceLock<Real> = OnceLock::new();
/// Where calls of `MPI_X` go on: to another tool that wraps MPI, if there is one behind this library, else as [`ENTRIES`].
static NEXT: [AtomicPtr<c_void>; FUNCTIONS.len()] = [const { AtomicPtr::new(std::ptr::null_mut()) }; FUNCTIONS.len()];
static ENTRIES: [AtomicPtr<c_void>; FUNCTIONS.len()] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; FUNCTIONS.len()];

/// The library, searched for at the first call; `None` if the process has none.
pub(crate) fn library() -> Option<&'static Real> {
    static TRIED: Mutex<Option<modules::Changes>> = Mutex::new(None);
    if let Some(real) = REAL.get() {
        return Some(real);
    }
    // It may be loaded later: looked for again when modules have come.
    let mut tried = TRIED.lock().unwrap_or_else(|e| e.into_inner());
    let changes = modules::changes();
    if *tried != Some(changes) {
        *tried = Some(changes);
        if let Some(real) = find() {
            return Some(REAL.get_or_init(|| real));
        }
    }
    REAL.get()
}

/// The library's own entry point of a function; null if it has none.
#[inline(always)]
pub(crate) fn entry(index: usize) -> *mut c_void {
    match ENTRIES.get(index) {
        Some(e) => e.load(Ordering::Relaxed),
        None => std::ptr::null_mut(),
    }
}

/// Where a call of `MPI_X`, or of `PMPI_X` if `profiling`, goes on; null if the library lacks the function.
#[inline(always)]
pub(crate) fn next(index: usize, profiling: bool) -> *mut c_void {
    match if profiling { ENTRIES.get(index) } else { NEXT.get(index) } {
        Some(e) => e.load(Ordering::Relaxed),
        None => std::ptr::null_mut(),
    }
}

/// Resolves all entry points at the first intercepted call.
#[cold]
pub(crate) fn resolve_once() {
    static DONE: Mutex<bool> = Mutex::new(false);
    let mut done = DONE.lock().unwrap_or_else(|e| e.into_inner());
    if !*done {
        *done = resolve();
    }
}

/// False if there is no MPI library (yet).
fn resolve() -> bool {
    let Some(real) = library() else {
        // A stand-in for MPI in serial programs, perhaps: its functions, and no profiling interface.
        for f in FUNCTIONS {
            let stand_in = next_definition(f.name).unwrap_or(std::ptr::null_mut());
            NEXT.get(f.id.index()).into_iter().for_each(|slot| slot.store(stand_in, Ordering::Relaxed));
        }
        return false;
    };
    for f in FUNCTIONS {
        let Some(slot) = ENTRIES.get(f.id.index()) else { continue };
        // Some libraries export a removed function without its profiling twin.
        let next = next_definition(f.name);
        let front = || real.front.as_ref().and_then(|library| symbol(library, f.name));
        let own = real.symbol(&format!("P{}", f.name)).or_else(|| real.symbol(f.name)).or_else(front);
        let address = own.or_else(|| emulated::address(f.id)).unwrap_or(std::ptr::null_mut());
        slot.store(address, Ordering::Relaxed);
        if let Some(slot) = NEXT.get(f.id.index()) {
            slot.store(next.filter(|n| is_tool(*n)).unwrap_or(address), Ordering::Relaxed);
        }
    }
    true
}

/// The definition that the program would have reached without this library.
pub(crate) fn next_definition(name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: looking up a name has no preconditions.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    (!address.is_null()).then_some(address)
}

/// Does the address lie in a tool that wraps MPI?
fn is_tool(address: *mut c_void) -> bool {
    static TOOLS: OnceLock<Vec<(u64, u64)>> = OnceLock::new();
    let tools = TOOLS.get_or_init(|| origin::modules(Origin::Tool).map(|m| (m.start, m.end)).collect());
    tools.iter().any(|(start, end)| (*start..*end).contains(&(address as u64)))
}

/// Address of a symbol that a module or one that it depends on defines.
fn symbol(library: &Library, name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: the type of the symbol is only used as an address.
    let symbol: Symbol<*mut c_void> = unsafe { library.get(name.as_bytes_with_nul()) }.ok()?;
    let address = symbol.into_raw();
    (!address.is_null()).then_some(address)
}

impl Real {
    pub(crate) fn family(&self) -> Family {
        match self.family {
            Family::Standard if self.is_draft.load(Ordering::Relaxed) => Family::Draft,
            family => family,
        }
    }

    /// Finds out whether a library with the ABI of MPI 5 follows the draft: by the number that it gives to the attribute
    /// MPI_LASTUSEDCODE. To be called once, after MPI_Init, or after MPI_Session_init: then there is no MPI_COMM_WORLD to
    /// ask, and the only library that is known to follow the draft, Intel's, is told by a function of its own.
    pub(crate) fn tell_drafts(&self, by_session: bool) {
        if by_session {
            let is_intel = self.family == Family::Standard && self.symbol("I_MPI_Check_image_status").is_some();
            return self.is_draft.store(is_intel, Ordering::Relaxed);
        }
        let row = Abi::predefined(Kind::Comm).iter().find(|row| row.name == "MPI_COMM_WORLD");
        let world = row.and_then(|row| row.handle(self.family, |_| None));
        if let (Family::Standard, Some(world)) = (self.family, world) {
            let (right, draft) = LAST_USED_CODE;
            let is_draft = !is_last_code(world, right) && is_last_code(world, draft);
            self.is_draft.store(is_draft, Ordering::Relaxed);
        }
    }

    /// Address of a symbol that the library itself defines.
    pub(crate) fn symbol(&self, name: &str) -> Option<*mut c_void> {
        symbol(&self.library, name)
    }

    /// Address of a data symbol as the program sees it: executables may hold their own copy (copy relocation), and
    /// the whole library uses that copy.
    pub(crate) fn data_symbol(&self, name: &str) -> Option<u64> {
        let c_name = CString::new(name).ok()?;
        // SAFETY: looking up a name in the global scope has no preconditions.
        let global = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c_name.as_ptr()) };
        if global.is_null() { self.symbol(name).map(|a| a as u64) } else { Some(global as u64) }
    }
}

/// Is the attribute `keyval` of a communicator a number that MPI_LASTUSEDCODE may be?
fn is_last_code(comm: u64, keyval: u64) -> bool {
    let (mut value, mut flag) = (std::ptr::null::<i32>(), 0i32);
    let done = call(FnId::MPI_Comm_get_attr, &[comm, keyval, &raw mut value as u64, &raw mut flag as u64]);
    // SAFETY: predefined attributes are given as addresses of integers.
    done == Some(0) && flag != 0 && !value.is_null() && unsafe { value.read() } >= LAST_CODE
}

fn find() -> Option<Real> {
    let modules = modules::loaded();
    let (path, library) = defining(&modules, "PMPI_Init")?;
    let front = defining(&modules, "MPI_Init").filter(|(front, _)| *front != path).map(|(_, library)| library);
    let family = family(&library);
    Some(Real { family, is_draft: AtomicBool::new(false), path, library, front })
}

/// The first module but our own that defines a function itself, not one that merely depends on it. It may be loaded with
/// RTLD_LOCAL, so that the dynamic linker does not find it by the function's name alone.
fn defining(modules: &[modules::Loaded], function: &str) -> Option<(String, Library)> {
    for module in modules.iter().filter(|module| !module.path.is_empty() && !module.is_self) {
        // SAFETY: RTLD_NOLOAD only takes another reference on a module that is already loaded.
        let library = unsafe { Library::open(Some(&module.path), RTLD_NOLOAD | libc::RTLD_LAZY) };
        if let Ok(library) = library
            && let Some(address) = symbol(&library, function)
            && (module.start..module.end).contains(&(address as u64))
        {
            return Some((module.path.clone(), library));
        }
    }
    None
}

fn family(library: &Library) -> Family {
    if symbol(library, "ompi_mpi_comm_world").is_some() {
        return Family::OpenMpi;
    }
    // The classic libraries of MPICH 5 and Intel export the function too and answer -1.
    if let Some(f) = symbol(library, "PMPI_Abi_get_version") {
        let (mut major, mut minor) = (0i32, 0i32);
        // SAFETY: `int MPI_Abi_get_version(int *, int *)`, callable before MPI_Init.
        let f: extern "C" fn(*mut i32, *mut i32) -> i32 = unsafe { std::mem::transmute(f) };
        if f(&mut major, &mut minor) == 0 && major >= 1 {
            return Family::Standard;
        }
    }
    Family::Mpich
}

/// Calls the library's function with the arguments as machine words. A missing function gives `None`.
pub(crate) fn call(function: FnId, args: &[u64]) -> Option<i32> {
    call_long(function, args).map(|result| result as i32)
}

/// The same for functions that return a machine word.
pub(crate) fn call_long(function: FnId, args: &[u64]) -> Option<u64> {
    let f = entry(function.index());
    let mut words = [0; MAX_ARGS];
    words.iter_mut().zip(args).for_each(|(w, a)| *w = *a);
    // SAFETY: the entry is that of the function, and the caller passes its arguments; superfluous words are ignored
    // by the calling convention.
    (!f.is_null()).then(|| unsafe { call_words(f, MAX_ARGS, &words) })
}

/// Most arguments of an MPI function.
pub(crate) const MAX_ARGS: usize = 16;

/// Calls `f` with the first `n` of these words as its arguments.
///
/// # Safety
/// `f` is a function of the C ABI that takes `n` integer or pointer arguments, and the words are valid for it.
#[inline(always)]
pub(crate) unsafe fn call_words(f: *mut c_void, n: usize, a: &[u64; MAX_ARGS]) -> u64 {
    type Short = unsafe extern "C-unwind" fn(u64, u64, u64, u64, u64, u64) -> u64;
    type Middle = unsafe extern "C-unwind" fn(u64, u64, u64, u64, u64, u64, u64, u64) -> u64;
    #[rustfmt::skip]
    type Long = unsafe extern "C-unwind" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u64;
    // Superfluous argument registers are ignored; further arguments travel in 8-byte stack slots, superfluous ones are
    // ignored, too.
    // SAFETY: the caller vouches for the function and its arguments.
    unsafe {
        if n <= 6 {
            let f: Short = std::mem::transmute(f);
            f(a[0], a[1], a[2], a[3], a[4], a[5])
        } else if n <= 8 {
            let f: Middle = std::mem::transmute(f);
            f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7])
        } else {
            let f: Long = std::mem::transmute(f);
            #[rustfmt::skip]
            let result = f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15]);
            result
        }
    }
}

/// Room for any text that a library writes (MPI_MAX_LIBRARY_VERSION_STRING is the largest of the limits: 8192 or less).
const MAX_TEXT: usize = 8192;

/// What the library says of itself (MPI_Get_library_version). Can be asked before MPI_Init.
pub(crate) fn library_version() -> String {
    text(FnId::MPI_Get_library_version, None)
}

/// Text that an MPI function writes into a buffer, such as an error string.
pub(crate) fn text(function: FnId, first: Option<u64>) -> String {
    let mut buffer = vec![0u8; MAX_TEXT + 1];
    let mut len = 0i32;
    let (b, l) = (buffer.as_mut_ptr() as u64, &raw mut len as u64);
    let done = match first {
        Some(first) => call(function, &[first, b, l]),
        None => call(function, &[b, l]),
    };
    if done != Some(0) {
        return String::new();
    }
    CStr::from_bytes_until_nul(&buffer).map(|c| c.to_string_lossy().into_owned()).unwrap_or_default()
}
