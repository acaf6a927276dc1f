//! From counts to results: source lines are looked up, everything gets its order.

use super::collect::{Calls, Collector, RankCounts};
use super::filter::sorted;
use super::waits::may_wait;
use super::{Collectives, Function, Pair, ProcessName, Rank, SCHEMA, Site, Statistics, Waits};
use crate::clean_line;
use crate::symbols::Symbols;
use engine::clocks::Clocks;
use engine::listeners::Communicator;
use engine::worlds::Names;
use std::collections::BTreeMap;
use trace_format::definition::Id;
use trace_format::mpi::FnId;

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

impl Calls {
    fn add(&mut self, more: &Calls) {
        if more.timed > 0 {
            self.min = if self.timed == 0 { more.min } else { self.min.min(more.min) };
            self.max = self.max.max(more.max);
        }
        self.timed = self.timed.saturating_add(more.timed);
        self.calls = self.calls.saturating_add(more.calls);
        self.open = self.open.saturating_add(more.open);
        self.ns = self.ns.saturating_add(more.ns);
        self.polling = self.polling.saturating_add(more.polling);
        self.carries(more.bytes);
        self.late_sender = self.late_sender.saturating_add(more.late_sender);
        self.late_receiver = self.late_receiver.saturating_add(more.late_receiver);
        self.collective = self.collective.saturating_add(more.collective);
    }

    fn waits(&self, id: FnId) -> Waits {
        let explained = self.late_sender.saturating_add(self.late_receiver).saturating_add(self.collective);
        let other = if may_wait(id.row().class) { self.ns.saturating_sub(explained) } else { 0 };
        Waits {
            late_sender: seconds(self.late_sender),
            late_receiver: seconds(self.late_receiver),
            collective: seconds(self.collective),
            other: seconds(other),
        }
    }

    fn function(&self, id: FnId) -> Function {
        Function {
            id,
            calls: self.calls,
            open: self.open,
            seconds: seconds(self.ns),
            polling_seconds: seconds(self.polling),
            min_seconds: seconds(self.min),
            max_seconds: seconds(self.max),
            bytes: self.bytes,
        }
    }
}

fn functions(all: &BTreeMap<FnId, Calls>) -> Vec<Function> {
    sorted(all.iter().map(|(id, calls)| calls.function(*id)).collect())
}

impl Collector {
    /// The statistics of all that was told.
    pub fn finish(mut self, names: &Names, symbols: &mut Symbols) -> Statistics {
        self.settle();
        let mut whole: BTreeMap<FnId, Calls> = BTreeMap::new();
        let mut ranks = Vec::new();
        let mut sites = Vec::new();
        for (process, rank) in (0..).zip(&self.ranks) {
            if rank.calls.is_empty() {
                continue;
            }
            let mut of_rank: BTreeMap<FnId, Calls> = BTreeMap::new();
            for ((_, id), calls) in &rank.calls {
                of_rank.entry(*id).or_default().add(calls);
                whole.entry(*id).or_default().add(calls);
            }
            let who = who(process, names);
            ranks.push(summary(who, rank, &of_rank, &self.clocks));
            sites.extend(places(who, rank, symbols));
        }
        let mut pairs: Vec<Pair> = Vec::new();
        for ((from, to), traffic) in &self.pairs {
            let (from, to) = (who(*from, names), who(*to, names));
            pairs.push(Pair { from, to, messages: traffic.messages, bytes: traffic.bytes });
        }
        pairs.sort_by_key(|p| (p.from.process, p.to.process));
        Statistics {
            schema: SCHEMA,
            seconds: ranks.iter().map(|r| r.seconds).fold(0.0, f64::max),
            rank_seconds: ranks.iter().map(|r| r.seconds).sum(),
            thread_seconds: ranks.iter().map(|r| r.thread_seconds).sum(),
            hosts: self.clocks.hosts().iter().map(|host| tame(host)).collect(),
            clocks_differ: self.clocks.differ(),
            functions: functions(&whole),
            sizes: super::sizes::merge(ranks.iter().flat_map(|r| &r.sizes)),
            unknown_sizes: ranks.iter().map(|r| r.unknown_sizes).sum(),
            ranks,
            pairs,
            collectives: self.of_communicators(names),
            sites,
        }
    }

