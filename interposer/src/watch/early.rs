//! Findings from before MPI_Init, when there is no trace yet: kept in a file of this process (`trace_format::run::early`) before
//! the library is called, which may end the process over them.

use crate::job::config::Config;
use crate::job::place;
use recorder::{clock, environment, file_limit, log};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use trace_format::run::early::{Early, EarlyFinding};
use trace_format::run::proc;

/// The findings, and the directory that they were written to.
static KEPT: Mutex<(Vec<EarlyFinding>, Option<PathBuf>)> = Mutex::new((Vec::new(), None));

/// The directory that the trace of this process will be in.
pub(crate) fn directory(config: &Config) -> PathBuf {
    let known = KEPT.lock().unwrap_or_else(|e| e.into_inner()).1.clone();
    known.unwrap_or_else(|| place::directory(config, &place::program(), false))
}

/// Keeps one more in this directory, with all before it.
pub(crate) fn keep(config: &Config, dir: PathBuf, finding: EarlyFinding) {
    let mut kept = KEPT.lock().unwrap_or_else(|e| e.into_inner());
    let (findings, place) = &mut *kept;
    findings.push(finding);
    let is_first = place.is_none();
    let dir = place.get_or_insert(dir);
    match early(place::program(), findings.clone()).write(dir, file_limit::size_limit()) {
        Ok(()) if is_first && !config.under_run => {
            log::line(&format!("this is kept in {0}; for the report run: mpivet analyze {0}", dir.display()));
        }
        Ok(()) => {}
        Err(e) => log::line(&format!("cannot write to {}: {e}; this will not be in the report", dir.display())),
    }
}

fn early(program: String, findings: Vec<EarlyFinding>) -> Early {
    let pid = std::process::id();
    Early {
        host: proc::host(),
        pid,
        pid_start: proc::start(pid).unwrap_or(0),
        unix_ns: clock::unix_ns(),
        rank: number(&["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"]),
        size: number(&["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"]),
        program,
        arguments: place::arguments(),
        cwd: place::cwd(),
        findings,
    }
}

/// The number in the first of these variables that is there.
fn number(names: &[&str]) -> Option<i32> {
    names.iter().find_map(|name| environment::var(name).ok()?.parse().ok()).filter(|n| *n >= 0)
}

/// The trace has begun, and has what was found.
pub(crate) fn is_recorded() {
    let mut kept = KEPT.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(dir) = kept.1.take() {
        _ = std::fs::remove_file(Early::path(&dir, &proc::host(), std::process::id()));
    }
}

/// Removes what processes of earlier runs in the same directory have left: those of this one that found something too
/// early and are gone have kept MPI from starting.
pub(crate) fn forget_others(dir: &Path) {
    for Early { host, pid, pid_start, .. } in Early::all_in(dir) {
        if host == proc::host() && !proc::lives(pid, pid_start) {
            _ = std::fs::remove_file(Early::path(dir, &host, pid));
        }
    }
}
