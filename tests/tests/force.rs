//! `--sync-sends`, `--replay` and `--probe-limits`: potential mistakes are made to happen, on purpose and not else.

use anyhow::{Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::vet::{self, Vetted, vet_with};
use mpivet_tests::{root, scratch};
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

struct Wanted<'a> {
    check: &'a str,
    code: i32,
    stopped: bool,
}

const POTENTIAL: Wanted = Wanted { check: "potential-deadlock", code: 0, stopped: false };
const REAL: Wanted = Wanted { check: "real-deadlock", code: 1, stopped: true };

/// Runs a program under mpivet, which must find exactly what is wanted.
fn expect(mpi: &Mpi, options: &[&str], ranks: usize, program: &Path, args: &[&str], wanted: &Wanted) -> Result<Vetted> {
    let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let stem = program.file_stem().unwrap_or_default().display();
    let kinds: Vec<&str> = options.iter().copied().filter(|o| o.starts_with("--")).collect();
    let name = format!("force-{}-{stem}-{}{}{}", mpi.name, args.join("-"), kinds.concat(), wanted.code);
    let vetted = vet_with(&owned(options), &mpi.job(ranks, program, &owned(args)), &scratch().join(name), LIMIT)?;
    let said = || format!("{} {options:?} {args:?}\n{}", mpi.name, vet::last_words(&vetted.outcome));
    let found: Vec<&str> = vetted.report.findings.iter().map(|f| f.check.as_str()).collect();
    ensure!(found == [wanted.check], "found {found:?}: {}", said());
    ensure!(vetted.outcome.code == Some(wanted.code), "exit code {:?}: {}", vetted.outcome.code, said());
    let stopped = vetted.outcome.stderr.contains("mpivet stopped the job");
    ensure!(stopped == wanted.stopped, "stopped: {stopped}: {}", said());
    ensure!(vetted.outcome.leftovers.is_empty(), "left over: {:?}", vetted.outcome.leftovers);
    Ok(vetted)
}

#[test]
fn synchronous_sends_make_potential_deadlocks_real() -> Result<()> {
    for mpi in mpi::required() {
        let program = compile(&mpi, &root().join("tests/programs/head-to-head.c"), &scratch())?;
        let fortran = compile(&mpi, &root().join("tests/programs/head-to-head.f90"), &scratch())?;
        // Open MPI has no functions for large counts.
        let large = if mpi.is("mpich") { &["send_c"][..] } else { &[] };
        for how in [&["send", "isend", "persistent"][..], large].concat() {
            expect(&mpi, &[], 2, &program, &[how, "10"], &POTENTIAL)?;
            let vetted = expect(&mpi, &["--sync-sends"], 2, &program, &[how, "10"], &REAL)?;
            // What the program has called is told, not what was called instead.
            let report = vet::analyze(&vetted.trace)?;
            ensure!(!report.contains("MPI_Ssend") && !report.contains("MPI_Issend"), "{report}");
        }
        expect(&mpi, &[], 2, &fortran, &[], &POTENTIAL)?;
        expect(&mpi, &["--sync-sends"], 2, &fortran, &[], &REAL)?;
    }
    Ok(())
}
