//! Which process says what all of a job find: the first. It makes an empty file in the directory of the trace, which only one
//! can. On another node that has a directory of its own, another process is the first; so it is if no file can be made.

use crate::job::launch;
use recorder::{environment, trace};
use rustc_hash::FxHasher;
use std::fs::OpenOptions;
use std::hash::{Hash, Hasher};
use std::io::ErrorKind;
use std::sync::OnceLock;
use trace_format::file::told_path;
use trace_format::private;

/// What the processes of a job have in common, and no job before it had.
fn job() -> u64 {
    static JOB: OnceLock<u64> = OnceLock::new();
    *JOB.get_or_init(|| {
        let mut hasher = FxHasher::default();
        match environment::var("PMIX_NAMESPACE") {
            Ok(namespace) => namespace.hash(&mut hasher),
            Err(_) => {
                let launcher = launch::launcher_pid();
                (launcher, launch::process_start(launcher)).hash(&mut hasher);
            }
        }
        hasher.finish()
    })
}

/// Is this process the first of the job to ask this?
pub(crate) fn is_first(subject: &str) -> bool {
    let Some(trace) = trace::get() else { return true };
    let mut hasher = FxHasher::default();
    (job(), subject).hash(&mut hasher);
    let made = private::create_new(&told_path(&trace.dir, hasher.finish()), OpenOptions::new().write(true));
    !made.is_err_and(|e| e.kind() == ErrorKind::AlreadyExists)
}
