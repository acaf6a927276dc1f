//! The processes that are meant.

use crate::cli::Job;
use crate::exit::Exit;
use agents::wire::message::ProcessId;
use debugger::children::descendants;
use debugger::read::is_mpi_process;
use debugger::snapshot::Snapshot;
use std::path::Path;
use trace_format::run::proc;
use trace_reader::reader::{RankReader, traces_in};

/// A process to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Its host, if that is another one.
    pub(super) host: Option<String>,
    pub(super) pid: i32,
    /// In clock ticks since boot; 0: not known.
    pub(super) start: u64,
    /// The name of its world, where it is known that all hosts have it.
    pub(super) world: Option<String>,
}

impl Target {
    fn here(pid: i32) -> Target {
        Target { host: None, pid, start: 0, world: None }
    }

    /// The process that was looked at.
    pub(super) fn of(s: &Snapshot) -> Target {
        Target { host: s.host.clone(), pid: s.pid, start: s.start, world: Some(s.world.clone()) }
    }

    /// As agents know it.
    pub(super) fn id(&self) -> ProcessId {
        ProcessId { pid: self.pid as u32, start: self.start }
    }
}

/// All processes of the job, or those that were named: a process that is no MPI process stands for those below it.
pub(super) fn find(job: &Job) -> Result<Vec<Target>, Exit> {
    match job {
        Job::Pids(pids) => {
            let mut found: Vec<i32> = Vec::new();
            for pid in pids.iter().flat_map(|pid| meant_by(*pid)) {
                if !found.contains(&pid) {
                    found.push(pid);
                }
            }
            Ok(found.into_iter().map(Target::here).collect())
        }
        Job::Traces(dir) => of_traces(dir),
    }
}

/// The process itself, or the MPI processes below it if it is none.
fn meant_by(pid: i32) -> Vec<i32> {
    // A process that cannot be read is named in a message later.
    if is_mpi_process(pid).unwrap_or(true) {
        return vec![pid];
    }
    let below: Vec<i32> = descendants(pid).into_iter().filter(|p| is_mpi_process(*p).unwrap_or(false)).collect();
    if below.is_empty() { vec![pid] } else { below }
}

fn of_traces(dir: &Path) -> Result<Vec<Target>, Exit> {
    let here = proc::host();
    let stems = traces_in(dir).map_err(Exit::cannot)?;
    if stems.is_empty() {
        return Err(Exit::Usage(format!("{} holds no traces", dir.display())));
    }
    let mut targets = Vec::new();
    let mut is_one_world = true;
    for stem in stems {
        let reader = RankReader::open_stem(dir, &stem).map_err(Exit::cannot)?;
        let header = &reader.header;
        is_one_world &= !header.launch.spawned && !stem.contains('.');
        let is_here = header.host == here;
        if is_here && !proc::lives(header.pid, header.pid_start) {
            continue;
        }
        let host = (!is_here).then(|| header.host.clone());
        let pid = i32::try_from(header.pid).unwrap_or(0);
        targets.push(Target { host, pid, start: header.pid_start, world: None });
    }
    // Without a name from the launcher, each host has its own for a world.
    if is_one_world && targets.iter().any(|target| target.host.is_some()) {
        let name = dir.display().to_string();
        targets.iter_mut().for_each(|target| target.world = Some(name.clone()));
    }
    if targets.is_empty() {
        return Err(Exit::cannot(anyhow::anyhow!("no process of {} lives on this host", dir.display())));
    }
    Ok(targets)
}
