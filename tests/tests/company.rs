//! mpivet beside others: tools that wrap MPI too, other preloaded libraries, programs that look functions up, scripts between
//! launcher and program, several jobs in a script, ranks on another node.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile, run, vet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use trace_format::mpi::FUNCTIONS;
use trace_reader::reader::{RankEvent, RankReader, traces_in};

const LIMIT: Duration = Duration::from_secs(60);

fn fresh(name: &str) -> Result<PathBuf> {
    let dir = mpivet_tests::scratch().join("company").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn source(name: &str) -> PathBuf {
    mpivet_tests::root().join("tests/programs").join(name)
}

fn program(mpi: &Mpi, name: &str) -> Result<PathBuf> {
    compile::compile(mpi, &source(name), &mpivet_tests::scratch())
}

fn interposer() -> Result<PathBuf> {
    Ok(vet::mpivet()?.with_file_name("libmpivet.so"))
}

/// A shared library made from a program's source.
fn library(mpi: &Mpi, name: &str, dir: &Path) -> Result<PathBuf> {
    // Names like those of MPI libraries are in use: libmpiP, libmpitrace.
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    let library = dir.join(format!("libmpi{stem}.so"));
    compile::compile_to(mpi, &library, &mpi.mpicc, &["-g", "-shared", "-fPIC"], &source(name))?;
    Ok(library)
}

/// Runs a command; it must succeed. Its standard output, the lines in order of the alphabet: ranks print in any order.
fn output(mut command: Command) -> Result<Vec<String>> {
    Mpi::prepare(&mut command);
    let outcome = run::run(command, LIMIT)?;
    ensure!(outcome.code == Some(0), "exit code {:?}\n{}", outcome.code, vet::last_words(&outcome));
    let mut lines: Vec<String> = outcome.stdout.lines().map(str::to_owned).collect();
    lines.sort();
    Ok(lines)
}

/// A job with libraries preloaded into its ranks; the trace goes to `trace`.
fn preloaded(job: &[String], preload: &[&Path], trace: &Path) -> Command {
    let (launcher, rest) = job.split_at(3);
    let list: Vec<_> = preload.iter().map(|p| p.display().to_string()).collect();
    let mut command = Command::new(&launcher[0]);
    command.args(&launcher[1..]).arg("env").arg(format!("LD_PRELOAD={}", list.join(":"))).args(rest);
    command.env("MPIVET_DIR", trace);
    command
}

/// Names of the calls of each trace in a directory.
fn calls(trace: &Path) -> Result<Vec<Vec<&'static str>>> {
    traces_in(trace)?
        .iter()
        .map(|stem| {
            let mut reader = RankReader::open_stem(trace, stem)?;
            reader.writer_is_gone();
            let mut names = Vec::new();
            let mut sink = |event| {
                if let RankEvent::Call(call) = event {
                    names.push(call.func.name());
                }
            };
            while reader.poll(usize::MAX, &mut sink)? {}
            Ok(names)
        })
        .collect()
}

const SENDER: [&str; 5] = ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Send", "MPI_Finalize"];
const RECEIVER: [&str; 5] = ["MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Recv", "MPI_Finalize"];

