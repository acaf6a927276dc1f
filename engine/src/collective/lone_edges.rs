//! Edges of a distributed graph that only one of their ends names, or as another number of edges: with
//! MPI_Dist_graph_create_adjacent both ends name each edge (MPI 4.1 section 8.5.4).

use super::What;
use crate::state::{Gathering, View};
use std::collections::BTreeMap;
use trace_format::mpi::Coll;
use trace_reader::args::Arg;

/// The edges from one process to another, where the two do not name as many.
pub(crate) struct LoneEdge<'a> {
    pub(crate) from: View<'a>,
    pub(crate) to: View<'a>,
    /// So many destinations of the one are the other.
    pub(crate) outs: usize,
    /// So many sources of the other are the one.
    pub(crate) ins: usize,
}

/// More than this many are not listed.
const MAX_LONE: usize = 256;

/// The edges that do not fit, if the operation makes a graph of such lists and all lists are known.
pub(crate) fn lone_edges<'a>(g: &Gathering<'a>) -> Vec<LoneEdge<'a>> {
    let makes = g.views().all(|v| v.coll() == What::Coll(Coll::DistGraphCreateAdjacent));
    let counted = if makes { counted(g) } else { None };
    let uneven = counted.into_iter().flatten().filter(|(_, [outs, ins])| outs != ins);
    let lone = uneven.filter_map(|((from, to), [outs, ins])| {
        let (from, to) = (g.view(from)?, g.view(to)?);
        Some(LoneEdge { from, to, outs, ins })
    });
    lone.take(MAX_LONE).collect()
}

/// How often each pair of processes is named by its source and by its destination. `None`: a list is not known.
fn counted(g: &Gathering) -> Option<BTreeMap<(u32, u32), [usize; 2]>> {
    let mut counted: BTreeMap<(u32, u32), [usize; 2]> = BTreeMap::new();
    for v in g.views() {
        let me = v.position;
        for to in named(&v, "outdegree", "destinations")? {
            counted.entry((me, to)).or_default()[0] += 1;
        }
        for from in named(&v, "indegree", "sources")? {
            counted.entry((from, me)).or_default()[1] += 1;
        }
    }
    Some(counted)
}

/// The processes that a list of a call names. `None`: it is not known, or names what is no process.
fn named(v: &View, degree: &str, list: &str) -> Option<Vec<u32>> {
    let value = |name: &str| v.call.func.row().param(name).map(|place| v.call.arg(place));
    match (value(degree)?, value(list)?) {
        (Arg::Int(0), _) => Some(Vec::new()),
        (Arg::Int(n), Arg::Ints(ranks)) if ranks.len() as i64 == n => {
            ranks.iter().map(|rank| u32::try_from(*rank).ok()).collect()
        }
        _ => None,
    }
}
