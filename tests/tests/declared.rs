//! Buffers against the declarations of their variables, whatever the optimizer has made of these; and nothing is said of programs
//! without debug information.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile_to;
use mpivet_tests::mpi::Mpi;
use mpivet_tests::share::Turn;
use mpivet_tests::{root, scratch, share, vet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Programs of the examples, and what is found in each.
const PROGRAMS: [(&str, Option<&str>); 12] = [
    ("buffer-type/bug.c", Some("buffer-type")),
    ("buffer-type/bug-long.c", Some("buffer-type")),
    ("buffer-type/bug-struct.c", Some("buffer-type")),
    ("buffer-type/bug-vector.cpp", Some("buffer-type")),
    ("buffer-type/bug-fortran.f90", Some("buffer-type")),
    ("buffer-too-small/bug.c", Some("buffer-too-small")),
    ("buffer-too-small/bug-caller.c", Some("buffer-too-small")),
    ("buffer-too-small/bug-column.c", Some("buffer-too-small")),
    ("buffer-too-small/bug-array.cpp", Some("buffer-too-small")),
    ("clean/buffers-of-variables.c", None),
    ("clean/cpp-variables.cpp", None),
    ("clean/fortran-variables.f90", None),
];

/// `flags`: of the compiler; a program that rewrites the executable stands behind `+`.
fn report(mpi: &Mpi, dir: &Path, example: &str, flags: &[&str]) -> Result<String> {
    _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir)?;
    let (source, program) = (root().join("examples").join(example), dir.join("program"));
    let compiler = match source.extension().and_then(|e| e.to_str()) {
        Some("cpp") => mpi
            .mpicc
            .with_file_name(mpi.mpicc.file_name().context("a name")?.to_string_lossy().replacen("cc", "cxx", 1)),
        Some("f90") => mpi.mpifort().context("no Fortran compiler")?,
        _ => mpi.mpicc.clone(),
    };
    let modules = format!("-J{}", dir.display());
    let (tools, mut flags): (Vec<&str>, Vec<&str>) = flags.iter().partition(|flag| flag.starts_with('+'));
    if example.ends_with("f90") {
        flags.extend(["-fallow-argument-mismatch", &modules]);
    }
    compile_to(mpi, &program, &compiler, &flags, &source)?;
    for tool in tools.iter().map(|tool| tool.trim_start_matches('+')) {
        let done = Command::new(tool).arg(&program).status()?;
        ensure!(done.success(), "{tool} {}", program.display());
    }
    let mut job = vet::vet(&mpi.job(2, &program, &[]), &dir.join("run"), LIMIT)?;
    Ok(std::mem::take(&mut job.outcome.stderr))
}

/// So many commits play all programs.
const THIRDS: u64 = 3;

fn each(test: impl Fn(&Mpi, &Path, &str, Option<&str>) -> Result<()>) -> Result<()> {
    let turn = Turn::now();
    for (_, (example, check)) in (0..).zip(PROGRAMS).filter(|(number, _)| turn.includes(*number, THIRDS)) {
        for mpi in share::mpis(example).iter().filter(|mpi| matches!(mpi.name, "mpich" | "openmpi")) {
            let name = example.replace(['/', '.'], "-");
            test(mpi, &scratch().join(format!("declared-{}-{name}", mpi.name)), example, check)?;
        }
    }
    Ok(())
}

fn is_as_it_should(said: &str, check: Option<&str>) -> Result<()> {
    let wanted = check.map_or("no errors found".to_owned(), |check| format!("] {check}: "));
    ensure!(said.contains(&wanted), "{said}");
    Ok(())
}

#[test]
fn the_optimizer_changes_nothing() -> Result<()> {
    each(|mpi, dir, example, check| {
        for level in ["-O0", "-O2"] {
            let said = report(mpi, &dir.join(level), example, &["-g", level])?;
            is_as_it_should(&said, check).with_context(|| format!("{} {example} {level}", mpi.name))?;
        }
        Ok(())
    })
}

#[test]
fn a_program_without_debug_information_is_left_alone() -> Result<()> {
    each(|mpi, dir, example, _| {
        let said = report(mpi, &dir.join("stripped"), example, &["-g", "+strip"])?;
        let is_silent = !said.contains("[MV229]") && !said.contains("[MV230]");
        ensure!(is_silent, "{} {example}: {said}", mpi.name);
        // Sizes of variables outside of functions are in the table of symbols.
        let said = report(mpi, &dir.join("plain"), example, &["-O1"])?;
        ensure!(!said.contains("[MV229]"), "{} {example}: {said}", mpi.name);
        Ok(())
    })
}

/// Ways to write debug information: in files beside the objects, types in units of their own, what is written twice taken out, and
/// the whole program compiled at once.
const FORMATS: [(&str, &[&str]); 5] = [
    ("split", &["-g", "-O1", "-gsplit-dwarf"]),
    ("types", &["-g", "-O1", "-fdebug-types-section"]),
    ("split-types", &["-g", "-O1", "-gsplit-dwarf", "-fdebug-types-section"]),
    ("shared", &["-g", "-O1", "+dwz"]),
    ("whole", &["-g", "-O2", "-flto"]),
];

#[test]
fn other_forms_of_debug_information_tell_the_same() -> Result<()> {
    let is_full = std::env::var_os("MPIVET_TEST_FULL").is_some();
    let is_sample =
        |example: &str| ["bug-struct.c", "bug-caller.c", "bug-fortran.f90"].iter().any(|n| example.ends_with(n));
    each(|mpi, dir, example, check| {
        for (form, flags) in FORMATS.iter().filter(|_| is_full || is_sample(example)) {
            let said = report(mpi, &dir.join(form), example, flags)?;
            is_as_it_should(&said, check).with_context(|| format!("{} {example} {form}", mpi.name))?;
        }
        Ok(())
    })
}

#[test]
fn another_compiler_tells_the_same() -> Result<()> {
    each(|mpi, dir, example, check| {
        if example.ends_with("f90") {
            return Ok(());
        }
        let compilers = CLANG.map(|(variable, compiler)| (variable, PathBuf::from(compiler)));
        let clang = Mpi { compiler_env: compilers.to_vec(), ..mpi.clone() };
        // Where it optimizes, its frames have no end of their own: the size of a local variable is not known then, and what lies
        // behind it may be the other buffer.
        let is_local = check == Some("buffer-too-small") && !example.ends_with("bug-column.c");
        for level in ["-O0", "-O2"].into_iter().filter(|level| *level == "-O0" || !is_local) {
            let said = report(&clang, &dir.join(format!("clang{level}")), example, &["-g", level])?;
            is_as_it_should(&said, check).with_context(|| format!("{} {example} clang {level}", mpi.name))?;
        }
        Ok(())
    })
}

const CLANG: [(&str, &str); 4] =
    [("MPICH_CC", "clang"), ("MPICH_CXX", "clang++"), ("OMPI_CC", "clang"), ("OMPI_CXX", "clang++")];
