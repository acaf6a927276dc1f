//! Signals do to a program what they do without mpivet: the same end, core dumps, handlers, ignored and blocked signals; and
//! the report says which signal ended which rank.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::{compile, compile_to};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::report::Report;
use mpivet_tests::terminal::{CTRL_C, OnTerminal};
use mpivet_tests::{root, run, scratch, share, vet};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(40);

/// Jobs that a shell starts in the background ignore Ctrl-C, and so does what they start.
fn obey_ctrl_c() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: no handler is called, the default is set.
    ONCE.call_once(|| unsafe { _ = nix::sys::signal::signal(Signal::SIGINT, nix::sys::signal::SigHandler::SigDfl) });
}

fn program(mpi: &Mpi) -> Result<PathBuf> {
    obey_ctrl_c();
    compile(mpi, &root().join("tests/programs/signals.c"), &scratch())
}

fn fresh(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    let dir = scratch().join("signals").join(mpi.name).join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// A shell command that ends in the program, which is a job of its own then. `$0` is the program.
fn alone(shell: &str, program: &Path, argument: &str, dir: &Path, with: bool) -> Result<Output> {
    let mut command = Command::new("sh");
    command.args(["-c", shell]).arg(program).arg(argument).current_dir(dir);
    Mpi::prepare(&mut command);
    if with {
        command.env("MPIVET_PRELOADED", vet::mpivet()?.with_file_name("libmpivet.so"));
        command.env("MPIVET_DIR", dir.join("trace"));
    }
    command.stdin(Stdio::null()).output().context("cannot run sh")
}

/// Starts the program, with mpivet if the caller has said so.
const EXEC: &str = "exec env ${MPIVET_PRELOADED:+LD_PRELOAD=$MPIVET_PRELOADED} \"$0\" \"$1\"";

#[test]
fn the_process_ends_in_the_same_way() -> Result<()> {
    // The dump is known by its flag: the system decides where to put the file.
    let (_, most) = getrlimit(Resource::RLIMIT_CORE)?;
    setrlimit(Resource::RLIMIT_CORE, most, most)?;
    let signals = [
        Signal::SIGSEGV,
        Signal::SIGFPE,
        Signal::SIGILL,
        Signal::SIGBUS,
        Signal::SIGABRT,
        Signal::SIGTERM,
        Signal::SIGINT,
    ];
    for mpi in share::mpis("the_process_ends_in_the_same_way") {
        let program = program(&mpi)?;
        for signal in signals {
            let dir = fresh(&mpi, signal.as_str())?;
            let argument = (signal as i32).to_string();
            let end = |with: bool| -> Result<_> {
                let output = alone(EXEC, &program, &argument, &dir, with)?;
                let status = output.status;
                Ok((status.signal(), status.core_dumped(), status.code()))
            };
            let (without, with) = (end(false)?, end(true)?);
            ensure!(with == without, "{}: {signal}: {with:?}, without mpivet {without:?}", mpi.name);
            ensure!(with.0 == Some(signal as i32) || mpi.is("mpich"), "{}: {signal}: {with:?}", mpi.name);
            let report = analyzed(&dir)?;
            let expected = match signal {
                Signal::SIGTERM | Signal::SIGINT => "abort",
                _ => "abend",
            };
            let checks: Vec<&str> = report.serious().map(|f| f.check.as_str()).collect();
            ensure!(checks == [expected], "{}: {signal}: {checks:?}", mpi.name);
        }
    }
    Ok(())
}

fn analyzed(dir: &Path) -> Result<Report> {
    let file = dir.join("report.json");
    let mut command = vet::command()?;
    command.args(["analyze", "--format", "json", "--report"]).arg(&file).arg(dir.join("trace"));
    let outcome = run::run(command, LIMIT)?;
    Report::parse(&std::fs::read_to_string(&file).unwrap_or_default()).with_context(|| vet::last_words(&outcome))
}

#[test]
fn handlers_and_masks_are_the_programs() -> Result<()> {
    let nohup = format!("trap '' TERM INT; {EXEC}");
    for mpi in share::mpis("handlers_and_masks_are_the_programs") {
        let program = program(&mpi)?;
        for (argument, shell) in [("handled", EXEC), ("ignored", &nohup), ("waited", EXEC), ("child", EXEC)] {
            let dir = fresh(&mpi, argument)?;
            let seen = |with: bool| -> Result<_> {
                let output = alone(shell, &program, argument, &dir, with)?;
                let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout).into_owned(), output.stderr);
                Ok((output.status.code(), stdout, String::from_utf8_lossy(&stderr).into_owned()))
            };
            let (without, with) = (seen(false)?, seen(true)?);
            ensure!((with.0, &with.1) == (without.0, &without.1), "{}: {with:?}, without {without:?}", mpi.name);
            ensure!(with.0 == Some(0) && with.1.ends_with("end\n"), "{}: {argument}: {with:?}", mpi.name);
            ensure!(!with.2.contains("error["), "{}: {argument}: {with:?}", mpi.name);
            let report = analyzed(&dir)?;
            ensure!(report.serious().next().is_none(), "{}: {argument}: {:?}", mpi.name, report.findings);
        }
    }
    Ok(())
}

