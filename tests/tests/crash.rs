//! Records that a process has committed to its trace survive its death at any moment: random kills and random
//! signals, compared with a counter that the program keeps in a file of its own.
//!
//! `MPIVET_TEST_FULL=1`: 1000 kills and 500 signals; `MPIVET_TEST_KILLS=N` and `MPIVET_TEST_SIGNALS=N` say how many
//! there are under all MPIs together, `MPIVET_TEST_SEED=N` when they come. Half of the usual ones with
//! `MPIVET_TEST_TURN=N`.

use anyhow::{Context as _, Result, bail, ensure};
use mpivet_tests::mpi::{self, Mpi};
use mpivet_tests::{compile::compile, report::Report, root, run, scratch, share::Turn, side_by_side, vet};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use trace_format::head::OpenError;
use trace_format::mpi::FnId;
use trace_format::system::SystemEvent;
use trace_reader::reader::{RankEvent, RankReader};

const LIMIT: Duration = Duration::from_secs(60);
/// Processes side by side.
const AT_ONCE: usize = 3;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|value| value.parse().ok())
}

/// Number of deaths, and the seed of the first.
fn plan(name: &str, full: u64, sample: u64) -> Result<(u64, u64)> {
    let is_full = number("MPIVET_TEST_FULL") == Some(1);
    let sample = if Turn::now() == Turn::All { sample } else { sample / 2 };
    let deaths = number(name).unwrap_or(if is_full { full } else { sample });
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis() as u64;
    let seed = number("MPIVET_TEST_SEED").unwrap_or(now);
    println!("MPIVET_TEST_SEED={seed}");
    Ok((deaths, seed))
}

/// Pseudo-random numbers.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

/// Jobs that a shell starts in the background ignore Ctrl-C, and so does what they start.
fn obey_ctrl_c() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    // SAFETY: no handler is called, the default is set.
    ONCE.call_once(|| unsafe { _ = nix::sys::signal::signal(Signal::SIGINT, nix::sys::signal::SigHandler::SigDfl) });
}

/// The calls that `tests/programs/fire/killed.c` makes again and again.
const ROUND: [FnId; 8] = [
    FnId::MPI_Comm_rank,
    FnId::MPI_Irecv,
    FnId::MPI_Isend,
    FnId::MPI_Waitall,
    FnId::MPI_Type_contiguous,
    FnId::MPI_Type_commit,
    FnId::MPI_Type_free,
    FnId::MPI_Barrier,
];
/// The calls that it makes before.
const START: [FnId; 3] = [FnId::MPI_Init, FnId::MPI_Comm_rank, FnId::MPI_Comm_size];

/// Calls begun and calls returned, as the program counted them; nothing of one that did not come so far.
fn counts(counter: &Path, rank: usize) -> (u64, u64) {
    let file = format!("{}.{rank}", counter.display());
    let bytes = std::fs::read(file).unwrap_or_default();
    let word = |at: usize| bytes.get(at..at + 8).and_then(|b| b.first_chunk()).map_or(0, |b| u64::from_le_bytes(*b));
    (word(0), word(8))
}

/// The record of a rank in its trace: the calls behind the start, those of them that returned, and its signals.
#[derive(Debug, Default)]
struct Recorded {
    calls: u64,
    returned: u64,
    signals: Vec<i32>,
}

/// Reads a trace, which must hold the calls of the program in their order and no damage.
fn recorded(dir: &Path, rank: i32) -> Result<Recorded> {
    let mut reader = match RankReader::open(dir, rank) {
        // It died before there was a trace.
        Err(OpenError::Io { .. } | OpenError::BadHeader { .. }) => return Ok(Recorded::default()),
        opened => opened?,
    };
    reader.writer_is_gone();
    let (mut at, mut returned, mut out_of_order) = (0, 0, None);
    let mut found = Recorded::default();
    let mut take = |event| match event {
        RankEvent::Call(call) => {
            let expected = match START.get(at as usize) {
                Some(start) => *start,
                None => ROUND[(at - START.len() as u64) as usize % ROUND.len()],
            };
            if call.func != expected {
                out_of_order.get_or_insert((at, call.func.name(), expected.name()));
            }
            at += 1;
            returned += u64::from(call.succeeded());
        }
        RankEvent::Return { .. } => returned += 1,
        RankEvent::System { event: SystemEvent::Signal(s), .. } => found.signals.push(s.signal),
        _ => {}
    };
    while reader.poll(64, &mut take)? {}
    ensure!(reader.defects.is_empty(), "defects: {:?}", reader.defects);
    if let Some((at, found, expected)) = out_of_order {
        bail!("call {at} is {found}, not {expected}");
    }
    let start = START.len() as u64;
    (found.calls, found.returned) = (at.saturating_sub(start), returned.saturating_sub(start));
    Ok(found)
}

