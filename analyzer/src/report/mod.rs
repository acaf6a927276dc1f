//! Reports: findings and what is known of the run in, text or JSON out. Nothing here knows how a finding was made.
//! [`Report`] is what all formats render; its serialized form is the JSON report (`analyzer/schema/report.schema.json`).

mod exploration;
mod graph;
mod json;
mod queues;
mod text;

use crate::engine::limit::Hidden;
use crate::engine::{Queued, RankEnd, RankSummary};
use crate::load::Damage;
use crate::samples::{Course, Key, Samples};
use crate::symbols::{Symbols, is_user, user_frame};
use crate::worlds::Names;
use queues::QueueView;
use serde::Serialize;
use std::collections::BTreeMap;
use trace_format::finding::{CallRef, Finding, Replay, Severity, Waiting};
use trace_format::symbols::Location;

pub use exploration::{Exploration, FindingKey, Potential, RunEnd, RunView};
pub use json::SCHEMA;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Text,
    Json,
    /// The wait-for graphs of the findings, for `dot -Tsvg` of Graphviz
    Dot,
}

/// From which severity on a finding makes the exit code 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum FailOn {
    Error,
    Warning,
    Note,
    Never,
}

/// Colours of the text report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    Plain,
    Ansi,
}

impl Colour {
    /// Colours are for terminals, and only for people who want them (<https://no-color.org>).
    pub fn on(stream: &impl std::io::IsTerminal) -> Colour {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        if stream.is_terminal() && !unwanted { Colour::Ansi } else { Colour::Plain }
    }
}

/// What is known of the run apart from its events.
#[derive(Debug, Clone, Default)]
pub struct RunInfo {
    pub mpi: trace_format::job::Mpi,
    pub program: String,
    pub arguments: Vec<String>,
    /// Ranks of MPI_COMM_WORLD.
    pub ranks: i32,
    pub missing: Vec<i32>,
    /// Ranks whose processes still live.
    pub running: Vec<i32>,
    /// mpivet stopped the job.
    pub stopped: bool,
    pub trace_dir: String,
    pub damage: Vec<Damage>,
    /// How many findings of a rank are shown; `None`: all.
    pub max_findings: Option<u64>,
    /// Findings that are not shown.
    pub hidden: Vec<Hidden>,
    /// The message queues at the end of a run that did not come to its end.
    pub queues: Vec<Queued>,
    /// What processes are called.
    pub names: Names,
    /// What was not checked, and why.
    pub remarks: Vec<String>,
    /// What performance variables said while it ran.
    pub samples: Samples,
}

/// A report, ready to be rendered.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    version: String,
    mpi: Mpi,
    task: Task,
    findings: Vec<FindingView>,
    /// The message queues at the end of a run that did not come to its end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    queues: Vec<QueueView>,
    /// What performance variables said, with `--pvars`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    samples: Vec<SampleView>,
    /// The report is of several runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    exploration: Option<Exploration>,
    /// Advice on the report itself: what would make it better.
    #[serde(skip)]
    hints: Vec<String>,
    /// How many findings of a rank are shown.
    #[serde(skip)]
    max_findings: Option<u64>,
    #[serde(skip)]
    names: Names,
}

fn is_first(world: &usize) -> bool {
    *world == 0
}

/// A rank of some world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Member {
    #[serde(skip_serializing_if = "is_first")]
    world: usize,
    rank: i32,
}

#[derive(Debug, Serialize)]
struct Mpi {
    family: String,
    library: String,
    standard: String,
}

#[derive(Debug, Serialize)]
struct Task {
    program: String,
    arguments: Vec<String>,
    ranks: i32,
    ended: Vec<Ended>,
    errors: usize,
    warnings: usize,
    notes: usize,
    stopped: bool,
    trace_dir: String,
    defects: Vec<Defect>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hidden: Vec<HiddenView>,
}

