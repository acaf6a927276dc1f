//! Programs that do to their process what few programs do: they crash and go on, jump out of calls, fork, fill their stack,
//! leave from other threads, end the job inside of callbacks, unload libraries, take descriptors away. With mpivet they end as
//! they do without it, and the trace has every call.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::report::Report;
use mpivet_tests::{compile, root, run, scratch, share, vet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::Mutex;
use std::time::Duration;
use trace_format::mpi::FnId;
use trace_format::system::SystemEvent;
use trace_reader::reader::{RankEvent, RankReader};

const LIMIT: Duration = Duration::from_secs(60);

/// A program in `tests/programs/fire`, its argument, and what the report has: the checks of its errors and warnings.
type Case = (&'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    ("jumps", "crash", &[]),
    ("jumps", "early", &[]),
    ("jumps", "inside", &["inaccessible-buffer"]),
    ("jumps", "timer", &[]),
    ("jumps", "often", &[]),
    ("jumps", "waits", &["nonpaired-recv"]),
    ("jumps", "writes", &[]),
    ("jumps", "calls", &["abort"]),
    ("jumps", "dumps", &[]),
    ("storm", "", &[]),
    ("overflow", "main", &["abend"]),
    ("overflow", "thread", &["abend"]),
    ("overflow", "handled", &["abort"]),
    ("overflow", "recovers", &[]),
    ("leaves", "exits", &["missing-finalize"]),
    ("leaves", "goes", &["missing-finalize"]),
    ("leaves", "late", &[]),
    ("callbacks", "error", &["invalid-rank"]),
    ("callbacks", "delete", &["abort"]),
    ("callbacks", "calls", &[]),
    ("callbacks", "op", &["abort"]),
    ("callbacks", "query", &["abort"]),
    ("callbacks", "free", &["abort"]),
    ("fibers", "", &[]),
    ("switches", "back", &["invalid-rank"]),
    ("arrays", "null", &[]),
    ("alternate", "exits", &["abend"]),
    ("alternate", "aborts", &["abend", "abort"]),
    ("long", "", &[]),
    ("deep", "stack", &[]),
    ("deep", "errors", &[]),
    ("deep", "ops", &[]),
    ("threads", "16384", &[]),
    ("surroundings", "chdir", &[]),
    ("surroundings", "umask", &[]),
    ("surroundings", "clear", &[]),
    ("surroundings", "unset", &[]),
    ("surroundings", "limits", &[]),
    ("surroundings", "too-large", &[]),
];

fn program(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    compile::compile(mpi, &root().join("tests/programs/fire").join(name).with_extension("c"), &scratch())
}

/// An empty directory of this process.
fn fresh(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    let dir = scratch().join("fire").join(mpi.name).join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

/// Settings of mpivet, as variables.
type Settings<'a> = &'a [(&'a str, &'a str)];

/// A process without a launcher; `trace`: with mpivet.
fn alone(program: &Path, arguments: &[&str], dir: &Path, trace: Option<(&Path, Settings)>) -> Result<Output> {
    // A program that hangs is ended, and that is seen by its status.
    let mut command = Command::new("timeout");
    command.args(["--signal=KILL", "60"]).arg(program).args(arguments).current_dir(dir).stdin(Stdio::null());
    Mpi::prepare(&mut command);
    if let Some((trace, settings)) = trace {
        command.envs(settings.iter().copied());
        command.env("LD_PRELOAD", vet::mpivet()?.with_file_name("libmpivet.so")).env("MPIVET_DIR", trace);
    }
    command.output().context("cannot run timeout")
}

/// The end of a process, and its standard output.
fn end(output: &Output) -> (ExitStatus, String) {
    (output.status, String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The record of the rank in its trace. There must be no damage in it.
#[derive(Debug, Default)]
struct Recorded {
    calls: Vec<FnId>,
    open: usize,
    exits: Vec<i32>,
    signals: Vec<i32>,
    lost: Vec<String>,
}

fn recorded(trace: &Path) -> Result<Recorded> {
    let mut reader = RankReader::open(trace, 0)?;
    reader.writer_is_gone();
    let mut found = Recorded::default();
    let mut take = |event| match event {
        RankEvent::Call(call) => {
            found.calls.push(call.func);
            found.open += usize::from(!call.succeeded());
        }
        RankEvent::Return { .. } => found.open -= 1,
        RankEvent::System { event, .. } => match event {
            SystemEvent::Exit { status } => found.exits.push(status),
            SystemEvent::Signal(signal) => found.signals.push(signal.signal),
            SystemEvent::Lost { reason } => found.lost.push(reason),
            _ => {}
        },
        RankEvent::Definition(_) => {}
    };
    while reader.poll(64, &mut take)? {}
    ensure!(reader.defects.is_empty(), "{:?}", reader.defects);
    Ok(found)
}

fn analyzed(trace: &Path) -> Result<Report> {
    let file = trace.with_file_name("report.json");
    let mut command = Command::new(vet::mpivet()?);
    command.args(["analyze", "--format", "json", "--report"]).arg(&file).arg(trace);
    let outcome = run::run(command, LIMIT)?;
    ensure!(!outcome.stderr.contains("damaged"), "{}", outcome.stderr);
    Report::parse(&std::fs::read_to_string(&file).unwrap_or_default()).with_context(|| vet::last_words(&outcome))
}

/// Runs a program without and with mpivet: it must end in the same way. Its report and what was recorded.
fn compared(mpi: &Mpi, name: &str, arguments: &[&str]) -> Result<(Report, Recorded)> {
    compared_with(mpi, name, arguments, &[])
}

/// As [`compared`], with these settings of mpivet.
fn compared_with(mpi: &Mpi, name: &str, arguments: &[&str], settings: Settings) -> Result<(Report, Recorded)> {
    let dir = fresh(mpi, &format!("{name}-{}", arguments.first().unwrap_or(&"")))?;
    compared_in(&dir, &program(mpi, name)?, arguments, settings)
}

fn compared_in(dir: &Path, program: &Path, arguments: &[&str], settings: Settings) -> Result<(Report, Recorded)> {
    let trace = dir.join("trace");
    let without = alone(program, arguments, dir, None)?;
    let with = alone(program, arguments, dir, Some((&trace, settings)))?;
    let words = String::from_utf8_lossy(&with.stderr);
    ensure!(end(&with) == end(&without), "{:?}, without mpivet {:?}\n{words}", end(&with), end(&without));
    ensure!(!words.contains("internal error"), "{words}");
    let recorded = recorded(&trace)?;
    // Jumps out of mpivet itself, and a limit, end the recording.
    let expected = match arguments {
        ["timer" | "often" | "deeper" | "again" | "leaves" | "inside"] => "siglongjmp",
        ["too-large"] => "limit on file sizes",
        _ => "nothing",
    };
    ensure!(recorded.lost.iter().all(|reason| reason.contains(expected)), "{:?}", recorded.lost);
    Ok((analyzed(&trace)?, recorded))
}

fn checks(report: &Report) -> Vec<&str> {
    report.serious().map(|f| f.check.as_str()).collect()
}

#[test]
fn programs_end_as_without_mpivet_and_the_report_says_how() -> Result<()> {
    let only = std::env::var("MPIVET_TEST_CASE").unwrap_or_default();
    let mpis = mpi::required();
    // MPICH itself does not survive that.
    let is_out = |mpi: &Mpi, argument: &str| argument == "waits" && mpi.is("mpich");
    let wanted = |(mpi, (name, argument, _)): &(&Mpi, &Case)| {
        let case = format!("{name} {argument}");
        let is_its_turn = share::mpis(&case).iter().any(|mine| mine.name == mpi.name);
        !is_out(mpi, argument) && is_its_turn && case.contains(&only)
    };
    let all: Vec<_> = mpis.iter().flat_map(|mpi| CASES.iter().map(move |case| (mpi, case))).filter(wanted).collect();
    let failed = Mutex::new(Vec::new());
    mpivet_tests::side_by_side(&all, mpivet_tests::jobs_at_once(), |(mpi, (name, argument, expected))| {
        let result = compared(mpi, name, &[argument]).and_then(|(report, _)| {
            ensure!(checks(&report) == *expected, "{:?}", report.findings);
            Ok(())
        });
        let error = result.err().map(|e| format!("{}: {name} {argument}: {e:?}", mpi.name));
        failed.lock().unwrap_or_else(|e| e.into_inner()).extend(error);
        Ok(())
    })?;
    let failed = failed.into_inner().unwrap_or_else(|e| e.into_inner());
    ensure!(failed.is_empty(), "{}", failed.join("\n\n"));
    Ok(())
}

/// Number of recorded calls of a function.
fn count(recorded: &Recorded, function: FnId) -> usize {
    recorded.calls.iter().filter(|f| **f == function).count()
}

#[test]
fn children_write_nothing_whatever_becomes_of_them() -> Result<()> {
    for mpi in share::mpis("children_write_nothing_whatever_becomes_of_them") {
        let (_, recorded) = compared(&mpi, "storm", &[])?;
        let seen = (count(&recorded, FnId::MPI_Sendrecv), recorded.calls.len());
        ensure!(seen == (180, 182), "{}: {seen:?}", mpi.name);
        ensure!(recorded.exits == [0] && recorded.signals.is_empty(), "{}: {recorded:?}", mpi.name);
    }
    Ok(())
}

#[test]
fn a_full_stack_is_reported_with_its_line_and_no_call_is_missing() -> Result<()> {
    let source = root().join("tests/programs/fire/overflow.c");
    let text = std::fs::read_to_string(&source)?;
    let function = text.lines().position(|l| l.contains("down(volatile char")).context("no function")? as u64 + 1;
    let line = text.lines().position(|l| l.ends_with("// here")).context("no line")? as u64 + 1;
    for mpi in share::mpis("a_full_stack_is_reported_with_its_line_and_no_call_is_missing") {
        for how in ["main", "thread"] {
            let (report, recorded) = compared(&mpi, "overflow", &[how])?;
            ensure!(recorded.signals == [11], "{}: {how}: {recorded:?}", mpi.name);
            ensure!(count(&recorded, FnId::MPI_Comm_size) == 1000, "{}: {how}", mpi.name);
            let mut sites = report.serious().flat_map(|f| &f.sites);
            let here = |s: &mpivet_tests::report::Site| (function..=line).contains(&(s.line as u64));
            ensure!(sites.any(here), "{}: {how}: {:?}", mpi.name, report.findings);
        }
    }
    Ok(())
}

#[test]
fn every_call_of_old_threads_and_of_those_with_little_stack_is_there() -> Result<()> {
    for mpi in share::mpis("every_call_of_old_threads_and_of_those_with_little_stack_is_there") {
        let (_, recorded) = compared(&mpi, "threads", &["16384"])?;
        ensure!(count(&recorded, FnId::MPI_Sendrecv) == 800, "{}: {:?}", mpi.name, recorded.calls.len());
        ensure!(count(&recorded, FnId::MPI_Type_free) == 1 && recorded.open == 0, "{}", mpi.name);
    }
    Ok(())
}

#[test]
fn a_deep_stack_hides_no_call() -> Result<()> {
    for mpi in share::mpis("a_deep_stack_hides_no_call") {
        let (_, stack) = compared(&mpi, "deep", &["stack"])?;
        ensure!(count(&stack, FnId::MPI_Sendrecv) == 101, "{}: {}", mpi.name, stack.calls.len());
        let (_, errors) = compared(&mpi, "deep", &["errors"])?;
        ensure!(count(&errors, FnId::MPI_Send) == 300, "{}: {}", mpi.name, errors.calls.len());
        let (_, ops) = compared(&mpi, "deep", &["ops"])?;
        ensure!(count(&ops, FnId::MPI_Reduce_local) == 300, "{}: {}", mpi.name, ops.calls.len());
    }
    Ok(())
}

#[test]
fn a_process_that_another_thread_ends_is_recorded_to_its_end() -> Result<()> {
    for mpi in share::mpis("a_process_that_another_thread_ends_is_recorded_to_its_end") {
        for (how, calls, status) in [("exits", 100, 5), ("goes", 101, 6), ("late", 100, 0)] {
            let (_, recorded) = compared(&mpi, "leaves", &[how])?;
            ensure!(count(&recorded, FnId::MPI_Sendrecv) == calls, "{}: {how}: {recorded:?}", mpi.name);
            ensure!(recorded.exits == [status], "{}: {how}: {:?}", mpi.name, recorded.exits);
        }
    }
    Ok(())
}

/// Most of the time it jumps out of mpivet itself.
#[test]
fn a_jump_out_of_mpivet_is_noticed_wherever_on_the_stack_the_program_goes_on() -> Result<()> {
    for mpi in share::mpis("a_jump_out_of_mpivet_is_noticed_wherever_on_the_stack_the_program_goes_on") {
        for how in ["deeper", "again"] {
            let (_, recorded) = compared(&mpi, "jumps", &[how])?;
            let calls = recorded.calls.len();
            ensure!(recorded.lost.len() == 1, "{}, {how}: {:?} {calls}", mpi.name, recorded.lost);
        }
        // If it ends the process at once there is nothing to say; it must end.
        for _ in 0..5 {
            compared(&mpi, "jumps", &["leaves"])?;
        }
    }
    Ok(())
}

/// The interrupted calls of the routines are all there, and nothing is in the trace but whole records.
#[test]
fn signal_handlers_that_call_mpi_leave_the_records_of_fortran_routines_alone() -> Result<()> {
    for mpi in share::mpis("signal_handlers_that_call_mpi_leave_the_records_of_fortran_routines_alone") {
        let dir = fresh(&mpi, "routines")?;
        let (source, program) = (root().join("tests/programs/fire/routines.c"), dir.join("routines"));
        let compiler = mpi.mpifort().with_context(|| format!("{} has no Fortran compiler", mpi.name))?;
        compile::compile_to(&mpi, &program, &compiler, &["-g", "-O1"], &source)?;
        let (report, recorded) = compared_in(&dir, &program, &[], &[])?;
        ensure!(checks(&report).is_empty(), "{}: {:?}", mpi.name, report.findings);
        let routines = count(&recorded, FnId::MPI_Comm_get_attr);
        ensure!(routines == 400_000 && recorded.open == 0, "{}: {routines}, {} open", mpi.name, recorded.open);
    }
    Ok(())
}

/// Runs a program in the middle of which the recording has to stop for this reason: the program notices nothing, the user is told
/// once, and what is there has no error.
fn stopped(mpi: &Mpi, name: &str, arguments: &[&str], settings: Settings, reason: &str) -> Result<Recorded> {
    let dir = fresh(mpi, &[&[name], arguments].concat().join("-"))?;
    let (program, trace) = (program(mpi, name)?, dir.join("trace"));
    let without = alone(&program, arguments, &dir, None)?;
    let with = alone(&program, arguments, &dir, Some((&trace, settings)))?;
    let about = format!("{}, {name} {arguments:?}: {with:?}, without mpivet {without:?}", mpi.name);
    let words = String::from_utf8_lossy(&with.stderr);
    ensure!(without.status.success() && end(&with) == end(&without), "{about}");
    ensure!(words.matches("recording stops here").count() == 1 && words.contains(reason), "{about}");
    ensure!(reason == "internal error" || !words.contains("internal error"), "{about}");
    let recorded = recorded(&trace)?;
    ensure!(!recorded.lost.is_empty() && recorded.lost.iter().all(|l| l.contains(reason)), "{about}: {recorded:?}");
    let report = analyzed(&trace)?;
    ensure!(checks(&report).is_empty(), "{about}: {:?}", report.findings);
    Ok(recorded)
}

const PROVOKED: Settings = &[("MPIVET_PROVOKE", "1")];

#[test]
fn after_an_error_of_its_own_mpivet_stays_unseen() -> Result<()> {
    for mpi in share::mpis("after_an_error_of_its_own_mpivet_stays_unseen") {
        let recorded = stopped(&mpi, "provoked", &[], PROVOKED, "internal error")?;
        ensure!(count(&recorded, FnId::MPI_Pcontrol) == 1 && recorded.lost.len() == 1, "{}: {recorded:?}", mpi.name);
    }
    Ok(())
}

/// If stacks change inside of calls, as user-level threads make them do, recording ends before anything false is
/// recorded.
#[test]
fn stacks_that_change_inside_of_calls_are_told() -> Result<()> {
    for mpi in share::mpis("stacks_that_change_inside_of_calls_are_told") {
        stopped(&mpi, "switches", &["ends"], &[], "another stack")?;
        stopped(&mpi, "switches", &["crosses"], &[], "another stack")?;
        stopped(&mpi, "switches", &["moves"], &[], "another thread")?;
    }
    Ok(())
}

/// A lock that a jump has left is waited for, but not for ever.
#[test]
fn a_jump_out_of_a_lock_holds_no_other_thread() -> Result<()> {
    for mpi in share::mpis("a_jump_out_of_a_lock_holds_no_other_thread") {
        stopped(&mpi, "abandoned", &[], PROVOKED, "siglongjmp")?;
    }
    Ok(())
}

#[test]
fn calls_of_unloaded_libraries_are_told_apart() -> Result<()> {
    for mpi in share::mpis("calls_of_unloaded_libraries_are_told_apart") {
        let dir = fresh(&mpi, "plugins")?;
        let source = root().join("tests/programs/fire/plugins.c");
        let mut libraries = Vec::new();
        for name in ["first", "second"] {
            let library = dir.join(format!("{name}.so"));
            let plugin = format!("-DPLUGIN={name}.c");
            compile::compile_to(&mpi, &library, &mpi.mpicc, &["-g", "-shared", "-fPIC", &plugin], &source)?;
            libraries.push(library.display().to_string());
        }
        let (program, trace) = (program(&mpi, "plugins")?, dir.join("trace"));
        let output = alone(&program, &[&libraries[0], &libraries[1]], &dir, Some((&trace, &[])))?;
        ensure!(end(&output).1 == "the same place\n", "{}: {:?}", mpi.name, output);
        let report = analyzed(&trace)?;
        let mut files: Vec<&str> = report.findings.iter().flat_map(|f| &f.sites).map(|s| s.file.as_str()).collect();
        files.sort_unstable();
        ensure!(files == ["first.c", "second.c"], "{}: {:?}", mpi.name, report.findings);
    }
    Ok(())
}

#[test]
fn a_file_of_the_program_that_has_the_descriptor_of_the_trace_is_left_alone() -> Result<()> {
    // In the rank's file, and in segments of it.
    for (mpi, most) in mpi::required().into_iter().flat_map(|mpi| [(mpi.clone(), None), (mpi, Some("1"))]) {
        let file = fresh(&mpi, "own-file")?.join("own");
        let own = file.display().to_string();
        let limit: Vec<_> = most.map(|megabytes| ("MPIVET_MAX_TRACE_SIZE", megabytes)).into_iter().collect();
        let (_, recorded) = compared_with(&mpi, "surroundings", &["close", &own], &limit)?;
        ensure!(count(&recorded, FnId::MPI_Comm_rank) == 20_000, "{}: {}", mpi.name, recorded.calls.len());
        ensure!(recorded.exits == [0], "{}: {recorded:?}", mpi.name);
        ensure!(std::fs::read_to_string(&file)? == "all that is in here\n", "{}", mpi.name);
    }
    Ok(())
}

#[test]
fn a_trace_can_be_read_whatever_the_umask_of_the_program() -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    for mpi in share::mpis("a_trace_can_be_read_whatever_the_umask_of_the_program") {
        compared(&mpi, "surroundings", &["umask"])?;
        let trace = scratch().join("fire").join(mpi.name).join("surroundings-umask/trace");
        let mode = |path: &Path| -> Result<u32> { Ok(std::fs::metadata(path)?.permissions().mode() & 0o777) };
        ensure!(mode(&trace)? == 0o700, "{}: {:o}", mpi.name, mode(&trace)?);
        for entry in std::fs::read_dir(&trace)? {
            let path = entry?.path();
            ensure!(mode(&path)? == 0o600, "{}: {} {:o}", mpi.name, path.display(), mode(&path)?);
        }
    }
    Ok(())
}