/// All calls that were counted are there, and at most one more: a call is counted as begun before it is made, and as
/// returned after it has.
fn is_whole(counted: (u64, u64), found: &Recorded) -> bool {
    let (begun, ended) = counted;
    ended <= found.returned && found.returned <= begun && begun.saturating_sub(1) <= found.calls && found.calls <= begun
}

/// A job that counts its calls, and that is killed with all that belongs to it when this is dropped.
struct Job {
    child: Child,
    counter: PathBuf,
    trace: PathBuf,
    ranks: usize,
}

impl Job {
    fn start(mpi: &Mpi, program: &Path, place: &Path, ranks: usize) -> Result<Job> {
        _ = std::fs::remove_dir_all(place);
        std::fs::create_dir_all(place)?;
        let (counter, trace) = (place.join("counter"), place.join("trace"));
        let interposer = vet::mpivet()?.with_file_name("libmpivet.so");
        let argument = counter.display().to_string();
        let mut command = if ranks == 1 {
            let mut command = Command::new(program);
            command.arg(argument).env("LD_PRELOAD", interposer);
            command
        } else {
            let job = mpi.job(ranks, program, &[argument]);
            let (launcher, rest) = job.split_at(3);
            let mut command = Command::new(&launcher[0]);
            command.args(&launcher[1..]).arg("env").arg(format!("LD_PRELOAD={}", interposer.display())).args(rest);
            command
        };
        // Reading the library's variables takes most of the time of MPI_Init, and has nothing to do with this.
        command.env("MPIVET_DIR", &trace).env("MPIVET_VARIABLES", "off").process_group(0);
        Mpi::prepare(&mut command);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        Ok(Job { child, counter, trace, ranks })
    }

    /// Waits until all ranks have made calls.
    fn wait_for_calls(&mut self) -> Result<()> {
        let start = Instant::now();
        while (0..self.ranks).any(|rank| counts(&self.counter, rank).1 == 0) {
            ensure!(start.elapsed() < LIMIT, "the program did not start");
            ensure!(self.child.try_wait()?.is_none(), "the program ended by itself");
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// The process of a rank.
    fn pid(&self, rank: usize) -> Result<Pid> {
        if self.ranks == 1 {
            return Ok(Pid::from_raw(self.child.id() as i32));
        }
        let reader = RankReader::open(&self.trace, rank as i32)?;
        Ok(Pid::from_raw(reader.header.pid as i32))
    }

    /// Is it a process of this job, not another one with its number?
    fn is_ours(&self, pid: Pid) -> bool {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let ours = format!("MPIVET_DIR={}", self.trace.display());
        environment.split(|b| *b == 0).any(|entry| entry == ours.as_bytes())
    }

    /// Waits for the end of the process or of the launcher, and of what is left of a job.
    fn ended(&mut self) -> Result<std::process::ExitStatus> {
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            ensure!(start.elapsed() < LIMIT, "the job did not end");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        for rank in 0..self.ranks {
            if self.ranks > 1
                && let Ok(pid) = self.pid(rank)
                && self.is_ours(pid)
            {
                _ = kill(pid, Signal::SIGKILL);
            }
        }
        _ = kill(Pid::from_raw(-(self.child.id() as i32)), Signal::SIGKILL);
        _ = self.child.wait();
    }
}

/// The report of a dead job, and its text. The analyzer must find the trace whole.
fn analyzed(trace: &Path) -> Result<(Report, String)> {
    let file = trace.with_file_name("report.json");
    let mut command = Command::new(vet::mpivet()?);
    command.args(["analyze", "--format", "json", "--report"]).arg(&file).arg(trace);
    let outcome = run::run(command, LIMIT)?;
    let text = std::fs::read_to_string(&file).unwrap_or_default();
    for word in ["damaged", "missing", "are lost"] {
        ensure!(!outcome.stderr.contains(word) && !text.contains(word), "{}\n{text}", outcome.stderr);
    }
    let report = Report::parse(&text).with_context(|| vet::last_words(&outcome))?;
    Ok((report, text))
}

/// A death, with all that is needed to repeat it.
struct Death {
    mpi: Mpi,
    program: PathBuf,
    seed: u64,
    ranks: usize,
    signal: Signal,
}

fn deaths(name: &str, full: u64, sample: u64, signals: &[Signal]) -> Result<Vec<Death>> {
    obey_ctrl_c();
    let (number, seed) = plan(name, full, sample)?;
    let mpis = mpi::required();
    let source = root().join("tests/programs/fire/killed.c");
    let mut all = Vec::new();
    for (i, mpi) in (0..number).zip(mpis.iter().cycle()) {
        let program = compile(mpi, &source, &scratch())?;
        let turn = (i / mpis.len() as u64) as usize;
        // Launchers take their time.
        let ranks = if turn % 5 == 4 { 2 } else { 1 };
        all.push(Death { mpi: mpi.clone(), program, seed: seed + i, ranks, signal: signals[turn % signals.len()] });
    }
    Ok(all)
}

impl Death {
    fn place(&self) -> PathBuf {
        scratch().join(format!("death-{}-{}-{}", self.mpi.name, self.signal, self.seed))
    }

    /// Starts the job and waits for a random time; then a random rank gets the signal. That rank, and how the job ended.
    fn happen(&self) -> Result<(Job, usize, std::process::ExitStatus)> {
        let mut random = Random::new(self.seed);
        let mut job = Job::start(&self.mpi, &self.program, &self.place(), self.ranks)?;
        let rank = random.below(self.ranks as u64) as usize;
        // Some are killed before they have begun.
        if self.signal == Signal::SIGKILL && self.ranks == 1 && random.below(8) == 0 {
            std::thread::sleep(Duration::from_micros(random.below(400_000)));
        } else {
            job.wait_for_calls()?;
            let longest = if random.below(10) == 0 { 1_500_000 } else { 60_000 };
            std::thread::sleep(Duration::from_micros(random.below(longest)));
        }
        // By a process that is none of those above the job: signals of these are taken to be the launcher's.
        let line = format!("kill -{} {}", self.signal as i32, job.pid(rank)?);
        ensure!(Command::new("sh").args(["-c", &line]).status()?.success(), "it is gone already");
        let status = job.ended()?;
        Ok((job, rank, status))
    }

    fn check(&self, most: &Mutex<u64>) -> Result<()> {
        let (job, rank, status) = self.happen()?;
        // Launchers end the other ranks; what these still write must not be read half.
        let end = Instant::now() + Duration::from_secs(10);
        let lives = |r: usize| job.ranks > 1 && job.pid(r).is_ok_and(|pid| job.is_ours(pid));
        while (0..job.ranks).any(lives) && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(2));
        }
        for r in 0..job.ranks {
            let counted = counts(&job.counter, r);
            let found = recorded(&job.trace, r as i32)?;
            ensure!(is_whole(counted, &found), "rank {r}: counted {counted:?}, found {found:?}");
            let mut most = most.lock().unwrap_or_else(|e| e.into_inner());
            *most = most.max(found.calls);
            if r == rank && self.signal != Signal::SIGKILL {
                ensure!(found.signals.contains(&(self.signal as i32)), "rank {r}: {found:?}");
            }
        }
        if self.ranks == 1 {
            ensure!(status.signal() == Some(self.signal as i32), "{status}");
        }
        if counts(&job.counter, rank).1 > 0 {
            self.check_report(&job.trace, rank)?;
        }
        Ok(())
    }

