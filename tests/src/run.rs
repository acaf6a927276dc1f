//! Runs a command with a time limit, and leaves no process behind.
//!
//! MPI launchers put their ranks into process groups of their own. Every process of a run therefore carries a mark in its
//! environment; what is left of a run that is over is found by that mark, and ended by its process id.

use anyhow::{Context as _, Result};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::io::{Read as _, Seek as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const MARK: &str = "MPIVET_TEST_RUN";
/// Time that processes started by a command may live on after it.
const GRACE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(10);

/// The result of a command.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code; 128 and more for a signal, as the shell counts. `None` when the time was over.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Processes that outlived the command.
    pub leftovers: Vec<String>,
    pub elapsed: Duration,
}

/// Runs `command` for at most `limit`.
pub fn run(mut command: Command, limit: Duration) -> Result<Outcome> {
    let mark = new_mark();
    let (mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?);
    command.env(MARK, &mark).process_group(0).stdin(Stdio::null());
    command.stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);

    let start = Instant::now();
    let mut child = command.spawn().with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let group = Pid::from_raw(i32::try_from(child.id())?);
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if start.elapsed() > limit => break None,
            None => std::thread::sleep(PAUSE),
        }
    };
    let elapsed = start.elapsed();
    if status.is_none() {
        _ = killpg(group, Signal::SIGKILL);
        child.wait()?;
    }
    let leftovers = clean_up(&mark, if status.is_some() { GRACE } else { Duration::ZERO });
    Ok(Outcome {
        code: status.map(exit_code),
        stdout: contents(&mut stdout)?,
        stderr: contents(&mut stderr)?,
        leftovers: if status.is_some() { leftovers } else { Vec::new() },
        elapsed,
    })
}

/// A command that goes on until this is dropped, and then is ended with all it has started.
#[derive(Debug)]
pub struct Background {
    child: std::process::Child,
    mark: String,
}

impl Background {
    pub fn start(mut command: Command) -> Result<Background> {
        let mark = new_mark();
        command.env(MARK, &mark).process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().with_context(|| format!("cannot run {}", command.get_program().display()))?;
        Ok(Background { child, mark })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
        clean_up(&self.mark, Duration::ZERO);
    }
}

fn new_mark() -> String {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed))
}

fn exit_code(status: std::process::ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

fn contents(file: &mut std::fs::File) -> Result<String> {
    let mut bytes = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Ends the processes that carry `mark` and have not ended by themselves in time. Returns their command lines.
fn clean_up(mark: &str, grace: Duration) -> Vec<String> {
    let start = Instant::now();
    while start.elapsed() < grace && !marked(mark).is_empty() {
        std::thread::sleep(PAUSE);
    }
    let mut ended = Vec::new();
    loop {
        // Again, since a process may have started another one in the meantime.
        let alive = marked(mark);
        if alive.is_empty() {
            return ended;
        }
        for pid in alive {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if kill(Pid::from_raw(pid), Signal::SIGKILL).is_ok() && !ended.contains(&line) {
                ended.push(line);
            }
        }
        std::thread::sleep(PAUSE);
    }
}

/// The living processes that carry `mark`.
fn marked(mark: &str) -> Vec<i32> {
    let wanted = format!("{MARK}={mark}").into_bytes();
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            // Empty for a process that has ended and is not yet waited for.
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == wanted)
        })
        .collect()
}
