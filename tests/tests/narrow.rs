//! On a narrow terminal all that mpivet says fits: what ranks print at once, and the report.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::terminal::OnTerminal;
use mpivet_tests::{root, scratch, vet};

const COLUMNS: usize = 80;

#[test]
fn what_is_said_fits_the_terminal() -> Result<()> {
    for mpi in mpi::required() {
        let program = compile(&mpi, &root().join("examples/send-checksum/bug-struct.c"), &scratch())?;
        let trace = scratch().join(format!("narrow-{}", mpi.name));
        _ = std::fs::remove_dir_all(&trace);
        let mut command = vet::command()?;
        command.args(["run", "--color", "never", "--dir"]).arg(&trace);
        command.arg("--").args(mpi.job(2, &program, &[]));
        Mpi::prepare(&mut command);
        let (status, said) = OnTerminal::start_in(&command, Some(COLUMNS as u16))?.wait()?;
        ensure!(status.code() == Some(1), "{}: {status}\n{said}", mpi.name);
        let said: Vec<&str> = said.lines().map(str::trim_end).collect();
        let live = said.iter().filter(|line| line.starts_with("mpivet: rank 0: "));
        ensure!(live.count() > 5, "{}: nothing was said at once: {said:#?}", mpi.name);
        // A long path of the program stands on a line of its own.
        let is_head = |line: &str| line.starts_with("mpivet:") && !line.starts_with("mpivet: rank ");
        let report = said
            .iter()
            .position(|line| is_head(line))
            .with_context(|| format!("{}: no report: {said:#?}", mpi.name))?;
        let ours = said.iter().enumerate().filter(|(i, line)| *i >= report || line.starts_with("mpivet: "));
        let long: Vec<_> = ours.filter(|(_, line)| !fits(line)).collect();
        ensure!(long.is_empty(), "{}: {long:#?}", mpi.name);
    }
    Ok(())
}

/// A path of its own line may be longer.
fn fits(line: &str) -> bool {
    let words = line.trim_start_matches("mpivet: rank 0:").trim();
    line.chars().count() <= COLUMNS || !words.contains(' ')
}
