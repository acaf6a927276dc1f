//! Data of the tables beside the report: looked up once, before anything is written.

use super::super::build::site;
use super::super::view::Site;
use super::super::{Report, plural};
use super::listener::{ProtocolListener, RankCalls};
use crate::call_context::{CallContext, Place};
use crate::symbols::Symbols;
use engine::listen::{CallSeen, Communicator};
use engine::worlds::Names;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use trace_format::definition::Id;
use trace_format::finding::CallRef;
use trace_format::location::Location;
use trace_format::mpi::FnId;

/// Calls of a finding whose surroundings are read again, and calls of all findings.
pub(super) const MAX_OF_FINDING: usize = 8;
const MAX_OF_ALL: usize = 2000;

/// Data of the tables beside the findings.
#[derive(Debug)]
pub(crate) struct Protocol {
    /// Call sites, by file and line.
    pub(super) points: Vec<Point>,
    /// The point of a call site of a process.
    at: FxHashMap<(i32, FnId, Id), usize>,
    /// The last call of each process.
    pub(super) last: BTreeMap<i32, Last>,
    pub(super) communicators: Vec<Communicator>,
    /// Facts of the run and its environment.
    pub(super) environment: Vec<(&'static str, String)>,
    /// The calls around those of findings.
    pub(super) contexts: BTreeMap<i32, CallContext>,
}

/// A place in the sources, with the way to it, that a function is called at.
#[derive(Debug)]
pub(super) struct Point {
    pub(super) site: Site,
    pub(super) passes: u64,
    pub(super) processes: Vec<i32>,
}

/// The call that a process is in, or that it came back from last.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Last {
    pub(super) function: &'static str,
    pub(super) is_open: bool,
    /// Its place in [`Protocol::points`].
    pub(super) point: usize,
    pub(super) passes: u64,
}

impl Report {
    /// The calls of findings, by process: of what is around them [`Report::add_protocol`] wants to know.
    pub fn calls_of_findings(&self) -> BTreeMap<i32, BTreeSet<Place>> {
        let mut wanted: BTreeMap<i32, BTreeSet<Place>> = BTreeMap::new();
        let sites = self.findings.iter().flat_map(|f| f.sites.iter().filter(|s| s.event > 0).take(MAX_OF_FINDING));
        for site in sites.take(MAX_OF_ALL) {
            wanted.entry(site.process).or_default().insert(place_of(site));
        }
        wanted
    }

    /// Adds what [`crate::Format::Protocol`] needs.
    pub fn add_protocol(
        &mut self,
        seen: &ProtocolListener,
        environment: Vec<(&'static str, String)>,
        contexts: BTreeMap<i32, CallContext>,
        symbols: &mut Symbols,
    ) {
        self.protocol = Some(Protocol::new(seen, environment, contexts, &self.names, symbols));
    }
}

/// The place of a site's call in its process.
pub(super) fn place_of(site: &Site) -> Place {
    (site.thread, site.event.saturating_sub(1) / 2)
}

impl Protocol {
    fn new(
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
    pub(super) fn point(&self, rank: i32, func: FnId, site: Id) -> Option<&Point> {
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
pub(super) fn processes(n: usize) -> String {
    plural(n, "process").replace("processs", "processes")
}
