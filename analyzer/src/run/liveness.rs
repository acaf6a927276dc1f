//! Do the processes of a trace still live? This host knows of its own alone; of others there may be a sign, or none. A process of
//! which nothing is known is never said to be gone: what the traces do not hold may still come.

use super::slurm;
use analyzer::hosts::list_hosts;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use trace_format::file::{RankHeader, stage_path_of};
use trace_format::head::Head;
use trace_format::run::over::Over;
use trace_format::run::{job, proc};
use trace_reader::reader::traces_in;

/// The state of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Liveness {
    Lives,
    Gone,
    /// It is on another host, and nothing tells.
    Unknown,
}

/// A process of any host: the host, its number there, and its start.
type Process = (String, u32, u64);

fn process_of(header: &RankHeader) -> Process {
    (header.host.clone(), header.pid, header.pid_start)
}

/// Looks at the processes of the traces in one directory.
pub(crate) struct Lives {
    dir: PathBuf,
    here: String,
    is_over: bool,
    /// Processes that came to their end.
    ended: OnceCell<BTreeSet<Process>>,
    /// The state of the batch system's job.
    batch: OnceCell<Liveness>,
}

impl Lives {
    /// `is_over`: the user says so.
    pub(crate) fn of(dir: &Path, is_over: bool) -> Lives {
        let is_over = is_over || Over::read(dir).is_some();
        Lives { dir: dir.to_owned(), here: proc::host(), is_over, ended: OnceCell::new(), batch: OnceCell::new() }
    }

    pub(crate) fn state(&self, header: &RankHeader) -> Liveness {
        if header.host == self.here {
            return if proc::lives(header.pid, header.pid_start) { Liveness::Lives } else { Liveness::Gone };
        }
        if self.is_over || self.has_ended(header) { Liveness::Gone } else { self.batch() }
    }

    pub(crate) fn is_gone(&self, header: &RankHeader) -> bool {
        self.state(header) == Liveness::Gone
    }

    /// Is the job still running? Says so, with `what` is shown then, and what is not known.
    pub(crate) fn tell<'a>(&self, headers: impl Iterator<Item = &'a RankHeader>, what: &str) -> bool {
        let (mut any, mut unseen) = (false, BTreeSet::new());
        for header in headers {
            match self.state(header) {
                Liveness::Gone => {}
                Liveness::Lives => any = true,
                Liveness::Unknown => _ = unseen.insert(&*header.host),
            }
        }
        if any {
            eprintln!("mpivet: the job is still running; {what}");
        } else if !unseen.is_empty() {
            eprintln!(
                "mpivet: the job may still be running: its processes on {} cannot be seen from here; {what}. If it is \
                 over, say --over",
                list_hosts(&unseen)
            );
        }
        any || !unseen.is_empty()
    }

    /// Did it come to its end, and take its stages away?
    fn has_ended(&self, header: &RankHeader) -> bool {
        let ended = self.ended.get_or_init(|| {
            let has_stage = |stem: &str| stage_path_of(&self.dir, stem, 0).exists();
            let stems = traces_in(&self.dir).unwrap_or_default().into_iter().filter(|stem| !has_stage(stem));
            let heads = stems.filter_map(|stem| Head::open(&self.dir, &stem).ok()).filter(|head| head.has_ended);
            heads.map(|head| process_of(&head.header)).collect()
        });
        ended.contains(&process_of(header))
    }

    fn batch(&self) -> Liveness {
        *self.batch.get_or_init(|| {
            let job = job::read(&self.dir).or_else(|_| job::read_early(&self.dir));
            let batch = job.ok().and_then(|job| job.slurm);
            match batch.and_then(|batch| slurm::runs(&batch)) {
                Some(true) => Liveness::Lives,
                Some(false) => Liveness::Gone,
                None => Liveness::Unknown,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::file::rank_stem;
    use trace_format::mpi::Rows;

    fn header(rank: i32, host: &str) -> RankHeader {
        RankHeader {
            rank,
            host: host.into(),
            pid: std::process::id() + rank as u32,
            pid_start: 1,
            rows: Rows::all(),
            ..RankHeader::default()
        }
    }

    #[test]
    fn a_process_on_another_host_is_not_gone_as_long_as_nobody_says_so() {
        let dir = std::env::temp_dir().join(format!("mpivet-liveness-{}", std::process::id()));
        trace_format::owner_only::make_dir(&dir).unwrap();
        let put = |rank: i32, rate: u64| {
            let mut head = trace_format::writer::file_header(&header(rank, "no such host"));
            let rate_at = head.len() - trace_format::file::RATE_BYTES;
            head[rate_at..].copy_from_slice(&rate.to_le_bytes());
            std::fs::write(trace_format::file::trace_path(&dir, &rank_stem(rank)), head).unwrap();
        };
        [(0, 0), (1, 7), (2, 7)].into_iter().for_each(|(rank, rate)| put(rank, rate));
        std::fs::write(stage_path_of(&dir, &rank_stem(2), 0), "").unwrap();
        let [elsewhere, ended, ending] = [0, 1, 2].map(|rank| header(rank, "no such host"));
        let lives = |is_over| Lives::of(&dir, is_over);
        assert_eq!(lives(false).state(&ending), Liveness::Unknown);
        assert_eq!(lives(false).state(&elsewhere), Liveness::Unknown);
        assert_eq!(lives(false).state(&ended), Liveness::Gone);
        assert_eq!(lives(true).state(&elsewhere), Liveness::Gone);
        let here = RankHeader { pid_start: proc::start(std::process::id()).unwrap(), ..header(0, &proc::host()) };
        assert_eq!(lives(true).state(&here), Liveness::Lives);
        assert_eq!(lives(false).state(&header(0, &proc::host())), Liveness::Gone);
        Over::default().write(&dir).unwrap();
        assert_eq!(lives(false).state(&elsewhere), Liveness::Gone);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
