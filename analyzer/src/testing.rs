//! Traces as text, with the findings expected of them: milliseconds, no MPI.
//!
//! ```text
//! 0: MPI_Recv(source=1, tag=0)      //~ real-deadlock
//! 1: MPI_Recv(source=0, tag=0)      //~ real-deadlock
//! ```
//!
//! A mark `//~ check-name` (several with commas) on a line says that a finding of that check has the call of that
//! line among its places; `//~ warning:check-name` also says its severity. Every finding must have a marked place, and
//! every mark a finding. Ranks whose events do not end in `exit`, `signal`, an open call or MPI_Abort are taken to
//! end with MPI_Finalize and exit 0. Options on lines of their own:
//!
//! ```text
//! //! stopped          mpivet stopped the job, with evidence that its ranks were stuck
//! //! proven 0,1       the evidence is about these ranks; without this line about all that are stuck
//! //! killed 1,2       these ranks (all, if none are named) get no ending
//! //! late             of those who get no ending it is heard ten seconds later that they were ended from outside
//! //! missing 3        no trace of these ranks
//! //! stuck 0,1        Engine::stuck says these ranks, fed with all events; nothing: none
//! //! uncertain 0      of which these may return by themselves
//! //! neighbors 0 c1 3,1 1   rank 0 has these sources and destinations in its communicator c1; `none`: there are
//!                      none; `null`: MPI_PROC_NULL
//! //! live             only that is looked at, not the findings; all ranks go on
//! //! message text     some finding has this in its message or notes
//! //! count 3          some finding has this count
//! //! ranks 0-3        some finding has exactly these ranks
//! //! check MV4,-MV5   these checks are on and off; those that are marked are on anyway
//! //! severity MV4=note   severities of checks
//! //! max-findings 2   not more of a rank
//! //! hidden 3         so many findings are beyond that
//! //! variable 0x1000 40 values   a variable of the program: its address, its bytes, its name
//! //! unasked                     nobody asks for variables
//! //! declared 0 buf values double   the argument for a parameter of calls of a rank, and its type in C
//! //! array 0 0 0x1000 MPI_INT float64 a   the array that the first call of a rank has as a parameter (from 0), for a datatype,
//!                      and its variable (`-`: none is known)
//! //! statement comm.Send([a, MPI.INT])   the text of the calls, in a program in Python
//! //! queue 0 MPI_COMM_WORLD receives peer any tag 7 bytes 4 x2   an entry of the message queues at the end; all
//!                      of them, in order, if there is one
//! ```

use engine::limit::Hidden;
use engine::link::Linker;
use engine::listeners::Listener;
use engine::variables::{Argument, Variables};
use engine::worlds::Names;
use engine::{Analysis, End, Engine, Queued, Stuck};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use symbols::variables::{Declared, Kind, Leaf, Scalar, Storage};
use trace_format::definition::{Array, ArrayElement, Definition, FIRST_USER_ID, Id, Neighbors};
use trace_format::file::PROCESS_THREAD;
use trace_format::finding::Finding;
use trace_format::mpi::predefined::DATATYPES;
use trace_format::mpi::special::PROC_NULL;
use trace_format::mpi::{Class, FnId};
use trace_format::ranks::Ranks;
use trace_format::settings::selection::Selection;
use trace_format::system::{Signal, SystemEvent};
use trace_reader::reader::{EventRef, RankEvent};
use trace_reader::text::{TextTrace, parse};

/// The options of a case.
#[derive(Debug, Default)]
struct Expected {
    /// Line, severity if given, check.
    marks: BTreeSet<(u64, Option<String>, String)>,
    end: End,
    killed: Option<BTreeSet<i32>>,
    stuck: Option<Vec<i32>>,
    uncertain: Option<Vec<i32>>,
    live: bool,
    late: bool,
    /// Rank, communicator, sources, destinations.
    neighbors: Vec<(i32, Id, Neighbors)>,
    messages: Vec<String>,
    count: Option<u64>,
    ranks: Option<Vec<i32>>,
    selection: Selection,
    hidden: u64,
    queues: Vec<String>,
    variables: Fixed,
}

/// Variables of a program that nobody has compiled.
#[derive(Debug, Default, Clone)]
struct Fixed {
    storages: Vec<Storage>,
    /// Rank, parameter, text, type.
    declared: Vec<(i32, String, String, Scalar)>,
    /// Arrays of interpreted programs, of whichever line, with the rank.
    arrays: Vec<(i32, Array)>,
    /// The text of the calls.
    statement: Option<String>,
    /// Nobody may ask.
    is_unasked: bool,
}

