//! Agents that no rank has started, or that were ended with the last process of their node (as Slurm does it with cgroups): Slurm
//! starts one beside the job.

use super::slurm::start_beside;
use agents::hub::{Hub, Link};
use analyzer::observe::Observer;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::process::Child;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use trace_format::run::agent::{AGE, COMMAND};

/// A rank has started its agent by then, and that has found its way.
const PATIENCE: Duration = Duration::from_secs(3);

/// Looks for hosts without an agent.
#[derive(Default)]
pub(super) struct OtherAgents {
    /// Since when a host has had no agent.
    without: BTreeMap<String, Instant>,
    tried: BTreeSet<String>,
    started: Arc<Mutex<Vec<Child>>>,
}

impl OtherAgents {
    /// Has an agent started where there is none, once for each host.
    pub(super) fn look(&mut self, observer: &Observer, here: &str, hub: Option<&Hub>, now: Instant) {
        let Some((hub, (environment, program))) = hub.and_then(|hub| Some((hub, hub.agents()?))) else { return };
        let hosts = observer.traces.headers().map(|header| &header.host).filter(|host| *host != here);
        let has_none =
            |host: &&String| matches!(hub.link(host), None | Some(Link::Lost)) && !self.tried.contains(*host);
        let without: BTreeSet<String> = hosts.filter(has_none).cloned().collect();
        self.without.retain(|host, _| without.contains(host));
        without.iter().for_each(|host| _ = self.without.entry(host.clone()).or_insert(now));
        let is_due = |host: &&String| hub.link(host) == Some(Link::Lost) || now - self.without[*host] >= PATIENCE;
        let due: Vec<String> = without.iter().filter(is_due).cloned().collect();
        if due.is_empty() {
            return;
        }
        self.tried.extend(due.iter().cloned());
        let Some(job) = observer.traces.job().0.slurm else { return };
        let (started, mut environment, program) = (self.started.clone(), environment.clone(), program.clone());
        environment.push((AGE.into(), hub.age().as_millis().to_string().into()));
        // Slurm takes its time to answer.
        std::thread::spawn(move || {
            for host in due {
                let child = start_beside(&job, &host, &[program.as_os_str(), OsStr::new(COMMAND)], &environment);
                started.lock().unwrap_or_else(|e| e.into_inner()).extend(child);
            }
        });
    }
}

impl Drop for OtherAgents {
    fn drop(&mut self) {
        for child in self.started.lock().unwrap_or_else(|e| e.into_inner()).iter_mut() {
            _ = child.kill();
            _ = child.wait();
        }
    }
}
