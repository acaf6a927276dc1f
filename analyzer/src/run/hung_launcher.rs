//! Launchers that do not end although all processes of the job are gone and nothing is left that they could wait for.
//! Open MPI's mpirun 4.1 hangs now and then when a rank dies (its server of PMIx waits for a lock that its own thread
//! holds), with mpivet and without; a batch system would wait until the time of the job is up.

use super::evidence::{has_children, others_share};
use super::follow::FollowedJob;
use super::launcher::Launcher;
use super::stop::{LAUNCHER_GRACE, are_all_gone, wait};
use agents::process::{Reading, read_process};
use analyzer::observe::Observer;
use nix::sys::signal::Signal;
use std::time::{Duration, Instant};

/// Time that a launcher may do nothing after its last process. A launcher that cleans up on other nodes has children
/// for that, or uses the processor.
const PATIENCE: Duration = Duration::from_secs(10);
/// Least number of readings in that time: mpivet may have been stopped, too.
const ENOUGH_LOOKS: u32 = 100;
/// An idle launcher uses less processor time than this in all that time, even if it looks around now and then.
const IDLE: Duration = Duration::from_millis(500);

/// Watches the launcher of a job for this.
#[derive(Default)]
pub(super) struct HungLauncher {
    since: Option<IdleSince>,
    done: bool,
}

/// The state when the last process was found gone.
struct IdleSince {
    time: Instant,
    cpu: Duration,
    readings: u32,
}

impl HungLauncher {
    /// Ends the launcher if it hangs. Nothing has come from the job since the last look.
    pub(super) fn end(&mut self, job: &mut impl FollowedJob, observer: &Observer, here: &str) {
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

    fn is_certain(&mut self, job: &impl FollowedJob, observer: &Observer, here: &str) -> bool {
        let all_gone = are_all_gone(observer, here);
        let idle = job.launcher().filter(|l| all_gone && Launcher::runs_in(l.pid) && !has_children(l.pid));
        let Some(launcher) = idle else {
            self.since = None;
            return false;
        };
        let Reading { cpu, .. } = read_process(launcher.pid, launcher.start);
        let since = self.since.get_or_insert_with(|| IdleSince { time: Instant::now(), cpu, readings: 0 });
        since.readings += 1;
        if cpu.saturating_sub(since.cpu) > IDLE {
            self.since = None;
            return false;
        }
        if since.readings < ENOUGH_LOOKS || since.time.elapsed() < PATIENCE {
            return false;
        }
        // A process that a rank has left behind may still write to the launcher's output.
        let certain = !others_share("MPIVET_DIR", launcher.pid);
        if !certain {
            self.since = None;
        }
        certain
    }
}
