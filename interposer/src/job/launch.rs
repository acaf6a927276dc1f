//! How this process was started: what tells its world apart, without asking anybody but the system.

use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use trace_format::file::Launch;
use trace_format::run::jobs::Root;
use trace_format::run::proc;

/// The marks that the ranks of one world have in common.
pub(crate) fn launch() -> Launch {
    let namespace = std::env::var("PMIX_NAMESPACE").unwrap_or_default();
    let (started, parent) = launched();
    let spawned = std::env::var("PMI_SPAWNED").is_ok_and(|v| v == "1");
    let first_sibling = if spawned && namespace.is_empty() { first_sibling(started, parent).unwrap_or(0) } else { 0 };
    Launch { namespace, parent, first_sibling, spawned }
}

/// Hydra's proxy starts the ranks of a world one after the other, in ascending order, and is the parent of all worlds of
/// its host: the world of this process begins where the ranks of the siblings before it stop to descend. All of them
/// live: they cannot leave MPI_Init before this process has called it.
fn first_sibling(own: u32, parent: u32) -> Option<u32> {
    let rank = |pid: u32| {
        let environment = proc::environment(pid);
        let value = |name: &str| Some(std::str::from_utf8(proc::variable(&environment, name)?).ok()?.to_owned());
        let rank: u32 = value("PMI_RANK")?.parse().ok()?;
        Some((rank, value("PMI_SIZE"), value("PMI_SPAWNED")))
    };
    let mut known = rank(own)?;
    let mut first = own;
    for sibling in children(parent).into_iter().rev().skip_while(|pid| *pid != own).skip(1) {
        match rank(sibling) {
            Some(other) if other.0 < known.0 && (&other.1, &other.2) == (&known.1, &known.2) => {
                known = other;
                first = sibling;
            }
            _ => break,
        }
    }
    Some(first)
}

/// Children of a process in the order in which they were started.
fn children(parent: u32) -> Vec<u32> {
    let mut all: Vec<(u64, u32)> = Vec::new();
    for task in std::fs::read_dir(proc::dir(parent).join("task")).into_iter().flatten().flatten() {
        let list = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
        all.extend(list.split_whitespace().filter_map(|p| p.parse().ok()).map(|pid| (0, pid)));
    }
    if all.is_empty() {
        // A kernel without that list: all processes are looked at.
        let pids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = pids.filter_map(|e| e.file_name().to_str()?.parse::<u32>().ok());
        all.extend(pids.filter(|pid| process(*pid).is_some_and(|p| p.1 == parent)).map(|pid| (0, pid)));
    }
    for (start, pid) in &mut all {
        *start = proc::start(*pid).unwrap_or(0);
    }
    // Within one tick of the system's clock the numbers ascend.
    all.sort_unstable();
    all.into_iter().map(|(_, pid)| pid).collect()
}

/// Directories that the ranks of the first world may have been started in, as far as a rank of another world can
/// tell: launchers change their own working directory for the ranks that they start.
pub(crate) fn working_directories() -> Vec<PathBuf> {
    let mut all = Vec::new();
    if let Some((_, parent)) = process(std::process::id()) {
        let environment = proc::environment(parent);
        let pwd = proc::variable(&environment, "PWD");
        all.extend(pwd.map(|d| PathBuf::from(std::ffi::OsStr::from_bytes(d))).filter(|d| d.is_absolute()));
        all.extend(std::fs::read_link(proc::dir(parent).join("cwd")));
    }
    all.extend(std::env::current_dir());
    all
}

/// Process id of the nearest ancestor that starts ranks, or this process's own if there is none.
pub(crate) fn launcher_pid() -> u32 {
    nearest_launcher().map_or(std::process::id(), |(_, launcher)| launcher)
}

/// The process that was started as this rank, and who started it. Scripts and tools may stand between it and this
/// process. Without a launcher: this process and its parent.
fn launched() -> (u32, u32) {
    let own = std::process::id();
    nearest_launcher().unwrap_or_else(|| (own, process(own).map_or(0, |p| p.1)))
}

/// The nearest ancestor that starts ranks, behind its child that this process comes from.
fn nearest_launcher() -> Option<(u32, u32)> {
    const LAUNCHERS: [&str; 10] = [
        "hydra_pmi_proxy",
        "orted",
        "orterun",
        "prted",
        "prterun",
        "mpiexec",
        "mpirun",
        "slurmstepd",
        "hydra_bstrap",
        "flux-shell",
    ];
    let mut child = std::process::id();
    let mut parent = process(child)?.1;
    for _ in 0..16 {
        let (name, next) = process(parent)?;
        // The kernel cuts names.
        if LAUNCHERS.iter().any(|launcher| name.starts_with(&launcher[..launcher.len().min(15)])) {
            return Some((child, parent));
        }
        (child, parent) = (parent, next);
    }
    None
}

