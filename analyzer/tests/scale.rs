//! Long runs and runs of many ranks: what mpivet needs for them is bounded, and grows no faster than they do. Traces are
//! written, not recorded: see `docs/scale.md`.

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use trace_reader::synthetic::{Hang, Stencil};

/// Tests run one at a time: each has the processors for itself.
static ALONE: Mutex<()> = Mutex::new(());

/// The resources of an analysis.
struct Needed {
    mebibytes: f64,
    /// Processor time in user mode.
    seconds: f64,
    code: Option<i32>,
    out: String,
    /// Calls that were counted only.
    counted: u64,
}

fn run(ranks: i32) -> Stencil {
    Stencil { ranks, rounds: 1, reduce_every: 5, grid_comms: true, ..Stencil::default() }
}

/// Writes a run and analyzes it with as many open files as a shell permits.
fn analyzed(run: &Stencil, options: &[&str]) -> Needed {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    run.write(dir.path(), 2).unwrap();
    // The last line of `times` is of the shell's children.
    let script = "ulimit -S -n 1024; \"$0\" analyze --verbose \"$@\"; code=$?; times >&2; exit $code";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(mpivet()).args(options).arg(dir.path());
    let output = command.env_remove("MPIVET_MAX_FINDINGS").output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let err = String::from_utf8_lossy(&output.stderr);
    let memory = err.lines().find_map(|l| l.strip_prefix("mpivet: most memory: ")?.strip_suffix(" MiB"));
    let mebibytes = memory.unwrap_or_else(|| panic!("nothing of memory: {err}{out}")).parse().unwrap();
    let seconds = err.lines().last().and_then(user_seconds).unwrap_or_else(|| panic!("no times: {err}"));
    let counted =
        err.lines().find_map(|l| l.strip_prefix("mpivet: ")?.split_once(" calls were counted only")?.0.parse().ok());
    println!("{} ranks, {} events, {options:?}: {mebibytes} MiB, {seconds:.2} s", run.ranks, run.events());
    Needed { mebibytes, seconds, code: output.status.code(), out, counted: counted.unwrap_or(0) }
}

/// The release build, if it is there, as users have it.
fn mpivet() -> OsString {
    std::env::var_os("MPIVET").unwrap_or_else(|| env!("CARGO_BIN_EXE_mpivet").into())
}

/// `0m1.230s 0m0.100s`: the first of them.
fn user_seconds(times: &str) -> Option<f64> {
    let (minutes, seconds) = times.split_whitespace().next()?.split_once('m')?;
    Some(60.0 * minutes.parse::<f64>().ok()? + seconds.strip_suffix('s')?.parse::<f64>().ok()?)
}

fn assert_clean(needed: &Needed) {
    assert!(needed.code == Some(0) && needed.out.contains("no errors found"), "{:?}: {}", needed.code, needed.out);
}

#[test]
fn memory_does_not_grow_with_the_length_of_the_run() {
    // Ten times as much with `scripts/test --full`.
    let size = if std::env::var_os("MPIVET_TEST_FULL").is_some() { 10 } else { 1 };
    for (format, events, most) in [("text", 1_500_000, 200.0), ("json", 1_000_000, 200.0), ("html", 1_000_000, 300.0)] {
        let needed = |events: u64| analyzed(&run(16).with_events(events), &["--format", format]);
        let (short, long) = (needed(size * 300_000), needed(size * events));
        assert_eq!(long.code, Some(0), "{}", long.out);
        assert!(long.mebibytes < most, "{format}: {} MiB", long.mebibytes);
        assert!(
            long.mebibytes < 1.2 * short.mebibytes + 8.0,
            "{format}: {} MiB for a short run, {} MiB for a longer one",
            short.mebibytes,
            long.mebibytes
        );
    }
}

/// The hundreds of communicators of rows and columns are among them.
#[test]
fn ten_thousand_ranks_cost_ten_times_a_thousand() {
    let needed = |ranks: i32| analyzed(&Stencil { rounds: 10, ..run(ranks) }, &[]);
    let (some, many) = (needed(1_000), needed(10_000));
    assert_clean(&some);
    assert_clean(&many);
    // There is room for noise on a busy machine; a quadratic algorithm takes ten times as much.
    assert!(many.seconds < 30.0 * some.seconds.max(0.1), "{} s, {} s", some.seconds, many.seconds);
    assert!(many.mebibytes < 15.0 * some.mebibytes, "{} MiB, {} MiB", some.mebibytes, many.mebibytes);
    assert!(many.mebibytes < 500.0, "{} MiB", many.mebibytes);
}

/// The buffered calls of each rank have room.
#[test]
fn laps_of_thousands_of_ranks_are_counted() {
    for (ranks, events, most) in [(1_000, 4_000_000, 400.0), (3_000, 9_000_000, 600.0)] {
        let run = Stencil { ranks, reduce_every: 10, ..Stencil::default() }.with_events(events);
        let needed = analyzed(&run, &[]);
        assert_clean(&needed);
        let calls = run.events() / 2;
        assert!(needed.counted > calls / 4, "{ranks} ranks: {} of {calls} calls were counted only", needed.counted);
        assert!(needed.mebibytes < most, "{ranks} ranks: {} MiB", needed.mebibytes);
    }
}

