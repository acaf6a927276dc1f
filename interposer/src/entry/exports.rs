//! The exports of this library exist only where the loaded MPI has them: programs look functions up to find out what
//! MPI can do (mpi4py holds weak references to about 285), and `MPI_Get_version` to find out whether MPI is linked in.
//!
//! In the file the entry points are plain functions. In memory each becomes an indirect function (`STT_GNU_IFUNC`), whose
//! resolver is asked at every lookup and answers with null where no loaded module defines the name. Not from the start,
//! because the loader warns of indirect functions in a library that it has not relocated yet, and it relocates the
//! libraries from the last to the first, the program last of all: what refers to MPI before this library is
//! relocated is the MPI library itself and libraries that are linked to it. The change is made by a resolver that the
//! loader calls as the last thing in relocating this library, or else by the constructor.

use crate::entry::fortran;
use crate::mpi::emulated;
use recorder::elf::{self, STT_FUNC, STT_GNU_IFUNC, Symbols};
use trace_format::mpi::FUNCTIONS;

/// Where the resolver of an entry point begins, in bytes behind the entry point.
pub(crate) const RESOLVER_OFFSET: usize = 32;

// A pointer that the loader fills with the answer of `mpivet_settle`.
std::arch::global_asm!(
    ".text",
    ".type mpivet_settle, @gnu_indirect_function",
    "mpivet_settle:",
    "jmp {settle}",
    ".section .data.rel.ro.mpivet_settle, \"aw\"",
    ".p2align 3",
    ".globl mpivet_settled",
    ".hidden mpivet_settled",
    "mpivet_settled:",
    ".quad mpivet_settle",
    ".text",
    settle = sym early,
);

unsafe extern "C" {
    #[link_name = "mpivet_settled"]
    static SETTLED: [u8; 8];
}

extern "C" fn early() -> usize {
    settle();
    early as *const () as usize
}

/// Keeps the pointer in the library, and makes up for a loader that did not ask.
pub(crate) fn ensure() {
    std::hint::black_box(&raw const SETTLED);
    settle();
}

/// Makes the exported entry points indirect. Called again, it changes nothing.
fn settle() {
    let own = settle as *const () as u64;
    elf::each_module(&mut |info| {
        let is_own = elf::holds(info, own);
        if is_own && let Some(symbols) = Symbols::of(info) {
            make_indirect(info, &symbols);
        }
        is_own
    });
}

fn make_indirect(info: &libc::dl_phdr_info, symbols: &Symbols) {
    let count = symbols.count();
    let (start, end) = (symbols.at(0) as u64, symbols.at(count) as u64);
    let segment = elf::headers(info).iter().find(|ph| {
        let at = info.dlpi_addr.wrapping_add(ph.p_vaddr);
        ph.p_type == libc::PT_LOAD && (at..at + ph.p_memsz).contains(&start)
    });
    let Some(segment) = segment else { return };
    let flag = |elf, memory| if segment.p_flags & elf != 0 { memory } else { 0 };
    let protection =
        flag(libc::PF_R, libc::PROT_READ) | flag(libc::PF_W, libc::PROT_WRITE) | flag(libc::PF_X, libc::PROT_EXEC);
    // SAFETY: sysconf has no preconditions.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as u64;
    let (first, bytes) = (start & !(page - 1), (end - (start & !(page - 1))) as usize);
    // SAFETY: the pages belong to this library's own symbol table, which nothing but the loader reads; no other thread
    // runs yet, as the library is loaded with the program.
    unsafe {
        if libc::mprotect(first as *mut _, bytes, protection | libc::PROT_WRITE) != 0 {
            return;
        }
        for index in 1..count {
            let symbol = &mut *symbols.at(index);
            let is_entry = {
                let name = symbols.name(symbol);
                [b"MPI".as_slice(), b"PMPI", b"mpi_"].iter().any(|p| name.starts_with(p))
            };
            if is_entry && symbol.st_shndx != 0 && symbol.st_info & 0xf == STT_FUNC {
                symbol.st_info = symbol.st_info & 0xf0 | STT_GNU_IFUNC;
                symbol.st_value += RESOLVER_OFFSET as u64;
            }
        }
        libc::mprotect(first as *mut _, bytes, protection);
    }
}

/// The entry point `stub` of a function of the table, or null. `asker` is the return address of the resolver.
pub(crate) extern "C" fn resolve(id: u32, stub: usize, asker: u64) -> usize {
    let Some(row) = FUNCTIONS.get((id & crate::entry::stubs::INDEX) as usize) else { return 0 };
    let prefix: &[u8] = if id & crate::entry::stubs::PROFILING != 0 { b"P" } else { b"" };
    let name = row.name.as_bytes();
    let exists = elf::find_elsewhere(prefix, name).is_some();
    if exists || emulated::answers(row.id, prefix, name, asker) { stub } else { refuse(prefix, name, asker) }
}

/// The entry point `stub` of a Fortran routine, or null.
pub(crate) extern "C" fn resolve_fortran(index: u32, stub: usize, asker: u64) -> usize {
    if fortran::exists(index) { stub } else { refuse(b"", fortran::symbol(index).as_bytes(), asker) }
}

/// There is no such symbol. A weak reference becomes null. dlsym must fail with an error, as programs take null without
/// an error for the address of the symbol: it runs in the C library, and references are bound by the loader.
fn refuse(prefix: &[u8], name: &[u8], asker: u64) -> usize {
    let mut signal_error = None;
    elf::each_module(&mut |info| {
        let is_asker = elf::holds(info, asker);
        if is_asker && !elf::is_loaders(info) {
            signal_error = Symbols::of(info).and_then(|s| s.find(b"", b"_dl_signal_error"));
        }
        is_asker
    });
    let Some(signal_error) = signal_error else { return 0 };
    let mut text = [0u8; 128];
    let message = b"undefined symbol: ".iter().chain(prefix).chain(name);
    for (to, from) in text.iter_mut().take(127).zip(message) {
        *to = *from;
    }
    // SAFETY: `void (int code, const char *object, const char *occasion, const char *text)`: copies the text and jumps back
    // into the dlsym that asks. Nothing in the frames between needs to be dropped.
    unsafe {
        let signal_error: extern "C-unwind" fn(i32, *const u8, *const u8, *const u8) =
            std::mem::transmute(signal_error);
        signal_error(0, c"".as_ptr().cast(), std::ptr::null(), text.as_ptr());
    }
    0
}