impl Fixed {
    fn variable(&mut self, words: &str) {
        let [address, size, name] = words.split_whitespace().collect::<Vec<_>>()[..] else { panic!("three words") };
        let start = u64::from_str_radix(address.trim_start_matches("0x"), 16).expect("an address");
        let size = size.parse().expect("a number of bytes");
        self.storages.push(Storage { name: name.to_owned(), start, size, is_local: true });
    }

    fn argument(&mut self, words: &str) {
        let [rank, parameter, text, name] = words.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("four words")
        };
        let (kind, size) = match name {
            "int" => (Kind::Integer, 4),
            "long" => (Kind::Integer, 8),
            "float" => (Kind::Real, 4),
            "double" => (Kind::Real, 8),
            other => panic!("no type `{other}`"),
        };
        let scalar = Scalar { path: String::new(), name: name.to_owned(), kind, size, byte: 0 };
        self.declared.push((rank.parse().expect("a rank"), parameter.to_owned(), text.to_owned(), scalar));
    }

    fn array(&mut self, words: &str) {
        let [rank, parameter, address, datatype, element, variable] = words.split_whitespace().collect::<Vec<_>>()[..]
        else {
            panic!("six words")
        };
        let (is, size) = match element {
            "int64" => (ArrayElement::Integer, 8),
            "float32" => (ArrayElement::Real, 4),
            "float64" => (ArrayElement::Real, 8),
            "complex128" => (ArrayElement::Complex, 16),
            other => panic!("no dtype `{other}`"),
        };
        let place = DATATYPES.iter().position(|name| *name == datatype);
        let array = Array {
            stack: 0,
            parameter: parameter.parse().expect("a parameter"),
            datatype: place.map_or(FIRST_USER_ID, |place| place as Id + 1),
            address: u64::from_str_radix(address.trim_start_matches("0x"), 16).expect("an address"),
            element: is,
            size,
            element_type: format!("dtype {element}"),
            variable: variable.trim_matches('-').to_owned(),
        };
        self.arrays.push((rank.parse().expect("a rank"), array));
    }

    /// Says of all lines that their calls have the stack in the same place.
    fn introduce(&self, engine: &mut Engine, ranks: i32) {
        const LINES: Id = 100;
        if self.storages.is_empty() && self.declared.is_empty() && self.arrays.is_empty() {
            return;
        }
        for (stack, (rank, array)) in (1..LINES).flat_map(|line| self.arrays.iter().map(move |array| (line, array))) {
            engine.feed(*rank, RankEvent::Definition(Definition::Array(Array { stack, ..array.clone() })));
        }
        for (rank, stack) in (0..ranks).flat_map(|rank| (1..LINES).map(move |line| (rank, line))) {
            let frames = Definition::Frames { stack, thread: 0, slots: vec![0x1000, 0x9000] };
            engine.feed(rank, RankEvent::Definition(frames));
        }
    }
}

impl Variables for Fixed {
    fn storage(&mut self, _: i32, _: Id, _: &[u64], address: u64) -> Option<Storage> {
        assert!(!self.is_unasked, "nobody wants to be told of variables");
        self.storages.iter().find(|s| (s.start..s.start + s.size).contains(&address)).cloned()
    }

    fn argument(&mut self, rank: i32, _: Id, func: FnId, buffer: usize, _: [Option<usize>; 2]) -> Option<Rc<Argument>> {
        assert!(!self.is_unasked, "nobody wants to be told of variables");
        let parameter = func.row().params[buffer].name;
        let (.., text, scalar) = self.declared.iter().find(|(of, name, ..)| *of == rank && name == parameter)?;
        let (name, size, scalar) = (scalar.name.clone(), scalar.size, scalar.clone());
        let leaf = move |byte: i64| {
            let byte = u64::try_from(byte).ok().filter(|byte| *byte < size)?;
            Some(Leaf::Scalar(Scalar { byte, ..scalar.clone() }))
        };
        let declared = Declared { name, is_of_structure: false, is_whole_structure: false, size, leaf: Box::new(leaf) };
        Some(Rc::new(Argument { text: text.clone(), count: String::new(), datatype: "MPI_".to_owned(), declared }))
    }

    fn statement(&mut self, _: i32, _: Id, _: FnId) -> Option<String> {
        assert!(!self.is_unasked, "nobody wants to be told of variables");
        self.statement.clone()
    }
}

