//! Watches a running job: reads what its ranks record, asks the engine whether some of them can never go on, and
//! looks for proof before it says so.
//!
//! A verdict needs three things. The engine says that a set of ranks waits in a way that nothing outside can end.
//! A second reading of all traces brings no event of these ranks: so there was a moment, between the readings, when
//! all of them waited at once. And each rank whose call might still be served by what is under way inside the MPI
//! library had the chance to go on and did not ([`super::evidence`]).

use super::evidence::{Activity, Witness, hostname, look};
use super::launch::Launched;
use super::stop::Process;
use analyzer::engine::Stuck;
use analyzer::observe::Observer;
use std::collections::{BTreeMap, BTreeSet};
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
    /// These ranks can never go on.
    Proven(Stuck),
}

/// A set of ranks that seem to wait for ever.
struct Candidate {
    stuck: Stuck,
    witnesses: BTreeMap<i32, Witness>,
    /// Readings since, none of which brought an event of these ranks.
    readings: u32,
}

impl Candidate {
    fn new(stuck: Stuck) -> Candidate {
        let witnesses = stuck.uncertain.iter().map(|&rank| (rank, Witness::default())).collect();
        Candidate { stuck, witnesses, readings: 0 }
    }

    fn concerns(&self, ranks: &BTreeSet<i32>) -> bool {
        self.stuck.ranks.iter().chain(&self.stuck.uncertain).any(|r| ranks.contains(r))
    }

    /// Looks at the processes once more. True when the case is proved.
    fn is_proved(&mut self, observer: &Observer, now: Instant) -> bool {
        self.readings += 1;
        let mut proved = self.readings > 1 || self.witnesses.is_empty();
        let process = |rank: i32| observer.traces.header(rank).map(Process::of);
        for (&rank, witness) in &mut self.witnesses {
            let Some(process) = process(rank) else { return false };
            witness.add(look(process.pid, process.start), now);
            proved &= witness.proves();
        }
        // A rank that was killed in its call is not waiting: the launcher will end the job, and the report says why.
        proved
            && self
                .stuck
                .ranks
                .iter()
                .all(|&rank| process(rank).is_some_and(|p| look(p.pid, p.start).activity != Activity::Gone))
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
                    return End::Proven(stuck);
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
