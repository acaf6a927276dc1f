//! Errors that the MPI library reports, whatever the error handler: they are in the report, with class and line, and on
//! standard error before the program ends; and the program sees what it sees without mpivet.

use anyhow::{Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile::compile, root, run, scratch, share, side_by_side, vet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use trace_format::mpi::FnId;
use trace_format::system::SystemEvent;
use trace_reader::reader::{RankEvent, RankReader};

const LIMIT: Duration = Duration::from_secs(40);

/// The result of an error.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// The job ends.
    Fatal,
    /// The program goes on.
    Handled,
}
use End::{Fatal, Handled};

/// The arguments of `tests/programs/errors.c`, its result, and a text that standard error must have.
const CASES: [(&str, End, &str); 13] = [
    ("comm", Fatal, "MPI_Send failed: MPI_ERR_RANK: "),
    ("self", Fatal, "MPI_Send failed: MPI_ERR_RANK: "),
    ("call", Fatal, "MPI_Comm_call_errhandler failed: MPI_ERR_RANK: "),
    ("private", Fatal, "MPI_Comm_call_errhandler failed: an error class of the program: the matrix is singular"),
    ("win", Fatal, "MPI_Put failed: MPI_ERR_RANK: "),
    ("win-return", Handled, ""),
    ("win-call", Fatal, "MPI_Win_call_errhandler failed: MPI_ERR_OTHER: "),
    ("file", Fatal, "MPI_File_set_view failed: MPI_ERR_UNSUPPORTED_DATAREP: "),
    ("file-return", Handled, ""),
    ("file-call", Fatal, "MPI_File_call_errhandler failed: MPI_ERR_OTHER: "),
    ("own-abort", Fatal, "MPI_Send failed: MPI_ERR_RANK: "),
    ("own-exit", Fatal, "MPI_Send failed: MPI_ERR_RANK: "),
    ("own-keep", Handled, ""),
];

/// The job with the library preloaded into its ranks, without `mpivet run`, whose exit code would be its own.
fn preloaded(job: &[String], trace: &Path) -> Result<Command> {
    let (launcher, rest) = job.split_at(3);
    let library = vet::mpivet()?.with_file_name("libmpivet.so");
    let mut command = Command::new(&launcher[0]);
    command.args(&launcher[1..]).arg("env").arg(format!("LD_PRELOAD={}", library.display())).args(rest);
    command.env("MPIVET_DIR", trace);
    Mpi::prepare(&mut command);
    Ok(command)
}

/// The library's message, without what differs from run to run. Open MPI's now and then gets lost on its way.
fn message(stderr: &str) -> Vec<String> {
    let is_library = |line: &&str| line.contains("*** ") || line.starts_with("Abort(") || line.starts_with("internal_");
    let digits = |line: &str| -> String {
        let words = line.split([' ', '=', ',', '(', ')', '[', ']']).map(|word| match word {
            address if address.starts_with("0x") => "N".to_owned(),
            word => word.chars().filter(|c| !c.is_ascii_digit()).collect(),
        });
        words.collect::<Vec<_>>().join(" ")
    };
    stderr.lines().filter(is_library).map(digits).collect()
}

