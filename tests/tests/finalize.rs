//! MPI_Finalize that fails ends the job as without mpivet: the error handlers are what the library expects there.

use anyhow::{Result, ensure};
use mpivet_tests::{compile::compile, mpi, root, scratch, vet};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(30);

#[test]
fn an_unmatched_message_at_the_end_is_no_crash() -> Result<()> {
    for mpi in mpi::required().into_iter().chain(mpi::others()) {
        let program = compile(&mpi, &root().join("tests/programs/unmatched.c"), &scratch())?;
        for (name, args) in [("together", vec![]), ("late", vec!["late".to_owned()])] {
            let job = mpi.job(2, &program, &args);
            let vetted = vet::vet(&job, &scratch().join("finalize").join(mpi.name).join(name), LIMIT)?;
            let checks: Vec<&str> = vetted.report.serious().map(|f| f.check.as_str()).collect();
            let words = vet::last_words(&vetted.outcome);
            // Some libraries let it pass, and some end the job with an error of their own; none crashes.
            ensure!(checks == ["nonpaired-send"], "{}, {name}: {checks:?}\n{words}", mpi.name);
        }
    }
    Ok(())
}
