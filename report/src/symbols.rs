//! The sources of calls: collects the modules and call stacks of all ranks while their traces are read, and resolves
//! those that a report or a print needs. Ranks of one program share its debug information.

use crate::debuginfod::Server;
use crate::source::{Code, Language, Moved};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};
use symbols::variables::{Declared, StackFrame, Storage, Syntax, Variables};
use symbols::{Fetch, Files, Loaders, MAX_SOURCE, Modules};
use trace_format::definition::{Definition, Id};
use trace_format::location::Location;
use trace_format::room::make_room;
use trace_format::run::discovery::Frame;
use trace_format::untrusted;

/// Modules and stacks of a rank.
#[derive(Default)]
struct Rank {
    modules: Modules,
    stacks: Stacks,
    sources: FxHashMap<Id, Location>,
    interpreted: FxHashMap<Id, Interpreted>,
    known: FxHashMap<Id, Vec<Location>>,
    cwd: String,
}

/// The call stacks of a rank, in little room: a job may have thousands of ranks.
#[derive(Default)]
struct Stacks {
    /// By their numbers, which mostly come in order.
    stacks: Vec<Stack>,
    frames: Vec<u64>,
}

struct Stack {
    id: Id,
    /// The number of modules that had come: another may lie in the place of one that was unloaded.
    modules: u32,
    /// Its return addresses in [`Stacks::frames`].
    frames: (u32, u32),
}

impl Stacks {
    fn add(&mut self, id: Id, modules: usize, frames: &[u64]) {
        let start = self.frames.len();
        make_room(&mut self.frames, frames.len());
        self.frames.extend_from_slice(frames);
        let place = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let stack = Stack { id, modules: place(modules), frames: (place(start), place(self.frames.len())) };
        match self.stacks.binary_search_by_key(&id, |s| s.id) {
            Ok(at) => self.stacks[at] = stack,
            Err(at) => self.stacks.insert(at, stack),
        }
    }

    /// The number of modules that had come, and the return addresses, innermost first.
    fn get(&self, id: Id) -> Option<(usize, &[u64])> {
        let stack = &self.stacks[self.stacks.binary_search_by_key(&id, |s| s.id).ok()?];
        let (start, end) = stack.frames;
        Some((stack.modules as usize, self.frames.get(start as usize..end as usize)?))
    }
}

/// A call site in an interpreted program, as [`Definition::SourceStack`] has it.
#[derive(Clone)]
struct Interpreted {
    sources: Rc<[Id]>,
    stack: Id,
    interpreter: u64,
}

impl Rank {
    /// The return addresses of a call site, with the number of modules that had come, and the places in interpreted
    /// code that they were called from.
    fn call_site(&self, site: Id) -> (usize, Vec<u64>, Vec<Location>) {
        let stack = |id: Id| self.stacks.get(id).map(|(n, s)| (n, s.to_vec())).unwrap_or_default();
        let Some(Interpreted { sources, stack: below, interpreter }) = self.interpreted.get(&site) else {
            let (modules, addresses) = stack(site);
            return (modules, addresses, Vec::new());
        };
        let (modules, mut addresses) = stack(*below);
        // The interpreter's own frames, and those that started it, say nothing.
        if let Some(module) = self.modules.of_then(*interpreter, modules) {
            let inside = addresses.iter().position(|a| module.holds(*a));
            addresses.truncate(inside.unwrap_or(addresses.len()));
        }
        (modules, addresses, sources.iter().filter_map(|id| self.sources.get(id).cloned()).collect())
    }
}

/// The library that records.
const INTERPOSER: &str = "libmpivet.so";
/// The module of frames in interpreted code.
pub(crate) const INTERPRETED: &str = "python";

