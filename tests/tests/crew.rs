//! An analysis by several processes, `mpirun -n 3 mpivet analyze DIR`, finds what one process finds, byte for byte.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile;
use mpivet_tests::examples::{is_bug, name_of, programs};
use mpivet_tests::mpi::Mpi;
use mpivet_tests::run::{self, Outcome};
use mpivet_tests::share::Turn;
use mpivet_tests::{mpi, root, scratch, share, vet};
use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;
use trace_reader::synthetic::{Hang, Stencil};

const LIMIT: Duration = Duration::from_secs(120);

/// All that a process says of a trace. With `processes` > 1, several of them do it together.
fn report(mpi: &Mpi, processes: usize, options: &[&str], trace: &Path) -> Result<Outcome> {
    let mut command = vet::command()?;
    let args: Vec<String> = ["analyze", "--format", "json"].iter().chain(options).map(ToString::to_string).collect();
    if processes > 1 {
        let program = vet::mpivet()?;
        let job = mpi.job(processes, &program, &args);
        let mut several = std::process::Command::new(&job[0]);
        several.args(&job[1..]);
        Mpi::prepare(&mut several);
        command = several;
    } else {
        command.args(args);
    }
    command.arg(trace);
    run::run(command, LIMIT)
}

/// So many commits play all examples.
const SHARES: usize = 80;

const COUNTS: [usize; 5] = [2, 3, 4, 7, 16];

/// Some of all numbers of processes, or all with the whole test.
fn several() -> &'static [usize] {
    match Turn::now() {
        Turn::All => &COUNTS,
        Turn::Number(_) => &[2, 4],
    }
}

fn assert_same(mpi: &Mpi, counts: &[usize], options: &[&str], trace: &Path) -> Result<()> {
    let one = report(mpi, 1, options, trace)?;
    ensure!(matches!(one.code, Some(0 | 1 | 3)), "{}: {:?}\n{}", trace.display(), one.code, vet::last_words(&one));
    ensure!(one.stdout.starts_with('{'), "{}: no report\n{}", trace.display(), vet::last_words(&one));
    for &processes in counts {
        let outcome = report(mpi, processes, options, trace)?;
        let what = format!("{} by {processes} processes under {}", trace.display(), mpi.name);
        ensure!(outcome.code == one.code, "{what}: {:?}\n{}", outcome.code, vet::last_words(&outcome));
        ensure!(outcome.stdout == one.stdout, "{what}: another report\n{}", outcome.stdout);
        ensure!(outcome.leftovers.is_empty(), "{what}: {:?}", outcome.leftovers);
    }
    Ok(())
}

fn written(name: &str, run: &Stencil) -> Result<PathBuf> {
    let dir = scratch().join("crew").join(name);
    _ = std::fs::remove_dir_all(&dir);
    run.write(&dir, 2)?;
    Ok(dir)
}

/// One trace of 64 breaks off, and another one has a damaged block.
fn damage(dir: &Path) -> Result<()> {
    let open = |rank: i32| OpenOptions::new().write(true).open(trace_format::file::rank_path(dir, rank));
    let (torn, damaged) = (open(5)?, open(40)?);
    torn.set_len(torn.metadata()?.len() / 3)?;
    damaged.write_all_at(&[0xa5; 64], damaged.metadata()?.len() / 2)?;
    Ok(())
}

#[test]
fn ranks_that_repeat_themselves_and_others_give_one_report() -> Result<()> {
    let stencil = |ranks| Stencil { ranks, reduce_every: 10, ..Stencil::default() };
    let runs = [
        ("repeating", Stencil { ..stencil(64) }.with_events(1_000_000), false),
        ("varied", Stencil { varied: true, grid_comms: true, ..stencil(16) }.with_events(60_000), false),
        ("varied and counted", Stencil { varied: true, ..stencil(16) }.with_events(600_000), false),
        ("anew", Stencil { varied: true, anew: true, ..stencil(16) }.with_events(600_000), false),
        ("damaged", Stencil { varied: true, ..stencil(64) }.with_events(100_000), true),
        ("hanging", Stencil { rounds: 10, hang: Some(Hang::BehindHalf), ..stencil(300) }, false),
    ];
    for mpi in share::mpis("crew") {
        for (name, run, is_damaged) in &runs {
            let trace = written(name, run)?;
            if *is_damaged {
                damage(&trace)?;
                let one = report(&mpi, 1, &[], &trace)?;
                ensure!(one.stdout.contains("damaged"), "no damage was found\n{}", one.stdout);
            }
            assert_same(&mpi, several(), &[], &trace)?;
            std::fs::remove_dir_all(trace)?;
        }
    }
    Ok(())
}

