//! The data that a collective operation moves from whom to whom, and where the two ends do not fit (MPI 4.1 sections 6.4 to
//! 6.11). In a collective, unlike in a message, the amounts must be equal.

use super::What;
use super::view::{neighbors, topology};
use crate::model::Model;
use crate::state::{Comm, Gathering, Topology, View};
use crate::types::{Amount, Difference, Signatures};
use std::collections::BTreeMap;
use trace_format::definition::Neighbors;
use trace_format::mpi::Coll;
use trace_format::mpi::special::ROOT;
use trace_format::system::Checksum;

/// How two ends do not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    Type(Difference),
    Amount,
    /// The one has more edges of a graph to the other than that one has from it.
    Edges {
        outs: usize,
        ins: usize,
    },
}

/// The part that two ends have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ends {
    /// The one sends to the other.
    Transfer,
    /// Both contribute to one result (reductions).
    Contributions,
    /// Both talk with a root that has not come, and that fits one of them at most.
    WithoutRoot,
}

/// Two ends that do not fit.
pub(crate) struct Flow<'a> {
    pub(crate) from: View<'a>,
    pub(crate) to: View<'a>,
    pub(crate) sent: Amount,
    pub(crate) expected: Amount,
    pub(crate) misfit: Misfit,
    pub(crate) ends: Ends,
    /// Between neighbours.
    pub(crate) edge: Option<Edge>,
}

/// An edge of a topology that data go along.
#[derive(Clone, Copy)]
pub(crate) struct Edge {
    /// Place of the receiver among the sender's destinations.
    pub(crate) out: u32,
    /// Place of the sender among the receiver's sources.
    pub(crate) into: u32,
    /// The two are neighbours in both directions of a grid.
    pub(crate) both_ways: bool,
}

/// More than this many are not listed.
const MAX_FLOWS: usize = 256;

struct Finder<'m, 'a> {
    model: &'m mut Model,
    flows: Vec<Flow<'a>>,
    ends: Ends,
}

impl<'a> Finder<'_, 'a> {
    fn compare(&mut self, from: View<'a>, to: View<'a>, sent: Option<Amount>, expected: Option<Amount>) {
        let (Some(sent), Some(expected)) = (sent, expected) else { return };
        if let Some(misfit) = misfit(&mut self.model.signatures, sent, expected)
            && self.flows.len() < MAX_FLOWS
        {
            self.flows.push(Flow { from, to, sent, expected, misfit, ends: self.ends, edge: None });
        }
    }

    /// Compares what the two ends of an edge say.
    fn edge(&mut self, from: View<'a>, to: View<'a>, edge: Edge) {
        let (sent, expected) = (from.send().amount(self.model, edge.out), to.recv().amount(self.model, edge.into));
        let before = self.flows.len();
        self.compare(from, to, sent, expected);
        self.flows[before..].iter_mut().for_each(|flow| flow.edge = Some(edge));
    }

    /// Edges in the graph of MPI_Graph_create that only one of the two processes has: that graph must be symmetric where
    /// data go along it (MPI 4.1 section 8.6).
    fn uneven(&mut self, from: View<'a>, to: View<'a>, outs: usize, ins: usize) {
        let whole = |v| topology(self.model, v) == Some(Topology::WholeGraph);
        if outs > ins && whole(&from) && whole(&to) && self.flows.len() < MAX_FLOWS {
            let (misfit, sent, expected) = (Misfit::Edges { outs, ins }, Amount::UNKNOWN, Amount::UNKNOWN);
            self.flows.push(Flow { from, to, sent, expected, misfit, ends: Ends::Transfer, edge: None });
        }
    }

    /// The edges from one process to another in a topology, by their places in the lists of the two. Several in a graph
    /// belong together in their order (MPI 4.1 section 8.6). In a grid what goes in the negative direction arrives from
    /// the positive one; libraries differ in that where the two neighbours in a dimension are the same process, so that
    /// only what is wrong either way is.
    fn edges(&mut self, a: &View<'a>, b: &View<'a>, outs: &[u32], ins: &[u32]) {
        if outs.len() != ins.len() {
            return self.uneven(*a, *b, outs.len(), ins.len());
        }
        match topology(self.model, a) {
            _ if outs.len() == 1 => self.in_order(a, b, outs, ins),
            Some(Topology::Graph | Topology::WholeGraph) => self.in_order(a, b, outs, ins),
            Some(Topology::Grid) => {
                // A process that is its own neighbour may be so in several dimensions.
                let dimensions = outs.chunks(2).zip(ins.chunks(2));
                dimensions.for_each(|(outs, ins)| self.both_ways(a, b, outs, ins));
            }
            None => {}
        }
    }

    /// Holds those that are there against what most of them have.
    fn among_each_other(&mut self, views: &[View<'a>], amount: impl Fn(&View<'a>, &Model) -> Option<Amount>) {
        let amounts: Vec<_> = views.iter().map(|v| amount(v, self.model)).collect();
        let place = majority(&amounts);
        let Some(reference) = views.get(place) else { return };
        for (v, own) in views.iter().zip(&amounts) {
            self.compare(*v, *reference, *own, amounts[place]);
        }
    }

    fn in_order(&mut self, a: &View<'a>, b: &View<'a>, outs: &[u32], ins: &[u32]) {
        let pairs = outs.iter().zip(ins);
        pairs.for_each(|(out, into)| self.edge(*a, *b, Edge { out: *out, into: *into, both_ways: false }));
    }

    /// The two edges of one dimension.
    fn both_ways(&mut self, a: &View<'a>, b: &View<'a>, outs: &[u32], ins: &[u32]) {
        let in_order = outs.iter().copied().zip(ins.iter().copied());
        let across = outs.iter().copied().zip(ins.iter().rev().copied());
        if !self.fit(a, b, in_order) && !self.fit(a, b, across.clone()) {
            across.for_each(|(out, into)| self.edge(*a, *b, Edge { out, into, both_ways: true }));
        }
    }

    fn fit(&mut self, a: &View, b: &View, mut pairs: impl Iterator<Item = (u32, u32)>) -> bool {
        pairs.all(|(out, into)| {
            let (sent, expected) = (a.send().amount(self.model, out), b.recv().amount(self.model, into));
            sent.zip(expected).is_none_or(|(s, e)| misfit(&mut self.model.signatures, s, e).is_none())
        })
    }
}