/// Modules and stacks of all ranks.
#[derive(Default)]
pub struct Symbols {
    ranks: FxHashMap<i32, Rank>,
    files: Files,
    loaders: Loaders,
    resolved: FxHashMap<Frame, Rc<[Location]>>,
    codes: FxHashMap<PathBuf, Option<Rc<Code>>>,
    moved: Moved,
    /// Start of the first process.
    started: Option<SystemTime>,
    /// Source files that were read and that are younger than the run.
    changed: BTreeSet<PathBuf>,
    variables: Variables,
}

impl Symbols {
    pub fn add_rank(&mut self, rank: i32, cwd: &str) {
        cwd.clone_into(&mut self.ranks.entry(rank).or_default().cwd);
    }

    /// A process started then, in nanoseconds since 1970; 0: nobody knows.
    pub fn started(&mut self, unix_ns: u64) {
        if unix_ns == 0 {
            return;
        }
        let start = SystemTime::UNIX_EPOCH + Duration::from_nanos(unix_ns);
        self.started = Some(self.started.map_or(start, |known| known.min(start)));
    }

    /// Searches below these directories for sources that are not where they were.
    pub fn search_in(&mut self, directories: Vec<PathBuf>) {
        self.moved.search_in(directories);
    }

    /// Gets debug information that is not here from the servers that the user names.
    pub fn ask_servers(&mut self) {
        self.loaders.fetch = Server::of_environment().map(|server| -> Fetch { Box::new(move |id| server.find(id)) });
    }

    /// Source files that were changed after the run: what is shown of them may not be what ran.
    pub fn changed(&self) -> &BTreeSet<PathBuf> {
        &self.changed
    }

    pub fn define(&mut self, rank: i32, definition: &Definition) {
        let rank = self.ranks.entry(rank).or_default();
        match definition {
            Definition::Module(module) => rank.modules.add(module, &mut self.files),
            Definition::Stack { id, frames } => {
                rank.stacks.add(*id, rank.modules.count(), frames);
            }
            Definition::Source { id, file, function, line } => {
                let (file, function, module) = (file.clone(), function.clone(), INTERPRETED.to_owned());
                rank.sources.insert(*id, Location { function, file, line: *line, module, offset: 0 });
            }
            Definition::SourceStack { id, sources, stack, interpreter } => {
                let sources = sources.as_slice().into();
                rank.interpreted.insert(*id, Interpreted { sources, stack: *stack, interpreter: *interpreter });
            }
            _ => {}
        }
    }

    /// Says where a call site is, so that it need not be looked up.
    pub fn set_frames(&mut self, rank: i32, site: Id, frames: Vec<Location>) {
        self.ranks.entry(rank).or_default().known.insert(site, frames);
    }

    /// The frames of a call, innermost first, inlined functions as frames of their own: the instruction `pc` (0: none),
    /// then those of the stack. In an interpreted program: the frames outside of the interpreter, then those of the
    /// program's functions.
    pub fn frames(&mut self, rank: i32, site: Id, pc: u64) -> Vec<Location> {
        let known = self.ranks.get(&rank);
        if let Some(frames) = known.and_then(|r| r.known.get(&site)) {
            return frames.clone();
        }
        let (modules, stack, interpreted) = known.map(|r| r.call_site(site)).unwrap_or_default();
        let mut frames = Vec::new();
        if pc != 0 {
            frames.extend_from_slice(&self.locate(rank, pc, usize::MAX));
        }
        for return_address in stack {
            // The call is the instruction before the one that it returns to.
            frames.extend_from_slice(&self.locate(rank, return_address.saturating_sub(1), modules));
        }
        frames.extend(interpreted);
        // A callback of the program is called from this library, which stands between the program and MPI.
        let of_mpivet = |place: &Location| place.module.rsplit('/').next() == Some(INTERPOSER);
        if !frames.iter().all(of_mpivet) {
            frames.retain(|place| !of_mpivet(place));
        }
        frames
    }

    fn locate(&mut self, rank: i32, address: u64, modules: usize) -> Rc<[Location]> {
        let rank = self.ranks.get(&rank);
        self.at(rank.map_or_else(|| Frame::at(None, address), |r| r.modules.frame_then(address, modules)))
    }

