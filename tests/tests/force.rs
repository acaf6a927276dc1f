//! `--sync-sends`, `--replay` and `--probe-limits`: potential mistakes are made to happen, on purpose and not else.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::mpi::Mpi;
use mpivet_tests::vet::{self, Vetted, vet_with};
use mpivet_tests::{root, scratch, share};
use std::path::Path;
use std::time::Duration;
use trace_format::run::witness::{Take, Witness};

const LIMIT: Duration = Duration::from_secs(60);

struct Wanted<'a> {
    check: &'a str,
    code: i32,
    stopped: bool,
}

const POTENTIAL: Wanted = Wanted { check: "potential-deadlock", code: 0, stopped: false };
const REAL: Wanted = Wanted { check: "real-deadlock", code: 1, stopped: true };

/// Runs a program under mpivet, which must find exactly what is wanted.
fn expect(mpi: &Mpi, options: &[&str], ranks: usize, program: &Path, args: &[&str], wanted: &Wanted) -> Result<Vetted> {
    let owned = |words: &[&str]| words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    let stem = program.file_stem().unwrap_or_default().display();
    let kinds: Vec<&str> = options.iter().map(|o| o.rsplit('/').next().unwrap_or(o)).collect();
    let name = format!("force-{}-{stem}-{}{}{}", mpi.name, args.join("-"), kinds.concat(), wanted.code);
    let vetted = vet_with(&owned(options), &mpi.job(ranks, program, &owned(args)), &scratch().join(name), LIMIT)?;
    let said = || format!("{} {options:?} {args:?}\n{}", mpi.name, vet::last_words(&vetted.outcome));
    let found: Vec<&str> = vetted.report.findings.iter().map(|f| f.check.as_str()).collect();
    ensure!(found == [wanted.check], "found {found:?}: {}", said());
    ensure!(vetted.outcome.code == Some(wanted.code), "exit code {:?}: {}", vetted.outcome.code, said());
    let stopped = vetted.outcome.stderr.contains("mpivet stopped the job");
    ensure!(stopped == wanted.stopped, "stopped: {stopped}: {}", said());
    ensure!(vetted.outcome.leftovers.is_empty(), "left over: {:?}", vetted.outcome.leftovers);
    Ok(vetted)
}

/// The replay that the report proposes shows the finding.
#[test]
fn a_witness_of_the_report_comes_true() -> Result<()> {
    for mpi in share::mpis("a_witness_of_the_report_comes_true") {
        let program = compile(&mpi, &root().join("tests/programs/lucky-order.c"), &scratch())?;
        for how in ["recv", "irecv", "sendrecv", "mprobe"] {
            let lucky = expect(&mpi, &[], 3, &program, &[how], &POTENTIAL)?;
            let report = vet::analyze(&lucky.trace)?;
            ensure!(report.contains("mpivet run --replay witness-1.json"), "{how}: {report}");
            let witness = lucky.trace.join("witness-1.json").display().to_string();
            expect(&mpi, &["--replay", &witness], 3, &program, &[how], &REAL)?;
        }
        // A message that it finds by a probe it receives from the source that the probe reported.
        let vetted = vet_with(&[], &mpi.job(3, &program, &["probe".into()]), &scratch().join("force-probe"), LIMIT)?;
        ensure!(!vetted.trace.join("witness-1.json").exists(), "{}", vet::last_words(&vetted.outcome));
    }
    Ok(())
}

#[test]
fn synchronous_sends_make_potential_deadlocks_real() -> Result<()> {
    for mpi in share::mpis("synchronous_sends_make_potential_deadlocks_real") {
        let program = compile(&mpi, &root().join("tests/programs/head-to-head.c"), &scratch())?;
        let fortran = compile(&mpi, &root().join("tests/programs/head-to-head.f90"), &scratch())?;
        // Open MPI has no functions for large counts.
        let large = if mpi.is("mpich") { &["send_c"][..] } else { &[] };
        for how in [&["send", "isend", "persistent"][..], large].concat() {
            expect(&mpi, &[], 2, &program, &[how, "10"], &POTENTIAL)?;
            let vetted = expect(&mpi, &["--sync-sends"], 2, &program, &[how, "10"], &REAL)?;
            let altered = "hint: this run was altered: standard sends waited for their receives (--sync-sends)";
            ensure!(vetted.outcome.stderr.contains(altered), "{}", vet::last_words(&vetted.outcome));
            // The report names the function that the program called, not the one that was called instead.
            let report = vet::analyze(&vetted.trace)?;
            ensure!(!report.contains("MPI_Ssend") && !report.contains("MPI_Issend"), "{report}");
        }
        expect(&mpi, &[], 2, &fortran, &[], &POTENTIAL)?;
        expect(&mpi, &["--sync-sends"], 2, &fortran, &[], &REAL)?;
    }
    Ok(())
}