    fn check_report(&self, trace: &Path, rank: usize) -> Result<()> {
        let (report, text) = analyzed(trace)?;
        if self.signal == Signal::SIGKILL {
            // A killed process does not look like a mistake of the program.
            ensure!(report.serious().all(|f| f.check == "abort"), "{text}");
            return Ok(());
        }
        let mut found = report.serious();
        let told = found.next().is_some_and(|f| {
            f.check == "abort" && f.ranks.contains(&(rank as i64)) && f.message.contains(self.signal.as_str())
        });
        ensure!(told && found.next().is_none(), "{} of rank {rank} is not told:\n{text}", self.signal);
        Ok(())
    }
}

fn run_all(all: &[Death]) -> Result<()> {
    let most = Mutex::new(0);
    let start = Instant::now();
    side_by_side(all, AT_ONCE, |death| {
        let told = || format!("{}, {} ranks, MPIVET_TEST_SEED={}", death.mpi.name, death.ranks, death.seed);
        death.check(&most).with_context(told)?;
        Ok(std::fs::remove_dir_all(death.place())?)
    })?;
    let most = *most.lock().unwrap_or_else(|e| e.into_inner());
    println!("{} deaths in {:?}, the longest run had {most} calls", all.len(), start.elapsed());
    // Some deaths must have come when the stage had been emptied many times.
    ensure!(all.len() < 20 || most > 10_000, "the longest run had {most} calls only");
    Ok(())
}

#[test]
fn a_killed_rank_loses_no_committed_event() -> Result<()> {
    run_all(&deaths("MPIVET_TEST_KILLS", 1000, 40, &[Signal::SIGKILL])?)
}

#[test]
fn a_rank_that_a_signal_ends_loses_nothing_and_the_report_names_the_signal() -> Result<()> {
    run_all(&deaths("MPIVET_TEST_SIGNALS", 500, 20, &[Signal::SIGTERM, Signal::SIGINT])?)
}
