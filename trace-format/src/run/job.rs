//! `job.json`: what is said once of a whole run, for people and for the analyzer.

use crate::file::{early_job_path, job_path};
use crate::variables::{BufferingLimit, CVARS, STRESS, Variables, buffering_limit};
use crate::{owner_only, untrusted};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

/// No `job.json` is larger.
pub const MAX_JOB: u64 = 64 << 20;
/// Environment variable of `--sync-sends`, and its name in [`Job::options`].
pub const SYNC_SENDS: &str = "MPIVET_SYNC_SENDS";
/// Environment variable of `--replay`, with the path of the witness.
pub const REPLAY: &str = "MPIVET_REPLAY";
/// Environment variable of `--probe-limits`.
pub const PROBE_LIMITS: &str = "MPIVET_PROBE_LIMITS";

/// Environment variable of `--precise`: `loads`, `stores` or `off`.
pub const PRECISE: &str = "MPIVET_PRECISE";
/// Environment variable of `--precise-from`: [`crate::run::suspects::Suspects::text`].
pub const PRECISE_FROM: &str = "MPIVET_PRECISE_FROM";

/// Contents of `job.json`. Unknown fields are ignored, missing ones take their defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Job {
    /// Layout version of the trace, [`crate::file::VERSION`].
    pub format: u32,
    /// Version of mpivet that recorded the run.
    pub mpivet: String,
    /// Path of the program that rank 0 runs.
    pub program: String,
    /// Arguments of rank 0's program, without its name.
    pub arguments: Vec<String>,
    /// Working directory of rank 0 when MPI started.
    pub cwd: String,
    /// Number of ranks in MPI_COMM_WORLD.
    pub ranks: i32,
    /// Name of rank 0's host.
    pub host: String,
    /// The MPI library of rank 0.
    pub mpi: Mpi,
    /// Named constants of the MPI library, so that arguments can be printed by name.
    pub constants: BTreeMap<String, i64>,
    /// The options in force, by their MPIVET_* names.
    pub options: BTreeMap<String, String>,
    /// The library's variables, as its tool interface told rank 0 when MPI had started; `None`: they were not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variables: Option<Variables>,
    /// Largest tag (MPI_TAG_UB), if the library said.
    pub tag_ub: Option<i64>,
    /// The library's buffering as it was measured (`--probe-limits`).
    pub buffering: Option<Buffering>,
    /// The mistakes in how the job was started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
    /// Slurm's name for it, where Slurm started rank 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slurm: Option<SlurmJob>,
}

/// A job of Slurm, as the environment of its processes has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SlurmJob {
    /// SLURM_JOB_ID.
    pub job: String,
    /// SLURM_STEP_ID: of the ranks, or of what the launcher has started on the nodes.
    pub step: Option<String>,
    /// SLURM_CLUSTER_NAME: two clusters have jobs with one number.
    pub cluster: Option<String>,
}

impl SlurmJob {
    /// By these variables; `None`: it is none.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Option<SlurmJob> {
        let job = variable("SLURM_JOB_ID")?;
        // The script of a batch job is a step without a number of its own.
        let is_number = |step: &String| step.parse().is_ok_and(|step: u32| step < FIRST_SPECIAL_STEP);
        Some(SlurmJob {
            job,
            step: variable("SLURM_STEP_ID").filter(is_number),
            cluster: variable("SLURM_CLUSTER_NAME"),
        })
    }
}

/// From here on numbers of steps are names (`batch`, `extern`, `interactive`).
const FIRST_SPECIAL_STEP: u32 = 0xffff_fff0;

impl Job {
    /// The mistakes in how the job was started, and how the user wanted the run to be altered: what is found in it may not
    /// happen else.
    pub fn alterations(&self) -> Vec<String> {
        let mut altered: Vec<String> = self.warning.iter().cloned().collect();
        if self.options.contains_key(SYNC_SENDS) {
            altered.push("this run was altered: standard sends waited for their receives (--sync-sends)".to_owned());
        }
        if let Some(witness) = self.options.get(REPLAY) {
            altered.push(format!("this run was altered: wildcards took the messages of {witness} (--replay)"));
        }
        if let Some(pairs) = self.options.get(CVARS) {
            altered.push(format!(
                "this run was altered: control variables were set: {} (--cvar)",
                pairs.replace(';', ", ")
            ));
        }
        if self.options.contains_key(STRESS) {
            altered
                .push("this run was altered: the library was told to buffer as little as it can (--stress)".to_owned());
        }
        let wishes = self.variables.iter().flat_map(|v| &v.wishes);
        altered.extend(wishes.filter(|w| w.refused.is_some()).map(|w| w.text()));
        altered
    }

    /// The variable that decides up to which size the library buffers messages, if that is known.
    pub fn buffering_limit(&self) -> Option<BufferingLimit> {
        buffering_limit(&self.mpi.library, &self.mpi.device, self.variables.as_ref()?)
    }
}

/// Up to which size a standard send returns although its message is not received, while the receiver is in MPI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Buffering {
    /// The largest message, in bytes, that was buffered.
    pub bytes: u64,
    /// Larger ones were not tried.
    pub at_least: bool,
    /// Rank in MPI_COMM_WORLD that sent.
    pub sender: i32,
    /// Rank in MPI_COMM_WORLD that received.
    pub receiver: i32,
    /// Both are on one host.
    pub same_host: bool,
}

