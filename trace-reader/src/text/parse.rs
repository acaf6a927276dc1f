//! Reads traces in the notation.

use super::annotations::parse_annotation;
use super::callbacks::parse_callback;
use super::definitions::{parse_checksums, parse_definition, parse_found};
use super::samples::parse_sample;
use super::touched::parse_touched;
use super::values::{error, int, matching_close, parse_value, split_top};
use crate::call::{Call, Outcome, Value};
use crate::reader::RankEvent;
use trace_format::definition::{COMM_SELF, COMM_WORLD, Definition, Id};
use trace_format::mpi::predefined::{datatype_id, op_id};
use trace_format::mpi::{Dir, FnId, Kind, Status, ThreadLevel};
use trace_format::ranks::Ranks;
use trace_format::system::{Signal, SystemEvent};
use trace_format::touched::Touched;

/// More ranks are a slip of the pen.
const MAX_RANKS: i32 = 1 << 16;

/// A line of text that is not in the notation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    /// Number of the line in the text, from 1.
    pub line: usize,
    /// Tells people what is wrong with it, or what was expected.
    pub what: String,
}

/// A trace in memory, as parsed from text.
#[derive(Debug, Default)]
pub struct TextTrace {
    /// Number of processes: ranks of the first MPI_COMM_WORLD, then those of the others.
    pub ranks: i32,
    /// Sizes of the worlds.
    pub worlds: Vec<i32>,
    /// Events in the order of the text.
    pub events: Vec<(i32, RankEvent)>,
}

/// Parses a whole trace. Text behind `//` is ignored.
pub fn parse(text: &str) -> Result<TextTrace, ParseError> {
    let mut trace = TextTrace::default();
    let mut parser = Parser::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.split("//").next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        parser.line(line, i + 1, &mut trace).map_err(|what| ParseError { line: i + 1, what })?;
    }
    if trace.worlds.len() < 2 {
        let highest = trace.events.iter().map(|(r, _)| r + 1).max().unwrap_or(0);
        let first = trace.worlds.first().copied().unwrap_or(0).max(highest);
        trace.worlds = vec![first];
    }
    trace.ranks = trace.worlds.iter().sum();
    let mut world = Vec::new();
    let mut first = 0;
    for size in &trace.worlds {
        for rank in 0..*size {
            let comm = |id, local| Definition::Comm { id, local, remote: None, neighbors: None };
            world.push((first + rank, RankEvent::Definition(comm(COMM_WORLD, Ranks::first_n(*size as u32)))));
            world.push((first + rank, RankEvent::Definition(comm(COMM_SELF, std::iter::once(rank).collect()))));
        }
        first += size;
    }
    world.append(&mut trace.events);
    trace.events = world;
    Ok(trace)
}

#[derive(Default)]
struct Parser {
    /// Calls made, and open calls, by rank and thread.
    threads: std::collections::BTreeMap<(i32, u16), (u64, Vec<Call>)>,
    /// Call sites, by rank, thread and number of the call.
    sites: std::collections::BTreeMap<(i32, u16, u64), Id>,
}