/// How one rank ended.
#[derive(Debug, Serialize)]
struct Ended {
    #[serde(flatten)]
    member: Member,
    #[serde(skip)]
    process: i32,
    end: &'static str,
    exit_status: Option<i32>,
    calls: u64,
    sends: u64,
    recvs: u64,
    collectives: u64,
    unfinished: u64,
    /// The call that the rank is in.
    current: Option<Site>,
    events: u64,
}

#[derive(Debug, Serialize)]
struct Defect {
    #[serde(skip_serializing_if = "is_first")]
    world: usize,
    rank: Option<i32>,
    #[serde(skip)]
    process: Option<i32>,
    offset: Option<u64>,
    what: String,
}

/// Findings that are not shown.
#[derive(Debug, Serialize)]
struct HiddenView {
    #[serde(skip_serializing_if = "is_first")]
    world: usize,
    /// `None`: of collective operations.
    rank: Option<i32>,
    #[serde(skip)]
    process: Option<i32>,
    findings: u64,
}

#[derive(Debug, Serialize)]
struct FindingView {
    check: &'static str,
    code: &'static str,
    severity: &'static str,
    message: String,
    /// Ranks of the first world.
    ranks: Vec<i32>,
    /// Ranks of other worlds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Member>,
    count: u64,
    notes: Vec<String>,
    sites: Vec<Site>,
    /// The wait-for graph, call by call.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waits: Vec<Waits>,
    /// The run that showed it first, and the witness of that run; `None`: the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    under: Option<String>,
    /// The run in which it came true.
    #[serde(skip_serializing_if = "Option::is_none")]
    came_true: Option<usize>,
    #[serde(skip)]
    replay: Option<Replay>,
}

/// A call that waits, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Waits {
    #[serde(flatten)]
    member: Member,
    #[serde(skip)]
    process: i32,
    thread: u16,
    event: u64,
    function: String,
    file: Option<String>,
    line: Option<u32>,
    /// `file` as people want to read it.
    #[serde(skip)]
    short: String,
    waits_for: Vec<Member>,
    #[serde(skip)]
    processes: Vec<i32>,
    /// One of them is enough.
    any: bool,
}

/// A call of one rank, with its place in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Site {
    #[serde(flatten)]
    member: Member,
    #[serde(skip)]
    process: i32,
    thread: u16,
    function: String,
    call: String,
    role: String,
    file: Option<String>,
    line: Option<u32>,
    source: Option<String>,
    stack: Vec<Frame>,
    event: u64,
    /// Place of the user's frame in `stack`.
    #[serde(skip)]
    user: usize,
    /// `file` as people want to read it.
    #[serde(skip)]
    short: String,
    /// The line before it, for context.
    #[serde(skip)]
    before: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Frame {
    function: Option<String>,
    file: Option<String>,
    line: Option<u32>,
    module: Option<String>,
    offset: u64,
    #[serde(skip)]
    short: String,
    #[serde(skip)]
    is_user: bool,
}

