//! `mpivet export`: what viewers of trace events can rely on, and the table of calls read back.

use anyhow::{Context as _, Result, bail, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::vet::{self, last_words, vet_with};
use mpivet_tests::{csv, root, run, scratch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(90);
const RANKS: usize = 4;

/// The trace of a run for the test called `name`.
fn trace(mpi: &Mpi, source: &str, name: &str, ranks: usize, code: i32) -> Result<PathBuf> {
    trace_of(mpi, source, &[], name, ranks, code)
}

fn trace_of(mpi: &Mpi, source: &str, args: &[String], name: &str, ranks: usize, code: i32) -> Result<PathBuf> {
    let program = compile(mpi, &root().join(source), &scratch())?;
    let dir = scratch().join(format!("export-{}-{name}", mpi.name));
    let vetted = vet_with(&[], &mpi.job(ranks, &program, args), &dir, LIMIT)?;
    ensure!(vetted.outcome.code == Some(code), "{}: {}", mpi.name, last_words(&vetted.outcome));
    Ok(vetted.trace)
}

fn export(trace: &Path, options: &[&str]) -> Result<String> {
    let mut command = vet::command()?;
    command.arg("export").arg(trace).args(options);
    let outcome = run::run(command, LIMIT)?;
    ensure!(outcome.code == Some(0), "mpivet export {options:?}: {}", last_words(&outcome));
    Ok(outcome.stdout)
}

/// Parts that are left out are named, and the rest can be read.
#[test]
fn an_export_stops_at_its_limit() -> Result<()> {
    let mpi = mpi::first().context("no MPI")?;
    let trace = trace_of(&mpi, "tests/programs/plenty.c", &["requests".into(), "9000".into()], "limit", 2, 0)?;
    let file = trace.with_file_name("limited.json");
    let run = |limit: &str| -> Result<(String, usize)> {
        let mut command = vet::command()?;
        command.arg("export").arg(&trace).arg("--perfetto").arg(&file).args(["--max-size", limit]);
        let outcome = run::run(command, LIMIT)?;
        ensure!(outcome.code == Some(0), "{}", last_words(&outcome));
        let text = std::fs::read_to_string(&file)?;
        let json: Value = serde_json::from_str(&text)?;
        ensure!(json["traceEvents"].as_array().is_some_and(|events| !events.is_empty()), "no events");
        Ok((outcome.stderr, text.len()))
    };
    let (said, bytes) = run("1")?;
    ensure!(said.contains("stopped at 1 MB") && said.contains("--max-size 4"), "{said}");
    ensure!((1 << 20..3 << 20).contains(&bytes), "{bytes} bytes");
    let (said, all) = run("0")?;
    ensure!(!said.contains("stopped") && said.contains("mpivet: wrote ") && all > bytes, "{said}");
    Ok(())
}

/// An event, after the rules that hold for all of them.
struct Event<'a> {
    phase: &'a str,
    track: (u64, u64),
    ts: f64,
    name: &'a str,
    json: &'a Value,
}

/// Reads an event, or says what is wrong with it: the phases we write, the members that each must have, of which type.
fn event(json: &Value) -> Result<Event<'_>> {
    let members = json.as_object().context("not an object")?;
    let text = |name: &str| members.get(name).and_then(Value::as_str).with_context(|| format!("no text {name}"));
    let whole = |name: &str| members.get(name).and_then(Value::as_u64).with_context(|| format!("no number {name}"));
    let number = |name: &str| members.get(name).and_then(Value::as_f64).with_context(|| format!("no number {name}"));
    let phase = text("ph")?;
    let (required, optional): (&[&str], &[&str]) = match phase {
        "M" => (&["name", "args"], &[]),
        "X" => (&["name", "cat", "dur", "args"], &[]),
        "B" => (&["name", "cat"], &["args"]),
        "E" => (&[], &[]),
        "s" | "t" => (&["name", "cat", "id"], &[]),
        "f" => (&["name", "cat", "id", "bp"], &[]),
        "i" => (&["name", "cat", "s", "args"], &[]),
        "C" => (&["name", "args"], &[]),
        other => bail!("phase {other}"),
    };
    let always = ["ph", "pid", "tid", "ts"];
    for name in required {
        ensure!(members.contains_key(*name), "no {name}");
    }
    let known = |name: &String| [&always, required, optional].concat().contains(&name.as_str());
    ensure!(members.keys().all(known), "a member that nobody knows");
    if phase == "X" {
        ensure!(number("dur")? >= 0.0, "a negative duration");
    }
    ensure!(members.get("args").is_none_or(Value::is_object), "args is no object");
    ensure!(members.get("bp").is_none_or(|bp| bp == "e"), "bp");
    ensure!(members.get("s").is_none_or(|s| s == "t" || s == "p"), "scope");
    ensure!(whole("pid")? > 0, "process 0 is the system's");
    let name = text("name").unwrap_or_default();
    Ok(Event { phase, track: (whole("pid")?, whole("tid")?), ts: number("ts")?, name, json })
}

