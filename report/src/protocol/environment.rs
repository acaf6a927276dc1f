//! The run besides its calls: communicators, places in the sources, the environment, the times of the analysis.

use super::page::{Page, line_and_file, stack};
use super::table::Table;
use crate::gate::Date;
use crate::groups::groups;
use crate::phases::PRINTING;
use engine::listeners::Communicator;
use engine::worlds::Names;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;
use trace_format::file::RankHeader;
use trace_format::ranks::Ranks;
use trace_format::run::job::Job;

impl Page<'_> {
    pub(super) fn communicators(&mut self) {
        let Some(protocol) = self.protocol else { return };
        self.heading("Communicators");
        // Every process may have one of its own.
        let alike = |c: &&Communicator| (c.ranks.len() == 1, if c.ranks.len() == 1 { 0 } else { c.number }, title(c));
        for same in groups(&protocol.communicators, alike) {
            let (first, remote) = (same[0], same[0].remote.as_ref());
            let numbers: Ranks = same.iter().map(|c| c.number as i32).collect();
            let runs = self.runs(&first.ranks).len();
            let whose = if same.len() > 1 { ", each of one process" } else { "" };
            let size = first.ranks.len();
            self.line(&format!(
                "comm = {numbers}   name = {}   Nproc = {size}{whose}   Ntriple = {runs}",
                title(first)
            ));
            self.triples(&same.iter().flat_map(|c| c.ranks.iter()).collect(), "  ");
            if let Some(remote) = remote {
                self.line(&format!(
                    "  remote group   Nproc = {}   Ntriple = {}",
                    remote.len(),
                    self.runs(remote).len()
                ));
                self.triples(remote, "  ");
            }
        }
    }

    /// First, last and step of the ranks of a group.
    pub(super) fn triples(&mut self, ranks: &Ranks, indent: &str) {
        for (first, last, step) in self.runs(ranks) {
            let (first, last) = (self.names().short(first), self.names().short(last));
            self.line(&format!("{indent}init = {first}   last = {last}   step = {step}"));
        }
    }

    /// The ranges as numbers of processes. None of them goes from one world into another.
    pub(super) fn runs(&self, ranks: &Ranks) -> Vec<(i32, i32, i32)> {
        let processes: Vec<i32> = ranks.iter().collect();
        let of_a_world = processes.chunk_by(|a, b| self.names().of(*a).0 == self.names().of(*b).0);
        of_a_world.flat_map(|part| part.iter().copied().collect::<Ranks>().runs().collect::<Vec<_>>()).collect()
    }

    /// All places that call MPI.
    pub(super) fn points(&mut self) {
        let Some(protocol) = self.protocol else { return };
        self.heading("Source code points");
        let mut table = Table::new(&["N", "line", "file", "function", "Nproc", "passes", "stack"]);
        for point in &protocol.points {
            let (line, file) = line_and_file(&point.site);
            let n = (table.len() + 1).to_string();
            let (processes, passes) = (point.processes.len().to_string(), point.passes.to_string());
            table.row(vec![n, line, file, point.site.function.clone(), processes, passes, stack(&point.site)]);
        }
        self.text.push_str(&table.to_string());
    }

    pub(super) fn environment(&mut self) {
        let Some(protocol) = self.protocol else { return };
        self.heading("Run environment");
        let width = protocol.environment.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
        for (what, value) in &protocol.environment {
            self.line(&format!("{what:<width$}  {value}"));
        }
    }

    /// The times of the analysis, up to here.
    pub(super) fn phases(&mut self, begin: Instant) {
        self.heading("Times of the analyzer's stages");
        let printed = (PRINTING, begin.elapsed().as_secs_f64());
        let mut table = Table::new(&["N", "stage", "seconds"]);
        for (name, seconds) in self.report.phases.iter().chain([&printed]) {
            table.row(vec![(table.len() + 1).to_string(), (*name).to_owned(), format!("{seconds:.6}")]);
        }
        self.text.push_str(&table.to_string());
    }
}

fn title(c: &Communicator) -> String {
    let kind = || format!("(unnamed {})", format!("{:?}", c.kind).to_lowercase());
    c.name.clone().unwrap_or_else(kind)
}

/// Facts of the program's environment. `dir`: the directory of its traces.
pub fn environment(job: &Job, headers: &[&RankHeader], names: &Names, dir: &Path) -> Vec<(&'static str, String)> {
    let mut all: Vec<(&'static str, String)> = Vec::new();
    let mut add = |what: &'static str, value: String| {
        if !value.trim().is_empty() {
            all.push((what, value.trim().replace('\n', " ")));
        }
    };
    add("program", job.program.clone());
    add("arguments", job.arguments.join(" "));
    add("working directory", job.cwd.clone());
    let mut hosts: BTreeMap<&str, Vec<i32>> = BTreeMap::new();
    headers.iter().for_each(|h| hosts.entry(&h.host).or_default().push(h.rank));
    let hosts = hosts.iter().map(|(host, ranks)| format!("{host} ({})", names.list(ranks)));
    add("hosts", hosts.collect::<Vec<_>>().join(", "));
    add("started", headers.iter().map(|h| h.start_unix_ns).min().map(date).unwrap_or_default());
    add("MPI library", job.mpi.library.clone());
    add("MPI standard", job.mpi.standard.clone());
    add("MPI family", job.mpi.family.clone());
    add("MPI device", job.mpi.device.clone());
    add("library file", job.mpi.path.clone());
    add("largest tag", job.tag_ub.map(|tag| tag.to_string()).unwrap_or_default());
    add("recorded by mpivet", job.mpivet.clone());
    for (name, value) in &job.options {
        add("option", format!("{name}={value}"));
    }
    add("trace", dir.display().to_string());
    all
}

/// A time in UTC.
fn date(unix_ns: u64) -> String {
    let seconds = unix_ns / 1_000_000_000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{} {hour:02}:{minute:02}:{second:02} UTC", Date::of(days))
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn times_are_dates() {
        for (seconds, expected) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (951_782_399, "2000-02-28 23:59:59 UTC"),
            (951_782_400, "2000-02-29 00:00:00 UTC"),
            (1_735_689_599, "2024-12-31 23:59:59 UTC"),
        ] {
            assert_eq!(date(seconds * 1_000_000_000 + 7), expected);
        }
    }
}
