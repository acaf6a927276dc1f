//! MPI_Intercomm_create and MPI_Intercomm_create_from_groups: two groups that meet by their leaders (MPI 4.1, 7.6.2).

use crate::arg_places::ArgPlaces;
use crate::model::Model;
use crate::state::{Bridge, CommKey, Entered, Origin};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Class, Kind};
use trace_format::ranks::Ranks;
use trace_reader::args::Arg;

/// The local group of a call.
pub(crate) struct Side {
    /// Its calls have an order of their own.
    key: CommKey,
    /// World rank.
    leader: i32,
    /// The tag by which the two leaders find each other.
    tag: i64,
}

impl Model {
    pub(crate) fn enter_bridge(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, entered: &mut Entered) {
        let from_groups = s.class == Class::IntercommFromGroups;
        let side = if from_groups { self.side_of_group(origin, s) } else { self.side_of_comm(origin, s) };
        let Some(Side { key, leader, tag }) = side else { return };
        if let Some(m) = self.comms.group_calls(origin.rank, key) {
            entered.collective = Some((m.ix, self.arrive(m.ix, m.position, origin, None), m.position));
        }
        if leader != origin.rank {
            entered.bridge = Some(Bridge::Led { leader });
            return;
        }
        // Only the leader names the other one.
        let place = origin.int(s.peer2).map(|place| place as i32);
        let other = if from_groups {
            self.given_group(origin, "remote_group")
                .zip(place)
                .and_then(|(group, place)| group.get(place.try_into().ok()?))
        } else {
            let peer = origin.int(s.comm2).and_then(|id| self.resolve(origin, Kind::Comm, id as Id));
            let group = peer.map(|m| self.comms.list[m.ix].peers(m.position));
            group.zip(place).and_then(|(group, place)| group.get(place))
        };
        let Some(other) = other else { return };
        let made = self.bridges.entry((leader.min(other), leader.max(other), tag)).or_default();
        let nth = &mut made[usize::from(leader > other)];
        *nth += 1;
        entered.bridge = Some(Bridge::Leader { own: leader, other, tag, nth: *nth });
    }

    fn side_of_comm(&mut self, origin: &Origin, s: &ArgPlaces) -> Option<Side> {
        let local = self.resolve(origin, Kind::Comm, origin.int(s.comm)? as Id)?;
        let comm = &self.comms.list[local.ix];
        let tag = origin.int(s.tag).unwrap_or(0);
        let leader = comm.a.get(origin.int(s.peer)? as i32)?;
        let ranks = comm.a.iter().collect();
        // The text keeps them apart from MPI_Comm_create_group.
        let key = CommKey::GroupCalls { parent: Some(local.ix), ranks, tag, text: origin.name().to_owned() };
        Some(Side { key, leader, tag })
    }

    fn side_of_group(&self, origin: &Origin, s: &ArgPlaces) -> Option<Side> {
        let group = self.given_group(origin, "local_group")?;
        let leader = group.get(origin.int(s.peer)?.try_into().ok()?)?;
        let Arg::Str(stringtag) = origin.value(s.text) else { return None };
        // No two of a program's few tags have the same hash.
        let mut hasher = FxHasher::default();
        (origin.name(), stringtag).hash(&mut hasher);
        let text = format!("{} {stringtag}", origin.name());
        let key = CommKey::GroupCalls { parent: None, ranks: group, tag: 0, text };
        Some(Side { key, leader, tag: hasher.finish() as i64 })
    }

    /// The group that a call names in the parameter of this name: world ranks.
    fn given_group(&self, origin: &Origin, name: &str) -> Option<Ranks> {
        let place = origin.func.row().param(name)?;
        let id = origin.int(place as u8)? as Id;
        let group = self.ranks[origin.rank as usize].objects.groups.get(&id)?;
        (group.len() <= self.ranks.len()).then(|| group.clone())
    }
}
