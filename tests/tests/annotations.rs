//! Annotations of programs by `include/mpivet.h` and the Fortran module: with mpivet they are in the trace, without
//! it nothing happens, in programs at fixed and at any address, and nothing need be linked.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile, run, vet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs a program of 2 ranks with and without mpivet; what `mpivet print --dumps` says of rank 0, without addresses and
/// source lines.
fn said(mpi: &Mpi, program: &Path, dir: &Path) -> Result<(Vec<String>, vet::Vetted)> {
    let job = mpi.job(2, program, &[]);
    let plain = vet::run_plain(&job, LIMIT)?;
    ensure!(plain.code == Some(0) && plain.stderr.is_empty(), "{}", vet::last_words(&plain));
    let vetted = vet::vet(&job, dir, LIMIT)?;
    ensure!(vetted.outcome.code == Some(0), "{}", vet::last_words(&vetted.outcome));
    ensure!(vetted.outcome.stdout == plain.stdout, "other output under mpivet");
    let mut print = vet::command()?;
    print.args(["print", "--dumps", "--rank", "0"]).arg(&vetted.trace);
    let printed = run::run(print, LIMIT)?.stdout;
    let lines = printed.lines().filter(|line| line.starts_with("0: mpivet_") || line.starts_with("//  "));
    let lines = lines.map(|line| {
        let call = line.split_once("    //").map_or(line, |(call, _)| call);
        let words = call.split(", ").map(|word| if word.starts_with("0x") { "@" } else { word });
        words.collect::<Vec<_>>().join(", ")
    });
    Ok((lines.collect(), vetted))
}

fn dir(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    let dir = mpivet_tests::scratch().join("annotations").join(format!("{}-{name}", mpi.name));
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

#[test]
fn c_programs_speak_to_mpivet_and_run_without_it() -> Result<()> {
    let source = mpivet_tests::root().join("tests/programs/annotations.c");
    for mpi in mpi::required() {
        for (name, flags) in [("pie", ["-fPIE", "-pie"]), ("no-pie", ["-fno-pie", "-no-pie"])] {
            let dir = dir(&mpi, name)?;
            let program = dir.join("annotations");
            let flags = [&["-Iinclude", "-g", "-O1", "-Wall", "-Wextra", "-Werror"][..], &flags].concat();
            compile::compile_to(&mpi, &program, &mpi.mpicc, &flags, &source)?;
            let (lines, vetted) = said(&mpi, &program, &dir.join("run"))?;
            let (dump, marks): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.starts_with("//"));
            ensure!(
                marks
                    == [
                        "0: mpivet_region_begin(\"outer\")",
                        "0: mpivet_region_begin(\"inner \\\"quoted\\\"\")",
                        "0: mpivet_region_end(\"inner \\\"quoted\\\"\")",
                        "0: mpivet_dump(\"numbers\", @, 3, MPI_INT)",
                        "0: mpivet_dump(\"large\", @, 200000, MPI_DOUBLE)",
                        "0: mpivet_watch(\"text\", @, 100000)",
                        "0: mpivet_watch(\"nowhere\", @, 8)",
                        "0: mpivet_unwatch(\"text\")",
                        "0: mpivet_region_end(\"outer\")",
                    ],
                "{marks:#?}"
            );
            ensure!(dump.first().is_some_and(|line| *line == "//   numbers[0] 1 -2 3"), "{dump:#?}");
            ensure!(dump.len() == 1 + (1 << 20) / 64 + 1, "{} lines of dumps", dump.len());
            let last = dump.last().context("no dump")?;
            ensure!(*last == "//   1048576 of 1600000 bytes are in the trace", "{last}");
            let stderr = &vetted.outcome.stderr;
            for what in
                ["mpivet_dump(\"nothing\"): the memory cannot be read", "mpivet_watch(\"nowhere\"): the memory cannot"]
            {
                ensure!(stderr.contains(what), "not said: {what}\n{stderr}");
            }
            let [finding] = &vetted.report.findings[..] else {
                anyhow::bail!("not one finding but {:?}", vetted.report.findings)
            };
            ensure!(finding.check == "watched-data-changed", "{finding}");
            ensure!(
                finding.message.ends_with("`text` (100000 bytes) has changed before this MPI_Barrier"),
                "{finding}"
            );
            ensure!(finding.sites.iter().any(|site| site.source.contains("MPI_Barrier")), "{finding}");
            ensure!(finding.sites.iter().any(|site| site.source.contains("mpivet_watch")), "{finding}");
        }
    }
    Ok(())
}

#[test]
fn fortran_programs_speak_to_mpivet_and_run_without_it() -> Result<()> {
    let source = mpivet_tests::root().join("tests/programs/annotations.f90");
    for mpi in mpi::required() {
        let program = compile::compile(&mpi, &source, &mpivet_tests::scratch())?;
        let (lines, vetted) = said(&mpi, &program, &dir(&mpi, "fortran")?.join("run"))?;
        ensure!(
            lines
                == [
                    "0: mpivet_region_begin(\"sum\")",
                    "0: mpivet_dump(\"grid\", @, 6, MPI_REAL)",
                    "//   grid[0] 0.5 0.5 0.5 0.5 0.5 0.5",
                    "0: mpivet_dump(\"rank\", @, 1, MPI_INTEGER)",
                    "//   rank[0] 0",
                    "0: mpivet_watch(\"grid\", @, 24)",
                    "0: mpivet_unwatch(\"grid\")",
                    "0: mpivet_region_end(\"sum\")",
                ],
            "{lines:#?}"
        );
        ensure!(vetted.report.findings.is_empty(), "{:?}", vetted.report.findings);
    }
    Ok(())
}
