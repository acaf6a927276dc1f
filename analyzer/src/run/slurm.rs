//! Asks Slurm about the job that the processes of a trace belong to, and has it end one.

use super::stop::wait;
use analyzer::interruption::{self, Interruption};
use nix::sys::signal::Signal;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use trace_format::run::job::SlurmJob;

/// Slurm's commands wait long for a controller that does not answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// While Slurm cleans up it does not say why a job has ended.
const CLEANS_UP: Duration = Duration::from_secs(3);
/// Many may ask it.
const ASK_EVERY: Duration = Duration::from_millis(500);

/// Does the job, or its step, still run? `None`: Slurm does not tell, or it is another cluster's.
pub(super) fn runs(job: &SlurmJob) -> Option<bool> {
    if !is_ours(job) {
        return None;
    }
    let (known, said) = ask("squeue", &["-h", "-j", &job.job, "-o", "%T"])?;
    match (known, &job.step) {
        (false, _) => said.contains("Invalid job id").then_some(false),
        (true, _) if said.trim().is_empty() => Some(false),
        (true, None) => Some(true),
        (true, Some(step)) => {
            let (known, said) = ask("squeue", &["-h", &format!("--steps={}.{step}", job.job), "-o", "%i"])?;
            known.then(|| !said.trim().is_empty())
        }
    }
}

/// Has Slurm end the step; false if it is none, or Slurm does not do it.
pub(super) fn cancel(job: &SlurmJob) -> bool {
    let Some(step) = job.step.as_ref().filter(|_| is_ours(job)) else { return false };
    ask("scancel", &[&format!("{}.{step}", job.job)]).is_some_and(|(done, _)| done)
}

/// Has Slurm start a program on a host of the job, in a step of its own beside the others; with these variables. It ends with
/// what it says to nobody.
pub(super) fn start_beside(
    job: &SlurmJob,
    host: &str,
    command: &[&OsStr],
    environment: &[(OsString, OsString)],
) -> Option<Child> {
    if !is_ours(job) {
        return None;
    }
    let node = host.split('.').next().unwrap_or(host);
    let mut srun = Command::new("srun");
    srun.args(["--overlap", "--quiet", "--nodes=1", "--ntasks=1", "--mpi=none", "--export=ALL"]);
    srun.args([format!("--jobid={}", job.job), format!("--nodelist={node}")]).args(command);
    srun.envs(environment.iter().map(|(name, value)| (name, value)));
    // The step has its own.
    let of_slurm = std::env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| name.to_string_lossy().starts_with("SLURM_") && *name != *"SLURM_CONF");
    of_slurm.for_each(|name| _ = srun.env_remove(name));
    srun.env_remove("LD_PRELOAD").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
}

/// Says why Slurm has ended the job, if it has, and that it was interrupted: to the user, and to those who analyze the traces in
/// `dir`. Its launcher ended with this code.
pub(super) fn tell_end(job: &SlurmJob, code: u8, is_step_cancelled: bool, dir: &Path) -> bool {
    if code == 0 || !is_ours(job) {
        return false;
    }
    let until = Instant::now() + CLEANS_UP;
    let mut told = state(job);
    while told.as_ref().is_some_and(|(state, _)| state == "COMPLETING") && Instant::now() < until {
        std::thread::sleep(ASK_EVERY);
        told = state(job);
    }
    let of_job = told.and_then(|(state, seconds)| Some((reason(&state)?, seconds)));
    let (why, after) = match (of_job, &job.step) {
        (Some((why, seconds)), _) => (format!("job {}: {why}", job.job), seconds),
        // The job may go on: its state does not tell.
        (None, Some(step)) if is_step_cancelled => (format!("step {}.{step}: it was cancelled", job.job), None),
        (None, _) => return false,
    };
    eprintln!("mpivet: Slurm has ended {why}");
    // The second before: fractions are not told.
    let after_unix_ns = after.map_or(0, |seconds| seconds.saturating_sub(1) * 1_000_000_000);
    interruption::tell(dir, Interruption { signal: Signal::SIGTERM as i32, after_unix_ns }).is_ok()
}

/// Its state, and the time of its end in seconds since 1970.
fn state(job: &SlurmJob) -> Option<(String, Option<u64>)> {
    let words = ["-h", "-t", "all", "-j", &job.job, "-o", "%T %e"];
    let (_, said) = ask("squeue", &words).filter(|(known, _)| *known)?;
    let mut words = said.split_whitespace();
    let state = words.next()?.to_owned();
    Some((state, words.next().and_then(|seconds| seconds.parse().ok())))
}

/// Why Slurm ends a job whose processes may have done nothing wrong, by the state of the job.
fn reason(state: &str) -> Option<&'static str> {
    Some(match state {
        "CANCELLED" | "REVOKED" => "it was cancelled",
        "TIMEOUT" => "its time limit was reached",
        "DEADLINE" => "its deadline was reached",
        "NODE_FAIL" | "BOOT_FAIL" => "a node failed",
        "PREEMPTED" => "it was preempted",
        _ => return None,
    })
}

/// Another cluster has jobs with the same numbers.
fn is_ours(job: &SlurmJob) -> bool {
    if [&job.job].into_iter().chain(&job.step).any(|number| !number.bytes().all(|b| b.is_ascii_digit())) {
        return false;
    }
    let cluster = |text: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("ClusterName"))?;
        Some(line.split_once('=')?.1.trim().to_owned())
    };
    let here = || ask("scontrol", &["show", "config"]).and_then(|(_, said)| cluster(&said));
    job.cluster.is_some() && here() == job.cluster
}

/// The success of a command, and its words. `None`: there is no such command, or it takes too long.
fn ask(name: &str, arguments: &[&str]) -> Option<(bool, String)> {
    let mut command = Command::new(name);
    // Times in seconds since 1970.
    command.env("SLURM_TIME_FORMAT", "%s");
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let (out, err) = (child.stdout.take()?, child.stderr.take()?);
    let all = |mut from: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut text = String::new();
            _ = from.read_to_string(&mut text);
            text
        })
    };
    let (out, err) = (all(Box::new(out)), all(Box::new(err)));
    let mut status = None;
    if !wait(PATIENCE, || {
        status = child.try_wait().ok().flatten();
        status.is_some()
    }) {
        _ = child.kill();
        _ = child.wait();
        return None;
    }
    let text = out.join().unwrap_or_default() + &err.join().unwrap_or_default();
    Some((status?.success(), text))
}
