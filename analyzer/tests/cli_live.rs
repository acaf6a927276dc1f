//! `mpivet run` on a job that is still going on. Instead of MPI ranks there are copies of this test that write a trace
//! and then behave: spin, sleep, stop, compute. No MPI is needed.

mod traces;

use analyzer::observe::{Ending, Observer};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use report::Colour;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use trace_format::file::{RankHeader, rank_path};
use trace_format::run::over::{Death, EndsSeen, Over};
use trace_format::settings::selection::Selection;
use trace_reader::reader::RankEvent;
use trace_reader::synthetic::RankWriter;
use trace_reader::text::parse;

/// The events of the ranks in the readable notation, and their behaviour behind them.
struct Job {
    trace: &'static str,
    behave: &'static str,
}

/// The end of a run: exit code, standard error, and how long it took.
struct Ran {
    code: i32,
    err: String,
    took: Duration,
}

impl Job {
    fn run(&self, options: &[&str]) -> Ran {
        let dir = tempfile::tempdir().unwrap();
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_mpivet"))
            .current_dir(dir.path())
            .args(["run", "-v"])
            .args(options)
            .args(["--", std::env::current_exe().unwrap().to_str().unwrap(), "--exact", "launcher", "--nocapture"])
            .env("FAKE_JOB", format!("{}|{}", self.trace, self.behave))
            .env("MPIVET_LIBRARY", "/lib/x86_64-linux-gnu/libm.so.6")
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        Ran { code: output.status.code().unwrap(), err, took: start.elapsed() }
    }
}

/// Not a test: the program that `mpivet run` starts.
#[test]
fn launcher() {
    let Ok(job) = std::env::var("FAKE_JOB") else { return };
    let (trace, behave) = job.split_once('|').unwrap();
    let ranks = parse(trace).unwrap().ranks;
    let rank = |rank: i32| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "rank", "--nocapture"]).env("FAKE_RANK", rank.to_string()).stdout(Stdio::null());
        command.spawn().unwrap()
    };
    let mut children: Vec<Child> = (0..ranks).map(rank).collect();
    if behave == "stop" {
        // Longer than any evidence takes.
        std::thread::sleep(Duration::from_millis(1500));
        for child in &children {
            kill(Pid::from_raw(child.id() as i32), Signal::SIGCONT).unwrap();
        }
    }
    children.iter_mut().for_each(|c| _ = c.wait().unwrap());
}

/// Not a test: the program that `launcher` starts.
#[test]
fn rank() {
    let Ok(rank) = std::env::var("FAKE_RANK") else { return };
    let rank: i32 = rank.parse().unwrap();
    let job = std::env::var("FAKE_JOB").unwrap();
    let (trace, behave) = job.split_once('|').unwrap();
    let dir = std::path::PathBuf::from(std::env::var("MPIVET_DIR").unwrap());
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let start = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().parse().unwrap();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
    let ranks = parse(trace).unwrap().ranks;
    // The thread of the test harness.
    let me = nix::unistd::gettid().as_raw() as u32;
    let tasks = fs::read_dir("/proc/self/task").unwrap().map(|t| t.unwrap().file_name().into_string().unwrap());
    let library_threads = tasks.map(|t| t.parse().unwrap()).filter(|t| *t != me).collect();
    let pid = std::process::id();
    let header = RankHeader { pid, pid_start: start, host, library_threads, ..traces::header(rank, ranks) };
    write(&dir, &header, trace);
    let spin = |time: Duration| {
        let until = Instant::now() + time;
        while Instant::now() < until {
            std::hint::spin_loop();
        }
    };
    let long = Duration::from_secs(20);
    match behave {
        "spin" => spin(long),
        "sleep" => std::thread::sleep(long),
        "sleep a second" => std::thread::sleep(Duration::from_millis(1500)),
        "stop" => kill(Pid::this(), Signal::SIGSTOP).unwrap(),
        "rank 1 computes" if rank == 1 => spin(Duration::from_millis(1500)),
        "rank 1 computes" => std::thread::sleep(Duration::from_millis(1500)),
        other => panic!("{other}"),
    }
    std::process::exit(0);
}

/// The trace of the rank that the header names.
fn write(dir: &Path, header: &RankHeader, trace: &str) {
    let mut writer = RankWriter::new(fs::File::create(rank_path(dir, header.rank)).unwrap(), header).unwrap();
    for (of, event) in parse(trace).unwrap().events {
        match event {
            _ if of != header.rank => {}
            RankEvent::Definition(d) => writer.define(&[d]).unwrap(),
            RankEvent::Call(call) => writer.call(&call).unwrap(),
            other => panic!("{other:?}"),
        }
    }
    writer.flush().unwrap();
}

const CROSSED_RECEIVES: &str = "0: MPI_Init() = ok\n1: MPI_Init() = ok\n0: MPI_Recv(source=1)\n1: MPI_Recv(source=0)\n";
const CROSSED_SENDS: &str =
    "0: MPI_Init() = ok\n1: MPI_Init() = ok\n0: MPI_Send(dest=1, count=100000)\n1: MPI_Send(dest=0, count=100000)\n";

#[track_caller]
fn expect_stopped(ran: &Ran) {
    assert_eq!(ran.code, 1, "{}", ran.err);
    assert!(ran.err.contains("error[MV601] real-deadlock"), "{}", ran.err);
    assert!(ran.err.contains("mpivet stopped the job"), "{}", ran.err);
    assert!(ran.took < Duration::from_secs(5), "{:?}", ran.took);
}

#[track_caller]
fn expect_left_alone(ran: &Ran) {
    assert!(!ran.err.contains("wait for ever") && !ran.err.contains("stopped the job"), "{}", ran.err);
    assert!(ran.took > Duration::from_millis(1400), "{:?}\n{}", ran.took, ran.err);
}