/// Rank 1's second wildcard call takes the message of rank 2, not that of rank 0.
fn witness(function: &str) -> Witness {
    let take = Take { rank: 1, thread: 0, call: 1, function: function.into(), source: 2, tag: 5 };
    Witness { program: "lucky-order".into(), ranks: 3, takes: vec![take] }
}

fn write(mpi: &Mpi, name: &str, witness: &Witness) -> Result<String> {
    let path = scratch().join(format!("force-{}-{name}.json", mpi.name));
    witness.write(&path)?;
    Ok(path.display().to_string())
}

/// The calls of a function in rank 1.
fn print(trace: &Path, function: &str) -> Result<String> {
    let mut command = vet::command()?;
    command.args(["print", "--rank", "1", "--function", function]).arg(trace);
    Ok(mpivet_tests::run::run(command, LIMIT)?.stdout)
}

const WILDCARDS: [(&str, &str); 8] = [
    ("recv", "MPI_Recv"),
    ("irecv", "MPI_Irecv"),
    ("init", "MPI_Recv_init"),
    ("sendrecv", "MPI_Sendrecv"),
    ("probe", "MPI_Probe"),
    ("iprobe", "MPI_Iprobe"),
    ("mprobe", "MPI_Mprobe"),
    ("improbe", "MPI_Improbe"),
];

#[test]
fn a_witness_is_replayed() -> Result<()> {
    for mpi in share::mpis("a_witness_is_replayed") {
        let program = compile(&mpi, &root().join("tests/programs/lucky-order.c"), &scratch())?;
        for (how, function) in WILDCARDS {
            let path = write(&mpi, how, &witness(function))?;
            let vetted = expect(&mpi, &["--replay", &path], 3, &program, &[how], &REAL)?;
            let told = format!("hint: this run was altered: wildcards took the messages of {path} (--replay)\n");
            let said = vetted.outcome.stderr.replace(&told, "");
            ensure!(said.len() < vetted.outcome.stderr.len() && !said.contains("witness"), "{said}");
            ensure!(vetted.report.findings[0].ranks == [1, 2], "{how}: {:?}", vetted.report.findings);
            // The record has the wildcards that the program has passed.
            let calls = print(&vetted.trace, function)?;
            let wild = calls.matches("source=MPI_ANY_SOURCE").count();
            ensure!(wild > usize::from(function == "MPI_Recv"), "{how}: {calls}");
        }
        runs_through(&mpi, &program, &[], "none")?;
    }
    Ok(())
}

/// The program gets through as it does by luck; what was said.
fn runs_through(mpi: &Mpi, program: &Path, options: &[String], name: &str) -> Result<String> {
    let dir = scratch().join(format!("force-through-{}-{name}", mpi.name));
    let vetted = vet_with(options, &mpi.job(3, program, &["recv".into()]), &dir, LIMIT)?;
    let words = vet::last_words(&vetted.outcome);
    ensure!(vetted.outcome.code == Some(0), "{} {name}: exit code {:?}\n{words}", mpi.name, vetted.outcome.code);
    ensure!(!vetted.outcome.stderr.contains("mpivet stopped the job"), "{} {name}: {words}", mpi.name);
    Ok(vetted.outcome.stderr)
}

