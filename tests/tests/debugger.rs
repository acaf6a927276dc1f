//! `mpivet queues`: jobs that were started without mpivet, looked at from outside through the debugger DLL of their MPI
//! library. Open MPI 4.1 of Debian has one; MPICH of Debian has none.

use anyhow::{Context as _, Result, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::run::{Background, Outcome};
use mpivet_tests::{compile, run, vet};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(120);

/// A job that goes on until this is dropped.
struct Job {
    launcher: Background,
    dir: PathBuf,
    pids: Vec<i32>,
}

impl Job {
    /// Starts a job, and waits until each rank has said what it posts.
    fn start(mpi: &Mpi, name: &str, program: &str, ranks: usize, what: &str) -> Result<Job> {
        Job::start_with(mpi, name, program, ranks, what, &[])
    }

    fn start_with(
        mpi: &Mpi,
        name: &str,
        program: &str,
        ranks: usize,
        what: &str,
        environment: &[(&str, &Path)],
    ) -> Result<Job> {
        let source = mpivet_tests::root().join("tests/programs").join(program);
        let program = compile::compile(mpi, &source, &mpivet_tests::scratch())?;
        let dir = mpivet_tests::scratch().join("debugger").join(format!("{name}-{}", mpi.name));
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        let job = mpi.job(ranks, &program, &[dir.display().to_string(), what.into()]);
        let mut command = Command::new(&job[0]);
        command.args(&job[1..]).envs(environment.iter().copied());
        Mpi::prepare(&mut command);
        let launcher = Background::start(command)?;
        let mut job = Job { launcher, dir, pids: Vec::new() };
        let until = Instant::now() + LIMIT;
        for rank in 0..ranks {
            while job.told(rank).is_err() {
                ensure!(Instant::now() < until, "the job did not start");
                std::thread::sleep(Duration::from_millis(20));
            }
            let told = job.told(rank)?;
            let pid = told.lines().find_map(|l| l.strip_prefix("pid ")).context("a pid")?;
            job.pids.push(pid.parse()?);
        }
        Ok(job)
    }

    fn told(&self, rank: usize) -> Result<String> {
        Ok(std::fs::read_to_string(self.dir.join(format!("rank-{rank}")))?)
    }

    /// Lines of the program on what it posts, in order.
    fn posted(&self, rank: usize) -> Result<Vec<String>> {
        Ok(self.told(rank)?.lines().filter(|l| !l.starts_with("pid ")).map(str::to_owned).collect())
    }

    /// Looks at all ranks, again and again until rank 0 has posted what it said, since it says so before.
    fn seen(&self, options: &[&str]) -> Result<(Value, Outcome)> {
        let until = Instant::now() + LIMIT;
        loop {
            let (value, outcome) = look(&self.pids, options)?;
            let ranks: Vec<usize> = (0..self.pids.len()).collect();
            let all = ranks.iter().all(|rank| {
                self.posted(*rank).is_ok_and(|posted| posted.iter().all(|line| lines(&value, *rank).contains(line)))
            });
            if all || Instant::now() > until {
                return Ok((value, outcome));
            }
        }
    }

    /// Looks until a deadlock is named: processes that get no processor time prove nothing.
    fn deadlocked(&self) -> Result<(Value, Outcome)> {
        let until = Instant::now() + LIMIT;
        loop {
            let (seen, outcome) = self.seen(&[])?;
            if !ranks_in_deadlock(&seen).is_empty() || Instant::now() > until {
                return Ok((seen, outcome));
            }
        }
    }

    fn pids(&self) -> Vec<String> {
        self.pids.iter().map(i32::to_string).collect()
    }
}

fn queues(args: &[String]) -> Result<Outcome> {
    let mut command = vet::command()?;
    command.arg("queues").args(args);
    Mpi::prepare(&mut command);
    run::run(command, LIMIT)
}

fn look(pids: &[i32], options: &[&str]) -> Result<(Value, Outcome)> {
    let pids = pids.iter().map(i32::to_string);
    let args: Vec<String> =
        options.iter().map(|o| (*o).to_owned()).chain(["--format=json".into()]).chain(pids).collect();
    let outcome = queues(&args)?;
    let value = serde_json::from_str(&outcome.stdout).with_context(|| vet::last_words(&outcome))?;
    Ok((value, outcome))
}

/// The sends and receives of a rank, as the program has it: the queue, the communicator, peer, tag, bytes, address.
fn lines(seen: &Value, rank: usize) -> Vec<String> {
    let mut found = Vec::new();
    for comm in seen["processes"][rank]["queues"]["communicators"].as_array().into_iter().flatten() {
        for (queue, name) in [("sends", "send"), ("receives", "receive")] {
            for one in comm[queue]["operations"].as_array().into_iter().flatten() {
                let number = |field: &str| one[field].as_i64().unwrap_or(-1);
                let length = if one["unit"] == "bytes" { number("length") } else { -1 };
                let comm = comm["name"].as_str().unwrap_or_default();
                let buffer = one["buffer"].as_u64().unwrap_or(0);
                found.push(format!("{name} {comm} {} {} {length} {buffer:#x}", number("peer"), number("tag")));
            }
        }
    }
    found
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

fn openmpi() -> Option<Mpi> {
    mpi::required().into_iter().find(|m| m.name == "openmpi")
}

fn ranks_in_deadlock(seen: &Value) -> Vec<i64> {
    seen["deadlock"].as_array().into_iter().flatten().filter_map(|d| d["rank"].as_i64()).collect()
}

#[test]
fn a_hung_job_shows_what_it_posted_and_who_waits_for_whom() -> Result<()> {
    let Some(mpi) = openmpi() else { return Ok(()) };
    let job = Job::start(&mpi, "deadlock", "looked-at.c", 3, "deadlock")?;
    let (seen, outcome) = job.deadlocked()?;
    for rank in 0..3 {
        ensure!(sorted(lines(&seen, rank)) == sorted(job.posted(rank)?), "rank {rank}: {:?}", lines(&seen, rank));
        let communicators = seen["processes"][rank]["queues"]["communicators"].as_array().context("communicators")?;
        ensure!(communicators.iter().all(|c| c["unexpected"]["given"] == false), "Open MPI's DLL has no such queue");
        ensure!(communicators.iter().all(|c| c["sends"]["ordered"] == true && c["receives"]["ordered"] == true));
    }
    ensure!(ranks_in_deadlock(&seen) == [0, 1], "{}", outcome.stdout);
    ensure!(outcome.code == Some(1));

    let text = queues(&job.pids())?;
    for expected in [
        "Deadlock, as far as the queues tell",
        "rank 0 in MPI_Send waits\n    for rank 1: send to 1, tag 5, 400000 bytes at 0x",
        "rank 1 in MPI_Recv waits\n    for rank 0: receive from 0, tag 9, 4 bytes at 0x",
        "receive    from any, tag any, 16 bytes at 0x",
        "Not known: unexpected messages (libompi_dbg_msgq.so does not tell)",
        "Open MPI 4.1",
    ] {
        ensure!(text.stdout.contains(expected), "{expected}:\n{}", vet::last_words(&text));
    }
    Ok(())
}

#[test]
fn the_launcher_stands_for_its_ranks() -> Result<()> {
    let Some(mpi) = openmpi() else { return Ok(()) };
    let job = Job::start(&mpi, "launcher", "looked-at.c", 2, "hope")?;
    let launcher = i32::try_from(job.launcher.pid())?;
    let (seen, outcome) = look(&[launcher], &[])?;
    let ranks: Vec<i64> =
        seen["processes"].as_array().into_iter().flatten().filter_map(|p| p["rank"].as_i64()).collect();
    ensure!(ranks == [0, 1], "{}", vet::last_words(&outcome));
    Ok(())
}

#[test]
fn requests_that_all_wait_for_are_a_deadlock() -> Result<()> {
    let Some(mpi) = openmpi() else { return Ok(()) };
    let job = Job::start(&mpi, "waitall", "looked-at.c", 3, "waitall")?;
    let (seen, outcome) = job.deadlocked()?;
    ensure!(ranks_in_deadlock(&seen) == [0, 1, 2], "{}", outcome.stdout);
    // In the order of posting, which is that of matching.
    ensure!(lines(&seen, 1) == job.posted(1)?, "{:?}", lines(&seen, 1));
    Ok(())
}

#[test]
fn a_job_that_may_go_on_is_no_deadlock() -> Result<()> {
    let Some(mpi) = openmpi() else { return Ok(()) };
    for (program, ranks, what) in
        [("looked-at.c", 3, "hope"), ("looked-at.c", 2, "inter"), ("looked-at-collective.c", 3, "collective")]
    {
        let job = Job::start(&mpi, &format!("free-{what}"), program, ranks, what)?;
        let (seen, outcome) = job.seen(&[])?;
        ensure!(
            ranks_in_deadlock(&seen).is_empty() && outcome.code == Some(0),
            "{what}: {}",
            vet::last_words(&outcome)
        );
        if what == "inter" {
            let joined = &seen["processes"][0]["queues"]["communicators"];
            let joined = joined.as_array().into_iter().flatten().find(|c| c["name"] == "joined").context("joined")?;
            ensure!(joined["inter"] == true, "{joined}");
        }
    }
    Ok(())
}

#[test]
fn a_job_runs_on_while_it_is_looked_at() -> Result<()> {
    let Some(mpi) = openmpi() else { return Ok(()) };
    let job = Job::start(&mpi, "work", "looked-at.c", 2, "work")?;
    for round in 0..6 {
        let options: &[&str] = if round % 2 == 0 { &[] } else { &["--stop"] };
        let (seen, outcome) = look(&job.pids, options)?;
        ensure!(ranks_in_deadlock(&seen).is_empty(), "{}", outcome.stdout);
        ensure!(matches!(outcome.code, Some(0 | 3)), "{}", vet::last_words(&outcome));
        if round % 2 == 1 {
            let steady = seen["processes"].as_array().into_iter().flatten().all(|p| p["queues"]["changing"] == false);
            ensure!(steady && outcome.code == Some(0), "{}", vet::last_words(&outcome));
        }
    }
    // They still work: each uses processor time.
    let used = |pid: i32| -> Result<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
        let fields: Vec<&str> = stat.rsplit_once(')').context("a name")?.1.split_whitespace().collect();
        ensure!(!matches!(fields[0], "T" | "t"), "process {pid} is stopped");
        Ok(fields[11].parse::<u64>()? + fields[12].parse::<u64>()?)
    };
    for pid in &job.pids {
        let (before, until) = (used(*pid)?, Instant::now() + LIMIT);
        while used(*pid)? == before {
            ensure!(Instant::now() < until, "process {pid} does nothing");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    Ok(())
}

/// Processes that look the same at each reading need not have stood still.
#[test]
fn a_round_of_a_loop_is_no_deadlock() -> Result<()> {
    for mpi in mpi::required() {
        for ours in [false, true] {
            if !ours && mpi.name != "openmpi" {
                continue;
            }
            let trace = mpivet_tests::scratch().join("debugger").join(format!("trace-pingpong-{}", mpi.name));
            _ = std::fs::remove_dir_all(&trace);
            let library = vet::mpivet()?.with_file_name("libmpivet.so");
            let environment: &[(&str, &Path)] = &[("LD_PRELOAD", &library), ("MPIVET_DIR", &trace)];
            let environment = if ours { environment } else { &[] };
            let job = Job::start_with(&mpi, "pingpong", "looked-at.c", 2, "pingpong", environment)?;
            for _ in 0..10 {
                let (seen, outcome) = look(&job.pids, &[])?;
                ensure!(ranks_in_deadlock(&seen).is_empty(), "{}: {}", mpi.name, outcome.stdout);
            }
        }
    }
    Ok(())
}

#[test]
fn a_process_that_has_ended_is_named_and_the_others_are_shown() -> Result<()> {
    let Some(mpi) = openmpi() else { return Ok(()) };
    let job = Job::start(&mpi, "ended", "looked-at.c", 2, "hope")?;
    // Killed while it is looked at, at different moments; the launcher ends the other one soon, unless it stands still.
    kill(Pid::from_raw(i32::try_from(job.launcher.pid())?), Signal::SIGSTOP)?;
    let victim = job.pids[1];
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        kill(Pid::from_raw(victim), Signal::SIGKILL)
    });
    let mut outcome = look(&job.pids, &[])?;
    killer.join().ok().context("no panic")??;
    let until = Instant::now() + LIMIT;
    while outcome.1.code != Some(3) {
        ensure!(Instant::now() < until, "{}", vet::last_words(&outcome.1));
        outcome = look(&job.pids, &[])?;
    }
    let (seen, outcome) = outcome;
    ensure!(seen["processes"][0]["rank"] == 0, "{}", vet::last_words(&outcome));
    let named = format!("mpivet: process {victim}: ");
    ensure!(outcome.stderr.contains(&named), "{}", vet::last_words(&outcome));
    ensure!(outcome.stderr.contains("has ended") || outcome.stderr.contains("no such process"), "{}", outcome.stderr);
    kill(Pid::from_raw(i32::try_from(job.launcher.pid())?), Signal::SIGCONT)?;
    Ok(())
}

#[test]
fn who_has_no_queues_is_told_why() -> Result<()> {
    let mut sleeper = Command::new("sleep");
    sleeper.arg("600");
    let sleeper = Background::start(sleeper)?;
    let outcome = queues(&[sleeper.pid().to_string()])?;
    ensure!(
        outcome.code == Some(3) && outcome.stderr.contains("it is no MPI process"),
        "{}",
        vet::last_words(&outcome)
    );
    let outcome = queues(&["2147483647".into()])?;
    ensure!(outcome.code == Some(3) && outcome.stderr.contains("no such process"), "{}", vet::last_words(&outcome));
    let outcome = queues(&[])?;
    ensure!(outcome.code == Some(2), "{}", vet::last_words(&outcome));
    Ok(())
}

#[test]
fn mpich_without_a_dll_says_what_to_do() -> Result<()> {
    let Some(mpi) = mpi::required().into_iter().find(|m| m.name == "mpich") else { return Ok(()) };
    let job = Job::start(&mpi, "no-dll", "looked-at.c", 2, "hope")?;
    let outcome = queues(&job.pids())?;
    ensure!(outcome.code == Some(3), "{}", vet::last_words(&outcome));
    let says = "names no debugger DLL (MPIR_dll_name). Start the job with `mpivet run`";
    ensure!(outcome.stderr.contains("MPICH 4") && outcome.stderr.contains(says), "{}", outcome.stderr);
    // Facts that are known without queues are shown.
    ensure!(outcome.stdout.contains("rank 0") && outcome.stdout.contains("in MPI_Recv"), "{}", outcome.stdout);
    Ok(())
}

/// A DLL that breaks, named by a library of the program: its crash ends nothing but itself.
#[test]
fn a_dll_that_crashes_is_a_message() -> Result<()> {
    let Some(mpi) = mpi::required().into_iter().find(|m| m.name == "mpich") else { return Ok(()) };
    let dir = mpivet_tests::scratch().join("debugger/crash");
    std::fs::create_dir_all(&dir)?;
    let library = |name: &str, text: &str| -> Result<PathBuf> {
        let (source, library) = (dir.join(format!("{name}.c")), dir.join(format!("lib{name}.so")));
        std::fs::write(&source, text)?;
        compile::compile_to(&mpi, &library, &mpi.mpicc, &["-shared", "-fPIC"], &source)?;
        Ok(library)
    };
    let names = [
        "setup_basic_callbacks version_compatibility dll_taddr_width dll_error_string setup_image image_has_queues",
        "setup_process process_has_queues update_communicator_list setup_communicator_iterator get_communicator",
        "get_comm_group next_communicator setup_operation_iterator next_operation",
    ];
    let others = names.iter().flat_map(|n| n.split(' ')).map(|n| format!("void mqs_{n}(void) {{}}\n"));
    let crash = "#include <stdlib.h>\nchar *mqs_version_string(void) { abort(); }\n";
    let dll = library("dll", &format!("{crash}{}", others.collect::<String>()))?;
    let named = library("named", &format!("const char *MPIR_dll_name = \"{}\";\n", dll.display()))?;
    let job = Job::start_with(&mpi, "crash", "looked-at.c", 2, "hope", &[("LD_PRELOAD", &named)])?;
    let outcome = queues(&job.pids())?;
    ensure!(outcome.code == Some(3), "{}", vet::last_words(&outcome));
    ensure!(outcome.stderr.matches("the debugger DLL has crashed").count() == 2, "{}", vet::last_words(&outcome));
    Ok(())
}

/// Both ends: mpivet's own DLL, under every MPI, also for one that has none.
#[test]
fn mpivets_own_dll_shows_the_same() -> Result<()> {
    for mpi in mpi::required() {
        let trace = mpivet_tests::scratch().join("debugger").join(format!("trace-{}", mpi.name));
        _ = std::fs::remove_dir_all(&trace);
        let ours = vet::mpivet()?.with_file_name("libmpivet.so");
        let environment: &[(&str, &Path)] = &[("LD_PRELOAD", &ours), ("MPIVET_DIR", &trace)];
        let job = Job::start_with(&mpi, "ours", "looked-at.c", 3, "deadlock", environment)?;
        let (seen, outcome) = job.deadlocked()?;
        for rank in 0..3 {
            ensure!(sorted(lines(&seen, rank)) == sorted(job.posted(rank)?), "rank {rank}: {:?}", lines(&seen, rank));
            let dll = seen["processes"][rank]["queues"]["dll"].as_str().context("a DLL")?;
            ensure!(dll.ends_with("/libmpivet_queues.so"), "{}: {dll}", mpi.name);
        }
        ensure!(ranks_in_deadlock(&seen) == [0, 1] && outcome.code == Some(1), "{}: {}", mpi.name, outcome.stdout);

        // By the traces of the job.
        let outcome = queues(&["--job".into(), trace.display().to_string()])?;
        for expected in ["MPI_Send, which has not returned", "100000 x MPI_INT", "Deadlock, as far as the queues tell"]
        {
            ensure!(outcome.stdout.contains(expected), "{}: {expected}\n{}", mpi.name, vet::last_words(&outcome));
        }
    }
    Ok(())
}

#[test]
fn a_job_that_may_go_on_is_no_deadlock_for_mpivets_own_dll() -> Result<()> {
    for mpi in mpi::required() {
        for (program, ranks, what) in
            [("looked-at.c", 3, "hope"), ("looked-at.c", 2, "inter"), ("looked-at-collective.c", 3, "collective")]
        {
            let trace = mpivet_tests::scratch().join("debugger").join(format!("trace-{what}-{}", mpi.name));
            _ = std::fs::remove_dir_all(&trace);
            let ours = vet::mpivet()?.with_file_name("libmpivet.so");
            let environment: &[(&str, &Path)] = &[("LD_PRELOAD", &ours), ("MPIVET_DIR", &trace)];
            let job = Job::start_with(&mpi, &format!("ours-{what}"), program, ranks, what, environment)?;
            let (seen, outcome) = job.seen(&[])?;
            let none = ranks_in_deadlock(&seen).is_empty() && outcome.code == Some(0);
            ensure!(none, "{}, {what}: {}", mpi.name, vet::last_words(&outcome));
        }
    }
    Ok(())
}

/// MPICH with its own DLL: `scripts/install-mpich-debuginfo`.
#[test]
#[ignore = "wants an MPICH that has a DLL: scripts/install-mpich-debuginfo"]
fn mpichs_own_dll_tells_all_three_queues() -> Result<()> {
    let mpis =
        std::env::var_os("MPIVET_MPI_DIR").map_or_else(|| mpivet_tests::root().join("target/mpi"), PathBuf::from);
    let prefix = mpis.join("mpich-debuginfo");
    let mpi = Mpi {
        name: "mpich-debuginfo",
        families: &["mpich"],
        mpicc: prefix.join("bin/mpicc"),
        mpicxx: prefix.join("bin/mpicxx"),
        compiler_args: &[],
        compiler_env: Vec::new(),
        mpiexec: prefix.join("bin/mpiexec"),
        lib: prefix.join("lib"),
    };
    ensure!(mpi.mpicc.is_file(), "{} is missing: run scripts/install-mpich-debuginfo", mpi.mpicc.display());
    let job = Job::start(&mpi, "tvmpich", "looked-at.c", 3, "deadlock")?;
    let until = Instant::now() + LIMIT;
    let text = loop {
        let outcome = queues(&job.pids())?;
        if outcome.stdout.contains("unexpected") || Instant::now() > until {
            break outcome;
        }
    };
    for expected in [
        "receive    from any, tag any, 4 elements at 0x",
        "receive    from 1, tag 7, 3 elements at 0x",
        "receive    from 0, tag 9, 1 elements at 0x",
        "unexpected from 0, tag 5, length not known",
    ] {
        ensure!(text.stdout.contains(expected), "{expected}:\n{}", vet::last_words(&text));
    }
    // Its DLL does not know of blocking sends, so that nothing may be concluded.
    ensure!(!text.stdout.contains("Deadlock") && text.code == Some(0), "{}", vet::last_words(&text));
    ensure!(!text.stdout.contains("not as expected"), "{}", vet::last_words(&text));
    Ok(())
}

/// A library of an unknown version: Debian's own, with the text of another version in it.
#[test]
fn an_unknown_version_is_named() -> Result<()> {
    let Some(mpi) = openmpi() else { return Ok(()) };
    let library = Path::new("/usr/lib/x86_64-linux-gnu/libmpi.so.40");
    let Ok(mut bytes) = std::fs::read(library) else { return Ok(()) };
    let version = b"\x004.1.4\x00";
    let places: Vec<usize> =
        bytes.windows(version.len()).enumerate().filter(|(_, w)| w == version).map(|(i, _)| i).collect();
    ensure!(!places.is_empty(), "the library does not hold its version");
    for place in places {
        bytes[place + 1..place + 6].copy_from_slice(b"4.1.9");
    }
    let dir = mpivet_tests::scratch().join("debugger/other-version");
    std::fs::create_dir_all(&dir)?;
    std::fs::write(dir.join("libmpi.so.40"), bytes)?;
    let job = Job::start_with(&mpi, "version", "looked-at.c", 2, "hope", &[("LD_LIBRARY_PATH", &dir)])?;
    let outcome = queues(&job.pids())?;
    ensure!(outcome.code == Some(3), "{}", vet::last_words(&outcome));
    let says = "the layout of Open MPI 4.1.9 is not known: it has no debug information that mpivet can read, and mpivet has no table for this version (only for 4.1.4)";
    ensure!(outcome.stderr.contains(says), "{}", vet::last_words(&outcome));
    Ok(())
}
