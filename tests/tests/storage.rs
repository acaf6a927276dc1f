//! The ends of resources: a trace of bounded size, times of bounded exactness, a full disk, and more objects, requests and
//! call sites than any table was made for.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile::compile, run, share, vet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use trace_format::definition::Definition;
use trace_format::file::RATE_BYTES;
use trace_format::mpi::FnId;
use trace_reader::reader::{RankEvent, RankReader};

const LIMIT: Duration = Duration::from_secs(120);

fn program(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    compile(mpi, &mpivet_tests::root().join(format!("tests/programs/{name}.c")), &mpivet_tests::scratch())
}

fn fresh(name: &str) -> Result<PathBuf> {
    let dir = mpivet_tests::scratch().join("storage").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// Runs a job with the library preloaded and these variables; its trace is in `dir/trace`.
fn record(
    mpi: &Mpi,
    (name, arguments): (&str, &[&str]),
    ranks: usize,
    dir: &Path,
    settings: &[(&str, &str)],
) -> Result<run::Outcome> {
    let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
    let job = mpi.job(ranks, &program(mpi, name)?, &arguments);
    let mut command = Command::new(&job[0]);
    command.args(&job[1..]).current_dir(dir).env("LD_PRELOAD", vet::mpivet()?.with_file_name("libmpivet.so"));
    command.env("MPIVET_DIR", dir.join("trace")).envs(settings.iter().copied());
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

fn analyze(dir: &Path) -> Result<run::Outcome> {
    let mut command = Command::new(vet::mpivet()?);
    command.arg("analyze").arg(dir.join("trace")).current_dir(dir);
    run::run(command, LIMIT)
}

/// Bytes of a rank's events and definitions.
fn size(dir: &Path, rank: i32) -> Result<(u64, u64)> {
    let (mut main, mut segments) = (0, 0);
    for entry in std::fs::read_dir(dir.join("trace"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = entry.metadata()?.len();
        if name == format!("rank-{rank}.mpv") {
            main += bytes;
        } else if name.starts_with(&format!("rank-{rank}.ring")) {
            segments += bytes;
        }
    }
    Ok((main, segments))
}

/// A call: function, begin, end, in ticks.
type Timed = (u16, u64, u64);

/// Times of all calls of a rank, and ticks per microsecond.
fn calls(dir: &Path, rank: i32) -> Result<(Vec<Timed>, u64)> {
    let mut reader = RankReader::open(&dir.join("trace"), rank)?;
    reader.writer_is_gone();
    let mut all = Vec::new();
    let mut take = |event| {
        if let RankEvent::Call(call) = event {
            all.push((call.func as u16, call.t_call, call.t_return));
        }
    };
    while reader.poll(64, &mut take)? {}
    ensure!(reader.defects.is_empty(), "{:?}", reader.defects);
    Ok((all, reader.header.ticks_per_second / 1_000_000))
}

const ROUNDS: &str = "60000";

#[test]
fn a_trace_of_bounded_size_says_from_where_it_speaks_and_nothing_false() -> Result<()> {
    mpi::under_each(&share::mpis("a_trace_of_bounded_size_says_from_where_it_speaks_and_nothing_false"), |mpi| {
        let dir = fresh(&format!("ring-{}", mpi.name))?;
        let outcome = record(mpi, ("long", &[ROUNDS]), 2, &dir, &[("MPIVET_MAX_TRACE_SIZE", "1")])?;
        ensure!(outcome.code == Some(0), "{}", outcome.stderr);
        for rank in 0..2 {
            let (main, segments) = size(&dir, rank)?;
            ensure!(segments <= 1 << 20 && segments > 1 << 19, "{segments} bytes of events");
            ensure!(main < 1 << 18, "{main} bytes besides");
        }
        let report = analyze(&dir)?;
        ensure!(report.code == Some(0), "exit code {:?}\n{}{}", report.code, report.stdout, report.stderr);
        ensure!(report.stdout.contains("only the last 1 MB are kept"), "{}", report.stdout);
        ensure!(report.stdout.contains("calls in the first"), "{}", report.stdout);
        // Every call that is left is whole.
        let (left, _) = calls(&dir, 0)?;
        ensure!(left.len() > 1_000 && left.windows(2).all(|w| w[0].1 <= w[1].1), "{} calls", left.len());
        Ok(())
    })
}

/// Names in a directory; none if it is not there.
fn names(dir: &Path) -> Vec<String> {
    let all = std::fs::read_dir(dir).into_iter().flatten().flatten();
    all.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// `mpivet run` with stages in a directory of their own.
fn run_apart(mpi: &Mpi, arguments: &[&str], dir: &Path, stages: &str) -> Result<run::Outcome> {
    let arguments: Vec<String> = arguments.iter().map(|a| (*a).to_owned()).collect();
    let mut command = vet::command()?;
    command.args(["run", "--stage-dir", stages, "--dir", "trace", "--"]).current_dir(dir);
    command.args(mpi.job(2, &program(mpi, "long")?, &arguments));
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

/// Stages may lie where mapped files are quick and nobody keeps them: what a rank leaves there is brought to its trace.
#[test]
fn stages_in_a_directory_of_their_own_are_read_and_brought() -> Result<()> {
    let is_stage = |name: &String| name.ends_with(".stage");
    mpi::under_each(&share::mpis("stages_in_a_directory_of_their_own_are_read_and_brought"), |mpi| {
        let ends: [(&[&str], Option<i32>, &str); 3] = [
            (&["2000"], Some(0), "no errors found"),
            (&["2000", "crash"], None, "abend"),
            (&["2000", "hang"], Some(1), "deadlock"),
        ];
        for (arguments, code, found) in ends {
            let dir = fresh(&format!("apart-{}-{}", mpi.name, arguments.last().copied().unwrap_or("")))?;
            let outcome = run_apart(mpi, arguments, &dir, "stages")?;
            let told = format!("{arguments:?}: {:?}\n{}", outcome.code, outcome.stderr);
            ensure!(code.is_none_or(|code| outcome.code == Some(code)) && outcome.stderr.contains(found), "{told}");
            ensure!(dir.join("stages").is_dir() && names(&dir.join("stages")).is_empty(), "{told}");
            let brought = names(&dir.join("trace")).iter().any(is_stage);
            ensure!(brought == (code != Some(0)), "{:?}\n{told}", names(&dir.join("trace")));
            // The trace says the same later.
            let again = analyze(&dir)?;
            ensure!(again.stdout.contains(found), "{}", again.stdout);
        }
        // Without `mpivet run` the analysis brings them.
        let dir = fresh(&format!("apart-{}-analyzed", mpi.name))?;
        let stages = dir.join("stages").display().to_string();
        record(mpi, ("long", &["2000", "crash"]), 2, &dir, &[("MPIVET_STAGE_DIR", &stages)])?;
        ensure!(!names(&dir.join("stages")).is_empty() && !names(&dir.join("trace")).iter().any(is_stage));
        let report = analyze(&dir)?;
        ensure!(report.stdout.contains("abend") && report.stdout.contains("long.c:"), "{}", report.stdout);
        ensure!(names(&dir.join("stages")).is_empty() && names(&dir.join("trace")).iter().any(is_stage));
        // If no directory can be made, they are beside the trace.
        let dir = fresh(&format!("apart-{}-nowhere", mpi.name))?;
        let outcome = run_apart(mpi, &["2000"], &dir, "/proc/nowhere")?;
        ensure!(outcome.code == Some(0) && outcome.stderr.contains("stages are in"), "{}", outcome.stderr);
        ensure!(outcome.stderr.contains("no errors found"), "{}", outcome.stderr);
        Ok(())
    })
}

/// The rate of the clock is measured again at the end, where the run was long enough to know it better.
#[test]
fn the_rate_of_the_clock_is_that_of_the_whole_run() -> Result<()> {
    if !std::fs::read_to_string("/proc/cpuinfo")?.contains("nonstop_tsc") {
        return Ok(());
    }
    mpi::under_each(&share::mpis("the_rate_of_the_clock_is_that_of_the_whole_run"), |mpi| {
        for (seconds, is_known) in [("0.01", false), ("1.5", true)] {
            let dir = fresh(&format!("rate-{}-{seconds}", mpi.name))?;
            let outcome = record(mpi, ("sleeps", &[seconds]), 2, &dir, &[])?;
            ensure!(outcome.code == Some(0), "{}", outcome.stderr);
            for rank in 0..2 {
                let bytes = std::fs::read(dir.join(format!("trace/rank-{rank}.mpv")))?;
                let header = u32::from_le_bytes(bytes[12..16].try_into()?) as usize;
                let rate = u64::from_le_bytes(bytes[16 + header..][..RATE_BYTES].try_into()?);
                ensure!((rate != 0) == is_known, "{seconds} s: {rate}");
                // The program knows how long it slept, and the trace says the same.
                let (calls, _) = calls(&dir, rank)?;
                let per_second = RankReader::open(&dir.join("trace"), rank)?.header.ticks_per_second;
                let ticks = calls.windows(2).map(|w| w[1].1 - w[0].2).max().unwrap_or(0);
                let (slept, told) = (ticks as f64 / per_second as f64, outcome.stdout.lines().nth(rank as usize));
                let told: f64 = told.context("nothing told")?.parse()?;
                ensure!((slept - told).abs() < 0.05, "{slept} s, the program says {told}");
            }
        }
        Ok(())
    })
}

#[test]
fn what_a_rank_dies_of_is_known_without_its_beginning() -> Result<()> {
    mpi::under_each(&share::mpis("what_a_rank_dies_of_is_known_without_its_beginning"), |mpi| {
        let dir = fresh(&format!("ring-crash-{}", mpi.name))?;
        record(mpi, ("long", &[ROUNDS, "crash"]), 2, &dir, &[("MPIVET_MAX_TRACE_SIZE", "1")])?;
        let report = analyze(&dir)?;
        ensure!(report.code == Some(1), "exit code {:?}\n{}", report.code, report.stdout);
        ensure!(report.stdout.contains("abend") && report.stdout.contains("long.c:"), "{}", report.stdout);
        ensure!(report.stdout.matches("error[").count() == 1, "nothing else:\n{}", report.stdout);
        ensure!(report.stdout.contains("only the last 1 MB are kept"), "{}", report.stdout);
        Ok(())
    })
}

#[test]
fn a_hang_at_the_end_is_found_while_the_trace_is_read_as_it_grows() -> Result<()> {
    mpi::under_each(&share::mpis("a_hang_at_the_end_is_found_while_the_trace_is_read_as_it_grows"), |mpi| {
        let dir = fresh(&format!("ring-hang-{}", mpi.name))?;
        let arguments = ["15000".to_owned(), "hang".to_owned()];
        let job = mpi.job(2, &program(mpi, "long")?, &arguments);
        let mut command = vet::command()?;
        command.args(["run", "--max-trace-size", "1", "--dir", "trace", "--"]).args(&job).current_dir(&dir);
        Mpi::prepare(&mut command);
        let outcome = run::run(command, LIMIT)?;
        ensure!(outcome.code == Some(1), "exit code {:?}\n{}{}", outcome.code, outcome.stdout, outcome.stderr);
        ensure!(outcome.stderr.contains("real-deadlock"), "{}", outcome.stderr);
        ensure!(outcome.stderr.matches("error[").count() == 1, "nothing else:\n{}", outcome.stderr);
        ensure!(size(&dir, 0)?.1 <= 1 << 20, "the limit holds");
        // The rest does not suffice for that, and says so.
        let report = analyze(&dir)?;
        ensure!(report.stdout.contains("only the last 1 MB are kept"), "{}", report.stdout);
        ensure!(!report.stdout.contains("error["), "nothing that rests on lost calls:\n{}", report.stdout);
        Ok(())
    })
}

#[test]
fn more_objects_than_a_segment_holds_cost_room_and_nothing_else() -> Result<()> {
    mpi::under_each(&share::mpis("more_objects_than_a_segment_holds_cost_room_and_nothing_else"), |mpi| {
        let dir = fresh(&format!("ring-objects-{}", mpi.name))?;
        let settings = [("MPIVET_MAX_TRACE_SIZE", "1")];
        let outcome = record(mpi, ("plenty", &["datatypes", "20000"]), 1, &dir, &settings)?;
        ensure!(outcome.code == Some(0), "exit code {:?}\n{}", outcome.code, outcome.stderr);
        let (_, segments) = size(&dir, 0)?;
        ensure!(segments < 4 << 20, "{segments} bytes of events");
        let report = analyze(&dir)?;
        ensure!(report.code == Some(0) && report.stdout.contains("only the last 1 MB are kept"), "{}", report.stdout);
        Ok(())
    })
}

/// The stage has the definitions: a write to the file for each took longer than all else.
#[test]
fn objects_are_defined_between_the_calls_that_make_them_and_their_returns() -> Result<()> {
    mpi::under_each(&share::mpis("objects_are_defined_between_the_calls_that_make_them_and_their_returns"), |mpi| {
        for (what, count) in [("datatypes", 5_000), ("communicators", 1_000)] {
            let dir = fresh(&format!("definitions-{what}-{}", mpi.name))?;
            let outcome = record(mpi, ("plenty", &[what, &count.to_string()]), 1, &dir, &[])?;
            ensure!(outcome.code == Some(0), "exit code {:?}\n{}", outcome.code, outcome.stderr);
            let mut reader = RankReader::open(&dir.join("trace"), 0)?;
            reader.writer_is_gone();
            let (mut is_open, mut inside, mut outside) = (false, 0, 0);
            let mut take = |event| match event {
                RankEvent::Call(call) => is_open = call.is_open(),
                RankEvent::Return { .. } => is_open = false,
                RankEvent::Definition(Definition::Comm { .. } | Definition::Datatype { .. }) if is_open => inside += 1,
                RankEvent::Definition(Definition::Comm { .. } | Definition::Datatype { .. }) => outside += 1,
                _ => {}
            };
            while reader.poll(64, &mut take)? {}
            ensure!(reader.defects.is_empty(), "{:?}", reader.defects);
            // MPI_COMM_WORLD and MPI_COMM_SELF no call has made.
            ensure!(inside >= count && outside == 2, "{what}: {inside} inside, {outside} outside");
        }
        Ok(())
    })
}

#[test]
fn with_a_bound_on_times_a_loop_takes_less_than_half_the_room() -> Result<()> {
    mpi::under_each(&share::mpis("with_a_bound_on_times_a_loop_takes_less_than_half_the_room"), |mpi| {
        let settings = [("MPIVET_TIME_ERROR", "100us")];
        let mut sizes = Vec::new();
        for rounds in ["4000", "40000"] {
            let dir = fresh(&format!("bound-{rounds}-{}", mpi.name))?;
            let outcome = record(mpi, ("sends", &[rounds]), 1, &dir, &settings)?;
            ensure!(outcome.code == Some(0), "{}", outcome.stderr);
            sizes.push(size(&dir, 0)?.0);
            let (all, ticks) = calls(&dir, 0)?;
            ensure!(all.windows(2).all(|w| w[0].2 <= w[1].1), "calls of a thread follow each other");
            let report = analyze(&dir)?;
            ensure!(report.code == Some(0), "{}", report.stdout);
            ensure!(ticks > 0 && all.len() > 4 * rounds.parse::<usize>()?, "{} calls", all.len());
        }
        let dir = fresh(&format!("exact-{}", mpi.name))?;
        record(mpi, ("sends", &["40000"]), 1, &dir, &[])?;
        let exact = size(&dir, 0)?.0;
        println!("{}: {sizes:?} bytes, exactly {exact}", mpi.name);
        // The saving depends on how busy the machine is: times that vary by more than the bound are written down.
        ensure!(sizes[1] * 2 < exact, "{sizes:?} bytes, exactly {exact}");
        Ok(())
    })
}

/// A file system of a few megabytes.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` if this machine does not let us make one.
    fn new(place: PathBuf, megabytes: u64) -> Result<Option<SmallDisk>> {
        std::fs::create_dir_all(&place)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={megabytes}m"), "tmpfs"]).arg(&place);
        let made = mount.output().is_ok_and(|output| output.status.success());
        Ok(made.then_some(SmallDisk(place)))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_disk_that_is_full_ends_the_trace_and_not_the_program() -> Result<()> {
    for mpi in share::mpis("a_disk_that_is_full_ends_the_trace_and_not_the_program") {
        // Full when something was recorded, and too small for anything.
        for (megabytes, nothing) in [(6, false), (1, true)] {
            let dir = fresh(&format!("full-{megabytes}-{}", mpi.name))?;
            let Some(disk) = SmallDisk::new(dir.join("disk"), megabytes)? else {
                eprintln!("left out: only root can make a small file system");
                return Ok(());
            };
            let outcome = record(&mpi, ("long", &[ROUNDS]), 2, &disk.0, &[])?;
            ensure!(outcome.code == Some(0), "{}: {:?}\n{}", mpi.name, outcome.code, outcome.stderr);
            let told = outcome.stderr.matches("No space left on device").count();
            ensure!((1..=2).contains(&told), "{}: not told once a rank:\n{}", mpi.name, outcome.stderr);
            let report = analyze(&disk.0)?;
            let said = format!("{}{}", report.stdout, report.stderr);
            ensure!(
                !said.contains("error[") && !said.contains("warning["),
                "nothing that rests on lost calls:\n{said}"
            );
            // Nobody knows whether there are no errors.
            ensure!(report.code == Some(3), "{}: {:?}\n{said}", mpi.name, report.code);
            let first = report.stdout.lines().next().unwrap_or_default();
            ensure!(nothing || first.contains("the trace is incomplete: "), "the report must say so first:\n{said}");
            ensure!(!said.contains("no errors found"), "{said}");
        }
    }
    Ok(())
}

/// Nanoseconds of a call at first and later, and kilobytes of memory.
fn figures(outcome: &run::Outcome) -> Result<Vec<f64>> {
    ensure!(outcome.code == Some(0), "{:?}\n{}", outcome.code, outcome.stderr);
    let line = outcome.stdout.lines().next().context("figures")?;
    line.split_whitespace().map(|f| Ok(f.parse()?)).collect()
}

#[test]
fn a_call_takes_no_longer_for_what_there_is_already() -> Result<()> {
    mpi::under_each(&share::mpis("a_call_takes_no_longer_for_what_there_is_already"), |mpi| {
        // The libraries themselves know no more communicators than this.
        for (what, count) in [("requests", "200000"), ("datatypes", "20000"), ("communicators", "1500")] {
            let dir = fresh(&format!("plenty-{what}-{}", mpi.name))?;
            let mut slow = Vec::new();
            for _ in 0..3 {
                let outcome = record(mpi, ("plenty", &[what, count]), 1, &dir, &[])?;
                let all = figures(&outcome)?;
                slow.push(all[1] / all[0]);
                println!("{} {what}: {all:?}", mpi.name);
                if all[1] < 3.0 * all[0] {
                    break;
                }
            }
            ensure!(slow.iter().any(|s| *s < 3.0), "{what}: {slow:?} times as long at the end");
            let report = analyze(&dir)?;
            ensure!(report.code == Some(0), "{}", report.stdout);
        }
        Ok(())
    })
}

#[test]
fn a_hundred_thousand_call_stacks_are_all_told_apart() -> Result<()> {
    mpi::under_each(&share::mpis("a_hundred_thousand_call_stacks_are_all_told_apart"), |mpi| {
        let dir = fresh(&format!("sites-{}", mpi.name))?;
        let outcome = record(mpi, ("sites", &["2"]), 1, &dir, &[])?;
        let all = figures(&outcome)?;
        println!("{}: {all:?} ns a call", mpi.name);
        ensure!(all[0] < 200_000.0 && all[1] < 100_000.0, "{all:?} ns a call");
        let mut reader = RankReader::open(&dir.join("trace"), 0)?;
        reader.writer_is_gone();
        let (mut stacks, mut sites) = (0, std::collections::BTreeSet::new());
        let mut take = |event| match event {
            RankEvent::Definition(Definition::Stack { .. }) => stacks += 1,
            RankEvent::Call(call) => _ = sites.insert(call.site),
            _ => {}
        };
        while reader.poll(64, &mut take)? {}
        ensure!(stacks >= 100_000 && sites.len() >= 100_000, "{stacks} stacks, {} sites", sites.len());
        Ok(())
    })
}

/// Calls from one place, with equal arguments, are told apart by the stacks behind them, and by nothing else: whatever is
/// remembered of them.
#[test]
fn calls_from_one_place_are_told_apart_by_their_stacks() -> Result<()> {
    mpi::under_each(&share::mpis("calls_from_one_place_are_told_apart_by_their_stacks"), |mpi| {
        for depth in ["2", "8", "20"] {
            let dir = fresh(&format!("stacks-{depth}-{}", mpi.name))?;
            let outcome = record(mpi, ("stacks", &[]), 1, &dir, &[("MPIVET_STACK_DEPTH", depth)])?;
            ensure!(outcome.code == Some(0), "{:?}\n{}", outcome.code, outcome.stderr);
            let mut reader = RankReader::open(&dir.join("trace"), 0)?;
            reader.writer_is_gone();
            let (mut tests, mut waits) = (Vec::new(), Vec::new());
            let mut take = |event| {
                if let RankEvent::Call(call) = event {
                    match call.func {
                        FnId::MPI_Comm_test_inter => tests.push(call.site),
                        FnId::MPI_Wait => waits.push(call.site),
                        _ => {}
                    }
                }
            };
            while reader.poll(64, &mut take)? {}
            let lines: Vec<&str> = outcome.stdout.lines().collect();
            for sites in [tests, waits] {
                ensure!(
                    sites.len() == lines.len() && lines.len() > 600,
                    "{} calls, {} lines",
                    sites.len(),
                    lines.len()
                );
                let pairs: std::collections::BTreeSet<_> = sites.iter().zip(&lines).collect();
                let of_sites: std::collections::BTreeSet<_> = sites.iter().collect();
                let of_lines: std::collections::BTreeSet<_> = lines.iter().collect();
                // Two frames show who called, and not from where that was called.
                let expected = if depth == "2" { 5 } else { of_lines.len() };
                ensure!(of_lines.len() == 9 && of_sites.len() == expected, "{depth} frames: {pairs:?}");
                ensure!(pairs.len() == of_lines.len(), "{depth} frames: {pairs:?}");
            }
        }
        Ok(())
    })
}
