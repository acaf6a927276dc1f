//! Launchers that do not end: all processes of the job are gone, and nothing is left that they could wait for. Open MPI's
//! mpirun 4.1 hangs now and then when a rank dies (its server of PMIx waits for a lock that its own thread holds), with
//! mpivet and without; a batch system would wait until the time of the job is up.

use super::evidence::{Look, has_children, look, others_share};
use super::follow::Followed;
use super::launcher::Launcher;
use super::stop::{LAUNCHER_GRACE, are_all_gone, wait};
use analyzer::observe::Observer;
use nix::sys::signal::Signal;
use std::time::{Duration, Instant};

/// How long a launcher may do nothing after its last process. Those that clean up on other nodes have children for that,
/// or use the processor.
const PATIENCE: Duration = Duration::from_secs(10);
/// So many looks must have seen it: mpivet may have been stopped as well for all the time.
const ENOUGH_LOOKS: u32 = 100;
/// A launcher that looks around now and then uses less in all that time.
const IDLE: Duration = Duration::from_millis(500);

/// Watches the launcher of a job for this.
#[derive(Default)]
pub(super) struct Hung {
    since: Option<Since>,
    done: bool,
}

/// What was seen when the last process was found gone.
struct Since {
    time: Instant,
    cpu: Duration,
    looks: u32,
}

impl Hung {
    /// Ends the launcher if it hangs. Nothing has come from the job since the last look.
    pub(super) fn end(&mut self, job: &mut impl Followed, observer: &Observer, here: &str) {
        if self.done || !self.is_certain(job, observer, here) {
            return;
        }
        self.done = true;
        eprintln!(
            "mpivet: {}the launcher has not ended {} s after its last process: it hangs, and is stopped",
            job.name(),
            PATIENCE.as_secs()
        );
        job.signal(Signal::SIGTERM);
        if !wait(LAUNCHER_GRACE, || job.has_ended()) {
            job.signal(Signal::SIGKILL);
        }
    }

    fn is_certain(&mut self, job: &impl Followed, observer: &Observer, here: &str) -> bool {
        let all_gone = are_all_gone(observer, here);
        let idle = job.launcher().filter(|l| all_gone && Launcher::runs_in(l.pid) && !has_children(l.pid));
        let Some(launcher) = idle else {
            self.since = None;
            return false;
        };
        let Look { cpu, .. } = look(launcher.pid, launcher.start);
        let since = self.since.get_or_insert_with(|| Since { time: Instant::now(), cpu, looks: 0 });
        since.looks += 1;
        if cpu.saturating_sub(since.cpu) > IDLE {
            self.since = None;
            return false;
        }
        if since.looks < ENOUGH_LOOKS || since.time.elapsed() < PATIENCE {
            return false;
        }
        // What a rank has left behind may still write to what the launcher passes on.
        let certain = !others_share("MPIVET_DIR", launcher.pid);
        if !certain {
            self.since = None;
        }
        certain
    }
}
