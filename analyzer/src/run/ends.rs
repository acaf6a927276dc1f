//! In which order the processes of a job have ended, on all hosts of which that is known.

use super::launcher_words::{DeathTold, Who};
use agents::ends::{End, EndWatch};
use agents::hub::Hub;
use agents::wire::message::ProcessId;
use analyzer::observe::Observer;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use trace_format::file::RankHeader;
use trace_format::run::over::{Death, EndsSeen};

/// Agents tell of two ends at one time within this time: nothing is said of their order.
const NETWORK: Duration = Duration::from_millis(100);

/// A file tells later.
const FILES: Duration = Duration::from_secs(5);

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

    /// The ends of ranks that were seen, and of others `told` by the launcher.
    pub(super) fn finish(self, observer: &Observer, here: &str, hub: Option<&Hub>, told: &[DeathTold]) -> EndsSeen {
        self.watch.finish();
        let local = std::mem::take(&mut *self.here.lock().unwrap_or_else(|e| e.into_inner()));
        let local = local.into_iter().map(|end| (here.to_owned(), end));
        let mut all: Vec<(String, End)> = local.chain(hub.map(Hub::ends).unwrap_or_default()).collect();
        all.sort_by_key(|(_, end)| end.at);
        let rank = |host: &str, process: ProcessId| {
            let is_it = |h: &&RankHeader| h.host == host && h.pid == process.pid && h.pid_start == process.start;
            observer.traces.headers().find(is_it).map(|header| header.rank)
        };
        let by_files = |host: &str| hub.is_some_and(|hub| hub.tells_by_files(host));
        let deaths = in_order(all, self.start, by_files);
        let of_rank = |(process, d): (ProcessId, Death)| Some(Death { rank: rank(&d.host, process)?, ..d });
        let lost_hosts = hub.map(Hub::lost).unwrap_or_default();
        let mut deaths: Vec<Death> = deaths.into_iter().filter_map(of_rank).collect();
        let is_seen = |host: &str| host == here || hub.is_some_and(|hub| hub.knows_ends(host));
        let unseen: Vec<_> = observer.traces.headers().filter(|header| !is_seen(&header.host)).collect();
        add_told(&mut deaths, told, &unseen);
        EndsSeen { deaths, lost_hosts }
    }
}

/// Adds deaths of these ranks that the launcher has told of. The one that it told first is the first, nothing else is known of
/// their times.
fn add_told(deaths: &mut Vec<Death>, told: &[DeathTold], headers: &[&RankHeader]) {
    // The name of a host may say nothing to this one.
    let is_only = |pid: u32| headers.iter().filter(|header| header.pid == pid).count() == 1;
    let after_ns = deaths.first().map_or(0, |first| first.after_ns);
    for (number, DeathTold { who, host, signal }) in told.iter().enumerate().rev() {
        let is_told = number == 0;
        let is_it = |header: &&&RankHeader| match who {
            Who::Ranks(ranks) => ranks.contains(&header.rank),
            Who::Pid(pid) => header.pid == *pid && (same_host(&header.host, host) || is_only(*pid)),
        };
        for header in headers.iter().filter(is_it) {
            if deaths.iter().all(|death| death.rank != header.rank) {
                let (rank, host) = (header.rank, header.host.clone());
                deaths.insert(0, Death { rank, host, after_ns, status: Some(*signal), is_alone: false, is_told });
            }
        }
    }
}

/// Launchers may leave the domain out, or name an address.
fn same_host(name: &str, told: &str) -> bool {
    let short = |name: &str| name.split('.').next().map(str::to_owned);
    match told.parse::<IpAddr>() {
        Ok(address) => (name, 0).to_socket_addrs().is_ok_and(|mut all| all.any(|found| found.ip() == address)),
        Err(_) => short(name) == short(told),
    }
}

/// The ends by their times; those of different hosts are at one time if they differ by no more than the network may, or the file
/// system.
fn in_order(all: Vec<(String, End)>, start: Instant, by_files: impl Fn(&str) -> bool) -> Vec<(ProcessId, Death)> {
    let delay = |is_by_file: bool| if is_by_file { FILES } else { NETWORK }.as_nanos() as u64;
    let mut deaths: Vec<(ProcessId, Death)> = Vec::new();
    for (host, End { process, at, status, is_alone }) in all {
        let mut after = at.saturating_duration_since(start).as_nanos() as u64;
        if let Some((_, last)) = deaths.last().filter(|(_, last)| last.host != host)
            && after.saturating_sub(last.after_ns) < delay(by_files(&host) || by_files(&last.host))
        {
            after = last.after_ns;
        }
        deaths.push((process, Death { rank: -1, host, after_ns: after, status, is_alone, is_told: false }));
    }
    deaths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_tell_of_ranks_that_nobody_sees() {
        let header = |rank: i32, host: &str| RankHeader {
            rank,
            pid: 100 + rank as u32,
            host: host.into(),
            ..Default::default()
        };
        let headers = [header(4, "node2.site"), header(5, "node3.site")];
        let mut deaths = vec![Death { rank: 0, host: "node1".into(), after_ns: 7, ..Default::default() }];
        let told = |who: Who, host: &str| DeathTold { who, host: host.into(), signal: 9 };
        add_told(
            &mut deaths,
            &[told(Who::Pid(105), "node3"), told(Who::Ranks(vec![0, 4, 5]), "node[1-3]")],
            &headers.iter().collect::<Vec<_>>(),
        );
        let found: Vec<_> = deaths.iter().map(|d| (d.rank, &*d.host, d.status, d.after_ns)).collect();
        let expected = [(4, "node2.site", Some(9), 7), (5, "node3.site", Some(9), 7), (0, "node1", None, 7)];
        assert_eq!(found.len(), 3);
        assert!(expected.iter().all(|death| found.contains(death)), "{found:?}");
    }

    #[test]
    fn ends_on_two_hosts_at_about_one_time_have_no_order() {
        let start = Instant::now();
        let end = |host: &str, pid: u32, ms: u64| {
            let at = start + Duration::from_millis(ms);
            (host.to_owned(), End { process: ProcessId { pid, start: 0 }, at, status: Some(9), is_alone: false })
        };
        let times = |all: Vec<_>| {
            in_order(all, start, |host| host == "f").iter().map(|(_, d)| d.after_ns / 1_000_000).collect::<Vec<_>>()
        };
        assert_eq!(times(vec![end("a", 1, 10), end("b", 2, 40), end("b", 3, 45)]), [10, 10, 45]);
        assert_eq!(times(vec![end("a", 1, 10), end("b", 2, 140), end("a", 3, 500)]), [10, 140, 500]);
        assert_eq!(times(vec![end("a", 1, 10), end("a", 2, 15)]), [10, 15]);
        assert_eq!(times(vec![end("a", 1, 10), end("f", 2, 3140), end("f", 3, 3150)]), [10, 10, 3150]);
    }
}
