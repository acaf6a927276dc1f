//! The message-queue DLL, driven by a debugger that knows only the document (`tests/debugger/`): what a program has posted
//! comes back as it was posted, from processes that hang, that go on, and that die meanwhile.

use anyhow::{Context as _, Result, bail, ensure};
use mpivet_tests::{compile::compile, mpi, vet};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const RANKS: usize = 4;
const LIMIT: Duration = Duration::from_secs(60);

/// A job under the interposer whose ranks have all written down what is to be seen of them.
struct Job {
    launcher: Child,
    debugger: PathBuf,
    dir: PathBuf,
    ranks: Vec<Rank>,
}

struct Rank {
    pid: i32,
    /// Lines of what the debugger must print.
    expected: Vec<String>,
}

impl Job {
    fn start(mpi: &mpi::Mpi, name: &str, mode: Option<&str>, environment: &[(&str, &str)]) -> Result<Job> {
        let (root, scratch) = (mpivet_tests::root(), mpivet_tests::scratch());
        let program = compile(mpi, &root.join("tests/programs/queues.c"), &scratch)?;
        let debugger = compile(mpi, &root.join("tests/debugger/debugger.c"), &scratch)?;
        let dir = scratch.join(format!("queues-{}-{name}", mpi.name));
        _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir)?;
        let mut arguments = vec![dir.display().to_string()];
        arguments.extend(mode.map(str::to_owned));
        let job = mpi.job(RANKS, &program, &arguments);
        let mut command = Command::new(&job[0]);
        command.args(&job[1..]).env("LD_PRELOAD", vet::mpivet()?.with_file_name("libmpivet.so"));
        command.env("MPIVET_DIR", dir.join("trace")).env("MPIVET_RUN", "1").envs(environment.iter().copied());
        mpi::Mpi::prepare(&mut command);
        let output = std::fs::File::create(dir.join("output"))?;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output).process_group(0);
        let mut job = Job { launcher: command.spawn()?, debugger, dir, ranks: Vec::new() };
        job.wait_for_ranks()?;
        Ok(job)
    }

    fn wait_for_ranks(&mut self) -> Result<()> {
        let start = Instant::now();
        while self.ranks.len() < RANKS {
            if let Ok(text) = std::fs::read_to_string(self.dir.join(format!("expected.{}", self.ranks.len()))) {
                let mut lines = text.lines().map(|line| line.trim_end().to_owned());
                let pid = lines.next().and_then(|line| line.strip_prefix("pid ")?.parse().ok()).context("no pid")?;
                self.ranks.push(Rank { pid, expected: lines.collect() });
                continue;
            }
            let output = || std::fs::read_to_string(self.dir.join("output")).unwrap_or_default();
            ensure!(self.launcher.try_wait()?.is_none(), "the job has ended: {}", output());
            ensure!(start.elapsed() < LIMIT, "the job did not start: {}", output());
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn debugger(&self, rank: usize, rounds: u32) -> Result<Command> {
        let mut command = Command::new(&self.debugger);
        let pid = self.ranks.get(rank).context("no such rank")?.pid;
        command.args([pid.to_string(), rounds.to_string()]).stdin(Stdio::null());
        Ok(command)
    }

    /// The output of the debugger, and its exit code.
    fn debug(&self, rank: usize, rounds: u32) -> Result<(String, i32)> {
        let output = self.debugger(rank, rounds)?.stderr(Stdio::inherit()).output()?;
        Ok((String::from_utf8(output.stdout)?, output.status.code().unwrap_or(-1)))
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        for rank in &self.ranks {
            _ = kill(Pid::from_raw(rank.pid), Signal::SIGKILL);
        }
        let start = Instant::now();
        while self.launcher.try_wait().is_ok_and(|status| status.is_none()) && start.elapsed() < Duration::from_secs(10)
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        _ = killpg(Pid::from_raw(self.launcher.id().cast_signed()), Signal::SIGKILL);
        _ = self.launcher.wait();
    }
}

/// The lines of communicators and operations, without call sites and the numbers of communicators.
fn shown(output: &str) -> Vec<String> {
    let is_shown = |line: &&str| ["comm ", "  send status", "  receive status"].iter().any(|p| line.starts_with(p));
    let plain = |line: &str| {
        if let Some(comm) = line.strip_prefix("comm 0x") {
            return format!("comm {}", comm.split_once(' ').map_or("", |(_, rest)| rest));
        }
        let is_site = |part: &&str| ["at ", "made at ", "started at "].iter().any(|p| part.starts_with(p));
        line.split(" | ").filter(|part| !is_site(part)).collect::<Vec<_>>().join(" | ")
    };
    output.lines().filter(is_shown).map(|line| plain(line).trim_end().to_owned()).collect()
}

/// The value of a word in a line of the debugger: `tag 7`.
fn value<'a>(line: &'a str, word: &str) -> Result<&'a str> {
    let mut words = line.split(' ').skip_while(|w| *w != word).skip(1);
    words.next().with_context(|| format!("no {word} in {line}"))
}