#[test]
fn crossed_receives_are_stopped_at_once() {
    for behave in ["spin", "sleep"] {
        expect_stopped(&Job { trace: CROSSED_RECEIVES, behave }.run(&[]));
    }
}

#[test]
fn crossed_sends_are_stopped_when_they_had_their_chance() {
    for behave in ["spin", "sleep"] {
        expect_stopped(&Job { trace: CROSSED_SENDS, behave }.run(&[]));
    }
}

#[test]
fn a_stopped_process_is_waited_for() {
    expect_left_alone(&Job { trace: CROSSED_SENDS, behave: "stop" }.run(&[]));
}

#[test]
fn a_rank_that_computes_is_waited_for() {
    let trace = "0: MPI_Init() = ok\n1: MPI_Init() = ok\n0: MPI_Recv(source=1)\n";
    expect_left_alone(&Job { trace, behave: "rank 1 computes" }.run(&[]));
}

#[test]
fn no_stop_only_tells() {
    let ran = Job { trace: CROSSED_RECEIVES, behave: "sleep a second" }.run(&["--no-stop"]);
    assert!(ran.err.contains("ranks 0,1 wait for ever; the job goes on"), "{}", ran.err);
    assert!(!ran.err.contains("stopped the job"), "{}", ran.err);
    assert!(ran.took > Duration::from_millis(1400));
}

/// The output of `mpivet analyze` on a job that is still running.
fn analyze_running(trace: &str, behave: &str) -> (i32, String) {
    let dir = tempfile::tempdir().unwrap();
    let mut job = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "launcher", "--nocapture"])
        .env("FAKE_JOB", format!("{trace}|{behave}"))
        .env("MPIVET_DIR", dir.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let output = Command::new(env!("CARGO_BIN_EXE_mpivet")).arg("analyze").arg(dir.path()).output().unwrap();
    job.wait().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("the job is still running"));
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn a_running_job_is_not_taken_for_a_dead_one() {
    let trace = "0: MPI_Init() = ok\n1: MPI_Init() = ok\n0: MPI_Recv(source=1)\n";
    let (code, report) = analyze_running(trace, "rank 1 computes");
    assert_eq!(code, 0, "{report}");
    assert!(report.contains("rank 0: still running in MPI_Recv\n  rank 1: still running\n"), "{report}");
    assert!(report.contains("no errors found"), "{report}");
}

#[test]
fn a_running_job_that_is_stuck_is_known_to_be() {
    let (code, report) = analyze_running(CROSSED_RECEIVES, "sleep a second");
    assert_eq!(code, 1, "{report}");
    assert!(report.contains("ranks 0,1: still running in MPI_Recv"), "{report}");
    assert!(report.contains("error[MV601] real-deadlock") && !report.contains("stopped the job"), "{report}");
}

/// Reads what rank 0 has recorded. The trace of rank 1 comes when it is asked whether that of rank 0 is `gone`.
fn read_while_another_comes(dir: &Path, ranks: i32, trace: &str, gone: impl Fn(i32) -> bool) -> Observer {
    let put = |rank: i32| write(dir, &traces::header(rank, ranks), trace);
    put(0);
    let mut observer = Observer::open(dir, Selection::default()).unwrap();
    observer.read_rest(|header| {
        if header.rank == 0 {
            put(1);
        }
        gone(header.rank)
    });
    observer
}

#[test]
fn a_rank_whose_trace_comes_while_others_are_read_goes_on() {
    let trace =
        "0: MPI_Init() = ok\n1: MPI_Init() = ok\n1: MPI_Recv(source=2)\n2: MPI_Init() = ok\n2: MPI_Recv(source=0)\n";
    let dir = tempfile::tempdir().unwrap();
    let mut observer = read_while_another_comes(dir.path(), 3, trace, |_| false);
    write(dir.path(), &traces::header(2, 3), trace);
    observer.poll();
    let text = observer.report(Ending::Any).unwrap().to_text(Colour::Plain);
    assert!(text.contains("no errors found") && text.contains("ranks 1,2: still running in MPI_Recv\n"), "{text}");
}

#[test]
fn a_process_that_is_gone_is_so_although_its_trace_came_late() {
    let dir = tempfile::tempdir().unwrap();
    let trace = "0: MPI_Init() = ok\n1: MPI_Init() = ok\n";
    let observer = read_while_another_comes(dir.path(), 2, trace, |rank| rank == 1);
    let text = observer.report(Ending::Any).unwrap().to_text(Colour::Plain);
    assert!(text.contains("rank 0: still running\n") && text.contains("rank 1 was ended from outside"), "{text}");
}

/// A launcher names the process that it ends the others for, and nobody sees the ends of these.
#[test]
fn the_process_that_the_launcher_has_told_of_ended_first() {
    let trace = "0: MPI_Init() = ok\n0: MPI_Barrier()\n1: MPI_Init() = ok\n";
    let dir = tempfile::tempdir().unwrap();
    (0..2).for_each(|rank| write(dir.path(), &traces::header(rank, 2), trace));
    let death = |is_told| Death { rank: 1, host: "node3".into(), status: Some(9), is_told, ..Death::default() };
    let text = |is_told| {
        let seen = EndsSeen { deaths: vec![death(is_told)], ..EndsSeen::default() };
        Over { seen, ..Over::default() }.write(dir.path()).unwrap();
        let observer = Observer::read(dir.path(), Selection::default(), |_| true).unwrap();
        observer.report(Ending::Any).unwrap().to_text(Colour::Plain)
    };
    let words = "rank 1 on node3 ended first, as the launcher says: it was killed by SIGKILL";
    assert!(text(true).contains(words), "{}", text(true));
    assert!(!text(false).contains("ended first"), "{}", text(false));
}
