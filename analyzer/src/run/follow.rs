//! Watches a running job: reads what its ranks record, asks the engine whether some of them can never go on, and
//! looks for proof before it says so.
//!
//! A verdict needs three things. The engine says that a set of ranks waits in a way that nothing outside can end.
//! A second reading of all traces brings no event of these ranks: so there was a moment, between the readings, when
//! all of them waited at once. And each rank whose call might still be served by what is under way inside the MPI
//! library had the chance to go on and did not ([`super::evidence`]).

use super::evidence::{Activity, Case, Look, hostname, look};
use super::launch::Launched;
use analyzer::engine::Stuck;
use analyzer::observe::Observer;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Pause between two readings.
const PAUSE: Duration = Duration::from_millis(20);
/// The same when nothing has happened for a while.
const IDLE_PAUSE: Duration = Duration::from_millis(50);
const IDLE_AFTER: Duration = Duration::from_secs(2);
/// How long a running job is watched for a verdict on its present state.
const WATCH: Duration = Duration::from_secs(2);
/// Events of one reading from which on there is probably more to read at once.
const BACKLOG: u64 = 4096;
/// While all ranks go on, none of them waits and there is no hurry: reading takes at most a third of a processor, which
/// the ranks may need, until so many bytes are unread (about half a second of work).
const LAG: u64 = 64 << 20;
/// While other ranks go on, the engine is asked this often.
const ASK_EVERY: Duration = Duration::from_millis(250);

/// Why following ended.
pub(crate) enum End {
    /// The launcher is gone.
    Over,
    /// These ranks can never go on: known so long after the last event of the job.
    Proven(Stuck, Duration),
}

/// A set of ranks that seem to wait for ever.
struct Candidate {
    stuck: Stuck,
    case: Case,
}

impl Candidate {
    fn new(stuck: Stuck) -> Candidate {
        Candidate { stuck, case: Case::default() }
    }

    fn concerns(&self, ranks: &BTreeSet<i32>) -> bool {
        self.stuck.ranks.iter().chain(&self.stuck.uncertain).any(|r| ranks.contains(r))
    }

    /// Looks at the processes once more. True when the case is proved.
    fn is_proved(&mut self, observer: &Observer, now: Instant) -> bool {
        let look_at = |rank: &i32| match observer.traces.header(*rank) {
            Some(header) => look(header.pid, header.pid_start),
            None => Look::GONE,
        };
        let looks: Vec<Look> = self.stuck.uncertain.iter().map(look_at).collect();
        // A rank that was killed in its call is not waiting: the launcher will end the job, and the report says why.
        self.case.add(&looks, now) && self.stuck.ranks.iter().all(|r| look_at(r).activity != Activity::Gone)
    }
}

/// Follows the job until its launcher ends, or until a set of ranks is proved to wait for ever. If `stop` is false the
/// proof is only told.
pub(crate) fn follow(observer: &mut Observer, job: &mut Launched, stop: bool) -> End {
    let here = hostname();
    let mut candidate: Option<Candidate> = None;
    // Something happened since the engine was asked.
    let mut unasked = false;
    let mut last_news = Instant::now();
    let mut last_asked = Instant::now();
    let mut told = Vec::new();
    while !job.has_ended() {
        let now = Instant::now();
        let news = observer.poll();
        if !news.is_empty() {
            last_news = now;
            unasked = true;
            candidate = candidate.filter(|c| !c.concerns(&news));
        }
        let asked_lately = now - last_asked < ASK_EVERY;
        if candidate.as_mut().is_some_and(|c| c.is_proved(observer, now)) {
            let Some(Candidate { stuck, .. }) = candidate.take() else { continue };
            if stop {
                return End::Proven(stuck, last_news.elapsed());
            }
            if told != stuck.ranks {
                told = stuck.ranks;
                eprintln!(
                    "mpivet: {} wait for ever; the job goes on because of --no-stop, the report comes at its end",
                    observer.traces.worlds.names().list(&told)
                );
            }
        } else if candidate.is_none() && unasked && (news.is_empty() || !asked_lately) && can_see_all(observer, &here) {
            candidate = observer.stuck().map(Candidate::new);
            unasked = false;
            last_asked = now;
        }
        let all_go_on = observer.traces.headers().all(|h| news.contains(&h.rank));
        let pause = if all_go_on && observer.traces.unread() < LAG {
            PAUSE.max(2 * now.elapsed())
        } else if observer.last_events >= BACKLOG {
            Duration::ZERO
        } else if candidate.is_none() && last_news.elapsed() > IDLE_AFTER {
            IDLE_PAUSE
        } else {
            PAUSE
        };
        job.rest(pause);
    }
    End::Over
}

/// Is the job stuck as it is now? Watches it for a moment.
pub(crate) fn is_stuck(observer: &mut Observer) -> bool {
    let here = hostname();
    let until = Instant::now() + WATCH;
    let mut candidate: Option<Candidate> = None;
    while Instant::now() < until {
        let news = observer.poll();
        candidate = candidate.filter(|c| !c.concerns(&news));
        if let Some(c) = &mut candidate {
            if c.is_proved(observer, Instant::now()) {
                return true;
            }
        } else {
            candidate = if can_see_all(observer, &here) { observer.stuck().map(Candidate::new) } else { None };
            if candidate.is_none() && news.is_empty() {
                return false;
            }
        }
        std::thread::sleep(PAUSE);
    }
    false
}

/// All ranks have a trace, and their processes are on this host.
fn can_see_all(observer: &Observer, here: &str) -> bool {
    observer.is_complete() && observer.traces.headers().all(|h| h.host == here)
}
