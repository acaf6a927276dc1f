//! The readable notation: how a call is printed in reports and by `mpivet print`, and how tests write traces.
//!
//! One line an event, or a call together with its return:
//!
//! ```text
//! ranks 2                                              size of the first MPI_COMM_WORLD
//! ranks w1 3                                           size of the world of spawned ranks, written w1.0 to w1.2
//! 0: def comm c1 {0,1}                                 a communicator (intercommunicator: {0}|{1})
//! 0: def bridge c1 spawn {0,1}|2+3 root 0 during 5-9   its remote group are 3 processes numbered from 2 by this rank;
//!                                                      spawn, parent, accept, connect (these with port "name"), unknown
//! 0: def type t1 vector(2,1,4; MPI_INT)                a datatype: combiner(ints; types)
//! 0: MPI_Send(dest=1, tag=7)                           a call that has not returned
//! 0: return = ok                                       the return of the thread's last open call
//! 1: MPI_Recv(source=0, tag=7) = ok {status=0/7/4}     call and return; status is source/tag/bytes[/cancelled]
//! 1: MPI_Isend(dest=0, request=@0x10) = ok {request=r1}    `@` is the address of the request variable
//! 1: MPI_Waitall(requests=[r1,r2]) = ok
//! 0.1: MPI_Barrier() = ok                              thread 1 of rank 0
//! 0.1: thread-level MPI_THREAD_SERIALIZED beside 0    the last call of thread 1 was forbidden: thread 0 was in one
//! 0: checksums at 1 sent all:8:1f received 0:4:aa,2:4:bb   in the last call, request number 1 (without `at`: 0): partner,
//!                                                      bytes, digest; `checksums` alone: the rank takes some
//! 0: exit 0 / 0: signal 8 / 0: signal 15 by launcher / 0: mpi-error MPI_ERR_RANK fatal "text" / 0: lost "reason"
//! ```
//!
//! What a test leaves out has a default: count 1, MPI_INT, MPI_COMM_WORLD, tag 0, root 0, MPI_SUM. The call site of
//! an event is the number of its line.

use crate::call::{
    Call, Checksum, Checksums, Found, Outcome, Place, Signal, Status, SystemEvent, ThreadLevel, Value, special,
};
use crate::definition::{
    Bridge, BridgeKind, COMM_SELF, COMM_WORLD, Combiner, Definition, FIRST_USER_ID, Id, NULL_ID, UNKNOWN_ID,
};
use crate::marks::Mark;
use crate::mpi::predefined::{DATATYPES, ERROR_CLASSES, OPS, datatype_id, error_class_name, op_id};
use crate::mpi::{Dir, FnId, Kind};
use crate::ranks::Ranks;
use crate::reader::RankEvent;
use std::fmt::Write as _;

/// Names of objects, for printing. The default names them by number.
pub trait Names {
    /// The name that the program gave to an object, or a better one than its number.
    fn name(&self, _kind: Kind, _id: Id) -> Option<String> {
        None
    }
}

/// Objects are named by their numbers.
pub struct NoNames;
impl Names for NoNames {}

fn handle_name(kind: Kind, id: Id, names: &dyn Names) -> String {
    if let Some(name) = names.name(kind, id) {
        return name;
    }
    let upper = format!("{kind:?}").to_uppercase();
    let user = id.wrapping_sub(FIRST_USER_ID);
    match (kind, id) {
        (_, UNKNOWN_ID) => format!("an unknown {}", format!("{kind:?}").to_lowercase()),
        (_, NULL_ID) => format!("MPI_{upper}_NULL"),
        (Kind::Comm, COMM_WORLD) => "MPI_COMM_WORLD".into(),
        (Kind::Comm, COMM_SELF) => "MPI_COMM_SELF".into(),
        (Kind::Group, crate::definition::GROUP_EMPTY) => "MPI_GROUP_EMPTY".into(),
        (Kind::Datatype, id) if (id as usize) <= DATATYPES.len() => DATATYPES[id as usize - 1].into(),
        (Kind::Op, id) if (id as usize) <= OPS.len() => OPS[id as usize - 1].into(),
        (Kind::Datatype, _) => format!("t{user}"),
        (Kind::Op, _) => format!("o{user}"),
        (kind, id) if id < FIRST_USER_ID => format!("{}#{id}", format!("{kind:?}").to_lowercase()),
        (kind, _) => format!("{}{user}", format!("{kind:?}").to_lowercase().chars().next().unwrap_or('x')),
    }
}

