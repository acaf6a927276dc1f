//! Compiles a program once for each MPI, and again only when its text, the flags or the compiler change.

use crate::mpi::Mpi;
use anyhow::{Context as _, Result, bail, ensure};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// Flags of every language. Compilers run in the top directory.
const FLAGS: [&str; 6] = ["-Iinclude", "-g", "-O1", "-pthread", "-Wall", "-lm"];

/// Warnings are errors: a test program must not be wrong by accident. The two that are off are raised by MPI_STATUSES_IGNORE
/// and MPI_UNWEIGHTED of the libraries' own headers.
macro_rules! strict {
    ($($flag:literal),*) => {
        &["-Wextra", "-Werror", "-Wno-stringop-overflow", "-Wno-stringop-overread", $($flag),*]
    };
}

/// A language of test programs: the ending of its sources, and its flags besides [`FLAGS`].
struct Language {
    ending: &'static str,
    flags: &'static [&'static str],
}

/// Open MPI's headers of its C++ bindings cast functions. Choice buffers of `mpif.h` and `use mpi` have no interface.
const LANGUAGES: [Language; 3] = [
    Language { ending: "c", flags: strict!("-std=gnu11") },
    Language { ending: "cpp", flags: strict!("-std=gnu++17", "-Wno-cast-function-type") },
    Language { ending: "f90", flags: &["-fallow-argument-mismatch", "-Wno-argument-mismatch"] },
];

/// Is it the ending of a source that [`compile`] knows?
pub fn is_source(path: &Path) -> bool {
    language(path).is_some()
}

fn language(source: &Path) -> Option<&'static Language> {
    let extension = source.extension()?;
    LANGUAGES.iter().find(|language| extension == language.ending)
}

/// The program made from `source`. It is named by the source, and lives in a directory of its own.
pub fn compile(mpi: &Mpi, source: &Path, scratch: &Path) -> Result<PathBuf> {
    let text = std::fs::read(source).with_context(|| format!("cannot read {}", source.display()))?;
    let language = language(source).with_context(|| format!("what language is {}?", source.display()))?;
    let compiler = match language.ending {
        "cpp" => mpi.mpicxx.clone(),
        "f90" => mpi.mpifort().with_context(|| format!("{} has no Fortran compiler", mpi.name))?,
        _ => mpi.mpicc.clone(),
    };
    let compiler = &compiler;
    let flags = [language.flags, &FLAGS].concat();
    let built = std::fs::metadata(compiler).with_context(|| compiler.display().to_string())?.modified().ok();
    let key = format!("{mpi:?} {flags:?} {built:?} {}", source.display());
    let hash = xxh3_64(&[&text, key.as_bytes()].concat());
    let stem = source.file_stem().context("a source file has a name")?;
    let dir = scratch.join("programs").join(format!("{}-{hash:016x}", mpi.name));
    let program = dir.join(stem);
    // Tests run side by side, and several of them may want the same program: it is compiled while only this is locked.
    static COMPILING: Mutex<BTreeMap<u64, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let one = Arc::clone(COMPILING.lock().unwrap_or_else(PoisonError::into_inner).entry(hash).or_default());
    let _one_at_a_time = one.lock().unwrap_or_else(PoisonError::into_inner);
    if program.exists() {
        return Ok(program);
    }
    std::fs::create_dir_all(&dir)?;
    let modules = format!("-J{}", dir.display());
    let mut flags = flags;
    if language.ending == "f90" {
        flags.push(&modules);
    }
    let part = dir.join(format!("part-{}", std::process::id()));
    compile_to(mpi, &part, compiler, &flags, source)?;
    // Another test executable may have made it meanwhile, and run it: the file of a process stays where it is.
    if let Err(error) = std::fs::hard_link(&part, &program) {
        ensure!(error.kind() == ErrorKind::AlreadyExists, "{}: {error}", program.display());
    }
    std::fs::remove_file(&part)?;
    Ok(program)
}

/// Makes `program` from `source` with one of the compilers of an MPI.
pub fn compile_to(mpi: &Mpi, program: &Path, compiler: &Path, flags: &[&str], source: &Path) -> Result<()> {
    // In the top directory with a relative name, so that debug information and reports do not depend on the machine.
    let root = crate::root();
    let relative = source.strip_prefix(&root).unwrap_or(source);
    let output = mpi
        .compiler(compiler)
        .current_dir(&root)
        .arg(relative)
        .args(flags)
        .arg("-o")
        .arg(program)
        .output()
        .with_context(|| format!("cannot run {}", compiler.display()))?;
    if !output.status.success() {
        bail!(
            "{} does not compile with {}:\n{}",
            relative.display(),
            compiler.display(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}
