//! The data of the page.

use crate::jobs;
use crate::places::named;
use crate::report::Report;
use crate::statistics::Statistics;
use crate::timeline::Timeline;
use crate::view::{FindingView, Frame, QueueView, RankEndView, Site, Waits};
use engine::worlds::Names;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use trace_format::catalogue;
use trace_format::mpi::{Class, FnId};

/// Limit of the calls that are shown of a finding.
const MAX_SITES: usize = 4096;

#[derive(Serialize)]
pub(super) struct Data<'a> {
    version: &'a str,
    /// The reason why there is no report.
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<&'a str>,
    program: &'a str,
    arguments: &'a [String],
    ranks: i32,
    /// Number of jobs; 0: the report is of one. Then there are no ranks of the whole, and no calls.
    jobs: usize,
    mpi: &'a crate::view::Mpi,
    trace_dir: &'a str,
    stopped: bool,
    /// No finding counts, none was accepted, and no job was stopped.
    found_nothing: bool,
    errors: usize,
    warnings: usize,
    notes: usize,
    ended: Vec<EndedData<'a>>,
    defects: Vec<DefectData<'a>>,
    /// Findings that are not shown: the rank (empty: collective operations), and their number.
    hidden: Vec<(String, u64)>,
    remarks: Vec<String>,
    findings: Vec<FindingData<'a>>,
    snippets: Vec<Snippet<'a>>,
    stacks: Vec<Vec<FrameData<'a>>>,
    checks: BTreeMap<&'a str, CheckData>,
    queues: Vec<QueueData<'a>>,
    timeline: Option<&'a Timeline>,
    /// Function table, sizes and matrix of messages; see `js/statistics.js` for its form.
    statistics: Option<serde_json::Value>,
}

#[derive(Serialize)]
struct EndedData<'a> {
    rank: String,
    end: &'a str,
    exit_status: Option<i32>,
    calls: u64,
    sends: u64,
    recvs: u64,
    collectives: u64,
    unfinished: u64,
    function: &'a str,
    place: String,
}

#[derive(Serialize)]
struct DefectData<'a> {
    rank: String,
    offset: Option<u64>,
    what: &'a str,
}

#[derive(Serialize)]
struct FindingData<'a> {
    check: &'a str,
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    /// Processes, as the time line numbers them.
    ranks: Vec<i32>,
    who: String,
    /// Its place, in short: it tells the finding from others of its check in the list.
    at: Vec<String>,
    count: u64,
    notes: &'a [String],
    sites: Vec<SiteData<'a>>,
    sites_hidden: usize,
    /// Other ways to the same lines, in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ways: Vec<String>,
    /// It is about what was left when MPI was over.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    leak: bool,
    waits: Vec<WaitData<'a>>,
    /// Names of processes that are waited for and whose names are not their numbers: without a time line nothing else
    /// shows them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    names: BTreeMap<i32, String>,
    run: Option<usize>,
    under: Option<&'a str>,
    came_true: Option<usize>,
    /// It counts nowhere, for this reason: somebody has accepted it, or an earlier report knows it.
    accepted: Option<String>,
}

#[derive(Serialize)]
struct SiteData<'a> {
    process: i32,
    rank: String,
    thread: u16,
    function: &'a str,
    call: &'a str,
    role: &'a str,
    event: u64,
    place: String,
    /// Does the function send or receive?
    sends: bool,
    receives: bool,
    /// Numbers in `snippets` and `stacks`.
    snippet: Option<usize>,
    stack: Option<usize>,
    /// Begin and end on the time line; -1: it did not end.
    span: Option<[i64; 2]>,
}

#[derive(Serialize, PartialEq, Eq, Hash, Clone, Copy)]
struct Snippet<'a> {
    file: &'a str,
    first: u32,
    line: u32,
    lines: &'a [String],
}

#[derive(Serialize)]
struct FrameData<'a> {
    function: &'a str,
    place: String,
    user: bool,
}

#[derive(Serialize)]
struct WaitData<'a> {
    process: i32,
    rank: String,
    thread: u16,
    event: u64,
    function: &'a str,
    place: String,
    waits_for: &'a [i32],
    any: bool,
}

#[derive(Serialize)]
struct CheckData {
    summary: &'static str,
    doc: &'static str,
}

#[derive(Serialize)]
struct QueueData<'a> {
    rank: String,
    communicator: &'a str,
    queue: &'a str,
    peer: String,
    tag: Option<i32>,
    bytes: Option<u64>,
    count: u64,
    function: &'a str,
    place: String,
}

/// Snippets and stacks, each written once; calls name them by number.
struct Interned<'a> {
    snippets: Vec<Snippet<'a>>,
    known_snippets: HashMap<Snippet<'a>, usize>,
    stacks: Vec<Vec<FrameData<'a>>>,
    /// By their text.
    known_stacks: HashMap<String, usize>,
}

