//! Accesses to windows of MPI_Win_create_dynamic: is the memory attached (MPI 4.1, 12.2.4)?

use crate::arg_places::ArgPlaces;
use crate::model::Model;
use crate::state::{CommIx, Origin, OutOfRange, row_int};
use trace_format::definition::Id;
use trace_format::mpi::{FnId, Kind};

impl Model {
    /// A local call about a window has returned: it may attach memory, or detach it.
    pub(super) fn note_attached(&mut self, origin: &Origin, s: &ArgPlaces) {
        let (Some(win), Some(base)) = (origin.int(s.win), row_int(origin, "base")) else { return };
        let Some(m) = self.resolve(origin, Kind::Win, win as Id) else { return };
        let Some(window) = &mut self.comms.list[m.ix].window else { return };
        let parts = &mut window.member(m.position as i32).attached;
        match (origin.func, row_int(origin, "size")) {
            (FnId::MPI_Win_attach, Some(size)) => parts.attach(base, size, origin.index),
            (FnId::MPI_Win_detach, _) => parts.detach(base, origin.index),
            _ => {}
        }
    }

    /// All processes of a window have left a phase, or it is over (`None`): what its targets attached meanwhile is known.
    pub(super) fn judge_attached(&mut self, ix: CommIx, phase: Option<u64>) {
        let comm = &mut self.comms.list[ix];
        let Some(window) = &mut comm.window else { return };
        let ripe = window.unattached.ripe(phase);
        if ripe.is_empty() || window.unclear {
            return;
        }
        for early in ripe {
            let comm = &self.comms.list[ix];
            let window = comm.window.as_ref();
            let Some((rank, member)) = comm.a.get(early.target).zip(window.and_then(|w| w.members.get(&early.target)))
            else {
                continue;
            };
            let Some(exposed) = member.exposed.filter(|_| !self.is_dim(rank)) else { continue };
            let at = (early.access.call.rank, early.access.call.index);
            let may_last = |(attached, detached): (u64, Option<u64>)| {
                let is_gone = detached.is_some_and(|call| self.order.is_before((rank, call), at));
                !is_gone && !self.order.is_before(at, (rank, attached))
            };
            let missing = member.attached.missing(early.access.bytes(exposed), |part| may_last(part.lasts()));
            if let Some(missing) = missing {
                let (call, last) = (early.access.call, early.access.runs.iter().map(|run| run.1).max().unwrap_or(1));
                let to = early.access.displacement.saturating_add(last);
                self.rules.out_of_range(self, &OutOfRange { call, target: rank, bytes: (missing, to), exposed });
            }
        }
    }
}
