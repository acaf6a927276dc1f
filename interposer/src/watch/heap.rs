//! The blocks of the program's heap, as `libmpivet_heap.so` knows them (`heap/src/interface.rs` has the other side): that
//! library is preloaded beside this one if the user wants it (`mpivet run --heap`).

use crate::mpi::origin::{self, Origin};
use crate::mpi::words::Words;
use crate::state::slow_path::HEAP;
use recorder::modules::Loaded;
use recorder::{log, slow_path, trace};
use std::sync::OnceLock;
use trace_format::mpi::FnId;

/// A block that holds an address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) start: u64,
    /// As many bytes as the program asked for.
    pub(crate) size: u64,
    /// The return address of the call that allocated it; 0: not known.
    pub(crate) caller: u64,
    /// It was freed, and nothing else of the program's is there.
    pub(crate) is_freed: bool,
}

struct Library {
    find: unsafe extern "C" fn(u64, *mut [u64; 3]) -> u32,
    add: unsafe extern "C" fn(u64, u64),
    remove: unsafe extern "C" fn(u64),
    /// The modules of mpivet itself.
    own: Vec<Loaded>,
}

static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();

/// Recording begins: is the library there? What it knows costs each call something.
pub(crate) fn begin(is_wanted: bool) -> bool {
    let library = LIBRARY.get_or_init(library);
    let is_on = is_wanted && library.is_some();
    slow_path::set(HEAP, is_on);
    is_on
}

fn library() -> Option<Library> {
    // SAFETY: looking up a name has no preconditions.
    let symbol = |name: &std::ffi::CStr| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    let [find, add, remove, is_known] =
        [c"mpivet_heap_find", c"mpivet_heap_add", c"mpivet_heap_remove", c"mpivet_heap_is_known"].map(symbol);
    if [find, add, remove, is_known].iter().any(|function| function.is_null()) {
        return None;
    }
    // SAFETY: the functions have these types: `heap/src/interface.rs`.
    let (library, is_known) = unsafe {
        (
            Library {
                find: std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn(u64, *mut [u64; 3]) -> u32>(find),
                add: std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn(u64, u64)>(add),
                remove: std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn(u64)>(remove),
                own: origin::modules(Origin::Own),
            },
            std::mem::transmute::<*mut libc::c_void, unsafe extern "C" fn() -> u32>(is_known),
        )
    };
    // SAFETY: it has no preconditions.
    if unsafe { is_known() } == 0 {
        if trace::get().is_some_and(|trace| trace.rank == 0) {
            log::line("the program has an allocator that comes before mpivet's: --heap knows no blocks");
        }
        return None;
    }
    Some(library)
}

/// The block that holds an address, if that is known for certain.
#[inline]
pub(crate) fn find(address: u64) -> Option<Block> {
    let library = LIBRARY.get()?.as_ref()?;
    let mut block = [0; 3];
    // SAFETY: there is room for the answer.
    let answer = unsafe { (library.find)(address, &raw mut block) };
    let [start, size, caller] = block;
    (answer > 0).then(|| Block { start, size, caller, is_freed: answer == 2 || library.is_own(caller) })
}

impl Library {
    /// Did mpivet itself allocate there? Then the program, which names that memory, has freed what it had there before.
    fn is_own(&self, caller: u64) -> bool {
        self.own.iter().any(|module| (module.start..module.end).contains(&caller))
    }
}

/// MPI_Free_mem is about to be called.
pub(crate) fn before(func: FnId, words: &Words) {
    if func == FnId::MPI_Free_mem
        && let Some(library) = LIBRARY.get().and_then(Option::as_ref)
    {
        // SAFETY: it has no preconditions.
        unsafe { (library.remove)(words[0]) };
    }
}

/// MPI_Alloc_mem has returned: its block may lie in the middle of what the MPI library has allocated.
pub(crate) fn after(func: FnId, words: &Words, failed: bool) {
    let [size, _, place, ..] = *words;
    if func == FnId::MPI_Alloc_mem
        && !failed
        && let Some(library) = LIBRARY.get().and_then(Option::as_ref)
    {
        // SAFETY: the MPI library has written an address there, and `add` has no preconditions.
        unsafe { (library.add)((place as *const u64).read_unaligned(), size) };
    }
}