fn ranks_of(text: &str) -> Vec<i32> {
    let ranks: Ranks = text.trim().parse().expect("a list of ranks");
    ranks.iter().collect()
}

fn neighbors_of(text: &str) -> Vec<i32> {
    let names = text.split(',').filter(|name| *name != "none");
    names.map(|name| if name == "null" { PROC_NULL } else { name.parse().expect("a rank") }).collect()
}

fn expected(text: &str) -> Expected {
    let mut e = Expected::default();
    let mut choice = String::new();
    for (i, line) in text.lines().enumerate() {
        if let Some(option) = line.trim().strip_prefix("//!") {
            let (word, rest) = option.trim().split_once(' ').unwrap_or((option.trim(), ""));
            match word {
                "stopped" => e.end.stopped = true,
                "proven" => e.end.proven = ranks_of(rest),
                "lost" => e.end.lost = true,
                "killed" => e.killed = Some(ranks_of(rest).into_iter().collect()),
                "late" => e.late = true,
                "missing" => e.end.missing = ranks_of(rest),
                "stuck" => e.stuck = Some(ranks_of(rest)),
                "uncertain" => e.uncertain = Some(ranks_of(rest)),
                "live" => (e.live, e.killed) = (true, Some(BTreeSet::new())),
                "neighbors" => {
                    let words: Vec<&str> = rest.split_whitespace().collect();
                    let [rank, comm, sources, destinations] = words[..] else { panic!("line {}: four words", i + 1) };
                    let id = FIRST_USER_ID + comm[1..].parse::<Id>().expect("a communicator");
                    let neighbors =
                        Neighbors { sources: neighbors_of(sources), destinations: neighbors_of(destinations) };
                    e.neighbors.push((rank.parse().expect("a rank"), id, neighbors));
                }
                "message" => e.messages.push(rest.to_owned()),
                "count" => e.count = rest.trim().parse().ok(),
                "ranks" => e.ranks = Some(ranks_of(rest)),
                "check" => choice += &format!("{rest},"),
                "severity" => e.selection.set_severity(rest).expect("severities"),
                "max-findings" => e.selection.set_max_findings(rest.trim().parse().expect("a number")),
                "hidden" => e.hidden = rest.trim().parse().expect("a number"),
                "variable" => e.variables.variable(rest),
                "declared" => e.variables.argument(rest),
                "array" => e.variables.array(rest),
                "statement" => e.variables.statement = Some(rest.to_owned()),
                "unasked" => e.variables.is_unasked = true,
                "queue" => e.queues.push(rest.trim().to_owned()),
                other => panic!("line {}: unknown option `{other}`", i + 1),
            }
            continue;
        }
        if let Some((_, marks)) = line.split_once("//~") {
            for mark in marks.split(',').map(str::trim) {
                let (severity, check) = match mark.split_once(':') {
                    Some((severity, check)) => (Some(severity.to_owned()), check),
                    None => (None, mark),
                };
                assert!(trace_format::catalogue::by_name(check).is_some(), "line {}: no check `{check}`", i + 1);
                // A check that is off by default is turned on.
                e.selection.choose(check).expect("a check");
                e.marks.insert((i as u64 + 1, severity, check.to_owned()));
            }
        }
    }
    e.selection.choose(&choice).expect("checks");
    e
}