impl<'a> Data<'a> {
    pub(super) fn new(report: &'a Report) -> Data<'a> {
        let task = &report.task;
        let timeline = report.timeline.as_ref();
        let mut interned =
            Interned { snippets: vec![], known_snippets: HashMap::new(), stacks: vec![], known_stacks: HashMap::new() };
        let of_baseline = report.baseline.iter().flat_map(|b| &b.known).map(|f| (f, Some(KNOWN)));
        let accepted = report.suppressed.iter().map(|s| (&s.finding, Some(s.reason.as_str()))).chain(of_baseline);
        let all: Vec<_> = report.findings.iter().map(|f| (f, None)).chain(accepted).collect();
        let checks = all.iter().filter_map(|(f, _)| {
            let check = catalogue::by_name(f.check)?;
            Some((check.name, CheckData { summary: check.summary, doc: check.doc() }))
        });
        let checks = checks.collect();
        let findings =
            all.into_iter().map(|(f, why)| finding(f, why.map(str::to_owned), report, timeline, &mut interned));
        let findings = findings.collect();
        let dir = report.exploration.as_ref().map_or(&task.trace_dir, |explored| &explored.dir);
        let who = |process: Option<i32>| process.map(|p| report.names.list(&[p])).unwrap_or_default();
        let notes = report.samples.iter().filter_map(|s| s.note.clone());
        // The first line is the title of the text report.
        let of_jobs = (!report.jobs.is_empty()).then(|| jobs::summary(report)).into_iter().flatten().skip(1);
        let of_jobs = of_jobs.map(|line| line.trim().to_owned());
        // The lines of jobs say the rest already.
        let circumstances = if report.jobs.is_empty() { report.circumstances() } else { Vec::new() };
        Data {
            version: &report.version,
            failure: report.failure.as_deref(),
            program: &task.program,
            arguments: &task.arguments,
            ranks: task.ranks,
            jobs: report.jobs.len(),
            mpi: &report.mpi,
            trace_dir: dir,
            stopped: task.stopped,
            found_nothing: report.found_nothing(),
            errors: task.errors,
            warnings: task.warnings,
            notes: task.notes,
            ended: task.ended.iter().map(|e| ended(e, report)).collect(),
            defects: task
                .defects
                .iter()
                .map(|d| DefectData { rank: who(d.process), offset: d.offset, what: &d.what })
                .collect(),
            hidden: task.hidden.iter().map(|h| (who(h.process), h.findings)).collect(),
            remarks: of_jobs.chain(circumstances).chain(notes).chain(report.hints.iter().cloned()).collect(),
            checks,
            findings,
            snippets: interned.snippets,
            stacks: interned.stacks,
            queues: queues(report),
            timeline,
            statistics: report.statistics.as_ref().map(statistics),
        }
    }
}

/// Why a finding of the baseline does not count.
const KNOWN: &str = "known: the baseline has it";

/// Cells of a side of the matrix of messages.
const MATRIX: usize = 64;

fn statistics(s: &Statistics) -> serde_json::Value {
    serde_json::json!({ "functions": s.functions, "blocks": s.blocks(MATRIX) })
}

fn place(short: &str, line: Option<u32>) -> String {
    line.map(|line| format!("{short}:{line}")).unwrap_or_default()
}

fn ended<'a>(e: &'a RankEndView, report: &Report) -> EndedData<'a> {
    EndedData {
        rank: report.names.short(e.process),
        end: e.end,
        exit_status: e.exit_status,
        calls: e.calls,
        sends: e.sends,
        recvs: e.recvs,
        collectives: e.collectives,
        unfinished: e.unfinished,
        function: e.current.as_ref().map_or("", |c| &c.function),
        place: e.current.as_ref().map(|c| place(&c.short, c.line)).unwrap_or_default(),
    }
}

fn finding<'a>(
    f: &'a FindingView,
    accepted: Option<String>,
    report: &Report,
    timeline: Option<&Timeline>,
    interned: &mut Interned<'a>,
) -> FindingData<'a> {
    let names = report.names_of(f);
    let processes = f.processes(names);
    // The time line is that of the first run of an exploration: findings of other runs are not on it.
    let timeline = timeline.filter(|_| f.run.is_none_or(|run| run == 1));
    let sites: Vec<_> = f.sites.iter().take(MAX_SITES).map(|s| interned.site(s, names, timeline)).collect();
    FindingData {
        check: f.check,
        code: f.code,
        severity: f.severity,
        message: f.message.trim_end(),
        who: if processes.is_empty() { String::new() } else { names.list(&processes) },
        ranks: processes,
        at: places_in_short(f),
        count: f.count,
        notes: &f.notes,
        sites_hidden: f.sites.len() - sites.len(),
        sites,
        ways: crate::call_paths::some(f, names, MAX_SITES),
        leak: f.is_leak(),
        waits: f.waits.iter().map(|w| wait(w, names)).collect(),
        names: f.waits.iter().flat_map(|w| &w.processes).filter_map(|p| other_name(*p, names)).collect(),
        run: f.run,
        under: f.under.as_deref(),
        came_true: f.came_true,
        accepted,
    }
}

