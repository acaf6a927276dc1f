//! The results of `scripts/build` and `scripts/install`: mpivet with its libraries, pages of the manual, completions.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{package, root, run, scratch, vet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// The commands that `mpivet --help` tells of.
fn commands() -> Result<Vec<String>> {
    let mut help = vet::command()?;
    help.arg("--help");
    let help = run::run(help, LIMIT)?.stdout;
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).context("no commands")?;
    let names = list.lines().filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help");
    Ok(names.map(str::to_owned).collect())
}

fn says(dir: &Path, file: &str, words: &[String]) -> Result<()> {
    let path = dir.join("share").join(file);
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let missing: Vec<_> = words.iter().filter(|word| !text.contains(word.as_str())).collect();
    ensure!(missing.is_empty(), "{} does not know {missing:?}", path.display());
    Ok(())
}

#[test]
fn what_is_installed_works_and_is_known_to_man_and_shells() -> Result<()> {
    let prefix = scratch().join("installed");
    package::install(&prefix)?;
    for library in ["libmpivet_queues.so", "libmpivet_symbols.so", "libmpivet_heap.so", "libmpivet_precise.so"] {
        ensure!(prefix.join("lib").join(library).is_file(), "{library} is not installed");
    }

    for file in ["include/mpivet.h", "include/mpivet.f90", "share/cmake/mpivet/mpivetAddTest.cmake"] {
        ensure!(prefix.join(file).is_file(), "{file} is not installed");
    }

    let commands = commands()?;
    ensure!(commands.len() > 10, "{commands:?}");
    for shell in
        ["bash-completion/completions/mpivet", "zsh/site-functions/_mpivet", "fish/vendor_completions.d/mpivet.fish"]
    {
        says(&prefix, shell, &commands)?;
    }
    says(&prefix, "man/man1/mpivet.1", &commands)?;
    for command in &commands {
        says(&prefix, &format!("man/man1/mpivet-{command}.1"), &[format!("mpivet {command}").replace('-', "\\-")])?;
    }

    let mpis = mpi::required();
    let mpi = mpis.first().context("no MPI")?;
    let program = compile(mpi, &root().join("examples/wrong-data-type/bug.c"), &scratch())?;
    let mut command = Command::new(prefix.join("bin/mpivet"));
    Mpi::prepare(&mut command);
    command.args(["run", "--dir"]).arg(prefix.join("trace")).arg("--").args(mpi.job(2, &program, &[]));
    let outcome = run::run(command, LIMIT)?;
    ensure!(outcome.code == Some(1) && outcome.stderr.contains("error[MV406] wrong-data-type"), "{}", outcome.stderr);
    Ok(())
}
