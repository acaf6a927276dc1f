//! Deaths that a launcher tells of, where its output goes to a file, as in batch jobs: for hosts about which nobody else tells.
//!
//! The output itself is left as it is; a terminal and a pipe are left alone.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// As much of the output is looked at, from its end.
const MOST: u64 = 1 << 20;
const OUTPUTS: [&str; 2] = ["/proc/self/fd/1", "/proc/self/fd/2"];

/// The output of a job, from its beginning.
#[derive(Default)]
pub(super) struct LauncherWords(Vec<(File, u64)>);

/// A death that a launcher tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeathTold {
    pub(crate) who: Who,
    /// As the launcher calls it.
    pub(crate) host: String,
    pub(crate) signal: i32,
}

/// The process that has died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Who {
    Ranks(Vec<i32>),
    Pid(u32),
}

impl LauncherWords {
    /// The job is about to begin.
    pub(super) fn begin() -> LauncherWords {
        let open = |path: &&str| {
            // By a descriptor with a position of its own.
            let file = trace_format::untrusted::open(Path::new(path)).ok()?;
            let at = file.metadata().ok()?.len();
            Some((file, at))
        };
        LauncherWords(OUTPUTS.iter().filter_map(open).collect())
    }

    /// The deaths that were told since then, in their order.
    pub(super) fn deaths(&self) -> Vec<DeathTold> {
        self.0.iter().map(|(file, begin)| deaths(&said(file, *begin))).find(|all| !all.is_empty()).unwrap_or_default()
    }

    /// Has Slurm said that it was told to end the step?
    pub(super) fn is_step_cancelled(&self) -> bool {
        self.0.iter().any(|(file, begin)| is_step_cancelled(&said(file, *begin)))
    }
}

fn said(file: &File, begin: u64) -> String {
    let len = file.metadata().map_or(0, |found| found.len());
    let from = begin.max(len.saturating_sub(MOST));
    let mut bytes = vec![0; len.saturating_sub(from) as usize];
    match file.read_exact_at(&mut bytes, from) {
        Ok(()) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

fn deaths(said: &str) -> Vec<DeathTold> {
    let mut host_of_hydra: Option<(u32, String)> = None;
    let mut all = Vec::new();
    for line in said.lines() {
        if let Some(running) = hydra_process(line) {
            host_of_hydra = Some(running);
        } else if let Some(signal) = hydra_signal(line) {
            let told = host_of_hydra.take().map(|(pid, host)| DeathTold { who: Who::Pid(pid), host, signal });
            all.extend(told);
        } else {
            all.extend(srun(line).or_else(|| open_mpi(line)));
        }
    }
    all
}

/// `=   PID 123 RUNNING AT node3`, or `=   RANK 5 PID 123 RUNNING AT node3`
fn hydra_process(line: &str) -> Option<(u32, String)> {
    let (who, host) = line.strip_prefix('=')?.split_once(" RUNNING AT ")?;
    let (_, pid) = who.split_once("PID ")?;
    Some((pid.trim().parse().ok()?, host.trim().to_owned()))
}

/// `YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)`, or `=   KILLED BY SIGNAL: 9 (Killed)`
///
/// `=   EXIT CODE: 9` is what is left where that line is lost: of a process that comes to no end of its own, it is the signal.
fn hydra_signal(line: &str) -> Option<i32> {
    let string = || line.split_once("EXIT STRING: ")?.1.split_once("(signal ")?.1.split(')').next();
    let killed = line.split_once("KILLED BY SIGNAL: ").and_then(|(_, rest)| rest.split_whitespace().next());
    let code = || line.strip_prefix('=')?.split_once("EXIT CODE: ").map(|(_, code)| code);
    let number: i32 = killed.or_else(string).or_else(code)?.trim().parse().ok()?;
    let number = if number > 128 { number - 128 } else { number };
    SIGNALS.iter().map(|(_, signal)| *signal).find(|signal| *signal == number)
}

/// `srun: error: node3: task 5: Killed`, `srun: error: node1: tasks 0-1,3: Segmentation fault (core dumped)`
fn srun(line: &str) -> Option<DeathTold> {
    let mut parts = line.strip_prefix("srun: error: ")?.splitn(3, ": ");
    let (host, tasks, how) = (parts.next()?, parts.next()?, parts.next()?);
    let signal = SIGNALS.iter().find(|(name, _)| how.starts_with(name))?.1;
    let ranks = numbers(tasks.strip_prefix("tasks ").or_else(|| tasks.strip_prefix("task "))?)?;
    Some(DeathTold { who: Who::Ranks(ranks), host: host.to_owned(), signal })
}

/// `mpirun noticed that process rank 5 with PID 123 on node node3 exited on signal 9 (Killed).`
fn open_mpi(line: &str) -> Option<DeathTold> {
    let (_, rest) = line.split_once(" noticed that process rank ")?;
    let (rank, rest) = rest.split_once(" with PID ")?;
    let (_, rest) = rest.split_once(" on node ")?;
    let (host, rest) = rest.split_once(" exited on signal ")?;
    let signal = rest.split_whitespace().next()?.trim_end_matches('.').parse().ok()?;
    Some(DeathTold { who: Who::Ranks(vec![rank.trim().parse().ok()?]), host: host.to_owned(), signal })
}

/// `0-2,5`
fn numbers(list: &str) -> Option<Vec<i32>> {
    /// Nobody needs to be told of more.
    const FEW: i32 = 1000;
    let mut all = Vec::new();
    for part in list.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to): (i32, i32) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
        all.extend(from..=to.min(from.saturating_add(FEW)));
    }
    Some(all)
}

