//! The parts of one collective operation, and their arguments.

use super::{What, what};
use crate::arg_places::{NONE, Place, Side, arg_places};
use crate::model::Model;
use crate::state::{Gathering, Topology, View};
use crate::types::Amount;
use trace_format::definition::{Id, Neighbors};
use trace_format::mpi::{Coll, special};
use trace_reader::args::Arg;

impl<'a> Gathering<'a> {
    pub(crate) fn views(&self) -> impl Iterator<Item = View<'a>> + use<'a> {
        let parts = self.parts;
        parts.iter().enumerate().filter_map(|(position, p)| {
            p.as_ref().map(|p| View { rank: p.call.rank, position: position as u32, call: &p.call })
        })
    }

    pub(crate) fn view(&self, position: u32) -> Option<View<'a>> {
        let part = self.parts.get(position as usize)?.as_ref()?;
        Some(View { rank: part.call.rank, position, call: &part.call })
    }
}

impl<'a> View<'a> {
    pub(crate) fn value(&self, place: Place) -> Arg<'a> {
        if place == NONE { Arg::None } else { self.call.arg(place.into()) }
    }

    /// The integer at a place, if the function has such a parameter and it was recorded.
    pub(crate) fn int(&self, place: Place) -> Option<i64> {
        match self.value(place) {
            Arg::Int(v) => Some(v),
            _ => None,
        }
    }

    pub(crate) fn coll(&self) -> What {
        what(self.call.func)
    }

    pub(crate) fn root(&self) -> Option<i32> {
        self.int(arg_places(self.call.func).root).map(|r| r as i32)
    }

    pub(crate) fn op(&self) -> Option<Id> {
        self.int(arg_places(self.call.func).op).map(|o| o as Id)
    }

    pub(crate) fn send(&self) -> Half<'a> {
        self.half(arg_places(self.call.func).send)
    }

    pub(crate) fn recv(&self) -> Half<'a> {
        self.half(arg_places(self.call.func).recv)
    }

    /// The datatype of a reduction, which all its buffers share.
    pub(crate) fn reduced_type(&self) -> Option<Id> {
        self.int(arg_places(self.call.func).recv.datatype).map(|t| t as Id)
    }

    fn half(&self, side: Side) -> Half<'a> {
        Half {
            rank: self.rank,
            in_place: self.int(side.buf) == Some(special::IN_PLACE),
            count: self.value(side.count),
            datatype: self.value(side.datatype),
        }
    }
}

/// One buffer of a part.
#[derive(Clone, Copy)]
pub(crate) struct Half<'a> {
    rank: i32,
    pub(crate) in_place: bool,
    pub(crate) count: Arg<'a>,
    datatype: Arg<'a>,
}

impl Half<'_> {
    /// The amount that goes to or comes from partner `i`; `None` where the trace does not say, or a count that says nothing.
    pub(crate) fn amount(&self, model: &Model, i: u32) -> Option<Amount> {
        let count = self.count_of(i).filter(|count| *count >= 0)?;
        let datatype = for_partner(self.datatype, i)? as Id;
        Some(model.one(self.rank, datatype)?.times(count))
    }

    /// The count for partner `i`.
    pub(crate) fn count_of(&self, i: u32) -> Option<i64> {
        for_partner(self.count, i)
    }

    /// All that goes to or comes from `n` partners, where there is one type for all.
    pub(crate) fn total(&self, model: &Model, n: u32) -> Option<Amount> {
        let count = match self.count {
            Arg::Int(v) => v.saturating_mul(i64::from(n)),
            Arg::Ints(all) => all.iter().fold(0i64, |sum, v| sum.saturating_add(*v)),
            _ => return None,
        };
        let Arg::Int(datatype) = self.datatype else { return None };
        Some(model.one(self.rank, datatype as Id)?.times(count))
    }

    /// Are counts and type the same for all partners?
    pub(crate) fn is_uniform(&self) -> bool {
        matches!((self.count, self.datatype), (Arg::Int(_), Arg::Int(_)))
    }
}

/// The value of an argument for partner `i`: the same for all, or one value for each.
fn for_partner(value: Arg, i: u32) -> Option<i64> {
    match value {
        Arg::Int(v) => Some(v),
        Arg::Ints(v) => v.get(i as usize).copied(),
        _ => None,
    }
}

/// The neighbours of the calling process, if its call is a neighbourhood collective and they are known.
pub(crate) fn neighbors<'a>(model: &'a Model, view: &View) -> Option<&'a Neighbors> {
    use Coll::*;
    let What::Coll(NeighborAllgather | NeighborAllgatherv | NeighborAlltoall | NeighborAlltoallv | NeighborAlltoallw) =
        view.coll()
    else {
        return None;
    };
    static NOBODY: Neighbors = Neighbors { sources: Vec::new(), destinations: Vec::new() };
    let id = view.int(arg_places(view.call.func).comm)? as Id;
    let known = model.ranks[view.rank as usize].objects.neighbors.get(&id);
    // A process without neighbours has no list of them.
    known.or_else(|| topology(model, view).map(|_| &NOBODY))
}

/// Positions of the neighbours that a part of a neighbourhood collective gets data of, so that it cannot do without them.
/// `None`: its neighbours are not known.
pub(crate) fn giving_neighbors(model: &Model, view: &View) -> Option<Vec<u32>> {
    let gives = |place: usize| {
        let amount = view.recv().amount(model, place as u32);
        amount.is_some_and(|a| a.reps != 0 && a.bytes != Some(0))
    };
    let sources = neighbors(model, view)?.sources.iter().enumerate();
    let giving = sources.filter(|(place, _)| gives(*place)).filter_map(|(_, rank)| u32::try_from(*rank).ok());
    let mut giving: Vec<u32> = giving.collect();
    giving.sort_unstable();
    giving.dedup();
    Some(giving)
}

/// The topology of a call's communicator, where mpivet saw it made.
pub(crate) fn topology(model: &Model, view: &View) -> Option<Topology> {
    let id = view.int(arg_places(view.call.func).comm)? as Id;
    model.ranks[view.rank as usize].objects.topologies.get(&id).copied()
}