fn number(line: &str, word: &str) -> Result<u64> {
    let text = value(line, word)?;
    let hex = text.strip_prefix("0x").map(|hex| u64::from_str_radix(hex, 16));
    Ok(hex.unwrap_or_else(|| text.parse())?)
}

#[test]
fn what_was_posted_is_shown() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let job = Job::start(mpi, "posted", None, &[])?;
        let mut numbers = Vec::new();
        for (rank, Rank { expected, .. }) in job.ranks.iter().enumerate() {
            // A rank writes its file before it makes the call that it hangs in.
            let start = Instant::now();
            let (output, code) = loop {
                let (output, code) = job.debug(rank, 1)?;
                if shown(&output) == *expected || start.elapsed() > Duration::from_secs(20) {
                    break (output, code);
                }
                std::thread::sleep(Duration::from_millis(50));
            };
            ensure!(shown(&output) == *expected, "rank {rank}: {output}\nexpected\n{}", expected.join("\n"));
            ensure!(code == 0 && output.contains("compatibility 2 width 8"), "rank {rank}: {code} {output}");
            ensure!(output.trim_end().ends_with("allocated 0"), "rank {rank} leaks: {output}");
            let operations: Vec<&str> = output.lines().filter(|l| l.contains(" status ")).collect();
            ensure!(operations.iter().all(|l| l.contains("at queues+0x")), "rank {rank}: {output}");
            numbers.push(
                output
                    .lines()
                    .filter_map(|l| l.strip_prefix("comm ")?.split(' ').next())
                    .map(str::to_owned)
                    .collect::<Vec<_>>(),
            );
            // The library's own name of a DLL is what it was.
            let own = output.lines().find_map(|l| l.strip_prefix("another dll "));
            ensure!(own.is_some_and(|dll| dll.ends_with("libompi_dbg_msgq.so")) == mpi.is("openmpi"), "{output}");
        }
        // MPI_COMM_WORLD, MPI_COMM_SELF, halo, pairs: one number where it is one communicator, others elsewhere.
        let of = |rank: usize, nth: usize| numbers.get(rank).and_then(|all: &Vec<String>| all.get(nth));
        for (a, b, nth, same) in [(0, 3, 0, true), (0, 1, 1, false), (1, 2, 2, true), (0, 1, 3, true), (1, 2, 3, false)]
        {
            ensure!((of(a, nth) == of(b, nth)) == same, "communicator {nth} of ranks {a} and {b}: {numbers:?}");
        }
        Ok(())
    })
}

/// Holds every line against what its tag says that the message is.
fn check_busy(rank: usize, expected: &str, output: &str) -> Result<usize> {
    let words: Vec<&str> = expected.split(' ').collect();
    let [_, receives, sends, stride] = words[..] else { bail!("{expected}") };
    let address = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16);
    let (receives, sends, stride) = (address(receives)?, address(sends)?, stride.parse::<u64>()?);
    let mut found = 0;
    for line in output.lines().filter(|line| line.contains(" status ")) {
        let tag = number(line, "tag")?;
        let (base, peer) = match line.trim_start().split(' ').next() {
            Some("send") => (sends, (rank + 1) % RANKS),
            _ => (receives, (rank + RANKS - 1) % RANKS),
        };
        ensure!(number(line, "length")? == 4 * tag && number(line, "buffer")? == base + tag * stride, "{line}");
        ensure!(number(line, "rank")? == peer as u64 && number(line, "global")? == peer as u64, "{line}");
        ensure!(line.contains(&format!("| {tag} x MPI_INT")) && value(line, "wild")? == "0", "{line}");
        found += 1;
    }
    Ok(found)
}

/// The state of each rank, and the current view of it: to find out why nothing was seen.
fn state(job: &Job) -> String {
    let of_rank = |(place, rank): (usize, &Rank)| {
        let of_system = |name: &str| std::fs::read_to_string(format!("/proc/{}/{name}", rank.pid)).unwrap_or_default();
        let status = of_system("status");
        let state = status.lines().find(|line| line.starts_with("State:")).unwrap_or("gone");
        let (output, code) = job.debug(place, 300).unwrap_or_default();
        let (with_requests, blocking) = counts(&output);
        let seen = with_requests + blocking;
        let last = output.rsplit("round ").next().unwrap_or("");
        format!("rank {place}: {state}, in {}, {code}, {seen} operations, at last: {last}", of_system("wchan"))
    };
    let printed = std::fs::read_to_string(job.dir.join("output")).unwrap_or_default();
    let ranks: Vec<String> = job.ranks.iter().enumerate().map(of_rank).collect();
    format!("{}\nthe job has printed: {printed}", ranks.join("\n"))
}