#[test]
fn errors_are_told_and_programs_see_no_difference() -> Result<()> {
    mpi::under_each(&share::mpis("errors_are_told_and_programs_see_no_difference"), |mpi| {
        let program = compile(mpi, &root().join("tests/programs/errors.c"), &scratch())?;
        // Launchers wait for most of the time of a job that fails.
        side_by_side(&CASES, 2, |&(case, end, told)| {
            let ranks = if case.starts_with("win") { 2 } else { 1 };
            let job = mpi.job(ranks, &program, &[case.to_owned()]);
            let name = format!("{}: {case}", mpi.name);
            let dir = scratch().join("errors").join(mpi.name).join(case);
            let both = || -> Result<_> {
                let plain = vet::run_plain(&job, LIMIT)?;
                Ok((plain, run::run(preloaded(&job, &dir.join("preloaded"))?, LIMIT)?))
            };
            // MPICH's launcher now and then gives another code on a busy machine, with mpivet and without.
            let (mut plain, mut with) = both()?;
            if mpi.name == "mpich" && with.code != plain.code {
                eprintln!("{name}: {:?}, and without mpivet {:?}; once more", with.code, plain.code);
                (plain, with) = both()?;
            }
            let words = format!("{}\n---- without\n{}", vet::last_words(&with), vet::last_words(&plain));
            ensure!(with.code == plain.code, "{name}: exit code {:?}, not {:?}\n{words}", with.code, plain.code);
            // The output of the other rank, when the first ends the job, is chance.
            ensure!(ranks > 1 || with.stdout == plain.stdout, "{name}: another output\n{words}");
            let (theirs, ours) = (message(&plain.stderr), message(&with.stderr));
            // MPICH's message for files comes from a part of it that cannot be called.
            let comparable = ranks == 1 && case != "file" && !theirs.is_empty() && !ours.is_empty();
            ensure!(!comparable || theirs == ours, "{name}: another message\n{words}");

            let vetted = vet::vet(&job, &dir.join("run"), LIMIT)?;
            let words = vet::last_words(&vetted.outcome);
            let errors: Vec<&str> = vetted.report.serious().map(|f| f.check.as_str()).collect();
            // A finding of mpivet in the arguments comes first; the library's error is folded under it.
            let is_about = |check: &str| check == "mpi-error" || check == "invalid-rank";
            let of_check = || vetted.report.findings.iter().filter(|f| is_about(&f.check));
            let in_source = of_check().any(|f| f.sites.iter().any(|s| s.file == "errors.c" && s.line > 0));
            ensure!(in_source, "{name}: no finding with a line of the program\n{words}");
            match end {
                Fatal => {
                    ensure!(errors.iter().all(|check| is_about(check)), "{name}: {errors:?}\n{words}");
                    let at_once =
                        vetted.outcome.stderr.lines().any(|l| l.starts_with("mpivet: rank") && l.contains(told));
                    ensure!(at_once, "{name}: not told at once\n{words}");
                }
                Handled => {
                    ensure!(errors.is_empty(), "{name}: {errors:?}\n{words}");
                    ensure!(vetted.outcome.code == Some(0), "{name}: exit code {:?}", vetted.outcome.code);
                }
            }
            Ok(())
        })
    })
}

#[test]
fn the_request_that_failed_is_named() -> Result<()> {
    for mpi in share::mpis("the_request_that_failed_is_named") {
        let program = compile(&mpi, &root().join("tests/programs/errors.c"), &scratch())?;
        let job = mpi.job(1, &program, &["in-status".to_owned()]);
        let vetted = vet::vet(&job, &scratch().join("errors").join(mpi.name).join("in-status"), LIMIT)?;
        let words = vet::last_words(&vetted.outcome);
        let named = words.contains("MPI_ERR_IN_STATUS: request 1 of the array failed with MPI_ERR_TRUNCATE");
        // Open MPI 4.1 lets messages pass that a process sends to itself.
        let fails = vet::run_plain(&job, LIMIT)?.code != Some(0);
        ensure!(named == fails && (fails || !mpi.is("mpich")), "{}: failed {fails}\n{words}", mpi.name);
    }
    Ok(())
}

#[test]
fn a_persistent_request_that_failed_may_be_started_again() -> Result<()> {
    for mpi in share::mpis("a_persistent_request_that_failed_may_be_started_again") {
        let program = compile(&mpi, &root().join("tests/programs/persistent-fails.c"), &scratch())?;
        let job = mpi.job(2, &program, &[]);
        let vetted = vet::vet(&job, &scratch().join("errors").join(mpi.name).join("persistent-fails"), LIMIT)?;
        let words = vet::last_words(&vetted.outcome);
        ensure!(vetted.outcome.stdout.contains("1 failed"), "{}\n{words}", mpi.name);
        // Nobody can free the request that Open MPI takes away.
        let checks = vetted.report.serious().map(|f| f.check.as_str());
        ensure!(checks.eq(["wrong-send-size"]), "{}\n{words}", mpi.name);
    }
    Ok(())
}

