//! One command starts several jobs (`mpivet run --each`), all with the same environment: which directory is that of this
//! job? All its ranks must find the same one, without a message, and ranks of other jobs another one.

use crate::job::launch;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use trace_format::run::jobs::{Root, Started, claim, jobs_in};
use trace_format::run::proc;

/// The directory of this job in `base`, which is there afterwards. `None`: it cannot be made.
pub(crate) fn directory(base: &Path, root: &Root, spawned: bool) -> Option<PathBuf> {
    let ancestors = launch::lineage(root);
    if spawned && let Some(dir) = of_spawners(base, &ancestors) {
        return Some(dir);
    }
    let me = std::process::id();
    let (starter, name) = match ancestors.as_deref() {
        Some(ancestors) => match launch::first_launcher(ancestors) {
            // All nodes of a job call it the same.
            Some(launcher) => (Some(launcher.0), launch::name_of_job()),
            None => (Some(me), None),
        },
        None => (None, launch::name_of_job()),
    };
    let started = started(starter);
    let name: String = name.unwrap_or_else(|| own_name(&started, me)).chars().map(plain).collect();
    // Names of jobs come again one day.
    (0..).map(|n| if n == 0 { format!("job-{name}") } else { format!("job-{name}.{n}") }).find_map(|name| {
        let dir = base.join(name);
        match claim(&dir, &started) {
            Ok(first) if !first.may_be(&started) => None,
            Ok(_) => Some(Some(dir)),
            Err(_) => Some(None),
        }
    })?
}

/// The name of a job that its launcher has given none: the same for all ranks below this launcher.
fn own_name(started: &Started, me: u32) -> String {
    let pid = if started.pid == 0 { me } else { started.pid };
    format!("{}-{pid}-{}", started.host, started.pid_start)
}

pub(crate) fn plain(letter: char) -> char {
    if letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-') { letter } else { '-' }
}

/// Spawned ranks belong to the job that spawned them: its launcher is above them, or a rank itself.
fn of_spawners(base: &Path, ancestors: &Option<Vec<(u32, String)>>) -> Option<PathBuf> {
    let above = ancestors.as_ref()?;
    let here = proc::host();
    let is_above = |job: &Started| {
        job.host == here && above.iter().any(|(pid, _)| *pid == job.pid && proc::lives(*pid, job.pid_start))
    };
    let jobs = jobs_in(base).ok()?;
    jobs.into_iter().rev().find(|(_, job)| is_above(job)).map(|(name, _)| base.join(name))
}

fn started(starter: Option<u32>) -> Started {
    Started {
        host: proc::host(),
        pid: starter.unwrap_or(0),
        pid_start: starter.and_then(proc::start).unwrap_or(0),
        command: starter.map(proc::command_line).unwrap_or_default(),
        // pytest: `tests/test_halo.py::test_exchange (call)`
        test: std::env::var("PYTEST_CURRENT_TEST").ok().map(|t| t.trim_end_matches(" (call)").to_owned()),
        unix_ns: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos() as u64),
        stopped: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_below_one_launcher_are_one_job() {
        let below = |pid| Started { host: "node".into(), pid, pid_start: 7, ..Started::default() };
        assert_eq!(own_name(&below(100), 120), own_name(&below(100), 121));
        assert_ne!(own_name(&below(100), 120), own_name(&below(101), 120));
        // Nobody knows of a launcher.
        assert_ne!(own_name(&below(0), 120), own_name(&below(0), 121));
    }
}
