//! Finds the launcher, the program behind it, the interposer and a directory for the traces before anything is started;
//! and explains afterwards why no rank left a trace.

pub(super) mod program;

use crate::cli::RunPlan;
use crate::exit::Exit;
use anyhow::anyhow;
use program::program;
use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use trace_format::owner_only;
use trace_format::run::early::Early;
use trace_format::run::jobs::Wrapped;

const LIBRARY: &str = "libmpivet.so";
/// Beside it: knows the blocks of the heap.
const HEAP_LIBRARY: &str = "libmpivet_heap.so";

pub(crate) struct Found {
    pub(crate) launcher: PathBuf,
    /// The program that the launcher starts, or the launcher itself.
    pub(crate) program: PathBuf,
    pub(crate) library: PathBuf,
    /// The library that knows the blocks of the heap, if that is wanted.
    heap: Option<PathBuf>,
}

impl Found {
    pub(crate) fn new(plan: &RunPlan) -> Result<Found, Exit> {
        let name = &plan.command[0];
        let launcher = executable(name).ok_or_else(|| Exit::Usage(not_runnable(name)))?;
        let program = program(&plan.command);
        let library = library()?;
        let heap = plan.heap.then(|| heap_library(&library)).transpose()?;
        Ok(Found { launcher, program, library, heap })
    }

    /// The libraries for LD_PRELOAD.
    pub(crate) fn preloaded(&self) -> PathBuf {
        let mut all = self.library.clone().into_os_string();
        if let Some(heap) = &self.heap {
            all.push(":");
            all.push(heap);
        }
        all.into()
    }

    fn program_name(&self) -> String {
        self.program.file_name().unwrap_or(OsStr::new("job")).to_string_lossy().into_owned()
    }
}

pub(super) fn not_runnable(name: &OsStr) -> String {
    let shown = name.to_string_lossy();
    let path = Path::new(name);
    if !shown.contains('/') {
        format!("cannot run `{shown}`: not found in PATH")
    } else if path.is_file() {
        format!("cannot run `{shown}`: the file is not executable")
    } else if path.is_dir() {
        format!("cannot run `{shown}`: it is a directory")
    } else {
        format!("cannot run `{shown}`: there is no such file")
    }
}

/// The executable file that `name` means, found as execvp(3) does.
pub(super) fn executable(name: &OsStr) -> Option<PathBuf> {
    let is_executable = |p: &Path| fs::metadata(p).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    if name.is_empty() {
        return None;
    }
    if name.to_string_lossy().contains('/') {
        let path = PathBuf::from(name);
        return is_executable(&path).then_some(path);
    }
    let dirs = std::env::var_os("PATH")?;
    std::env::split_paths(&dirs).map(|dir| dir.join(name)).find(|p| is_executable(p))
}

/// The interposer: where MPIVET_LIBRARY says, beside this executable, or in `../lib`.
pub(super) fn library() -> Result<PathBuf, Exit> {
    let path = match std::env::var_os("MPIVET_LIBRARY").filter(|v| !v.is_empty()) {
        Some(path) => {
            let path = PathBuf::from(path);
            let there = path.is_file().then_some(path.clone());
            there.ok_or_else(|| Exit::cannot(anyhow!("MPIVET_LIBRARY names {}, which is not there", path.display())))?
        }
        None => {
            let exe = std::env::current_exe().unwrap_or_default();
            let dir = exe.parent().unwrap_or(Path::new("."));
            let places = [dir.join(LIBRARY), dir.join("../lib").join(LIBRARY)];
            places.iter().find(|p| p.is_file()).cloned().ok_or_else(|| {
                Exit::cannot(anyhow!(
                    "{LIBRARY} is neither in {} nor in ../lib from there; `cargo install mpivet` does not bring it: \
                     `pip install mpivet` and the other packages do (docs/install.md), or set MPIVET_LIBRARY to its path",
                    dir.display()
                ))
            })?
        }
    };
    let path = path.canonicalize().map_err(Exit::cannot)?;
    if path.to_string_lossy().contains([' ', ':']) {
        return Err(Exit::cannot(anyhow!(
            "the path {} cannot be preloaded, because it holds a blank or a colon; copy {LIBRARY} elsewhere and set \
             MPIVET_LIBRARY to its path",
            path.display()
        )));
    }
    Ok(path)
}

