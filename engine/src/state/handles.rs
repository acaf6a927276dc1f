//! Objects of a rank that the program holds, and those that it has given back.

use super::call::Origin;
use super::rank::Rank;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::rc::Rc;
use trace_format::definition::{FIRST_USER_ID, Id, UNKNOWN_ID};
use trace_format::mpi::Kind;
use trace_reader::args::Arg;

/// The events of several threads may come a little out of order: so many that were freed last stay, where there are
/// threads.
const LATE: usize = 1024;

/// Objects of a rank that the program holds, and those that it has given back.
#[derive(Default)]
pub(crate) struct Handles {
    /// How often each is to be freed: libraries hand out some several times.
    pub(crate) held: FxHashMap<(Kind, Id), u32>,
    /// In the order of their freeing.
    pub(crate) freed: VecDeque<(Kind, Id)>,
}

/// Objects of the program that an argument names.
pub(crate) fn ids(value: Arg) -> impl Iterator<Item = Id> {
    let one = if let Arg::Int(id) = value { Some(id) } else { None };
    let all = one.into_iter().chain(value.ints().iter().copied());
    all.filter_map(|id| Id::try_from(id).ok()).filter(|id| *id >= FIRST_USER_ID && *id != UNKNOWN_ID)
}

impl Rank {
    /// Takes the freed objects; without those that events which come late may still be about, unless `all` is wanted.
    pub(crate) fn take_freed(&mut self, all: bool) -> FxHashMap<(Kind, Id), bool> {
        if self.holed {
            self.handles.freed.clear();
        }
        let late = if !all && (self.multiple || self.threads.len() > 1) { LATE } else { 0 };
        let most = self.handles.freed.len().saturating_sub(late);
        let held = &self.handles.held;
        let freed = self.handles.freed.drain(..most);
        freed.filter(|key| held.get(key) == Some(&0)).map(|key| (key, false)).collect()
    }

    pub(crate) fn forget(&mut self, (kind, id): (Kind, Id)) {
        self.handles.held.remove(&(kind, id));
        self.names.remove(&(kind, id));
        let objects = &mut self.objects;
        match kind {
            Kind::Datatype => {
                self.types.remove(&id);
                self.extents.remove(&id);
                self.typemaps.remove(&id);
                self.variables.irregular.remove(&id);
            }
            Kind::Group => _ = objects.groups.remove(&id),
            _ => {
                objects.members.remove(&(kind, id));
                objects.on_comm.remove(&(kind, id));
                if kind == Kind::Comm {
                    objects.groups_of.remove(&id);
                    objects.neighbors.remove(&id);
                    objects.topologies.remove(&id);
                    objects.bridges.remove(&id);
                    objects.last_comm.take_if(|(_, last, _)| *last == id);
                }
            }
        }
    }

    pub(crate) fn each_call(&self, see: &mut impl FnMut(&Rc<Origin>)) {
        for t in &self.threads {
            let polls = t.polls.all().iter().map(|poll| &poll.origin);
            t.open.iter().map(|o| &o.origin).chain(&t.last).chain(&t.failed).chain(polls).for_each(&mut *see);
        }
        for request in self.requests.iter() {
            [Some(&request.origin), request.start.as_ref(), request.rare.as_ref().and_then(|rare| rare.claim.as_ref())]
                .into_iter()
                .flatten()
                .for_each(&mut *see);
        }
        self.errors.iter().filter_map(|e| e.call.as_ref()).for_each(&mut *see);
        self.files.calls().for_each(&mut *see);
        self.first_finalize.iter().for_each(&mut *see);
        self.untimely.iter().flat_map(|u| [&u.first, &u.second]).for_each(&mut *see);
        for breach in &self.breaches {
            see(&breach.call);
            breach.other.iter().filter_map(|(_, call)| call.as_ref()).for_each(&mut *see);
        }
        let sites = self.discoveries.iter().flat_map(|d| &d.sites);
        sites.filter_map(|s| s.call.as_ref()).for_each(&mut *see);
        self.frees.calls().for_each(&mut *see);
        self.variables.calls().for_each(&mut *see);
    }

    pub(crate) fn kept_objects(&self) -> usize {
        let o = &self.objects;
        let of_comms = o.members.len() + o.groups_of.len() + o.neighbors.len() + o.topologies.len() + o.bridges.len();
        let others = o.groups.len() + o.on_comm.len() + self.types.len() + self.extents.len() + self.names.len();
        of_comms + others + self.handles.held.len() + self.messages.len()
    }
}
