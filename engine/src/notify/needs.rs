//! Whom a part of a collective operation cannot do without, whatever the library does.

use crate::collective::{What, moves_data, needs, neighbors, what};
use crate::model::Model;
use crate::state::{Comm, View};
use schedules::Needs;
use trace_format::mpi::Coll;
use trace_format::mpi::special::{PROC_NULL, ROOT};
use trace_reader::args::Arg;

/// Whom a collective cannot do without, by what kind of operation it is.
pub(super) fn promised_needs(view: &View) -> Needs {
    let root = view.root().filter(|r| *r != ROOT && *r != PROC_NULL).and_then(|r| u32::try_from(r).ok());
    match (needs(what(view.call.func)), root) {
        (crate::collective::Needs::All, _) => Needs::All,
        (crate::collective::Needs::RootNeedsAll, Some(root)) => Needs::AtRoot(root),
        (crate::collective::Needs::AllNeedRoot, Some(root)) => Needs::Root(root),
        (crate::collective::Needs::Lower, _) => Needs::Lower,
        _ => Needs::Nobody,
    }
}

/// The needs between two groups, where they do not depend on who is the root: all need the other group.
pub(super) fn needs_between(c: &Comm, view: &View) -> Needs {
    let (low, all) = (c.a.len(), c.size());
    match view.coll() {
        What::Coll(coll) if moves_data(coll) && needs(view.coll()) == crate::collective::Needs::All => {
            let other = |p: u32| if p < low { low..all } else { 0..low };
            Needs::Given((0..all).map(|p| other(p).collect()).collect())
        }
        _ => Needs::Nobody,
    }
}

/// Positions that the part gets something of, where it gets nothing of others although operations of this kind need all
/// or the root.
pub(super) fn gets_only_from(view: &View) -> Option<Vec<u32>> {
    use Coll::*;
    let What::Coll(coll) = view.coll() else { return None };
    match (coll, view.recv().count) {
        (Gatherv | Allgatherv | Alltoallv | Alltoallw, Arg::Ints(counts)) if counts.contains(&0) => {
            let places = counts.iter().enumerate().filter(|(_, count)| **count != 0);
            // Only the root has counts that mean something.
            let gets = coll != Gatherv || view.root() == i32::try_from(view.position).ok();
            gets.then(|| places.map(|(place, _)| place as u32).collect())
        }
        (ReduceScatter, Arg::Ints(counts)) if counts.get(view.position as usize) == Some(&0) => Some(Vec::new()),
        (Bcast | Scatter | Scatterv | Allgather | Alltoall | Reduce | Allreduce | ReduceScatterBlock, Arg::Int(0)) => {
            Some(Vec::new())
        }
        _ => None,
    }
}

/// Positions that the part of a neighbourhood collective may wait for, whatever the library does. `None`: all of them.
pub(super) fn near(model: &Model, view: &View) -> Option<Vec<u32>> {
    let known = neighbors(model, view)?;
    let all = known.sources.iter().chain(&known.destinations).filter_map(|rank| u32::try_from(*rank).ok());
    let mut near: Vec<u32> = all.collect();
    near.sort_unstable();
    near.dedup();
    Some(near)
}