/// Traces of several worlds, which wait for each other, are read by the first process.
#[test]
fn programs_give_one_report() -> Result<()> {
    // Programs that every library can run.
    let examples: Vec<_> = programs()?.into_iter().filter(|p| is_bug(p) && p.mpis.is_empty()).collect();
    ensure!(examples.len() > 100, "only {} examples", examples.len());
    for mpi in share::mpis("crew of programs") {
        let of_turn: Vec<_> = match Turn::now() {
            Turn::All => examples.iter().collect(),
            Turn::Number(turn) => examples.iter().skip(turn as usize % SHARES).step_by(SHARES).collect(),
        };
        for (example, one) in of_turn.into_iter().zip(COUNTS.chunks(1).cycle()) {
            let name = name_of(&example.path)?;
            let dir = scratch().join("crew").join(name.replace('/', "-"));
            let program = compile(&mpi, &example.path, &scratch())?;
            let job = mpi.job(example.ranks, &program, &example.args);
            let job = vet::vet_with(&example.options, &job, &dir, LIMIT).with_context(|| name)?;
            let counts = if Turn::now() == Turn::All { &COUNTS } else { one };
            assert_same(&mpi, counts, &["--over"], &job.trace)?;
            std::fs::remove_dir_all(dir)?;
        }
    }
    assert_same(
        &mpi::first().context("no MPI library")?,
        several(),
        &[],
        &root().join("analyzer/tests/released/layout-10/trace"),
    )
}

/// The limit of open files holds for one process.
#[test]
fn a_process_that_cannot_read_its_share_ends_the_analysis() -> Result<()> {
    let mpi = mpi::first().context("no MPI library")?;
    let trace = written("unread", &Stencil { ranks: 100, reduce_every: 10, ..Stencil::default() }.with_events(20_000))?;
    let script = r#"[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 2 ] && ulimit -n 60; exec "$0" "$@""#;
    let args = ["-c", script, &vet::mpivet()?.display().to_string(), "analyze", &trace.display().to_string()];
    let job = mpi.job(3, Path::new("/bin/sh"), &args.map(str::to_owned));
    let outcome = vet::run_plain(&job, LIMIT)?;
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    for words in ["process 2 of 3 cannot read its share", "Too many open files", "mpirun -n 2 mpivet analyze"] {
        ensure!(said.contains(words), "it does not say {words:?}\n{said}");
    }
    ensure!(outcome.code.is_some_and(|code| code != 0), "exit code {:?}\n{said}", outcome.code);
    ensure!(outcome.leftovers.is_empty(), "{:?}", outcome.leftovers);
    Ok(())
}

/// Without the library of the launcher each process would write the report.
#[test]
fn a_library_that_is_not_there_is_told() -> Result<()> {
    let mpi = mpi::first().context("no MPI library")?;
    // MPICH's launcher may lose the words of processes that end at once.
    let script = r#"MPIVET_MPI=/nowhere/libmpi.so "$0" "$@"; code=$?; sleep 1; exit $code"#;
    let trace = root().join("analyzer/tests/released/layout-10/trace");
    let args = ["-c", script, &vet::mpivet()?.display().to_string(), "analyze", &trace.display().to_string()];
    let outcome = vet::run_plain(&mpi.job(2, Path::new("/bin/sh"), &args.map(str::to_owned)), LIMIT)?;
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    ensure!(said.contains("cannot load /nowhere/libmpi.so, which MPIVET_MPI names"), "{said}");
    ensure!(outcome.code.is_some_and(|code| code != 0), "exit code {:?}\n{said}", outcome.code);
    Ok(())
}
