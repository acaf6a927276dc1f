//! `job.json`: what was run, under which library, with which settings.

use crate::job::config::Config;
use crate::job::place::arguments;
use crate::mpi::abi::Abi;
use crate::mpi::library::{self, MpiLibrary};
use recorder::{environment, log, trace};
use trace_format::file::{RankHeader, VERSION, job_path};
use trace_format::mpi::FnId;
use trace_format::run::job::{self, Buffering, Job, Mpi, SlurmJob};
use trace_format::variables::Variables;

/// Writes `job.json`, whole or not at all.
pub(super) fn write(job: Job) {
    let Some(trace) = trace::get() else { return };
    if let Err(e) = job::write(job, &trace.dir) {
        log::line(&format!("cannot write {}: {e}", job_path(&trace.dir).display()));
    }
}

/// Writes the variables of the library beside it. `mpivet run` packs them when it keeps the trace: the program need not wait.
pub(super) fn write_variables(variables: &Variables, under_run: bool) {
    let Some(trace) = trace::get() else { return };
    let write = if under_run { job::write_variables_unpacked } else { job::write_variables };
    if let Err(e) = write(variables, &trace.dir) {
        log::line(&format!("cannot write the variables of the MPI library to {}: {e}", trace.dir.display()));
    }
}

/// Writes it beside the place of rank 0's, which may never get through MPI_Init. Rank 0 says if the directory cannot be written.
pub(super) fn write_early(job: impl FnOnce() -> Job) {
    if let Some(trace) = trace::get() {
        _ = job::write_early(job, &trace.dir);
    }
}

/// Describes the job, but for the variables of the library.
pub(super) fn describe(
    library: &MpiLibrary,
    abi: &Abi,
    config: &Config,
    header: &RankHeader,
    (buffering, warning): (Option<Buffering>, Option<String>),
) -> Job {
    let (mut major, mut minor) = (0i32, 0i32);
    library::call(FnId::MPI_Get_version, &[&raw mut major as u64, &raw mut minor as u64]);
    let identity = library::identity();
    Job {
        format: VERSION,
        mpivet: header.mpivet.clone(),
        program: header.program.clone(),
        arguments: arguments(),
        cwd: header.cwd.clone(),
        ranks: header.size,
        host: header.host.clone(),
        mpi: Mpi {
            family: abi.name.to_owned(),
            library: identity.library.clone(),
            standard: format!("{major}.{minor}"),
            path: library.path.clone(),
            device: identity.device.clone(),
        },
        constants: abi.constants().map(|(n, v)| (n.to_owned(), v)).collect(),
        options: config.named(),
        variables: None,
        tag_ub: None,
        buffering,
        warning,
        slurm: SlurmJob::of(|name| environment::var(name).ok()),
    }
}
