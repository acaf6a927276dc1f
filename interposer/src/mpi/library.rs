//! Finds the MPI library of the process and its entry points. The only module that calls the library, always through
//! pointers taken from it, never by name.

use crate::mpi::abi::{self, Abi, Ender, Identity, Loaded, Started};
use crate::mpi::emulated;
use crate::mpi::origin::{self, Origin};
use libloading::os::unix::{Library, Symbol};
use recorder::modules;
use std::ffi::{CStr, CString, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, OnceLock};
use trace_format::mpi::{FUNCTIONS, FnId, Kind};

const RTLD_NOLOAD: i32 = 4;

/// The MPI library.
pub(crate) struct MpiLibrary {
    /// Its interface as far as that can be told before MPI has started, and afterwards.
    loaded_abi: &'static Abi,
    started_abi: OnceLock<&'static Abi>,
    pub(crate) path: String,
    /// The module that defines the PMPI_ functions.
    library: Library,
    /// The module that defines the MPI_ functions, where that is another one: MPICH may be built so that they are in
    /// `libmpi_abi` and the PMPI_ functions in `libpmpi_abi`.
    front: Option<Library>,
}

// SAFETY: the handle is only used for dlsym, which is thread-safe; it is never closed.
unsafe impl Sync for MpiLibrary {}
// SAFETY: as above.
unsafe impl Send for MpiLibrary {}

static REAL: OnceLock<MpiLibrary> = OnceLock::new();
/// Where calls of `MPI_X` go on: to another tool that wraps MPI, if there is one behind this library, else as [`ENTRIES`].
static NEXT: [AtomicPtr<c_void>; FUNCTIONS.len()] = [const { AtomicPtr::new(std::ptr::null_mut()) }; FUNCTIONS.len()];
static ENTRIES: [AtomicPtr<c_void>; FUNCTIONS.len()] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; FUNCTIONS.len()];

/// The library, searched for at the first call; `None` if the process has none.
pub(crate) fn loaded() -> Option<&'static MpiLibrary> {
    static TRIED: Mutex<Option<modules::Changes>> = Mutex::new(None);
    if let Some(library) = REAL.get() {
        return Some(library);
    }
    // It may be loaded later: looked for again when modules have come.
    let mut tried = TRIED.lock().unwrap_or_else(|e| e.into_inner());
    let changes = modules::changes();
    if *tried != Some(changes) {
        *tried = Some(changes);
        if let Some(library) = find() {
            return Some(REAL.get_or_init(|| library));
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
    let Some(library) = loaded() else {
        // A stand-in for MPI in serial programs, perhaps: its functions, and no profiling interface.
        for f in FUNCTIONS {
            let stand_in = next_definition(f.name).unwrap_or(std::ptr::null_mut());
            NEXT.get(f.id.index()).into_iter().for_each(|slot| slot.store(stand_in, Ordering::Relaxed));
        }
        return false;
    };
    // The next definition matters if it is a tool's: no need to look for it 800 times where there is none.
    let has_tools = !tools().is_empty();
    for f in FUNCTIONS {
        let Some(slot) = ENTRIES.get(f.id.index()) else { continue };
        // Some libraries export a removed function without its profiling twin.
        let next = if has_tools { next_definition(f.name) } else { None };
        let front = || library.front.as_ref().and_then(|library| symbol(library, f.name));
        let own = library.symbol(&format!("P{}", f.name)).or_else(|| library.symbol(f.name)).or_else(front);
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

/// Where tools are that wrap MPI.
fn tools() -> &'static [(u64, u64)] {
    static TOOLS: OnceLock<Vec<(u64, u64)>> = OnceLock::new();
    TOOLS.get_or_init(|| origin::modules(Origin::Tool).iter().map(|m| (m.start, m.end)).collect())
}

/// Does the address lie in a tool that wraps MPI?
fn is_tool(address: *mut c_void) -> bool {
    tools().iter().any(|(start, end)| (*start..*end).contains(&(address as u64)))
}

/// Address of a symbol that a module or one that it depends on defines.
fn symbol(library: &Library, name: &str) -> Option<*mut c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: the type of the symbol is only used as an address.
    let symbol: Symbol<*mut c_void> = unsafe { library.get(name.as_bytes_with_nul()) }.ok()?;
    let address = symbol.into_raw();
    (!address.is_null()).then_some(address)
}

impl MpiLibrary {
    pub(crate) fn abi(&self) -> &'static Abi {
        self.started_abi.get().unwrap_or(&self.loaded_abi)
    }

    /// MPI has started, by MPI_Init or, if `by_session`, by MPI_Session_init. Then there is no MPI_COMM_WORLD.
    pub(crate) fn has_started(&self, by_session: bool) {
        let symbol = |name: &str| self.symbol(name);
        let world = self.predefined_handle(Kind::Comm, "MPI_COMM_WORLD").filter(|_| !by_session);
        let attribute = |keyval: i32| attribute(world?, keyval);
        let world_attribute: Option<&dyn Fn(i32) -> Option<i32>> = world.is_some().then_some(&attribute);
        self.started_abi.get_or_init(|| {
            self.loaded_abi.after_start(&Started { loaded: Loaded { symbol: &symbol }, world_attribute })
        });
    }

    /// The library's own function that ends the program for an object of a kind.
    pub(crate) fn ender(&self, kind: Kind, aborts: bool) -> Option<Ender> {
        self.abi().ender(&Loaded { symbol: &|name| self.symbol(name) }, kind, aborts)
    }

    /// The raw value of a predefined handle.
    pub(crate) fn predefined_handle(&self, kind: Kind, name: &str) -> Option<u64> {
        let (_, handle) = self.abi().predefined(kind).iter().find(|(n, _)| *n == name)?;
        handle.value(|name| self.data_symbol(name))
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

/// The value of a predefined attribute of a communicator.
pub(crate) fn attribute(comm: u64, keyval: i32) -> Option<i32> {
    let (mut value, mut flag) = (std::ptr::null::<i32>(), 0i32);
    let done = call(FnId::MPI_Comm_get_attr, &[comm, keyval as u64, &raw mut value as u64, &raw mut flag as u64]);
    let is_set = done == Some(0) && flag != 0 && !value.is_null();
    // SAFETY: predefined attributes are given as addresses of integers.
    is_set.then(|| unsafe { value.read() })
}

fn find() -> Option<MpiLibrary> {
    let modules = modules::loaded();
    let (path, library) = defining(&modules, "PMPI_Init")?;
    let front = defining(&modules, "MPI_Init").filter(|(front, _)| *front != path).map(|(_, library)| library);
    let loaded_abi = abi::family(&Loaded { symbol: &|name| symbol(&library, name) })?;
    Some(MpiLibrary { loaded_abi, started_abi: OnceLock::new(), path, library, front })
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

/// Calls the library's function with the arguments as machine words. A missing function gives `None`.
pub(crate) fn call(function: FnId, args: &[u64]) -> Option<i32> {
    call_long(function, args).map(|result| result as i32)
}

/// Calls a function that returns a machine word.
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

/// The library's words on itself. Can be asked before MPI_Init.
pub(crate) fn identity() -> &'static Identity {
    static HERE: OnceLock<Identity> = OnceLock::new();
    HERE.get_or_init(|| Identity::of(&text(FnId::MPI_Get_library_version, None)))
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