#[test]
fn an_interrupted_run_has_a_report() -> Result<()> {
    for mpi in share::mpis("an_interrupted_run_has_a_report") {
        for signal in [Signal::SIGINT, Signal::SIGTERM] {
            let dir = fresh(&mpi, &format!("interrupted-{signal}"))?;
            let (ready, report) = (dir.join("ready"), dir.join("report.json"));
            let arguments = ["wait".to_owned(), ready.display().to_string()];
            let job = mpi.job(2, &program(&mpi)?, &arguments);
            let mut command = vet::command()?;
            command.args(["run", "--format", "json", "--report"]).arg(&report).arg("--dir").arg(dir.join("trace"));
            command.arg("--").args(&job).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            Mpi::prepare(&mut command);
            let start = Instant::now();
            let mut child = command.spawn()?;
            wait_for(&ready);
            kill(Pid::from_raw(child.id() as i32), signal)?;
            let status = child.wait()?;
            ensure!(start.elapsed() < LIMIT, "{}: {signal}: {:?}", mpi.name, start.elapsed());
            ensure!(status.code() == Some(128 + signal as i32), "{}: {signal}: {status}", mpi.name);
            only_interrupted(&report, signal).with_context(|| format!("{}: {signal}", mpi.name))?;
            // The trace says it, too.
            only_interrupted_in(&analyzed(&dir)?).with_context(|| format!("{}: {signal}, analyzed", mpi.name))?;
        }
    }
    Ok(())
}

/// The mistake of a rank before the user ended the run is its own.
#[test]
fn a_rank_that_had_left_before_an_interruption_is_told() -> Result<()> {
    // The launchers of the others end a job at once when a rank has left.
    for mpi in mpi::required().into_iter().filter(|mpi| mpi.is("mpich")) {
        let dir = fresh(&mpi, "left")?;
        let (ready, report) = (dir.join("ready"), dir.join("report.json"));
        let mut command = vet::command()?;
        command.args(["run", "--format", "json", "--report"]).arg(&report).arg("--dir").arg(dir.join("trace"));
        let mut job = mpi.job(2, &program(&mpi)?, &["left".to_owned(), ready.display().to_string()]);
        job.insert(1, "-disable-auto-cleanup".into());
        command.arg("--").args(job);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Mpi::prepare(&mut command);
        let mut child = command.spawn()?;
        wait_for(&ready);
        kill(Pid::from_raw(child.id() as i32), Signal::SIGINT)?;
        let status = child.wait()?;
        ensure!(status.code() == Some(130), "{}: {status}", mpi.name);
        let told = Report::parse(&std::fs::read_to_string(&report)?)?;
        for report in [told, analyzed(&dir)?] {
            let serious: Vec<_> = report.serious().map(|f| (f.check.as_str(), &f.ranks[..])).collect();
            ensure!(serious == [("missing-finalize", &[1][..])], "{}: {serious:?}", mpi.name);
        }
    }
    Ok(())
}

