//! Prints the events of one rank in the order of its calls, or of calls and returns.

use super::json;
use super::system_events::notation;
use super::unmatched::Unmatched;
use crate::call_filter::Objects;
use crate::cli::{PrintFormat, PrintPlan};
use engine::worlds::Names;
use report::clean_line;
use report::symbols::Symbols;
use serde_json::Value;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::fmt::Write as _;
use std::io::{self, Write};
use std::rc::Rc;
use trace_format::annotations::{Annotation, is_annotation};
use trace_format::definition::{Definition, Id};
use trace_format::file::{PROCESS_THREAD, RankHeader};
use trace_format::location::Location;
use trace_format::mpi::predefined::error_class_name;
use trace_format::system::SystemEvent;
use trace_reader::call::{Call, Outcome, call_event};
use trace_reader::reader::RankEvent;
use trace_reader::text::{format_annotation, format_call, format_definition, format_return};

/// Calls that wait for an earlier one to return; beyond, the earlier one is printed as it is.
const MAX_WAITING: usize = 10_000;

enum Item {
    Call(Call),
    /// A line other than a call that keeps its place among the calls, and its time.
    Line(Option<u64>, String),
}

/// A return that is printed when its time has come: time, order, line.
type Due = Reverse<(u64, u64, String)>;

pub(super) struct Printer<'a> {
    plan: &'a PrintPlan,
    header: RankHeader,
    /// `3`, `w1.0`
    name: String,
    world: usize,
    rank: i32,
    objects: Objects,
    unmatched: &'a mut Unmatched,
    /// Calls that are printed apart from their return, since something stands between.
    apart: Vec<Call>,
    /// Calls in order, until those before them have returned.
    waiting: VecDeque<Item>,
    /// Returns of calls that were printed, with `--events`.
    due: BinaryHeap<Due>,
    order: u64,
    places: HashMap<Id, Option<Rc<Place>>>,
    /// The last call of each thread that said something to mpivet: number, call site.
    marking: HashMap<u16, (u64, Id)>,
    /// Contents of dumps whose call is still to come.
    dumps: HashMap<Id, Vec<u8>>,
}

/// The place of a call, and its form.
struct Place {
    location: Location,
    text: String,
}

