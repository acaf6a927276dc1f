//! Data of the tables beside the report: looked up once, before anything is written.

mod listener;

use crate::call_context::CallContext;
use crate::plural::plural;
use crate::sites::site;
use crate::symbols::Symbols;
use crate::view::Site;
use engine::listeners::{CallSeen, Communicator};
use engine::worlds::Names;
pub use listener::ProtocolListener;
use listener::RankCalls;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use trace_format::definition::Id;
use trace_format::finding::CallRef;
use trace_format::location::Location;
use trace_format::mpi::FnId;

/// Data of the tables beside the findings.
#[derive(Debug)]
pub(crate) struct Protocol {
    /// Call sites, by file and line.
    pub(crate) points: Vec<Point>,
    /// The point of a call site of a process.
    at: FxHashMap<(i32, FnId, Id), usize>,
    /// The last call of each process.
    pub(crate) last: BTreeMap<i32, Last>,
    pub(crate) communicators: Vec<Communicator>,
    /// Facts of the run and its environment.
    pub(crate) environment: Vec<(&'static str, String)>,
    /// The calls around those of findings.
    pub(crate) contexts: BTreeMap<i32, CallContext>,
}

/// A place in the sources, with the way to it, that a function is called at.
#[derive(Debug)]
pub(crate) struct Point {
    pub(crate) site: Site,
    pub(crate) passes: u64,
    pub(crate) processes: Vec<i32>,
}

/// The call that a process is in, or that it came back from last.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Last {
    pub(crate) function: &'static str,
    pub(crate) is_open: bool,
    /// Its place in [`Protocol::points`].
    pub(crate) point: usize,
    pub(crate) passes: u64,
}

impl Protocol {
    pub(crate) fn new(
        seen: &ProtocolListener,
        environment: Vec<(&'static str, String)>,
        contexts: BTreeMap<i32, CallContext>,
        names: &Names,
        symbols: &mut Symbols,
    ) -> Protocol {
        let mut known: FxHashMap<(FnId, Vec<Location>), usize> = FxHashMap::default();
        let (mut points, mut at) = (Vec::<Point>::new(), FxHashMap::default());
        for (&rank, seen) in &seen.ranks {
            let mut sites: Vec<_> = seen.passes.iter().collect();
            sites.sort_unstable_by_key(|((_, site), _)| *site);
            for (&(func, id), &passes) in sites {
                let key = (func, symbols.frames(rank, id, 0));
                let point = *known.entry(key).or_insert_with(|| {
                    let site = site(&call_ref(rank, func, id), names, symbols);
                    points.push(Point { site, passes: 0, processes: Vec::new() });
                    points.len() - 1
                });
                points[point].passes += passes;
                if points[point].processes.last() != Some(&rank) {
                    points[point].processes.push(rank);
                }
                at.insert((rank, func, id), point);
            }
        }
        let order = sorted(&mut points);
        at.values_mut().for_each(|point| *point = order[*point]);
        let last = seen.ranks.iter().filter_map(|(rank, r)| Some((*rank, last(r, r.last?, *rank, &at)?)));
        let last = last.collect();
        let communicators = seen.communicators.values().cloned().collect();
        Protocol { points, at, last, communicators, environment, contexts }
    }

    /// The call site of a call of a process.
    pub(crate) fn point(&self, rank: i32, func: FnId, site: Id) -> Option<&Point> {
        self.points.get(*self.at.get(&(rank, func, site))?)
    }
}

/// Puts them in the order of their places; where each of them is now.
fn sorted(points: &mut Vec<Point>) -> Vec<usize> {
    let mut order: Vec<(usize, Point)> = std::mem::take(points).into_iter().enumerate().collect();
    order.sort_by(|(_, a), (_, b)| {
        let key = |p: &Point| (p.site.file.clone(), p.site.line, p.site.function.clone());
        key(a).cmp(&key(b))
    });
    let mut places = vec![0; order.len()];
    for (now, (before, point)) in order.into_iter().enumerate() {
        places[before] = now;
        points.push(point);
    }
    places
}

fn call_ref(rank: i32, func: FnId, site: Id) -> CallRef {
    CallRef {
        rank,
        thread: 0,
        event: 0,
        function: func.name().to_owned(),
        text: String::new(),
        site,
        pc: 0,
        role: String::new(),
        span: None,
    }
}

fn last(seen: &RankCalls, call: CallSeen, rank: i32, at: &FxHashMap<(i32, FnId, Id), usize>) -> Option<Last> {
    Some(Last {
        function: call.func.name(),
        is_open: call.end.is_none(),
        point: *at.get(&(rank, call.func, call.site))?,
        passes: *seen.passes.get(&(call.func, call.site))?,
    })
}

/// `2 processes`
pub(crate) fn processes(n: usize) -> String {
    plural(n, "process").replace("processs", "processes")
}
