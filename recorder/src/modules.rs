//! The modules (executable and libraries) of the process.

use crate::elf::{self, Symbols};
use std::ffi::{CStr, c_int, c_void};
use trace_format::definition::Module;

/// A loaded module.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The first address.
    pub start: u64,
    /// One past the last address.
    pub end: u64,
    /// The number that is added to addresses of its file.
    pub bias: u64,
    /// Its file.
    pub path: String,
    /// The GNU build-id; empty if it has none.
    pub build_id: Vec<u8>,
    /// This library.
    pub is_self: bool,
    /// It is the program itself, not a library.
    pub is_executable: bool,
}

impl Loaded {
    /// Its definition in the trace.
    pub fn definition(&self) -> Module {
        Module {
            start: self.start,
            end: self.end,
            bias: self.bias,
            path: self.path.clone(),
            build_id: self.build_id.clone(),
        }
    }

    /// Is it the same module at the same place?
    pub fn is_same(&self, other: &Loaded) -> bool {
        (self.start, self.end, self.bias) == (other.start, other.end, other.bias)
            && (&self.path, &self.build_id) == (&other.path, &other.build_id)
    }

    /// Does it define this symbol?
    pub fn defines(&self, name: &[u8]) -> bool {
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

/// The file of the module that an address lies in, as the loader was told it; empty for the executable.
pub fn file_at(address: u64) -> Option<String> {
    let mut file = None;
    elf::each_module(&mut |info| {
        let is_here = elf::holds(info, address);
        if is_here && !info.dlpi_name.is_null() {
            // SAFETY: the loader's name is a C string.
            file = Some(unsafe { CStr::from_ptr(info.dlpi_name) }.to_string_lossy().into_owned());
        }
        is_here
    });
    file
}

/// How many modules were ever loaded and unloaded.
pub type Changes = (u64, u64);

/// How many were loaded and unloaded so far.
pub fn changes() -> Changes {
    let mut changes = (0, 0);
    elf::each_module(&mut |info| {
        changes = (info.dlpi_adds, info.dlpi_subs);
        true
    });
    changes
}

/// All modules loaded now, the executable first.
pub fn loaded() -> Vec<Loaded> {
    let mut all: Vec<Loaded> = Vec::new();
    // SAFETY: the callback matches the declared type and `all` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut all).cast()) };
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
        } else if ph.p_type == libc::PT_NOTE && build_id.is_empty() && !is_of_kernel(info) {
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
    all.push(Loaded { start, end, bias, path, build_id, is_self: (start..end).contains(&own), is_executable });
    0
}

/// Is it the kernel's part of the process? It has no file, and some kernels let nobody read its notes.
fn is_of_kernel(info: &libc::dl_phdr_info) -> bool {
    // SAFETY: the loader's name is a C string, if there is one.
    !info.dlpi_name.is_null() && unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes().starts_with(b"linux-vdso")
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