fn heap_library(library: &Path) -> Result<PathBuf, Exit> {
    let path = library.with_file_name(HEAP_LIBRARY);
    let there = path.is_file().then_some(path.clone());
    there.ok_or_else(|| Exit::cannot(anyhow!("--heap and --precise need {}, which is not there", path.display())))
}

/// The name, with a number if something of that name is there: processes on other hosts have the same numbers as on this one.
/// An own directory is left there, empty.
fn free_name(name: &str) -> PathBuf {
    let mut names = (0..1000).map(|n| PathBuf::from(if n == 0 { name.to_owned() } else { format!("{name}.{n}") }));
    // Whatever else is wrong is found, and told, by whoever uses it.
    names.find(|name| !is_taken(name)).unwrap_or_else(|| name.into())
}

fn is_taken(name: &Path) -> bool {
    owner_only::make_new_dir(name).is_err_and(|e| e.kind() == ErrorKind::AlreadyExists)
}

/// Makes the trace directory; its path as typed, and the absolute one.
pub(crate) fn make_directory(plan: &RunPlan, found: &Found) -> Result<(PathBuf, PathBuf), Exit> {
    let dir = match &plan.dir {
        Some(dir) => dir.clone(),
        None => free_name(&format!("mpivet-{}-{}", found.program_name(), std::process::id())),
    };
    let cannot = |e: std::io::Error| {
        Exit::Usage(format!(
            "cannot write the trace directory {}: {e}; choose another place with --dir DIR",
            dir.display()
        ))
    };
    owner_only::make_dir(&dir).map_err(cannot)?;
    let holds_one = |dir: &Path| {
        trace_reader::reader::traces_in(dir).map(|traces| !traces.is_empty() || !Early::all_in(dir).is_empty())
    };
    let holds_several = Wrapped::read(&dir).is_some() || holds_one(&dir.join("run-1")).unwrap_or(false);
    if holds_one(&dir).map_err(cannot)? || holds_several {
        return Err(Exit::Usage(format!(
            "{} already holds a trace; remove it, or choose another place with --dir DIR",
            dir.display()
        )));
    }
    // The directory may be there and yet not be ours to write to.
    let probe = dir.join(".mpivet-probe");
    owner_only::write(&probe, b"mpivet").map_err(cannot)?;
    fs::remove_file(&probe).map_err(cannot)?;
    let absolute = dir.canonicalize().map_err(cannot)?;
    Ok((dir, absolute))
}

/// Reasons, known before the job starts, why it will be one without MPI or without traces.
pub(crate) fn warning(found: &Found) -> Option<String> {
    let program = found.program.display();
    match linkage(&found.program)? {
        Linkage::Static => Some(format!(
            "{program} is a static executable, which LD_PRELOAD cannot reach: nothing will be recorded; link it dynamically"
        )),
        Linkage::WithoutMpi => Some(format!(
            "{program} is not linked with an MPI library, and can neither load one nor start another program: nothing will be \
             recorded"
        )),
        Linkage::Musl => Some(format!("{program} {MUSL}: its ranks will not start")),
        Linkage::Dynamic { .. } => None,
    }
}

/// Why a program with another C library is none for mpivet.
pub(super) const MUSL: &str =
    "is linked with musl, whose loader cannot preload libmpivet.so, which is for the GNU C library";

/// Why the job ended and no rank left a trace.
pub(crate) fn why_no_trace(found: &Found, code: u8) -> String {
    let program = found.program.display();
    let what = match linkage(&found.program) {
        Some(Linkage::Static) => {
            return format!("{program} is a static executable: LD_PRELOAD cannot reach it; link it dynamically");
        }
        Some(Linkage::Musl) => {
            return format!("{program} {MUSL}; use a program and an MPI library that are built for it");
        }
        _ if code != 0 => {
            return format!(
                "nothing to analyze: the job ended with code {code} before any rank got through MPI_Init; its own \
                 messages above say why"
            );
        }
        _ => "the job ended and no rank called MPI_Init",
    };
    let advice = if found.program == found.launcher {
        format!("is `{program}` the MPI launcher (mpirun, mpiexec, srun) or an MPI program?")
    } else if matches!(linkage(&found.program), Some(Linkage::Dynamic { mpi: false } | Linkage::WithoutMpi)) {
        format!("{program} is not linked with an MPI library")
    } else {
        "does the program use MPI, and does the launcher pass LD_PRELOAD and MPIVET_DIR on to its ranks?".into()
    };
    format!("nothing to analyze: {what}; {advice}")
}

