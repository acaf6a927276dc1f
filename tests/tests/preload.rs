//! Plain preload, as batch scripts use it, and good manners inside other people's processes.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile::compile, run, share, vet};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use trace_format::system::SystemEvent;
use trace_reader::reader::{RankEvent, RankReader};

const LIMIT: Duration = Duration::from_secs(60);

fn fresh(name: &str) -> Result<PathBuf> {
    let dir = mpivet_tests::scratch().join("preload").join(name);
    _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn interposer() -> Result<PathBuf> {
    Ok(vet::mpivet()?.with_file_name("libmpivet.so"))
}

/// Runs a job in `dir` with the library in the launcher's environment, as a batch script would.
fn preloaded(mpi: &Mpi, program: &Path, dir: &Path, ranks: usize) -> Result<run::Outcome> {
    let job = mpi.job(ranks, program, &[]);
    let mut command = Command::new(&job[0]);
    command.args(&job[1..]).current_dir(dir).env("LD_PRELOAD", interposer()?);
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

fn analyze(dir: &Path, trace: &Path) -> Result<run::Outcome> {
    let mut command = vet::command()?;
    command.arg("analyze").arg(trace).current_dir(dir);
    run::run(command, LIMIT)
}

#[test]
fn a_preloaded_job_is_recorded_and_its_findings_appear_at_once() -> Result<()> {
    let root = mpivet_tests::root();
    for mpi in share::mpis("a_preloaded_job_is_recorded_and_its_findings_appear_at_once") {
        let program = compile(&mpi, &root.join("examples/mpi-error/bug.c"), &mpivet_tests::scratch())?;
        // MPICH's launcher now and then loses the last words of a rank that aborts, the library's own among them.
        let library_speaks =
            |o: &run::Outcome| o.stderr.contains("Fatal error") || o.stderr.contains("An error occurred");
        let mut attempt = 0;
        let (dir, outcome) = loop {
            let dir = fresh(&format!("error-{}", mpi.name))?;
            let outcome = preloaded(&mpi, &program, &dir, 4)?;
            attempt += 1;
            if library_speaks(&outcome) || attempt == 5 {
                break (dir, outcome);
            }
        };
        let said: Vec<&str> = outcome.stderr.lines().filter(|l| l.contains("recording to")).collect();
        ensure!(said.len() == 1, "the directory must be said once: {said:?}");
        ensure!(outcome.stderr.contains("error[MV004] mpi-error:"), "no finding on stderr:\n{}", outcome.stderr);
        ensure!(outcome.stderr.contains("bug.c:"), "no source line on stderr:\n{}", outcome.stderr);
        let trace = std::fs::read_dir(&dir)?.filter_map(Result::ok).map(|e| e.path());
        let trace: Vec<PathBuf> = trace.filter(|p| p.is_dir()).collect();
        ensure!(trace.len() == 1, "one trace directory for all ranks: {trace:?}");
        let name = trace[0].file_name().and_then(|n| n.to_str()).unwrap_or_default();
        ensure!(name.starts_with("mpivet-bug-"), "{name}");
        ensure!(said[0].contains(name), "{} does not name {name}", said[0]);
        let report = analyze(&dir, &trace[0])?;
        ensure!(report.code == Some(1), "exit code {:?}\n{}", report.code, report.stderr);
        ensure!(report.stdout.contains("error[MV004] mpi-error"), "{}", report.stdout);
    }
    Ok(())
}

#[test]
fn processes_without_mpi_leave_no_trace() -> Result<()> {
    let dir = fresh("inert")?;
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "echo hello; /bin/true; ls"]).current_dir(&dir).env("LD_PRELOAD", interposer()?);
    let outcome = run::run(command, LIMIT)?;
    ensure!(outcome.stdout == "hello\n" && outcome.stderr.is_empty(), "{outcome:?}");
    ensure!(std::fs::read_dir(&dir)?.next().is_none(), "files were left");
    Ok(())
}