/// One integer as its kind prints it.
pub fn format_int(kind: Kind, value: i64, names: &dyn Names) -> String {
    match (kind, value) {
        (Kind::Rank, v) if v == i64::from(special::ANY_SOURCE) => "MPI_ANY_SOURCE".into(),
        (Kind::Rank | Kind::Root, v) if v == i64::from(special::PROC_NULL) => "MPI_PROC_NULL".into(),
        (Kind::Root, v) if v == i64::from(special::ROOT) => "MPI_ROOT".into(),
        (Kind::Tag, v) if v == i64::from(special::ANY_TAG) => "MPI_ANY_TAG".into(),
        (Kind::Color | Kind::Index | Kind::Int | Kind::Rank | Kind::Count, v) if v == i64::from(special::UNDEFINED) => {
            "MPI_UNDEFINED".into()
        }
        (Kind::SendBuf | Kind::RecvBuf | Kind::Buf, special::IN_PLACE) => "MPI_IN_PLACE".into(),
        (Kind::SendBuf | Kind::RecvBuf | Kind::Buf | Kind::Pointer | Kind::Callback | Kind::Opaque, 0) => "NULL".into(),
        (Kind::Request, 0) => "MPI_REQUEST_NULL".into(),
        (Kind::Message, 0) => "MPI_MESSAGE_NULL".into(),
        (Kind::Message, special::MESSAGE_NO_PROC) => "MPI_MESSAGE_NO_PROC".into(),
        (
            Kind::SendBuf
            | Kind::RecvBuf
            | Kind::Buf
            | Kind::Pointer
            | Kind::Callback
            | Kind::Opaque
            | Kind::Request
            | Kind::Message
            | Kind::Stream
            | Kind::StrArray
            | Kind::StrArrays
            | Kind::FStatus
            | Kind::F08Status,
            v,
        ) => format!("{v:#x}"),
        (kind, v) if kind.is_handle() => handle_name(kind, v as u32, names),
        (_, v) => v.to_string(),
    }
}

fn format_status(s: &Status) -> String {
    let mut text = String::new();
    text.push_str(&format_int(Kind::Rank, i64::from(s.source), &NoNames));
    text.push('/');
    text.push_str(&format_int(Kind::Tag, i64::from(s.tag), &NoNames));
    match s.bytes {
        Some(b) => _ = write!(text, "/{b}"),
        None => text.push_str("/?"),
    }
    if s.cancelled {
        text.push_str("/cancelled");
    }
    text
}

/// Arrays longer than this are cut in print.
const MAX_PRINTED: usize = 16;

fn format_list<T>(items: &[T], f: impl Fn(&T) -> String) -> String {
    let mut parts: Vec<String> = items.iter().take(MAX_PRINTED).map(f).collect();
    if items.len() > MAX_PRINTED {
        parts.push(format!("... {} in all", items.len()));
    }
    format!("[{}]", parts.join(","))
}

fn format_value(kind: Kind, value: &Value, names: &dyn Names) -> Option<String> {
    Some(match value {
        Value::None => return None,
        Value::Int(v) => format_int(kind, *v, names),
        Value::Request { slot, handle } => format!("{}@{slot:#x}", format_int(kind, *handle, names)),
        Value::Requests { base, handles } => {
            format!("{}@{base:#x}", format_list(handles, |v| format_int(kind, *v, names)))
        }
        Value::Ints(v) => format_list(v, |v| format_int(kind, *v, names)),
        Value::Status(s) => format_status(s),
        Value::Statuses(s) => format_list(s, format_status),
        Value::Str(s) => format!("{s:?}"),
    })
}

/// The call with its arguments by name: `MPI_Send(buf=0x10, count=1, ...)`.
pub fn format_call(call: &Call, names: &dyn Names) -> String {
    let row = call.func.row();
    let mut text = format!("{}(", row.name);
    let mut first = true;
    for (p, value) in row.params.iter().zip(&call.ins) {
        let value = match value {
            // Only the place of a request that the call makes.
            Value::Int(slot) if p.kind == Kind::Request && p.dir == Dir::Out => Some(format!("@{slot:#x}")),
            v => format_value(p.kind, v, names),
        };
        let Some(value) = value else { continue };
        if !first {
            text.push_str(", ");
        }
        first = false;
        _ = write!(text, "{}={value}", p.name);
    }
    text.push(')');
    text
}

