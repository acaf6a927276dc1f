//! The processes that are meant.

use crate::cli::Job;
use crate::exit::Exit;
use debugger::children::descendants;
use debugger::read::is_mpi_process;
use trace_format::run::proc;
use trace_reader::reader::{RankReader, traces_in};

/// All processes of the job, or those that were named: a process that is no MPI process stands for those below it.
pub(super) fn find(job: &Job) -> Result<Vec<i32>, Exit> {
    match job {
        Job::Pids(pids) => {
            let mut found: Vec<i32> = Vec::new();
            for pid in pids.iter().flat_map(|pid| meant_by(*pid)) {
                if !found.contains(&pid) {
                    found.push(pid);
                }
            }
            Ok(found)
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

fn of_traces(dir: &std::path::Path) -> Result<Vec<i32>, Exit> {
    let here = proc::host();
    let mut pids = Vec::new();
    let mut elsewhere = 0;
    let stems = traces_in(dir).map_err(Exit::cannot)?;
    if stems.is_empty() {
        return Err(Exit::Usage(format!("{} holds no traces", dir.display())));
    }
    for stem in stems {
        let reader = RankReader::open_stem(dir, &stem).map_err(Exit::cannot)?;
        let header = &reader.header;
        if header.host != here {
            elsewhere += 1;
        } else if proc::lives(header.pid, header.pid_start) {
            pids.extend(i32::try_from(header.pid));
        }
    }
    if elsewhere > 0 {
        eprintln!("mpivet: {elsewhere} processes of the job run on other hosts and are not shown");
    }
    if pids.is_empty() {
        return Err(Exit::cannot(anyhow::anyhow!("no process of {} lives on this host", dir.display())));
    }
    Ok(pids)
}
