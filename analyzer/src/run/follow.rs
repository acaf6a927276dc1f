//! Watches a running job: reads what its ranks record, asks the engine whether some of them can never go on, and looks
//! for proof before it says so.
//!
//! A verdict needs three things. The engine says that a set of ranks waits in a way that nothing outside can end.
//! A second reading of all traces brings no event of these ranks: so there was a moment, between the readings, when
//! all of them waited at once. And each rank whose call might still be served by what is under way inside the MPI
//! library had the chance to go on and did not ([`super::evidence`], [`super::looks`]).

use super::deaths::Deaths;
use super::ends::Ends;
use super::evidence::Evidence;
use super::hung_launcher::HungLauncher;
use super::late_files::{self, LateFiles};
use super::launcher_words::DeathTold;
use super::looks::Looks;
use super::other_agents::OtherAgents;
use super::pace::Pace;
use super::stop::{AGENTS, OnHost, Process, elsewhere};
use agents::hub::Hub;
use analyzer::hosts::list_hosts;
use analyzer::observe::Observer;
use engine::Stuck;
use nix::sys::signal::Signal;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};
use trace_format::run::proc;

/// Pause between two readings.
const PAUSE: Duration = Duration::from_millis(20);
/// The pause when nothing has happened for a while.
const IDLE_PAUSE: Duration = Duration::from_millis(50);
const IDLE_AFTER: Duration = Duration::from_secs(2);
/// The shortest pause where each reading asks a server for news of each file.
const LATE_PAUSE: Duration = Duration::from_millis(200);
/// Time for a verdict on the present state of a running job.
const WATCH: Duration = Duration::from_secs(2);
/// Events of one reading from which on there is probably more to read at once.
const BACKLOG: u64 = 4096;
/// Time without events after which ranks that poll in vain are named. Repeated polls bring news ever more seldom.
const QUIET: Duration = Duration::from_secs(5);
/// While other ranks go on, the engine is asked this often.
const ASK_EVERY: Duration = Duration::from_millis(250);

/// Hosts and their agents are looked at this often.
const LOOK_AROUND_EVERY: Duration = Duration::from_millis(250);

/// Number of readings in a row in which no other thread of the ranks could do something: one reading may show a
/// thread that was about to get a lock.
const ENOUGH_QUIET: u32 = 4;

/// After so many readings in a row that found another thread of a rank able to do something, the rank is no longer
/// judged, and the other ranks are judged without it.
const ENOUGH_BUSY: u32 = 8;

/// A job that is followed.
pub(crate) trait FollowedJob {
    /// Looks at the records of its ranks.
    fn poll(&mut self, _: &Observer) {}
    /// Has the job ended, so that its ranks record nothing more?
    fn has_ended(&mut self) -> bool;
    /// Waits, at most so long.
    fn rest(&self, limit: Duration);
    /// The process that has started its ranks, if that is known and on this host.
    fn launcher(&self) -> Option<Process>;
    /// Tells its launcher something.
    fn signal(&self, signal: Signal);
    /// The agents on its other nodes.
    fn hub(&self) -> Option<&Hub> {
        None
    }
    /// The deaths that its launcher has told of.
    fn deaths_told(&self) -> Vec<DeathTold> {
        Vec::new()
    }
    /// Its launcher has ended: agents send what is left of these, and go.
    fn wait_for_agents(&self, _: &[OnHost]) {
        if let Some(hub) = self.hub() {
            hub.is_over();
            hub.wait(AGENTS);
            tell_troubles(Some(hub), self.name());
            tell_incomplete(hub, self.name());
        }
    }
    /// The name in front of its lines while it runs.
    fn name(&self) -> &str {
        ""
    }
}

/// Why following ended.
pub(crate) enum End {
    /// The launcher is gone.
    Over,
    /// These ranks can never go on: known so long after the last event of the job.
    Proven(Stuck, Duration),
    /// It took longer than it may.
    Late,
}

/// A set of ranks that seem to wait for ever.
struct Candidate {
    stuck: Stuck,
    evidence: Evidence,
    since: Instant,
    /// Looks in a row that found no other thread of its ranks that could do something.
    quiet: u32,
    /// Looks in a row that found such a thread, by rank.
    busy: BTreeMap<i32, u32>,
    /// Ranks that were taken to go on, because such threads were found there again and again.
    doubted: BTreeSet<i32>,
    /// Hosts with ranks that would have to be looked at, and cannot be.
    unseen: BTreeSet<String>,
}

