//! Buffers of MPI calls that lie in memory which their process exposes by a window: accesses by the process itself, which must not
//! meet those of others (MPI 4.1, 12.7).

use super::accesses::MAX_RUNS;
use crate::arg_places::{ArgPlaces, NONE, Side};
use crate::model::Model;
use crate::state::{Accessed, CommIx, Exposes, Origin, int, status_at};
use rma::Deed;
use smallvec::SmallVec;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::{Class, Coll, Kind, Start};
use trace_reader::args::Args;

/// A buffer of a call, which it reads or writes, and the most bytes that it does so with if that is known.
struct Use {
    deed: Deed,
    side: Side,
    most: Option<u64>,
    /// The buffer has the data of so many processes.
    times: u64,
}

impl Model {
    /// A call has returned: does it use memory that its process exposes?
    pub(super) fn use_own_memory(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, outs: &Args) {
        for used in self.uses(origin, s, outs) {
            let all: SmallVec<[Exposes; 2]> = self.ranks[origin.rank as usize].exposes.iter().copied().collect();
            let (deed, Some(runs)) = (used.deed, self.used_runs(origin, &used)) else { continue };
            for exposes in all {
                let within: Vec<(i64, i64)> = runs.iter().filter_map(|run| exposes.within(*run)).collect();
                if !within.is_empty() {
                    self.use_window_memory(origin, exposes, deed, within.into());
                }
            }
        }
    }

    fn use_window_memory(&mut self, origin: &Rc<Origin>, exposes: Exposes, deed: Deed, runs: Rc<[(i64, i64)]>) {
        let Some(window) = self.comms.list.get_mut(exposes.window).and_then(|comm| comm.window.as_mut()) else {
            return;
        };
        if !window.unclear {
            let call = origin.clone();
            let access = Accessed { call, origin: exposes.place, displacement: 0, deed, runs, is_own: true };
            window.use_own(access);
        }
    }

    /// The bytes of a buffer, as addresses.
    fn used_runs(&self, origin: &Origin, used: &Use) -> Option<Vec<(i64, i64)>> {
        let Use { side, most, times, .. } = *used;
        let address = int(&origin.ins, side.buf).filter(|address| *address > 0)?;
        let count = if side.count == NONE { 1 } else { u64::try_from(int(&origin.ins, side.count)?).ok()? };
        let map = self.typemap(origin.rank, int(&origin.ins, side.datatype)? as Id)?;
        let mut left = most.unwrap_or(u64::MAX);
        let runs = map.runs(count.checked_mul(times)?).take(MAX_RUNS).map_while(|(at, bytes)| {
            let (from, bytes) = (address.checked_add(at)?, bytes.min(left));
            left -= bytes;
            Some((from, from.checked_add_unsigned(bytes)?)).filter(|_| bytes > 0)
        });
        Some(runs.collect())
    }

    fn uses(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, outs: &Args) -> SmallVec<[Use; 2]> {
        let reads = |side: Side| Use { deed: Deed::Read, side, most: None, times: 1 };
        let writes = |most: Option<u64>| Use { deed: Deed::Write, side: s.recv, most, times: 1 };
        let received = || status_at(outs, s.status, 0).and_then(|status| status.bytes);
        let mut all: SmallVec<[Use; 2]> = match s.class {
            Class::Send(_, Start::Blocking | Start::Nonblocking) => [reads(s.send)].into_iter().collect(),
            Class::Recv(Start::Blocking) => [writes(received())].into_iter().collect(),
            Class::Recv(Start::Nonblocking) => [writes(None)].into_iter().collect(),
            Class::SendRecv(Start::Blocking) => [reads(s.send), writes(received())].into_iter().collect(),
            Class::Rma | Class::RmaRequest => [reads(s.send), writes(None)].into_iter().collect(),
            Class::Collective(Coll::Allreduce | Coll::Scan | Coll::Exscan, Start::Blocking | Start::Nonblocking) => {
                [reads(s.send), writes(None)].into_iter().collect()
            }
            Class::Collective(Coll::Bcast, Start::Blocking | Start::Nonblocking) => {
                let is_root = self.is_root(origin, s);
                is_root.map(|is_root| if is_root { reads(s.send) } else { writes(None) }).into_iter().collect()
            }
            Class::Collective(Coll::Reduce, Start::Blocking | Start::Nonblocking) => {
                let at_root = self.is_root(origin, s) == Some(true);
                [Some(reads(s.send)), at_root.then(|| writes(None))].into_iter().flatten().collect()
            }
            Class::Collective(coll, Start::Blocking | Start::Nonblocking) => self.shares(origin, s, coll),
            _ => SmallVec::new(),
        };
        all.retain(|one| one.side.buf != NONE);
        all
    }

    /// The buffers of a collective operation in which processes send or get the shares of all.
    fn shares(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, coll: Coll) -> SmallVec<[Use; 2]> {
        let one = |deed, side| Use { deed, side, most: None, times: 1 };
        let (sends, gets) = (one(Deed::Read, s.send), one(Deed::Write, s.recv));
        let is_root = match coll {
            Coll::Gather | Coll::Scatter => self.is_root(origin, s),
            Coll::Allgather | Coll::Alltoall => Some(true),
            _ => None,
        };
        let Some((is_root, times)) = is_root.zip(self.comm_size(origin, s)) else { return SmallVec::new() };
        let all = |one: Use| Use { times, ..one };
        match coll {
            Coll::Gather if !is_root => [sends].into_iter().collect(),
            Coll::Gather | Coll::Allgather => [sends, all(gets)].into_iter().collect(),
            Coll::Scatter if !is_root => [gets].into_iter().collect(),
            Coll::Scatter => [all(sends), gets].into_iter().collect(),
            _ => [all(sends), all(gets)].into_iter().collect(),
        }
    }

    /// The processes of an intracommunicator.
    fn comm_size(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) -> Option<u64> {
        let m = self.resolve(origin, Kind::Comm, int(&origin.ins, s.comm)? as Id)?;
        let comm = &self.comms.list[m.ix];
        comm.b.is_none().then_some(comm.a.len() as u64)
    }

    fn is_root(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) -> Option<bool> {
        let (comm, root) = (int(&origin.ins, s.comm)? as Id, int(&origin.ins, s.root)?);
        let m = self.resolve(origin, Kind::Comm, comm)?;
        let is_inner = self.comms.list[m.ix].b.is_none();
        is_inner.then_some(i64::from(m.position) == root)
    }

    /// A process exposes memory from this address on.
    pub(super) fn expose_memory(&mut self, rank: i32, exposes: Exposes) {
        self.ranks[rank as usize].exposes.push(exposes);
    }

    /// A process has freed a window.
    pub(super) fn withdraw_memory(&mut self, rank: i32, window: CommIx) {
        self.ranks[rank as usize].exposes.retain(|exposes| exposes.window != window);
    }
}