/// The events of a trace that keeps all the rules.
fn checked(trace: &Value) -> Result<Vec<Event<'_>>> {
    let list = trace["traceEvents"].as_array().context("no traceEvents")?;
    let events: Vec<Event> = list.iter().map(|e| event(e).with_context(|| e.to_string())).collect::<Result<_>>()?;
    let mut flows: BTreeMap<(&str, u64), Vec<&Event>> = BTreeMap::new();
    for e in events.iter().filter(|e| ["s", "t", "f"].contains(&e.phase)) {
        flows.entry((e.name, e.json["id"].as_u64().context("id")?)).or_default().push(e);
    }
    for (flow, points) in &flows {
        let phases: String = points.iter().map(|p| p.phase).collect();
        ensure!(phases.len() > 1 && phases == format!("s{}f", "t".repeat(phases.len() - 2)), "{flow:?}: {phases}");
        ensure!(points.windows(2).all(|w| w[0].ts <= w[1].ts), "{flow:?} goes back in time");
        // Each point is in a slice: a viewer has nothing else to hang it on.
        for point in points {
            let inside = |e: &&Event| {
                let dur = e.json["dur"].as_f64().unwrap_or_default();
                e.phase == "X" && e.track == point.track && e.ts <= point.ts && point.ts <= e.ts + dur + 1e-3
            };
            ensure!(events.iter().any(|e| inside(&e)), "{flow:?} points into the void: {}", point.json);
        }
    }
    let mut open: BTreeMap<(u64, u64), (i64, f64)> = BTreeMap::new();
    for e in events.iter().filter(|e| e.phase == "B" || e.phase == "E") {
        let (depth, last) = open.entry(e.track).or_insert((0, f64::MIN));
        *depth += if e.phase == "B" { 1 } else { -1 };
        ensure!(*depth >= 0, "an end without a begin: {}", e.json);
        ensure!(e.ts >= *last, "slices out of order: {}", e.json);
        *last = e.ts;
    }
    Ok(events)
}

#[test]
fn viewers_can_open_it() -> Result<()> {
    for mpi in mpi::required() {
        let dir = trace(&mpi, "tests/programs/statistics.c", "viewers", RANKS, 0)?;
        let json: Value = serde_json::from_str(&export(&dir, &["--perfetto", "-"])?)?;
        let events = checked(&json)?;
        let count = |phase: &str, name: &str| events.iter().filter(|e| e.phase == phase && e.name == name).count();
        ensure!(count("X", "MPI_Sendrecv") == 39 * RANKS, "{}", mpi.name);
        ensure!((count("s", "message"), count("f", "message")) == (41 * RANKS, 41 * RANKS), "{}", mpi.name);
        // 5 reductions and a split of all ranks, and of both halves a barrier and the end of the communicator.
        ensure!((count("s", "collective"), count("f", "collective")) == (6 + 4, 6 + 4), "{}", mpi.name);
        ensure!(count("t", "collective") == 6 * (RANKS - 2), "{}", mpi.name);
        ensure!(count("B", "ring, \"round\"") == RANKS, "{}", mpi.name);
        ensure!(events.iter().filter(|e| e.phase == "E").count() == RANKS, "{}", mpi.name);
        // The program says it by MPI_Pcontrol.
        ensure!(count("X", "MPI_Pcontrol") == 0, "{}", mpi.name);
        let names: Vec<_> =
            events.iter().filter(|e| e.name == "process_name").map(|e| &e.json["args"]["name"]).collect();
        ensure!(names.len() == RANKS, "{names:?}");
        ensure!(names[3].as_str().is_some_and(|n| n.starts_with("rank 3 (")), "{names:?}");
        let call = events.iter().find(|e| e.name == "MPI_Send").context("no MPI_Send")?;
        let args = &call.json["args"];
        ensure!(args["call"].as_str().is_some_and(|c| c.contains("count=0, datatype=MPI_INT, dest=")), "{args}");
        ensure!(args["source"].as_str().is_some_and(|s| s.contains("statistics.c:")), "{args}");
        let first = events.iter().filter(|e| e.phase != "M").map(|e| e.ts).fold(f64::MAX, f64::min);
        ensure!((0.0..1.0).contains(&first), "{}: time begins at {first}", mpi.name);
    }
    Ok(())
}