    /// The source places of an instruction, innermost inlined function first.
    pub fn at(&mut self, frame: Frame) -> Rc<[Location]> {
        let Symbols { loaders, resolved, .. } = self;
        Rc::clone(resolved.entry(frame).or_insert_with_key(|frame| loaders.locate(frame).into()))
    }

    /// Takes over the debug information that was read for others.
    pub fn adopt(&mut self, loaders: Loaders) {
        self.loaders.adopt(loaders);
    }

    /// The text of a source line.
    pub fn source(&mut self, rank: i32, file: &str, line: u32) -> Option<String> {
        self.code(rank, file)?.line(line).map(str::to_owned)
    }

    /// A source file, with what is code in it.
    pub(crate) fn code(&mut self, rank: i32, file: &str) -> Option<Rc<Code>> {
        let path = self.source_path(rank, file);
        let Symbols { codes, changed, started, .. } = self;
        let code = codes.entry(path).or_insert_with_key(|path| {
            let bytes = untrusted::read(path, MAX_SOURCE).ok()?;
            let written = std::fs::metadata(path).and_then(|m| m.modified()).ok();
            if started.zip(written).is_some_and(|(started, written)| written > started) {
                changed.insert(path.clone());
            }
            Some(Rc::new(Code::new(Language::of(file), &String::from_utf8_lossy(&bytes))))
        });
        code.clone()
    }

    /// Was a source file, which was read, changed after the run?
    pub(crate) fn is_changed(&mut self, rank: i32, file: &str) -> bool {
        let path = self.source_path(rank, file);
        self.changed.contains(&path)
    }

    /// Does a source file define a macro whose name is a word of `text`?
    pub(crate) fn has_macro(&mut self, rank: i32, file: &str, text: &str) -> bool {
        let Some(code) = self.code(rank, file) else { return false };
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut defined = code.lines.iter().filter_map(|line| {
            let name = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
            name.split(|c| !is_word(c)).next()
        });
        defined.any(|name| text.split(|c| !is_word(c)).any(|word| !word.is_empty() && word == name))
    }

    /// The call that the innermost frame of a call site is in.
    pub(crate) fn call(&self, rank: i32, site: Id) -> Option<Frame> {
        let rank = self.ranks.get(&rank)?;
        let (modules, addresses, interpreted) = rank.call_site(site);
        if !interpreted.is_empty() {
            return None;
        }
        let address = addresses.first()?.saturating_sub(1);
        Some(rank.modules.of_then(address, modules)?.frame(address))
    }

    /// The variable that holds an address when a call is made at a call site. `slots`: where its return addresses lie, if they
    /// always lie there.
    pub(crate) fn storage(&mut self, rank: i32, site: Id, slots: &[u64], address: u64) -> Option<Storage> {
        let Symbols { ranks, loaders, variables, .. } = self;
        let rank = ranks.get(&rank)?;
        let (modules, addresses, _) = rank.call_site(site);
        if let Some(module) = rank.modules.of_then(address, modules) {
            let found = variables.in_module(&module.frame(address), loaders.fetch.as_ref())?;
            return Some(Storage { start: found.start.wrapping_add(module.bias()), ..found });
        }
        let calls = addresses.iter().map(|address| address.saturating_sub(1));
        let calls = calls.map(|address| rank.modules.frame_then(address, modules));
        variables.on_stack(&stack_frames(calls, slots), address, loaders.fetch.as_ref())
    }

    /// The declared type of what an argument of a call names, which is at this line of the source.
    pub(crate) fn declared(&mut self, call: &Frame, line: u32, syntax: Syntax, argument: &str) -> Option<Declared> {
        self.variables.declared(call, line, syntax, argument, self.loaders.fetch.as_ref())
    }

