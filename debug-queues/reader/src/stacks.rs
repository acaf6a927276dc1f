//! The call stack of each thread of a process, and the MPI function that the program has called.

use crate::error::{Error, Result};
use crate::memory::Memory;
use crate::modules::{Mapping, Module};
use crate::process::Process;
use crate::snapshot::{Frame, Thread};
use crate::stop::StoppedThread;
use crate::symbols::Symbols;
use crate::unwind::{RETURN_ADDRESS, RSP, Registers, Stack, Trace, Unwinder};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

/// Limit of the part of a stack that is read.
const MOST_STACK: u64 = 1 << 20;

/// Registers and stack of a thread at one moment.
struct ThreadState {
    registers: Registers,
    stack: Stack,
}

/// Looks at a thread until its stack is followed to its end, and shows it waiting: between two waits for progress a
/// library is in places without frame information (the kernel's page of functions) or about to look at its requests.
const LOOKS: u32 = 12;
const PAUSE: Duration = Duration::from_millis(2);

/// The code that a process runs.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    pub modules: &'a [Module],
    /// Paths of the MPI library, and of mpivet's.
    pub mpi: &'a [PathBuf],
    /// Functions in which the library is when it waits, if they are known.
    pub waits: &'a [&'a str],
}

/// All threads, one after the other; each is stopped while its registers and its stack are copied.
pub fn threads(process: Process, mappings: &[Mapping], code: &Code) -> Result<Vec<Thread>> {
    let memory = Memory::of(process.pid);
    let mut unwinder = Unwinder::new(code.modules);
    let mut names = Names { code: *code, symbols: HashMap::new() };
    let mut threads = Vec::new();
    for tid in process.threads() {
        for look in 1..=LOOKS {
            let moment = match moment(tid, mappings, &memory) {
                Ok(moment) => moment,
                Err(Error::Gone) if process.lives() => break,
                Err(e) => return Err(e),
            };
            let thread = names.thread(tid, unwinder.trace(moment.registers, &moment.stack));
            if look == LOOKS || (thread.complete && thread.waits != Some(false)) {
                threads.push(thread);
                break;
            }
            std::thread::sleep(PAUSE);
        }
    }
    if threads.is_empty() { Err(Error::Gone) } else { Ok(threads) }
}

fn moment(tid: i32, mappings: &[Mapping], memory: &Memory) -> Result<ThreadState> {
    let stopped = StoppedThread::new(tid)?;
    let all = stopped.registers()?;
    let start = all.rsp;
    let end = mappings.iter().find(|m| (m.start..m.end).contains(&start)).map_or(start + 4096, |m| m.end);
    let most = (end - start).min(MOST_STACK) as usize;
    let bytes = memory.read_some(start, most);
    drop(stopped);
    Ok(ThreadState { registers: by_number(&all), stack: Stack { start, bytes } })
}

/// By the DWARF numbers of x86-64.
fn by_number(r: &libc::user_regs_struct) -> Registers {
    let mut all = [None; 17];
    let values = [
        r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8, r.r9, r.r10, r.r11, r.r12, r.r13, r.r14, r.r15,
        r.rip,
    ];
    all.iter_mut().zip(values).for_each(|(to, value)| *to = Some(value));
    debug_assert!(all[RSP] == Some(r.rsp) && all[RETURN_ADDRESS] == Some(r.rip));
    all
}

/// Names of the functions at addresses.
struct Names<'a> {
    code: Code<'a>,
    symbols: HashMap<PathBuf, Symbols>,
}

/// Beginnings of the names of libraries whose threads never run the program's code: the system's, those of the MPI
/// libraries, and what these are built on.
const LIBRARIES: [&str; 23] = [
    "libc.so",
    "libpthread",
    "ld-linux",
    "libmpi",
    "libmpich",
    "libopen-",
    "libevent",
    "libpmix",
    "libucp",
    "libucs",
    "libuct",
    "libucm",
    "libfabric",
    "libhwloc",
    "libprrte",
    "mca_",
    "libpsm",
    "librdmacm",
    "libibverbs",
    "libtcp",
    "libsockets",
    "pmix_",
    "linux-vdso",
];

/// The modules of the system among them.
const SYSTEM: [&str; 4] = ["libc.so", "libpthread", "ld-linux", "linux-vdso"];

/// Does the module belong to the system, to an MPI library, or to a library that these are built on?
pub fn is_library(module: &str) -> bool {
    LIBRARIES.iter().any(|l| module.starts_with(l))
}

