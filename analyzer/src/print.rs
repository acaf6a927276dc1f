//! `mpivet print`: the trace in the readable notation, one line a call. What the notation has no place for (event
//! numbers, times, source lines) stands behind `//`, so that the output can be read back as a trace.

use crate::cli::{CLEAN, Exit, PrintPlan};
use analyzer::load::Traces;
use analyzer::symbols::{Symbols, user_frame};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::fmt::Write as _;
use std::io::{self, BufWriter, Write};
use trace_format::call::{Call, Outcome, SystemEvent};
use trace_format::definition::{Definition, Id};
use trace_format::file::RankHeader;
use trace_format::marks::{LEVEL, Mark};
use trace_format::mpi::predefined::error_class_name;
use trace_format::mpi::{FnId, Kind};
use trace_format::reader::RankEvent;
use trace_format::text::{Names, format_call, format_checksums, format_definition, format_return};

/// Calls that wait for an earlier one to return; beyond, the earlier one is printed as it is.
const MAX_WAITING: usize = 10_000;

pub(crate) fn print(plan: &PrintPlan) -> Result<u8, Exit> {
    let traces = Traces::open(&plan.dir).map_err(Exit::cannot)?;
    let there: Vec<i32> = traces.headers().map(|h| h.rank).collect();
    let wanted: BTreeSet<i32> = match &plan.ranks {
        Some(chosen) => {
            let found = traces.worlds.names().processes(chosen, &there).map_err(Exit::Usage)?;
            found.into_iter().collect()
        }
        None => there.iter().copied().collect(),
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut sizes = traces.worlds.iter().enumerate();
    let result = sizes
        .try_for_each(|(world, (_, size, _))| match world {
            0 => writeln!(out, "ranks {size}"),
            _ => writeln!(out, "ranks w{world} {size}"),
        })
        .and_then(|()| wanted.iter().try_for_each(|&rank| print_rank(plan, rank, &traces, &mut out)))
        .and_then(|()| out.flush());
    match result {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Exit::cannot(e)),
        _ => Ok(CLEAN),
    }
}

fn print_rank(plan: &PrintPlan, rank: i32, all: &Traces, out: &mut dyn Write) -> io::Result<()> {
    // A directory of its own view: one rank after the other, each read once and forgotten.
    let Some(mut traces) = all.only(rank) else { return Ok(()) };
    let name = traces.worlds.names().short(rank);
    traces.writer_is_gone(rank);
    let Some(header) = traces.header(rank).cloned() else { return Ok(()) };
    let mut printer = Printer {
        plan,
        header,
        name,
        names: ObjectNames::default(),
        waiting: VecDeque::new(),
        apart: Vec::new(),
        places: HashMap::new(),
        marking: Vec::new(),
        dumps: HashMap::new(),
    };
    let mut events = Vec::new();
    while !traces.poll(4, &|_| false, &mut |_, event| events.push(event)).is_empty() {
        for event in events.drain(..) {
            printer.event(event, &mut traces.symbols, out)?;
        }
    }
    for event in events.drain(..) {
        printer.event(event, &mut traces.symbols, out)?;
    }
    printer.flush(0, &mut traces.symbols, out)?;
    for damage in traces.damage(false) {
        let at = damage.offset.map(|o| format!(" at byte {o}")).unwrap_or_default();
        writeln!(out, "// rank {rank}{at}: {}", damage.what)?;
    }
    Ok(())
}

/// Names that the program gave to its objects.
#[derive(Default)]
struct ObjectNames(HashMap<(Kind, Id), String>);

impl Names for ObjectNames {
    fn name(&self, kind: Kind, id: Id) -> Option<String> {
        self.0.get(&(kind, id)).cloned()
    }
}

enum Item {
    Call(Call),
    /// A line that keeps its place among the calls.
    Line(String),
}

struct Printer<'a> {
    plan: &'a PrintPlan,
    header: RankHeader,
    /// `3`, `w1.0`
    name: String,
    names: ObjectNames,
    /// Calls that are printed apart from their return, since something stands between.
    apart: Vec<Call>,
    /// Calls in order, until those before them have returned.
    waiting: VecDeque<Item>,
    places: HashMap<Id, String>,
    /// Calls that say something to mpivet: thread, number, call site.
    marking: Vec<(u16, u64, Id)>,
    /// Contents of dumps whose call is still to come.
    dumps: HashMap<Id, Vec<u8>>,
}