/// How an amount that is sent and the one that is expected do not fit, where they must be equal.
pub(crate) fn misfit(all: &mut Signatures, sent: Amount, expected: Amount) -> Option<Misfit> {
    if sent.sig == expected.sig && sent.reps == expected.reps && sent.bytes == expected.bytes {
        return None;
    }
    let difference = all.difference(sent, expected);
    if let Some(d) = difference.filter(|d| !d.formal) {
        return Some(Misfit::Type(d));
    }
    let equal = if all.untyped(sent, expected) {
        sent.bytes.is_none() || expected.bytes.is_none() || sent.bytes == expected.bytes
    } else {
        all.elements(sent) == all.elements(expected)
    };
    if equal { difference.map(Misfit::Type) } else { Some(Misfit::Amount) }
}

/// The neighbours of a process on one side, with their places in its list.
fn edges(model: &Model, view: &View, side: impl Fn(&Neighbors) -> &Vec<i32>) -> BTreeMap<i32, Vec<u32>> {
    let mut edges: BTreeMap<i32, Vec<u32>> = BTreeMap::new();
    for (place, rank) in neighbors(model, view).into_iter().flat_map(|n| side(n).iter().enumerate()) {
        edges.entry(*rank).or_default().push(place as u32);
    }
    edges
}

/// The value that most have, the lowest of the first ones if there are several; O(n) for few different values.
fn majority(amounts: &[Option<Amount>]) -> usize {
    let mut seen: Vec<(usize, usize)> = Vec::new();
    for (i, a) in amounts.iter().enumerate().filter(|(_, a)| a.is_some()) {
        match seen.iter().position(|(first, _)| amounts[*first] == *a) {
            Some(place) => seen[place].1 += 1,
            None if seen.len() < 64 => seen.push((i, 1)),
            None => {}
        }
    }
    let most = seen.iter().map(|s| s.1).max().unwrap_or(0);
    seen.iter().find(|s| s.1 == most).map_or(0, |s| s.0)
}

/// The process that sends a broadcast or scatter, or receives a gather or reduction.
pub(crate) fn root_of<'a>(comm: &Comm, g: &Gathering<'a>) -> Option<View<'a>> {
    if comm.b.is_some() {
        return g.views().find(|v| v.root() == Some(ROOT));
    }
    let root = g.views().find_map(|v| v.root())?;
    u32::try_from(root).ok().and_then(|r| g.view(r))
}