/// Ends ranks that do not end by themselves.
fn complete(trace: &mut TextTrace, expected: &Expected) {
    for (rank, id, wanted) in &expected.neighbors {
        for (r, event) in &mut trace.events {
            if let RankEvent::Definition(Definition::Comm { id: i, neighbors, .. }) = event
                && r == rank
                && i == id
            {
                *neighbors = Some(wanted.clone());
            }
        }
    }
    let mut open: BTreeMap<i32, i64> = BTreeMap::new();
    let mut ended = BTreeSet::new();
    for (rank, event) in &trace.events {
        match event {
            RankEvent::Call(c) => {
                *open.entry(*rank).or_default() += i64::from(c.is_open());
                // A signal that the program handles is no end.
                ended.remove(rank);
                if c.func.row().class == Class::Abort {
                    ended.insert(*rank);
                }
            }
            RankEvent::Return { .. } => *open.entry(*rank).or_default() -= 1,
            RankEvent::System { event: SystemEvent::Exit { .. } | SystemEvent::Signal(_), .. } => {
                ended.insert(*rank);
            }
            _ => {}
        }
    }
    for rank in 0..trace.ranks {
        let killed = expected.killed.as_ref().is_some_and(|k| k.is_empty() || k.contains(&rank));
        let quiet = open.get(&rank).is_none_or(|n| *n == 0) && !ended.contains(&rank);
        if killed && expected.late {
            let event =
                SystemEvent::Signal(Signal { signal: 15, is_last: true, by_launcher: true, ..Signal::default() });
            trace.events.push((rank, RankEvent::System { thread: PROCESS_THREAD, time: 10_000_000_000, event }));
        }
        if killed || !quiet || expected.end.missing.contains(&rank) {
            continue;
        }
        let finalized = trace
            .events
            .iter()
            .any(|(r, e)| *r == rank && matches!(e, RankEvent::Call(c) if c.func.row().class == Class::Finalize));
        let more = if finalized { "" } else { "MPI_Finalize() = ok" };
        let text =
            format!("{}\n{rank}: exit 0", if more.is_empty() { String::new() } else { format!("{rank}: {more}") });
        // The text has one world: its ranks are the processes.
        let events = parse(&text).expect("the notation").events;
        let index = trace.events.iter().filter(|(r, e)| *r == rank && matches!(e, RankEvent::Call(_))).count() as u64;
        for (r, mut event) in events.into_iter().filter(|(r, e)| *r == rank && !matches!(e, RankEvent::Definition(_))) {
            if let RankEvent::Call(c) = &mut event {
                c.site = 1_000_000;
                c.index = index;
            }
            trace.events.push((r, event));
        }
    }
}

/// Pseudo-random numbers, always the same.
/// Numbers as from a die, the same ones for a seed.
pub struct Random(pub u64);

impl Random {
    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % n
    }
}

/// The events in another interleaving: each rank's own order is kept.
fn shuffled(events: &[(i32, RankEvent)], ranks: i32, random: &mut Random) -> Vec<(i32, RankEvent)> {
    let mut queues: Vec<std::collections::VecDeque<&RankEvent>> = vec![Default::default(); ranks as usize];
    events.iter().for_each(|(r, e)| queues[*r as usize].push_back(e));
    let mut out = Vec::with_capacity(events.len());
    while out.len() < events.len() {
        let rank = random.below(ranks as usize);
        // Sometimes long runs of one rank, as the reader's blocks are.
        for _ in 0..1 + random.below(6) {
            if let Some(e) = queues[rank].pop_front() {
                out.push((rank as i32, e.clone()));
            }
        }
    }
    out
}

fn run(events: Vec<(i32, RankEvent)>, worlds: &[i32], expected: &Expected) -> (Option<Stuck>, Analysis) {
    run_with(Engine::new(worlds.iter().sum()), events, worlds, expected)
}

fn run_with(
    mut engine: Engine,
    events: Vec<(i32, RankEvent)>,
    worlds: &[i32],
    expected: &Expected,
) -> (Option<Stuck>, Analysis) {
    feed(&mut engine, events, worlds, expected);
    let stuck = engine.stuck();
    let mut end = expected.end.clone();
    if end.proven.is_empty() {
        end.proven = stuck.iter().flat_map(|s| s.ranks.clone()).collect();
    }
    engine.look_at_variables(&mut expected.variables.clone());
    (stuck, engine.finish(&end))
}

/// The analysis of a part of the events, of which it is known that there are more.
fn run_part(events: Vec<(i32, RankEvent)>, worlds: &[i32], expected: &Expected) -> Analysis {
    let ends = |event: &RankEvent| match event {
        RankEvent::System { event: SystemEvent::Exit { .. }, .. } => true,
        RankEvent::System { event: SystemEvent::Signal(signal), .. } => signal.is_last,
        _ => false,
    };
    let ended: BTreeSet<i32> = events.iter().filter(|(_, event)| ends(event)).map(|(rank, _)| *rank).collect();
    let ranks = worlds.iter().sum();
    let mut engine = Engine::new(ranks);
    feed(&mut engine, events, worlds, expected);
    engine.look_at_variables(&mut expected.variables.clone());
    (0..ranks).filter(|rank| !ended.contains(rank)).for_each(|rank| engine.lose(rank));
    engine.finish(&End { lost: true, cut: true, missing: expected.end.missing.clone(), ..End::default() })
}

/// They tell what single calls, two of them, or the end of a process were. A later event may say what they follow from.
const MAY_FOLLOW: [&str; 7] = [
    "abend",
    "incomplete-call",
    "missing-finalize",
    "mpi-error",
    "send-checksum",
    "wrong-data-type",
    "wrong-send-size",
];

