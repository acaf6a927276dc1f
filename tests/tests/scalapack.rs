//! ScaLAPACK's own test programs, from Debian: Fortran over C over MPI, nobody here wrote them. The same verdicts with and
//! without mpivet, and no error finding. `MPIVET_TEST_FULL=1` runs all of them instead of a selection;
//! with `MPIVET_TEST_TURN=N` (`mpivet_tests::share`) each of the selection is run under one MPI.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{run, share, vet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(200);
/// Linear solvers, least squares, eigenvalues, reduction to bidiagonal form, level 1 to 3 of parallel BLAS.
const SELECTION: [&str; 9] = ["xdlu", "xcllt", "xsls", "xzqr", "xdnep", "xsbrd", "dpb1tst", "cpb2tst", "spb3tst"];
/// They want more processes than two, and end with MPI_Abort.
const WANT_MORE: [&str; 5] = ["sep", "evr", "svd", "btest", "tim"];

/// The directory in which the package keeps the programs for an MPI.
fn directory(mpi: &Mpi) -> Result<Option<PathBuf>> {
    let name = format!("scalapack/{}-tests", mpi.name);
    let found = std::fs::read_dir("/usr/lib")?.flatten().map(|d| d.path().join(&name)).find(|d| d.is_dir());
    if !matches!(mpi.name, "mpich" | "openmpi") {
        return Ok(None);
    }
    found.context("ScaLAPACK's tests are not installed; scripts/install-deps installs them").map(Some)
}

fn programs(directory: &Path) -> Result<Vec<PathBuf>> {
    let full = std::env::var_os("MPIVET_TEST_FULL").is_some();
    let mut all = Vec::new();
    for dir in [directory.to_owned(), directory.join("PBLAS")] {
        for file in std::fs::read_dir(dir)?.flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let is_program = file.path().is_file() && !name.contains('.');
            let wanted = if full { !WANT_MORE.iter().any(|w| name.contains(w)) } else { SELECTION.contains(&&*name) };
            all.extend((is_program && wanted).then(|| file.path()));
        }
    }
    all.sort();
    Ok(all)
}

/// The output of a program without times, speeds and residuals.
fn verdicts(output: &str) -> Vec<String> {
    let lines = output.lines().filter(|l| !l.trim_start().starts_with("CPU"));
    let words = |l: &str| l.split_whitespace().filter(|w| !w.contains(['.', '*'])).collect::<Vec<_>>().join(" ");
    lines.map(words).collect()
}

#[test]
fn scalapack_computes_the_same() -> Result<()> {
    for mpi in mpi::required() {
        let Some(directory) = directory(&mpi)? else { continue };
        let programs = programs(&directory)?;
        ensure!(programs.len() >= SELECTION.len(), "only {} programs in {}", programs.len(), directory.display());
        for program in programs {
            let its_turn = share::mpis(&program.file_name().unwrap_or_default().to_string_lossy());
            if !its_turn.iter().any(|mine| mine.name == mpi.name) {
                continue;
            }
            let name = program.file_name().unwrap_or_default().to_string_lossy();
            let job = mpi.job(2, &program, &[]);
            // The programs read the numbers they are to solve from beside them, and write nothing.
            let here = program.parent().unwrap_or(&directory);
            let mut plain = Command::new(&job[0]);
            plain.args(&job[1..]).current_dir(here);
            Mpi::prepare(&mut plain);
            let plain = run::run(plain, LIMIT)?;
            ensure!(plain.code == Some(0), "{name} fails by itself under {}\n{}", mpi.name, vet::last_words(&plain));

            let dir = mpivet_tests::scratch().join("scalapack").join(format!("{}-{name}", mpi.name));
            let vetted = vet::vet_in(&job, &dir, Some(here), LIMIT)?;
            ensure!(vetted.outcome.code == Some(0), "{name}, {}: {:?}", mpi.name, vetted.report.findings);
            let (with, without) = (verdicts(&vetted.outcome.stdout), verdicts(&plain.stdout));
            let other = with.iter().zip(&without).find(|(a, b)| a != b);
            ensure!(with == without, "{name}, {}: other results under mpivet: {other:?}", mpi.name);
            ensure!(without.iter().any(|l| l.contains("PASSED") || l.contains("passed")), "{name}: no verdicts");
        }
    }
    Ok(())
}
