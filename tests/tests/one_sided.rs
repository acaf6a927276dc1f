//! Random one-sided programs under the MPIs of this machine: about the correct ones there must be no finding at all, and about
//! those with one mistake the finding of its check alone, at its lines.
//!
//! Scripts are known by their numbers (`tests/programs/one-sided.c` says what they do): `MPIVET_TEST_SEED=N` begins with another
//! one. `MPIVET_TEST_FULL=1` plays 500 correct ones under each MPI, and ten of each mistake; otherwise it is a tenth of that.

use anyhow::{Context as _, Result, bail, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::report::Finding;
use mpivet_tests::share::Turn;
use mpivet_tests::vet::{self, Vetted};
use mpivet_tests::{compile::compile, root, scratch, side_by_side};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Scripts of one job.
const BATCH: u64 = 25;
const LIMIT: Duration = Duration::from_secs(120);
/// The mistakes that the program knows, and the checks that find them.
const MISTAKES: [(&str, &str); 16] = [
    ("two-puts", "rma-conflict"),
    ("put-and-get", "rma-conflict"),
    ("two-operations", "rma-conflict"),
    ("posted-twice", "rma-conflict"),
    ("shared-locks", "rma-conflict"),
    ("no-flush", "rma-conflict"),
    ("buffer-used", "rma-local-conflict"),
    ("buffer-changed", "rma-local-conflict"),
    ("types", "rma-type-mismatch"),
    ("counts", "rma-type-mismatch"),
    ("range", "rma-range"),
    ("no-epoch", "rma-epoch"),
    ("last-fence", "rma-epoch"),
    ("no-lock", "rma-epoch"),
    ("no-unlock", "rma-epoch"),
    ("no-wait", "rma-epoch"),
];

fn source() -> PathBuf {
    root().join("tests/programs/one-sided.c")
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn first() -> u64 {
    number("MPIVET_TEST_SEED").unwrap_or(0)
}

fn is_full() -> bool {
    number("MPIVET_TEST_FULL") == Some(1)
}

/// Two to four ranks.
fn ranks(number: u64) -> usize {
    2 + (number % 3) as usize
}

/// Plays scripts. Says where the files are.
fn play(mpi: &Mpi, ranks: usize, first: u64, count: u64, mistake: Option<&str>) -> Result<(Vetted, PathBuf)> {
    let program = compile(mpi, &source(), &scratch())?;
    let dir = scratch().join(format!("one-sided/{}-{first}-{}", mpi.name, mistake.unwrap_or("correct")));
    let args: Vec<String> =
        [first.to_string(), count.to_string()].into_iter().chain(mistake.map(str::to_owned)).collect();
    Ok((vet::vet(&mpi.job(ranks, &program, &args), &dir, LIMIT)?, dir))
}

fn correct(mpi: &Mpi, batch: u64) -> Result<()> {
    let (vetted, dir) = play(mpi, ranks(batch), first() + batch * BATCH, BATCH, None)?;
    if let Some(finding) = vetted.report.findings.first() {
        bail!("{finding}\n(files in {})", dir.display());
    }
    let words = vet::last_words(&vetted.outcome);
    let is_whole = vetted.outcome.code == Some(0) && vetted.outcome.stdout.contains(&format!("{BATCH} scripts"));
    ensure!(is_whole, "exit code {:?}\n{words}\n(files in {})", vetted.outcome.code, dir.display());
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

/// The lines that a finding must name.
fn marked(mistake: &str) -> Result<BTreeSet<usize>> {
    let text = std::fs::read_to_string(source())?;
    let is_marked = |line: &str| line.split("//~").skip(1).any(|mark| mark.trim() == mistake);
    Ok((1..).zip(text.lines()).filter(|(_, line)| is_marked(line)).map(|(number, _)| number).collect())
}

fn wrong(mpi: &Mpi, ranks: usize, script: u64, (mistake, check): (&str, &str)) -> Result<()> {
    let (vetted, dir) = play(mpi, ranks, script, 3, Some(mistake))?;
    let found: Vec<&Finding> = vetted.report.serious().collect();
    let list = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    let [finding] = found[..] else { bail!("{} findings\n{list}\n(files in {})", found.len(), dir.display()) };
    let lines: BTreeSet<usize> = finding.sites.iter().map(|site| site.line).collect();
    let expected = marked(mistake)?;
    ensure!(
        finding.check == check && lines == expected,
        "expected {check} at {expected:?}\n{list}\n(files in {})",
        dir.display()
    );
    ensure!(vetted.outcome.code == Some(1), "exit code {:?}", vetted.outcome.code);
    std::fs::remove_dir_all(&dir)?;
    Ok(())
}

#[test]
fn correct_programs_give_no_finding() -> Result<()> {
    let (full, turn) = (is_full(), Turn::now());
    let batches = if full { 20 } else { 2 };
    let mut jobs = Vec::new();
    for batch in 0..batches {
        let mpis = if full { mpi::required() } else { turn.mpis(mpi::required(), batch) };
        jobs.extend(mpis.into_iter().map(|mpi| (mpi, batch)));
    }
    side_by_side(&jobs, 2, |(mpi, batch)| {
        correct(mpi, *batch)
            .with_context(|| format!("{}, {} ranks, batch {batch} from {}", mpi.name, ranks(*batch), first()))
    })?;
    println!("{} scripts", jobs.len() as u64 * BATCH);
    Ok(())
}

#[test]
fn one_mistake_is_found_and_nothing_else() -> Result<()> {
    let (full, turn) = (is_full(), Turn::now());
    let rounds = if full { 10 } else { 1 };
    let mut jobs = Vec::new();
    for (place, mistake) in (0..).zip(MISTAKES) {
        for round in 0..rounds {
            let mpis = if full { mpi::required() } else { turn.mpis(mpi::required(), place) };
            jobs.extend(mpis.into_iter().map(|mpi| (mpi, 1000 + place + 100 * round, mistake)));
        }
    }
    side_by_side(&jobs, 2, |(mpi, script, mistake)| {
        // A mistake of two origins beside a target wants three ranks.
        let ranks = ranks(*script).max(if mistake.0 == "posted-twice" { 3 } else { 2 });
        let at = || format!("{}, {}, {ranks} ranks, script {}", mistake.0, mpi.name, first() + script);
        wrong(mpi, ranks, first() + script, *mistake).with_context(at)
    })?;
    println!("{} mistakes", jobs.len());
    Ok(())
}
