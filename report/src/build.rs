//! Makes a report of findings: looks up the source lines and puts everything in its final order.

use crate::damage::Damage;
use crate::fingerprint;
use crate::order::order;
use crate::report::{FailOn, Incomplete, Report, RunInfo};
use crate::samples::{Key, Samples, Summary};
use crate::schema::SCHEMA;
use crate::sites::site;
use crate::symbols::{Symbols, user_frame};
use crate::view::{
    Defect, FindingView, MISSING, Member, MorePaths, Mpi, PathView, QueueView, RankEndView, SampleView, Task, Waits,
    hidden_view, member,
};
use engine::limit::Hidden;
use engine::worlds::Names;
use engine::{Queued, RankEnd, RankSummary};
use nix::sys::signal::Signal;
use std::collections::BTreeMap;
use trace_format::finding::{Finding, Path, Severity, Waiting};

impl Report {
    /// Looks up the source lines and puts everything in its final order.
    pub fn new(run: RunInfo, mut findings: Vec<Finding>, ranks: &[RankSummary], symbols: &mut Symbols) -> Report {
        findings.sort_by_key(order);
        let count = |s: Severity, hidden: fn(&Hidden) -> u64| {
            let hidden: u64 = run.hidden.iter().map(hidden).sum();
            findings.iter().filter(|f| f.severity == s).count() + hidden as usize
        };
        let errors = count(Severity::Error, |h| h.errors);
        let warnings = count(Severity::Warning, |h| h.warnings);
        let notes = count(Severity::Note, |h| h.notes);
        let mut ended: BTreeMap<i32, RankEndView> = ranks.iter().map(|r| (r.rank, ended(r, &run, symbols))).collect();
        for &rank in &run.missing {
            ended.entry(rank).or_insert_with(|| RankEndView::missing(rank, &run.names));
        }
        // The signal interrupted nothing if all ranks came to their normal end all the same.
        let signal = run.interrupted.filter(|_| ended.values().any(|rank| rank.end != "normal"));
        let interrupted =
            signal.and_then(|signal| Signal::try_from(signal).ok()).map(|signal| signal.as_str().to_owned());
        let mut findings: Vec<FindingView> = findings.iter().map(|f| view(f, &run.names, symbols)).collect();
        fingerprint::assign(&mut findings);
        let mut hints = hints(&findings, symbols);
        hints.extend(run.remarks);
        let queues = run.queues.iter().map(|q| queue(q, &run.names, symbols)).collect();
        let names = run.names;
        let samples = samples(&run.samples, &names);
        let has_more = run.has_dumps || !samples.is_empty();
        let defect = |d: Damage| {
            let member = d.rank.map(|r| member(r, &names));
            let world = member.map_or(0, |m| m.world);
            let Damage { rank: process, offset, what, is_wanted } = d;
            Defect { world, rank: member.map(|m| m.rank), process, offset, what, is_wanted }
        };
        let mut report = Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
            failure: None,
            mpi: Mpi { family: run.mpi.family, library: run.mpi.library, standard: run.mpi.standard },
            task: Task {
                program: run.program,
                arguments: run.arguments,
                ranks: run.ranks,
                ended: ended.into_values().collect(),
                errors,
                warnings,
                notes,
                stopped: run.stopped,
                interrupted,
                trace_dir: run.trace_dir,
                defects: run.damage.into_iter().map(defect).collect(),
                hidden: run.hidden.into_iter().map(|h| hidden_view(h, &names)).collect(),
            },
            findings,
            queues,
            samples,
            exploration: None,
            suppressed: Vec::new(),
            unused_suppressions: Vec::new(),
            baseline: None,
            statistics: None,
            jobs: Vec::new(),
            timeline: None,
            hints,
            max_findings: run.max_findings,
            names,
            protocol: None,
            phases: Vec::new(),
            leapt: 0,
            checks: run.checks,
            directory: run.directory,
            fail_on: FailOn::Error,
            incomplete: Incomplete::default(),
            has_more,
            cut: run.cut,
        };
        report.clean();
        report
    }
}

/// Ranks of the first world, and those of others.
fn worlds(processes: &[i32], names: &Names) -> (Vec<i32>, Vec<Member>) {
    let (first, others): (Vec<Member>, Vec<Member>) =
        processes.iter().map(|r| member(*r, names)).partition(|m| m.world == 0);
    (first.iter().map(|m| m.rank).collect(), others)
}

fn path(path: &Path, f: &Finding, names: &Names, symbols: &mut Symbols) -> PathView {
    let (ranks, others) = worlds(&path.ranks, names);
    PathView {
        message: (path.message != f.message).then(|| path.message.clone()),
        ranks,
        others,
        count: path.count,
        sites: path.calls.iter().map(|c| site(c, names, symbols)).collect(),
        processes: path.ranks.clone(),
    }
}