/// What the call returned: `= MPI_SUCCESS {status=...}`, or nothing while it is open.
pub fn format_return(call: &Call, names: &dyn Names) -> String {
    let Outcome::Returned(class) = call.outcome else { return String::new() };
    let mut text = format!("= {}", if class == 0 { "ok" } else { error_class_name(class) });
    let row = call.func.row();
    let outs: Vec<String> = row
        .params
        .iter()
        .zip(&call.outs)
        .filter_map(|(p, v)| format_value(p.kind, v, names).map(|v| format!("{}={v}", p.name)))
        .collect();
    if !outs.is_empty() {
        _ = write!(text, " {{{}}}", outs.join(", "));
    }
    text
}

/// A definition in the notation, or `None` for those that are not part of it (modules, stacks).
pub fn format_definition(def: &Definition) -> Option<String> {
    Some(match def {
        Definition::Comm { id, local, remote, .. } => {
            let name = handle_name(Kind::Comm, *id, &NoNames);
            match remote {
                Some(remote) => format!("def comm {name} {{{local}}}|{{{remote}}}"),
                None => format!("def comm {name} {{{local}}}"),
            }
        }
        Definition::Group { id, ranks } => {
            format!("def group {} {{{ranks}}}", handle_name(Kind::Group, *id, &NoNames))
        }
        Definition::Bridge(b) => {
            let (name, kind) = (handle_name(Kind::Comm, b.comm, &NoNames), format!("{:?}", b.kind).to_lowercase());
            let port = if b.port.is_empty() { String::new() } else { format!(" port {:?}", b.port) };
            let Bridge { local, first, count, root, entered, returned, .. } = b;
            format!(
                "def bridge {name} {kind} {{{local}}}|{first}+{count} root {root} during {entered}-{returned}{port}"
            )
        }
        Definition::Datatype { id, combiner, ints, types, .. } => {
            let ints: Vec<String> = ints.iter().map(i64::to_string).collect();
            let types: Vec<String> = types.iter().map(|t| handle_name(Kind::Datatype, *t, &NoNames)).collect();
            let combiner = format!("{combiner:?}").to_lowercase();
            let name = handle_name(Kind::Datatype, *id, &NoNames);
            format!("def type {name} {combiner}({}; {})", ints.join(","), types.join(","))
        }
        Definition::Op { id, commute } => {
            let commute = if *commute { " commutes" } else { "" };
            format!("def op {}{commute}", handle_name(Kind::Op, *id, &NoNames))
        }
        _ => return None,
    })
}