/// From events that are missing nothing follows: what is found of a part of them is found of all.
fn check_part(events: &[(i32, RankEvent)], worlds: &[i32], expected: &Expected, all: &Analysis) -> Result<(), String> {
    let part = run_part(events.to_vec(), worlds, expected);
    let is_known = |f: &Finding| {
        let has =
            |other: &Finding| other.calls.iter().any(|c| f.calls.iter().any(|d| (c.rank, c.site) == (d.rank, d.site)));
        all.findings.iter().any(|other| other.check.name == f.check.name && has(other))
    };
    match part.findings.iter().find(|f| !is_known(f) && !MAY_FOLLOW.contains(&f.check.name)) {
        Some(f) => Err(format!(
            "{} is found of the first {} events, and not of all:\n{}",
            f.check.name,
            events.len(),
            describe(&part)
        )),
        None => Ok(()),
    }
}

fn feed(engine: &mut Engine, events: Vec<(i32, RankEvent)>, worlds: &[i32], expected: &Expected) {
    let names = Names::new(worlds.iter().copied());
    engine.select(expected.selection.clone());
    // The constants of the standard's own binary interface.
    let constants = [
        ("MPI_MODE_NOPRECEDE", 2048),
        ("MPI_MODE_NOSUCCEED", 16384),
        ("MPI_MODE_NOCHECK", 1024),
        ("MPI_MODE_NOPUT", 4096),
        ("MPI_MODE_NOSTORE", 8192),
        ("MPI_MODE_APPEND", 1),
        ("MPI_MODE_CREATE", 2),
        ("MPI_MODE_EXCL", 8),
        ("MPI_MODE_RDONLY", 16),
        ("MPI_MODE_RDWR", 32),
        ("MPI_MODE_SEQUENTIAL", 64),
        ("MPI_MODE_WRONLY", 256),
        ("MPI_SEEK_CUR", 401),
        ("MPI_SEEK_END", 402),
        ("MPI_SEEK_SET", 403),
        ("MPI_LOCK_EXCLUSIVE", 301),
        ("MPI_LOCK_SHARED", 302),
    ];
    engine.set_constants(constants.into_iter().map(|(name, v)| (name.to_owned(), v)).collect());
    let mut linker = Linker::default();
    let mut first = 0;
    for (world, size) in worlds.iter().enumerate() {
        linker.add_world(first, *size, world > 0);
        first += size;
    }
    engine.grow(first, names);
    expected.variables.introduce(engine, first);
    for (rank, event) in events {
        linker.take(rank, EventRef::Whole(&mut event.into()), engine);
        linker.link(&|_| false, false, engine);
    }
    while linker.link(&|_| true, true, engine) || linker.give_up(engine) {}
}

fn describe_queue(q: &Queued) -> String {
    let any = |n: Option<i32>| n.map_or("any".to_owned(), |n| n.to_string());
    let bytes = q.bytes.map_or("unknown".to_owned(), |b| b.to_string());
    let (queue, peer, tag) = (q.queue.name(), any(q.peer), any(q.tag));
    format!("{} {} {queue} peer {peer} tag {tag} bytes {bytes} x{}", q.rank, q.comm, q.count)
}

/// Everything that was found, as text.
pub fn describe(analysis: &Analysis) -> String {
    let mut text = String::new();
    for q in &analysis.queues {
        text.push_str(&format!("queue {} at line {}\n", describe_queue(q), q.call.site));
    }
    for f in &analysis.findings {
        text.push_str(&format!("{} {} x{}: {} {:?}\n", f.severity.name(), f.check.name, f.count, f.message, f.ranks));
        for c in &f.calls {
            text.push_str(&format!("    line {} rank {} event {}: {} [{}]\n", c.site, c.rank, c.event, c.text, c.role));
        }
        for n in &f.notes {
            text.push_str(&format!("    note: {n}\n"));
        }
    }
    text
}

/// Analyzes a trace in the notation and says what it found, in order.
pub fn analyze(text: &str) -> Analysis {
    let expected = expected(text);
    let mut trace = parse(text).unwrap_or_else(|e| panic!("{e}"));
    complete(&mut trace, &expected);
    run(trace.events, &trace.worlds, &expected).1
}

/// Analyzes a trace in the notation for somebody who listens. `order`: which interleaving of the ranks; 0: that of the text.
pub fn listen(text: &str, order: u64, listener: Box<dyn Listener>) -> Analysis {
    let expected = expected(text);
    let mut trace = parse(text).unwrap_or_else(|e| panic!("{e}"));
    complete(&mut trace, &expected);
    let mut engine = Engine::new(trace.ranks);
    engine.listen(listener);
    let events = match order {
        0 => trace.events,
        seed => shuffled(&trace.events, trace.ranks, &mut Random(seed)),
    };
    run_with(engine, events, &trace.worlds, &expected).1
}