impl Candidate {
    fn new(stuck: Stuck) -> Candidate {
        let since = Instant::now();
        Candidate {
            stuck,
            evidence: Evidence::default(),
            since,
            quiet: 0,
            busy: BTreeMap::new(),
            doubted: BTreeSet::new(),
            unseen: BTreeSet::new(),
        }
    }

    /// Ranks about which there is no evidence must not hide what is certain of the others: the candidate without those
    /// whose other threads were busy for long, if that leaves any.
    fn without_busy(&mut self, ask: impl FnOnce(&BTreeSet<i32>) -> Option<Stuck>) -> Option<Candidate> {
        let busy = self.busy.iter().filter(|(_, readings)| **readings >= ENOUGH_BUSY).map(|(rank, _)| *rank);
        let doubted: BTreeSet<i32> = self.doubted.iter().copied().chain(busy).collect();
        if doubted == self.doubted {
            return None;
        }
        // Asked once: the answer stays the same while these ranks record nothing.
        self.doubted.clone_from(&doubted);
        ask(&doubted).map(|stuck| Candidate { doubted, ..Candidate::new(stuck) })
    }

    /// Counts a look at the threads that are in no waiting call. `busy`: ranks where such a thread could do something.
    fn add_busy(&mut self, busy: &BTreeSet<i32>) {
        self.busy.retain(|rank, _| busy.contains(rank));
        busy.iter().for_each(|rank| *self.busy.entry(*rank).or_default() += 1);
        self.quiet = if busy.is_empty() { self.quiet + 1 } else { 0 };
    }

    fn concerns(&self, ranks: &BTreeSet<i32>) -> bool {
        self.stuck.ranks.iter().chain(&self.stuck.uncertain).any(|r| ranks.contains(r))
    }

    /// Looks at the processes once more. True when the case is proved.
    fn is_proved(&mut self, looks: &Looks, now: Instant) -> bool {
        let Some(seen) = looks.at(&self.stuck, self.since) else { return false };
        let had_their_chance = self.evidence.add(&seen.readings, now);
        self.add_busy(&seen.busy);
        self.unseen = seen.unseen;
        let long_enough = now.saturating_duration_since(self.since) >= self.stuck.patience;
        let are_all_seen = self.unseen.is_empty() && !seen.are_any_gone;
        had_their_chance && long_enough && self.quiet >= ENOUGH_QUIET && are_all_seen
    }
}

