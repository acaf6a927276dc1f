//! Findings of this process are printed by one: the process that follows the job, if it is on this host; else the first process
//! of the job that finds it (`trace_format::run::discovery`).

use crate::job::{config, launch};
use recorder::environment;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use trace_format::run::jobs::Root;
use trace_format::run::proc;

/// A number that the processes of a job have in common, and no job before it had.
pub(crate) fn job() -> u64 {
    static JOB: OnceLock<u64> = OnceLock::new();
    *JOB.get_or_init(|| {
        let mut hasher = FxHasher::default();
        match environment::var("PMIX_NAMESPACE") {
            Ok(namespace) => namespace.hash(&mut hasher),
            Err(_) => {
                let launcher = launch::launcher_pid();
                (launcher, proc::start(launcher)).hash(&mut hasher);
            }
        }
        hasher.finish()
    })
}

/// Is somebody there who prints what this process leaves in the directory of its trace? On another node what is written may be
/// seen much later, and outside of a container the program may not be where it is inside.
pub(crate) fn is_followed() -> bool {
    let files = |who: u32| std::fs::read_link(proc::dir(who).join("ns/mnt")).ok();
    config::follower().as_ref().is_some_and(|follower| {
        let Root { pid, start, host } = follower;
        *host == proc::host()
            && proc::lives(*pid, *start)
            && files(std::process::id()).is_some_and(|own| files(*pid) == Some(own))
    })
}
