//! A deadlock of ranks that miss each other by a communicator or by an operation that was made and never started: the report
//! says by what.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::{mpi, root, scratch, vet};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn what_ranks_miss_each_other_by_is_told() -> Result<()> {
    let source = root().join("tests/programs/unmet.c");
    for mpi in mpi::required() {
        let program = compile(&mpi, &source, &scratch())?;
        let mut cases = vec![
            ("barriers", "rank 0 called MPI_Barrier on c", ", rank 1 called MPI_Barrier on c"),
            ("receive", "made the receive that is waited for, and nobody started it", "MPI_Recv_init"),
        ];
        // Open MPI 4.1 implements MPI 3.1.
        if mpi.is("mpich") {
            cases.push((
                "collective",
                "made the operation that is waited for, and nobody started it",
                "MPI_Barrier_init",
            ));
        }
        for (how, wanted, also) in cases {
            let dir = scratch().join(format!("unmet-{how}-{}", mpi.name));
            let job = |more: &[&str]| -> Vec<String> {
                let arguments: Vec<String> = [how].iter().chain(more).map(|word| (*word).to_owned()).collect();
                mpi.job(2, &program, &arguments)
            };
            let vetted = vet::vet(&job(&[]), &dir, LIMIT).with_context(|| format!("{} {how}", mpi.name))?;
            let report = std::fs::read_to_string(dir.join("report.json"))?;
            ensure!(vetted.outcome.code == Some(1), "{} {how}: {:?}", mpi.name, vetted.outcome.code);
            let are_there = report.matches(wanted).count() == 1 && report.contains(also);
            ensure!(are_there && report.contains("real-deadlock"), "{} {how}:\n{report}", mpi.name);
            let right = vet::vet(&job(&["right"]), &dir, LIMIT)?;
            ensure!(right.outcome.code == Some(0), "{} {how}: {}", mpi.name, vet::last_words(&right.outcome));
        }
    }
    Ok(())
}