impl Report {
    /// Looks up the source lines and puts everything in its final order.
    pub fn new(run: RunInfo, mut findings: Vec<Finding>, ranks: &[RankSummary], symbols: &mut Symbols) -> Report {
        findings.sort_by(|a, b| order(a).cmp(&order(b)));
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
        let findings: Vec<FindingView> = findings.iter().map(|f| view(f, &run.names, symbols)).collect();
        let mut hints = hints(&findings, symbols);
        hints.extend(run.remarks);
        let queues = run.queues.iter().map(|q| QueueView::new(q, &run.names, symbols)).collect();
        let names = run.names;
        let samples = samples(&run.samples, &names);
        let defect = |d: Damage| {
            let member = d.rank.map(|r| member(r, &names));
            let world = member.map_or(0, |m| m.world);
            Defect { world, rank: member.map(|m| m.rank), process: d.rank, offset: d.offset, what: d.what }
        };
        let hidden = |h: Hidden| {
            let member = h.rank.map(|r| member(r, &names));
            let world = member.map_or(0, |m| m.world);
            HiddenView { world, rank: member.map(|m| m.rank), process: h.rank, findings: h.findings() }
        };
        Report {
            schema: SCHEMA,
            version: env!("CARGO_PKG_VERSION").into(),
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
                trace_dir: run.trace_dir,
                defects: run.damage.into_iter().map(defect).collect(),
                hidden: run.hidden.into_iter().map(hidden).collect(),
            },
            findings,
            queues,
            samples,
            exploration: None,
            hints,
            max_findings: run.max_findings,
            names,
        }
    }

    /// Is there a finding that makes the exit code 1?
    pub fn fails(&self, on: FailOn) -> bool {
        let Task { errors, warnings, notes, .. } = self.task;
        match on {
            FailOn::Error => errors > 0,
            FailOn::Warning => errors + warnings > 0,
            FailOn::Note => errors + warnings + notes > 0,
            FailOn::Never => false,
        }
    }

    /// Nothing was found, and nothing stood in the way of finding it.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.task.defects.is_empty()
    }

    /// The report as text for people.
    pub fn to_text(&self, colour: Colour) -> String {
        text::render(self, colour)
    }

    /// The report as JSON.
    pub fn to_json(&self) -> String {
        json::render(self)
    }

    /// The report in `format`; only text has colours.
    pub fn render(&self, format: Format, colour: Colour) -> String {
        match format {
            Format::Text => self.to_text(colour),
            Format::Json => self.to_json(),
            Format::Dot => graph::dot(self),
        }
    }
}

/// Errors first; then by code, rank and place. The same findings in another order give the same report.
fn order(f: &Finding) -> impl Ord {
    let first = f.calls.first().map(|c| (c.rank, c.thread, c.event));
    (f.severity, f.check.code, f.ranks.first().copied(), first, f.message.clone(), f.count)
}

fn plural(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn member(process: i32, names: &Names) -> Member {
    let (world, rank) = names.of(process);
    Member { world, rank }
}

fn view(f: &Finding, names: &Names, symbols: &mut Symbols) -> FindingView {
    let (first, others): (Vec<Member>, Vec<Member>) =
        f.ranks.iter().map(|r| member(*r, names)).partition(|m| m.world == 0);
    FindingView {
        check: f.check.name,
        code: f.check.code,
        severity: f.severity.name(),
        message: f.message.clone(),
        ranks: first.iter().map(|m| m.rank).collect(),
        others,
        count: f.count,
        notes: f.notes.clone(),
        sites: f.calls.iter().map(|c| site(c, names, symbols)).collect(),
        waits: f.waits.iter().map(|w| waits(w, names, symbols)).collect(),
        run: None,
        under: None,
        came_true: None,
        replay: f.replay,
    }
}

/// What a performance variable said on one rank.
#[derive(Debug, Serialize)]
struct SampleView {
    #[serde(flatten)]
    member: Member,
    variable: String,
    /// Communicator of the rank, as the trace numbers them.
    #[serde(skip_serializing_if = "Option::is_none")]
    comm: Option<u32>,
    readings: u64,
    /// Smallest, largest and last reading; of several elements their sum.
    least: f64,
    most: f64,
    last: f64,
    /// The line of the text report that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
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

fn site(call: &CallRef, names: &Names, symbols: &mut Symbols) -> Site {
    let places = symbols.frames(call.rank, call.site, call.pc);
    let user = user_frame(&places).unwrap_or(0);
    let place = places.get(user).filter(|p| !p.file.is_empty() && p.line > 0);
    let file = place.map(|p| p.file.clone());
    let line = place.map(|p| p.line);
    let mut text = |line: u32| file.as_ref().and_then(|f| symbols.source(call.rank, f, line));
    let source = line.and_then(&mut text);
    let before = line.filter(|l| *l > 1).and_then(|l| text(l - 1));
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
        stack: places.iter().map(|p| frame(p, symbols.short_path(call.rank, &p.file))).collect(),
        event: call.event,
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
        current: r.current.as_ref().map(|c| site(c, &run.names, symbols)),
        events: r.events,
    }
}

/// The end of a rank that left no trace.
const MISSING: &str = "missing";

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
    hints
}