impl<'a> Printer<'a> {
    pub(super) fn new(
        plan: &'a PrintPlan,
        header: RankHeader,
        names: &Names,
        unmatched: &'a mut Unmatched,
    ) -> Printer<'a> {
        let (world, rank) = names.of(header.rank);
        Printer {
            plan,
            name: names.short(header.rank),
            header,
            world,
            rank,
            objects: Objects::default(),
            unmatched,
            apart: Vec::new(),
            waiting: VecDeque::new(),
            due: BinaryHeap::new(),
            order: 0,
            places: HashMap::new(),
            marking: HashMap::new(),
            dumps: HashMap::new(),
        }
    }

    pub(super) fn event(&mut self, event: RankEvent, symbols: &mut Symbols, out: &mut dyn Write) -> io::Result<()> {
        match event {
            RankEvent::Definition(d) => self.definition(d),
            // The annotation follows as an event of its own.
            RankEvent::Call(call) if is_annotation(call.func, level_of(&call)) => {
                _ = self.marking.insert(call.thread, (call.index, call.site))
            }
            RankEvent::Return { thread, index, .. } if self.marking_site(thread, index).is_some() => {}
            RankEvent::Call(call) => self.waiting.push_back(Item::Call(call)),
            RankEvent::Return { thread, index, time, class, polls, outs } => {
                if let Some(place) = self.apart.iter().position(|c| c.thread == thread && c.index == index) {
                    let mut call = self.apart.swap_remove(place);
                    (call.outcome, call.outs, call.t_return) = (Outcome::Returned(class), outs, time);
                    let line = self.returned(&call, false, symbols);
                    self.waiting.push_back(Item::Line(Some(time), line));
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
                } else if !self.is_filtered() {
                    let class = if class == 0 { "ok" } else { error_class_name(class) };
                    let text = format!("return = {class}    // of event {}", call_event(index));
                    let line = self.said("return", thread, Some(time), &text);
                    self.waiting.push_back(Item::Line(Some(time), line));
                }
            }
            RankEvent::System { thread, time, event } => self.system(thread, time, &event, symbols),
        }
        self.flush(MAX_WAITING, symbols, out)
    }

    /// The trace is over.
    pub(super) fn finish(&mut self, symbols: &mut Symbols, out: &mut dyn Write) -> io::Result<()> {
        self.flush(0, symbols, out)?;
        self.emit_due(u64::MAX, out)
    }

    fn definition(&mut self, definition: Definition) {
        self.objects.learn(&definition);
        if let Definition::Dump { id, bytes } = definition {
            self.dumps.insert(id, bytes);
        } else if !self.is_filtered()
            && let Some(text) = format_definition(&definition)
        {
            let line = self.said("definition", 0, None, &text);
            self.waiting.push_back(Item::Line(None, line));
        }
    }

    fn system(&mut self, thread: u16, time: u64, event: &SystemEvent, symbols: &mut Symbols) {
        let remark = match event {
            SystemEvent::Recording { on: true } => Some("recording resumed".to_owned()),
            SystemEvent::Recording { on: false } => Some("recording paused".to_owned()),
            SystemEvent::Gap { calls: 0 } => Some("calls are missing here".to_owned()),
            SystemEvent::Gap { calls } => Some(format!("{calls} calls are missing here")),
            _ => None,
        };
        if let Some(what) = remark {
            // The notation has no word for it: nothing but gaps depends on it.
            let line = match self.plan.format {
                PrintFormat::Text => format!("// {}: {what}", self.who(thread)),
                PrintFormat::Json => self.said("system", thread, Some(time), &what),
            };
            self.waiting.push_back(Item::Line(Some(time), line));
        } else if let SystemEvent::Annotation { call, annotation } = event {
            if self.is_annotation_wanted(thread, time, annotation) {
                let line = self.annotation(thread, *call, time, annotation, symbols);
                self.waiting.push_back(Item::Line(Some(time), line));
            } else if let Annotation::Dump(dump) = annotation {
                self.dumps.remove(&dump.contents);
            }
        } else if !self.is_filtered() {
            if let SystemEvent::Checksums(checksums) = event {
                self.set_apart(thread, checksums.call, symbols);
            }
            let line = self.said("system", thread, Some(time), &notation(event));
            self.waiting.push_back(Item::Line(Some(time), line));
        }
    }

    /// A line that is no call.
    fn said(&self, kind: &str, thread: u16, time: Option<u64>, text: &str) -> String {
        if self.plan.format == PrintFormat::Json {
            let mut line = json::line(kind, &self.origin(thread));
            line.insert("text".into(), json!(text));
            time.map(|t| line.insert("seconds".into(), json!(json::micros(self.seconds(t)))));
            return clean(Value::Object(line).to_string());
        }
        let who = if kind == "definition" { self.name.clone() } else { self.who(thread) };
        let mut line = format!("{who}: {text}");
        if let Some(time) = time.filter(|_| self.plan.times && kind != "return") {
            _ = write!(line, "    // {:.6}s", self.seconds(time));
        }
        clean(line)
    }

    /// Something belongs between this call and its return.
    fn set_apart(&mut self, thread: u16, index: u64, symbols: &mut Symbols) {
        let is_meant = |c: &Call| c.is_open() && c.thread == thread && c.index == index;
        let found = self.waiting.iter().rposition(|item| matches!(item, Item::Call(c) if is_meant(c)));
        let Some(Item::Call(call)) = found.and_then(|at| self.waiting.get(at)) else { return };
        let call = call.clone();
        let line = self.line(&call, json::Part::Call, symbols);
        if let Some(item) = found.and_then(|at| self.waiting.get_mut(at)) {
            *item = Item::Line(Some(call.t_call), line);
            self.apart.push(call);
        }
    }

    /// Prints all complete items, and as many of the others as there are more than `keep`.
    fn flush(&mut self, keep: usize, symbols: &mut Symbols, out: &mut dyn Write) -> io::Result<()> {
        loop {
            match self.waiting.front() {
                None => return Ok(()),
                Some(Item::Call(c)) if c.is_open() && self.waiting.len() <= keep => return Ok(()),
                Some(_) => {}
            }
            match self.waiting.pop_front() {
                Some(Item::Line(time, line)) => {
                    time.map_or(Ok(()), |time| self.emit_due(time, out))?;
                    writeln!(out, "{line}")?;
                }
                Some(Item::Call(call)) => self.call(&call, symbols, out)?,
                None => {}
            }
        }
    }

    fn call(&mut self, call: &Call, symbols: &mut Symbols, out: &mut dyn Write) -> io::Result<()> {
        self.unmatched.call(call, &self.objects, self.plan);
        let seconds = self.times_of(call);
        if self.plan.only_dumps() || !self.plan.filter.wants(call, seconds, &self.objects) {
            return Ok(());
        }
        if !self.plan.events {
            return writeln!(out, "{}", self.line(call, json::Part::Both, symbols));
        }
        self.emit_due(call.t_call, out)?;
        if self.plan.filter.wants_event(call.call_event(), seconds.0) {
            writeln!(out, "{}", self.line(call, json::Part::Call, symbols))?;
        }
        if seconds.1.is_some_and(|s| self.plan.filter.wants_event(call.return_event(), s)) {
            self.order += 1;
            let line = self.returned(call, true, symbols);
            self.due.push(Reverse((call.t_return, self.order, line)));
        }
        Ok(())
    }

    /// Prints the returns up to a time.
    fn emit_due(&mut self, time: u64, out: &mut dyn Write) -> io::Result<()> {
        while let Some(Reverse((at, ..))) = self.due.peek() {
            if *at > time {
                break;
            }
            if let Some(Reverse((_, _, line))) = self.due.pop() {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }

    fn is_filtered(&self) -> bool {
        self.plan.filter.is_on() || self.plan.only_dumps()
    }

    fn is_annotation_wanted(&mut self, thread: u16, time: u64, annotation: &Annotation) -> bool {
        let filter = &self.plan.filter;
        match (annotation, &self.plan.dumps) {
            (Annotation::Dump(dump), Some(names)) if !names.is_empty() => {
                self.unmatched.dump(&dump.name);
                names.iter().any(|n| trace_format::variables::fits(n, &dump.name))
                    && (filter.threads.is_empty() || filter.threads.contains(&thread))
                    && filter.wants_time(self.seconds(time))
            }
            _ => !self.is_filtered(),
        }
    }

    fn who(&self, thread: u16) -> String {
        if matches!(thread, 0 | PROCESS_THREAD) { self.name.clone() } else { format!("{}.{thread}", self.name) }
    }

    fn origin(&self, thread: u16) -> json::Origin {
        json::Origin { world: self.world, rank: self.rank, thread }
    }

    /// A call with its return, or alone.
    fn line(&mut self, call: &Call, part: json::Part, symbols: &mut Symbols) -> String {
        let place = self.place(call.site, symbols);
        let seconds = self.times_of(call);
        if self.plan.format == PrintFormat::Json {
            let location = place.as_ref().map(|p| &p.location);
            return clean(json::call(call, part, &self.origin(call.thread), seconds, location, &self.objects.names));
        }
        let returned = !call.is_open() && part == json::Part::Both;
        let mut line = format!("{}: {}", self.who(call.thread), format_call(call, &self.objects.names));
        if returned {
            _ = write!(line, " {}", format_return(call, &self.objects.names));
        }
        _ = write!(line, "    // {}", call.call_event());
        if returned {
            _ = write!(line, "-{}", call.return_event());
        }
        if call.polls > 0 {
            let made = if call.func.row().class.is_poll() { "polled" } else { "called" };
            _ = write!(line, " {made} {} times", u64::from(call.polls) + 1);
        }
        if self.plan.times {
            _ = write!(line, " {:.6}s", seconds.0);
            if let Some(end) = seconds.1.filter(|_| returned) {
                _ = write!(line, " +{:.1}us", (end - seconds.0).max(0.0) * 1e6);
            }
        }
        line.push_str(place.as_ref().map_or("", |p| &p.text));
        clean(line)
    }

    /// The return of a call that was printed before; `numbered`: with its event.
    fn returned(&mut self, call: &Call, numbered: bool, symbols: &mut Symbols) -> String {
        if self.plan.format == PrintFormat::Json {
            let place = self.place(call.site, symbols);
            let (part, location) = (json::Part::Return, place.as_ref().map(|p| &p.location));
            let seconds = self.times_of(call);
            return clean(json::call(call, part, &self.origin(call.thread), seconds, location, &self.objects.names));
        }
        let mut line = format!("{}: return {}", self.who(call.thread), format_return(call, &self.objects.names));
        if numbered {
            _ = write!(line, "    // {} {}", call.return_event(), call.func.name());
            if self.plan.times {
                _ = write!(line, " {:.6}s", self.seconds(call.t_return));
            }
        }
        clean(line)
    }

    fn place(&mut self, site: Id, symbols: &mut Symbols) -> Option<Rc<Place>> {
        let rank = self.header.rank;
        self.places.entry(site).or_insert_with(|| place(rank, site, symbols).map(Rc::new)).clone()
    }

    /// The call site of a call to mpivet.
    fn marking_site(&self, thread: u16, index: u64) -> Option<Id> {
        self.marking.get(&thread).filter(|m| m.0 == index).map(|m| m.1)
    }

    /// The line of a call to mpivet, and the elements of a dump behind it.
    fn annotation(
        &mut self,
        thread: u16,
        call: u64,
        time: u64,
        annotation: &Annotation,
        symbols: &mut Symbols,
    ) -> String {
        let text = format_annotation(annotation, &self.objects.names);
        let site = self.marking_site(thread, call);
        let place = site.and_then(|site| self.place(site, symbols));
        let contents = match annotation {
            Annotation::Dump(dump) => self.dumps.remove(&dump.contents).unwrap_or_default(),
            _ => Vec::new(),
        };
        let shown = match annotation {
            Annotation::Dump(dump) => Some(dump).filter(|_| self.plan.dumps.is_some()),
            _ => None,
        };
        if self.plan.format == PrintFormat::Json {
            let mut line = json::line(
                if matches!(annotation, Annotation::Dump(_)) { "dump" } else { "mark" },
                &self.origin(thread),
            );
            line.insert("text".into(), json!(text));
            line.insert("seconds".into(), json!(json::micros(self.seconds(time))));
            if let Some(dump) = shown {
                line.insert("name".into(), json!(dump.name));
                line.insert("bytes".into(), json!(dump.bytes));
                line.insert("elements".into(), json!(crate::dumps::values(dump, &contents)));
            }
            return clean(Value::Object(line).to_string());
        }
        let mut line = format!("{}: {text}    //", self.who(thread));
        if self.plan.times {
            _ = write!(line, " {:.6}s", self.seconds(time));
        }
        line.push_str(place.as_ref().map_or("", |p| &p.text));
        let mut line = clean(line);
        if let Some(dump) = shown {
            line.push_str(&crate::dumps::elements(dump, &contents));
        }
        line
    }

    /// The times of a call and of its return.
    fn times_of(&self, call: &Call) -> (f64, Option<f64>) {
        (self.seconds(call.t_call), (!call.is_open()).then(|| self.seconds(call.t_return)))
    }

    fn seconds(&self, time: u64) -> f64 {
        time.saturating_sub(self.header.start_ticks) as f64 / self.header.ticks_per_second.max(1) as f64
    }
}

/// A trace may come from somebody else: nothing in it commands the terminal.
fn clean(line: String) -> String {
    match clean_line(&line) {
        Cow::Owned(clean) => clean,
        Cow::Borrowed(_) => line,
    }
}

fn place(rank: i32, site: Id, symbols: &mut Symbols) -> Option<Place> {
    let (location, shown) = symbols.user_place(rank, site)?;
    Some(Place { location, text: format!(" @ {shown}") })
}

/// The first argument of a call.
fn level_of(call: &Call) -> i64 {
    call.ins.first().map_or(0, trace_reader::call::Value::int)
}
