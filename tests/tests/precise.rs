//! `--precise`: programs give the same results and findings with it as without, and all accesses that it reports are wrong.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::compile::compile_to;
use mpivet_tests::examples::programs;
use mpivet_tests::expect::Program;
use mpivet_tests::mpi;
use mpivet_tests::oracle::{self, reported};
use mpivet_tests::share::is_full;
use mpivet_tests::unchanged::gives_the_same;
use mpivet_tests::{root, scratch, share, vet};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(90);

fn precise() -> Vec<String> {
    vec!["--precise".to_owned()]
}

fn fresh(name: &str) -> Result<PathBuf> {
    let dir = scratch().join("precise").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Programs with large messages, many kinds of operations, threads and children; all of them with `MPIVET_TEST_FULL=1`.
const SAMPLE: [&str; 11] = [
    "send-checksum/bug.c",
    "rma-epoch/bug-freed.c",
    "rma-epoch/bug-heap.c",
    "overlapping/bug.c",
    "clean/buffers-halo.c",
    "clean/buffers-columns.c",
    "clean/child-processes.c",
    "clean/completion-calls.c",
    "clean/derived-types.c",
    "clean/file-io.c",
    "clean/threads-window.c",
];

#[test]
fn examples_give_the_same_with_it() -> Result<()> {
    let all = programs()?;
    let is_chosen = |program: &&Program| {
        let is_own = program.options.iter().any(|option| option.starts_with("--precise"));
        !is_own && (is_full() || SAMPLE.iter().any(|name| program.path.ends_with(name)))
    };
    let chosen: Vec<&Program> = all.iter().filter(is_chosen).collect();
    ensure!(chosen.len() >= SAMPLE.len(), "{} of the sample are there", chosen.len());
    let mpis = if is_full() { mpi::required() } else { share::mpis("examples_give_the_same_with_it") };
    let (mut wrong, dir) = (Vec::new(), fresh("examples")?);
    for mpi in mpis {
        for program in chosen.iter().filter(|program| program.runs_under(&mpi)) {
            wrong.extend(gives_the_same(&mpi, program, "--precise", &dir).err().map(|e| format!("{e:#}")));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    Ok(())
}

/// Where MV120 was found, and how often.
fn accesses(report: &Path) -> Result<Vec<(u64, u64)>> {
    reported(report, "MV120")
}

/// Numbers of the lines of a program that have a text.
fn lines_with(text: &str, words: &str) -> Vec<u64> {
    text.lines().zip(1..).filter(|(line, _)| line.contains(words)).map(|(_, number)| number).collect()
}

#[test]
fn system_calls_do_what_they_do_without_it() -> Result<()> {
    let path = root().join("tests/programs/system-calls.c");
    let known = lines_with(&std::fs::read_to_string(&path)?, "/* known */");
    for mpi in share::mpis("system_calls_do_what_they_do_without_it") {
        let dir = fresh(&format!("system-calls-{}", mpi.name))?;
        let executable = dir.join("system-calls");
        compile_to(&mpi, &executable, &mpi.mpicc, &["-g", "-O1", "-std=gnu11"], &path)?;
        let job = mpi.job(2, &executable, &[]);
        let plain = vet::run_plain(&job, LIMIT)?;
        let vetted = vet::vet_with(&precise(), &job, &dir.join("run"), LIMIT)?;
        let said = sorted(&vetted.outcome.stdout);
        ensure!(said == sorted(&plain.stdout) && said.len() > 40, "{}:\n{said:?}\n{}", mpi.name, plain.stdout);
        let found: Vec<u64> = accesses(&dir.join("run/report.json"))?.into_iter().map(|(line, _)| line).collect();
        let missing: Vec<_> = known.iter().filter(|line| !found.contains(line)).collect();
        ensure!(known.len() == 7 && missing.is_empty(), "{}: {missing:?} are not among {found:?}", mpi.name);
    }
    Ok(())
}

/// All that a generator's runs report is wrong, and so is most of what they say that it was.
fn all_is_wrong(test: &str, program: &str) -> Result<()> {
    let path = root().join("tests/programs").join(program).with_extension("c");
    let text = std::fs::read_to_string(&path)?;
    let source: Vec<&str> = text.lines().collect();
    let (seeds, rounds) = if is_full() { (40, 100) } else { (1, 40) };
    for mpi in share::mpis(test) {
        for level in ["-O0", "-O2"] {
            let executable = fresh(&format!("generator-{program}-{}{level}", mpi.name))?.join(program);
            compile_to(&mpi, &executable, &mpi.mpicc, &["-g", level, "-std=gnu11"], &path)?;
            let (mut wrong, mut found) = (0, 0);
            for seed in 1..=seeds {
                let dir = fresh(&format!("random-{program}{level}-{}-{seed}", mpi.name))?.join("run");
                let keys = level == "-O0";
                let generated = oracle::Program { mpi: &mpi, executable: &executable, source: &source, keys };
                let (w, f) = generated.run("MV120", (seed, rounds), &dir)?;
                (wrong, found) = (wrong + w, found + f.min(w));
            }
            ensure!(wrong > 20 && found * 100 >= wrong * 95, "{} {level}: {found} of {wrong} were found", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn what_is_reported_is_wrong_and_most_of_what_is_wrong_is_reported() -> Result<()> {
    all_is_wrong("what_is_reported_is_wrong_and_most_of_what_is_wrong_is_reported", "in-flight")
}

#[test]
fn small_buffers_are_told_from_what_lies_beside_them() -> Result<()> {
    all_is_wrong("small_buffers_are_told_from_what_lies_beside_them", "edges")
}

#[test]
fn variables_of_functions_are_watched_where_the_processor_may_be_asked() -> Result<()> {
    let path = root().join("tests/programs/on-stack.c");
    let wrong = lines_with(&std::fs::read_to_string(&path)?, "/* wrong */");
    for mpi in share::mpis("variables_of_functions_are_watched_where_the_processor_may_be_asked") {
        let dir = fresh(&format!("on-stack-{}", mpi.name))?;
        let executable = dir.join("on-stack");
        compile_to(&mpi, &executable, &mpi.mpicc, &["-g", "-O0", "-std=gnu11"], &path)?;
        let vetted = vet::vet_with(&precise(), &mpi.job(2, &executable, &[]), &dir.join("run"), LIMIT)?;
        let found = accesses(&dir.join("run/report.json"))?;
        let mut lines: Vec<u64> = found.into_iter().map(|(line, _)| line).collect();
        lines.sort_unstable();
        lines.dedup();
        // Containers and systems with a greater perf_event_paranoid have none.
        let are_refused = vetted.outcome.stderr.contains("there are no watchpoints");
        let expected = if are_refused { Vec::new() } else { wrong.clone() };
        ensure!(lines == expected, "{}: {lines:?}\n{}", mpi.name, vet::last_words(&vetted.outcome));
    }
    Ok(())
}

#[test]
fn a_second_run_looks_at_what_the_first_one_suspects() -> Result<()> {
    let source = root().join("examples/access-in-flight/bug.c");
    let wrong = lines_with(&std::fs::read_to_string(&source)?, "//~ access-in-flight");
    for mpi in share::mpis("a_second_run_looks_at_what_the_first_one_suspects") {
        let dir = fresh(&format!("suspects-{}", mpi.name))?;
        let executable = dir.join("bug");
        compile_to(&mpi, &executable, &mpi.mpicc, &["-g", "-O1", "-std=gnu11"], &source)?;
        let job = mpi.job(2, &executable, &[]);
        let first = vet::vet_with(&[], &job, &dir.join("first"), LIMIT)?;
        ensure!(first.outcome.code == Some(1), "{}", vet::last_words(&first.outcome));
        let from = |run: &str| vec!["--precise-from".to_owned(), dir.join(run).join("trace").display().to_string()];
        let second = vet::vet_with(&from("first"), &job, &dir.join("second"), LIMIT)?;
        let found: Vec<u64> = accesses(&dir.join("second/report.json"))?.into_iter().map(|(line, _)| line).collect();
        // MPI_Irecv of each of the two ranks is nobody's concern.
        let hint = "--precise watched 2 of 4 buffers of pending operations";
        let (said, _) = vet::analyze_with(&[], &second.trace)?;
        ensure!(found == wrong && said.contains(hint), "{}: {found:?}\n{said}", mpi.name);
        // The directory of a run in which nothing was wrong.
        let correct = dir.join("fixed");
        compile_to(&mpi, &correct, &mpi.mpicc, &["-g", "-O1", "-std=gnu11"], &source.with_file_name("fixed.c"))?;
        vet::vet_with(&[], &mpi.job(2, &correct, &[]), &dir.join("right"), LIMIT)?;
        let third = vet::vet_with(&from("right"), &job, &dir.join("third"), LIMIT);
        let said = format!("{:#}", third.err().context("a run that suspects nothing says nothing")?);
        ensure!(said.contains("exit code Some(2)") && said.contains("no buffer that changed"), "{said}");
    }
    Ok(())
}