/// The ancestors of this process with their names, the nearest first, up to and without `root`. `None`: it does not come
/// from there, but from a daemon or from another node.
pub(crate) fn lineage(root: &Root) -> Option<Vec<(u32, String)>> {
    if root.host != proc::host() {
        return None;
    }
    let mut all = Vec::new();
    let mut child = std::process::id();
    // No chain of test drivers and shells is as long.
    while all.len() < 256 {
        let pid = process(child)?.1;
        if pid == root.pid && proc::lives(pid, root.start) {
            return Some(all);
        }
        all.push((pid, process(pid)?.0));
        child = pid;
    }
    None
}

/// The process of the nearest launcher among ancestors which all others of it come from: `mpiexec` above its proxy.
pub(crate) fn first_launcher(ancestors: &[(u32, String)]) -> Option<&(u32, String)> {
    let is_launcher = |a: &&(u32, String)| is_launcher(&a.1);
    let start = ancestors.iter().position(|a| is_launcher(&a))?;
    ancestors.iter().skip(start).take_while(is_launcher).last()
}

/// A script called `mpirun-tests` is none.
fn is_launcher(name: &str) -> bool {
    const NAMES: [&str; 11] = [
        "hydra_pmi_proxy",
        "hydra_bstrap_pr",
        "orted",
        "orterun",
        "prted",
        "prterun",
        "mpiexec",
        "mpirun",
        "slurmstepd",
        "srun",
        "flux-shell",
    ];
    let plain = [".openmpi", ".mpich", ".hydra"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    NAMES.contains(&plain)
}

/// The launcher's name of this rank's job, on all its nodes; worlds that its ranks have spawned are called the same.
pub(crate) fn name_of_job() -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
    if let Some(space) = variable("PMIX_NAMESPACE") {
        // Open MPI 4 numbers the worlds of a job in the lower half, Open MPI 5 behind an `@`.
        return Some(match space.parse::<u32>() {
            Ok(number) => (number >> 16).to_string(),
            Err(_) => space.split('@').next().unwrap_or_default().to_owned(),
        });
    }
    if let Some(port) = nearest_launcher().and_then(|(_, proxy)| control_port(proxy)) {
        return Some(port);
    }
    match (variable("SLURM_JOB_ID"), variable("SLURM_STEP_ID")) {
        (Some(job), Some(step)) if variable("SLURM_PROCID").is_some() => Some(format!("slurm.{job}.{step}")),
        _ => variable("FLUX_JOB_ID"),
    }
}

/// Where all proxies of one Hydra reach it.
fn control_port(proxy: u32) -> Option<String> {
    let mut words = proc::command_line(proxy).into_iter().skip_while(|word| word != "--control-port").skip(1);
    words.next().filter(|word| !word.is_empty())
}

/// The processes that have started this one, the nearest first.
pub(crate) fn ancestors() -> Vec<u32> {
    let parent = |pid: &u32| process(*pid).map(|p| p.1).filter(|pid| *pid > 1);
    std::iter::successors(Some(std::process::id()), parent).skip(1).take(16).collect()
}

/// Name and parent of a process.
fn process(pid: u32) -> Option<(String, u32)> {
    proc::Stat::of(pid).map(|stat| (stat.name, stat.parent))
}

/// Are all processes of a world of this size on this node, by what the launcher says?
pub(crate) fn is_one_node(size: i32, variable: impl Fn(&str) -> Option<String>) -> bool {
    let says = |name: &str, number: i32| variable(name).is_some_and(|value| value.trim().parse() == Ok(number));
    let local = ["OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"];
    size == 1
        || local.iter().any(|name| says(name, size))
        || says("SLURM_STEP_NUM_NODES", 1)
        || says("FLUX_JOB_NNODES", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_say_who_is_on_the_node() {
        let with = |pairs: &'static [(&str, &str)]| {
            move |name: &str| pairs.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        };
        assert!(is_one_node(1, with(&[])));
        assert!(!is_one_node(2, with(&[])));
        assert!(is_one_node(4, with(&[("MPI_LOCALNRANKS", "4")])));
        assert!(!is_one_node(8, with(&[("MPI_LOCALNRANKS", "4"), ("SLURM_STEP_NUM_NODES", "2")])));
        assert!(is_one_node(8, with(&[("SLURM_STEP_NUM_NODES", "1")])));
        assert!(is_one_node(8, with(&[("FLUX_JOB_NNODES", "1")])));
    }
}