impl Printer<'_> {
    fn event(&mut self, event: RankEvent, symbols: &mut Symbols, out: &mut dyn Write) -> io::Result<()> {
        match event {
            RankEvent::Definition(d) => {
                match &d {
                    Definition::CommName { id, name } => _ = self.names.0.insert((Kind::Comm, *id), name.clone()),
                    Definition::TypeName { id, name } => _ = self.names.0.insert((Kind::Datatype, *id), name.clone()),
                    _ => {}
                }
                if let Definition::Dump { id, bytes } = d {
                    self.dumps.insert(id, bytes);
                } else if !self.is_filtered()
                    && let Some(text) = format_definition(&d)
                {
                    self.waiting.push_back(Item::Line(format!("{}: {text}", self.name)));
                }
            }
            // What it says to mpivet comes behind it.
            RankEvent::Call(call) if is_mark(&call) => self.marking.push((call.thread, call.index, call.site)),
            RankEvent::Return { thread, index, .. } if self.take_marking(thread, index, true).is_some() => {}
            RankEvent::Call(call) => self.waiting.push_back(Item::Call(call)),
            RankEvent::Return { thread, index, time, class, polls, outs } => {
                if let Some(place) = self.apart.iter().position(|c| c.thread == thread && c.index == index) {
                    let mut call = self.apart.swap_remove(place);
                    (call.outcome, call.outs) = (Outcome::Returned(class), outs);
                    let line = format!("{}: return {}", self.who(thread), format_return(&call, &self.names));
                    self.waiting.push_back(Item::Line(line));
                    return self.flush(MAX_WAITING, symbols, out);
                }
                let open = self.waiting.iter_mut().rev().find_map(|item| match item {
                    Item::Call(c) if c.thread == thread && c.index == index => Some(c),
                    _ => None,
                });
                if let Some(call) = open {
                    call.outcome = Outcome::Returned(class);
                    call.t_return = time;
                    call.polls = polls;
                    call.outs = outs;
                } else {
                    let who = self.who(thread);
                    let class = if class == 0 { "ok" } else { error_class_name(class) };
                    let line = format!("{who}: return = {class}    // of event {}", 2 * index + 1);
                    self.waiting.push_back(Item::Line(line));
                }
            }
            RankEvent::System { thread, time, event } => {
                if let SystemEvent::Recording { on } = event {
                    // The notation has no word for it: nothing but gaps depends on it.
                    let what = if on { "resumed" } else { "paused" };
                    self.waiting.push_back(Item::Line(format!("// {}: recording {what}", self.who(thread))));
                } else if let SystemEvent::Mark { call, mark } = &event {
                    if !self.is_filtered() {
                        let line = self.mark(thread, *call, time, mark, symbols);
                        self.waiting.push_back(Item::Line(line));
                    }
                } else if !self.is_filtered() {
                    if let SystemEvent::Checksums(checksums) = &event {
                        self.set_apart(thread, checksums.call, symbols);
                    }
                    let mut line = format!("{}: {}", self.who(thread), system(&event));
                    if self.plan.times {
                        _ = write!(line, "    // {}", self.seconds(time));
                    }
                    self.waiting.push_back(Item::Line(line));
                }
            }
        }
        self.flush(MAX_WAITING, symbols, out)
    }

    /// Something belongs between this call and its return.
    fn set_apart(&mut self, thread: u16, index: u64, symbols: &mut Symbols) {
        let is_meant = |c: &Call| c.is_open() && c.thread == thread && c.index == index;
        let found = self.waiting.iter().rposition(|item| matches!(item, Item::Call(c) if is_meant(c)));
        let Some(Item::Call(call)) = found.and_then(|at| self.waiting.get(at)) else { return };
        let call = call.clone();
        let line = self.line(&call, symbols);
        if let Some(item) = found.and_then(|at| self.waiting.get_mut(at)) {
            *item = Item::Line(line);
            self.apart.push(call);
        }
    }

    /// Prints what is complete; of the rest, what is more than `keep`.
    fn flush(&mut self, keep: usize, symbols: &mut Symbols, out: &mut dyn Write) -> io::Result<()> {
        loop {
            match self.waiting.front() {
                None => return Ok(()),
                Some(Item::Call(c)) if c.is_open() && self.waiting.len() <= keep => return Ok(()),
                Some(_) => {}
            }
            match self.waiting.pop_front() {
                Some(Item::Line(line)) => writeln!(out, "{line}")?,
                Some(Item::Call(call)) if self.is_wanted(&call) => {
                    let line = self.line(&call, symbols);
                    writeln!(out, "{line}")?;
                }
                _ => {}
            }
        }
    }

    fn is_filtered(&self) -> bool {
        self.plan.function.is_some() || self.plan.from > 0 || self.plan.to < u64::MAX
    }

    fn is_wanted(&self, call: &Call) -> bool {
        self.plan.function.is_none_or(|f| f == call.func)
            && call.return_event() >= self.plan.from
            && call.call_event() <= self.plan.to
    }

    fn who(&self, thread: u16) -> String {
        if thread == 0 { self.name.clone() } else { format!("{}.{thread}", self.name) }
    }

    fn line(&mut self, call: &Call, symbols: &mut Symbols) -> String {
        let mut line = format!("{}: {}", self.who(call.thread), format_call(call, &self.names));
        if !call.is_open() {
            _ = write!(line, " {}", format_return(call, &self.names));
        }
        _ = write!(line, "    // {}", call.call_event());
        if !call.is_open() {
            _ = write!(line, "-{}", call.return_event());
        }
        if call.polls > 0 {
            _ = write!(line, " polled {} times", u64::from(call.polls) + 1);
        }
        if self.plan.times {
            _ = write!(line, " {}", self.seconds(call.t_call));
            if !call.is_open() {
                let ticks = call.t_return.saturating_sub(call.t_call);
                _ = write!(line, " +{:.1}us", ticks as f64 * 1e6 / self.ticks());
            }
        }
        let rank = self.header.rank;
        let place = self.places.entry(call.site).or_insert_with(|| place(rank, call.site, symbols));
        line.push_str(place);
        line
    }

    /// The call site of a call to mpivet; `done`: it is over.
    fn take_marking(&mut self, thread: u16, index: u64, done: bool) -> Option<Id> {
        let at = self.marking.iter().position(|m| (m.0, m.1) == (thread, index))?;
        Some(if done { self.marking.remove(at).2 } else { self.marking[at].2 })
    }

    /// The line of a call to mpivet, and the elements of a dump behind it.
    fn mark(&mut self, thread: u16, call: u64, time: u64, mark: &Mark, symbols: &mut Symbols) -> String {
        let mut line = format!("{}: {}    //", self.who(thread), mark.format(&self.names));
        if self.plan.times {
            _ = write!(line, " {}", self.seconds(time));
        }
        if let Some(site) = self.take_marking(thread, call, false) {
            line.push_str(&place(self.header.rank, site, symbols));
        }
        if let Mark::Dump(dump) = mark {
            let contents = self.dumps.remove(&dump.contents).unwrap_or_default();
            if self.plan.dumps {
                line.push_str(&crate::dumps::elements(dump, &contents));
            }
        }
        line
    }

    fn ticks(&self) -> f64 {
        self.header.ticks_per_second.max(1) as f64
    }

    fn seconds(&self, time: u64) -> String {
        format!("{:.6}s", time.saturating_sub(self.header.start_ticks) as f64 / self.ticks())
    }
}

