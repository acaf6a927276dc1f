//! Long runs and runs of many ranks: what mpivet needs for them is bounded, and grows no faster than they do. Traces are
//! written, not recorded: see `mpivet_tests::stencil` and `docs/scale.md`.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::stencil::Stencil;
use mpivet_tests::{scratch, vet};
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::Duration;

/// One at a time: each has the processors for itself.
static ALONE: Mutex<()> = Mutex::new(());

/// What an analysis needed.
struct Needed {
    mebibytes: f64,
    /// Of the processors, in user mode.
    seconds: f64,
    code: Option<i32>,
    out: String,
}

fn run(ranks: i32) -> Stencil {
    Stencil { ranks, rounds: 1, reduce_every: 5, grid_comms: true, hangs: false }
}

fn written(run: &Stencil, name: &str) -> Result<PathBuf> {
    let dir = scratch().join("scale").join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    run.write(&dir, 2)?;
    Ok(dir)
}

/// Writes a run, analyzes it with as many open files as a shell permits, and deletes it.
fn analyzed(run: &Stencil, name: &str, options: &[&str]) -> Result<Needed> {
    let dir = written(run, name)?;
    let before = user_seconds()?;
    let script = "ulimit -S -n 1024 && exec \"$0\" analyze --verbose \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(vet::mpivet()?).args(options).arg(&dir).env_remove("MPIVET_MAX_FINDINGS");
    let output = command.output()?;
    let seconds = user_seconds()? - before;
    let err = String::from_utf8_lossy(&output.stderr);
    let memory = err.lines().find_map(|l| l.strip_prefix("mpivet: most memory: ")?.strip_suffix(" MiB"));
    let mebibytes = memory.with_context(|| format!("nothing of memory: {err}"))?.parse()?;
    std::fs::remove_dir_all(&dir)?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    println!("{name}: {} events, {mebibytes} MiB, {seconds:.2} s", run.events());
    Ok(Needed { mebibytes, seconds, code: output.status.code(), out })
}

/// Of all children that have ended.
fn user_seconds() -> Result<f64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let time = getrusage(UsageWho::RUSAGE_CHILDREN)?.user_time();
    Ok(Duration::new(time.tv_sec() as u64, time.tv_usec() as u32 * 1000).as_secs_f64())
}

fn is_clean(needed: &Needed) -> Result<()> {
    ensure!(needed.code == Some(0) && needed.out.contains("no errors found"), "{:?}: {}", needed.code, needed.out);
    Ok(())
}

#[test]
fn memory_does_not_grow_with_the_length_of_the_run() -> Result<()> {
    let _alone = ALONE.lock();
    for (format, most) in [("text", 200.0), ("json", 200.0), ("html", 300.0)] {
        let needed = |events: u64| {
            let name = format!("long-{format}-{events}");
            analyzed(&run(16).with_events(events), &name, &["--format", format])
        };
        let (short, long) = (needed(1_000_000)?, needed(if format == "text" { 10_000_000 } else { 3_000_000 })?);
        ensure!(long.code == Some(0), "{:?}: {}", long.code, long.out);
        ensure!(long.mebibytes < most, "{format}: {} MiB", long.mebibytes);
        ensure!(
            long.mebibytes < 1.2 * short.mebibytes + 8.0,
            "{format}: {} MiB for a short run, {} MiB for a longer one",
            short.mebibytes,
            long.mebibytes
        );
    }
    Ok(())
}

/// Also the hundreds of communicators of rows and columns.
#[test]
fn ten_thousand_ranks_cost_ten_times_a_thousand() -> Result<()> {
    let _alone = ALONE.lock();
    let needed = |ranks: i32| analyzed(&Stencil { rounds: 10, ..run(ranks) }, &format!("ranks-{ranks}"), &[]);
    let (some, many) = (needed(1_000)?, needed(10_000)?);
    is_clean(&some)?;
    is_clean(&many)?;
    // With room for what is noise on a busy machine; whatever is quadratic is ten times as much.
    ensure!(many.seconds < 30.0 * some.seconds.max(0.1), "{} s, {} s", some.seconds, many.seconds);
    ensure!(many.mebibytes < 15.0 * some.mebibytes, "{} MiB, {} MiB", some.mebibytes, many.mebibytes);
    ensure!(many.mebibytes < 1500.0, "{} MiB", many.mebibytes);
    Ok(())
}

#[test]
fn the_one_rank_for_which_thousands_wait_is_found() -> Result<()> {
    let _alone = ALONE.lock();
    let needed = analyzed(&Stencil { rounds: 5, hangs: true, ..run(4_000) }, "hang", &[])?;
    ensure!(needed.code == Some(1), "{:?}: {}", needed.code, needed.out);
    ensure!(needed.out.contains("real-deadlock"), "{}", needed.out);
    Ok(())
}
