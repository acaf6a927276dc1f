//! `mpivet run --heap`: said before the library writes, with whatever allocator the program has, and no cost without it.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::{compile, compile_to};
use mpivet_tests::examples::programs;
use mpivet_tests::expect::Program;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::python::Python;
use mpivet_tests::report::Finding;
use mpivet_tests::share::is_full;
use mpivet_tests::unchanged::gives_the_same;
use mpivet_tests::{python, root, run, scratch, share, vet};
use std::path::{Path, PathBuf};
use std::process::Command;
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

/// Allocators that distributions have, by the names of their libraries.
const ALLOCATORS: [&str; 3] = ["libjemalloc.so.2", "libtcmalloc_minimal.so.4", "libmimalloc.so.2.0"];

/// C++ programs ask them by `new`, which each has of its own: then nothing is said.
#[test]
fn blocks_of_other_allocators_are_known() -> Result<()> {
    let examples = root().join("examples/buffer-too-small");
    for mpi in share::mpis("blocks_of_other_allocators_are_known") {
        let dir = fresh(&mpi, "others")?;
        let [bug, fixed] = ["bug-heap.c", "fixed-heap.c"].map(|name| compile(&mpi, &examples.join(name), &dir));
        let (bug, fixed) = (bug?, fixed?);
        for name in ALLOCATORS {
            let path = Path::new("/usr/lib/x86_64-linux-gnu").join(name);
            ensure!(path.exists(), "{name} is not installed; scripts/install-deps installs it");
            let (code, said) = vetted(&mpi, &["--heap"], &bug, Some(&path))?;
            ensure!(code == Some(1) && said.contains(AT_ONCE), "{} {name}: {code:?}\n{said}", mpi.name);
            let (code, said) = vetted(&mpi, &["--heap"], &fixed, Some(&path))?;
            ensure!(code == Some(0), "{} {name}: {code:?}\n{said}", mpi.name);
            // Programs that are linked with it.
            let (linked, library) = (dir.join(format!("linked-{name}")), path.display().to_string());
            let flags = ["-Wl,--no-as-needed", library.as_str()];
            for (example, compiler) in [("bug-heap.c", &mpi.mpicc), ("fixed-heap-aligned.cpp", &mpi.mpicxx)] {
                compile_to(&mpi, &linked, compiler, &flags, &examples.join(example))?;
                let (code, said) = vetted(&mpi, &["--heap"], &linked, None)?;
                let is_right = if example.starts_with("bug") { said.contains(AT_ONCE) } else { code == Some(0) };
                ensure!(is_right, "{} {name} {example}: {code:?}\n{said}", mpi.name);
            }
        }
    }
    Ok(())
}

#[test]
fn arrays_of_numpy_are_blocks() -> Result<()> {
    let script = root().join("tests/programs/python/heap_columns.py");
    let text = std::fs::read_to_string(&script)?;
    let line = text.lines().zip(1..).find(|(line, _)| line.ends_with("# mark: send")).map(|(_, number)| number);
    let line = line.context("no mark")?;
    let has_numpy = |python: &Python| {
        Command::new(&python.program).args(["-c", "import numpy"]).output().is_ok_and(|done| done.status.success())
    };
    let Some(python) = python::required()?.into_iter().rfind(has_numpy) else { return Ok(()) };
    for mpi in share::mpis("arrays_of_numpy_are_blocks") {
        let dir = fresh(&mpi, "numpy")?;
        let right = vet::vet_with(&["--heap".into()], &python.job(&mpi, 2, &script), &dir.join("right"), LIMIT)?;
        ensure!(right.outcome.code == Some(0), "{}: {}", mpi.name, vet::last_words(&right.outcome));
        let mut job = python.job(&mpi, 2, &script);
        job.push("more".into());
        let wrong = vet::vet_with(&["--heap".into()], &job, &dir.join("wrong"), LIMIT)?;
        let is_it = |finding: &Finding| {
            finding.check == "buffer-too-small" && finding.sites.iter().any(|site| site.line == line)
        };
        let found = wrong.report.findings.iter().any(is_it) || !python.has_lines();
        ensure!(found, "{}: {:?}\n{}", mpi.name, wrong.report.findings, vet::last_words(&wrong.outcome));
    }
    Ok(())
}

/// Programs with many kinds of buffers, threads and children; all of them with `MPIVET_TEST_FULL=1`.
const SAMPLE: [&str; 8] = [
    "overlapping/bug.c",
    "buffer-too-small/bug.c",
    "clean/child-processes.c",
    "clean/cpp-classes.cpp",
    "clean/derived-types.c",
    "clean/file-io.c",
    "clean/fortran-variables.f90",
    "clean/threads.c",
];

#[test]
fn examples_give_the_same_with_it() -> Result<()> {
    let all = programs()?;
    let is_chosen = |program: &&Program| {
        let is_own = program.options.iter().any(|option| option == "--heap" || option.starts_with("--precise"));
        !is_own && (is_full() || SAMPLE.iter().any(|name| program.path.ends_with(name)))
    };
    let chosen: Vec<&Program> = all.iter().filter(is_chosen).collect();
    ensure!(chosen.len() >= SAMPLE.len(), "{} of the sample are there", chosen.len());
    let mpis = if is_full() { mpi::required() } else { share::mpis("examples_give_the_same_with_it") };
    let (mut wrong, dir) = (Vec::new(), scratch().join("heap-examples"));
    for mpi in mpis {
        for program in chosen.iter().filter(|program| program.runs_under(&mpi)) {
            wrong.extend(gives_the_same(&mpi, program, "--heap", &dir).err().map(|e| format!("{e:#}")));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    Ok(())
}

/// Buffers of NumPy, of Python's arrays and of MPI_Alloc_mem, in all kinds of calls. All modules with `MPIVET_TEST_FULL=1`.
const MODULES: [&str; 1] = ["test_p2p_buf"];

#[test]
fn mpi4pys_own_tests_end_alike_and_without_findings() -> Result<()> {
    let Some(python) = python::required()?.into_iter().next_back() else { return Ok(()) };
    let mpis = if is_full() { mpi::required() } else { share::mpis("mpi4pys_own_tests_end_alike") };
    for mpi in mpis {
        let mut driver = Command::new(&python.program);
        driver.arg(root().join("tests/applications/mpi4py_driver.py")).args(["--mpi", mpi.name, "--ranks", "2"]);
        driver.args(MODULES.iter().filter(|_| !is_full())).env("MPIVET", vet::mpivet()?).env("MPIVET_HEAP", "true");
        let limit = if is_full() { Duration::from_secs(1800) } else { Duration::from_secs(300) };
        let outcome = run::run(driver, limit)?;
        let is_good = outcome.code == Some(0) && outcome.stdout.contains(" in all: ");
        ensure!(is_good, "{}: {}", mpi.name, vet::last_words(&outcome));
    }
    Ok(())
}

#[test]
fn precise_knows_the_heap_too() -> Result<()> {
    for mpi in share::mpis("precise_knows_the_heap_too") {
        let program = compile(&mpi, &root().join("examples/buffer-too-small/bug-heap.c"), &fresh(&mpi, "precise")?)?;
        let (code, said) = vetted(&mpi, &["--precise"], &program, None)?;
        ensure!(code == Some(1) && said.contains(AT_ONCE), "{}: {code:?}\n{said}", mpi.name);
        let (code, said) = vetted(&mpi, &["--precise=off"], &program, None)?;
        ensure!(code == Some(0) && !said.contains("MV230"), "{}: {code:?}\n{said}", mpi.name);
    }
    Ok(())
}