    /// The path of a source file. The compiler's path is tried from the directory in which the rank was started, then
    /// as it is, then elsewhere.
    fn source_path(&mut self, rank: i32, file: &str) -> PathBuf {
        let cwd = self.ranks.get(&rank).map_or("", |r| r.cwd.as_str());
        let there = Path::new(file);
        let path = if there.is_absolute() { there.to_owned() } else { Path::new(cwd).join(there) };
        if path.exists() {
            return path;
        }
        if there.exists() { there.to_owned() } else { self.moved.find(&path).unwrap_or(path) }
    }

    /// `file` without the directory that the rank was started in.
    pub fn short_path<'a>(&self, rank: i32, file: &'a str) -> &'a str {
        let cwd = self.ranks.get(&rank).map_or("", |r| r.cwd.as_str());
        let inside = file.strip_prefix(cwd).and_then(|f| f.strip_prefix('/'));
        inside.filter(|f| !cwd.is_empty() && !f.is_empty()).unwrap_or(file)
    }

    /// The program's own place of a call site, and how it is shown: `file:line` in short, or what else is known.
    pub fn user_place(&mut self, rank: i32, site: Id) -> Option<(Location, String)> {
        let mut frames = self.frames(rank, site, 0);
        let place = frames.swap_remove(user_frame(&frames)?);
        let shown = match place.line > 0 && !place.file.is_empty() {
            true => format!("{}:{}", self.short_path(rank, &place.file), place.line),
            false => place.to_string(),
        };
        Some((place, shown))
    }

    /// Modules whose debug information is not what it should be, and why.
    pub fn problems(&self) -> &BTreeMap<String, String> {
        &self.loaders.problems
    }
}

/// Where the functions of a stack have their frames, if it is known where return addresses lie.
fn stack_frames(calls: impl Iterator<Item = Frame>, slots: &[u64]) -> Vec<StackFrame> {
    let word = size_of::<u64>() as u64;
    // A return address lies below the frame of the function that it leads to.
    let ends = slots.windows(2).map(|pair| (pair[0].saturating_add(word), pair[1].saturating_add(word)));
    calls.zip(ends).map(|(call, memory)| StackFrame { call, memory }).collect()
}