/// The MPI library of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mpi {
    /// `mpich`, `openmpi` or `standard`.
    pub family: String,
    /// First line of MPI_Get_library_version.
    pub library: String,
    /// Version of the standard, for example `4.0`.
    pub standard: String,
    /// File that the library was loaded from.
    pub path: String,
    /// `ch4:ucx` of MPICH; empty where the library does not say.
    pub device: String,
}

/// Writes `job.json` into a trace directory, whole or not at all. The variables of the library, which are many, go to
/// `variables.json.gz` beside it.
pub fn write(mut job: Job, dir: &Path) -> io::Result<()> {
    if let Some(variables) = job.variables.take() {
        write_variables(&variables, dir)?;
    }
    replace(&job_path(dir), |new| owner_only::write_json(new, &job))
}

/// Writes `variables.json.gz`, whole or not at all.
pub fn write_variables(variables: &Variables, dir: &Path) -> io::Result<()> {
    write_packed(&serde_json::to_vec(variables)?, dir)
}

/// Writes `variables.json`, whole or not at all, for [`pack_variables`]: packing takes as long as reading the variables.
pub fn write_variables_unpacked(variables: &Variables, dir: &Path) -> io::Result<()> {
    let text = serde_json::to_vec(variables)?;
    replace(&unpacked_variables_path(dir), |new| owner_only::write(new, &text))
}

/// Makes `variables.json.gz` of `variables.json`, if that is there.
pub fn pack_variables(dir: &Path) -> io::Result<()> {
    let unpacked = unpacked_variables_path(dir);
    let Some(text) = read_if_there(&unpacked)? else { return Ok(()) };
    write_packed(&text, dir)?;
    std::fs::remove_file(unpacked)
}

fn write_packed(text: &[u8], dir: &Path) -> io::Result<()> {
    // In one piece: the encoder clears its buffer of 32 KiB for each.
    let mut packed = GzEncoder::new(Vec::with_capacity(text.len() / 4), Compression::fast());
    packed.write_all(text)?;
    let packed = packed.finish()?;
    replace(&variables_path(dir), |new| owner_only::write(new, &packed))
}

/// Writes the job for the case that rank 0 does not get so far, unless it has or another rank was here before.
pub fn write_early(job: impl FnOnce() -> Job, dir: &Path) -> io::Result<()> {
    if job_path(dir).exists() {
        return Ok(());
    }
    match owner_only::create_new(&early_job_path(dir), OpenOptions::new().write(true)) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(e),
        Ok(mut file) => file.write_all(&serde_json::to_vec(&job())?),
    }
}

/// Makes a file by `write`, which others see when it is whole.
fn replace(path: &Path, write: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    write(&new)?;
    std::fs::rename(&new, path)
}

fn variables_path(dir: &Path) -> PathBuf {
    dir.join("variables.json.gz")
}

fn unpacked_variables_path(dir: &Path) -> PathBuf {
    dir.join("variables.json")
}

/// Reads the `job.json` of a trace directory, with the variables if they can be read.
pub fn read(dir: &Path) -> io::Result<Job> {
    let mut job: Job = serde_json::from_slice(&untrusted::read(&job_path(dir), MAX_JOB)?)?;
    add_variables(&mut job, dir)?;
    Ok(job)
}

/// Reads the job as a rank wrote it that was through MPI_Init before rank 0.
pub fn read_early(dir: &Path) -> io::Result<Job> {
    Ok(serde_json::from_slice(&untrusted::read(&early_job_path(dir), MAX_JOB)?)?)
}

/// Adds the variables, which stand beside `job.json` if they were read.
pub fn add_variables(job: &mut Job, dir: &Path) -> io::Result<()> {
    if job.variables.is_some() {
        return Ok(());
    }
    // In this order: who packs them removes the one file when the other is there.
    let text = match read_if_there(&unpacked_variables_path(dir))? {
        Some(text) => Some(text),
        None => packed_text(dir)?,
    };
    if let Some(text) = text {
        job.variables = serde_json::from_slice(&text)?;
    }
    Ok(())
}

/// The text in `variables.json.gz`; `None` if that is not there.
fn packed_text(dir: &Path) -> io::Result<Option<Vec<u8>>> {
    let Some(packed) = read_if_there(&variables_path(dir))? else { return Ok(None) };
    let mut text = Vec::new();
    GzDecoder::new(&packed[..]).take(MAX_JOB).read_to_end(&mut text)?;
    Ok(Some(text))
}

fn read_if_there(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match untrusted::read(path, MAX_JOB) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_before_and_after_they_are_packed() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let variables = Variables { controls: 7, microseconds: 3, ..Variables::default() };
        let read = || {
            let mut job = Job::default();
            add_variables(&mut job, dir).unwrap();
            job.variables
        };
        assert_eq!(read(), None);
        pack_variables(dir).unwrap();
        assert_eq!(read(), None);
        write_variables_unpacked(&variables, dir).unwrap();
        assert_eq!(read(), Some(variables.clone()));
        pack_variables(dir).unwrap();
        assert_eq!(read(), Some(variables));
        let names: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["variables.json.gz"]);
        // A file that is not whole is told, and stays where it is.
        std::fs::write(variables_path(dir), b"cut off").unwrap();
        assert!(add_variables(&mut Job::default(), dir).is_err());
    }
}
