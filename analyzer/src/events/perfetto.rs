//! Trace events as JSON, which Perfetto and chrome://tracing open: a process for each rank, its threads, calls as slices,
//! messages and collective operations as arrows (flows).
//!
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>

use super::{Scene, Writer};
use engine::listeners::{CallSeen, Collective, Message, Returned};
use engine::signal_name;
use report::FindingCall;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::io::{self, Write};
use trace_format::annotations::Annotation;
use trace_format::file::{PROCESS_THREAD, RankHeader};
use trace_format::mpi::Kind;
use trace_format::mpi::predefined::error_class_name;
use trace_format::names::{NoNames, format_int};
use trace_format::system::SystemEvent;
use trace_reader::call::{Call, Outcome, call_event};
use trace_reader::text::{format_annotation, format_call, format_return};

/// See the module.
pub struct Perfetto {
    out: Box<dyn Write + Send>,
    any: bool,
    /// Number of the last arrow.
    flows: u64,
    threads: BTreeSet<(i32, u16)>,
    /// Regions of the program that threads are in.
    regions: FxHashMap<(i32, u16), Vec<String>>,
}

/// Process and thread numbers: 0 is nobody's, since it means the idle process of an operating system.
fn track(rank: i32, thread: u16) -> (i32, u32) {
    (rank.saturating_add(1), u32::from(thread) + 1)
}

/// Nanoseconds as microseconds; exact in runs of up to 100 days.
fn micros(ns: i64) -> Value {
    Value::from(ns as f64 / 1000.0)
}

impl Perfetto {
    pub fn new(out: Box<dyn Write + Send>) -> Perfetto {
        let (threads, regions) = (BTreeSet::new(), FxHashMap::default());
        Perfetto { out, any: false, flows: 0, threads, regions }
    }

    fn put(&mut self, event: &Value) -> io::Result<()> {
        let comma: &[u8] = if self.any { b",\n" } else { b"\n" };
        self.any = true;
        self.out.write_all(comma)?;
        serde_json::to_writer(&mut self.out, event).map_err(io::Error::from)
    }