#[test]
fn what_does_not_fit_the_witness_is_said_once() -> Result<()> {
    for mpi in share::mpis("what_does_not_fit_the_witness_is_said_once") {
        let program = compile(&mpi, &root().join("tests/programs/lucky-order.c"), &scratch())?;
        let through = |name: &str, witness: &Witness| {
            let path = write(&mpi, name, witness)?;
            runs_through(&mpi, &program, &["--replay".into(), path], name)
        };
        // Another function, another tag than the program asks for, and then nothing is narrowed any more.
        let mut other_function = witness("MPI_Recv");
        other_function
            .takes
            .insert(0, Take { call: 0, function: "MPI_Probe".into(), ..other_function.takes[0].clone() });
        let mut other_tag = witness("MPI_Recv");
        other_tag.takes.insert(0, Take { call: 0, ..other_tag.takes[0].clone() });
        for (name, wrong) in [("function", other_function), ("tag", other_tag)] {
            let said = through(name, &wrong)?;
            let astray = "mpivet: rank 1: MPI_Recv, its wildcard call number 1, does not fit the witness";
            ensure!(said.matches("fit the witness").count() == 1 && said.contains(astray), "{name}: {said}");
        }
        let said = through("ranks", &Witness { ranks: 4, ..witness("MPI_Recv") })?;
        ensure!(said.matches("nothing is replayed").count() == 1, "{said}");

        // A file that is no witness: nothing runs.
        let path = write(&mpi, "wrong", &witness("MPI_Send"))?;
        let mut command = vet::command()?;
        command.args(["run", "--replay", &path, "--"]).args(mpi.job(3, &program, &[]));
        Mpi::prepare(&mut command);
        let outcome = mpivet_tests::run::run(command, LIMIT)?;
        ensure!(
            outcome.code == Some(2) && outcome.stderr.contains("MPI_Send takes no wildcards"),
            "{}",
            outcome.stderr
        );
    }
    Ok(())
}

#[test]
fn the_measured_limit_is_where_the_program_hangs() -> Result<()> {
    for mpi in share::mpis("the_measured_limit_is_where_the_program_hangs") {
        let program = compile(&mpi, &root().join("tests/programs/head-to-head.c"), &scratch())?;
        let probe = ["--probe-limits"];
        let vetted = expect(&mpi, &probe, 3, &program, &["send", "10"], &POTENTIAL)?;
        let report = vet::analyze(&vetted.trace)?;
        let job = trace_format::run::job::read(&vetted.trace)?;
        let measured = job.buffering.with_context(|| format!("{}: nothing was measured", mpi.name))?;
        println!("{}: {measured:?}", mpi.name);
        ensure!(measured.same_host && (measured.sender, measured.receiver) == (0, 1), "{measured:?}");
        ensure!(!measured.at_least && measured.bytes >= 80, "{measured:?}");
        let hangs_from = measured.bytes / 8 + 1;
        let note = format!(
            "= the MPI library buffers messages of up to {} bytes (measured between ranks 0 and 1, on one host): \
             with {hangs_from} elements and more it will hang\n",
            measured.bytes
        );
        ensure!(report.contains(&note), "{}: {note}{report}", mpi.name);
        // The limit is the same in runs in which nothing is measured and nothing altered.
        expect(&mpi, &[], 3, &program, &["send", &(hangs_from - 1).to_string()], &POTENTIAL)?;
        expect(&mpi, &[], 3, &program, &["send", &hangs_from.to_string()], &REAL)?;
        // The element of a persistent send is not looked up; one rank alone has nobody to measure with.
        let vetted = expect(&mpi, &probe, 2, &program, &["persistent", "10"], &POTENTIAL)?;
        ensure!(vet::analyze(&vetted.trace)?.contains("with larger ones it will hang"), "{}", mpi.name);
        let alone = compile(&mpi, &root().join("tests/programs/single.c"), &scratch())?;
        let dir = scratch().join(format!("force-{}-alone", mpi.name));
        let vetted = vet_with(&["--probe-limits".into()], &mpi.job(1, &alone, &[]), &dir, LIMIT)?;
        ensure!(vetted.outcome.code == Some(0), "{}", vet::last_words(&vetted.outcome));
        ensure!(trace_format::run::job::read(&vetted.trace)?.buffering.is_none(), "{}", mpi.name);
    }
    Ok(())
}
