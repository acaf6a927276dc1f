//! When the part of a process in a collective operation can complete: whom it cannot do without (MPI 4.1, 6.1 and 6.3),
//! and whom a library may wait for.

use super::absent::{Absent, Gathered};
use super::conditions::{Outlooks, any};
use super::{Cond, Why};
use crate::collective::{Needs, What, giving_neighbors, moves_data, needs, neighbors};
use crate::model::Model;
use crate::state::{Comm, CommIx, View};
use crate::types::Amount;
use trace_format::mpi::Coll;
use trace_format::mpi::special::{PROC_NULL, ROOT};

/// When the part of the process at `position` in a collective can complete.
pub(super) fn in_collective(outlooks: &mut Outlooks, comm: CommIx, index: u64, position: u32) -> Cond {
    let model = outlooks.model;
    let c = &model.comms.list[comm];
    let Some(instance) = c.space.get(index) else { return Cond::Free };
    let Some(mine) = instance.parts.get(position as usize).and_then(Option::as_ref) else { return Cond::Free };
    if c.is_foreign() {
        return Cond::Free;
    }
    let Some(gathered) = outlooks.gathered(comm, index) else { return Cond::Free };
    let Some(kind) = gathered.kind.filter(|_| !instance.bad && !c.spoiled) else { return Cond::Bad };
    if instance.arrived as usize == instance.parts.len() || c.space.tangled {
        return Cond::Free;
    }
    let me = View { rank: mine.call.rank, position, call: &mine.call };
    let needed = needed(model, c, &me, kind, &gathered);
    if !needed.ranks().is_empty() {
        return on_all(needed, true);
    }
    if let Some(neighbors) = neighbors(model, &me) {
        let given = giving_neighbors(model, &me).unwrap_or_default();
        let given = gathered.some(|p| given.contains(&p));
        if !given.ranks().is_empty() {
            return on_all(given, true);
        }
        let is_neighbor = |p: u32| neighbors.sources.iter().chain(&neighbors.destinations).any(|n| *n == p as i32);
        return on_all(gathered.some(is_neighbor), false);
    }
    let others = gathered.first(gathered.places.len());
    match kind {
        // Only neighbours count, and nobody said which are.
        What::Coll(
            Coll::NeighborAllgather
            | Coll::NeighborAllgatherv
            | Coll::NeighborAlltoall
            | Coll::NeighborAlltoallv
            | Coll::NeighborAlltoallw,
        ) => {
            let on = |rank: &i32| Cond::On { rank: *rank, certain: false, why: Why::Collective };
            any(others.ranks().iter().map(on).collect())
        }
        _ => on_all(others, false),
    }
}

fn on_all(ranks: Absent, certain: bool) -> Cond {
    let why = Why::Collective;
    match ranks.ranks() {
        [] => Cond::Free,
        [rank] => Cond::On { rank: *rank, certain, why },
        _ => Cond::OnAll { ranks, certain, why },
    }
}

/// The absent without whom the part of `me` cannot complete.
fn needed(model: &Model, c: &Comm, me: &View, kind: What, gathered: &Gathered) -> Absent {
    let takes = |p: u32| takes_from(model, c, me, kind, p);
    let all = gathered.places.len();
    let any = gathered.places.first().is_some_and(|first| takes(*first));
    match needs(kind) {
        // No argument tells one of the others from another one.
        Needs::All if c.b.is_none() && is_of_all(kind) => gathered.first(if any { all } else { 0 }),
        Needs::Lower => {
            let lower = gathered.places.partition_point(|p| *p < me.position);
            gathered.first(if any { lower } else { 0 })
        }
        Needs::Nobody => gathered.first(0),
        _ => gathered.some(|p| needs_part(c, me, kind, p) && takes(p)),
    }
}

/// Does each process give the same to all, as far as arguments say?
fn is_of_all(kind: What) -> bool {
    use Coll::*;
    !matches!(kind, What::Coll(Gather | Gatherv | Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw))
}

fn is_peer(c: &Comm, me: &View, other: u32) -> bool {
    let low = c.a.len();
    c.b.is_none() || (me.position < low) != (other < low)
}

fn is_root(c: &Comm, me: &View) -> bool {
    match me.root() {
        Some(ROOT) => true,
        // Takes part in name only.
        Some(PROC_NULL) => false,
        Some(root) => c.b.is_none() && root as u32 == me.position,
        None => false,
    }
}

fn root_position(c: &Comm, me: &View) -> Option<u32> {
    let root = u32::try_from(me.root()?).ok()?;
    let position = c.peers_at(me.position) + root;
    (position < c.size()).then_some(position)
}

/// Does the operation of this kind need `other` in the place of `me`, if data pass?
fn needs_part(c: &Comm, me: &View, kind: What, other: u32) -> bool {
    match needs(kind) {
        // Between two groups data go from one to the other; only what makes something needs all.
        Needs::All => !matches!(kind, What::Coll(coll) if moves_data(coll)) || is_peer(c, me, other),
        Needs::RootNeedsAll => is_root(c, me) && is_peer(c, me, other),
        Needs::AllNeedRoot => !is_root(c, me) && root_position(c, me) == Some(other),
        Needs::Lower => other < me.position,
        Needs::Nobody => false,
    }
}

/// Does anything come from `other`, as far as the arguments of `me` say? Who only gives may give early.
fn takes_from(model: &Model, c: &Comm, me: &View, kind: What, other: u32) -> bool {
    use Coll::*;
    let What::Coll(coll) = kind else { return true };
    let low = c.a.len();
    let in_group = |p: u32| if c.b.is_some() && p >= low { p - low } else { p };
    let of = |index: u32| {
        let half = me.recv();
        let nothing = half.count_of(index) == Some(0)
            || matches!(half.amount(model, index), Some(Amount { reps: 0, .. } | Amount { bytes: Some(0), .. }));
        !nothing
    };
    match coll {
        Gather | Gatherv | Allgather | Allgatherv | Alltoall | Alltoallv | Alltoallw => of(in_group(other)),
        Bcast | Scatter | Scatterv | Reduce | Allreduce | Scan | Exscan | ReduceScatterBlock => of(0),
        // The result of this process is made of what all have.
        ReduceScatter => of(in_group(me.position)),
        _ => true,
    }
}