/// The flows that do not fit. Functions, roots and reduction operations agree already.
pub(crate) fn misfits<'a>(model: &mut Model, g: &Gathering<'a>) -> Vec<Flow<'a>> {
    let Some(What::Coll(coll)) = g.views().next().map(|v| v.coll()) else { return Vec::new() };
    let comm = &model.comms.list[g.comm];
    let is_inter = comm.b.is_some();
    let (low, size) = (comm.a.len(), comm.size());
    // The index by which others refer to a process.
    let index = move |v: &View| if is_inter && v.position >= low { v.position - low } else { v.position };
    let talk = move |a: &View, b: &View| !is_inter || (a.position < low) != (b.position < low);
    let root = root_of(comm, g);
    let mut f = Finder { model, flows: Vec::new(), ends: Ends::Transfer };
    let views: Vec<View<'a>> = g.views().collect();
    use Coll::*;
    if root.is_none() && !is_inter && matches!(coll, Bcast | Scatter | Gather | Reduce) {
        // The root sends the same amount to each, or expects it from each.
        f.ends = if coll == Reduce { Ends::Contributions } else { Ends::WithoutRoot };
        match coll {
            Bcast | Scatter => f.among_each_other(&views, |v, model| v.recv().amount(model, 0)),
            _ => f.among_each_other(&views, |v, model| v.send().amount(model, 0)),
        }
        return f.flows;
    }
    match coll {
        Bcast | Scatter | Scatterv => {
            let Some(root) = root else { return f.flows };
            for v in views.iter().filter(|v| talk(&root, v)) {
                if coll == Bcast && v.position == root.position || v.recv().in_place {
                    continue;
                }
                let sent = root.send().amount(f.model, index(v));
                let expected = v.recv().amount(f.model, 0);
                f.compare(root, *v, sent, expected);
            }
        }
        Gather | Gatherv => {
            let Some(root) = root else { return f.flows };
            for v in views.iter().filter(|v| talk(&root, v) && !v.send().in_place) {
                let sent = v.send().amount(f.model, 0);
                let expected = root.recv().amount(f.model, index(v));
                f.compare(*v, root, sent, expected);
            }
        }
        Reduce => {
            f.ends = Ends::Contributions;
            let Some(root) = root else { return f.flows };
            for v in views.iter().filter(|v| v.position != root.position && talk(&root, v)) {
                let own = v.send().amount(f.model, 0);
                let expected = root.recv().amount(f.model, 0);
                f.compare(*v, root, own, expected);
            }
        }
        Allreduce | Scan | Exscan | ReduceScatterBlock => {
            f.ends = Ends::Contributions;
            // In an intercommunicator the counts of the two groups of a reduce-scatter are different things.
            let sides: &[bool] = if is_inter && coll == ReduceScatterBlock { &[false, true] } else { &[false] };
            for high in sides {
                let is_in = |v: &&View| sides.len() == 1 || (v.position >= low) == *high;
                let part: Vec<View> = views.iter().filter(is_in).copied().collect();
                f.among_each_other(&part, |v, model| v.recv().amount(model, 0));
            }
        }
        ReduceScatter => {
            f.ends = Ends::Contributions;
            for high in if is_inter { &[false, true][..] } else { &[false][..] } {
                let part: Vec<&View> = views.iter().filter(|v| !is_inter || (v.position >= low) == *high).collect();
                let Some(reference) = part.first() else { continue };
                for v in &part[1..] {
                    if v.recv().count == reference.recv().count {
                        let (a, b) = (v.recv().amount(f.model, 0), reference.recv().amount(f.model, 0));
                        f.compare(**v, **reference, a, b);
                        continue;
                    }
                    for i in 0..v.recv().count.ints().len() as u32 {
                        let before = f.flows.len();
                        let (a, b) = (v.recv().amount(f.model, i), reference.recv().amount(f.model, i));
                        f.compare(**v, **reference, a, b);
                        if f.flows.len() > before {
                            break;
                        }
                    }
                }
            }
        }
        Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw => {
            let to_each = matches!(coll, Alltoall | Alltoallv | Alltoallw);
            let sent = |f: &Finder, a: &View<'a>, b: &View<'a>| {
                let half = if a.send().in_place { a.recv() } else { a.send() };
                match (to_each, a.send().in_place) {
                    (true, _) => half.amount(f.model, index(b)),
                    // In place, one's own contribution stands where it will be in the result.
                    (false, true) => half.amount(f.model, index(a)),
                    (false, false) => half.amount(f.model, 0),
                }
            };
            let uniform = views.iter().all(|v| v.recv().is_uniform() && (v.send().in_place || v.send().is_uniform()));
            if uniform && !is_inter {
                // Everyone sends the same to everyone: all must agree with what most receive.
                let rooms: Vec<_> = views.iter().map(|v| v.recv().amount(f.model, 0)).collect();
                let Some(reference) = views.get(majority(&rooms)).copied() else { return f.flows };
                let expected = reference.recv().amount(f.model, 0);
                for v in &views {
                    let own = sent(&f, v, v);
                    f.compare(*v, reference, own, expected);
                }
                let own = sent(&f, &reference, &reference);
                for (v, room) in views.iter().zip(rooms) {
                    f.compare(reference, *v, own, room);
                }
                return f.flows;
            }
            for a in &views {
                for b in views.iter().filter(|b| talk(a, b)) {
                    if a.send().in_place && a.position == b.position {
                        continue;
                    }
                    let (own, room) = (sent(&f, a, b), b.recv().amount(f.model, index(a)));
                    f.compare(*a, *b, own, room);
                }
            }
        }
        NeighborAllgather | NeighborAllgatherv | NeighborAlltoall | NeighborAlltoallv | NeighborAlltoallw => {
            for a in &views {
                for (to, outs) in edges(f.model, a, |n| &n.destinations) {
                    let Some(b) = u32::try_from(to).ok().and_then(|p| g.view(p)) else { continue };
                    let ins = edges(f.model, &b, |n| &n.sources).remove(&(a.position as i32)).unwrap_or_default();
                    f.edges(a, &b, &outs, &ins);
                }
            }
        }
        _ => {}
    }
    if is_inter && f.flows.is_empty() && matches!(coll, ReduceScatter | ReduceScatterBlock) {
        // Each group scatters what the other has reduced: as much in all (MPI 4.1 section 6.10).
        let of = |high: bool| views.iter().find(|v| (v.position >= low) == high);
        if let (Some(a), Some(b)) = (of(false), of(true)) {
            let (sizes, model) = ((low, size - low), &*f.model);
            let (own, other) = (a.recv().total(model, sizes.0), b.recv().total(model, sizes.1));
            f.compare(*b, *a, other, own);
        }
    }
    f.flows
}