/// The program has begun, or will not any more.
fn wait_for(ready: &Path) {
    let start = Instant::now();
    while !ready.exists() && start.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The report says that the user has ended the run, and finds nothing.
fn only_interrupted(report: &Path, signal: Signal) -> Result<()> {
    let text = std::fs::read_to_string(report)?;
    let value: serde_json::Value = serde_json::from_str(&text)?;
    ensure!(value["task"]["interrupted"] == signal.as_str(), "{}", value["task"]);
    only_interrupted_in(&Report::parse(&text)?)
}

fn only_interrupted_in(report: &Report) -> Result<()> {
    ensure!(report.serious().next().is_none(), "{:?}", report.findings);
    Ok(())
}

/// The report says that these ranks were ended, where in the program, and nothing else.
fn only_ended(report: &Path, ranks: &[i64]) -> Result<()> {
    let found = Report::parse(&std::fs::read_to_string(report)?)?;
    let serious: Vec<_> = found.serious().collect();
    let one = serious.len() == 1 && serious.iter().all(|f| f.check == "abort" && f.ranks == ranks);
    let mut sites = serious.iter().flat_map(|f| &f.sites);
    ensure!(one && sites.any(|s| s.file == "signals.c"), "{serious:?}");
    Ok(())
}

#[test]
fn ctrl_c_ends_a_program_at_once() -> Result<()> {
    for mpi in share::mpis("ctrl_c_ends_a_program_at_once") {
        let (program, dir) = (program(&mpi)?, fresh(&mpi, "terminal")?);
        let ready = dir.join("ready");
        let mut command = Command::new(program);
        command.arg("wait").arg(&ready).env("LD_PRELOAD", vet::mpivet()?.with_file_name("libmpivet.so"));
        command.env("MPIVET_DIR", dir.join("trace"));
        Mpi::prepare(&mut command);
        let (status, said) = interrupted(&command, &ready)?;
        ensure!(status.signal() == Some(Signal::SIGINT as i32), "{}: {status}\n{said}", mpi.name);
        analyzed(&dir)?;
        only_ended(&dir.join("report.json"), &[0]).with_context(|| mpi.name)?;
    }
    Ok(())
}

#[test]
fn ctrl_c_ends_a_run_with_one_report() -> Result<()> {
    for mpi in share::mpis("ctrl_c_ends_a_run_with_one_report") {
        let dir = fresh(&mpi, "terminal-run")?;
        let (ready, report) = (dir.join("ready"), dir.join("report.json"));
        let mut command = vet::command()?;
        command.args(["run", "--format", "json", "--report"]).arg(&report).arg("--dir").arg(dir.join("trace"));
        command.arg("--").args(mpi.job(2, &program(&mpi)?, &["wait".to_owned(), ready.display().to_string()]));
        Mpi::prepare(&mut command);
        let (status, said) = interrupted(&command, &ready)?;
        ensure!(status.code() == Some(130), "{}: {status}\n{said}", mpi.name);
        ensure!(said.matches("interrupted by SIGINT").count() == 1, "{}:\n{said}", mpi.name);
        only_interrupted(&report, Signal::SIGINT).with_context(|| mpi.name)?;
    }
    Ok(())
}

/// A job that ends by a signal of its own, or comes to its end in spite of Ctrl-C, was not interrupted.
#[test]
fn a_run_that_nobody_interrupts_ends_as_before() -> Result<()> {
    for mpi in share::mpis("a_run_that_nobody_interrupts_ends_as_before") {
        let (program, dir) = (program(&mpi)?, fresh(&mpi, "own-end")?);
        let run = |argument: String| -> Result<(Option<i32>, Report)> {
            let report = dir.join("report.json");
            let mut command = vet::command()?;
            command.args(["run", "--format", "json", "--report"]).arg(&report).arg("--dir").arg(dir.join(&argument));
            command.arg("--").args(mpi.job(2, &program, &[argument]));
            Mpi::prepare(&mut command);
            let outcome = run::run(command, LIMIT)?;
            let report =
                Report::parse(&std::fs::read_to_string(&report)?).with_context(|| vet::last_words(&outcome))?;
            Ok((outcome.code, report))
        };
        let (code, report) = run((Signal::SIGTERM as i32).to_string())?;
        let checks: Vec<&str> = report.serious().map(|f| f.check.as_str()).collect();
        ensure!(code == Some(1) && checks == ["abort"], "{}: {code:?} {checks:?}", mpi.name);
        // On a terminal, where a script ends its process group itself.
        let report = dir.join("report.json");
        let job = mpi.job(2, &program, &[(Signal::SIGTERM as i32).to_string()]);
        let script = format!("{}; kill 0; sleep 1", job.join(" "));
        let mut command = vet::command()?;
        command.args(["run", "--format", "json", "--report"]).arg(&report).arg("--dir").arg(dir.join("script"));
        command.arg("--").args(["bash", "-c", &script]);
        Mpi::prepare(&mut command);
        let (status, said) = OnTerminal::start(&command)?.wait()?;
        let found = Report::parse(&std::fs::read_to_string(&report)?)?;
        let checks: Vec<&str> = found.serious().map(|f| f.check.as_str()).collect();
        ensure!(status.code() == Some(1) && checks == ["abort"], "{}: {status} {checks:?}\n{said}", mpi.name);
        let (code, report) = run("handled".to_owned())?;
        ensure!(code == Some(0) && report.serious().next().is_none(), "{}: {code:?} {:?}", mpi.name, report.findings);
    }
    Ok(())
}

/// A script that outlives a signal of its own to its process group can be interrupted all the same.
#[test]
fn ctrl_c_is_known_after_a_signal_of_the_job() -> Result<()> {
    for mpi in share::mpis("ctrl_c_is_known_after_a_signal_of_the_job") {
        let dir = fresh(&mpi, "signal-before")?;
        let (ready, report) = (dir.join("ready"), dir.join("report.json"));
        let mut command = vet::command()?;
        command.args(["run", "--format", "json", "--report"]).arg(&report).arg("--dir").arg(dir.join("trace"));
        command.args(["--", "sh", "-c", "trap '' TERM; kill 0; exec \"$@\"", "sh"]);
        command.args(mpi.job(2, &program(&mpi)?, &["wait".to_owned(), ready.display().to_string()]));
        Mpi::prepare(&mut command);
        let (status, said) = interrupted(&command, &ready)?;
        ensure!(status.code() == Some(130), "{}: {status}\n{said}", mpi.name);
        only_interrupted(&report, Signal::SIGINT).with_context(|| mpi.name)?;
    }
    Ok(())
}

/// Starts a command on a terminal and types Ctrl-C when the program is ready. It must not go on until its end, which is
/// 20 s away.
fn interrupted(command: &Command, ready: &Path) -> Result<(ExitStatus, String)> {
    let mut process = OnTerminal::start(command)?;
    wait_for(ready);
    let start = Instant::now();
    process.type_in(CTRL_C)?;
    let (status, said) = process.wait()?;
    ensure!(start.elapsed() < Duration::from_secs(10), "{:?}: {status}\n{said}", start.elapsed());
    Ok((status, said))
}

#[test]
fn a_handler_may_call_exit_while_mpivet_holds_a_lock() -> Result<()> {
    for mpi in share::mpis("a_handler_may_call_exit_while_mpivet_holds_a_lock") {
        let dir = fresh(&mpi, "exits")?;
        let program = dir.join("exits");
        compile_to(&mpi, &program, &mpi.mpicc, &["-g", "-rdynamic"], &root().join("tests/programs/exits.c"))?;
        let mut command = Command::new(&program);
        command.env("LD_PRELOAD", vet::mpivet()?.with_file_name("libmpivet.so")).env("MPIVET_DIR", dir.join("trace"));
        Mpi::prepare(&mut command);
        let outcome = run::run(command, LIMIT)?;
        ensure!(outcome.code == Some(0), "{}: {:?}\n{}", mpi.name, outcome.code, vet::last_words(&outcome));
        let report = analyzed(&dir)?;
        let checks: Vec<&str> = report.serious().map(|f| f.check.as_str()).collect();
        // The place of the call is written down before the call is.
        ensure!(checks == ["missing-finalize"], "{}: {checks:?}", mpi.name);
    }
    Ok(())
}

#[test]
fn many_handled_signals_are_few_in_the_trace_and_the_last_is_there() -> Result<()> {
    let source = root().join("tests/programs/many-signals.c");
    let line = std::fs::read_to_string(&source)?.lines().position(|l| l.ends_with("// here")).context("no line")? + 1;
    for mpi in share::mpis("many_handled_signals_are_few_in_the_trace_and_the_last_is_there") {
        let program = compile(&mpi, &source, &scratch())?;
        let ends: [(&str, &[&str]); 4] =
            [("default", &["abend"]), ("abort", &["abend", "abort"]), ("exit", &["abend"]), ("goes on", &[])];
        for (how, expected) in ends {
            let dir = fresh(&mpi, &format!("many-{how}"))?;
            let output = alone(EXEC, &program, how, &dir, true)?;
            ensure!((how == "goes on") == output.status.success(), "{}: {how}: {output:?}", mpi.name);
            let size = std::fs::metadata(dir.join("trace/rank-0.mpv"))?.len();
            ensure!(size < 100_000, "{}: {how}: {size} bytes", mpi.name);
            let report = analyzed(&dir)?;
            let found: Vec<_> = report.serious().collect();
            let checks: Vec<&str> = found.iter().map(|f| f.check.as_str()).collect();
            ensure!(checks == expected, "{}: {how}: {found:?}", mpi.name);
            if expected.contains(&"abend") {
                let mut sites = found.iter().flat_map(|f| &f.sites);
                ensure!(sites.any(|s| s.line == line), "{}: {how}: not line {line}: {found:?}", mpi.name);
            }
        }
    }
    Ok(())
}

/// SIGKILL leaves no trace in the process; the order in which processes end shows who got it.
#[test]
fn the_rank_that_was_killed_first_is_named() -> Result<()> {
    /// On a busy machine mpivet may hear of all ends at once; then it says nothing of their order.
    const ATTEMPTS: u32 = 8;
    for mpi in share::mpis("the rank that was killed first is named") {
        let program = compile(&mpi, &root().join("tests/programs/nodes.c"), &scratch())?;
        let dir = fresh(&mpi, "first")?;
        let words = format!("rank 2 on {} ended first, ", std::fs::read_to_string("/proc/sys/kernel/hostname")?.trim());
        let mut last = String::new();
        for _ in 0..ATTEMPTS {
            _ = std::fs::remove_dir_all(dir.join("trace"));
            let mut command = vet::command()?;
            command.args(["run", "--dir"]).arg(dir.join("trace")).arg("--");
            command.args(mpi.job(3, &program, &["killed".to_owned()])).current_dir(&dir);
            let outcome = run::run(command, LIMIT)?;
            let is_wrong = outcome.stderr.contains("ended first") && !outcome.stderr.contains(&words);
            ensure!(outcome.code == Some(1) && !is_wrong, "{}: {}", mpi.name, outcome.stderr);
            last = outcome.stderr;
            if last.contains(&words) {
                break;
            }
        }
        ensure!(last.contains(&words), "{}: {last}", mpi.name);
        // Later the same is known.
        let mut command = vet::command()?;
        command.arg("analyze").arg(dir.join("trace"));
        let again = run::run(command, LIMIT)?;
        ensure!(again.stdout.contains(&words), "{}: {}", mpi.name, again.stdout);
    }
    Ok(())
}