/// Follows the job until its launcher ends, or until a set of ranks is proved to wait for ever. If `stop` is false the
/// proof is only told. `until`: how long it may take.
pub(crate) fn follow(observer: &mut Observer, job: &mut impl FollowedJob, stop: bool, until: Option<Instant>) -> End {
    let here = proc::host();
    let mut candidate: Option<Candidate> = None;
    let mut hung_launcher = HungLauncher::default();
    let mut deaths = Deaths::default();
    let mut late_files = LateFiles::default();
    let mut ends = Ends::start();
    let mut other_agents = OtherAgents::default();
    let mut looked_around: Option<Instant> = None;
    // Something happened since the engine was asked.
    let mut unasked = false;
    let mut last_news = Instant::now();
    let mut last_asked = Instant::now();
    let mut told = Vec::new();
    // Asked since the last news, and told.
    let (mut asked_polling, mut told_polling, mut told_unseen) = (false, false, false);
    while !job.has_ended() {
        let now = Instant::now();
        if until.is_some_and(|until| now > until) {
            return End::Late;
        }
        let turn = job.hub().map_or(0, Hub::turn);
        let news = observer.poll();
        job.poll(observer);
        tell_troubles(job.hub(), job.name());
        tell_deaths(observer, job.name());
        ends.add(observer, &here);
        if looked_around.is_none_or(|at| now - at >= LOOK_AROUND_EVERY) {
            looked_around = Some(now);
            read_files(observer, job.hub());
            late_files.tell(observer, &here, job.hub(), job.name());
            other_agents.look(observer, &here, job.hub(), now);
        }
        if !news.is_empty() {
            last_news = now;
            unasked = true;
            asked_polling = false;
            candidate = candidate.filter(|c| !c.concerns(&news));
        } else if last_news.elapsed() > IDLE_AFTER {
            hung_launcher.end(job, observer, &here);
            if let Some(dead) = deaths.look(observer, &here, job.hub(), now) {
                observer.are_gone(dead);
                (candidate, unasked) = (None, true);
            }
        }
        let asked_lately = now - last_asked < ASK_EVERY;
        let looks = Looks { observer, here: &here, hub: job.hub().map(|hub| (hub, turn)) };
        if candidate.as_mut().is_some_and(|c| c.is_proved(&looks, now)) {
            let Some(Candidate { stuck, .. }) = candidate.take() else { continue };
            if stop {
                observer.seen = ends.finish(observer, &here, job.hub(), &[]);
                return End::Proven(stuck, last_news.elapsed());
            }
            if told != stuck.ranks {
                told = stuck.ranks;
                eprintln!(
                    "mpivet: {}{} wait for ever; the job goes on because of --no-stop, the report comes at its end",
                    job.name(),
                    observer.traces.worlds.names().list(&told)
                );
            }
        } else if candidate.is_none() && unasked && (news.is_empty() || !asked_lately) && observer.is_complete() {
            candidate = observer.stuck().map(Candidate::new);
            unasked = false;
            last_asked = now;
        }
        if last_news.elapsed() > QUIET && !told_unseen {
            told_unseen = candidate.as_ref().is_some_and(|candidate| tell_unseen(candidate, observer, job.name()));
        }
        let silent = candidate.is_none() && last_news.elapsed() > QUIET;
        if silent && !asked_polling && !told_polling && observer.is_complete() {
            asked_polling = true;
            told_polling = tell_polling(observer, job.name());
        }
        let all_go_on = observer.traces.headers().all(|h| news.contains(&h.rank));
        if let Some(fewer) = candidate.as_mut().and_then(|c| c.without_busy(|busy| observer.stuck_apart_from(busy))) {
            candidate = Some(fewer);
        }
        let unhurried = || {
            let is_limited = observer.traces.headers().any(|header| header.retention.max_bytes > 0);
            Pace::now(is_limited).pause(now.elapsed(), observer.traces.unread())
        };
        let pause = if let Some(pause) = all_go_on.then(unhurried).flatten() {
            pause.max(PAUSE)
        } else if observer.last_events >= BACKLOG {
            Duration::ZERO
        } else if candidate.is_none() && last_news.elapsed() > IDLE_AFTER {
            IDLE_PAUSE
        } else {
            PAUSE
        };
        job.rest(if observer.traces.is_late() { pause.max(LATE_PAUSE) } else { pause });
    }
    job.wait_for_agents(&elsewhere(observer, &here));
    late_files::wait_for_files(observer, &here, job.hub());
    read_files(observer, job.hub());
    observer.seen = ends.finish(observer, &here, job.hub(), &job.deaths_told());
    End::Over
}

/// Reads what hosts tell by files that have no other way.
fn read_files(observer: &Observer, hub: Option<&Hub>) {
    if let Some(hub) = hub {
        hub.read_files(observer.traces.headers().map(|header| header.host.as_str()));
    }
}

/// Says what went wrong with agents.
pub(crate) fn tell_troubles(hub: Option<&Hub>, name: &str) {
    hub.map(Hub::troubles).unwrap_or_default().iter().for_each(|line| eprintln!("mpivet: {name}{line}"));
}

/// Says whose traces did not come whole.
fn tell_incomplete(hub: &Hub, name: &str) {
    let hosts = hub.incomplete();
    if !hosts.is_empty() {
        eprintln!(
            "mpivet: {name}the traces of {} have not come whole; what is missing is there, in {}",
            list_hosts(&hosts.iter().map(String::as_str).collect()),
            hub.dir().display()
        );
    }
}

