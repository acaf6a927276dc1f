//! `mpivet run --heap`: said before the library writes, with whatever allocator the program has, and no cost without it.

use anyhow::{Result, ensure};
use mpivet_tests::compile::{compile, compile_to};
use mpivet_tests::mpi::Mpi;
use mpivet_tests::{root, run, scratch, share, vet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Standard error of `mpivet run`, and its exit code.
fn vetted(mpi: &Mpi, options: &[&str], program: &Path, preloaded: Option<&Path>) -> Result<(Option<i32>, String)> {
    let trace = program.with_extension("trace");
    _ = std::fs::remove_dir_all(&trace);
    let mut command = vet::command()?;
    command.arg("run").args(options).arg("--dir").arg(&trace).arg("--").args(mpi.job(2, program, &[]));
    if let Some(library) = preloaded {
        command.env("LD_PRELOAD", library).env("OWN_ALLOCATOR_SAYS", "1");
    }
    let outcome = run::run(command, LIMIT)?;
    Ok((outcome.code, outcome.stderr))
}

fn fresh(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    let dir = scratch().join(format!("heap-{}-{name}", mpi.name));
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

const AT_ONCE: &str = "mpivet: rank 0: error[MV230] buffer-too-small: buf of MPI_Send is to hold";
const ALLOCATOR: &str = "the allocator gave thousands of blocks";

#[test]
fn a_buffer_is_told_at_once_and_only_if_the_heap_is_known() -> Result<()> {
    for mpi in share::mpis("a_buffer_is_told_at_once_and_only_if_the_heap_is_known") {
        let program = compile(&mpi, &root().join("examples/buffer-too-small/bug-heap.c"), &fresh(&mpi, "once")?)?;
        let (code, said) = vetted(&mpi, &["--heap"], &program, None)?;
        ensure!(code == Some(1) && said.contains(AT_ONCE), "{}: {code:?}\n{said}", mpi.name);
        for options in [&[][..], &["--heap", "--no-check", "buffer-too-small"]] {
            let (code, said) = vetted(&mpi, options, &program, None)?;
            ensure!(code == Some(0) && !said.contains("MV230"), "{} {options:?}: {code:?}\n{said}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn allocators_of_programs_go_on_working() -> Result<()> {
    let source = root().join("tests/programs/own-allocator.c");
    for mpi in share::mpis("allocators_of_programs_go_on_working") {
        let dir = fresh(&mpi, "allocators")?;
        let (library, plain, own) = (dir.join("allocator.so"), dir.join("plain"), dir.join("own"));
        let flags = ["-fno-builtin", "-Wno-stringop-overread"];
        let with = |more: &[&'static str]| [&flags[..], more].concat();
        compile_to(&mpi, &library, &mpi.mpicc, &with(&["-DLIBRARY", "-shared", "-fPIC"]), &source)?;
        compile_to(&mpi, &plain, &mpi.mpicc, &with(&["-DWITHOUT"]), &source)?;
        compile_to(&mpi, &own, &mpi.mpicc, &flags, &source)?;
        // One that is preloaded: its blocks are known.
        let (code, said) = vetted(&mpi, &["--heap"], &plain, Some(&library))?;
        ensure!(code == Some(1) && said.contains(AT_ONCE), "{}: {code:?}\n{said}", mpi.name);
        ensure!(said.contains(ALLOCATOR), "{}: the program used another allocator\n{said}", mpi.name);
        // The executable's comes first, whoever is preloaded.
        let (code, said) = vetted(&mpi, &["--heap"], &own, None)?;
        ensure!(code == Some(0) && !said.contains("MV230"), "{}: {code:?}\n{said}", mpi.name);
        ensure!(said.matches("--heap knows no blocks").count() == 1, "{}: {code:?}\n{said}", mpi.name);
    }
    Ok(())
}