/// Does the call say something to mpivet?
fn is_mark(call: &Call) -> bool {
    call.func == FnId::MPI_Pcontrol && call.arg("level").is_some_and(|level| level.int() == i64::from(LEVEL))
}

fn place(rank: i32, site: Id, symbols: &mut Symbols) -> String {
    let frames = symbols.frames(rank, site, 0);
    let Some(frame) = user_frame(&frames).map(|i| &frames[i]) else { return String::new() };
    if frame.line > 0 && !frame.file.is_empty() {
        format!(" @ {}:{}", symbols.short_path(rank, &frame.file), frame.line)
    } else {
        format!(" @ {frame}")
    }
}

fn system(event: &SystemEvent) -> String {
    match event {
        SystemEvent::Exit { status } => format!("exit {status}"),
        SystemEvent::Signal(s) => format!("signal {}{}", s.signal, if s.by_launcher { " by launcher" } else { "" }),
        SystemEvent::MpiError { class, fatal, text, .. } => {
            let fatal = if *fatal { " fatal" } else { "" };
            format!("mpi-error {}{fatal} {text:?}", error_class_name(*class))
        }
        SystemEvent::Lost { reason } => format!("lost {reason:?}"),
        SystemEvent::ThreadLevel { level, other, .. } => {
            let other = other.map(|o| format!(" beside {o}")).unwrap_or_default();
            format!("thread-level {}{other}", level.name())
        }
        SystemEvent::Recording { .. } | SystemEvent::Mark { .. } => String::new(),
        SystemEvent::Checksums(checksums) => format_checksums(checksums),
        SystemEvent::Sample(sample) => sample.to_string(),
        SystemEvent::Callback(callback) => callback.to_string(),
        SystemEvent::Found(found) => {
            let places = found.places.iter().skip(1).map(|p| {
                let function = FnId::from_index(p.func.into()).map_or("?", FnId::name);
                format!(" {{{} {function} {:?}}}", p.call, p.role)
            });
            format!("found {} {:?}{}", found.code, found.message, places.collect::<String>())
        }
    }
}
