//! Nodes of which files alone tell, because no agent there has a way to here, and those whose ranks are seen late, because of the
//! file system of the traces: said once, as long as it matters. At the end there is a wait for what they have written.

use agents::hub::Hub;
use analyzer::hosts::list_hosts;
use analyzer::load::{SeenLate, late_file_system};
use analyzer::observe::Observer;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use trace_format::owner_only;

/// Time for the nodes to store what their ranks hold.
const PATIENCE: Duration = Duration::from_secs(3);

/// Time for agents to come, also those that Slurm starts.
const AGENTS_PATIENCE: Duration = Duration::from_secs(8);

/// A directory is asked for news this often.
const REFRESH_EVERY: Duration = Duration::from_secs(1);
/// Time for what is missing to be seen, after the last news: file systems keep what they know of a file for some seconds.
const END_PATIENCE: Duration = Duration::from_secs(3);
/// If all ranks have come to an end, this is enough: the system keeps for a second how long a file is.
const SETTLED_AFTER: Duration = Duration::from_millis(1200);
/// Whole files are waited for so long: some file systems keep for half a minute what is in a directory.
const LONGEST_WAIT: Duration = Duration::from_secs(35);

/// Whether it was said.
#[derive(Default)]
pub(super) struct LateFiles {
    since: Option<Instant>,
    refreshed: Option<Instant>,
    done: bool,
    /// Hosts of which that was said.
    told: BTreeSet<String>,
    /// Since when there have been others without an agent.
    alone_since: Option<Instant>,
    told_alone: bool,
}

impl LateFiles {
    /// Tells it if there is a rank on a host other than `here` that is seen late, and whose agent does not send its trace.
    pub(super) fn tell(&mut self, observer: &Observer, here: &str, hub: Option<&Hub>, name: &str) {
        if observer.traces.is_late() && !observer.is_complete() {
            refresh(observer.traces.dir(), &mut self.refreshed);
        }
        self.tell_alone(observer, here, hub, name);
        let is_seen = |host: &str| host == here || hub.is_some_and(|hub| hub.sends(host));
        if self.done || observer.traces.headers().all(|header| is_seen(&header.host)) {
            return;
        }
        if self.since.get_or_insert_with(Instant::now).elapsed() < PATIENCE {
            return;
        }
        self.done = true;
        let SeenLate { at_rest, at_the_end } = observer.traces.seen_late();
        let shared =
            late_file_system(observer.traces.dir()).map_or(String::new(), |shared| format!(" ({})", shared.name));
        for (hosts, what) in [
            (at_rest, "is seen when they rest, with a delay"),
            (at_the_end, "is seen late, and a deadlock not before they end; the report has all"),
        ] {
            if !hosts.is_empty() {
                self.told.extend(hosts.iter().cloned());
                let hosts = list_hosts(&hosts.iter().map(String::as_str).collect());
                eprintln!("mpivet: {name}{hosts}: without agents that tell it, what ranks do there{shared} {what}");
            }
        }
    }

    /// Tells which hosts have no agent, although they were to have one.
    fn tell_alone(&mut self, observer: &Observer, here: &str, hub: Option<&Hub>, name: &str) {
        let Some(hub) = hub.filter(|_| !self.told_alone) else { return };
        let is_alone = |host: &&str| *host != here && !self.told.contains(*host) && hub.link(host).is_none();
        let hosts: BTreeSet<&str> =
            observer.traces.headers().map(|header| header.host.as_str()).filter(is_alone).collect();
        if hosts.is_empty() {
            self.alone_since = None;
        } else if self.alone_since.get_or_insert_with(Instant::now).elapsed() >= AGENTS_PATIENCE {
            self.told_alone = true;
            eprintln!(
                "mpivet: {name}no agent on {} has a way to here: files alone tell what happens there (mpivet run --port PORT: a \
                 port that is open)",
                list_hosts(&hosts)
            );
        }
    }
}

/// The job is over: waits for what its nodes have written, as long as something is missing that has not been seen here.
pub(super) fn wait_for_files(observer: &mut Observer, here: &str, hub: Option<&Hub>) {
    if !observer.traces.is_late() {
        return;
    }
    let (mut last, mut refreshed) = (Instant::now(), None);
    let end = Instant::now() + LONGEST_WAIT;
    while Instant::now() < end {
        refresh(observer.traces.dir(), &mut refreshed);
        if !observer.poll().is_empty() {
            last = Instant::now();
        }
        let comes = |host: &str| host != here && hub.is_none_or(|hub| !hub.sends(host));
        let is_any_late = observer.traces.headers().any(|header| comes(&header.host));
        let are_files_missing = !observer.is_complete() || !observer.traces.is_described();
        let patience = match (is_any_late, observer.have_all_ended()) {
            (false, _) => Duration::ZERO,
            (true, true) => SETTLED_AFTER,
            (true, false) => END_PATIENCE,
        };
        if !are_files_missing && last.elapsed() >= patience {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Has the file system forget what it knows of the directory: it does when something is made there.
fn refresh(dir: &Path, last: &mut Option<Instant>) {
    if last.is_none_or(|last| last.elapsed() >= REFRESH_EVERY) {
        *last = Some(Instant::now());
        let new = dir.join("look");
        _ = owner_only::write(&new, b"");
        _ = std::fs::remove_file(new);
    }
}
