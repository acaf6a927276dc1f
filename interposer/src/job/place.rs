//! The program, and the directory of its traces.

use crate::job::config::Config;
use crate::job::{self, each, launch};
use recorder::environment;
use std::path::{Path, PathBuf};
use trace_format::run::{discovery, nonce, proc};

/// `MPIVET_DIR`, or a name that all ranks of the job work out alike.
pub(crate) fn directory(config: &Config, program: &str, spawned: bool) -> PathBuf {
    if let (Some(root), Some(dir)) = (&config.each, &config.dir) {
        return each::directory(dir, root, spawned).unwrap_or_else(|| dir.clone());
    }
    let id = batch_job(|name| environment::var(name).ok()).unwrap_or_else(|| launch::launcher_pid().to_string());
    let existing = spawned.then(|| directory_of_spawners(config, &id)).flatten();
    existing.unwrap_or_else(|| {
        let name = program.rsplit('/').next().unwrap_or("program");
        let name = config.dir.clone().unwrap_or_else(|| format!("mpivet-{name}-{id}").into());
        Path::new(&cwd()).join(name)
    })
}

/// The name of the batch job, as it may stand in a file name: PBS calls the task of an array `12[3].server`, and names in Flux
/// begin with a letter of their own.
fn batch_job(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    // Flux may run inside of a job of another one, which has its variable, too.
    let job =
        ["FLUX_JOB_ID", "SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"].iter().find_map(|name| variable(name))?;
    Some(job.chars().map(each::plain).collect())
}

/// Spawned ranks may have another working directory and another program than those who spawned them, whose trace
/// directory exists already.
fn directory_of_spawners(config: &Config, id: &str) -> Option<PathBuf> {
    let end = format!("-{id}");
    launch::working_directories().into_iter().find_map(|base| match &config.dir {
        Some(dir) => Some(base.join(dir)).filter(|d| d.is_dir()),
        None => {
            let is_ours = |name: &str| name.starts_with("mpivet-") && name.ends_with(&end);
            let mut entries = std::fs::read_dir(&base).ok()?.flatten();
            entries.find(|e| e.file_name().to_str().is_some_and(is_ours)).map(|e| e.path()).filter(|d| d.is_dir())
        }
    })
}

/// The directory that all jobs of a command have in common, where it is not that of the job.
fn common<'a>(config: &'a Config, dir: &'a Path) -> &'a Path {
    if config.each.is_some() { config.dir.as_deref().unwrap_or(dir) } else { dir }
}

/// Is the directory of the traces the one that `mpivet run` reads? Without that, there is no other.
pub(crate) fn is_shared(config: &Config, dir: &Path) -> bool {
    config.nonce.as_ref().is_none_or(|nonce| nonce::is_in(common(config, dir), nonce))
}

/// Says once on each node that it is not.
pub(crate) fn tell_that_it_is_not_shared(config: &Config, dir: &Path) {
    if !discovery::is_first(dir, NOT_SHARED) {
        return;
    }
    let there = job::config::follower().as_ref().map_or("another host", |root| &root.host);
    recorder::log::line(&format!(
        "{} on {} is not the directory of that name on {there}, where mpivet reads the traces: what happens here will be \
         missing in the report. Choose a directory that all nodes share (mpivet run --dir DIR), or let nodes connect to {there} \
         (mpivet run --port PORT)",
        common(config, dir).display(),
        proc::host()
    ));
}

/// No discovery has this number.
const NOT_SHARED: u64 = 0;

/// The path of the program.
pub(crate) fn program() -> String {
    std::fs::read_link("/proc/self/exe").map(|p| p.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The working directory.
pub(crate) fn cwd() -> String {
    std::env::current_dir().map(|p| p.to_string_lossy().into_owned()).unwrap_or_else(|_| ".".to_owned())
}

/// The words behind the name of the program.
pub(crate) fn arguments() -> Vec<String> {
    let words = std::fs::read("/proc/self/cmdline").unwrap_or_default();
    let words: Vec<String> =
        words.split(|b| *b == 0).skip(1).map(|a| String::from_utf8_lossy(a).into_owned()).collect();
    // Behind the last one there is a zero, too.
    words.split_last().map(|(_, all)| all.to_vec()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batch_jobs_have_names_of_files() {
        let of = |name: &str, value: &str| batch_job(|asked| (asked == name).then(|| value.to_owned()));
        assert_eq!(of("SLURM_JOB_ID", "4711").as_deref(), Some("4711"));
        assert_eq!(of("PBS_JOBID", "12[3].server").as_deref(), Some("12-3-.server"));
        assert_eq!(of("FLUX_JOB_ID", "ƒ2Ab").as_deref(), Some("-2Ab"));
        assert_eq!(of("HOME", "/"), None);
    }
}