    fn of_communicators(&self, names: &Names) -> Vec<Collectives> {
        let mut list: Vec<Collectives> = Vec::new();
        for ((number, id), of) in &self.collectives {
            let known = number.and_then(|n| self.communicators.get(&n)?.as_ref());
            let communicator = match (number, known) {
                (None, _) => "others".to_owned(),
                (Some(number), None) => format!("number {number}"),
                (Some(number), Some(known)) => name_of(*number, known, names),
            };
            list.push(Collectives {
                communicator,
                number: *number,
                size: known.map_or(0, |k| k.ranks.len() + k.remote.as_ref().map_or(0, |r| r.len())),
                id: *id,
                operations: of.operations,
                unfinished: of.unfinished,
                seconds: seconds(of.ns),
                wait_seconds: seconds(of.wait),
                max_wait_seconds: seconds(of.max_wait),
            });
        }
        list.sort_by_key(|c| (c.number.is_none(), c.number, c.id));
        list
    }
}

/// The program's name of the communicator; there may be a MPI_COMM_WORLD in each world.
fn name_of(number: u32, known: &Communicator, names: &Names) -> String {
    let world = known.ranks.get(0).map_or(0, |process| names.of(process).0);
    match &known.name {
        Some(name) if world > 0 && name == "MPI_COMM_WORLD" => format!("world {world} {name}"),
        Some(name) => tame(name),
        None => format!("{} {number}", known.kind.noun()),
    }
}

fn who(process: i32, names: &Names) -> ProcessName {
    let (world, rank) = names.of(process);
    ProcessName { process, world, rank }
}

fn summary(who: ProcessName, rank: &RankCounts, of_rank: &BTreeMap<FnId, Calls>, clocks: &Clocks) -> Rank {
    let mut waits = Waits::default();
    of_rank.iter().for_each(|(id, calls)| waits += calls.waits(*id));
    let threads = || rank.threads.values().filter_map(|thread| Some((thread.from?, thread.to)));
    let span = |(from, to)| seconds(clocks.span(who.process, from, to));
    let whole = threads().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    Rank {
        who,
        seconds: whole.map_or(0.0, span),
        thread_seconds: threads().map(span).sum(),
        mpi_seconds: of_rank.values().map(|c| seconds(c.ns)).sum(),
        polling_seconds: of_rank.values().map(|c| seconds(c.polling)).sum(),
        waits,
        functions: functions(of_rank),
        sizes: rank.sizes.list(),
        unknown_sizes: rank.sizes.unknown,
    }
}

/// The places where a rank may have waited. Different stacks with the same source line are one place.
fn places(who: ProcessName, rank: &RankCounts, symbols: &mut Symbols) -> Vec<Site> {
    type LineCalls = (Option<String>, Option<u32>, Option<String>, Calls);
    let mut known: BTreeMap<(String, FnId), LineCalls> = BTreeMap::new();
    for ((id, func), calls) in &rank.calls {
        if !may_wait(func.row().class) {
            continue;
        }
        let (place, file, line) = place(who.process, *id, symbols);
        let text = match (&file, line) {
            (Some(file), Some(line)) => symbols.source(who.process, file, line),
            _ => None,
        };
        known.entry((place, *func)).or_insert((file, line, text, Calls::default())).3.add(calls);
    }
    let site = |((place, id), (file, line, source, calls)): ((String, FnId), LineCalls)| {
        let (waits, seconds) = (calls.waits(id), seconds(calls.ns));
        let (place, file, source) = (tame(&place), file.as_deref().map(tame), source.as_deref().map(tame));
        Site { who, id, file, line, place, source, calls: calls.calls, seconds, waits }
    };
    known.into_iter().map(site).collect()
}

/// `file:line` in short, and both in full. Without a known line: the function or the module alone.
fn place(process: i32, site: Id, symbols: &mut Symbols) -> (String, Option<String>, Option<u32>) {
    match symbols.user_place(process, site) {
        Some((place, shown)) if place.line > 0 && !place.file.is_empty() => (shown, Some(place.file), Some(place.line)),
        Some((_, shown)) => (shown, None, None),
        None => (String::new(), None, None),
    }
}

/// Names in a trace may hold anything.
fn tame(text: &str) -> String {
    clean_line(text).into_owned()
}
