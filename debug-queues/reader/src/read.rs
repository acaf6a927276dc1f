//! Looks at one process: its MPI library, its queues, its stacks.

use crate::dll::Dll;
use crate::error::{Error, Result};
use crate::host::{self, Host};
use crate::library::{self, Family, Library};
use crate::locate;
use crate::memory::Memory;
use crate::modules::{self, Mapping, Module};
use crate::openmpi;
use crate::process::Process;
use crate::snapshot::{Actual, Communicator, Operation, Queue, Queues, Snapshot, Status, Thread, Unit};
use crate::stacks::{self, is_library};
use crate::stop;
use crate::symbols;
use crate::types::dwarf::{self, DebugInfo};
use crate::types::{Types, table};
use mqs::PendingOperation;
use mqs::codes::{op_class, status};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Attempts to read the queues of a process that changes them.
const ATTEMPTS: u32 = 5;
/// Longer queues are damaged memory, or a list that was changed while it was followed.
const MOST_OPERATIONS: usize = 10_000_000;

#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Keep all threads stopped while the queues are read.
    pub stop: bool,
    /// Look at call stacks, for which each thread is stopped for a moment.
    pub stacks: bool,
}

/// Has the process loaded an MPI library?
pub fn is_mpi_process(pid: i32) -> Result<bool> {
    let process = Process::find(pid)?;
    let modules = modules::modules(process, &modules::mappings(process)?);
    // The files of processes of other users can be read, their memory not.
    let has_mpi = |m: &Module| symbols::Symbols::of(m).is_ok_and(|s| library::is_mpi(m, &s));
    Ok(modules.iter().any(has_mpi))
}

/// Looks at the process. To be called once in the life of this process.
pub fn look(pid: i32, options: Options) -> Result<Snapshot> {
    let process = Process::find(pid).map_err(|_| Error::Other("there is no such process".into()))?;
    let seen = look_at(process, options);
    let has_queues = seen.as_ref().is_ok_and(|snapshot| snapshot.queues.is_some());
    // Any other failure follows from this one.
    if !has_queues && has_ended(process) { Err(Error::Gone) } else { seen }
}

/// A process that is being killed loses its memory before it becomes a zombie.
fn has_ended(process: Process) -> bool {
    !process.lives() || matches!(modules::mappings(process), Err(Error::Gone))
}

fn look_at(process: Process, options: Options) -> Result<Snapshot> {
    let program = process.program().ok_or(Error::NotPermitted)?;
    let mappings = modules::mappings(process)?;
    let environment = process.environment()?;
    let memory = Memory::of(process.pid);
    let host = Host::new(modules::modules(process, &mappings), memory, environment.rank().unwrap_or(-1));
    let (module, library) = mpi_library(&host, &program)?;
    let mut snapshot = Snapshot {
        host: None,
        pid: process.pid,
        start: process.start,
        program,
        rank: environment.rank(),
        size: environment.size(),
        world: environment.world(process.parent()),
        library,
        queues: None,
        no_queues: None,
        threads: Vec::new(),
        imports: imports(&host, &module),
        no_stacks: None,
    };
    if options.stacks {
        match threads(process, &mappings, &host, &snapshot.library) {
            Ok(threads) => snapshot.threads = threads,
            Err(Error::Gone) => return Err(Error::Gone),
            Err(e) => snapshot.no_stacks = Some(e.to_string()),
        }
    }
    let _still = if options.stop { stop::all_threads(process)? } else { Vec::new() };
    match queues(host, &module, &snapshot.library) {
        Ok(queues) => snapshot.queues = Some(queues),
        Err(Error::Gone | Error::NotPermitted) if !process.lives() => return Err(Error::Gone),
        Err(e) => snapshot.no_queues = Some(e.to_string()),
    }
    Ok(snapshot)
}

/// The module that is the MPI library.
fn mpi_library(host: &Host, program: &Path) -> Result<(Module, Library)> {
    let found = host.modules.iter().find(|m| library::is_mpi(m, &host.symbols_of(m)));
    match found {
        Some(module) => Ok((module.clone(), library::identify(module, &host.symbols_of(module), &host.memory))),
        None => Err(Error::NoMpi(format!(" ({})", program.display()))),
    }
}

/// MPI functions that program and libraries can call by name.
fn imports(host: &Host, mpi: &Module) -> Option<Vec<String>> {
    if host.modules.first().is_none_or(|program| program.path == mpi.path) {
        return None;
    }
    let mut all = BTreeSet::new();
    let users =
        host.modules.iter().filter(|m| m.path != mpi.path && m.name() != library::INTERPOSER && !is_library(m.name()));
    for module in users {
        let names = symbols::imports(module).ok()?;
        all.extend(names.into_iter().filter(|n| n.to_ascii_lowercase().contains("mpi")));
    }
    Some(all.into_iter().collect())
}

