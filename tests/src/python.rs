//! The Pythons with mpi4py that `scripts/install-python` has made.

use crate::mpi::Mpi;
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};

/// Lets the tests pass on a machine without Python.
pub const NO_PYTHON: &str = "MPIVET_TEST_NO_PYTHON";

fn directory() -> PathBuf {
    crate::root().join("target/python")
}

/// A Python 3 with mpi4py.
#[derive(Debug, Clone)]
pub struct Python {
    /// Like `3.12.1`.
    pub version: String,
    pub program: PathBuf,
}

/// Every Python that is there.
///
/// # Errors
/// None is there, and the environment does not say that this is all right.
pub fn required() -> Result<Vec<Python>> {
    let entries = std::fs::read_dir(directory()).into_iter().flatten().filter_map(Result::ok);
    let mut found: Vec<Python> = entries
        .map(|e| Python { version: e.file_name().to_string_lossy().into_owned(), program: e.path().join("bin/python") })
        .filter(|p| p.program.is_file())
        .collect();
    found.sort_by(|a, b| a.version.cmp(&b.version));
    ensure!(
        !found.is_empty() || std::env::var_os(NO_PYTHON).is_some_and(|v| v == "1"),
        "no Python with mpi4py in {}: scripts/install-python makes it (Debian: apt-get install python3-venv before); \
         {NO_PYTHON}=1 does without these tests",
        directory().display()
    );
    Ok(found)
}

impl Python {
    /// Does it have frames that mpivet can read?
    pub fn has_lines(&self) -> bool {
        ["3.11.", "3.12.", "3.13."].iter().any(|v| self.version.starts_with(v))
    }

    /// The environment in which mpi4py finds the library of an MPI.
    pub fn environment(&self, mpi: &Mpi) -> Vec<(&'static str, PathBuf)> {
        let links = directory().join("mpi").join(mpi.name);
        let place = if mpi.lib.as_os_str().is_empty() { links } else { mpi.lib.clone() };
        let library = place.join(if mpi.is("mpich") { "libmpi.so.12" } else { "libmpi.so.40" });
        if library.exists() { vec![("MPI4PY_LIBMPI", library), ("LD_LIBRARY_PATH", place)] } else { Vec::new() }
    }

    /// The command that runs `script` on `ranks` ranks of an MPI. mpi4py's wheels are told which library to load.
    pub fn job(&self, mpi: &Mpi, ranks: usize, script: &Path) -> Vec<String> {
        let mut job = vec!["env".to_owned()];
        job.extend(self.environment(mpi).iter().map(|(name, value)| format!("{name}={}", value.display())));
        job.extend(mpi.job(ranks, &self.program, &[script.display().to_string()]));
        job
    }
}
