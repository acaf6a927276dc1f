//! Asks Slurm about the job that the processes of a trace belong to, and has it end one.

use super::stop::wait;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use trace_format::run::job::SlurmJob;

/// Slurm's commands wait long for a controller that does not answer.
const PATIENCE: Duration = Duration::from_secs(5);

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
    let of_slurm =
        std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("SLURM_"));
    of_slurm.for_each(|name| _ = srun.env_remove(name));
    srun.env_remove("LD_PRELOAD").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
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
