//! `mpivet print` on the trace of a real run: each filter shows exactly the calls that it should. What these are is decided
//! here, from the JSON lines of the whole trace and by what the program does.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::run::{self, Outcome};
use mpivet_tests::{compile, mpi, vet};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// The trace of `tests/programs/print.c`, made once.
fn trace() -> Result<&'static Path> {
    static TRACE: OnceLock<std::result::Result<PathBuf, String>> = OnceLock::new();
    let made = TRACE.get_or_init(|| make().map_err(|e| format!("{e:#}")));
    made.as_deref().map_err(|e| anyhow::anyhow!("{e}"))
}

fn make() -> Result<PathBuf> {
    let mpi = mpi::first().context("no MPI")?;
    let dir = mpivet_tests::scratch().join("print");
    std::fs::create_dir_all(&dir)?;
    let program = dir.join("print");
    let flags = ["-Iinclude", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread"];
    compile::compile_to(&mpi, &program, &mpi.mpicc, &flags, &mpivet_tests::root().join("tests/programs/print.c"))?;
    let vetted = vet::vet(&mpi.job(3, &program, &[]), &dir.join("run"), LIMIT)?;
    ensure!(vetted.outcome.code == Some(0), "{}", vet::last_words(&vetted.outcome));
    Ok(vetted.trace)
}

fn print(options: &[&str]) -> Result<Outcome> {
    let mut command = vet::command()?;
    command.arg("print").args(options).arg(trace()?);
    run::run(command, LIMIT)
}

/// The objects of the lines with one of these kinds.
fn objects(options: &[&str], kinds: &[&str]) -> Result<Vec<Value>> {
    let outcome = print(&[options, &["--format", "json"]].concat())?;
    ensure!(outcome.code == Some(0), "{options:?}: {}", vet::last_words(&outcome));
    let lines: Vec<Value> = outcome.stdout.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok(lines.into_iter().filter(|l| kinds.iter().any(|k| l["kind"] == *k)).collect())
}

fn calls(options: &[&str]) -> Result<Vec<Value>> {
    objects(options, &["call"])
}

/// A filter shows those calls for which `wanted` holds, in their order: some, and not all.
fn shows(options: &[&str], wanted: impl Fn(&Value) -> bool) -> Result<Vec<Value>> {
    let all = calls(&[])?;
    let expected: Vec<&Value> = all.iter().filter(|c| wanted(c)).collect();
    ensure!(!expected.is_empty() && expected.len() < all.len(), "{options:?}: {} of {}", expected.len(), all.len());
    let shown = calls(options)?;
    let brief = |calls: &[&Value]| calls.iter().map(|c| c.to_string()).collect::<Vec<_>>().join("\n");
    let shown_refs: Vec<&Value> = shown.iter().collect();
    ensure!(shown_refs == expected, "{options:?} shows\n{}\nand not\n{}", brief(&shown_refs), brief(&expected));
    // The readable notation has the same calls.
    let text = print(options)?.stdout;
    let lines = text.lines().filter(|l| l.contains(": MPI_")).count();
    ensure!(lines == shown.len(), "{options:?}: {lines} lines\n{text}");
    Ok(shown)
}

fn function(call: &Value) -> &str {
    call["function"].as_str().unwrap_or_default()
}

/// The functions, by rank.
fn brief(calls: &[Value]) -> Vec<(i64, &str)> {
    calls.iter().map(|c| (c["rank"].as_i64().unwrap_or(-1), function(c))).collect()
}

#[test]
fn functions_are_chosen_by_names_and_patterns() -> Result<()> {
    shows(&["--function", "MPI_I*,wait"], |c| function(c).starts_with("MPI_I") || function(c) == "MPI_Wait")?;
    shows(&["--function", "mpi_send"], |c| function(c) == "MPI_Send")?;
    Ok(())
}

#[test]
fn ranks_threads_and_events_are_chosen() -> Result<()> {
    shows(&["--rank", "1,2"], |c| c["rank"] != 0)?;
    let second = shows(&["--thread", "1"], |c| c["thread"] == 1)?;
    ensure!(brief(&second) == [(0, "MPI_Comm_size")], "{second:?}");
    shows(&["--from", "4", "--to", "9"], |c| {
        c["return_event"].as_u64().is_some_and(|e| e >= 4) && c["event"].as_u64().is_some_and(|e| e <= 9)
    })?;
    Ok(())
}

#[test]
fn times_are_chosen() -> Result<()> {
    let time = |c: &Value, key: &str| c[key].as_f64().unwrap_or(-1.0);
    let all = calls(&["--rank", "0"])?;
    let barrier = all.iter().find(|c| function(c) == "MPI_Barrier").context("no MPI_Barrier")?;
    // The program slept before.
    let since = time(barrier, "seconds") - 0.2;
    let text = format!("{since}");
    let last = shows(&["--rank", "0", "--since", &text], |c| c["rank"] == 0 && time(c, "return_seconds") >= since)?;
    ensure!(
        brief(&last) == [(0, "MPI_Barrier"), (0, "MPI_Comm_free"), (0, "MPI_Comm_free"), (0, "MPI_Finalize")],
        "{last:?}"
    );
    shows(&["--rank", "0", "--until", &text], |c| c["rank"] == 0 && time(c, "seconds") <= since)?;
    // Calls between both times are left out; calls that are open at a time are shown.
    ensure!(calls(&["--rank", "0", "--since", &text, "--until", &text])?.is_empty(), "somebody called in his sleep");
    let inside = (time(barrier, "seconds") + time(barrier, "return_seconds")) / 2.0;
    let inside = format!("{inside}");
    let open = calls(&["--rank", "0", "--since", &inside, "--until", &inside])?;
    ensure!(brief(&open) == [(0, "MPI_Barrier")], "{open:?}");
    Ok(())
}

#[test]
fn communicators_are_chosen_with_their_windows() -> Result<()> {
    let on_halo = calls(&["--comm", "halo", "--rank", "1"])?;
    let expected =
        ["MPI_Bcast", "MPI_Win_create", "MPI_Win_fence", "MPI_Put", "MPI_Win_fence", "MPI_Win_free", "MPI_Comm_free"];
    let functions: Vec<&str> =
        on_halo.iter().map(function).filter(|f| !f.ends_with("dup") && !f.ends_with("name")).collect();
    ensure!(functions == expected, "{functions:?}");
    ensure!(on_halo.iter().any(|c| function(c) == "MPI_Comm_dup"), "the call that made it: {on_halo:?}");
    ensure!(on_halo == calls(&["--comm", "HA*", "--rank", "1"])?, "by pattern");
    // A communicator without a name has the number that is printed.
    let split = calls(&["--function", "comm_split", "--rank", "1"])?;
    let name = split[0]["results"]["newcomm"].as_str().context("a communicator")?;
    let others = calls(&["--comm", name, "--rank", "1"])?;
    ensure!(brief(&others) == [(1, "MPI_Comm_split"), (1, "MPI_Send"), (1, "MPI_Comm_free")], "{name}: {others:?}");
    ensure!(others == calls(&["--comm", name.trim_start_matches('c'), "--rank", "1"])?, "by number");
    Ok(())
}

#[test]
fn peers_are_ranks_of_the_world_in_every_communicator() -> Result<()> {
    let functions = |peer: &str, rank: &str| -> Result<Vec<String>> {
        Ok(calls(&["--peer", peer, "--rank", rank])?.iter().map(|c| function(c).to_owned()).collect())
    };
    ensure!(functions("1", "0")? == ["MPI_Send"], "{:?}", functions("1", "0")?);
    ensure!(functions("2", "0")? == ["MPI_Isend", "MPI_Bcast"], "{:?}", functions("2", "0")?);
    // The wildcard got its message from rank 0, which is the target of the put, too.
    ensure!(functions("0", "1")? == ["MPI_Recv", "MPI_Put"], "{:?}", functions("0", "1")?);
    // Rank 0 of the split communicator is rank 2 of the world.
    ensure!(functions("2", "1")? == ["MPI_Send", "MPI_Bcast"], "{:?}", functions("2", "1")?);
    ensure!(functions("1", "2")? == ["MPI_Recv"], "{:?}", functions("1", "2")?);
    ensure!(functions("0,1", "2")? == ["MPI_Irecv", "MPI_Recv"], "{:?}", functions("0,1", "2")?);
    Ok(())
}

#[test]
fn parameters_are_chosen_by_their_values() -> Result<()> {
    let tagged = shows(&["--param", "tag=999"], |c| c["arguments"]["tag"] == 999)?;
    ensure!(brief(&tagged) == [(0, "MPI_Send"), (1, "MPI_Recv")], "{tagged:?}");
    shows(&["--param", "datatype=MPI_INT", "--param", "Count=4"], |c| {
        c["arguments"]["datatype"] == "MPI_INT" && c["arguments"]["count"] == 4
    })?;
    let answered = calls(&["--param", "status=0/999/*"])?;
    ensure!(brief(&answered) == [(1, "MPI_Recv")], "{answered:?}");
    Ok(())
}

#[test]
fn filters_hold_together() -> Result<()> {
    shows(&["--rank", "0,1", "--function", "send,recv", "--param", "tag=999"], |c| {
        ["MPI_Send", "MPI_Recv"].contains(&function(c)) && c["arguments"]["tag"] == 999
    })?;
    Ok(())
}

#[test]
fn events_are_calls_and_returns_in_their_order() -> Result<()> {
    // Other events than calls keep their place, too.
    let timed = objects(&["--events"], &["call", "return", "dump", "mark", "system"])?;
    for rank in 0..3 {
        let of_rank: Vec<f64> =
            timed.iter().filter(|e| e["rank"] == rank).filter_map(|e| e["seconds"].as_f64()).collect();
        ensure!(of_rank.len() > 10 && of_rank.is_sorted(), "rank {rank}: {of_rank:?}");
    }
    ensure!(timed.iter().any(|e| e["kind"] == "dump"), "no dump");
    let events: Vec<Value> = timed.into_iter().filter(|e| e["kind"] == "call" || e["kind"] == "return").collect();
    let calls = calls(&[])?;
    let (begun, ended): (Vec<&Value>, Vec<&Value>) = events.iter().partition(|e| e["kind"] == "call");
    ensure!(begun.len() == calls.len(), "{} calls of {}", begun.len(), calls.len());
    let returned = calls.iter().filter(|c| c["return_event"].is_u64()).count();
    ensure!(ended.len() == returned && returned > 10, "{} returns of {returned}", ended.len());
    for rank in 0..3 {
        let of_rank: Vec<&Value> = events.iter().filter(|e| e["rank"] == rank).collect();
        let times: Vec<f64> = of_rank.iter().filter_map(|e| e["seconds"].as_f64()).collect();
        ensure!(times.len() == of_rank.len() && times.is_sorted(), "rank {rank}: {times:?}");
        let numbers: Vec<u64> =
            of_rank.iter().filter(|e| e["thread"] == 0).filter_map(|e| e["event"].as_u64()).collect();
        let of_calls = calls.iter().filter(|c| c["rank"] == rank && c["thread"] == 0);
        let expected: Vec<u64> =
            of_calls.flat_map(|c| [c["event"].as_u64(), c["return_event"].as_u64()]).flatten().collect();
        ensure!(numbers.is_sorted() && numbers == expected, "rank {rank}: {numbers:?}, not {expected:?}");
    }
    // A single event, in the notation.
    let text = print(&["--events", "--rank", "1", "--from", "6", "--to", "7"])?.stdout;
    let lines: Vec<&str> = text.lines().skip(1).collect();
    ensure!(
        matches!(lines[..], [one, two] if one.starts_with("1: return = ok") && one.contains("// 6 ") && two.contains("// 7")),
        "{text}"
    );
    // The notation has no names of communicators.
    let whole = print(&["--events", "--rank", "1"])?.stdout.replace("=halo", "=MPI_COMM_WORLD");
    let again = trace_reader::text::parse(&whole).map_err(|e| anyhow::anyhow!("{e}\n{whole}"))?;
    let is_return = |e: &trace_reader::reader::RankEvent| matches!(e, trace_reader::reader::RankEvent::Return { .. });
    let count = again.events.iter().filter(|(_, e)| is_return(e)).count();
    ensure!(count == ended.iter().filter(|e| e["rank"] == 1).count(), "{count} returns are read back");
    Ok(())
}

#[test]
fn dumps_are_chosen_by_name() -> Result<()> {
    let dumps = objects(&["--dumps=grid"], &["dump", "call", "definition", "system", "mark"])?;
    ensure!(dumps.len() == 1, "{dumps:?}");
    ensure!(dumps[0]["name"] == "grid" && dumps[0]["elements"] == serde_json::json!(["1", "2", "3", "4"]), "{dumps:?}");
    ensure!(objects(&["--dumps=g*"], &["dump"])?.len() == 2, "by pattern");
    let text = print(&["--dumps=ghosts", "--rank", "0"])?.stdout;
    let lines: Vec<&str> = text.lines().skip(1).collect();
    ensure!(
        lines.len() == 2 && lines[0].starts_with("0: mpivet_dump(\"ghosts\"") && lines[1] == "//   ghosts[0] 1",
        "{text}"
    );
    let early = objects(&["--dumps=grid", "--until", "0"], &["dump"])?;
    ensure!(early.is_empty(), "{early:?}");
    let all = objects(&["--dumps"], &["dump", "call"])?;
    ensure!(all.len() > 10 && all.iter().any(|l| l["elements"].is_array()), "with everything else");
    Ok(())
}

#[test]
fn wrong_filters_are_told_with_what_is_there() -> Result<()> {
    for (options, said) in [
        (&["--function", "MPI_I*x,"][..], "no MPI function fits `MPI_I*x`"),
        (&["--function", "send,recieve"], "`recieve` is no MPI function; did you mean"),
        (&["--since", "soon"], "`soon` is no number of seconds"),
        (&["--since", "3", "--until", "2"], "--since 3 is later than --until 2"),
        (&["--from", "3", "--to", "2"], "--from 3 is behind --to 2"),
        (&["--peer", "3"], "there is no rank 3: this run has 3 ranks"),
        (
            &["--comm", "hallo"],
            "there is no communicator `hallo` in what was read; did you mean halo? (there: MPI_COMM_",
        ),
        (&["--thread", "7"], "there is no thread `7` in what was read (there: 0, 1)"),
        (&["--param", "tags=1"], "no MPI function has a parameter `tags`; did you mean tag"),
        (&["--param", "tag"], "expected NAME=VALUE"),
        (&["--dumps=gridd"], "there is no dump `gridd` in what was read; did you mean grid?"),
        (&["--rank", "9"], "there is no readable trace of rank 9; there are those of ranks 0-2"),
    ] {
        let outcome = print(options)?;
        ensure!(outcome.code == Some(2), "{options:?}: {:?} {}", outcome.code, outcome.stderr);
        ensure!(outcome.stderr.contains(said), "{options:?}: {}", outcome.stderr);
    }
    Ok(())
}
