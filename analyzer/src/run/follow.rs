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
use trace_format::ranks::Ranks;

/// Pause between two readings.
const PAUSE: Duration = Duration::from_millis(20);
/// The same when nothing has happened for a while.
const IDLE_PAUSE: Duration = Duration::from_millis(50);
const IDLE_AFTER: Duration = Duration::from_secs(2);
/// Events of one reading from which on there is probably more to read at once.
const BACKLOG: u64 = 4096;
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
    while !job.has_ended() {
        let news = observer.poll();
        let now = Instant::now();
        if !news.is_empty() {
            last_news = now;
            unasked = true;
            candidate = candidate.filter(|c| !c.concerns(&news));
        }
        if let Some(c) = &mut candidate {
            if c.is_proved(observer, now) {
                let stuck = candidate.take().expect("it was just looked at").stuck;
                if stop {
                    return End::Proven(stuck, last_news.elapsed());
                }
                tell(&stuck);
                unasked = false;
            }
        } else if unasked
            && (news.is_empty() || now - last_asked >= ASK_EVERY)
            && observer.is_complete()
            && observer.traces.headers().all(|h| h.host == here)
        {
            candidate = observer.stuck().map(Candidate::new);
            unasked = false;
            last_asked = now;
        }
        let pause = match candidate {
            _ if observer.last_events >= BACKLOG => Duration::ZERO,
            None if now - last_news > IDLE_AFTER => IDLE_PAUSE,
            _ => PAUSE,
        };
        job.rest(pause);
    }
    End::Over
}

fn tell(stuck: &Stuck) {
    let ranks: Ranks = stuck.ranks.iter().copied().collect();
    eprintln!("mpivet: ranks {ranks} wait for ever; the job goes on because of --no-stop, the report comes at its end");
}