impl Parser {
    fn line(&mut self, line: &str, number: usize, trace: &mut TextTrace) -> Result<(), String> {
        if let Some(n) = line.strip_prefix("ranks ") {
            let (world, size) = n.strip_prefix('w').and_then(|n| n.split_once(' ')).unwrap_or(("0", n));
            if world.parse() != Ok(trace.worlds.len()) {
                return Err(format!("the next world is number {}", trace.worlds.len()));
            }
            let size = size.trim().parse().ok().filter(|size| (0..=MAX_RANKS).contains(size));
            trace.worlds.push(size.ok_or_else(|| format!("`{n}` is no number of ranks"))?);
            if trace.worlds.iter().map(|size| i64::from(*size)).sum::<i64>() > MAX_RANKS.into() {
                return Err(format!("there are more than {MAX_RANKS} ranks"));
            }
            return Ok(());
        }
        let (who, what) = line.split_once(':').ok_or("expected `rank: event`")?;
        let (world, who) = match who.strip_prefix('w').map(|w| w.split_once('.').unwrap_or((w, ""))) {
            Some((world, who)) => (world.parse::<usize>().map_err(|_| format!("`{world}` is no world"))?, who),
            None => (0, who),
        };
        let (rank, thread) = who.split_once('.').unwrap_or((who, "0"));
        let known = rank.trim().parse().ok().filter(|rank| (0..MAX_RANKS).contains(rank));
        let rank: i32 = known.ok_or_else(|| format!("`{rank}` is no rank"))?;
        let size = trace.worlds.get(world);
        if (world > 0 || trace.worlds.len() > 1) && size.is_none_or(|size| rank >= *size) {
            return Err(format!("there is no rank {rank} in world {world}"));
        }
        let rank = rank + trace.worlds.iter().take(world).sum::<i32>();
        let thread: u16 = thread.trim().parse().map_err(|_| format!("`{thread}` is no thread"))?;
        let what = what.trim();
        let word = what.split([' ', '(']).next().unwrap_or("");
        let rest = what[word.len()..].trim();
        let time = number as u64;
        let event = match word {
            "def" => RankEvent::Definition(parse_definition(rest)?),
            "exit" => system(thread, time, SystemEvent::Exit { status: int(rest)? as i32 }),
            "signal" => {
                let (number, how) = rest.split_once(' ').unwrap_or((rest, ""));
                let by_launcher = match how {
                    "" => false,
                    "by launcher" => true,
                    _ => return Err(format!("`{how}` says nothing of a signal")),
                };
                let signal = int(number)? as i32;
                let of = (thread != trace_format::file::PROCESS_THREAD).then_some(thread);
                let signal = Signal { signal, thread: of, is_last: true, by_launcher, ..Signal::default() };
                system(thread, time, SystemEvent::Signal(signal))
            }
            "lost" => system(thread, time, SystemEvent::Lost { reason: rest.trim_matches('"').into() }),
            "mpi-error" => {
                let class = rest.split(' ').next().unwrap_or("");
                let call = self.threads.get(&(rank, thread)).map_or(0, |t| t.0.saturating_sub(1));
                let text = rest.split('"').nth(1).unwrap_or("").to_owned();
                let event = SystemEvent::MpiError { call, class: error(class)?, fatal: rest.contains("fatal"), text };
                system(thread, time, event)
            }
            "thread-level" => {
                let call = self.threads.get(&(rank, thread)).map_or(0, |t| t.0.saturating_sub(1));
                let (level, other) = rest.split_once(" beside ").map_or((rest, None), |(l, o)| (l, Some(o)));
                let level = ThreadLevel::by_name(level).ok_or_else(|| format!("`{level}` is no level"))?;
                let other = other.map(|o| o.parse().map_err(|_| format!("`{o}` is no thread"))).transpose()?;
                system(thread, time, SystemEvent::ThreadLevel { call, level, other })
            }
            "found" => {
                let call = self.threads.get(&(rank, thread)).map_or(0, |t| t.0.saturating_sub(1));
                system(thread, time, {
                    let mut found = parse_found(rest, thread, call)?;
                    for place in &mut found.places {
                        place.site = self.sites.get(&(rank, thread, place.call)).copied().unwrap_or(0);
                    }
                    SystemEvent::Found(found)
                })
            }
            mark if mark.starts_with("mpivet_") => {
                // The annotation stands for the call of MPI_Pcontrol that made it.
                let calls = &mut self.threads.entry((rank, thread)).or_default().0;
                *calls += 1;
                system(thread, time, SystemEvent::Annotation { call: *calls - 1, annotation: parse_annotation(what)? })
            }
            "checksums" => {
                let call = self.threads.get(&(rank, thread)).map_or(0, |t| t.0.saturating_sub(1));
                system(thread, time, SystemEvent::Checksums(parse_checksums(rest, call)?))
            }
            "sample" => system(thread, time, SystemEvent::Sample(parse_sample(rest)?)),
            "callback" => system(thread, time, SystemEvent::Callback(parse_callback(rest)?)),
            "loads" | "stores" => {
                let call = self.threads.get(&(rank, thread)).map_or(0, |t| t.0);
                let touched = Touched { site: number as Id, ..parse_touched(what, call)? };
                system(thread, time, SystemEvent::Touched(touched))
            }
            "return" => {
                let open = &mut self.threads.entry((rank, thread)).or_default().1;
                let mut call = open.pop().ok_or("no call of this thread is open")?;
                let outcome = rest.strip_prefix('=').ok_or("expected `return = ...`")?;
                parse_outcome(&mut call, outcome.trim(), time)?;
                let Outcome::Returned(class) = call.outcome else { return Err("expected an outcome".into()) };
                RankEvent::Return { thread, index: call.index, time, class, polls: 0, outs: call.outs }
            }
            _ => {
                let mut call = self.call(word, rest, trace, rank, time)?;
                let state = self.threads.entry((rank, thread)).or_default();
                call.thread = thread;
                call.index = state.0;
                call.site = number as Id;
                self.sites.insert((rank, thread, state.0), call.site);
                state.0 += 1;
                if call.is_open() {
                    state.1.push(call.clone());
                }
                RankEvent::Call(call)
            }
        };
        trace.events.push((rank, event));
        Ok(())
    }