fn view(f: &Finding, names: &Names, symbols: &mut Symbols) -> FindingView {
    let (ranks, others) = worlds(&f.ranks, names);
    FindingView {
        check: f.check.name,
        code: f.check.code,
        fingerprint: String::new(),
        severity: f.severity.name(),
        message: f.message.clone(),
        ranks,
        others,
        count: f.count,
        notes: f.notes.clone(),
        sites: f.calls.iter().map(|c| site(c, names, symbols)).collect(),
        paths: f.paths.iter().map(|p| path(p, f, names, symbols)).collect(),
        more_paths: MorePaths { paths: f.more_paths.0, count: f.more_paths.1 },
        waits: f.waits.iter().map(|w| waits(w, names, symbols)).collect(),
        run: None,
        under: None,
        came_true: None,
        jobs: Vec::new(),
        rerun: f.rerun,
    }
}

fn samples(samples: &Samples, names: &Names) -> Vec<SampleView> {
    let view = |(key, summary): (&Key, &Summary)| SampleView {
        member: member(key.process, names),
        variable: key.variable.clone(),
        comm: key.comm,
        readings: summary.readings,
        least: summary.least,
        most: summary.most,
        last: summary.last,
        note: samples.note(key, names),
    };
    samples.iter().map(view).collect()
}

fn waits(w: &Waiting, names: &Names, symbols: &mut Symbols) -> Waits {
    let places = symbols.frames(w.rank, w.site, 0);
    let place = user_frame(&places).and_then(|user| places.get(user)).filter(|p| !p.file.is_empty() && p.line > 0);
    Waits {
        member: member(w.rank, names),
        process: w.rank,
        thread: w.thread,
        event: w.event,
        function: w.function.clone(),
        short: place.map(|p| symbols.short_path(w.rank, &p.file).to_owned()).unwrap_or_default(),
        file: place.map(|p| p.file.clone()),
        line: place.map(|p| p.line),
        waits_for: w.waits_for.iter().map(|r| member(*r, names)).collect(),
        processes: w.waits_for.clone(),
        any: w.any,
    }
}

fn queue(queued: &Queued, names: &Names, symbols: &mut Symbols) -> QueueView {
    QueueView {
        member: member(queued.rank, names),
        process: queued.rank,
        communicator: queued.comm.clone(),
        queue: queued.queue.name(),
        kind: queued.queue,
        peer: queued.peer.map(|p| member(p, names)),
        peer_process: queued.peer,
        tag: queued.tag,
        bytes: queued.bytes,
        count: queued.count,
        site: site(&queued.call, names, symbols),
    }
}

fn ended(r: &RankSummary, run: &RunInfo, symbols: &mut Symbols) -> RankEndView {
    let end = match r.end {
        _ if run.missing.contains(&r.rank) => MISSING,
        _ if run.running.contains(&r.rank) => "running",
        RankEnd::Normal => "normal",
        RankEnd::Abend => "abend",
        RankEnd::Abort => "abort",
        RankEnd::Stopped => "stopped",
        RankEnd::Unknown => "unknown",
    };
    RankEndView {
        member: member(r.rank, &run.names),
        process: r.rank,
        end,
        exit_status: r.exit_status,
        calls: r.calls,
        sends: r.sends,
        recvs: r.recvs,
        collectives: r.collectives,
        unfinished: r.unfinished,
        unfinished_sends: r.unfinished_sends,
        unfinished_recvs: r.unfinished_recvs,
        current: r.current.as_ref().map(|c| site(c, &run.names, symbols)),
        events: r.events,
    }
}

impl RankEndView {
    fn missing(process: i32, names: &Names) -> RankEndView {
        RankEndView {
            member: member(process, names),
            process,
            end: MISSING,
            exit_status: None,
            calls: 0,
            sends: 0,
            recvs: 0,
            collectives: 0,
            unfinished: 0,
            unfinished_sends: 0,
            unfinished_recvs: 0,
            current: None,
            events: 0,
        }
    }
}

fn hints(findings: &[FindingView], symbols: &Symbols) -> Vec<String> {
    let mut hints: Vec<String> = symbols.problems().iter().map(|(path, why)| format!("{path}: {why}")).collect();
    let bare = findings.iter().flat_map(|f| &f.sites).find(|s| s.line.is_none() && s.stack.len() > s.user);
    let module = bare.and_then(|s| s.stack[s.user].module.as_deref());
    if let Some(module) = module.filter(|m| !symbols.problems().contains_key(*m)) {
        hints.push(format!("{module} has no line numbers: compile with -g to see source lines"));
    }
    for path in symbols.changed() {
        hints
            .push(format!("{} was changed after the run: its lines may be others than those that ran", path.display()));
    }
    hints
}
