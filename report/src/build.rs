//! Makes a report of findings: looks up the source lines and puts everything in its final order.

use super::order::order;
use super::queues::QueueView;
use super::statement::statement;
use super::view::{
    Defect, Ended, FindingView, Frame, HiddenView, Member, MorePaths, Mpi, PathView, SampleView, Site, Task, Waits,
};
use super::{Report, RunInfo, SCHEMA, fingerprint};
use crate::Damage;
use crate::samples::{Course, Key, Samples};
use crate::symbols::{Symbols, is_user, library, user_frame};
use engine::limit::Hidden;
use engine::worlds::Names;
use engine::{RankEnd, RankSummary};
use nix::sys::signal::Signal;
use std::collections::BTreeMap;
use trace_format::finding::{CallRef, Finding, Path, Severity, Waiting};
use trace_format::location::Location;

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
        let mut ended: BTreeMap<i32, Ended> = ranks.iter().map(|r| (r.rank, ended(r, &run, symbols))).collect();
        for &rank in &run.missing {
            ended.entry(rank).or_insert_with(|| Ended::missing(rank, &run.names));
        }
        // A rank that came to an end all the same was not interrupted.
        let signal = run.interrupted.filter(|_| ended.values().any(|rank| rank.end != "normal"));
        let interrupted =
            signal.and_then(|signal| Signal::try_from(signal).ok()).map(|signal| signal.as_str().to_owned());
        let mut findings: Vec<FindingView> = findings.iter().map(|f| view(f, &run.names, symbols)).collect();
        fingerprint::assign(&mut findings);
        let mut hints = hints(&findings, symbols);
        hints.extend(run.remarks);
        let queues = run.queues.iter().map(|q| QueueView::new(q, &run.names, symbols)).collect();
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
            fail_on: super::FailOn::Error,
            incomplete: super::Incomplete::default(),
            has_more,
        };
        report.clean();
        report
    }
}

pub(super) fn member(process: i32, names: &Names) -> Member {
    let (world, rank) = names.of(process);
    Member { world, rank }
}

pub(super) fn hidden_view(h: Hidden, names: &Names) -> HiddenView {
    let member = h.rank.map(|r| member(r, names));
    let world = member.map_or(0, |m| m.world);
    HiddenView { world, rank: member.map(|m| m.rank), process: h.rank, findings: h.findings() }
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
    let view = |(key, course): (&Key, &Course)| SampleView {
        member: member(key.process, names),
        variable: key.variable.clone(),
        comm: key.comm,
        readings: course.readings,
        least: course.least,
        most: course.most,
        last: course.last,
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

pub(super) fn site(call: &CallRef, names: &Names, symbols: &mut Symbols) -> Site {
    let places = symbols.frames(call.rank, call.site, call.pc);
    let user = user_frame(&places).unwrap_or(0);
    let place = places.get(user).filter(|p| !p.file.is_empty() && p.line > 0);
    let file = place.map(|p| p.file.clone());
    let line = place.map(|p| p.line);
    let mut text = |line: u32| file.as_ref().and_then(|f| symbols.source(call.rank, f, line));
    let source = line.and_then(&mut text);
    let before = line.filter(|l| *l > 1).and_then(|l| text(l - 1));
    let around = line.filter(|_| source.is_some()).map(|l| {
        let first = l.saturating_sub(AROUND).max(1);
        (first, (first..=l.saturating_add(AROUND)).map_while(&mut text).collect())
    });
    let statement = match (&file, line) {
        (Some(file), Some(line)) => statement(symbols, call.rank, file, line, &call.function),
        _ => None,
    };
    Site {
        member: member(call.rank, names),
        process: call.rank,
        thread: call.thread,
        function: call.function.clone(),
        call: call.text.clone(),
        role: call.role.clone(),
        short: file.as_ref().map(|f| symbols.short_path(call.rank, f).to_owned()).unwrap_or_default(),
        file,
        line,
        source,
        before,
        statement,
        around,
        span: call.span,
        stack: places.iter().map(|p| frame(p, symbols.short_path(call.rank, &p.file))).collect(),
        event: call.event,
        library: library(&places),
        user,
    }
}

fn frame(place: &Location, short: &str) -> Frame {
    let text = |t: &str| (!t.is_empty()).then(|| t.to_owned());
    Frame {
        function: text(&place.function),
        file: text(&place.file),
        line: (place.line > 0).then_some(place.line),
        module: text(&place.module),
        offset: place.offset,
        short: short.to_owned(),
        is_user: is_user(place),
    }
}

/// Lines before and behind the one of a call that reports with room for them show.
const AROUND: u32 = 4;

fn ended(r: &RankSummary, run: &RunInfo, symbols: &mut Symbols) -> Ended {
    let end = match r.end {
        _ if run.missing.contains(&r.rank) => MISSING,
        _ if run.running.contains(&r.rank) => "running",
        RankEnd::Normal => "normal",
        RankEnd::Abend => "abend",
        RankEnd::Abort => "abort",
        RankEnd::Stopped => "stopped",
        RankEnd::Unknown => "unknown",
    };
    Ended {
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

/// The end of a rank that left no trace.
pub(super) const MISSING: &str = "missing";

impl Ended {
    fn missing(process: i32, names: &Names) -> Ended {
        Ended {
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