#[test]
fn a_handler_is_called_once_for_a_code_that_the_library_does_not_know() -> Result<()> {
    for mpi in share::mpis("a_handler_is_called_once_for_a_code_that_the_library_does_not_know") {
        let program = compile(&mpi, &root().join("tests/programs/unknown-code.c"), &scratch())?;
        let job = mpi.job(1, &program, &[]);
        let vetted = vet::vet(&job, &scratch().join("errors").join(mpi.name).join("unknown-code"), LIMIT)?;
        let words = vet::last_words(&vetted.outcome);
        let expected = "called 1 times, 123456\ncalled 2 times, its own code: 1\n";
        ensure!(vetted.outcome.stdout.contains(expected), "{}\n{words}", mpi.name);
        let events = recorded(&vetted.trace)?;
        let texts = events.iter().filter_map(|event| match event {
            RankEvent::System { event: SystemEvent::MpiError { text, .. }, .. } => Some(text.as_str()),
            _ => None,
        });
        let texts: Vec<&str> = texts.collect();
        ensure!(texts.len() == 2 && texts.last() == Some(&"of my own"), "{}: {texts:?}\n{words}", mpi.name);
        ensure!(!mpi.is("openmpi") || texts.first() == Some(&"error code 123456"), "{}: {texts:?}", mpi.name);
    }
    Ok(())
}

/// The events of rank 0.
fn recorded(trace: &Path) -> Result<Vec<RankEvent>> {
    let mut reader = RankReader::open_stem(trace, "rank-0")?;
    reader.writer_is_gone();
    let mut events = Vec::new();
    while reader.poll(usize::MAX, &mut |event| events.push(event))? {}
    Ok(events)
}

#[test]
fn an_error_in_a_loop_of_polls_is_recorded_once_and_with_its_call() -> Result<()> {
    for mpi in share::mpis("an_error_in_a_loop_of_polls_is_recorded_once_and_with_its_call") {
        let program = compile(&mpi, &root().join("tests/programs/handlers.c"), &scratch())?;
        let job = mpi.job(2, &program, &["poll".to_owned()]);
        let vetted = vet::vet(&job, &scratch().join("errors").join(mpi.name).join("poll"), LIMIT)?;
        let words = vet::last_words(&vetted.outcome);
        let events = recorded(&vetted.trace)?;
        let (mut errors, mut merged) = (Vec::new(), 0);
        let mut poll = None;
        for event in &events {
            match event {
                RankEvent::Call(call) if call.func == FnId::MPI_Test => {
                    poll = Some(call.index);
                    merged = merged.max(call.polls);
                }
                RankEvent::System { event: SystemEvent::MpiError { call, fatal, .. }, .. } => {
                    errors.push((*call, poll, *fatal));
                }
                _ => {}
            }
        }
        ensure!(merged > 0, "{}: no poll was repeated: {events:?}\n{words}", mpi.name);
        let once = matches!(errors[..], [(call, poll, false)] if Some(call) == poll);
        ensure!(once, "{}: {errors:?} in {events:?}\n{words}", mpi.name);
        let checks: Vec<&str> = vetted.report.serious().map(|f| f.check.as_str()).collect();
        ensure!(checks == ["wrong-send-size"], "{}: {checks:?}\n{words}", mpi.name);
    }
    Ok(())
}

#[test]
fn a_handler_may_jump_out_of_a_call() -> Result<()> {
    for mpi in share::mpis("a_handler_may_jump_out_of_a_call") {
        let program = compile(&mpi, &root().join("tests/programs/handlers.c"), &scratch())?;
        let job = mpi.job(2, &program, &["jump".to_owned()]);
        let vetted = vet::vet(&job, &scratch().join("errors").join(mpi.name).join("jump"), LIMIT)?;
        let words = vet::last_words(&vetted.outcome);
        ensure!(vetted.outcome.stdout.matches("0 errors, 1 jumps").count() == 2, "{}: {words}", mpi.name);
        // The mistake that the handler is called for, and no more.
        let checks: Vec<&str> = vetted.report.serious().map(|f| f.check.as_str()).collect();
        ensure!(checks == ["invalid-rank"], "{}: {checks:?}\n{words}", mpi.name);
        let events = recorded(&vetted.trace)?;
        let functions = events.iter().filter_map(|event| match event {
            RankEvent::Call(call) => Some(call.func),
            _ => None,
        });
        let later: Vec<FnId> = functions.skip_while(|f| *f != FnId::MPI_Send).collect();
        let wanted = [FnId::MPI_Barrier, FnId::MPI_Comm_free, FnId::MPI_Finalize];
        ensure!(wanted.iter().all(|f| later.contains(f)), "{}: {later:?}\n{words}", mpi.name);
    }
    Ok(())
}
