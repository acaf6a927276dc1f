//! `rma-local-race`: of random programs that use their windows while others do, all accesses that are reported are wrong, and most
//! of the wrong ones are reported.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile_to;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{root, scratch, share, vet};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(90);

fn fresh(name: &str) -> Result<PathBuf> {
    let dir = scratch().join("local-races").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// The lines of loads and stores that are reported, with how often. Nothing else may be.
fn reported(report: &Path) -> Result<Vec<(u64, u64)>> {
    let json: Value = serde_json::from_str(&std::fs::read_to_string(report)?)?;
    let findings = json["findings"].as_array().context("no findings")?;
    let read = |finding: &Value| {
        ensure!(finding["code"] == "MV710", "{finding}");
        let line = finding["sites"][0]["line"].as_u64().with_context(|| format!("no line: {finding}"))?;
        Ok((line, finding["count"].as_u64().context("no count")?))
    };
    findings.iter().map(read).collect()
}

/// Runs one random program; how many accesses were wrong, and how many of them were found.
fn random(mpi: &Mpi, executable: &Path, source: &[&str], (seed, rounds): (u64, u64)) -> Result<(u64, u64)> {
    let dir = fresh(&format!("random-{}-{seed}", mpi.name))?.join("run");
    // By a key of the processor where it has such, or by the rights of pages.
    let keys = if seed % 2 == 0 { "on" } else { "off" };
    let arguments = [format!("MPIVET_PRECISE_KEYS={keys}"), executable.display().to_string()];
    let arguments = [arguments.as_slice(), &[seed.to_string(), rounds.to_string()]].concat();
    let job = mpi.job(2, Path::new("/usr/bin/env"), &arguments);
    let vetted = vet::vet_with(&["--precise".to_owned()], &job, &dir, LIMIT)?;
    let mut found = 0;
    for (line, count) in reported(&dir.join("report.json"))? {
        let text = source.get(line as usize - 1).copied().unwrap_or_default();
        ensure!(text.contains("a wrong "), "seed {seed}, {}: line {line} is reported: {text}", mpi.name);
        found += count;
    }
    let said: Vec<u64> = vetted.outcome.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    ensure!(said.len() == 2, "seed {seed}, {}:\n{}", mpi.name, vet::last_words(&vetted.outcome));
    Ok((said.iter().sum(), found))
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
                let (w, f) = random(&mpi, &executable, &source, (seed, rounds))?;
                ensure!(f <= w, "seed {seed}, {}: {f} were found, and {w} are wrong", mpi.name);
                (wrong, found) = (wrong + w, found + f);
            }
            ensure!(wrong > 20 && found * 100 >= wrong * 95, "{} {level}: {found} of {wrong} were found", mpi.name);
        }
    }
    Ok(())
}