    /// An event on the track of a thread, which gets its name when it is first met.
    fn event(&mut self, (rank, thread): (i32, u16), ns: i64, phase: &str, more: Value) -> io::Result<()> {
        let (pid, tid) = track(rank, thread);
        if thread != PROCESS_THREAD && self.threads.insert((rank, thread)) {
            let name = json!({ "name": format!("thread {thread}") });
            self.put(&json!({ "ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "ts": 0, "args": name }))?;
        }
        let mut event = Map::new();
        event.insert("ph".into(), phase.into());
        event.insert("pid".into(), pid.into());
        event.insert("tid".into(), if thread == PROCESS_THREAD { 1 } else { tid }.into());
        event.insert("ts".into(), micros(ns));
        if let Value::Object(more) = more {
            event.extend(more);
        }
        self.put(&Value::Object(event))
    }

    /// A point of an arrow, inside of the slice of a call: its begin, or its end.
    fn flow(&mut self, phase: &str, name: &str, id: u64, call: &CallSeen, ns: i64) -> io::Result<()> {
        let mut more = json!({ "cat": name, "name": name, "id": id });
        if phase == "f" {
            // It ends in the slice that is there, not in the next one.
            more["bp"] = "e".into();
        }
        self.event((call.rank, call.thread), ns, phase, more)
    }

    fn instant(&mut self, of: (i32, u16), ns: i64, cat: &str, name: String, args: Value) -> io::Result<()> {
        let scope = if of.1 == PROCESS_THREAD { "p" } else { "t" };
        self.event(of, ns, "i", json!({ "cat": cat, "name": name, "s": scope, "args": args }))
    }

    fn region(&mut self, of: (i32, u16), ns: i64, name: &str, begins: bool) -> io::Result<()> {
        let open = self.regions.entry(of).or_default();
        if begins {
            open.push(name.to_owned());
            return self.event(of, ns, "B", json!({ "cat": "region", "name": name }));
        }
        let Some(at) = open.iter().rposition(|region| region == name) else { return Ok(()) };
        // Slices are nested: what was opened inside and is still open is cut in two.
        let inside = open.split_off(at).split_off(1);
        self.regions.entry(of).or_default().extend(inside.iter().cloned());
        for _ in 0..=inside.len() {
            self.event(of, ns, "E", json!({}))?;
        }
        for name in inside {
            self.event(of, ns, "B", json!({ "cat": "region", "name": name }))?;
        }
        Ok(())
    }
}

/// A moment inside of a call that lasted at all: a viewer then knows which slice an arrow belongs to.
fn first(scene: &Scene, call: &CallSeen) -> i64 {
    let begin = scene.at(call.rank, call.begin);
    let lasts = call.end.is_some_and(|end| scene.at(call.rank, end) > begin.saturating_add(1));
    begin + i64::from(lasts)
}

fn last(scene: &Scene, call: &CallSeen) -> i64 {
    let (begin, end) = (scene.at(call.rank, call.begin), scene.at(call.rank, call.end.unwrap_or(call.begin)));
    end - i64::from(end > begin.saturating_add(1))
}

impl Writer for Perfetto {
    fn begin(&mut self, scene: &Scene, ranks: &[RankHeader]) -> io::Result<()> {
        self.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
        for header in ranks {
            let (pid, tid) = track(header.rank, 0);
            let mut meta = |name: &str, args: Value| {
                self.put(&json!({ "ph": "M", "name": name, "pid": pid, "tid": tid, "ts": 0, "args": args }))
            };
            let name = format!("{} ({})", scene.names.list(&[header.rank]), header.host);
            meta("process_name", json!({ "name": name }))?;
            meta("process_sort_index", json!({ "sort_index": header.rank }))?;
            meta("process_labels", json!({ "labels": format!("process {}", header.pid) }))?;
        }
        Ok(())
    }

    fn call(&mut self, scene: &Scene, returned: &Returned) -> io::Result<()> {
        let call = &returned.call;
        let mut made = Call { ins: returned.ins.to_values(), outs: returned.outs.to_values(), ..Call::new(call.func) };
        let mut args = json!({ "call": format_call(&made, &NoNames), "event": call_event(call.index) });
        if let Some(class) = returned.class {
            made.outcome = Outcome::Returned(class);
            args["result"] = format_return(&made, &NoNames).trim_start_matches("= ").into();
        }
        if let Some(bytes) = returned.bytes {
            args["bytes"] = bytes.into();
        }
        if returned.polls > 0 {
            args["polls"] = (u64::from(returned.polls) + 1).into();
        }
        if let Some(place) = scene.places.get(call.rank, call.site) {
            args["source"] = format!("{}:{}", place.file, place.line).into();
        }
        let begin = scene.at(call.rank, call.begin);
        let mut more = json!({ "cat": "mpi", "name": call.func.name(), "args": args });
        match returned.last.or(call.end) {
            Some(end) => {
                more["dur"] = micros(scene.at(call.rank, end).saturating_sub(begin).max(0));
                self.event((call.rank, call.thread), begin, "X", more)
            }
            // It never ended.
            None => self.event((call.rank, call.thread), begin, "B", more),
        }
    }

    fn message(&mut self, scene: &Scene, message: &Message) -> io::Result<()> {
        let Some(got) = &message.recv.ended else { return Ok(()) };
        self.flows += 1;
        let (from, to) = (first(scene, &message.send.call), last(scene, got));
        self.flow("s", "message", self.flows, &message.send.call, from)?;
        // The clocks of two hosts may say that it was received before it was sent.
        self.flow("f", "message", self.flows, got, to.max(from))
    }

    fn collective(&mut self, scene: &Scene, collective: &Collective) -> io::Result<()> {
        let mut calls: Vec<(i64, &CallSeen)> =
            collective.parts.iter().map(|p| (first(scene, &p.call), &p.call)).collect();
        if calls.len() < 2 {
            return Ok(());
        }
        // An arrow goes from each call to the next one: the others waited for the last.
        calls.sort_by_key(|(at, call)| (*at, call.rank));
        self.flows += 1;
        let end = calls.len() - 1;
        for (i, (at, call)) in calls.into_iter().enumerate() {
            let phase = match i {
                0 => "s",
                i if i == end => "f",
                _ => "t",
            };
            self.flow(phase, "collective", self.flows, call, at)?;
        }
        Ok(())
    }

    fn system(&mut self, scene: &Scene, of: (i32, u16), time: u64, event: &SystemEvent) -> io::Result<()> {
        let ns = scene.at(of.0, time);
        match event {
            SystemEvent::Annotation { annotation: Annotation::RegionBegin { name }, .. } => {
                self.region(of, ns, name, true)
            }
            SystemEvent::Annotation { annotation: Annotation::RegionEnd { name }, .. } => {
                self.region(of, ns, name, false)
            }
            SystemEvent::Annotation { annotation, .. } => {
                self.instant(of, ns, "mark", format_annotation(annotation, &NoNames), json!({}))
            }
            SystemEvent::Sample(sample) => {
                let comm = sample.comm.map(|c| format!(" of {}", format_int(Kind::Comm, i64::from(c), &NoNames)));
                let name = format!("{}{}", sample.variable, comm.unwrap_or_default());
                let value = sample.total.value();
                self.event((of.0, 0), ns, "C", json!({ "name": name, "args": { "value": value } }))
            }
            SystemEvent::Signal(signal) => {
                let thread = signal.thread.unwrap_or(of.1);
                self.instant((of.0, thread), ns, "signal", signal_name(signal.signal).to_string(), json!({}))
            }
            SystemEvent::MpiError { class, text, fatal, .. } => {
                let args = json!({ "text": text, "fatal": fatal });
                self.instant(of, ns, "error", error_class_name(*class).to_owned(), args)
            }
            SystemEvent::Exit { status } => self.instant(of, ns, "exit", format!("exit {status}"), json!({})),
            SystemEvent::Lost { reason } => {
                self.instant(of, ns, "lost", "recording ended".into(), json!({ "reason": reason }))
            }
            SystemEvent::Gap { calls } => {
                self.instant(of, ns, "gap", "calls are missing here".into(), json!({ "calls": calls }))
            }
            SystemEvent::Recording { on } => {
                let what = if *on { "recording resumed" } else { "recording paused" };
                self.instant(of, ns, "recording", what.into(), json!({}))
            }
            // Findings come with those of the analysis.
            SystemEvent::Found(_)
            | SystemEvent::ThreadLevel { .. }
            | SystemEvent::Checksums(_)
            | SystemEvent::Callback(_)
            | SystemEvent::Touched(_)
            | SystemEvent::Watched(_) => Ok(()),
        }
    }

    fn finding(&mut self, scene: &Scene, call: &FindingCall) -> io::Result<()> {
        let ns = scene.at(call.process, call.time);
        let args = json!({
            "message": call.message,
            "severity": call.severity,
            "role": call.role,
            "call": call.call,
            "finding": call.number,
        });
        self.instant((call.process, call.thread), ns, "finding", format!("{} {}", call.code, call.check), args)
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()
    }
}