#[test]
fn a_program_that_goes_on_is_shown_as_it_was() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let job = Job::start(mpi, "busy", Some("busy"), &[])?;
        let mut found = 0;
        // On a busy machine the ranks may not have got their turn meanwhile.
        let until = Instant::now() + Duration::from_secs(20);
        while found <= 100 && Instant::now() < until {
            for (rank, Rank { expected, .. }) in job.ranks.iter().enumerate() {
                let (output, code) = job.debug(rank, 300)?;
                ensure!(code == 0, "rank {rank}: {code} {output}");
                found += check_busy(rank, expected.first().context("nothing is expected")?, &output)?;
                let operations = |rounds: &str| rounds.lines().filter(|l| l.contains(" status ")).count();
                let most = output.split("round ").map(operations).max();
                ensure!(most <= Some(40), "rank {rank} shows what is over: {most:?}");
            }
        }
        ensure!(found > 100, "only {found} operations were seen; now\n{}", state(&job));
        Ok(())
    })
}

#[test]
fn a_process_that_dies_meanwhile_is_an_error() -> Result<()> {
    mpi::under_each(&mpi::required(), |mpi| {
        let job = Job::start(mpi, "dies", Some("busy"), &[])?;
        let file = job.dir.join("debugger");
        let mut debugger = job.debugger(1, u32::MAX / 4)?.stdout(std::fs::File::create(&file)?).spawn()?;
        let start = Instant::now();
        while !std::fs::read_to_string(&file)?.contains("round 2") && start.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(1));
        }
        kill(Pid::from_raw(job.ranks.get(1).context("no rank 1")?.pid), Signal::SIGKILL)?;
        while debugger.try_wait()?.is_none() && start.elapsed() < LIMIT {
            std::thread::sleep(Duration::from_millis(1));
        }
        _ = debugger.kill();
        let code = debugger.wait()?.code();
        let output = std::fs::read(&file)?;
        let end =
            String::from_utf8_lossy(output.get(output.len().saturating_sub(300)..).unwrap_or(&output)).into_owned();
        ensure!(code == Some(3) && end.contains("the memory of the process cannot be read"), "{code:?} {end}");
        ensure!(end.trim_end().ends_with("allocated 0"), "it leaks: {end}");
        Ok(())
    })
}

/// Operations with requests, and all others, that are shown of a rank.
fn counts(output: &str) -> (usize, usize) {
    let operations: Vec<&str> = output.lines().filter(|line| line.contains(" status ")).collect();
    let blocking = operations.iter().filter(|line| line.contains("which has not returned")).count();
    (operations.len() - blocking, blocking)
}

#[test]
fn what_is_kept_follows_the_options() -> Result<()> {
    let cases: [(&str, &[(&str, &str)], _); 3] = [
        ("off", &[("MPIVET_QUEUES", "off")], Err("MPIVET_QUEUES is off")),
        ("blocking", &[("MPIVET_CHECKS", "-*")], Ok((0, 1))),
        ("all", &[("MPIVET_CHECKS", "-*"), ("MPIVET_QUEUES", "on")], Ok((12, 1))),
    ];
    mpi::under_each(&mpi::required(), |mpi| {
        for (name, environment, expected) in &cases {
            let job = Job::start(mpi, name, None, environment)?;
            let start = Instant::now();
            loop {
                let (output, code) = job.debug(0, 1)?;
                let is_right = match expected {
                    Ok(expected) => code == 0 && counts(&output) == *expected,
                    Err(message) => code == 2 && output.contains(message),
                };
                if is_right {
                    ensure!(output.contains("message only the blocking") == (*name == "blocking"), "{name}: {output}");
                    break;
                }
                ensure!(start.elapsed() < Duration::from_secs(20), "{name}: {code} {output}");
                std::thread::sleep(Duration::from_millis(50));
            }
        }
        Ok(())
    })
}

#[test]
fn a_process_without_mpi_has_no_queues() -> Result<()> {
    let library = vet::mpivet()?.with_file_name("libmpivet.so");
    let scratch = mpivet_tests::scratch();
    for mpi in mpi::required().iter().take(1) {
        let debugger = compile(mpi, &mpivet_tests::root().join("tests/debugger/debugger.c"), &scratch)?;
        let run = |preload: Option<&Path>| -> Result<(Option<i32>, String, String)> {
            let mut command = Command::new("sleep");
            command.arg("60").envs(preload.map(|path| ("LD_PRELOAD", path)));
            let mut sleeper = command.spawn()?;
            std::thread::sleep(Duration::from_millis(300));
            let output = Command::new(&debugger).arg(sleeper.id().to_string()).output();
            sleeper.kill()?;
            sleeper.wait()?;
            let output = output?;
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Ok((output.status.code(), text(output.stdout), text(output.stderr)))
        };
        let (code, output, _) = run(Some(&library))?;
        ensure!(code == Some(2) && output.contains("message the process has not called MPI_Init"), "{code:?} {output}");
        let (code, _, errors) = run(None)?;
        ensure!(code == Some(1) && errors.contains("no MPIR_dll_name"), "{code:?} {errors}");
    }
    Ok(())
}