#[test]
fn another_tool_and_mpivet_see_every_call_once() -> Result<()> {
    for mpi in mpi::required() {
        let dir = fresh(&format!("tool-{}", mpi.name))?;
        let (tool, ours) = (library(&mpi, "tool.c", &dir)?, interposer()?);
        let job = mpi.job(2, &program(&mpi, "pair.c")?, &[]);
        let alone = output(preloaded(&job, &[&tool], &dir.join("none")))?;
        ensure!(alone == ["tool: 0 sends, 1 ranks", "tool: 1 sends, 2 ranks"], "{alone:?}");
        for (name, preload) in [("below", [&*ours, &*tool]), ("above", [&*tool, &*ours])] {
            let trace = dir.join(name);
            let together = output(preloaded(&job, &preload, &trace))?;
            ensure!(together == alone, "{}: a tool {name} mpivet sees {together:?}", mpi.name);
            let recorded = calls(&trace)?;
            ensure!(recorded == [SENDER, RECEIVER], "{}: with a tool {name} mpivet: {recorded:?}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn what_another_tool_keeps_is_no_leak_of_the_program() -> Result<()> {
    for mpi in mpi::required() {
        let dir = fresh(&format!("keeps-{}", mpi.name))?;
        let (tool, ours) = (library(&mpi, "tool-keeps.c", &dir)?, interposer()?);
        let job = mpi.job(2, &program(&mpi, "keeps.c")?, &[]);
        for (name, preload) in [("below", [&*ours, &*tool]), ("above", [&*tool, &*ours])] {
            let trace = dir.join(name);
            output(preloaded(&job, &preload, &trace))?;
            let (report, _) = vet::analyze_with(&[], &trace)?;
            let leaks: Vec<&str> = report.lines().filter(|l| l.contains("leak-communicator:")).collect();
            let programs = report.contains("keeps.c:8") && !report.contains("tool-keeps.c");
            ensure!(leaks.len() == 1 && programs, "{}: a tool {name} mpivet:\n{report}", mpi.name);
            let once = leaks.iter().all(|l| l.contains("a communicator made by MPI_Comm_dup is never freed"));
            ensure!(once, "{}: a tool {name} mpivet:\n{report}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn another_preloaded_library_makes_no_difference() -> Result<()> {
    for mpi in mpi::required() {
        let dir = fresh(&format!("memory-{}", mpi.name))?;
        let (memory, ours) = (library(&mpi, "memory.c", &dir)?, interposer()?);
        let job = mpi.job(2, &program(&mpi, "pair.c")?, &[]);
        for (name, preload) in [("below", [&*ours, &*memory]), ("above", [&*memory, &*ours])] {
            let trace = dir.join(name);
            output(preloaded(&job, &preload, &trace))?;
            ensure!(calls(&trace)? == [SENDER, RECEIVER], "{}: {name}", mpi.name);
        }
    }
    Ok(())
}

#[test]
fn a_lookup_answers_as_without_mpivet() -> Result<()> {
    let dir = fresh("lookups")?;
    let names = dir.join("names");
    let fortran = ["mpi_comm_get_attr_", "MPI_COMM_GET_ATTR", "mpi_aint_add_f08_", "mpi_send_"];
    let all = FUNCTIONS.iter().flat_map(|f| [f.name.to_owned(), format!("P{}", f.name)]);
    let all: Vec<String> = all.chain(fortran.map(str::to_owned)).collect();
    std::fs::write(&names, all.join("\n"))?;
    let ours = interposer()?;
    let looked_up = |program: &Path, ours: Option<&Path>, now: bool| {
        let mut command = Command::new(program);
        command.arg(&names).env("MPIVET_DIR", dir.join("trace"));
        ours.map(|library| command.env("LD_PRELOAD", library));
        if now {
            command.env("LD_BIND_NOW", "1");
        }
        output(command)
    };
    for mpi in mpi::required() {
        let program = program(&mpi, "lookups.c")?;
        let plain = looked_up(&program, None, false)?;
        ensure!(plain.len() > 700 && plain.contains(&"PMPI_Get_version".to_owned()), "{}: {plain:?}", mpi.name);
        for now in [false, true] {
            let with = looked_up(&program, Some(&ours), now)?;
            let difference =
                plain.iter().filter(|n| !with.contains(n)).chain(with.iter().filter(|n| !plain.contains(n)));
            let difference: Vec<_> = difference.collect();
            ensure!(difference.is_empty(), "{}: found by one and not by the other: {difference:?}", mpi.name);
        }
    }
    // No MPI in the process: no function of MPI is there, and asking for one is an error as it should be.
    let python = Command::new("python3")
        .args(["-c", "import ctypes\nfor name in open('names').read().split():\n if hasattr(ctypes.CDLL(None), name): print(name)"])
        .current_dir(&dir)
        .env("LD_PRELOAD", &ours)
        .output()
        .context("python3")?;
    ensure!(python.status.success() && python.stdout.is_empty() && python.stderr.is_empty(), "{python:?}");
    Ok(())
}

#[test]
fn a_stand_in_for_mpi_works_as_without_mpivet() -> Result<()> {
    let dir = fresh("serial")?;
    let compile = |arguments: &[&str]| -> Result<()> {
        let compiled = Command::new("cc").current_dir(&dir).arg(source("serial.c")).args(arguments).status()?;
        ensure!(compiled.success(), "cc {arguments:?}");
        Ok(())
    };
    compile(&["-DSTAND_IN", "-shared", "-fPIC", "-o", "libmpiseq.so"])?;
    compile(&["-o", "serial", "-L.", "-lmpiseq", "-Wl,-rpath,$ORIGIN"])?;
    let mut command = Command::new(dir.join("serial"));
    command.env("LD_PRELOAD", interposer()?).env("MPIVET_DIR", dir.join("trace"));
    let said = output(command)?;
    ensure!(said == ["0 0 0 42"], "{said:?}");
    Ok(())
}

/// Runs a command under `mpivet run`; its standard error.
fn vetted(dir: &Path, command: &[String]) -> Result<String> {
    let mut mpivet = vet::command()?;
    mpivet.arg("run").arg("--dir").arg(dir.join("trace")).arg("--").args(command);
    Mpi::prepare(&mut mpivet);
    let outcome = run::run(mpivet, LIMIT)?;
    ensure!(outcome.code == Some(0), "exit code {:?}\n{}", outcome.code, vet::last_words(&outcome));
    ensure!(outcome.stderr.contains("no errors found"), "{}", outcome.stderr);
    Ok(outcome.stderr)
}

#[test]
fn scripts_between_and_jobs_one_after_the_other() -> Result<()> {
    for mpi in mpi::required() {
        let job = mpi.job(2, &program(&mpi, "pair.c")?, &[]);
        let (launcher, rest) = job.split_at(3);
        let shell = |line: String| ["sh".to_owned(), "-c".to_owned(), line];

        // The shell is no rank; the program that it starts is one.
        let dir = fresh(&format!("script-{}", mpi.name))?;
        let said = vetted(&dir, &[launcher, &shell(format!("{}; true", rest.join(" ")))].concat())?;
        ensure!(calls(&dir.join("trace"))? == [SENDER, RECEIVER], "{}: a script between", mpi.name);
        ensure!(said.contains("ranks 0,1: ended normally"), "{}: a script between:\n{said}", mpi.name);

        let dir = fresh(&format!("jobs-{}", mpi.name))?;
        let said = vetted(&dir, &shell(format!("{0} && {0}", job.join(" "))))?;
        let mut recorded = calls(&dir.join("trace"))?;
        recorded.sort();
        ensure!(recorded == [RECEIVER, RECEIVER, SENDER, SENDER], "{}: two jobs: {recorded:?}", mpi.name);
        ensure!(said.contains("world 1") && said.contains("20 MPI calls"), "{}: two jobs:\n{said}", mpi.name);
    }
    Ok(())
}

#[test]
fn a_child_that_is_an_mpi_program_is_a_rank_of_its_own() -> Result<()> {
    for mpi in mpi::required() {
        let dir = fresh(&format!("child-{}", mpi.name))?;
        // The launcher's variables, which are the parent's, are left out.
        let kept = ["PATH", "HOME", "LD_PRELOAD", "MPIVET_DIR", "MPIVET_RUN", "OMPI_ALLOW_RUN_AS_ROOT"];
        let kept: Vec<String> = kept.iter().map(|name| format!("{name}=\"${name}\"")).collect();
        let child = program(&mpi, "single.c")?;
        let line = format!("env -i {} OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 {}", kept.join(" "), child.display());
        let said = vetted(&dir, &mpi.job(2, &program(&mpi, "parent.c")?, &[line]))?;
        ensure!(said.contains("ranks 0,1 and world 1 rank 0: ended normally"), "{}:\n{said}", mpi.name);
        let mut recorded = calls(&dir.join("trace"))?;
        recorded.sort();
        let parent = vec!["MPI_Init", "MPI_Comm_rank", "MPI_Barrier", "MPI_Finalize"];
        let child = vec!["MPI_Init", "MPI_Barrier", "MPI_Finalize"];
        ensure!(recorded == [child, parent.clone(), parent], "{}: {recorded:?}", mpi.name);
    }
    Ok(())
}

#[test]
fn ranks_on_another_node_are_recorded() -> Result<()> {
    let Some(mpi) = mpi::required().into_iter().find(|m| m.name == "openmpi") else { return Ok(()) };
    let dir = fresh("node")?;
    let shell = source("other-node.sh").display().to_string();
    let host = String::from_utf8(Command::new("hostname").output()?.stdout)?;
    let hosts = format!("{},127.0.0.2", host.trim());
    let mut job = mpi.job(2, &program(&mpi, "pair.c")?, &[]);
    job.splice(1..1, ["--mca", "plm_rsh_agent", &shell, "--host", &hosts].map(str::to_owned));
    vetted(&dir, &job)?;
    ensure!(calls(&dir.join("trace"))? == [SENDER, RECEIVER]);
    Ok(())
}

/// A rank may end the job before rank 0 is through MPI_Init, or rank 0 may not be watched: another rank describes the job then.
#[test]
fn the_job_is_described_without_rank_0() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let source = mpivet_tests::root().join("examples/null-buffer/bug-reduce-scatter.c");
        let program = compile::compile(mpi, &source, &mpivet_tests::scratch())?;
        let one = mpi.job(1, &program, &[]);
        let (launcher, rest) = one.split_at(3);
        let unwatched = ["env", "-u", "LD_PRELOAD"].map(str::to_owned);
        let job = [launcher, &unwatched, rest, &[":".to_owned()], &launcher[1..], rest].concat();
        let vetted = vet::vet(&job, &fresh(&format!("without-rank-0-{}", mpi.name))?.join("run"), LIMIT)?;
        let text = vet::analyze(&vetted.trace)?;
        let words = vet::last_words(&vetted.outcome);
        ensure!(!vetted.trace.join("job.json").exists(), "rank 0 is watched:\n{words}");
        let library = if mpi.is("openmpi") { "2 ranks, Open MPI v" } else { "2 ranks, MPICH " };
        ensure!(text.contains(library) && !text.contains("incomplete"), "{text}\n{words}");
        ensure!(vetted.report.findings.iter().any(|finding| finding.check == "null-buffer"), "{text}\n{words}");
        Ok(())
    })
}