    fn call(&self, name: &str, rest: &str, trace: &mut TextTrace, rank: i32, time: u64) -> Result<Call, String> {
        let func = FnId::by_name(name).ok_or_else(|| format!("`{name}` is no MPI function"))?;
        let mut call = Call::new(func);
        call.t_call = time;
        let inner = rest.strip_prefix('(').ok_or("expected `(`")?;
        let close = matching_close(inner).ok_or("expected `)`")?;
        for (i, p) in func.row().params.iter().enumerate() {
            call.ins[i] = default_in(p.kind, p.dir, !p.len.is_empty());
        }
        for arg in split_top(&inner[..close]) {
            let (name, value) = arg.split_once('=').ok_or_else(|| format!("expected `name=value`, found `{arg}`"))?;
            let i = param(func, name.trim())?;
            let p = &func.row().params[i];
            call.ins[i] = parse_value(p.kind, value.trim(), &mut |d| {
                trace.events.push((rank, RankEvent::Definition(d)));
            })?;
            if p.kind == Kind::Request && p.dir != Dir::Out {
                call.ins[i] = match &call.ins[i] {
                    Value::Int(handle) => Value::Request { slot: 0, handle: *handle },
                    Value::Ints(handles) => Value::Requests { base: 0, handles: handles.clone() },
                    other => other.clone(),
                };
            }
        }
        let count = func.row().params.iter().position(|p| p.name == "count" || p.name == "incount");
        let requests = call
            .ins
            .iter()
            .find_map(|v| if let Value::Requests { handles, .. } = v { Some(handles.len()) } else { None });
        if let (Some(i), Some(n)) = (count, requests) {
            call.ins[i] = Value::Int(n as i64);
        }
        let outcome = inner[close + 1..].trim();
        if let Some(outcome) = outcome.strip_prefix('=') {
            let mut defs = Vec::new();
            parse_outcome_with(&mut call, outcome.trim(), time, &mut |d| defs.push(d))?;
            trace.events.extend(defs.into_iter().map(|d| (rank, RankEvent::Definition(d))));
        } else if !outcome.is_empty() && outcome != "..." {
            return Err(format!("expected `= result` or nothing behind the call, found `{outcome}`"));
        }
        Ok(call)
    }
}

fn system(thread: u16, time: u64, event: SystemEvent) -> RankEvent {
    RankEvent::System { thread, time, event }
}

fn param(func: FnId, name: &str) -> Result<usize, String> {
    let row = func.row();
    row.param(name)
        .or_else(|| row.params.iter().position(|p| p.name == format!("array_of_{name}")))
        .ok_or_else(|| format!("{} has no parameter `{name}`", row.name))
}

fn default_in(kind: Kind, dir: Dir, array: bool) -> Value {
    if array || dir == Dir::Out && !matches!(kind, Kind::RecvBuf | Kind::Buf) {
        return Value::None;
    }
    Value::Int(match kind {
        Kind::Count | Kind::LargeCount => 1,
        Kind::Datatype => i64::from(datatype_id("MPI_INT").unwrap_or(0)),
        Kind::Op => i64::from(op_id("MPI_SUM").unwrap_or(0)),
        Kind::Comm => i64::from(COMM_WORLD),
        Kind::SendBuf | Kind::Buf => 0x1000,
        Kind::RecvBuf => 0x2000,
        _ => 0,
    })
}

fn parse_outcome(call: &mut Call, text: &str, time: u64) -> Result<(), String> {
    parse_outcome_with(call, text, time, &mut |_| {})
}

fn parse_outcome_with(
    call: &mut Call,
    text: &str,
    time: u64,
    define: &mut dyn FnMut(Definition),
) -> Result<(), String> {
    // `x100` behind a poll: so many more were made like it.
    let text = match text.rsplit_once(" x").and_then(|(text, polls)| Some((text, polls.parse().ok()?))) {
        Some((text, polls)) => {
            call.polls = polls;
            text
        }
        None => text,
    };
    let name = text.split([' ', '{']).next().unwrap_or("");
    call.outcome = Outcome::Returned(error(name)?);
    call.t_return = time;
    let rest = text[name.len()..].trim();
    let row = call.func.row();
    if !rest.is_empty() {
        let inner = rest.strip_prefix('{').and_then(|r| r.strip_suffix('}')).ok_or("expected `{name=value, ...}`")?;
        for out in split_top(inner) {
            let (name, value) = out.split_once('=').ok_or_else(|| format!("expected `name=value`, found `{out}`"))?;
            let i = param(call.func, name.trim())?;
            call.outs[i] = parse_value(row.params[i].kind, value.trim(), define)?;
        }
    }
    // A single receive or probe that names its source and tag got its message from there.
    let status = row.params.iter().position(|p| p.kind == Kind::Status && p.dir == Dir::Out && p.len.is_empty());
    if let Some(i) = status
        && call.outs[i] == Value::None
    {
        let arg = |name| call.arg(name).map(|v| v.int() as i32);
        if let (Some(source), Some(tag)) = (arg("source"), arg("tag").or_else(|| arg("recvtag"))) {
            call.outs[i] = Value::Status(Status { source, tag, bytes: None, cancelled: false });
        }
    }
    Ok(())
}
