//! Looks at each process by a process of its own, into which the DLL of the MPI library is loaded: if the DLL crashes,
//! that process alone ends, and a message says so.

use debugger::read::Options;
use debugger::snapshot::Snapshot;
use serde::{Deserialize, Serialize};
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A DLL that takes longer goes round in circles.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);
/// Number of processes that are asked at a time.
const AT_ONCE: usize = 8;

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Seen(Box<Snapshot>),
    Failed(String),
}

/// The state of each process.
pub(super) fn all(pids: &[i32], options: Options) -> Vec<(i32, Answer)> {
    pids.chunks(AT_ONCE).flat_map(|some| together(some, options)).collect()
}

fn together(pids: &[i32], options: Options) -> Vec<(i32, Answer)> {
    std::thread::scope(|scope| {
        let looks: Vec<_> = pids.iter().map(|pid| (*pid, scope.spawn(|| one(*pid, options)))).collect();
        let failed = |_| Answer::Failed("mpivet failed".into());
        looks.into_iter().map(|(pid, look)| (pid, look.join().unwrap_or_else(failed))).collect()
    })
}

fn one(pid: i32, options: Options) -> Answer {
    let mut command = Command::new("/proc/self/exe");
    command.arg("queues-of").arg(pid.to_string());
    command.args(options.stop.then_some("--stop")).args((!options.stacks).then_some("--no-stacks"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // It is no MPI process itself.
    command.env_remove("LD_PRELOAD");
    match command.spawn() {
        Ok(child) => answer(child),
        Err(e) => Answer::Failed(format!("cannot start a process: {e}")),
    }
}

fn answer(mut child: Child) -> Answer {
    let Some(mut output) = child.stdout.take() else { return Answer::Failed("no output".into()) };
    let text = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = output.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let until = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < until => std::thread::sleep(PAUSE),
            _ => {
                _ = child.kill();
                _ = child.wait();
                return Answer::Failed("the debugger DLL did not come to an end, and was stopped".into());
            }
        }
    };
    let text = text.join().unwrap_or_default();
    answer_in(&text).unwrap_or_else(|| Answer::Failed(format!("the debugger DLL has crashed ({status})")))
}

/// The answer in the output of such a process.
pub(super) fn answer_in(text: &str) -> Option<Answer> {
    let last = text.lines().rev().find(|line| !line.is_empty())?;
    serde_json::from_str(last).ok()
}