#[test]
fn the_one_rank_for_which_thousands_wait_is_found() {
    let needed = analyzed(&Stencil { rounds: 5, hang: Some(Hang::Behind0), ..run(4_000) }, &[]);
    assert_eq!(needed.code, Some(1), "{}", needed.out);
    assert!(needed.out.contains("real-deadlock"), "{}", needed.out);
}

/// Each rank in a collective operation waits for half of all: lists of its own would have half a million entries here.
#[test]
fn a_hang_of_two_halves_costs_little_more_than_a_run_that_ends() {
    let ranks = if std::env::var_os("MPIVET_TEST_FULL").is_some() { 10_000 } else { 1_500 };
    let plain = analyzed(&Stencil { grid_comms: false, ..run(ranks) }, &[]);
    assert_clean(&plain);
    // 300 MiB for 10,000 in a release build, whose code is shorter.
    let limit = 90.0 + 0.0225 * ranks as f64;
    for hang in [None, Some(Hang::BehindHalf), Some(Hang::InTwo)] {
        let longer = analyzed(&Stencil { hang, rounds: 10, grid_comms: false, ..run(ranks) }, &[]);
        assert!(longer.mebibytes < limit, "{hang:?}: {} MiB", longer.mebibytes);
    }
    for hang in [Hang::BehindHalf, Hang::BehindOdd, Hang::InTwo] {
        let needed = analyzed(&Stencil { hang: Some(hang), grid_comms: false, ..run(ranks) }, &["--format", "json"]);
        assert_eq!(needed.code, Some(1), "{}", needed.out);
        assert!(needed.out.contains("real-deadlock"), "{hang:?}");
        // A kilobyte a rank, and the report.
        let most = plain.mebibytes + 25.0 + ranks as f64 / 100.0;
        assert!(needed.mebibytes < most, "{hang:?}: {} MiB, {} MiB", needed.mebibytes, plain.mebibytes);
        assert!(needed.out.len() < 40 << 20, "{hang:?}: {} bytes", needed.out.len());
        let is_cut = needed.out.contains("for whom they wait is told of");
        assert_eq!(is_cut, hang == Hang::InTwo, "{hang:?}");
    }
}

/// Starts an analysis, and sends it this signal as soon as it is ready for that.
fn interrupted(dir: &Path, signal: Signal, options: &[&str], out: Stdio) -> Child {
    // A shell lets commands in the background ignore SIGINT, and mpivet goes by that.
    let mut command = Command::new("env");
    command.arg("--default-signal=INT").arg(mpivet());
    command.arg("analyze").args(options).arg(dir).stdout(out).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let is_ready = || {
        let text = std::fs::read_to_string(&status).unwrap();
        let blocked = text.lines().find_map(|line| line.strip_prefix("SigBlk:")).unwrap().trim();
        (u64::from_str_radix(blocked, 16).unwrap() >> (signal as i32 - 1)) & 1 == 1
    };
    let start = Instant::now();
    while !is_ready() {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended before it was ready");
        assert!(start.elapsed() < Duration::from_secs(100), "it never gets ready");
        std::thread::sleep(Duration::from_millis(1));
    }
    send(&child, signal);
    child
}

fn send(child: &Child, signal: Signal) {
    kill(Pid::from_raw(child.id() as i32), signal).unwrap();
}

#[test]
fn an_interrupted_analysis_reports_what_it_has_read() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let traces = dir.path().join("traces");
    // All of its ranks hang at its end, which is not read.
    let run = Stencil { varied: true, hang: Some(Hang::BehindHalf), ..run(16) };
    run.with_events(6_000_000).write(&traces, 2).unwrap();
    let [json, html] = ["report.json", "report.html"].map(|name| dir.path().join(name).display().to_string());
    let options = ["--incomplete", "ok", "--report", &json, "--report", &html];
    for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
        let output = interrupted(&traces, signal, &options, Stdio::piped()).wait_with_output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{signal}: {err}");
        assert!(err.contains("reading ends here"), "{err}");
        let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&json).unwrap()).unwrap();
        let what = report["task"]["defects"][0]["what"].as_str().unwrap().to_owned();
        assert!(what.starts_with(&format!("{signal} has ended the analysis")), "{what}");
        assert!(out.contains(&what), "{out}");
        assert_eq!(report["findings"].as_array().unwrap().len(), 0, "{report}");
        let ended = report["task"]["ended"].as_array().unwrap();
        assert!(ended.len() == 16 && ended.iter().all(|rank| rank["end"] == "unknown"), "{ended:?}");
        assert!(std::fs::read_to_string(&html).unwrap().contains(&what));
        for file in [&json, &html] {
            std::fs::remove_file(file).unwrap();
        }
    }
    a_second_signal_ends_it_at_once(&traces);
}

fn a_second_signal_ends_it_at_once(traces: &Path) {
    // Nobody reads the report, so that it cannot be written.
    let (_reader, mut writer) = std::io::pipe().unwrap();
    fcntl(&writer, FcntlArg::F_SETFL(OFlag::O_NONBLOCK)).unwrap();
    while writer.write(&[0]).is_ok() {}
    fcntl(&writer, FcntlArg::F_SETFL(OFlag::empty())).unwrap();
    let mut child = interrupted(traces, Signal::SIGINT, &[], writer.into());
    let mut err = child.stderr.take().unwrap();
    let mut said = Vec::new();
    while !String::from_utf8_lossy(&said).contains("at once") {
        let mut byte = [0];
        assert_eq!(err.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&said));
        said.extend(byte);
    }
    send(&child, Signal::SIGINT);
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::SIGINT as i32));
}
