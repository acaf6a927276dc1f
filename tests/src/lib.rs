//! Shared by the end-to-end tests: the MPI libraries of this machine, compiling programs, running them under mpivet
//! with a time limit, and holding what came out against what a program's comments promise.

pub mod at_once;
pub mod browser;
pub mod budgets;
pub mod calls;
pub mod checks_page;
pub mod compile;
pub mod csv;
pub mod examples;
pub mod expect;
pub mod formats;
pub mod golden;
pub mod modules;
pub mod mpi;
pub mod normalize;
pub mod oracle;
pub mod package;
pub mod protocol;
pub mod python;
pub mod report;
pub mod run;
pub mod schedule;
pub mod schema;
pub mod share;
pub mod steady;
pub mod terminal;
pub mod tutorial;
pub mod unchanged;
pub mod vet;

use anyhow::Result;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The top directory of the source tree.
pub fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_owned()
}

/// The directory in which the tests keep what they compile and mpivet's traces. Files of a failed test stay there.
pub fn scratch() -> PathBuf {
    let exe = std::env::current_exe().unwrap_or_default();
    let target = exe.ancestors().find(|dir| dir.join("CACHEDIR.TAG").exists());
    target.map_or_else(std::env::temp_dir, |dir| dir.join("tmp")).join("mpivet-tests")
}

/// Number of jobs that the tests run side by side. Each has several ranks, but much of its time it waits: launchers
/// for processes, ranks for each other.
pub fn jobs_at_once() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from) + 1
}

/// Runs a test for each of `items`, `at_once` of them at a time. The error is one of those that came.
pub fn side_by_side<T: Sync>(items: &[T], at_once: usize, test: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            test(item)?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|w| w.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
