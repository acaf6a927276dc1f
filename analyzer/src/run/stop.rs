//! Stops a job that can never go on: first asks the launcher to clean up, then kills what is left.

use super::follow::FollowedJob;
use super::slurm;
use agents::wire::message::ProcessId;
use analyzer::observe::Observer;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::time::{Duration, Instant};
use trace_format::file::RankHeader;
use trace_format::run::job::SlurmJob;
use trace_format::run::proc;

/// Time for the job to end by itself.
const GRACE: Duration = Duration::from_millis(300);
/// Time for the launcher, once its ranks are dead.
pub(super) const LAUNCHER_GRACE: Duration = Duration::from_secs(2);
/// Time for what a batch system and launchers do on other nodes: Slurm kills what has not ended 30 s after it was told to.
const NODES_GRACE: Duration = Duration::from_secs(40);
/// Time for agents to send what is left, and to go.
pub(super) const AGENTS: Duration = Duration::from_secs(10);
/// `srun` wants two interrupts within a second.
const SECOND_INTERRUPT: Duration = Duration::from_millis(300);

/// A rank's process on this host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    pub(crate) start: u64,
}

impl Process {
    pub(crate) fn of(header: &RankHeader) -> Process {
        Process { pid: header.pid, start: header.pid_start }
    }

    pub(crate) fn lives(self) -> bool {
        proc::lives(self.pid, self.start)
    }
}

/// The ranks that are not on this host.
pub(super) fn elsewhere(observer: &Observer, here: &str) -> Vec<OnHost> {
    let all = observer.traces.headers().filter(|header| header.host != here);
    all.map(|header| (header.host.clone(), id(header))).collect()
}

fn id(header: &RankHeader) -> ProcessId {
    ProcessId { pid: header.pid, start: header.pid_start }
}

/// Have all ranks of the job run on this host, and are they gone?
pub(super) fn are_all_gone(observer: &Observer, here: &str) -> bool {
    observer.is_complete() && observer.traces.headers().all(|h| h.host == here && !Process::of(h).lives())
}

/// A process of another host, with its name.
pub(crate) type OnHost = (String, ProcessId);

/// The ranks of a job, as far as whoever stops them has to know them.
pub(crate) struct Ranks {
    here: Vec<Process>,
    elsewhere: Vec<OnHost>,
    slurm: Option<SlurmJob>,
}

impl Ranks {
    pub(crate) fn of(observer: &Observer) -> Ranks {
        let host = proc::host();
        Ranks {
            here: observer.traces.headers().filter(|header| header.host == host).map(Process::of).collect(),
            elsewhere: elsewhere(observer, &host),
            slurm: observer.traces.job().0.slurm,
        }
    }

    fn are_here(&self) -> bool {
        self.here.iter().any(|rank| rank.lives())
    }
}

pub(crate) fn stop<J: FollowedJob>(job: &mut J, ranks: &Ranks) {
    end(job, ranks);
    job.wait_for_agents(&ranks.elsewhere);
}

fn end<J: FollowedJob>(job: &mut J, ranks: &Ranks) {
    job.signal(Signal::SIGTERM);
    // A stopped process does not hear SIGTERM.
    job.signal(Signal::SIGCONT);
    let over = |job: &mut J| job.has_ended() && !ranks.are_here();
    if wait(GRACE, || over(job)) {
        return;
    }
    // Launchers give each rank a process group of its own, so that the group of the launcher is not enough.
    for rank in ranks.here.iter().filter(|r| r.lives()) {
        _ = kill(Pid::from_raw(rank.pid as i32), Signal::SIGKILL);
    }
    if let Some(hub) = job.hub() {
        hub.kill(&ranks.elsewhere);
    }
    // Where there is no agent, only the launcher reaches ranks on other nodes: killed too early, it leaves them behind.
    if !ranks.elsewhere.is_empty() && !wait(LAUNCHER_GRACE, || over(job)) {
        if !ranks.slurm.as_ref().is_some_and(slurm::cancel) {
            // `srun` and `mpirun` understand the second one as an order to end everything at once.
            job.signal(Signal::SIGINT);
            wait(SECOND_INTERRUPT, || over(job));
            job.signal(Signal::SIGINT);
        }
        wait(NODES_GRACE, || over(job));
    }
    if !wait(LAUNCHER_GRACE, || over(job)) {
        job.signal(Signal::SIGKILL);
        wait(LAUNCHER_GRACE, || job.has_ended());
    }
}

/// Waits until `done`, at most for `limit`.
pub(crate) fn wait(limit: Duration, mut done: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + limit;
    loop {
        if done() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