/// Places that the list of findings shows.
const MAX_PLACES: usize = 2;

/// The first places: `halo.c:12`, or `solve (app+0x1234)` where lines are not known.
fn places_in_short(f: &FindingView) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for site in &f.sites {
        let place = match (site.line, site.stack.get(site.user)) {
            (Some(line), _) => format!("{}:{line}", site.short.rsplit('/').next().unwrap_or_default()),
            (None, Some(frame)) if frame.function.is_some() => named(frame),
            (None, Some(frame)) => frame.bare(),
            (None, None) => continue,
        };
        if !places.contains(&place) {
            places.push(place);
        }
        if places.len() == MAX_PLACES {
            break;
        }
    }
    places
}

/// The name of a process of a world that is not the first.
fn other_name(process: i32, names: &Names) -> Option<(i32, String)> {
    (names.of(process).0 > 0).then(|| (process, names.short(process)))
}

fn wait<'a>(w: &'a Waits, names: &Names) -> WaitData<'a> {
    WaitData {
        process: w.process,
        rank: names.short(w.process),
        thread: w.thread,
        event: w.event,
        function: &w.function,
        place: place(&w.short, w.line),
        waits_for: &w.processes,
        any: w.any,
    }
}

/// Queues; in a report of several jobs they name the job.
fn queues(report: &Report) -> Vec<QueueData<'_>> {
    let own = report.queues.iter().map(|q| queue(q, &report.names, String::new()));
    let of_jobs = report
        .jobs
        .iter()
        .flat_map(|job| job.queues.iter().map(move |q| queue(q, &job.names, format!(" of job {}", job.job))));
    own.chain(of_jobs).collect()
}

fn queue<'a>(q: &'a QueueView, names: &Names, whose: String) -> QueueData<'a> {
    QueueData {
        rank: names.short(q.process) + &whose,
        communicator: &q.communicator,
        queue: q.queue,
        peer: q.peer_process.map(|p| names.short(p)).unwrap_or_default(),
        tag: q.tag,
        bytes: q.bytes,
        count: q.count,
        function: &q.site.function,
        place: place(&q.site.short, q.site.line),
    }
}

impl<'a> Interned<'a> {
    fn site(&mut self, s: &'a Site, names: &Names, timeline: Option<&Timeline>) -> SiteData<'a> {
        let snippet = s.line.zip(s.around.as_ref()).map(|(line, (first, lines))| {
            let snippet = Snippet { file: &s.short, first: *first, line, lines };
            *self.known_snippets.entry(snippet).or_insert_with(|| {
                self.snippets.push(snippet);
                self.snippets.len() - 1
            })
        });
        let class = FnId::by_name(&s.function).map(|f| f.row().class);
        let both = matches!(class, Some(Class::SendRecv(_) | Class::SendRecvReplace(_)));
        SiteData {
            process: s.process,
            rank: names.short(s.process),
            thread: s.thread,
            function: &s.function,
            call: &s.call,
            role: &s.role,
            event: s.event,
            place: place(&s.short, s.line),
            sends: both || matches!(class, Some(Class::Send(..))),
            receives: both || matches!(class, Some(Class::Recv(_) | Class::Mrecv(_))),
            snippet,
            stack: self.stack(s),
            span: s.span.zip(timeline).map(|(span, timeline)| timeline.span(s.process, span)),
        }
    }

    fn stack(&mut self, s: &'a Site) -> Option<usize> {
        let known = s.stack_to_main();
        let frames: Vec<FrameData> = if known.is_empty() { &s.stack } else { known }.iter().map(frame).collect();
        if frames.is_empty() {
            return None;
        }
        let text = frames.iter().map(|f| format!("{}\n{}\n", f.function, f.place)).collect::<String>();
        Some(*self.known_stacks.entry(text).or_insert_with(|| {
            self.stacks.push(frames);
            self.stacks.len() - 1
        }))
    }
}

fn frame(f: &Frame) -> FrameData<'_> {
    let place = match f.line {
        Some(line) if f.file.is_some() => format!("{}:{line}", f.short),
        _ => f.bare(),
    };
    FrameData { function: f.function.as_deref().unwrap_or("?"), place, user: f.is_user }
}