/// Says which ranks seem to wait for ever, and why that is not certain.
fn tell_unseen(candidate: &Candidate, observer: &Observer, name: &str) -> bool {
    if candidate.unseen.is_empty() {
        return false;
    }
    let ranks = observer.traces.worlds.names().list(&candidate.stuck.ranks);
    let hosts = list_hosts(&candidate.unseen.iter().map(String::as_str).collect());
    eprintln!(
        "mpivet: {name}{ranks} may wait for ever; that is not certain, since the processes on {hosts} cannot be looked at from \
         here: the job goes on, the report comes at its end"
    );
    true
}

/// Says which ranks poll for messages that cannot come as long as they do nothing else. They may do something else at
/// any time: no reason to stop the job.
fn tell_polling(observer: &mut Observer, name: &str) -> bool {
    let ranks = observer.polls_in_vain();
    if ranks.is_empty() {
        return false;
    }
    let verb = if ranks.len() == 1 { "polls" } else { "poll" };
    eprintln!(
        "mpivet: {name}{} only {verb} in vain (MV605); the job goes on, the report comes at its end",
        observer.traces.worlds.names().list(&ranks)
    );
    true
}

/// Says at once which ranks have died of a signal: their own processes cannot look up the source line then.
pub(crate) fn tell_deaths(observer: &mut Observer, name: &str) {
    let lines = observer.deaths();
    if !lines.is_empty() {
        eprintln!("{}", lines.join("\n").replace("mpivet: ", &format!("mpivet: {name}")));
    }
}

/// Ranks of the job that are stuck as it is now. Watches it for a moment.
pub(crate) fn proven_stuck(observer: &mut Observer) -> Option<Stuck> {
    let here = proc::host();
    let until = Instant::now() + WATCH;
    let mut candidate: Option<Candidate> = None;
    while Instant::now() < until {
        let news = observer.poll();
        candidate = candidate.filter(|c| !c.concerns(&news));
        if let Some(mut c) = candidate.take() {
            let looks = Looks { observer, here: &here, hub: None };
            if c.is_proved(&looks, Instant::now()) {
                return Some(c.stuck);
            }
            let fewer = c.without_busy(|busy| observer.stuck_apart_from(busy));
            candidate = Some(fewer.unwrap_or(c));
        } else {
            candidate = if observer.is_complete() { observer.stuck().map(Candidate::new) } else { None };
            if candidate.is_none() && news.is_empty() {
                return None;
            }
        }
        std::thread::sleep(PAUSE);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(ranks: &[i32]) -> Candidate {
        Candidate::new(Stuck { ranks: ranks.to_vec(), ..Stuck::default() })
    }

    fn set(ranks: &[i32]) -> BTreeSet<i32> {
        ranks.iter().copied().collect()
    }

    #[test]
    fn a_rank_that_is_busy_for_long_is_left_out() {
        let mut all = candidate(&[0, 1, 2]);
        for _ in 1..ENOUGH_BUSY {
            all.add_busy(&set(&[2]));
            assert!(all.without_busy(|_| panic!("it is too early to ask")).is_none());
        }
        all.add_busy(&set(&[2]));
        let rest = |busy: &BTreeSet<i32>| {
            assert_eq!(*busy, set(&[2]));
            Some(Stuck { ranks: vec![0, 1], ..Stuck::default() })
        };
        let fewer = all.without_busy(rest).unwrap();
        assert_eq!((fewer.stuck.ranks, fewer.doubted, fewer.quiet), (vec![0, 1], set(&[2]), 0));
    }

    #[test]
    fn a_rank_that_is_busy_now_and_then_stays() {
        let mut all = candidate(&[0, 1]);
        for _ in 0..4 * ENOUGH_BUSY {
            all.add_busy(&set(&[1]));
            all.add_busy(&set(&[]));
            assert_eq!(all.quiet, 1);
            assert!(all.without_busy(|_| panic!("nobody is busy")).is_none());
        }
    }

    #[test]
    fn a_circle_that_needs_the_busy_rank_is_kept_and_asked_about_once() {
        let mut all = candidate(&[0, 1]);
        let mut asked = 0;
        for _ in 0..4 * ENOUGH_BUSY {
            all.add_busy(&set(&[1]));
            let ask = |_: &BTreeSet<i32>| {
                asked += 1;
                None
            };
            assert!(all.without_busy(ask).is_none());
        }
        assert_eq!((asked, all.quiet), (1, 0));
    }
}