#[test]
fn findings_are_marked_in_time() -> Result<()> {
    let Some(mpi) = mpi::first() else { return Ok(()) };
    let dir = trace(&mpi, "examples/real-deadlock/bug.c", "findings", 2, 1)?;
    let json: Value = serde_json::from_str(&export(&dir, &["--perfetto", "-"])?)?;
    let events = checked(&json)?;
    for rank in 0..2 {
        let of_rank = |e: &&Event| e.track.0 == rank + 1;
        let mark = events.iter().filter(of_rank).find(|e| e.phase == "i" && e.name.ends_with(" real-deadlock"));
        let mark = mark.with_context(|| format!("no mark on rank {rank}"))?;
        // The call that never returned begins there and has no end.
        let call = events.iter().filter(of_rank).find(|e| e.phase == "B").context("no open call")?;
        ensure!(mark.ts == call.ts, "{} {}", mark.json, call.json);
    }
    Ok(())
}

#[test]
fn the_table_of_calls_is_read_back() -> Result<()> {
    for mpi in mpi::required() {
        let dir = trace(&mpi, "tests/programs/statistics.c", "calls", RANKS, 0)?;
        let file = dir.with_file_name("calls.csv");
        export(&dir, &["--csv", &file.display().to_string()])?;
        let rows = csv::parse(&std::fs::read_to_string(&file)?)?;
        let of = |function: &str| rows.iter().filter(|r| r["function"] == function).collect::<Vec<_>>();
        ensure!(of("MPI_Sendrecv").len() == 39 * RANKS && of("MPI_Finalize").len() == RANKS, "{}", mpi.name);
        let bytes: u64 = of("MPI_Sendrecv").iter().filter_map(|r| r["bytes"].parse::<u64>().ok()).sum();
        ensure!(bytes == (RANKS * 3 * (2 * 4096 - 1)) as u64, "{}: {bytes}", mpi.name);
        for row in of("MPI_Send") {
            let rank: usize = row["rank"].parse()?;
            ensure!(row["peer"] == ((rank + 1) % RANKS).to_string() && row["tag"] == "7", "{row:?}");
            ensure!(row["communicator"] == "MPI_COMM_WORLD" && row["error_class"] == "MPI_SUCCESS", "{row:?}");
            ensure!(row["bytes"] == "0" && row["file"].ends_with("statistics.c"), "{row:?}");
        }
        // Each thread's calls follow each other, as the trace has them.
        for rank in 0..RANKS {
            let calls: Vec<_> = rows.iter().filter(|r| r["rank"] == rank.to_string()).collect();
            let seconds = |column: &str| calls.iter().map(|r| r[column].parse::<f64>()).collect::<Result<Vec<_>, _>>();
            let (begins, ends) = (seconds("begin_seconds")?, seconds("end_seconds")?);
            ensure!(begins.iter().zip(&ends).all(|(b, e)| b <= e), "a call ends before it begins");
            ensure!(ends.iter().zip(&begins[1..]).all(|(e, b)| e <= b), "calls overlap");
            ensure!(begins.first().is_some_and(|b| (0.0..60.0).contains(b)), "{begins:?}");
        }
    }
    Ok(())
}