/// Calls `visit` for everything that a collective operation moves as it is: sender, receiver, and the places of the
/// receiver among the sender's partners and of the sender among the receiver's; [`Checksum::WHOLE`] where a buffer has
/// one part only. Functions, roots and amounts agree already.
pub(crate) fn each_move<'a>(model: &Model, g: &Gathering<'a>, mut visit: impl FnMut(View<'a>, View<'a>, u32, u32)) {
    const WHOLE: u32 = Checksum::WHOLE;
    let Some(What::Coll(coll)) = g.views().next().map(|v| v.coll()) else { return };
    let comm = &model.comms.list[g.comm];
    let is_inter = comm.b.is_some();
    let low = comm.a.len();
    let index = |v: &View| if is_inter && v.position >= low { v.position - low } else { v.position };
    let talk = |a: &View, b: &View| !is_inter || (a.position < low) != (b.position < low);
    let root = root_of(comm, g);
    use Coll::*;
    match coll {
        Bcast | Scatter | Scatterv | Gather | Gatherv => {
            let Some(root) = root else { return };
            for v in g.views().filter(|v| talk(&root, v)) {
                match coll {
                    Bcast if v.position == root.position => {}
                    Bcast => visit(root, v, WHOLE, WHOLE),
                    Scatter | Scatterv => visit(root, v, index(&v), WHOLE),
                    _ => visit(v, root, WHOLE, index(&v)),
                }
            }
        }
        Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw => {
            let to_each = matches!(coll, Alltoall | Alltoallv | Alltoallw);
            for a in g.views() {
                for b in g.views().filter(|b| talk(&a, b)) {
                    visit(a, b, if to_each { index(&b) } else { WHOLE }, index(&a));
                }
            }
        }
        NeighborAllgather | NeighborAllgatherv | NeighborAlltoall | NeighborAlltoallv | NeighborAlltoallw => {
            let to_each = !matches!(coll, NeighborAllgather | NeighborAllgatherv);
            for a in g.views() {
                for (to, outs) in edges(model, &a, |n| &n.destinations) {
                    let Some(b) = u32::try_from(to).ok().and_then(|p| g.view(p)) else { continue };
                    let ins = edges(model, &b, |n| &n.sources).remove(&(a.position as i32)).unwrap_or_default();
                    let is_graph = matches!(topology(model, &a), Some(Topology::Graph | Topology::WholeGraph));
                    let in_order = outs.len() == 1 || is_graph;
                    if outs.len() == ins.len() && in_order {
                        outs.into_iter().zip(ins).for_each(|(i, j)| visit(a, b, if to_each { i } else { WHOLE }, j));
                    }
                }
            }
        }
        _ => {}
    }
}
