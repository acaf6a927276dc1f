//! `rma-local-race`: of random programs that use their windows while others do, all accesses that are reported are wrong, and most
//! of the wrong ones are reported.

use anyhow::{Result, ensure};
use mpivet_tests::compile::compile_to;
use mpivet_tests::mpi;
use mpivet_tests::oracle::{Program, findings};
use mpivet_tests::{root, scratch, share};
use std::path::PathBuf;

const CODE: &str = "MV710";

fn fresh(name: &str) -> Result<PathBuf> {
    let dir = scratch().join("local-races").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

#[test]
fn what_is_reported_is_wrong_and_most_of_what_is_wrong_is_reported() -> Result<()> {
    let path = root().join("tests/programs/in-window.c");
    let text = std::fs::read_to_string(&path)?;
    let source: Vec<&str> = text.lines().collect();
    let is_full = std::env::var_os("MPIVET_TEST_FULL").is_some();
    let (seeds, rounds) = if is_full { (30, 100) } else { (2, 30) };
    let mpis = if is_full { mpi::required() } else { share::mpis("local_races") };
    for mpi in mpis {
        for level in ["-O0", "-O2"] {
            let executable = fresh(&format!("generator-{}{level}", mpi.name))?.join("in-window");
            compile_to(&mpi, &executable, &mpi.mpicc, &["-g", level, "-std=gnu11"], &path)?;
            let (mut wrong, mut found) = (0, 0);
            for seed in 1..=seeds {
                let dir = fresh(&format!("random-{}-{seed}", mpi.name))?.join("run");
                let program = Program { mpi: &mpi, executable: &executable, source: &source, keys: seed % 2 == 0 };
                let (w, f) = program.run(CODE, (seed, rounds), &dir)?;
                let others = findings(&dir.join("report.json"))?.into_iter().find(|(code, _)| code != CODE);
                ensure!(others.is_none(), "seed {seed}, {}: {others:?}", mpi.name);
                ensure!(f <= w, "seed {seed}, {}: {f} were found, and {w} are wrong", mpi.name);
                (wrong, found) = (wrong + w, found + f);
            }
            ensure!(wrong > 20 && found * 100 >= wrong * 95, "{} {level}: {found} of {wrong} were found", mpi.name);
        }
    }
    Ok(())
}