fn threads(process: Process, mappings: &[Mapping], host: &Host, library: &Library) -> Result<Vec<Thread>> {
    let ours = host.modules.iter().filter(|m| m.name() == library::INTERPOSER).map(|m| m.path.clone());
    let mpi: Vec<PathBuf> = ours.chain([library.path.clone()]).collect();
    let waits: &[&str] = if library.family == Family::OpenMpi { &openmpi::WAITS } else { &[] };
    stacks::threads(process, mappings, &stacks::Code { modules: &host.modules, mpi: &mpi, waits })
}

/// Modules that may name a DLL: mpivet's own library first, then the MPI library, then all others.
fn dll_path(host: &Host, mpi: &Module, library: &Library) -> Result<(PathBuf, bool)> {
    let names = |module: &Module| locate::named_by(module, &host.symbols_of(module), &host.memory);
    let ours: Vec<PathBuf> = host
        .modules
        .iter()
        .filter(|m| m.name() == library::INTERPOSER)
        .flat_map(names)
        .filter(|p| p.is_file())
        .collect();
    if let Some(path) = ours.into_iter().next() {
        return Ok((path, true));
    }
    let mut named = names(mpi);
    if named.is_empty() {
        let others = host.modules.iter().filter(|m| m.path != mpi.path && m.name() != library::INTERPOSER);
        named = others.flat_map(names).collect();
    }
    Ok((locate::choose(&named, library)?, false))
}

fn queues(mut host: Host, mpi: &Module, library: &Library) -> Result<Queues> {
    let (path, ours) = dll_path(&host, mpi, library)?;
    let dll = Dll::load(&path)?;
    let dll_version = dll.version()?;
    let own_openmpi = !ours && library.family == Family::OpenMpi;
    host.seven_sizes = ours || own_openmpi;
    host.reach = if own_openmpi { openmpi::REACH } else { 0 };
    let types = if ours {
        "the DLL's own".to_owned()
    } else {
        let (types, from) = types(mpi, library)?;
        host.types = types;
        from
    };
    let host = Rc::new(host);
    let inter = if own_openmpi { openmpi::communicators(&host) } else { None };
    if own_openmpi && inter.is_none() {
        return Err(Error::Other(format!("the memory of {library} does not look as it should by {types}")));
    }
    host::install(Rc::clone(&host));
    let messages = dll.set_up().map_err(|e| explain(e, &host))?;
    let reader = Reader { dll: &dll, host: &host, own_openmpi, ours, family: library.family };
    let Reading { communicators, fingerprint, changing } = reader.steady()?;
    let fingerprint = (ours || own_openmpi).then_some(fingerprint);
    let mut all: Vec<String> = messages;
    all.extend(host.printed.borrow().iter().cloned());
    Ok(Queues { dll: path, dll_version, types, communicators, changing, fingerprint, messages: all })
}

/// Adds the symbols and types that the DLL asked for and did not get.
fn explain(error: Error, host: &Host) -> Error {
    if host.gone.get() {
        return Error::Gone;
    }
    let missing = host.missing.borrow();
    match error {
        Error::Dll { path, why } if !missing.is_empty() => {
            Error::Dll { path, why: format!("{why}; it asked in vain for {}", missing.join(", ")) }
        }
        other => other,
    }
}

/// The layouts of the library's types, and where they are from.
fn types(mpi: &Module, library: &Library) -> Result<(Types, String)> {
    const MARK: [&str; 2] = ["ompi_communicator_t", "MPIR_Comm"];
    let files = std::iter::once(mpi.file.clone()).chain(dwarf::separate(&mpi.file));
    let mut readable = files.filter_map(|file| DebugInfo::of(&file).ok().flatten());
    if let Some(info) = readable.find(|info| MARK.iter().any(|m| info.find(m).is_some())) {
        return Ok((Types::Dwarf(info), "debug information of the library".into()));
    }
    match table::for_library(library) {
        Some(layouts) => {
            let from = format!("mpivet's table for {library} ({})", layouts.from);
            Ok((Types::Table(layouts), from))
        }
        None => {
            let known: Vec<String> = table::known()
                .iter()
                .filter(|l| l.family == library.family)
                .map(|l| format!("{} {}", l.version, l.device).trim().to_owned())
                .collect();
            Err(Error::Other(format!(
                "the layout of {library} is not known: it has no debug information that mpivet can read, and mpivet has no table for this \
                 version (only for {}). Start the job with libmpivet.so in \
                 LD_PRELOAD, whose DLL serves every MPI library",
                if known.is_empty() { "others".to_owned() } else { known.join(", ") }
            )))
        }
    }
}

/// The state of a process at one time.
#[derive(Debug, PartialEq)]
struct Reading {
    communicators: Vec<Communicator>,
    fingerprint: u64,
    /// It was never read twice the same.
    changing: bool,
}

struct Reader<'a> {
    dll: &'a Dll,
    host: &'a Host,
    own_openmpi: bool,
    ours: bool,
    family: Family,
}

