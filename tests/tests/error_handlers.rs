//! Errors have the same result with and without mpivet, whichever object has an error handler, however it was made,
//! and whenever handlers were changed (`tests/programs/error-handlers.c`). A sample of the cases by default, under
//! each MPI that is installed; all of them with `MPIVET_TEST_FULL=1`.

use anyhow::{Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile::compile, jobs_at_once, root, run, scratch, side_by_side, vet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

const OBJECTS: [&str; 16] = [
    "world",
    "self",
    "dup",
    "self-dup",
    "idup",
    "split",
    "create",
    "create-group",
    "cart",
    "graph",
    "win-create",
    "self-win-create",
    "win-dynamic",
    "win-allocate",
    "win-of-dup",
    "file",
];
const CHANGES: [&str; 19] = [
    "none",
    "before-world-return",
    "after-world-return",
    "before-self-return",
    "after-self-return",
    "before-world-user",
    "after-world-user",
    "before-self-user",
    "after-self-user",
    "before-world-fatal",
    "own-return",
    "own-user",
    "own-fatal",
    "fatal-then-return",
    "return-then-fatal",
    "world-user+self-return",
    "world-return+self-user",
    "world-fatal+self-return",
    "world-return+self-fatal",
];
const ERRORS: [&str; 6] = ["message", "attribute", "collective", "no-object", "group", "null-comm"];

type Case = [&'static str; 3];

/// These tell the ways of the libraries apart.
const ALWAYS: [Case; 8] = [
    ["dup", "after-world-return", "collective"],
    ["dup", "after-self-return", "message"],
    ["self", "after-world-user", "message"],
    ["win-create", "before-world-return", "attribute"],
    ["cart", "world-return+self-fatal", "message"],
    ["world", "own-user", "no-object"],
    ["split", "own-fatal", "message"],
    ["world", "none", "message"],
];

fn all() -> Vec<Case> {
    let of = |object| CHANGES.into_iter().flat_map(move |change| ERRORS.map(|error| [object, change, error]));
    OBJECTS.into_iter().flat_map(of).collect()
}

/// This many more cases, other ones under each MPI.
fn sample(mpi: &Mpi, most: usize) -> Vec<Case> {
    let start: usize = mpi.name.bytes().map(usize::from).sum();
    let all = all();
    (0..most).map(|i| all[(start + i * 677) % all.len()]).collect()
}

/// The end of a run of the program, and its output.
fn outcome(mpi: &Mpi, program: &Path, case: Case, trace: Option<&Path>) -> Result<(Option<i32>, String)> {
    let mut command = Command::new(program);
    command.args(case).arg("tell");
    Mpi::prepare(&mut command);
    if !mpi.lib.as_os_str().is_empty() {
        command.env("LD_LIBRARY_PATH", &mpi.lib);
    }
    if let Some(trace) = trace {
        _ = std::fs::remove_dir_all(trace);
        command.env("LD_PRELOAD", vet::mpivet()?.with_file_name("libmpivet.so")).env("MPIVET_DIR", trace);
    }
    let outcome = run::run(command, LIMIT)?;
    Ok((outcome.code, outcome.stdout))
}

#[test]
fn errors_become_what_they_become_without_mpivet() -> Result<()> {
    let full = std::env::var_os("MPIVET_TEST_FULL").is_some();
    let mut cases = Vec::new();
    for mpi in mpi::installed() {
        let program = compile(&mpi, &root().join("tests/programs/error-handlers.c"), &scratch())?;
        // Open MPI takes half a second to start, and has one way for all objects.
        let more = if mpi.is("openmpi") { 0 } else { 12 };
        let chosen = if full { all() } else { ALWAYS.into_iter().chain(sample(&mpi, more)).collect() };
        cases.extend(chosen.into_iter().map(|case| (mpi.clone(), program.clone(), case)));
    }
    side_by_side(&cases, jobs_at_once(), |(mpi, program, case)| {
        let trace = scratch().join("error-handlers").join(format!("{}-{}", mpi.name, case.join("-")));
        let (plain, vetted) = (outcome(mpi, program, *case, None)?, outcome(mpi, program, *case, Some(&trace))?);
        _ = std::fs::remove_dir_all(&trace);
        ensure!(plain == vetted, "{}, {case:?}: {plain:?} plain, {vetted:?} under mpivet", mpi.name);
        Ok(())
    })
}