/// `slurmstepd-node1: error: *** STEP 3.0 ON node1 CANCELLED AT 2026-11-26T07:32:09 ***`. Where it names a reason, the
/// state of the job has it, too.
fn is_step_cancelled(said: &str) -> bool {
    let is_task_end = |line: &str| line.starts_with("srun: error: ") && line.contains(": task");
    let is_cancelled =
        |line: &str| line.starts_with("slurmstepd") && line.contains("*** STEP ") && line.contains(" CANCELLED AT ");
    // The nodes' words may come after those on the ends of tasks of other nodes.
    let is_abort = |line: &str| line.starts_with("srun: Job step aborted") || is_cancelled(line);
    // With --kill-on-bad-exit, srun aborts the step itself after the end of a task.
    let first = said.lines().find(|line| is_task_end(line) || is_abort(line));
    first.is_some_and(is_abort) && said.lines().any(is_cancelled)
}

/// Names of the signals that end a process, as the C library has them, and their numbers, which are the same on all machines that
/// run Linux but MIPS and Alpha.
const SIGNALS: [(&str, i32); 8] = [
    ("Killed", 9),
    ("Segmentation fault", 11),
    ("Aborted", 6),
    ("Bus error", 7),
    ("Floating point exception", 8),
    ("Illegal instruction", 4),
    ("Terminated", 15),
    ("Out Of Memory", 9),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn told(who: Who, host: &str, signal: i32) -> DeathTold {
        DeathTold { who, host: host.to_owned(), signal }
    }

    #[test]
    fn launchers_tell_of_deaths() {
        let slurm = "a line of the program: task 5: Killed\nsrun: error: node3: task 5: Killed\n\
                     srun: error: node[1-2]: tasks 0-2,4: Segmentation fault (core dumped)\n\
                     srun: error: node2: task 3: Exited with exit code 1\nsrun: error: Unable to allocate resources\n";
        let expected = [told(Who::Ranks(vec![5]), "node3", 9), told(Who::Ranks(vec![0, 1, 2, 4]), "node[1-2]", 11)];
        assert_eq!(deaths(slurm), expected);
        let open_mpi = "mpirun noticed that process rank 5 with PID 0 on node node3 exited on signal 9 (Killed).";
        assert_eq!(deaths(open_mpi), [told(Who::Ranks(vec![5]), "node3", 9)]);
        let hydra = "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 123 RUNNING AT node3\n\
                     =   EXIT CODE: 9\n=   CLEANING UP REMAINING PROCESSES\n\
                     YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n";
        assert_eq!(deaths(hydra), [told(Who::Pid(123), "node3", 9)]);
        assert_eq!(deaths("=   PID 123 RUNNING AT node3\n=   EXIT CODE: 1\n"), []);
        let intel = "=   RANK 5 PID 77 RUNNING AT node3\n=   KILLED BY SIGNAL: 11 (Segmentation fault)\n";
        assert_eq!(deaths(intel), [told(Who::Pid(77), "node3", 11)]);
    }

    #[test]
    fn slurm_tells_that_a_step_was_cancelled() {
        let step = "slurmstepd-node1: error: *** STEP 3.0 ON node1 CANCELLED AT 2026-11-26T07:32:09 ***\n";
        let after_death = format!("srun: error: node3: task 5: Killed\n{step}");
        assert!(!is_step_cancelled(&after_death));
        let aborted = "srun: Job step aborted: Waiting up to 7 seconds for job step to finish.\n";
        assert!(is_step_cancelled(&format!("{aborted}{after_death}")));
        assert!(!is_step_cancelled(&format!("srun: error: node3: task 5: Killed\n{aborted}{step}")));
        assert!(!is_step_cancelled(aborted));
        assert!(is_step_cancelled(step) && !is_step_cancelled("*** STEP 3.0 ON node1 CANCELLED AT"));
    }

    #[test]
    fn lists_of_ranks_are_read() {
        assert_eq!(numbers("0-2,5"), Some(vec![0, 1, 2, 5]));
        assert_eq!(numbers("x"), None);
        assert_eq!(numbers("0-2000000000").map(|all| all.len()), Some(1001));
    }
}
