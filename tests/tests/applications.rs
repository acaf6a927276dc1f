//! Applications that nobody here wrote: the same results with and without mpivet, and no error finding. With `MPIVET_TEST_TURN=N`
//! (`mpivet_tests::share`) one of them is run, with N+1 the other.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{run, share::Turn, vet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(240);

/// Open MPI, which Debian's applications are built with; `None` (after a message) on a machine without MPI tests.
fn openmpi(program: &str) -> Result<Option<(Mpi, PathBuf)>> {
    let Some(mpi) = mpi::required().into_iter().find(|m| m.name == "openmpi") else {
        eprintln!("skipped: no Open MPI");
        return Ok(None);
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|d| d.join(program)).find(|f| f.is_file());
    let found = found.with_context(|| format!("{program} is not installed; scripts/install-deps installs it"))?;
    Ok(Some((mpi, found)))
}

/// Runs `job` in a fresh directory that holds `input`; the directory comes back.
fn run_in(name: &str, input: &str, as_name: &str, job: &[String]) -> Result<PathBuf> {
    let dir = mpivet_tests::scratch().join("applications").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    let source = mpivet_tests::root().join("tests/applications").join(input);
    std::fs::copy(&source, dir.join(as_name)).with_context(|| source.display().to_string())?;
    let mut command = Command::new(&job[0]);
    command.args(&job[1..]).current_dir(&dir).env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
    Mpi::prepare(&mut command);
    let outcome = run::run(command, LIMIT)?;
    std::fs::write(dir.join("stdout"), &outcome.stdout)?;
    ensure!(outcome.code == Some(0), "{name}: exit code {:?}\n{}", outcome.code, vet::last_words(&outcome));
    Ok(dir)
}

/// The job under mpivet, with a JSON report beside it.
fn under_mpivet(job: &[String]) -> Result<Vec<String>> {
    let mut all = vec![vet::mpivet()?.display().to_string()];
    all.extend(["run", "--report", "report.json", "--format", "json", "--dir", "trace", "--"].map(str::to_owned));
    all.extend_from_slice(job);
    Ok(all)
}

/// No error in the report, and as many ranks and calls as there must be.
fn no_errors(dir: &Path, ranks: usize) -> Result<()> {
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(dir.join("report.json"))?)?;
    let findings = report["findings"].as_array().context("the report has findings")?;
    let errors: Vec<_> = findings.iter().filter(|f| f["severity"] == "error").collect();
    ensure!(errors.is_empty(), "{errors:#?}");
    let ended = report["task"]["ended"].as_array().context("the report says how ranks ended")?;
    ensure!(ended.len() == ranks, "{} ranks in the report", ended.len());
    ensure!(ended.iter().all(|r| r["calls"].as_u64().is_some_and(|n| n > 1000)), "too few calls: {ended:#?}");
    Ok(())
}

#[test]
fn lammps_computes_the_same() -> Result<()> {
    if !Turn::now().includes(0, 2) {
        return Ok(());
    }
    let Some((mpi, lmp)) = openmpi("lmp")? else { return Ok(()) };
    let job = mpi.job(4, &lmp, &["-in".into(), "in.melt".into()]);
    let plain = run_in("lammps-plain", "in.melt", "in.melt", &job)?;
    let vetted = run_in("lammps-vetted", "in.melt", "in.melt", &under_mpivet(&job)?)?;
    let thermo = |dir: &Path| -> Result<Vec<String>> {
        let text = std::fs::read_to_string(dir.join("stdout"))?;
        let table = text.lines().skip_while(|l| !l.starts_with("Step")).take_while(|l| !l.starts_with("Loop"));
        Ok(table.map(str::to_owned).collect())
    };
    let expected = thermo(&plain)?;
    ensure!(expected.len() >= 6, "no table of results in {}", plain.display());
    ensure!(expected == thermo(&vetted)?, "other results under mpivet");
    no_errors(&vetted, 4)
}

#[test]
fn hpc_challenge_computes_the_same() -> Result<()> {
    if !Turn::now().includes(1, 2) {
        return Ok(());
    }
    let Some((mpi, hpcc)) = openmpi("hpcc")? else { return Ok(()) };
    let job = mpi.job(4, &hpcc, &[]);
    let plain = run_in("hpcc-plain", "hpccinf.txt", "hpccinf.txt", &job)?;
    let vetted = run_in("hpcc-vetted", "hpccinf.txt", "hpccinf.txt", &under_mpivet(&job)?)?;
    // Everything in the summary that is a result and not a speed.
    let results = |dir: &Path| -> Result<Vec<String>> {
        let text = std::fs::read_to_string(dir.join("hpccoutf.txt"))?;
        // The residual of DGEMM is left out: it runs on a node and on numbers that depend on the clock.
        let residue = |l: &&str| l.contains("||A") || l.contains("Err");
        let lines = text.lines().filter(|l| l.contains("PASSED") || l.contains("FAILED") || residue(l));
        // Speeds and times stand in the same lines as the verdicts of PTRANS; which of them it prints depends on its
        // clock. Only its verdicts count.
        let verdict = |l: &str| if l.starts_with("WALL") || l.starts_with("CPU") { None } else { Some(l.to_owned()) };
        Ok(lines.filter_map(verdict).collect())
    };
    let expected = results(&plain)?;
    ensure!(expected.iter().any(|l| l.contains("PASSED")), "no verdicts in {}", plain.display());
    ensure!(!expected.iter().any(|l| l.contains("FAILED")), "hpcc fails by itself here");
    ensure!(expected == results(&vetted)?, "other results under mpivet");
    no_errors(&vetted, 4)
}