/// Checks the expectations of a trace in the notation, in several interleavings, with and without the memory of freed
/// objects, and with the deadlock replay in a thread of its own. Panics if one is not met.
pub fn check_trace(text: &str) {
    if let Err(what) = try_trace(text) {
        panic!("{what}\n--- trace:\n{text}");
    }
}

/// As [`check_trace`], with the reason as a value.
pub fn try_trace(text: &str) -> Result<(), String> {
    let expected = expected(text);
    let mut trace = parse(text).map_err(|e| e.to_string())?;
    if let Some(most) = expected.end.missing.iter().max() {
        let more = (most + 1 - trace.ranks).max(0);
        trace.ranks += more;
        if let Some(last) = trace.worlds.last_mut() {
            *last += more;
        }
    }
    complete(&mut trace, &expected);
    let (stuck, analysis) = run(trace.events.clone(), &trace.worlds, &expected);
    let found = describe(&analysis);
    let mut random = Random(7);
    for turn in 0..6 {
        let mut engine = Engine::new(trace.ranks);
        if turn % 2 == 0 {
            engine.forget_always();
        }
        // The deadlock replay is told of it in pieces, in a thread of its own or not.
        engine.replay_in_batches(1 + 7 * turn, turn % 3 < 2);
        let events = shuffled(&trace.events, trace.ranks, &mut random);
        if !expected.live && !events.is_empty() {
            check_part(&events[..random.below(events.len())], &trace.worlds, &expected, &analysis)?;
        }
        let other = run_with(engine, events, &trace.worlds, &expected);
        if other.0 != stuck {
            return Err(format!("another interleaving is stuck in another way: {stuck:?} / {:?}", other.0));
        }
        let other = describe(&other.1);
        if other != found {
            return Err(format!("another interleaving gives other findings:\n{found}--- other:\n{other}"));
        }
    }
    let stuck = stuck.unwrap_or_default();
    if let Some(ranks) = &expected.stuck
        && *ranks != stuck.ranks
    {
        return Err(format!("expected stuck ranks {ranks:?}, found {:?}", stuck.ranks));
    }
    if let Some(ranks) = &expected.uncertain
        && *ranks != stuck.uncertain
    {
        return Err(format!("expected uncertain ranks {ranks:?}, found {:?}", stuck.uncertain));
    }
    if expected.live {
        return Ok(());
    }
    let complain = |what: String| Err(format!("{what}\n--- found:\n{found}"));
    let hidden: u64 = analysis.hidden.iter().map(Hidden::findings).sum();
    if hidden != expected.hidden {
        return complain(format!("{hidden} findings are beyond the limit"));
    }
    let queues: Vec<String> = analysis.queues.iter().map(describe_queue).collect();
    if !expected.queues.is_empty() && expected.queues != queues {
        return complain("other message queues".to_owned());
    }
    for (line, severity, check) in &expected.marks {
        let met = analysis.findings.iter().any(|f| {
            f.check.name == check
                && severity.as_ref().is_none_or(|s| f.severity.name() == s)
                && f.calls.iter().any(|c| u64::from(c.site) == *line)
        });
        if !met {
            return complain(format!("line {line}: no finding {check}"));
        }
    }
    for f in &analysis.findings {
        let marked = f
            .calls
            .iter()
            .any(|c| expected.marks.iter().any(|(line, _, check)| u64::from(c.site) == *line && check == f.check.name));
        if !marked {
            return complain(format!("unexpected finding {}", f.check.name));
        }
    }
    for wanted in &expected.messages {
        let has = |f: &Finding| {
            f.message.contains(wanted)
                || f.notes.iter().any(|n| n.contains(wanted))
                || f.calls.iter().any(|c| c.role.contains(wanted))
        };
        if !analysis.findings.iter().any(has) {
            return complain(format!("nothing says `{wanted}`"));
        }
    }
    if let Some(count) = expected.count
        && !analysis.findings.iter().any(|f| f.count == count)
    {
        return complain(format!("no finding has the count {count}"));
    }
    if let Some(ranks) = &expected.ranks
        && !analysis.findings.iter().any(|f| f.ranks == *ranks)
    {
        return complain(format!("no finding has the ranks {ranks:?}"));
    }
    Ok(())
}