impl Reader<'_> {
    /// Reads until two readings are the same.
    fn steady(&self) -> Result<Reading> {
        let mut last: Option<Reading> = None;
        let mut error = None;
        for _ in 0..ATTEMPTS {
            self.host.touched.borrow_mut().clear();
            match self.all() {
                Ok(communicators) => {
                    let now = Reading { communicators, fingerprint: self.host.fingerprint(), changing: false };
                    if last.as_ref() == Some(&now) {
                        return Ok(now);
                    }
                    last = Some(now);
                }
                Err(Error::Gone) => return Err(Error::Gone),
                Err(e) => error = Some(e),
            }
        }
        match (last, error) {
            (Some(last), _) => Ok(Reading { changing: true, ..last }),
            (None, Some(error)) => Err(error),
            (None, None) => Err(Error::Other("the queues could not be read".into())),
        }
    }

    fn all(&self) -> Result<Vec<Communicator>> {
        let inter = if self.own_openmpi { openmpi::communicators(self.host) } else { None };
        self.dll.update_communicators()?;
        let mut all = Vec::new();
        let mut there = self.dll.first_communicator();
        while there {
            let one = self.dll.communicator()?;
            // Open MPI's DLL lists MPI_COMM_NULL, which nobody sends on.
            if one.size > 0 {
                let inter = inter.as_ref().and_then(|i| i.get(&u32::try_from(one.unique_id).ok()?).copied());
                all.push(self.communicator(&one, inter)?);
            }
            there = self.dll.next_communicator();
        }
        if self.host.gone.get() { Err(Error::Gone) } else { Ok(all) }
    }

    fn communicator(&self, one: &mqs::Communicator, inter: Option<bool>) -> Result<Communicator> {
        let group = self.dll.group(one.size);
        // The group of an intercommunicator is the other one, for mpivet's DLL.
        let elsewhere = || group.as_ref().filter(|_| self.ours).map(|g| !g.contains(&self.host.rank));
        let inter = inter.or_else(elsewhere);
        Ok(Communicator {
            id: one.unique_id,
            name: one.name(),
            rank: rank(one.local_rank),
            size: one.size,
            inter,
            sends: self.queue(op_class::PENDING_SENDS, inter)?,
            receives: self.queue(op_class::PENDING_RECEIVES, inter)?,
            unexpected: self.queue(op_class::UNEXPECTED_MESSAGES, inter)?,
            group,
        })
    }

    fn queue(&self, class: i32, inter: Option<bool>) -> Result<Queue> {
        if !self.dll.begin_operations(class) {
            return Ok(Queue::default());
        }
        let mut operations: Vec<(Option<openmpi::Request>, Operation)> = Vec::new();
        loop {
            self.host.fetched.borrow_mut().clear();
            let Some(one) = self.dll.next_operation()? else { break };
            let request = if self.own_openmpi { openmpi::request(self.host, one.buffer) } else { None };
            let mut operation = self.operation(&one, class, inter);
            if request.is_some_and(|r| !r.complete) && operation.status == Status::Complete {
                operation.status = Status::Pending;
            }
            operations.push((request, operation));
            if operations.len() > MOST_OPERATIONS {
                return Err(Error::Other("a queue has no end".into()));
            }
        }
        let ordered = !self.own_openmpi || operations.iter().all(|(request, _)| request.is_some());
        if self.own_openmpi && ordered {
            operations.sort_by_key(|(request, _)| request.map(|r| r.sequence));
        }
        let operations = operations.into_iter().map(|(_, operation)| operation).collect();
        Ok(Queue { given: true, ordered, operations })
    }

    fn operation(&self, one: &PendingOperation, class: i32, inter: Option<bool>) -> Operation {
        let status = match one.status {
            status::MATCHED => Status::Matched,
            status::COMPLETE => Status::Complete,
            _ => Status::Pending,
        };
        let send = class == op_class::PENDING_SENDS;
        let peer = Some(rank(one.desired_local_rank)).filter(|p| send || *p >= 0);
        let world_peer = Some(rank(one.desired_global_rank))
            .filter(|p| *p >= 0 && (self.ours || inter != Some(true)) && peer.is_some());
        let elements = self.family == Family::Mpich && !self.ours && class != op_class::UNEXPECTED_MESSAGES;
        let actual = (send || status != Status::Pending || class == op_class::UNEXPECTED_MESSAGES).then(|| Actual {
            peer: rank(one.actual_local_rank),
            world_peer: rank(one.actual_global_rank),
            tag: rank(one.actual_tag),
            length: one.actual_length,
        });
        Operation {
            status,
            peer,
            world_peer,
            tag: (one.tag_wild == 0).then(|| rank(one.desired_tag)),
            length: one.desired_length,
            unit: if elements { Unit::Elements } else { Unit::Bytes },
            buffer: one.buffer,
            system_buffer: one.system_buffer != 0,
            actual,
            text: one.extra_lines(),
        }
    }
}

/// Ranks and tags are `int`; Open MPI's DLL gives them without their sign.
fn rank(word: mqs::Word) -> i64 {
    if (i64::from(i32::MAX)..=i64::from(u32::MAX)).contains(&word) { i64::from(word as i32) } else { word }
}
