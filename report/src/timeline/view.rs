//! The time line as the page has it: numbers in rows, names once, cells as bytes.

use super::base64::base64;
use super::calls::{Calls, Exact};
use super::{Recorder, Scale, State, state};
use crate::symbols::Symbols;
use engine::listeners::Communicator;
use engine::worlds::Names;
use rustc_hash::FxHashMap;
use serde::Serialize;
use trace_format::definition::Id;
use trace_format::mpi::{FnId, Kind};
use trace_format::names::{NoNames, format_int};
use trace_reader::call::Call;
use trace_reader::text::format_call;

/// Longer texts of calls are cut.
const MAX_TEXT: usize = 400;

/// Names that are written once, and then as numbers.
#[derive(Debug, Default)]
struct Table {
    names: Vec<String>,
    numbers: FxHashMap<String, usize>,
}

impl Table {
    fn number(&mut self, name: &str) -> usize {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

// Rows of the page, which are long lists of short things.
/// From rank, to rank, sent, received, bytes, tag, communicator, call of the send, of the receive, of its end (thread
/// and number each).
type MessageRow = (i32, i32, i64, i64, i64, i32, u32, [u64; 6]);
/// Rank, is a send, time, peer, tag, communicator, thread, number.
type AloneRow = (i32, bool, i64, i32, i32, u32, u16, u64);
/// Function, communicator, first came, last came, end, lowest, highest, latest rank, how many came, of how many.
type CollectiveRow = (usize, u32, [i64; 3], [i32; 3], usize, usize);
/// Function, place, number, begin, how long (-1: it did not return), waited, error class, polls, arguments.
type CallRow = (usize, i64, u64, i64, i64, i64, u16, u32, String);

/// Times are nanoseconds since the beginning; -1 is none, or unknown.
#[derive(Debug, Serialize)]
pub struct Timeline {
    /// The end of the run, with some room behind it for what never ended.
    end: i64,
    /// The last thing that is known.
    last: i64,
    /// Names of the processes.
    ranks: Vec<String>,
    /// First and last thing that is known of each.
    spans: Vec<[i64; 2]>,
    cells: CellsView,
    functions: Vec<String>,
    /// 0: messages, 2: collective, 3: other.
    states: Vec<u8>,
    places: Vec<String>,
    calls_seen: u64,
    messages_seen: u64,
    collectives_seen: u64,
    communicators_seen: u64,
    lanes: Vec<LaneView>,
    messages: Vec<MessageRow>,
    alone: Vec<AloneRow>,
    collectives: Vec<CollectiveRow>,
    communicators: Vec<CommunicatorView>,
    region_names: Vec<String>,
    /// Rank, name, begin, end, depth.
    regions: Vec<(i32, usize, i64, i64, usize)>,
    regions_dropped: u64,
    samples: Vec<CurveView>,
    /// Rank, time, number.
    signals: Vec<(i32, i64, i32)>,
    #[serde(skip)]
    scale: Scale,
    #[serde(skip)]
    start: i64,
}

#[derive(Debug, Serialize)]
struct CellsView {
    start: i64,
    width: i64,
    /// Rank by rank; four bytes a cell: shares of the states in 255ths.
    data: Vec<String>,
}

/// The calls of a thread that are known one by one.
#[derive(Debug, Serialize)]
struct LaneView {
    rank: i32,
    thread: u16,
    /// There were earlier ones.
    cut: bool,
    calls: Vec<CallRow>,
}

#[derive(Debug, Serialize)]
struct CommunicatorView {
    number: u32,
    kind: String,
    name: String,
    size: usize,
    ranks: String,
    remote: Option<String>,
}

#[derive(Debug, Serialize)]
struct CurveView {
    variable: String,
    rank: i32,
    comm: Option<String>,
    points: Vec<(i64, f64)>,
}

impl Timeline {
    /// When a call of a finding began and ended (-1: it did not).
    pub(crate) fn span(&self, rank: i32, span: (u64, u64)) -> [i64; 2] {
        let is_known = usize::try_from(rank).is_ok_and(|rank| rank < self.ranks.len());
        let at = |ticks: u64| if is_known { (self.scale.at(rank, ticks) - self.start).max(0) } else { -1 };
        [at(span.0), if span.1 == u64::MAX { -1 } else { at(span.1) }]
    }
}

impl Recorder {
    /// The run is over.
    pub fn finish(mut self, names: &Names, symbols: &mut Symbols) -> Timeline {
        let spans = || self.spans.iter().flatten();
        let start = spans().map(|s| s.0).min().unwrap_or(0);
        let last = spans().map(|s| s.1).max().unwrap_or(start);
        // Room for what never ended, so that it can be seen.
        let end = last + ((last - start) / 16).max(1_000);
        for (rank, begin) in std::mem::take(&mut self.open) {
            self.cells.add(rank, State::Waiting, begin, end);
        }
        self.calls.end();
        self.annotations.close();
        let mut tables = Tables::default();
        let lanes = lanes(&self.calls, start, &mut tables, symbols);
        let messages_seen = self.traffic.messages_seen();
        let collectives_seen = self.traffic.collectives_seen();
        let (messages, alone, collectives) = self.traffic.finish();
        let at = |time: i64| (time - start).max(0);
        let messages = messages.into_iter().map(|m| {
            let bytes = m.bytes.and_then(|b| i64::try_from(b).ok()).unwrap_or(-1);
            let calls = [m.send, m.recv, m.end].map(|(thread, index)| [u64::from(thread), index]);
            let [[a, b], [c, d], [e, f]] = calls;
            (m.from, m.to, at(m.sent), at(m.received), bytes, m.tag, m.comm, [a, b, c, d, e, f])
        });
        let alone =
            alone.into_iter().map(|s| (s.rank, s.is_send, at(s.time), s.peer, s.tag, s.comm, s.call.0, s.call.1));
        let collectives = collectives.into_iter().map(|b| {
            let times = [b.first, b.last, b.end].map(at);
            (tables.function(b.func), b.comm, times, [b.low, b.high, b.latest], b.came, b.size)
        });
        let collectives = collectives.collect();
        let mut region_names = Table::default();
        let regions = self.annotations.regions.iter().map(|r| {
            let end = r.end.map_or(-1, at);
            (r.rank, region_names.number(&r.name), at(r.begin), end, r.depth)
        });
        let regions = regions.collect();
        let samples = self.annotations.curves.into_iter().map(|((variable, rank, comm), curve)| {
            let points = curve.points.into_iter().map(|(time, value)| (at(time), value)).collect();
            let comm = comm.map(|c| format_int(Kind::Comm, i64::from(c), &NoNames));
            CurveView { variable, rank, comm, points }
        });
        let ranks = self.spans.len();
        Timeline {
            end: at(end),
            last: at(last),
            ranks: (0..ranks).map(|r| names.short(r as i32)).collect(),
            spans: self.spans.iter().map(|s| s.map_or([-1, -1], |s| [at(s.0), at(s.1)])).collect(),
            cells: CellsView {
                start: self.cells.start - start,
                width: self.cells.width(),
                data: (0..ranks).map(|r| base64(&self.cells.shares(r))).collect(),
            },
            functions: tables.functions.names,
            states: tables.states,
            places: tables.places.names,
            calls_seen: self.calls.seen,
            messages_seen,
            collectives_seen,
            communicators_seen: self.communicators_seen,
            lanes,
            messages: messages.collect(),
            alone: alone.collect(),
            collectives,
            communicators: self.communicators.into_values().map(|c| communicator(c, names)).collect(),
            region_names: region_names.names,
            regions,
            regions_dropped: self.annotations.regions_dropped,
            samples: samples.collect(),
            signals: self
                .annotations
                .signals
                .iter()
                .map(|(rank, (time, number))| (*rank, at(*time), *number))
                .collect(),
            scale: self.scale,
            start,
        }
    }
}

#[derive(Default)]
struct Tables {
    functions: Table,
    states: Vec<u8>,
    places: Table,
    /// By rank and call site.
    known: FxHashMap<(i32, Id), Option<usize>>,
}

impl Tables {
    fn function(&mut self, func: FnId) -> usize {
        let number = self.functions.number(func.name());
        if number == self.states.len() {
            self.states.push(state(func) as u8);
        }
        number
    }

    /// The user's line of a call site.
    fn place(&mut self, rank: i32, site: Id, symbols: &mut Symbols) -> i64 {
        let places = &mut self.places;
        let known = self.known.entry((rank, site)).or_insert_with(|| {
            let (place, shown) = symbols.user_place(rank, site)?;
            let is_known = place.line > 0 && !place.file.is_empty();
            let shown = if is_known { &shown } else { &place.function };
            (!shown.is_empty()).then(|| places.number(shown))
        });
        known.map_or(-1, |place| place as i64)
    }
}

fn lanes(calls: &Calls, start: i64, tables: &mut Tables, symbols: &mut Symbols) -> Vec<LaneView> {
    let mut lanes = Vec::new();
    for (&(rank, thread), lane) in &calls.threads {
        let row = |c: &Exact| {
            let wait = calls.wait_of(rank, thread, c.index).map_or(0, |until| (until - c.begin).max(0));
            let length = c.end.map_or(-1, |end| (end - c.begin).max(0));
            let place = tables.place(rank, c.site, symbols);
            let func = tables.function(c.func);
            (func, place, c.index, c.begin - start, length, wait, c.class, c.polls, arguments(c))
        };
        lanes.push(LaneView { rank, thread, cut: lane.cut, calls: lane.calls.iter().map(row).collect() });
    }
    lanes
}

/// The arguments of a call, as reports write them.
fn arguments(exact: &Exact) -> String {
    let mut call = Call::new(exact.func);
    call.ins = exact.ins.to_values();
    let text = format_call(&call, &NoNames);
    let inside = text.find('(').map_or("", |open| &text[open + 1..]);
    let inside = inside.strip_suffix(')').unwrap_or(inside);
    match inside.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => format!("{}...", &inside[..at]),
        None => inside.to_owned(),
    }
}

fn communicator(c: Communicator, names: &Names) -> CommunicatorView {
    let list = |ranks: &trace_format::ranks::Ranks| {
        let ranks: Vec<i32> = ranks.iter().collect();
        names.list(&ranks)
    };
    CommunicatorView {
        number: c.number,
        kind: c.kind.noun().to_owned(),
        name: c.name.unwrap_or_default(),
        size: c.ranks.len(),
        ranks: list(&c.ranks),
        remote: c.remote.as_ref().map(list),
    }
}