#[test]
fn children_of_a_rank_are_silent() -> Result<()> {
    let root = mpivet_tests::root();
    for mpi in share::mpis("children_of_a_rank_are_silent") {
        let program = compile(&mpi, &root.join("tests/programs/forks.c"), &mpivet_tests::scratch())?;
        let dir = fresh(&format!("forks-{}", mpi.name))?;
        let vetted = vet::vet(&mpi.job(2, &program, &[]), &dir.join("run"), LIMIT)?;
        ensure!(vetted.outcome.code == Some(0), "{}", vet::last_words(&vetted.outcome));
        for rank in 0..2 {
            let mut exits = Vec::new();
            read(&vetted.trace, rank, &mut |event| {
                if let RankEvent::System { event: SystemEvent::Exit { status }, .. } = event {
                    exits.push(status);
                }
            })?;
            ensure!(exits == [0], "rank {rank} of {}: {exits:?}", mpi.name);
        }
    }
    Ok(())
}

fn read(dir: &Path, rank: i32, sink: &mut dyn FnMut(RankEvent)) -> Result<()> {
    let mut reader = RankReader::open(dir, rank)?;
    reader.writer_is_gone();
    while reader.poll(64, sink)? {}
    ensure!(reader.defects.is_empty(), "{:?}", reader.defects);
    Ok(())
}

/// Bytes that the process may write to a file: far less than the run would record.
const FILE_LIMIT: u64 = 24 << 20;

#[test]
fn a_trace_that_cannot_grow_ends_with_a_mark_and_the_program_goes_on() -> Result<()> {
    let source = mpivet_tests::root().join("tests/programs/counter.c");
    for mpi in share::mpis("a_trace_that_cannot_grow_ends_with_a_mark_and_the_program_goes_on") {
        let program = compile(&mpi, &source, &mpivet_tests::scratch())?;
        let dir = fresh(&format!("limit-{}", mpi.name))?;
        let (counter, trace) = (dir.join("counter"), dir.join("trace"));
        let mut command = Command::new(&program);
        command.arg(&counter).env("LD_PRELOAD", interposer()?).env("MPIVET_DIR", &trace);
        command.stdin(Stdio::null()).stderr(std::fs::File::create(dir.join("stderr"))?);
        Mpi::prepare(&mut command);
        // SAFETY: setrlimit is async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                use nix::sys::resource::{Resource, setrlimit};
                setrlimit(Resource::RLIMIT_FSIZE, FILE_LIMIT, FILE_LIMIT).map_err(std::io::Error::from)
            });
        }
        let mut child = command.spawn()?;
        let start = Instant::now();
        let said = |text: &str| std::fs::read_to_string(dir.join("stderr")).is_ok_and(|s| s.contains(text));
        while !said("recording stops here") && start.elapsed() < LIMIT && child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_millis(10));
        }
        let count = || std::fs::read(&counter).ok().and_then(|b| b.get(8..16)?.first_chunk().copied());
        let before = count().map(u64::from_le_bytes).context("the counter")?;
        std::thread::sleep(Duration::from_millis(50));
        let after = count().map(u64::from_le_bytes).context("the counter")?;
        let alive = child.try_wait()?.is_none();
        child.kill()?;
        child.wait()?;
        ensure!(said("limit on file sizes"), "{}: no message about the limit", mpi.name);
        ensure!(alive && after > before, "{}: the program did not go on", mpi.name);
        let mut lost = 0;
        read(&trace, 0, &mut |event| {
            lost += u32::from(matches!(event, RankEvent::System { event: SystemEvent::Lost { .. }, .. }));
        })?;
        ensure!(lost == 1, "{}: {lost} marks", mpi.name);
        let report = analyze(&dir, &trace)?;
        ensure!(report.stdout.contains("incomplete"), "the report must say so:\n{}", report.stdout);
        ensure!(report.code == Some(3), "{:?}", report.code);
    }
    Ok(())
}

