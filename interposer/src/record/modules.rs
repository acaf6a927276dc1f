//! The modules (executable and libraries) of the process.

use crate::record::elf::{self, Symbols};
use std::ffi::{CStr, c_int, c_void};
use std::sync::{Arc, Mutex};
use trace_format::definition::Module;

/// A loaded module.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) bias: u64,
    pub(crate) path: String,
    pub(crate) build_id: Vec<u8>,
    pub(crate) is_self: bool,
    is_executable: bool,
    pub(crate) origin: Origin,
}

impl Loaded {
    pub(crate) fn definition(&self) -> Module {
        Module {
            start: self.start,
            end: self.end,
            bias: self.bias,
            path: self.path.clone(),
            build_id: self.build_id.clone(),
        }
    }

    /// Is it the same module at the same place?
    pub(crate) fn is_same(&self, other: &Loaded) -> bool {
        (self.start, self.end, self.bias) == (other.start, other.end, other.bias)
            && (&self.path, &self.build_id) == (&other.path, &other.build_id)
    }

    fn find_origin(&self) -> Origin {
        let name = self.path.rsplit('/').next().unwrap_or("");
        let stem = name.split(".so").next().unwrap_or(name);
        let is_mpi = ["libmpi", "libpmpi"].iter().any(|p| stem.starts_with(p));
        let binding = ["cxx", "mpifh", "mpifort", "mpichfort", "usempi", "ilp64", "java"];
        let front = ["libmpi", "libmpich", "libmpi_abi", "libpmpi", "libpmpi_abi"];
        let internal =
            ["mca_", "libopen-", "libmca_", "libucp", "libucs", "libuct", "libucm", "libucc", "libpmix", "libprrte"];
        if self.is_self {
            Origin::Own
        } else if self.is_executable {
            Origin::Program
        } else if is_mpi && binding.iter().any(|b| stem.contains(b)) {
            Origin::Binding
        } else if front.contains(&stem) || internal.iter().any(|p| stem.starts_with(p)) || self.defines(b"PMPI_Init") {
            Origin::Internal
        } else if self.defines(b"MPI_Init") {
            // It is no MPI library: it wraps one.
            Origin::Tool
        } else {
            Origin::Program
        }
    }

    fn defines(&self, name: &[u8]) -> bool {
        let mut found = false;
        elf::each_module(&mut |info| {
            let here = elf::holds(info, self.start);
            if here {
                found = Symbols::of(info).is_some_and(|s| s.find(b"", name).is_some());
            }
            here
        });
        found
    }
}

/// What a module is to the calls it makes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The program, its libraries, and whatever else is not one of the others.
    #[default]
    Program,
    /// A language binding: it calls on behalf of the program.
    Binding,
    /// The MPI library and its components: their calls are not the program's.
    Internal,
    /// Another tool that wraps MPI.
    Tool,
    /// This library.
    Own,
}

/// The modules as they were when this last looked, after a look whether any came or went.
pub(crate) fn known() -> Arc<Vec<Loaded>> {
    static KNOWN: Mutex<(Changes, Option<Arc<Vec<Loaded>>>)> = Mutex::new(((0, 0), None));
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let changes = changes();
    match &known.1 {
        Some(modules) if known.0 == changes => modules.clone(),
        _ => {
            let modules = Arc::new(loaded());
            *known = (changes, Some(modules.clone()));
            modules
        }
    }
}

/// How many modules were ever loaded and unloaded.
pub(crate) type Changes = (u64, u64);

pub(crate) fn changes() -> Changes {
    let mut changes = (0, 0);
    elf::each_module(&mut |info| {
        changes = (info.dlpi_adds, info.dlpi_subs);
        true
    });
    changes
}

/// All modules loaded now, the executable first.
pub(crate) fn loaded() -> Vec<Loaded> {
    let mut all: Vec<Loaded> = Vec::new();
    // SAFETY: the callback matches the declared type and `all` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut all).cast()) };
    for module in &mut all {
        module.origin = module.find_origin();
    }
    all
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, all: *mut c_void) -> c_int {
    // SAFETY: `loaded` passes a pointer to its vector; `info` is valid during the callback.
    let (info, all) = unsafe { (&*info, &mut *all.cast::<Vec<Loaded>>()) };
    let bias = info.dlpi_addr;
    let (mut start, mut end, mut build_id) = (u64::MAX, 0, Vec::new());
    for i in 0..info.dlpi_phnum as usize {
        // SAFETY: the loader says that there are `dlpi_phnum` program headers.
        let ph = unsafe { &*info.dlpi_phdr.add(i) };
        let at = bias.wrapping_add(ph.p_vaddr);
        if ph.p_type == libc::PT_LOAD {
            start = start.min(at);
            end = end.max(at + ph.p_memsz);
        } else if ph.p_type == libc::PT_NOTE && build_id.is_empty() {
            // SAFETY: a note segment is mapped readable for its size.
            let notes = unsafe { std::slice::from_raw_parts(at as *const u8, ph.p_memsz as usize) };
            build_id = gnu_build_id(notes);
        }
    }
    if start >= end {
        return 0;
    }
    let mut path = if info.dlpi_name.is_null() {
        String::new()
    } else {
        // SAFETY: the loader's name is a C string.
        unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned()
    };
    if path.is_empty() && all.is_empty() {
        path = std::fs::read_link("/proc/self/exe").map(|p| p.to_string_lossy().into_owned()).unwrap_or_default();
    }
    let own = visit as *const () as u64;
    let is_executable = all.is_empty();
    all.push(Loaded {
        start,
        end,
        bias,
        path,
        build_id,
        is_self: (start..end).contains(&own),
        is_executable,
        origin: Origin::Program,
    });
    0
}

/// The GNU build-id in a note segment.
fn gnu_build_id(mut notes: &[u8]) -> Vec<u8> {
    let word = |b: &[u8], at: usize| {
        b.get(at..at + 4).and_then(|b| b.first_chunk::<4>()).map_or(0, |b| u32::from_le_bytes(*b) as usize)
    };
    while notes.len() >= 12 {
        let (name_len, desc_len, kind) = (word(notes, 0), word(notes, 4), word(notes, 8));
        let desc = 12 + name_len.next_multiple_of(4);
        if kind == 3
            && notes.get(12..16) == Some(b"GNU\0")
            && let Some(id) = notes.get(desc..desc + desc_len)
        {
            return id.to_vec();
        }
        notes = notes.get(desc + desc_len.next_multiple_of(4)..).unwrap_or(&[]);
    }
    Vec::new()
}