/// A line of text that is not in the notation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct ParseError {
    pub line: usize,
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
            trace.worlds.push(size.trim().parse().map_err(|_| format!("`{n}` is no number of ranks"))?);
            return Ok(());
        }
        let (who, what) = line.split_once(':').ok_or("expected `rank: event`")?;
        let (world, who) = match who.strip_prefix('w').map(|w| w.split_once('.').unwrap_or((w, ""))) {
            Some((world, who)) => (world.parse::<usize>().map_err(|_| format!("`{world}` is no world"))?, who),
            None => (0, who),
        };
        let (rank, thread) = who.split_once('.').unwrap_or((who, "0"));
        let rank: i32 = rank.trim().parse().map_err(|_| format!("`{rank}` is no rank"))?;
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
                let of = (thread != crate::file::PROCESS_THREAD).then_some(thread);
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
                // It stands for the call of MPI_Pcontrol that it was made by.
                let calls = &mut self.threads.entry((rank, thread)).or_default().0;
                *calls += 1;
                system(thread, time, SystemEvent::Mark { call: *calls - 1, mark: Mark::parse(what)? })
            }
            "checksums" => {
                let call = self.threads.get(&(rank, thread)).map_or(0, |t| t.0.saturating_sub(1));
                system(thread, time, SystemEvent::Checksums(parse_checksums(rest, call)?))
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

fn matching_close(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => return Some(i),
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at commas that are not inside brackets.
fn split_top(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}

fn int(text: &str) -> Result<i64, String> {
    let text = text.trim();
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    parsed.ok_or_else(|| format!("`{text}` is no number"))
}

fn error(name: &str) -> Result<u16, String> {
    if name == "ok" || name == "MPI_SUCCESS" {
        return Ok(0);
    }
    let place = ERROR_CLASSES.iter().position(|n| *n == name);
    place.map(|i| i as u16 + 1).ok_or_else(|| format!("`{name}` is no error class"))
}

/// `MV104 "message" {3 MPI_Irecv "pending"}`: the last call of the thread is where it was found; in braces others.
fn parse_found(text: &str, thread: u16, call: u64) -> Result<Found, String> {
    let mut parts = text.split('"');
    let name = parts.next().unwrap_or("").trim();
    let check = crate::catalogue::by_name(name).ok_or_else(|| format!("`{name}` is no check"))?;
    let message = parts.next().ok_or("expected a message")?.to_owned();
    // What function it was stands in the call's own record.
    let here = Place { thread, call, func: 0, site: 0, role: "here".into() };
    let mut places = vec![here];
    while let (Some(head), Some(role)) = (parts.next(), parts.next()) {
        let mut words = head.trim_start_matches(['}', ' ', '{']).split_whitespace();
        let call = words.next().and_then(|w| w.parse().ok()).ok_or("expected the number of a call")?;
        let function = words.next().unwrap_or("");
        let func = FnId::by_name(function).ok_or_else(|| format!("`{function}` is no MPI function"))?;
        places.push(Place { thread, call, func: func as u16, site: 0, role: role.to_owned() });
    }
    Ok(Found { code: check.code.to_owned(), message, places, notes: Vec::new(), count: 1 })
}

/// `at 1 sent all:8:1f received 0:4:aa,2:4:bb`
fn parse_checksums(text: &str, call: u64) -> Result<Checksums, String> {
    let one = |word: &str| {
        let mut parts = word.split(':');
        let mut next = || parts.next().ok_or_else(|| format!("`{word}` is not of the form partner:bytes:digest"));
        let (partner, bytes, digest) = (next()?, next()?, next()?);
        let partner = match partner {
            "all" => Checksum::WHOLE,
            number => int(number)? as u32,
        };
        let digest = u64::from_str_radix(digest, 16).map_err(|_| format!("`{digest}` is no digest"))?;
        Ok(Checksum { partner, bytes: int(bytes)? as u64, digest })
    };
    let list = |text: &str| text.split(',').map(one).collect::<Result<Vec<_>, String>>();
    let mut checksums = Checksums { call, ..Checksums::default() };
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        let what = words.next().ok_or_else(|| format!("nothing behind `{word}`"))?;
        match word {
            "at" => checksums.request = int(what)? as u32,
            "sent" => checksums.sent = list(what)?,
            "received" => checksums.received = list(what)?,
            _ => return Err(format!("`{word}` says nothing of checksums")),
        }
    }
    Ok(checksums)
}

/// The inverse of [`parse_checksums`].
pub fn format_checksums(checksums: &Checksums) -> String {
    let mut text = "checksums".to_owned();
    if checksums.request > 0 {
        _ = write!(text, " at {}", checksums.request);
    }
    for (what, list) in [("sent", &checksums.sent), ("received", &checksums.received)] {
        for (i, c) in list.iter().enumerate() {
            text += &if i == 0 { format!(" {what} ") } else { ",".to_owned() };
            text += &if c.partner == Checksum::WHOLE { "all".to_owned() } else { c.partner.to_string() };
            _ = write!(text, ":{}:{:x}", c.bytes, c.digest);
        }
    }
    text
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

fn user_id(text: &str) -> Option<Id> {
    let digits = text.get(1..)?;
    text.starts_with(|c: char| c.is_ascii_lowercase()).then(|| digits.parse::<Id>().ok())?.map(|n| FIRST_USER_ID + n)
}

fn parse_id(kind: Kind, text: &str) -> Result<Id, String> {
    if text.starts_with("MPI_") && text.ends_with("_NULL") {
        return Ok(NULL_ID);
    }
    let predefined = match (kind, text) {
        (Kind::Comm, "MPI_COMM_WORLD") => Some(COMM_WORLD),
        (Kind::Comm, "MPI_COMM_SELF") => Some(COMM_SELF),
        (Kind::Group, "MPI_GROUP_EMPTY") => Some(crate::definition::GROUP_EMPTY),
        (Kind::Datatype, name) => datatype_id(name),
        (Kind::Op, name) => op_id(name),
        _ => None,
    };
    let numbered = || text.split_once('#').and_then(|(_, number)| number.parse().ok());
    predefined.or_else(|| user_id(text)).or_else(numbered).ok_or_else(|| format!("`{text}` names no {kind:?}"))
}

fn parse_value(kind: Kind, text: &str, define: &mut dyn FnMut(Definition)) -> Result<Value, String> {
    let (text, slot) = match text.rsplit_once('@') {
        Some((text, slot)) if matches!(kind, Kind::Request | Kind::Message) => (text, Some(int(slot)? as u64)),
        _ => (text, None),
    };
    if let Some(list) = text.strip_prefix('[').and_then(|t| t.strip_suffix(']')) {
        let items = split_top(list);
        if kind == Kind::Status {
            return Ok(Value::Statuses(items.into_iter().map(parse_status).collect::<Result<_, _>>()?));
        }
        let ints = items.into_iter().map(|t| parse_one(kind, t, define)).collect::<Result<Vec<_>, _>>()?;
        return Ok(match slot {
            Some(base) => Value::Requests { base, handles: ints },
            None => Value::Ints(ints),
        });
    }
    match (kind, slot) {
        (Kind::Status, _) => Ok(Value::Status(parse_status(text)?)),
        (Kind::Str, _) => Ok(Value::Str(text.trim_matches('"').to_owned())),
        (_, Some(slot)) if text.is_empty() => Ok(Value::Int(slot as i64)),
        (_, Some(slot)) => Ok(Value::Request { slot, handle: parse_one(kind, text, define)? }),
        _ => Ok(Value::Int(parse_one(kind, text, define)?)),
    }
}

fn parse_one(kind: Kind, text: &str, define: &mut dyn FnMut(Definition)) -> Result<i64, String> {
    let named = match text {
        "MPI_ANY_SOURCE" | "ANY" if kind == Kind::Rank => Some(special::ANY_SOURCE.into()),
        "MPI_ANY_TAG" | "ANY" if kind == Kind::Tag => Some(special::ANY_TAG.into()),
        "MPI_PROC_NULL" => Some(special::PROC_NULL.into()),
        "MPI_ROOT" => Some(special::ROOT.into()),
        "MPI_UNDEFINED" => Some(special::UNDEFINED.into()),
        "MPI_IN_PLACE" => Some(special::IN_PLACE),
        "NULL" | "MPI_BOTTOM" | "MPI_REQUEST_NULL" | "MPI_MESSAGE_NULL" => Some(0),
        "MPI_MESSAGE_NO_PROC" => Some(special::MESSAGE_NO_PROC),
        _ => None,
    };
    if let Some(value) = named {
        return Ok(value);
    }
    match kind {
        Kind::Request | Kind::Message => match text.strip_prefix(['r', 'm']) {
            Some(digits) => int(digits),
            None => int(text),
        },
        Kind::Comm if text.contains('{') => {
            let (name, _) = text.split_once('{').unwrap_or((text, ""));
            let id = parse_id(kind, name)?;
            define(parse_comm(id, &text[name.len()..])?);
            Ok(id.into())
        }
        k if k.is_handle() => parse_id(k, text).map(i64::from),
        _ => int(text),
    }
}

fn parse_status(text: &str) -> Result<Status, String> {
    let parts: Vec<&str> = text.split('/').collect();
    let [source, tag, rest @ ..] = &parts[..] else { return Err(format!("`{text}` is no source/tag/bytes")) };
    let mut none = |_| {};
    let source = parse_one(Kind::Rank, source, &mut none)? as i32;
    let tag = parse_one(Kind::Tag, tag, &mut none)? as i32;
    let bytes = match rest.first() {
        None | Some(&"?") => None,
        Some(b) => Some(int(b)? as u64),
    };
    Ok(Status { source, tag, bytes, cancelled: rest.get(1) == Some(&"cancelled") })
}

fn parse_ranks(text: &str) -> Result<Ranks, String> {
    let inner = text.trim().strip_prefix('{').and_then(|t| t.strip_suffix('}'));
    inner.ok_or_else(|| format!("expected {{ranks}}, found `{text}`"))?.parse()
}

fn parse_comm(id: Id, groups: &str) -> Result<Definition, String> {
    let (local, remote) = match groups.split_once('|') {
        Some((local, remote)) => (local, Some(parse_ranks(remote)?)),
        None => (groups, None),
    };
    Ok(Definition::Comm { id, local: parse_ranks(local)?, remote, neighbors: None })
}

fn parse_bridge(comm: Id, text: &str) -> Result<Definition, String> {
    let (text, port) = text.split_once(" port ").unwrap_or((text, ""));
    let words: Vec<&str> = text.split_whitespace().collect();
    let [kind, groups, "root", root, "during", during] = words[..] else {
        return Err("expected `kind {local}|first+count root place during from-to`".into());
    };
    let kind = [BridgeKind::Spawn, BridgeKind::Parent, BridgeKind::Accept, BridgeKind::Connect, BridgeKind::Unknown]
        .into_iter()
        .find(|k| format!("{k:?}").eq_ignore_ascii_case(kind))
        .ok_or_else(|| format!("`{kind}` is no kind of bridge"))?;
    let (local, remote) = groups.split_once('|').ok_or("expected {local}|first+count")?;
    let (first, count) = remote.split_once('+').ok_or("expected first+count")?;
    let (entered, returned) = during.split_once('-').ok_or("expected from-to")?;
    Ok(Definition::Bridge(Bridge {
        kind,
        comm,
        first: int(first)? as i32,
        count: int(count)? as i32,
        local: parse_ranks(local)?,
        root: int(root)? as i32,
        port: port.trim_matches('"').to_owned(),
        entered: int(entered)? as u64,
        returned: int(returned)? as u64,
    }))
}

fn parse_definition(text: &str) -> Result<Definition, String> {
    let mut words = text.splitn(3, ' ');
    let (what, name) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let rest = words.next().unwrap_or("").trim();
    match what {
        "comm" => parse_comm(parse_id(Kind::Comm, name)?, rest),
        "group" => Ok(Definition::Group { id: parse_id(Kind::Group, name)?, ranks: parse_ranks(rest)? }),
        "bridge" => parse_bridge(parse_id(Kind::Comm, name)?, rest),
        "op" => Ok(Definition::Op { id: parse_id(Kind::Op, name)?, commute: rest == "commutes" }),
        "type" => {
            let (combiner, args) = rest.split_once('(').ok_or("expected combiner(ints; types)")?;
            let (args, sizes) = args.split_once(')').unwrap_or((args, ""));
            let (ints, types) = args.split_once(';').ok_or("expected combiner(ints; types)")?;
            // What the library says of it may follow: `size 8 extent 16`.
            let sizes: Vec<&str> = sizes.split_whitespace().collect();
            let said = |name: &str| sizes.iter().position(|w| *w == name).and_then(|at| sizes.get(at + 1));
            let said = |name: &str| said(name).map_or(Ok(0), |n| int(n));
            let combiner = [
                Combiner::Named,
                Combiner::Dup,
                Combiner::Contiguous,
                Combiner::Vector,
                Combiner::Hvector,
                Combiner::Indexed,
                Combiner::Hindexed,
                Combiner::IndexedBlock,
                Combiner::HindexedBlock,
                Combiner::Struct,
                Combiner::Subarray,
                Combiner::Darray,
                Combiner::Resized,
                Combiner::Opaque,
            ]
            .into_iter()
            .find(|c| format!("{c:?}").eq_ignore_ascii_case(combiner))
            .ok_or_else(|| format!("`{combiner}` is no combiner"))?;
            let ints = split_top(ints).into_iter().map(int).collect::<Result<_, _>>()?;
            let types = split_top(types).into_iter().map(|t| parse_id(Kind::Datatype, t)).collect::<Result<_, _>>()?;
            let id = parse_id(Kind::Datatype, name)?;
            let (size, extent) = (said("size")?.max(0) as u64, said("extent")?);
            Ok(Definition::Datatype { id, combiner, ints, types, size, lb: 0, extent })
        }
        other => Err(format!("`{other}` cannot be defined")),
    }
}
