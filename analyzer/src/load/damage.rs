//! Damage: parts of traces that could not be read, and processes of which nothing is known.

use super::{Trace, Traces};
use crate::hosts::list_hosts;
use report::Damage;
use std::path::{Path, PathBuf};
use trace_format::file::{RankHeader, rank_of_stem};
use trace_reader::reader::Sight;

impl Traces {
    /// Ranks of which nothing is known but that they called MPI_Init, or whose trace broke off while it was read.
    pub fn unknown(&self) -> Vec<i32> {
        let is_unknown =
            |trace: &Trace| trace.failed.is_some() || self.is_empty(trace) || self.stages_elsewhere(trace).is_some();
        self.ranks.iter().filter(|(_, trace)| is_unknown(trace)).map(|(rank, _)| *rank).collect()
    }

    /// Were processes killed, maybe before they could record?
    fn is_cut_short(&self, is_stopped: bool) -> bool {
        is_stopped || self.ranks.values().any(|trace| trace.notes.ended_job)
    }

    /// Ranks without a trace, whose mistakes are in no report.
    pub fn untraced(&self, missing: &[i32], is_stopped: bool) -> Option<Damage> {
        // Findings of processes that never got through MPI_Init say why there are no others.
        let is_explained = self.knows_nobody() || !self.early().is_empty();
        if missing.is_empty() || is_explained || self.is_cut || self.is_cut_short(is_stopped) {
            return None;
        }
        let hosts = self.headers().map(|header| &*header.host).collect();
        let what = format!(
            "no trace of {}, but only of ranks on {}: do all nodes share the directory, and do mpivet's variables reach them?",
            self.worlds.names().list(missing),
            list_hosts(&hosts)
        );
        Some(Damage::new(None, what))
    }

    /// Has the trace no call, and no stage that could hold one? Then no stage could be made.
    fn is_empty(&self, trace: &Trace) -> bool {
        !self.is_cut && trace.notes.events == 0 && self.stage(trace).is_none()
    }

    fn stage(&self, trace: &Trace) -> Option<PathBuf> {
        trace.reader.header.stage(&self.dir, trace.reader.stem(), 0)
    }

    /// The directory with the stages of a process whose end is not recorded, if they cannot be seen from here.
    fn stages_elsewhere<'a>(&self, trace: &'a Trace) -> Option<&'a Path> {
        let is_copied = trace.reader.sight() == Sight::AtRest;
        let is_open = !trace.notes.ended && !self.is_cut;
        trace.reader.header.apart().filter(|_| is_open && !is_copied && self.stage(trace).is_none())
    }

    /// The parts that could not be read, in a fixed order. A process that recorded nothing is no damage if the job was
    /// stopped, or if another process ended the job: it was killed before it could record.
    pub fn damage(&self, is_stopped: bool) -> Vec<Damage> {
        let is_cut_short = self.is_cut_short(is_stopped);
        let mut all = Vec::new();
        for (stem, why) in &self.unopened {
            let rank = rank_of_stem(stem).filter(|r| r.1).map(|r| r.0);
            all.push(Damage::new(rank, why.to_string()));
        }
        let most = self.worlds.most();
        if let Some(size) = self.headers().map(|h| h.size).filter(|s| *s > most).max() {
            let what = format!("a trace says that there are {size} ranks, of which only {} have one", self.ranks.len());
            all.push(Damage::new(None, what));
        }
        for (&rank, trace) in &self.ranks {
            let rank = Some(rank);
            let gap = trace.notes.gap.map(|gap| missing_calls(&trace.reader.header, gap));
            let is_wanted = trace.reader.header.retention.max_bytes > 0;
            all.extend(gap.map(|what| Damage { is_wanted, ..Damage::new(rank, what) }));
            let whole = trace.failed.iter().chain(&trace.notes.lost);
            all.extend(whole.map(|what| Damage::new(rank, what.clone())));
            if let Some(apart) = self.stages_elsewhere(trace) {
                let (apart, host) = (apart.display(), &trace.reader.header.host);
                let what = format!("its last calls are in {apart} on {host}: run mpivet analyze there first");
                all.push(Damage::new(rank, what));
            } else if self.is_empty(trace) && !is_cut_short {
                let what = "the trace holds nothing but its header: was the disk full, or the process killed?".into();
                all.push(Damage::new(rank, what));
            }
            let told = trace.reader.defects.told();
            all.extend(told.map(|d| Damage { offset: Some(d.offset), ..Damage::new(rank, d.what) }));
        }
        all.sort();
        all.dedup();
        all
    }
}

/// Says which calls are missing at the beginning of a trace, the last of them at `until`.
fn missing_calls(header: &RankHeader, (calls, until): (u64, u64)) -> String {
    let ticks = until.saturating_sub(header.start_ticks);
    let seconds = ticks as f64 / header.ticks_per_second.max(1) as f64;
    let place = if ticks == 0 { String::new() } else { format!(" in the first {seconds:.3} s") };
    let calls = if calls == 0 { "calls".to_owned() } else { format!("{calls} calls") };
    let why = match header.retention.max_bytes {
        0 => String::new(),
        bytes => format!(" (only the last {} MB are kept)", bytes >> 20),
    };
    format!(
        "{calls}{place} are missing{why}: from there on messages, collectives, requests and deadlocks \
         are not judged"
    )
}