/// Is the place in the user's code? Not in an MPI library, its bindings, an interpreter, mpivet or the system's
/// libraries.
pub fn is_user(place: &Location) -> bool {
    // mpi4py as it is installed: its extension module, and what it has in Python. And mpivet's own package, which calls
    // MPI_Pcontrol for the program.
    const PYTHON_BINDINGS: [&str; 2] = ["-packages/mpi4py/", "-packages/mpivet/"];
    if PYTHON_BINDINGS.iter().any(|b| place.module.contains(b) || place.file.contains(b)) {
        return false;
    }
    if place.module == INTERPRETED {
        return true;
    }
    const LIBRARIES: [&str; 18] = [
        "libmpi",
        "libpmpi",
        "libmpich",
        "mca_",
        "libopen-",
        "libpmix",
        "libucp",
        "libuct",
        "libucs",
        "libfabric",
        "libc.so",
        "libc-",
        "libpthread",
        "ld-",
        "libm.so",
        "linux-vdso",
        "libpython",
        "libffi",
    ];
    let name = place.module.rsplit('/').next().unwrap_or("");
    let version = name.strip_prefix("python");
    let is_interpreter = version.is_some_and(|v| v.bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    !is_interpreter && !LIBRARIES.iter().any(|prefix| name.starts_with(prefix)) && !place.is_inlined_binding()
}

/// Is the place in what was installed, not written by the user: libraries of the system, packages of Python, headers?
fn is_installed(place: &Location) -> bool {
    const PLACES: [&str; 8] = [
        "/usr/lib",
        "/lib/",
        "/lib64/",
        "/usr/bin/",
        "/usr/local/lib",
        "/usr/include/",
        "/usr/local/include/",
        "/snap/",
    ];
    const PACKAGES: [&str; 2] = ["-packages/", "/lib/python3."];
    let is_in = |path: &str| PLACES.iter().any(|p| path.starts_with(p)) || PACKAGES.iter().any(|p| path.contains(p));
    is_in(&place.file) || place.module != INTERPRETED && is_in(&place.module)
}

/// The line that the user wrote: the innermost frame of the program's own code that has a source line, or else the
/// innermost frame of that code. Where all code is installed, all of it counts that belongs neither to MPI nor to the
/// system.
pub fn user_frame(frames: &[Location]) -> Option<usize> {
    let user = |l: &Location| is_user(l) && !l.module.is_empty();
    let own = |l: &Location| user(l) && !is_installed(l);
    let has_line = |l: &Location| !l.file.is_empty() && l.line > 0;
    frames
        .iter()
        .position(|l| own(l) && has_line(l))
        .or_else(|| frames.iter().position(own))
        .or_else(|| frames.iter().position(|l| user(l) && has_line(l)))
        .or_else(|| frames.iter().position(user))
        .or(if frames.is_empty() { None } else { Some(0) })
}

/// The library that made a call, if it is an installed one and not MPI: `libpetsc_real.so.3.18`, or a package of
/// Python. A program that is installed itself is no library.
pub fn library(frames: &[Location]) -> Option<String> {
    let innermost = frames.iter().find(|l| is_user(l) && !l.module.is_empty())?;
    if !is_installed(innermost) {
        return None;
    }
    if innermost.module == INTERPRETED {
        let (_, inside) = innermost.file.rsplit_once("-packages/")?;
        let package = inside.split('/').next()?;
        return Some(package.strip_suffix(".py").unwrap_or(package).to_owned());
    }
    let name = innermost.module.rsplit('/').next()?;
    name.contains(".so").then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::definition::Module;

    fn place(module: &str, file: &str, line: u32) -> Location {
        Location { module: module.into(), file: file.into(), line, ..Location::default() }
    }

    #[test]
    fn the_users_line_is_behind_the_bindings() {
        let fortran = place("/usr/lib/libmpi_mpifh.so.40", "", 0);
        let with_debug = place("/opt/mpi/lib/libmpich.so.12", "/build/src/send.c", 10);
        let user = place("/home/me/app", "/home/me/app.f90", 7);
        let plugin = place("/home/me/plugin.so", "", 0);
        let libc = place("/lib/libc.so.6", "../csu/libc-start.c", 308);
        let of = |frames: &[&Location]| user_frame(&frames.iter().map(|l| (*l).clone()).collect::<Vec<_>>());
        assert_eq!(of(&[&fortran, &with_debug, &user, &libc]), Some(2));
        assert_eq!(of(&[&fortran, &plugin, &user]), Some(2));
        assert_eq!(of(&[&fortran, &plugin, &libc]), Some(1));
        assert_eq!(of(&[&fortran]), Some(0));
        let inline = Location {
            function: "MPI::Comm::Send(void const*, int, MPI::Datatype const&, int, int) const".into(),
            ..place("/home/me/app", "/usr/include/mpicxx.h", 1298)
        };
        assert_eq!(of(&[&inline, &user]), Some(1));
        assert_eq!(of(&[&inline, &libc]), Some(0));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn the_programs_own_line_is_behind_those_of_libraries() {
        let library_of = |frames: &[&Location]| library(&frames.iter().map(|l| (*l).clone()).collect::<Vec<_>>());
        let of = |frames: &[&Location]| user_frame(&frames.iter().map(|l| (*l).clone()).collect::<Vec<_>>());
        let petsc = place("/usr/lib/x86_64-linux-gnu/libpetsc_real.so.3.18.5", "", 0);
        let header = place("/home/me/app", "/usr/include/boost/mpi/communicator.hpp", 9);
        let (app, bare) = (place("/home/me/app", "/home/me/app.cpp", 7), place("/home/me/app", "", 0));
        let (fft, script) =
            (place("python", "/v/lib/python3.11/site-packages/mpi4py_fft/pencil.py", 87), place("python", "f.py", 5));
        let tool = place("/usr/bin/hpcc", "", 0);
        assert_eq!((of(&[&petsc, &bare]), of(&[&header, &app]), of(&[&fft, &script])), (Some(1), Some(1), Some(1)));
        assert_eq!((of(&[&petsc, &tool]), of(&[&tool, &tool])), (Some(0), Some(0)));
        assert_eq!(library_of(&[&petsc, &app]).as_deref(), Some("libpetsc_real.so.3.18.5"));
        assert_eq!(library_of(&[&fft, &script]).as_deref(), Some("mpi4py_fft"));
        let speaks = place("python", "/v/lib/python3.11/site-packages/mpivet/_annotations.py", 5);
        assert_eq!((of(&[&speaks, &script]), library_of(&[&speaks, &script])), (Some(1), None));
        let binding = place("/usr/lib/libmpi_mpifh.so.40", "", 0);
        assert_eq!((library_of(&[&binding, &app]), library_of(&[&tool]), library_of(&[])), (None, None, None));
    }

    #[test]
    fn without_python_lines_the_extension_is_named() {
        let extension = place("/v/site-packages/mpi4py/MPI.mpich.so", "", 0);
        let interpreter = place("/opt/bin/python3.10", "/build/Python/ceval.c", 4231);
        assert_eq!(user_frame(&[extension.clone(), interpreter.clone()]), Some(0));
        let module = place("/v/site-packages/solver.so", "", 0);
        assert_eq!(user_frame(&[extension.clone(), module, interpreter.clone()]), Some(1));
        let program = place("/home/me/python_tool", "/home/me/tool.c", 3);
        assert_eq!(user_frame(&[extension, interpreter, program]), Some(2));
    }

    #[test]
    fn python_lines_are_behind_the_extension_and_before_the_interpreter() {
        let mut symbols = Symbols::default();
        let module = |start, path: &str| {
            Definition::Module(Module { start, end: start + 0x1000, bias: start, path: path.into(), build_id: vec![] })
        };
        let source = |id, file: &str, line| Definition::Source { id, file: file.into(), function: "f".into(), line };
        for definition in [
            module(0x1000, "/v/site-packages/mpi4py/MPI.so"),
            module(0x5000, "/usr/bin/python3"),
            Definition::Stack { id: 3, frames: vec![0x1011, 0x5011, 0x1021, 0x5021] },
            source(1, "/v/site-packages/mpi4py/util.py", 4),
            source(2, "halo.py", 7),
            Definition::SourceStack { id: 4, sources: vec![1, 2], stack: 3, interpreter: 0x5500 },
        ] {
            symbols.define(0, &definition);
        }
        let frames = symbols.frames(0, 4, 0);
        assert_eq!(frames.iter().map(|f| (f.offset, f.line)).collect::<Vec<_>>(), [(0x10, 0), (0, 4), (0, 7)]);
        assert_eq!(user_frame(&frames), Some(2));
        assert_eq!(symbols.frames(0, 3, 0).len(), 4);
    }

    #[test]
    fn paths_are_shown_from_the_working_directory() {
        let mut symbols = Symbols::default();
        symbols.add_rank(0, "/home/me");
        assert_eq!(symbols.short_path(0, "/home/me/src/a.c"), "src/a.c");
        assert_eq!(symbols.short_path(0, "/home/melanie/a.c"), "/home/melanie/a.c");
        assert_eq!(symbols.short_path(1, "/a.c"), "/a.c");
    }

    #[test]
    fn addresses_without_a_module_stay_addresses() {
        let mut symbols = Symbols::default();
        symbols.define(0, &Definition::Stack { id: 3, frames: vec![0x1001, 0x2001] });
        let frames = symbols.frames(0, 3, 0x99);
        assert_eq!(frames.iter().map(|f| f.offset).collect::<Vec<_>>(), [0x99, 0x1000, 0x2000]);
        assert!(symbols.frames(1, 3, 0).is_empty());
    }
}