/// The linkage of an executable.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Linkage {
    Static,
    /// With the loader of musl.
    Musl,
    /// `mpi`: an MPI library is among those it needs (itself; they may need one in turn).
    Dynamic {
        mpi: bool,
    },
    /// No library that it needs is one of MPI, and it can neither load one later nor start another program.
    WithoutMpi,
}

/// Libraries that do not load others or start programs unless the program asks for it; what their names begin with.
const HARMLESS: [&[u8]; 9] = [
    b"libc.so",
    b"libm.so",
    b"libmvec.so",
    b"librt.so",
    b"libpthread.so",
    b"libgcc_s.so",
    b"libstdc++.so",
    b"libgfortran.so",
    b"libquadmath.so",
];
/// Beginnings of the names of functions that load libraries or start programs.
const LOADERS: [&[u8]; 6] = [b"exec", b"dlopen", b"posix_spawn", b"system", b"popen", b"syscall"];

/// Can an executable with these names in it never come to use MPI?
fn is_for_ever_without_mpi(data: &[u8]) -> bool {
    data.split(|byte| *byte == 0).all(|name| {
        let is_library = name.starts_with(b"lib") && name.windows(3).any(|part| part == b".so");
        let is_harmless = !is_library || HARMLESS.iter().any(|known| name.starts_with(known));
        is_harmless && !LOADERS.iter().any(|loader| name.starts_with(loader))
    })
}

pub(super) fn is_linked_with_mpi(path: &Path) -> bool {
    linkage(path) == Some(Linkage::Dynamic { mpi: true })
}

/// `None` if the file is no ELF executable of this kind of machine (a script, for example).
pub(super) fn linkage(path: &Path) -> Option<Linkage> {
    const PT_INTERP: u32 = 3;
    let data = fs::read(path).ok()?;
    let word = |at: usize, n: usize| {
        let bytes = data.get(at..at + n)?;
        Some(bytes.iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b)))
    };
    // 64-bit, little-endian: what libmpivet.so is built for.
    if !data.starts_with(b"\x7fELF\x02\x01") {
        return None;
    }
    let (table, size, count) = (word(0x20, 8)? as usize, word(0x36, 2)? as usize, word(0x38, 2)? as usize);
    let headers = (0..count).map(|i| table.saturating_add(i.saturating_mul(size)));
    let mut loaders = headers.filter(|at| word(*at, 4) == Some(u64::from(PT_INTERP)));
    let Some(loader) = loaders.next() else { return Some(Linkage::Static) };
    // The place of its path in the file, and the length.
    let path = word(loader.saturating_add(8), 8).zip(word(loader.saturating_add(32), 8)).and_then(|(at, length)| {
        let at = usize::try_from(at).ok()?;
        data.get(at..at.checked_add(usize::try_from(length).ok()?)?)
    });
    if path.is_some_and(|path| path.windows(7).any(|part| part == b"ld-musl")) {
        return Some(Linkage::Musl);
    }
    let mpi = data.windows(6).any(|w| w == b"libmpi");
    if !mpi && is_for_ever_without_mpi(&data) {
        return Some(Linkage::WithoutMpi);
    }
    Some(Linkage::Dynamic { mpi })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_test_is_dynamic_and_no_mpi_program() {
        let me = std::env::current_exe().unwrap();
        assert!(matches!(linkage(&me), Some(Linkage::Dynamic { .. })));
        assert_eq!(linkage(Path::new("/proc/self/status")), None);
        assert_eq!(linkage(Path::new("/nonexistent")), None);
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let name = std::env::temp_dir().join(format!("mpivet-free-{}", std::process::id())).display().to_string();
        let names: Vec<PathBuf> = (0..3).map(|_| free_name(&name)).collect();
        assert_eq!(names, ["", ".1", ".2"].map(|end| PathBuf::from(format!("{name}{end}"))));
        names.iter().for_each(|name| fs::remove_dir(name).unwrap());
    }

    #[test]
    fn a_launcher_that_cannot_run_is_named() {
        assert_eq!(not_runnable(OsStr::new("foo")), "cannot run `foo`: not found in PATH");
        assert!(not_runnable(OsStr::new("/etc/passwd")).ends_with("not executable"));
        assert!(not_runnable(OsStr::new("/etc")).ends_with("a directory"));
        assert!(not_runnable(OsStr::new("./nothing")).ends_with("no such file"));
    }
}