/// Launchers start spawned ranks in the directory that `wdir` names: their traces still belong to the others'.
#[test]
fn spawned_ranks_record_where_those_who_spawned_them_do() -> Result<()> {
    let root = mpivet_tests::root();
    for mpi in mpi::required().into_iter().filter(|m| m.name == "openmpi") {
        let program = compile(&mpi, &root.join("tests/programs/spawn-elsewhere.c"), &mpivet_tests::scratch())?;
        for named in [true, false] {
            let dir = fresh(&format!("spawned-{}-{named}", mpi.name))?;
            let elsewhere = dir.join("elsewhere");
            std::fs::create_dir(&elsewhere)?;
            let job = mpi.job(1, &program, &[elsewhere.display().to_string()]);
            let mut command = Command::new(&job[0]);
            command.args(&job[1..]).current_dir(&dir).env("LD_PRELOAD", interposer()?).env("PWD", &dir);
            if named {
                command.env("MPIVET_DIR", "trace");
            }
            Mpi::prepare(&mut command);
            let outcome = run::run(command, LIMIT)?;
            ensure!(outcome.code == Some(0), "{outcome:?}");
            ensure!(std::fs::read_dir(&elsewhere)?.next().is_none(), "something was recorded in `wdir`");
            let mut entries = std::fs::read_dir(&dir)?.filter_map(|e| Some(e.ok()?.path()));
            let trace = entries.find(|p| p.join("job.json").is_file()).context("no trace directory")?;
            let report = analyze(&dir, &trace)?;
            ensure!(report.code == Some(1), "{report:?}");
            for part in ["nobody receives the message that rank 0 sends to world 1 rank 1", "world 1 ranks 0,1"] {
                ensure!(report.stdout.contains(part), "`{part}` is missing:\n{}", report.stdout);
            }
        }
    }
    Ok(())
}

/// Data of a program are private, and nobody else may choose which files are written.
#[test]
fn traces_are_private_and_links_are_not_followed() -> Result<()> {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let mpi = mpi::first().context("no MPI")?;
    let program = compile(&mpi, &mpivet_tests::root().join("examples/halo/fixed.c"), &mpivet_tests::scratch())?;
    let dir = fresh("private")?;
    let run = |trace: &Path| -> Result<run::Outcome> {
        let job = mpi.job(2, &program, &[]);
        let mut command = Command::new(&job[0]);
        command.args(&job[1..]).current_dir(&dir).env("LD_PRELOAD", interposer()?).env("MPIVET_DIR", trace);
        Mpi::prepare(&mut command);
        run::run(command, LIMIT)
    };
    let trace = dir.join("new");
    run(&trace)?;
    let mode = |path: &Path| -> Result<u32> { Ok(std::fs::symlink_metadata(path)?.permissions().mode() & 0o7777) };
    ensure!(mode(&trace)? == 0o700, "{:o}", mode(&trace)?);
    for file in std::fs::read_dir(&trace)? {
        let path = file?.path();
        ensure!(mode(&path)? == 0o600, "{}: {:o}", path.display(), mode(&path)?);
    }
    // Another user has prepared the directory.
    let (trap, victim) = (dir.join("trap"), dir.join("victim"));
    std::fs::create_dir(&trap)?;
    std::fs::write(&victim, "whole")?;
    for name in [
        "rank-0.mpv",
        "rank-0.t0.stage",
        "rank-1.t0.stage",
        "job.json",
        "job.json.new",
        "job.early.json",
        "variables.json.gz.new",
        "variables.json.new",
    ] {
        symlink(&victim, trap.join(name))?;
    }
    run(&trap)?;
    ensure!(std::fs::read_to_string(&victim)? == "whole", "a link was followed");
    // Stages are removed in the end.
    let are_gone =
        ["rank-0.t0.stage", "rank-1.t0.stage"].iter().all(|name| trap.join(name).symlink_metadata().is_err());
    let are_files = ["job.json", "variables.json.gz"].iter().all(|name| trap.join(name).is_file());
    ensure!(are_gone && are_files);
    Ok(())
}
