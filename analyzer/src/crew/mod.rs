//! An analysis by several processes, which an MPI launcher has started: `mpirun -n 16 mpivet analyze DIR`. The first one has the
//! engine and writes the report. The others, its helpers, read, unpack and decode the traces, each its share of the ranks, those of
//! its own node first, and send their turns ([`engine::read_ahead::Elsewhere`]). Findings are the same as with one process, in the
//! same order: turns are taken rank by rank, whoever has read them.
//!
//! ```text
//! first:  engine <- Turns <- courier (a thread, all of MPI) <== MPI ==> helper <- RankReader
//! ```

mod courier;
mod helper;
mod orders;
mod threads;

use courier::{Command, Wanted};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::thread::JoinHandle;
use team::{JoinError, Team};
use trace_reader::reader::Defects;

pub(crate) use engine::read_ahead::{LastRounds, Share, Turns, Wishes};
use orders::Member;
pub(crate) use orders::{Task, TraceToRead};

/// The way between the processes: that of MPI, but for tests. See [`Team`].
trait Way {
    /// The number of processes.
    fn size(&self) -> usize;
    /// Sends a message. It may return when it is received, and not before, if it is long.
    fn send(&self, to: usize, message: &[u8]);
    /// Has another process begun to send a message?
    fn has_message(&self, from: usize) -> bool;
    /// Waits for a message of another process.
    fn receive(&self, from: usize, message: &mut Vec<u8>);
}

impl Way for Team {
    fn size(&self) -> usize {
        self.size()
    }

    fn send(&self, to: usize, message: &[u8]) {
        self.send(to, message);
    }

    fn has_message(&self, from: usize) -> bool {
        self.has_message(from)
    }

    fn receive(&self, from: usize, message: &mut Vec<u8>) {
        self.receive(from, message);
    }
}

/// The part of this process in an analysis.
pub enum Role {
    /// The only one.
    Alone,
    /// The one with the engine.
    First(Crew),
    /// A helper, whose work is done.
    Helper,
}

/// The helpers of an analysis, as the first process knows them.
pub struct Crew {
    commands: Sender<Command>,
    /// The host of each helper.
    hosts: Vec<String>,
    courier: RefCell<Option<JoinHandle<()>>>,
    received: Arc<AtomicU64>,
}

/// So many bundles of turns of a helper wait for the engine at most.
const AHEAD: usize = 4;

/// Ranks that helpers read now.
pub(crate) struct Reading {
    pub(crate) sources: Vec<Receiver<Turns>>,
    /// To have laps counted by those who read; taken once.
    pub(crate) wishes: Option<Wishes>,
    pub(crate) stop: Arc<AtomicBool>,
    done: Receiver<Result<Vec<Defects>, String>>,
}

impl Reading {
    /// The defects that were found, in the order of the traces of all helpers. Fails where one of them has failed.
    pub(crate) fn end(self) -> Result<Vec<Defects>, String> {
        drop((self.sources, self.wishes));
        self.done.recv().unwrap_or_else(|_| Err("the thread that speaks with the other processes has ended".into()))
    }
}

/// Is this process one that reads for another, by what its launcher says?
pub fn is_helper() -> bool {
    team::rank_by_launcher().is_some_and(|rank| rank > 0)
}

/// Finds out what this process is. Returns for a helper when the analysis is over.
pub fn muster() -> Result<Role, JoinError> {
    if team::rank_by_launcher().is_none() {
        return Ok(Role::Alone);
    }
    let (told, joined) = channel();
    let (commands, orders) = channel();
    let received = Arc::new(AtomicU64::new(0));
    let bytes = Arc::clone(&received);
    let courier = std::thread::spawn(move || {
        let team = match Team::join() {
            Ok(Some(team)) => team,
            Ok(None) => {
                _ = told.send(Err(JoinError::Alone));
                return;
            }
            Err(e) => {
                _ = told.send(Err(e));
                return;
            }
        };
        if team.rank() > 0 {
            helper::help(&team);
            team.end(false);
            return;
        }
        let members = courier::members(&team);
        _ = told.send(Ok(members.iter().map(|member| member.host.clone()).collect()));
        if courier::serve(&team, &members, &orders, &bytes) {
            let here = Member::this().host;
            team.end(members.iter().any(|member| member.host != here));
        }
    });
    match joined.recv() {
        Ok(Ok(hosts)) => Ok(Role::First(Crew { commands, hosts, courier: RefCell::new(Some(courier)), received })),
        Ok(Err(e)) => Err(e),
        // The courier of a helper tells nothing, and ends with its work.
        Err(_) => courier.join().map(|()| Role::Helper).map_err(|_| JoinError::Panicked),
    }
}

impl Crew {
    /// The number of all processes, this one among them.
    pub fn size(&self) -> usize {
        self.hosts.len() + 1
    }

    /// Bytes that the helpers have sent.
    pub fn received(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Divides traces among the helpers: for each, by its host and bytes, which helper reads it. Those of a helper's own host go to
    /// it; others go to the one that has least to read.
    pub(crate) fn divide<'a>(&self, traces: impl Iterator<Item = (&'a str, u64)>) -> Vec<usize> {
        let mut load = vec![0u64; self.hosts.len()];
        let near = |host: &str, helper: &usize| self.hosts[*helper] == host;
        let least = |load: &[u64], among: &mut dyn Iterator<Item = usize>| among.min_by_key(|helper| load[*helper]);
        let one = |(host, bytes): (&'a str, u64)| {
            let mut all = 0..load.len();
            let mut on_the_host = (0..load.len()).filter(|helper| near(host, helper));
            let helper = least(&load, &mut on_the_host).or_else(|| least(&load, &mut all)).unwrap_or(0);
            // A trace without records takes time, too.
            load[helper] += bytes + 1;
            helper
        };
        traces.map(one).collect()
    }

    /// Lets each helper read its task.
    pub(crate) fn read(&self, tasks: Vec<Task>) -> Reading {
        let stop = Arc::new(AtomicBool::new(false));
        let (sinks, sources) = tasks.iter().map(|_| sync_channel(AHEAD)).unzip();
        let (told, done) = channel();
        let ((wishes, wished), (answered, answers)) = (channel(), channel());
        let wanted = Wanted { wished, answered };
        let command = Command::Read { tasks, sinks, stop: Arc::clone(&stop), wanted, done: told };
        // If it has ended, the channels are closed.
        _ = self.commands.send(command);
        Reading { sources, wishes: Some(Wishes { wishes, answers }), stop, done }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        _ = self.commands.send(Command::End);
        _ = self.courier.take().map(JoinHandle::join);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crew(hosts: &[&str]) -> Crew {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        Crew { commands: channel().0, hosts, courier: RefCell::new(None), received: Arc::default() }
    }

    #[test]
    fn traces_are_read_where_they_were_written() {
        let crew = crew(&["a", "b", "b"]);
        let traces = [("a", 9), ("a", 9), ("b", 5), ("b", 5), ("b", 1)];
        assert_eq!(crew.divide(traces.into_iter()), [0, 0, 1, 2, 1]);
    }

    #[test]
    fn traces_of_other_hosts_go_to_those_who_have_least_to_read() {
        let crew = crew(&["a", "b"]);
        assert_eq!(crew.divide([("c", 9), ("c", 3), ("c", 3), ("c", 9), ("c", 0)].into_iter()), [0, 1, 1, 1, 0]);
    }
}
