//! Debug information that is not in the program itself: in a file beside it, or at a server.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile_to;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{root, run, scratch, vet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
/// The line where the program waits.
const LINE: &str = "bug-struct.c:37";

fn tool(name: &str, args: &[&str], file: &Path) -> Result<String> {
    let outcome = run::run(
        {
            let mut command = Command::new(name);
            command.args(args).arg(file);
            command
        },
        LIMIT,
    )?;
    ensure!(outcome.code == Some(0), "{name}: {}", vet::last_words(&outcome));
    Ok(outcome.stdout)
}

/// The report of a trace, with these servers.
fn report(trace: &Path, servers: &str) -> Result<String> {
    let mut command = vet::command()?;
    command.arg("analyze").arg(trace).env("DEBUGINFOD_URLS", servers);
    command.env("DEBUGINFOD_CACHE_PATH", trace.with_file_name("cache"));
    Ok(run::run(command, LIMIT)?.stdout)
}

/// A program without debug information in a directory of its own, and that information.
fn stripped(mpi: &Mpi, dir: &Path) -> Result<(PathBuf, PathBuf)> {
    _ = std::fs::remove_dir_all(dir);
    std::fs::create_dir_all(dir)?;
    let (program, debug) = (dir.join("program"), dir.join("program.debug"));
    let source = root().join("examples/send-checksum/bug-struct.c");
    compile_to(mpi, &program, &mpi.mpicc, &["-g", "-Wl,--build-id"], &source)?;
    tool("objcopy", &["--only-keep-debug", &program.display().to_string()], &debug)?;
    tool("strip", &["--strip-debug"], &program)?;
    Ok((program, debug))
}

#[test]
fn separate_debug_information_gives_lines() -> Result<()> {
    for mpi in mpi::required() {
        let dir = scratch().join(format!("separate-{}", mpi.name));
        let (program, debug) = stripped(&mpi, &dir)?;
        tool("objcopy", &[&format!("--add-gnu-debuglink={}", debug.display())], &program)?;
        let vetted = vet::vet(&mpi.job(2, &program, &[]), &dir.join("run"), LIMIT)?;
        let (trace, said) = (&vetted.trace, &vetted.outcome.stderr);
        ensure!(said.contains(LINE), "{}: not at once: {said}", mpi.name);
        let with = |servers: &str| report(trace, servers);
        ensure!(with("")?.contains(LINE), "{}: a file beside it", mpi.name);

        // The file of another build is none of this program's.
        let kept = dir.join("kept.debug");
        std::fs::rename(&debug, &kept)?;
        tool(
            "objcopy",
            &["--only-keep-debug", &vet::mpivet()?.with_file_name("libmpivet.so").display().to_string()],
            &debug,
        )?;
        ensure!(!with("")?.contains(LINE), "{}: another file", mpi.name);
        std::fs::remove_file(&debug)?;
        let text = with("")?;
        ensure!(!text.contains(LINE) && text.contains("main (program+0x"), "{}: {text}", mpi.name);

        let notes = tool("readelf", &["--notes"], &program)?;
        let id = notes.lines().find_map(|l| l.trim().strip_prefix("Build ID: ")).context("no build-id")?;
        let server = dir.join("server");
        std::fs::create_dir_all(server.join("buildid").join(id))?;
        ensure!(!with(&format!("file://{}/", server.display()))?.contains(LINE), "{}: it is not there yet", mpi.name);
        std::fs::rename(&kept, server.join("buildid").join(id).join("debuginfo"))?;
        // The client remembers for a while that there was nothing.
        std::fs::remove_dir_all(trace.with_file_name("cache"))?;
        let text = with(&format!("file://{}/", server.display()))?;
        ensure!(text.contains(LINE), "{}: a server: {text}", mpi.name);
    }
    Ok(())
}
