//! Findings of processes that never got through MPI_Init, so that they have no trace.

use engine::worlds::Names;
use report::merge;
use report::symbols::Symbols;
use trace_format::catalogue::by_name;
use trace_format::definition::Id;
use trace_format::finding::{CallRef, Finding};
use trace_format::location::Location;
use trace_format::run::early::{Early, EarlyFinding};
use trace_format::run::job::Job;
use trace_format::settings::selection::Selection;

/// Sites of their calls; those of traces count from 0.
const FIRST_SITE: Id = Id::MAX / 2;

/// Completes the description of the job by these processes where no trace has one, and lists the ranks without a trace.
pub(crate) fn introduce(early: &[Early], job: &mut Job, missing: &mut Vec<i32>) {
    let Some(first) = early.first() else { return };
    if job.program.is_empty() {
        job.program.clone_from(&first.program);
        job.arguments.clone_from(&first.arguments);
    }
    if job.ranks <= 0 {
        let seen = (0..).zip(early).map(|(at, early)| rank(early, at) + 1).max().unwrap_or(0);
        job.ranks = early.iter().filter_map(|e| e.size).max().unwrap_or(0).clamp(seen, MOST.max(seen));
        *missing = (0..job.ranks).collect();
    }
}

/// Limit of ranks and sizes: an environment may say anything.
const MOST: i32 = 1 << 20;

/// The rank of a process, or its place among those that nobody has numbered.
fn rank(early: &Early, at: i32) -> i32 {
    early.rank.filter(|rank| (0..MOST).contains(rank)).unwrap_or(at)
}

/// Their findings, for the report: ranks at the same place as one finding.
pub(crate) fn findings(early: &[Early], names: &Names, selection: &Selection, symbols: &mut Symbols) -> Vec<Finding> {
    let mut all = Vec::new();
    let mut site = FIRST_SITE;
    for (at, process) in (0..).zip(early) {
        let rank = rank(process, at);
        symbols.add_rank(rank, &process.cwd);
        symbols.started(process.unix_ns);
        for found in &process.findings {
            let frames = frames(found, symbols);
            symbols.set_frames(rank, site, frames);
            all.extend(finding(found, rank, site, names, selection));
            site += 1;
        }
    }
    merge::merge(all, symbols)
}

/// From where it was called, innermost first.
fn frames(found: &EarlyFinding, symbols: &mut Symbols) -> Vec<Location> {
    let all = found.frames.iter().flat_map(|frame| symbols.at(frame.clone()).to_vec());
    let mut frames: Vec<Location> = all.filter(|place| !place.is_inlined_binding()).collect();
    if let Some(first) = frames.first_mut() {
        *first = std::mem::take(first).or_interpreted(found.interpreted.as_ref());
    }
    frames
}

fn finding(found: &EarlyFinding, rank: i32, site: Id, names: &Names, selection: &Selection) -> Option<Finding> {
    let check = by_name(&found.check)?;
    let severity = selection.severity(check, check.severity)?;
    let call = CallRef {
        rank,
        thread: 0,
        event: 0,
        function: found.function.clone(),
        text: format!("{}(...)", found.function),
        site,
        pc: 0,
        role: "is made outside".into(),
        span: None,
    };
    let finding = Finding::new(check, format!("{}: {}", names.list(&[rank]), found.message), vec![call]);
    let note = "the job ended before this process got through MPI_Init: there is no trace of it";
    Some(Finding { severity, ..finding }.with_note(note))
}
