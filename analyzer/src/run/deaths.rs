//! Ranks that have died while the launcher lives on and ends nobody for that (`srun` without `--kill-on-bad-exit`, a launcher
//! that hangs): whoever waits for them waits for ever.

use super::stop::Process;
use agents::hub::Hub;
use agents::wire::message::ProcessId;
use analyzer::observe::Observer;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Launchers end the other ranks within this time, and libraries that survive the death of a process have noticed it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ranks are looked at this often.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The deaths that were seen, and when.
#[derive(Default)]
pub(super) struct Deaths {
    looked: Option<Instant>,
    seen: BTreeMap<i32, Instant>,
    /// The dead ones that were told last.
    told: BTreeSet<i32>,
}

impl Deaths {
    /// Looks at all ranks, of which none has recorded anything lately. Returns those that have been dead for so long, if they
    /// are others than the last time: one that was taken for dead may have gone on.
    pub(super) fn look(
        &mut self,
        observer: &Observer,
        here: &str,
        hub: Option<&Hub>,
        now: Instant,
    ) -> Option<BTreeSet<i32>> {
        if self.looked.is_some_and(|looked| now - looked < LOOK_EVERY) {
            return None;
        }
        self.looked = Some(now);
        let is_dead = |rank: i32| {
            let header = observer.traces.header(rank)?;
            let process = ProcessId { pid: header.pid, start: header.pid_start };
            let is_gone = match hub {
                _ if header.host == here => Some(!Process::of(header).lives()),
                Some(hub) => hub.knows_ends(&header.host).then(|| hub.has_ended(&header.host, process)),
                None => None,
            };
            Some(observer.has_died(rank, is_gone))
        };
        let ranks = observer.traces.headers().map(|header| header.rank);
        let dead: BTreeSet<i32> = ranks.filter(|rank| is_dead(*rank) == Some(true)).collect();
        self.seen.retain(|rank, _| dead.contains(rank));
        dead.iter().for_each(|rank| _ = self.seen.entry(*rank).or_insert(now));
        let long: BTreeSet<i32> =
            self.seen.iter().filter(|(_, since)| now - **since >= PATIENCE).map(|d| *d.0).collect();
        (long != self.told).then(|| {
            self.told.clone_from(&long);
            long
        })
    }
}
