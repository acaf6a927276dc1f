//! A deadlock is reported and the job stopped within a second of the last rank blocking; and the launcher's processes
//! are gone afterwards.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::{compile::compile, mpi, vet};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// From the last rank blocking to the end of mpivet.
const LIMIT: Duration = Duration::from_secs(1);

#[test]
fn a_deadlock_is_reported_within_a_second() -> Result<()> {
    let root = mpivet_tests::root();
    let scratch = mpivet_tests::scratch();
    for mpi in mpi::required() {
        let program = compile(&mpi, &root.join("tests/programs/late-deadlock.c"), &scratch)?;
        // The best of three: other tests may keep the processors busy.
        let mut best = Duration::MAX;
        for attempt in 0..3 {
            let dir = scratch.join(format!("live-{}-{attempt}", mpi.name));
            let times = scratch.join(format!("live-{}-{attempt}-times", mpi.name));
            std::fs::create_dir_all(&times)?;
            let job = mpi.job(2, &program, &[times.display().to_string()]);
            let vetted = vet::vet(&job, &dir, Duration::from_secs(30))?;
            let end = SystemTime::now().duration_since(UNIX_EPOCH)?;
            ensure!(vetted.outcome.code == Some(1), "exit code {:?}", vetted.outcome.code);
            ensure!(vetted.outcome.leftovers.is_empty(), "left over: {:?}", vetted.outcome.leftovers);
            let blocked = (0..2)
                .map(|rank| -> Result<u64> {
                    let text = std::fs::read_to_string(times.join(format!("waits-{rank}")))?;
                    text.trim().parse().context("a time")
                })
                .collect::<Result<Vec<_>>>()?;
            let last = Duration::from_nanos(blocked.into_iter().max().unwrap_or(0));
            best = best.min(end.saturating_sub(last));
        }
        println!("{}: {} ms from the last rank blocking to the end of mpivet", mpi.name, best.as_millis());
        ensure!(best < LIMIT, "{}: {best:?}", mpi.name);
    }
    Ok(())
}
