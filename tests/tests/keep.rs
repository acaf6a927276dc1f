//! The files that stay of a run: the trace directory of one that leaves no questions is removed, and a kept one is
//! small.

use anyhow::{Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{root, run, scratch, vet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs a program of two ranks in a directory of its own; the exit code, and what is in the directory then.
fn left(mpi: &Mpi, name: &str, options: &[&str], source: &str, argument: &str) -> Result<(Option<i32>, Vec<PathBuf>)> {
    let program = compile(mpi, &root().join(source), &scratch())?;
    let dir = scratch().join("keep").join(mpi.name).join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let mut command = vet::command()?;
    command.arg("run").args(options).arg("--").args(mpi.job(2, &program, &[argument.to_owned()])).current_dir(&dir);
    Mpi::prepare(&mut command);
    let outcome = run::run(command, LIMIT)?;
    let mut entries: Vec<PathBuf> = std::fs::read_dir(&dir)?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    let said = outcome.stderr.contains("trace: removed");
    ensure!(said == entries.is_empty(), "{}: {name}: {entries:?}\n{}", mpi.name, vet::last_words(&outcome));
    Ok((outcome.code, entries))
}

const CLEAN: &str = "examples/send-checksum/fixed.c";
const WRONG: &str = "examples/send-checksum/bug.c";

#[test]
fn a_trace_is_kept_where_somebody_may_look_for_more() -> Result<()> {
    for mpi in mpi::required() {
        for (name, options, source, argument, code, is_kept) in [
            ("clean", &[][..], CLEAN, "", 0, false),
            ("always", &["--keep", "always"], CLEAN, "", 0, true),
            ("named", &["--dir", "trace"], CLEAN, "", 0, true),
            ("named-never", &["--dir", "trace", "--keep", "never"], CLEAN, "", 0, true),
            ("wrong", &[], WRONG, "", 1, true),
            ("accepted", &["--fail-on", "never"], WRONG, "", 0, true),
            ("never", &["--keep", "never"], WRONG, "", 1, false),
            ("dumps", &["--no-check=*"], "tests/programs/annotations.c", "", 0, true),
        ] {
            let (status, entries) = left(&mpi, name, options, source, argument)?;
            ensure!(status == Some(code), "{}: {name}: {status:?}", mpi.name);
            ensure!(entries.is_empty() != is_kept, "{}: {name}: {entries:?}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn the_trace_of_a_small_job_is_small() -> Result<()> {
    for mpi in mpi::required() {
        let (_, entries) = left(&mpi, "small", &["--keep", "always"], "tests/programs/counted.c", "")?;
        let bytes: u64 = entries.iter().map(|dir| size(dir)).sum();
        ensure!((1000..100_000).contains(&bytes), "{}: {bytes} bytes in {entries:?}", mpi.name);
    }
    Ok(())
}

/// Bytes of the files of a directory.
fn size(dir: &Path) -> u64 {
    let files = std::fs::read_dir(dir).into_iter().flatten().flatten();
    files.map(|file| file.metadata().map_or(0, |m| m.len())).sum()
}
