//! `mpivet stats`: what a program of ours sent and where it waited, by every table and format.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::vet::{self, Vetted, last_words, vet_with};
use mpivet_tests::{csv, root, run, scratch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(90);
const RANKS: u64 = 4;

fn source() -> PathBuf {
    root().join("tests/programs/statistics.c")
}

/// A run for the test called `name`.
fn vetted(mpi: &Mpi, what: &str, name: &str) -> Result<Vetted> {
    let program = compile(mpi, &source(), &scratch())?;
    let dir = scratch().join(format!("stats-{}-{name}", mpi.name));
    let vetted = vet_with(&[], &mpi.job(RANKS as usize, &program, &[what.to_owned()]), &dir, LIMIT)?;
    ensure!(vetted.outcome.code == Some(0), "{}: {}", mpi.name, last_words(&vetted.outcome));
    Ok(vetted)
}

fn stats(trace: &Path, options: &[&str]) -> Result<String> {
    let mut command = vet::command()?;
    command.arg("stats").arg(trace).args(options);
    let outcome = run::run(command, LIMIT)?;
    ensure!(outcome.code == Some(0), "mpivet stats {options:?}: {}", last_words(&outcome));
    Ok(outcome.stdout)
}

fn json(trace: &Path, options: &[&str]) -> Result<Value> {
    Ok(serde_json::from_str(&stats(trace, &[&["--format", "json"], options].concat())?)?)
}

fn table(trace: &Path, name: &str) -> Result<Vec<BTreeMap<String, String>>> {
    csv::parse(&stats(trace, &["--format", "csv", "--table", name])?)
}

/// The columns of a table as numbers.
fn numbers(rows: &[BTreeMap<String, String>], columns: &[&str]) -> Result<Vec<Vec<u64>>> {
    let number = |row: &BTreeMap<String, String>, column: &str| -> Result<u64> {
        let text = row.get(column).with_context(|| format!("no column {column}: {row:?}"))?;
        text.parse().with_context(|| format!("{column}: {text}"))
    };
    rows.iter().map(|row| columns.iter().map(|column| number(row, column)).collect()).collect()
}

/// Sum of a column over the rows of a function.
fn of(rows: &[BTreeMap<String, String>], function: &str, column: &str) -> u64 {
    rows.iter().filter(|r| r["function"] == function).filter_map(|r| r[column].parse::<u64>().ok()).sum()
}

#[test]
fn what_a_ring_sends_is_counted_exactly() -> Result<()> {
    for mpi in mpi::required() {
        let trace = vetted(&mpi, "ring", "ring")?.trace;
        let bytes = 3 * (2 * 4096 - 1);
        let pairs: Vec<_> = (0..RANKS).map(|r| vec![r, (r + 1) % RANKS, 3 * 13 + 2, bytes]).collect();
        let found = numbers(&table(&trace, "matrix")?, &["from", "to", "messages", "bytes"])?;
        ensure!(found == pairs, "{}: {found:?}", mpi.name);

        let empty = vec![0, 0, 2 * RANKS, 0];
        let sizes = (0..13).map(|i| 1 << i).map(|n: u64| vec![n, 2 * n - 1, 3 * RANKS, 3 * RANKS * n]);
        let sizes: Vec<_> = std::iter::once(empty).chain(sizes).collect();
        let found = numbers(&table(&trace, "sizes")?, &["from_bytes", "to_bytes", "messages", "bytes"])?;
        ensure!(found == sizes, "{}: {found:?}", mpi.name);

        let functions = table(&trace, "functions")?;
        for (function, calls, sent) in [
            ("MPI_Sendrecv", 39 * RANKS, bytes * RANKS),
            ("MPI_Irecv", 2 * RANKS, 0),
            ("MPI_Allreduce", 5 * RANKS, 5 * RANKS * 4),
            ("MPI_Barrier", RANKS, 0),
        ] {
            let found = (of(&functions, function, "calls"), of(&functions, function, "bytes"));
            // MPI_Sendrecv sends as much as it receives.
            let times = if function == "MPI_Sendrecv" { 2 } else { 1 };
            ensure!(found == (calls, times * sent), "{}: {function} {found:?}", mpi.name);
        }
        let collectives = table(&trace, "collectives")?;
        let row = |function: &str, name: &str| {
            collectives.iter().find(|r| r["function"] == function && r["communicator"] == name).cloned()
        };
        let allreduce = row("MPI_Allreduce", "MPI_COMM_WORLD").with_context(|| format!("{collectives:?}"))?;
        ensure!((&*allreduce["operations"], &*allreduce["processes"]) == ("5", "4"), "{allreduce:?}");
        for name in ["low, low", "high"] {
            let barrier = row("MPI_Barrier", name).with_context(|| format!("{name}: {collectives:?}"))?;
            ensure!((&*barrier["operations"], &*barrier["processes"]) == ("1", "2"), "{barrier:?}");
        }

        let text = stats(&trace, &[])?;
        let matrix = text.split("\nmessages from rank to rank\n").nth(1).context("no matrix")?;
        let rows: Vec<Vec<&str>> = matrix.lines().skip(1).take(4).map(|l| l.split_whitespace().collect()).collect();
        ensure!(rows[0] == ["0", ".", "41", ".", "."] && rows[3] == ["3", "41", ".", ".", "."], "{text}");
        let one = json(&trace, &["--rank", "1"])?;
        ensure!(one["ranks"].as_array().map(Vec::len) == Some(1) && one["ranks"][0]["rank"] == 1, "{one:#}");
        ensure!(one["pairs"].as_array().map(Vec::len) == Some(2), "{one:#}");
    }
    Ok(())
}

/// Seconds that a rank waited at the marked line, by causes: late sender, late receiver, collective; and those that
/// it spent there.
fn waited(rows: &[BTreeMap<String, String>], rank: u64, mark: &str) -> Result<([f64; 3], f64)> {
    let text = std::fs::read_to_string(source())?;
    let mark = format!("/* {mark} */");
    let line = text.lines().position(|l| l.contains(&mark)).context("no such mark")? + 1;
    let is_there = |r: &&BTreeMap<String, String>| r["rank"] == rank.to_string() && r["line"] == line.to_string();
    let row = rows.iter().find(is_there).with_context(|| format!("nothing of rank {rank} at {mark}"))?;
    ensure!(row["file"].ends_with("statistics.c"), "{row:?}");
    let number = |column: &str| row[column].parse::<f64>();
    let causes = [number("late_sender_seconds")?, number("late_receiver_seconds")?, number("collective_seconds")?];
    Ok((causes, number("seconds")?))
}

#[test]
fn ranks_wait_where_somebody_is_late() -> Result<()> {
    // Somebody sleeps for half a second; how much of that the others wait depends on how loaded the machine is.
    const ENOUGH: f64 = 0.2;
    const NONE: f64 = 0.15;
    for mpi in mpi::required() {
        let trace = vetted(&mpi, "waits", "waits")?.trace;
        let rows = table(&trace, "waits")?;
        for (rank, mark, cause) in [
            (1, "late sender", 0),
            (0, "late receiver", 1),
            (0, "unbalanced", 2),
            (1, "unbalanced", 2),
            (3, "unbalanced", 2),
            (3, "really waits", 0),
            (0, "late root", 2),
            (1, "late root", 2),
            (0, "only the root must wait", 2),
        ] {
            let (causes, seconds) = waited(&rows, rank, mark)?;
            let others: f64 = causes.iter().sum::<f64>() - causes[cause];
            let fits = causes[cause] > ENOUGH && causes[cause] <= seconds + 1e-6 && others < NONE;
            ensure!(fits, "{}: rank {rank} at {mark}: {causes:?} of {seconds}", mpi.name);
        }
        for (rank, mark) in [
            (1, "is late itself"),
            (2, "unbalanced"),
            (3, "late root"),
            (1, "only the root must wait"),
            (3, "only the root must wait"),
        ] {
            let (causes, _) = waited(&rows, rank, mark)?;
            ensure!(causes.iter().sum::<f64>() < NONE, "{}: rank {rank} at {mark}: {causes:?}", mpi.name);
        }
        ensure!(waited(&rows, 3, "only begins").is_err(), "MPI_Irecv never waits");

        // The worst places, with their source lines, are in the text.
        let text = stats(&trace, &["--table", "waits"])?;
        let places = text.split("\nwhere ranks waited for others\n").nth(1).context("no places")?;
        for line in ["/* late sender */", "/* late receiver */", "/* really waits */"] {
            ensure!(places.contains(line), "{line}\n{text}");
        }
        let json = json(&trace, &[])?;
        let sum = |cause: &str| -> f64 {
            let ranks = json["ranks"].as_array().into_iter().flatten();
            ranks.filter_map(|r| r["waits"][cause].as_f64()).sum()
        };
        let of_rows = |column: &str| rows.iter().filter_map(|r| r[column].parse::<f64>().ok()).sum::<f64>();
        for cause in ["late_sender", "late_receiver", "collective", "other"] {
            let (a, b) = (sum(cause), of_rows(&format!("{cause}_seconds")));
            ensure!((a - b).abs() < 1e-6, "{}: {cause} {a} {b}", mpi.name);
        }
        ensure!(json["clocks_differ"] == false && json["running"] == false, "{json:#}");
    }
    Ok(())
}

#[test]
fn a_damaged_trace_is_counted_and_said_to_be_so() -> Result<()> {
    let Some(mpi) = mpi::first() else { return Ok(()) };
    let trace = vetted(&mpi, "ring", "damaged")?.trace;
    let path = trace.join("rank-2.mpv");
    let bytes = std::fs::read(&path)?;
    std::fs::write(&path, &bytes[..bytes.len() / 2])?;
    let text = stats(&trace, &[])?;
    ensure!(text.contains("the trace is incomplete, and so are these numbers"), "{text}");
    ensure!(text.contains("MPI_Sendrecv"), "{text}");
    let json = json(&trace, &[])?;
    ensure!(json["defects"].as_array().is_some_and(|d| !d.is_empty()), "{json:#}");
    Ok(())
}
