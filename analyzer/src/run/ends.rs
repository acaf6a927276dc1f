//! In which order the processes of a job have ended, on all hosts of which that is known.

use agents::ends::{End, EndWatch};
use agents::hub::Hub;
use agents::wire::message::ProcessId;
use analyzer::observe::Observer;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use trace_format::file::RankHeader;
use trace_format::run::over::{Death, EndsSeen};

/// Agents tell of two ends at one time within this time: nothing is said of their order.
const NETWORK: Duration = Duration::from_millis(100);

/// Watches the processes of this host, and collects what agents tell of others.
pub(super) struct Ends {
    start: Instant,
    watch: EndWatch,
    here: Arc<Mutex<Vec<End>>>,
}

impl Ends {
    pub(super) fn start() -> Ends {
        let here = Arc::<Mutex<Vec<End>>>::default();
        let all = here.clone();
        let watch = EndWatch::start(move |end| all.lock().unwrap_or_else(|e| e.into_inner()).push(end));
        Ends { start: Instant::now(), watch, here }
    }

    /// Watches the ranks on this host, as far as they are new.
    pub(super) fn add(&mut self, observer: &Observer, here: &str) {
        for header in observer.traces.headers().filter(|header| header.host == here) {
            self.watch.add(ProcessId { pid: header.pid, start: header.pid_start });
        }
    }

    /// The ends of ranks that were seen.
    pub(super) fn finish(self, observer: &Observer, here: &str, hub: Option<&Hub>) -> EndsSeen {
        self.watch.finish();
        let local = std::mem::take(&mut *self.here.lock().unwrap_or_else(|e| e.into_inner()));
        let local = local.into_iter().map(|end| (here.to_owned(), end));
        let mut all: Vec<(String, End)> = local.chain(hub.map(Hub::ends).unwrap_or_default()).collect();
        all.sort_by_key(|(_, end)| end.at);
        let rank = |host: &str, process: ProcessId| {
            let is_it = |h: &&RankHeader| h.host == host && h.pid == process.pid && h.pid_start == process.start;
            observer.traces.headers().find(is_it).map(|header| header.rank)
        };
        let deaths = in_order(all, self.start);
        let of_rank = |(process, d): (ProcessId, Death)| Some(Death { rank: rank(&d.host, process)?, ..d });
        let lost_hosts = hub.map(Hub::lost).unwrap_or_default();
        EndsSeen { deaths: deaths.into_iter().filter_map(of_rank).collect(), lost_hosts }
    }
}

/// The ends by their times; those of different hosts are at one time if they differ by no more than the network may.
fn in_order(all: Vec<(String, End)>, start: Instant) -> Vec<(ProcessId, Death)> {
    let mut deaths: Vec<(ProcessId, Death)> = Vec::new();
    for (host, End { process, at, status, is_alone }) in all {
        let mut after = at.saturating_duration_since(start).as_nanos() as u64;
        if let Some((_, last)) = deaths.last().filter(|(_, last)| last.host != host)
            && after.saturating_sub(last.after_ns) < NETWORK.as_nanos() as u64
        {
            after = last.after_ns;
        }
        deaths.push((process, Death { rank: -1, host, after_ns: after, status, is_alone }));
    }
    deaths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_on_two_hosts_at_about_one_time_have_no_order() {
        let start = Instant::now();
        let end = |host: &str, pid: u32, ms: u64| {
            let at = start + Duration::from_millis(ms);
            (host.to_owned(), End { process: ProcessId { pid, start: 0 }, at, status: Some(9), is_alone: false })
        };
        let times = |all: Vec<_>| in_order(all, start).iter().map(|(_, d)| d.after_ns / 1_000_000).collect::<Vec<_>>();
        assert_eq!(times(vec![end("a", 1, 10), end("b", 2, 40), end("b", 3, 45)]), [10, 10, 45]);
        assert_eq!(times(vec![end("a", 1, 10), end("b", 2, 140), end("a", 3, 500)]), [10, 140, 500]);
        assert_eq!(times(vec![end("a", 1, 10), end("a", 2, 15)]), [10, 15]);
    }
}