impl Names<'_> {
    fn thread(&mut self, tid: i32, trace: Trace) -> Thread {
        let Trace { addresses, complete } = trace;
        let frames: Vec<(Frame, Option<String>, bool)> = addresses.iter().map(|a| self.frame(*a)).collect();
        let function = mpi_function(&frames);
        let known = complete && frames.iter().all(|(f, _, _)| is_library(&f.module));
        // The system's libraries have threads of their own that run functions of the program: those of timers.
        let library_thread = known && frames.iter().any(|(f, _, _)| !SYSTEM.iter().any(|s| f.module.starts_with(s)));
        let in_wait = |(f, _, _): &(Frame, Option<String>, bool)| {
            f.function.as_deref().is_some_and(|name| self.code.waits.contains(&name))
        };
        let waits = (function.is_some() && !self.code.waits.is_empty()).then(|| frames.iter().any(in_wait));
        let frames = frames.into_iter().map(|(f, _, _)| f).collect();
        Thread { tid, function, waits, complete, library_thread, frames }
    }

    /// The frame, the MPI function that it is of, and whether it is code of the MPI library or of mpivet.
    fn frame(&mut self, address: u64) -> (Frame, Option<String>, bool) {
        let Some(module) = self.code.modules.iter().find(|m| m.contains(address)) else {
            return (Frame { address, module: String::new(), function: None }, None, false);
        };
        let symbols =
            self.symbols.entry(module.path.clone()).or_insert_with(|| Symbols::of(module).unwrap_or_default());
        let names: Vec<&str> = symbols.functions_at(address).map(|s| s.name.as_str()).collect();
        let of_mpi = self.code.mpi.contains(&module.path);
        let mpi = names.iter().find_map(|n| mpi_name(n)).filter(|_| of_mpi);
        let function = mpi.clone().or_else(|| names.first().map(|n| (*n).to_owned()));
        (Frame { address, module: module.name().to_owned(), function }, mpi, of_mpi)
    }
}

/// `MPI_Send` of `MPI_Send` and of `PMPI_Send`.
fn mpi_name(symbol: &str) -> Option<String> {
    let name = symbol.strip_prefix('P').filter(|n| n.starts_with("MPI_")).unwrap_or(symbol);
    name.starts_with("MPI_").then(|| name.to_owned())
}

/// The MPI function that the program has called: the outermost one, if code outside of the library called it. `None` if
/// that function has called the program back, since then the program holds the thread.
fn mpi_function(frames: &[(Frame, Option<String>, bool)]) -> Option<String> {
    let outermost = frames.iter().rposition(|(_, mpi, _)| mpi.is_some())?;
    // Entry points of mpivet's library need not have names.
    let called_from_outside = frames[outermost + 1..].iter().any(|(_, _, of_mpi)| !of_mpi);
    let inner_is_library = frames[..outermost].iter().all(|(frame, _, of_mpi)| *of_mpi || is_library(&frame.module));
    frames[outermost].1.clone().filter(|_| called_from_outside && inner_is_library)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(list: &[(&str, Option<&str>)]) -> Vec<(Frame, Option<String>, bool)> {
        let frame = |(module, mpi): &(&str, Option<&str>)| {
            let frame = Frame { address: 0, module: (*module).into(), function: None };
            (frame, mpi.map(str::to_owned), module.starts_with("libmpi"))
        };
        list.iter().map(frame).collect()
    }

    #[test]
    fn names_of_both_interfaces_are_one() {
        assert_eq!(mpi_name("PMPI_Send").as_deref(), Some("MPI_Send"));
        assert_eq!(mpi_name("MPI_Send").as_deref(), Some("MPI_Send"));
        assert!(mpi_name("MPIR_Send").is_none() && mpi_name("PMPIX").is_none());
    }

    #[test]
    fn the_function_is_what_the_program_called() {
        let send = Some("MPI_Send");
        let found = |list: &[_]| mpi_function(&frames(list));
        assert_eq!(found(&[("mca_pml", None), ("libmpi.so", send), ("app", None)]).as_deref(), send);
        let nested = [("libmpi.so", send), ("libmpi.so", Some("MPI_File_open")), ("app", None)];
        assert_eq!(found(&nested).as_deref(), Some("MPI_File_open"));
        assert_eq!(found(&[("app", None), ("libc.so", None)]), None);
        let behind_mpivet = [("libmpi.so", send), ("libmpivet.so", None), ("app", None)];
        assert_eq!(found(&behind_mpivet).as_deref(), send);
        // The thread is in a function of the program that the library called.
        assert_eq!(found(&[("app", None), ("libmpi.so", send), ("app", None)]), None);
        // It is not known what called it.
        assert_eq!(found(&[("libmpi.so", send)]), None);
    }
}
