//! Which object, and which process, a call names.

use super::Model;
use crate::arg_places::{ArgPlaces, Place};
use crate::state::{CommIx, Member, Origin, Target};
use trace_format::definition::{FIRST_USER_ID, Id};
use trace_format::mpi::Kind;
use trace_format::mpi::special::{ANY_SOURCE, PROC_NULL};
use trace_reader::args::Arg;

impl Model {
    /// The object that a call names.
    pub(crate) fn resolve(&mut self, origin: &Origin, kind: Kind, id: Id) -> Option<Member> {
        let r = &mut self.ranks[origin.rank as usize];
        // The events of several threads may come out of order: perhaps the call that made it is still to come, and
        // which object it is nobody knows before.
        let threads = r.threads.len() > 1 || origin.thread != 0;
        if threads && id >= FIRST_USER_ID && !r.objects.members.contains_key(&(kind, id)) {
            self.make_dim(origin.rank, |r| r.holed = true);
            return None;
        }
        self.comms.resolve(origin.rank, &mut r.objects, kind, id)
    }

    /// The object whose order of collectives a call belongs to.
    pub(crate) fn collective_object(&mut self, origin: &Origin, s: &ArgPlaces) -> Option<Member> {
        let (kind, place) = s.ordering_object();
        let id = origin.int(place)? as Id;
        let m = self.resolve(origin, kind, id)?;
        (!self.comms.list[m.ix].foreign).then_some(m)
    }

    /// Where the call sends to or looks; `None` for nobody (MPI_PROC_NULL), or where mpivet cannot know.
    pub(crate) fn target(&mut self, origin: &Origin, peer: Place, tag: Place, s: &ArgPlaces) -> Option<Target> {
        let id = origin.int(s.comm)? as Id;
        let known = self.ranks[origin.rank as usize].objects.last_comm;
        let m = match known.filter(|(epoch, of, _)| (*epoch, *of) == (self.epoch, id)) {
            Some((.., m)) => m,
            None => {
                let m = self.resolve(origin, Kind::Comm, id)?;
                self.ranks[origin.rank as usize].objects.last_comm = Some((self.epoch, id, m));
                m
            }
        };
        let comm = &self.comms.list[m.ix];
        let peer = origin.int(peer)? as i32;
        let peer = match peer {
            ANY_SOURCE => ANY_SOURCE,
            PROC_NULL => return None,
            p => comm.peers(m.position).get(p).filter(|r| *r >= 0 && (*r as usize) < self.ranks.len())?,
        };
        Some(Target { comm: m.ix, peer, tag: origin.int(tag)? as i32 })
    }

    /// World rank of the process that a call of `win` names.
    pub(crate) fn target_of(&self, origin: &Origin, win: CommIx) -> Option<i32> {
        let place = origin.func.row().params.iter().position(|p| p.kind == Kind::Rank)?;
        let Arg::Int(target) = origin.arg(place) else { return None };
        let comm = &self.comms.list[win];
        comm.peers(comm.position(origin.rank)?).get(target as i32)
    }

    /// May threads of the rank call at the same time?
    pub(crate) fn has_threads(&self, rank: i32) -> bool {
        self.ranks.get(rank as usize).is_some_and(|r| r.multiple || r.threads.len() > 1)
    }
}
