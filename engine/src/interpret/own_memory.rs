//! Buffers of MPI calls that lie in memory which their process exposes by a window: accesses by the process itself, which must not
//! meet those of others (MPI 4.1, 12.7). A blocking call accesses them while it lasts, others until their operation is complete.

use super::accesses::MAX_RUNS;
use super::files::is_access;
use crate::arg_places::{ArgPlaces, NONE, Place, Side};
use crate::model::Model;
use crate::state::{Accessed, CommIx, Exposes, Lasts, News, Origin, Request};
use rma::Deed;
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::special::{IN_PLACE, PROC_NULL};
use trace_format::mpi::{Class, Coll, Kind, Start};
use trace_reader::args::{Arg, Args};

/// A buffer of a call, which it reads or writes.
pub(super) struct Use {
    pub(super) deed: Deed,
    pub(super) side: Side,
    /// The most bytes that it does so with, if that is known.
    most: Option<u64>,
    data: Data,
}

/// Which data are in a buffer.
pub(super) enum Data {
    /// As many elements as the call says.
    One,
    /// As many elements as all the counts of the call.
    Sum,
    /// The share of one process.
    Share(usize),
    /// The shares of so many processes, one behind the other, but for that of this one.
    Each(u64, Option<u64>),
    /// The shares of all, each at a place of its own, but for that of this one.
    Placed(Option<u64>),
}

impl Model {
    /// A call has returned: does it use memory that its process exposes? `operation`: the collective one, with its number on the
    /// communicator.
    pub(super) fn use_own_memory(
        &mut self,
        origin: &Rc<Origin>,
        s: &ArgPlaces,
        operation: Option<(CommIx, u64)>,
        outs: &Args,
    ) {
        match start(s.class) {
            Start::Persistent => {}
            _ if matches!(s.class, Class::StartOne | Class::StartAll) => self.use_started(origin),
            Start::Blocking => self.use_memory(origin, origin, || Lasts::Call, outs),
            Start::Nonblocking => {
                let data = news(s.class, origin.index, operation);
                self.use_memory(origin, origin, || lasting(data), outs);
            }
        }
    }

    /// Persistent operations have begun.
    fn use_started(&mut self, start: &Rc<Origin>) {
        let (base, handles) = start.requests();
        for i in 0..handles.len() {
            let requests = &self.ranks[start.rank as usize].requests;
            let Some(request) = requests.find_in(handles, base, i).and_then(|id| requests.get(id)) else { continue };
            let Request { origin, class, collective, .. } = request;
            if request.active && request.start.as_ref().is_some_and(|begun| Rc::ptr_eq(begun, start)) {
                let data = news(*class, start.index, collective.map(|(object, number, _)| (object, number)));
                let described = origin.clone();
                self.use_memory(start, &described, || lasting(data), &Args::default());
            }
        }
    }

    /// A call begins the operation that `described` has the arguments of.
    fn use_memory(&mut self, call: &Rc<Origin>, described: &Rc<Origin>, lasts: impl Fn() -> Lasts, outs: &Args) {
        for used in self.uses(described, described.arg_places, outs) {
            if self.is_elsewhere(described, &used) {
                continue;
            }
            let all: SmallVec<[Exposes; 2]> = self.ranks[call.rank as usize].exposes.iter().copied().collect();
            let (deed, runs) = (used.deed, self.used_runs(described, &used).unwrap_or_default());
            for exposes in all {
                let within: Vec<(i64, i64)> = runs.iter().filter_map(|run| exposes.within(*run)).collect();
                if !within.is_empty() {
                    let (call, runs, lasts) = (call.clone(), within.as_slice().into(), lasts());
                    let access = Accessed { call, origin: exposes.place, displacement: 0, deed, runs, lasts };
                    self.use_window_memory(exposes, access);
                }
            }
        }
    }

    /// Is a buffer certainly in no memory that its process exposes?
    fn is_elsewhere(&self, origin: &Origin, used: &Use) -> bool {
        let span = || {
            let address = origin.int(used.side.buf)?;
            let (count, datatype) = (Counts::of(origin, used.side.count).get(0)?, origin.int(used.side.datatype)?);
            let span = self.typemap(origin.rank, datatype as Id)?.span(count);
            Some((address.checked_add(span.start)?, address.checked_add(span.end)?))
        };
        let is_one = matches!(used.data, Data::One);
        is_one && span().is_some_and(|span| !self.ranks[origin.rank as usize].exposes.is_within(span))
    }

    pub(super) fn use_window_memory(&mut self, exposes: Exposes, access: Accessed) {
        let Some(window) = self.comms.list.get_mut(exposes.window).and_then(|comm| comm.window.as_mut()) else {
            return;
        };
        if !window.unclear {
            window.use_own(exposes.owner, access);
        }
    }

    /// A call has completed the operation that another one of its process began, or perhaps any of them (`None`).
    pub(super) fn complete_own_memory(&mut self, rank: i32, begun: Option<u64>, call: u64) {
        for exposes in self.ranks[rank as usize].exposes.iter() {
            let window = self.comms.list.get_mut(exposes.window).and_then(|comm| comm.window.as_mut());
            window.into_iter().for_each(|window| window.complete_own(exposes.place, begun, call));
        }
    }

    /// The bytes of a buffer, as addresses.
    pub(super) fn used_runs(&self, origin: &Origin, used: &Use) -> Option<Vec<(i64, i64)>> {
        let Use { side, most, data, .. } = used;
        let address = origin.int(side.buf).filter(|address| *address > 0)?;
        let mut left = most.unwrap_or(u64::MAX);
        let mut found = Vec::new();
        let mut add = |from: i64, count: u64, datatype: Id| {
            let map = self.typemap(origin.rank, datatype)?;
            let room = MAX_RUNS.saturating_sub(found.len());
            let runs = map.runs(count).take(room).map_while(|(at, bytes)| {
                let (from, bytes) = (from.checked_add(at)?, bytes.min(left));
                left -= bytes;
                Some((from, from.checked_add_unsigned(bytes)?)).filter(|_| bytes > 0)
            });
            found.extend(runs);
            Some(())
        };
        let counts = || Counts::of(origin, side.count);
        let one = || origin.int(side.datatype).map(|id| id as Id);
        match data {
            Data::One => add(address, counts().get(0)?, one()?)?,
            Data::Sum => add(address, counts().sum()?, one()?)?,
            Data::Share(place) => add(address, counts().get(*place)?, one()?)?,
            Data::Each(times, None) => add(address, counts().get(0)?.checked_mul(*times)?, one()?)?,
            Data::Each(times, Some(but)) => {
                let (count, datatype) = (counts().get(0)?, one()?);
                let extent = self.typemap(origin.rank, datatype)?.extent();
                let behind = extent.checked_mul(i64::try_from(count.checked_mul(but.checked_add(1)?)?).ok()?)?;
                add(address, count.checked_mul(*but)?, datatype)?;
                add(address.checked_add(behind)?, count.checked_mul(times.checked_sub(but + 1)?)?, datatype)?;
            }
            Data::Placed(but) => {
                let (counts, places) = (counts(), displacements(origin, side)?);
                let types = origin.value(side.datatype);
                for (nth, place) in places.iter().enumerate().filter(|(nth, _)| *but != Some(*nth as u64)) {
                    // MPI_Alltoallw has a datatype for each, and displacements in bytes.
                    let (datatype, unit) = match (types.ints().get(nth), one()) {
                        (Some(datatype), _) => (*datatype as Id, 1),
                        (None, Some(datatype)) => (datatype, self.typemap(origin.rank, datatype)?.extent()),
                        (None, None) => return None,
                    };
                    add(address.checked_add(place.checked_mul(unit)?)?, counts.get(nth)?, datatype)?;
                }
            }
        }
        Some(found)
    }

    pub(super) fn uses(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, outs: &Args) -> SmallVec<[Use; 2]> {
        let one = |deed, side| Use { deed, side, most: None, data: Data::One };
        let is_somebody = |peer: Place| origin.int(peer) != Some(i64::from(PROC_NULL));
        let sends = || Some(one(Deed::Read, s.send)).filter(|_| is_somebody(s.peer));
        let gets = |peer: Place| {
            let most = origin.status_at(outs, s.status, 0).and_then(|status| status.bytes);
            let most = most.filter(|_| start(s.class) == Start::Blocking);
            Some(Use { most, ..one(Deed::Write, s.recv) }).filter(|_| is_somebody(peer))
        };
        let both = match s.class {
            _ if is_access(s) => [self.use_of_file(origin, s, outs), None],
            Class::Send(..) => [sends(), None],
            Class::Recv(_) => [None, gets(s.peer)],
            Class::Mrecv(_) => [None, gets(NONE)],
            Class::SendRecv(_) | Class::SendRecvReplace(_) => [sends(), gets(s.peer2)],
            Class::Rma | Class::RmaRequest => [Some(one(Deed::Read, s.send)), Some(one(Deed::Write, s.recv))],
            Class::Collective(coll, _) => self.uses_of_collective(origin, s, coll),
            _ => return SmallVec::new(),
        };
        let mut all = SmallVec::new();
        for used in both {
            if let Some(used) = used.filter(|used| used.side.buf != NONE) {
                all.push(used);
            }
        }
        all
    }

    /// The buffer of an access to a file. A read may come to the end of the file.
    fn use_of_file(&self, origin: &Origin, s: &ArgPlaces, outs: &Args) -> Option<Use> {
        let most = origin.status_at(outs, s.status, 0).and_then(|status| status.bytes);
        match (s.send.count, start(s.class)) {
            (NONE, Start::Blocking) if most.is_none() => None,
            (NONE, _) => Some(Use { deed: Deed::Write, side: s.recv, most, data: Data::One }),
            _ => Some(Use { deed: Deed::Read, side: s.send, most: None, data: Data::One }),
        }
    }

    /// The buffers of a collective operation on an intracommunicator.
    fn uses_of_collective(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, coll: Coll) -> [Option<Use>; 2] {
        let Some((me, size)) = self.own_place(origin, s) else { return [None, None] };
        let root = origin.int(s.root).and_then(|root| u64::try_from(root).ok());
        let at_root = root == Some(me);
        let is_in_place = |side: Side| origin.int(side.buf) == Some(IN_PLACE);
        // Its own share stays where it is, if the other buffer is that.
        let but = |other: Side| Some(me).filter(|_| is_in_place(other));
        let reads = |data| Some(Use { deed: Deed::Read, side: s.send, most: None, data });
        let writes = |data| Some(Use { deed: Deed::Write, side: s.recv, most: None, data });
        match coll {
            Coll::Bcast if at_root => [reads(Data::One), None],
            Coll::Bcast => [None, root.and_then(|_| writes(Data::One))],
            Coll::Reduce => [reads(Data::One), writes(Data::One).filter(|_| at_root)],
            Coll::Allreduce | Coll::Scan => [reads(Data::One), writes(Data::One)],
            // The first process gets nothing.
            Coll::Exscan => [reads(Data::One), writes(Data::One).filter(|_| me > 0)],
            Coll::ReduceScatterBlock => [reads(Data::Each(size, None)), writes(Data::One)],
            Coll::ReduceScatter => [reads(Data::Sum), writes(Data::Share(me as usize))],
            Coll::Gather => [reads(Data::One), writes(Data::Each(size, but(s.send))).filter(|_| at_root)],
            Coll::Gatherv => [reads(Data::One), writes(Data::Placed(but(s.send))).filter(|_| at_root)],
            Coll::Allgather => [reads(Data::One), writes(Data::Each(size, but(s.send)))],
            Coll::Allgatherv => [reads(Data::One), writes(Data::Placed(but(s.send)))],
            Coll::Scatter => [reads(Data::Each(size, but(s.recv))).filter(|_| at_root), writes(Data::One)],
            Coll::Scatterv => [reads(Data::Placed(but(s.recv))).filter(|_| at_root), writes(Data::One)],
            Coll::Alltoall => [reads(Data::Each(size, None)), writes(Data::Each(size, None))],
            Coll::Alltoallv | Coll::Alltoallw => [reads(Data::Placed(None)), writes(Data::Placed(None))],
            _ => [None, None],
        }
    }

    /// The place of the process on an intracommunicator, and how many there are.
    fn own_place(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) -> Option<(u64, u64)> {
        let m = self.resolve(origin, Kind::Comm, origin.int(s.comm)? as Id)?;
        let comm = &self.comms.list[m.ix];
        comm.b.is_none().then_some((u64::from(m.position), comm.a.len() as u64))
    }

    /// A process has exposed memory from this address on.
    pub(super) fn expose_memory(&mut self, rank: i32, exposes: Exposes) {
        self.ranks[rank as usize].exposes.add(exposes);
    }

    /// A process has freed a window.
    pub(super) fn withdraw_memory(&mut self, rank: i32, window: CommIx) {
        self.ranks[rank as usize].exposes.withdraw(window);
    }
}

/// One count, or one for each process.
struct Counts<'a>(Arg<'a>);

impl Counts<'_> {
    fn of(origin: &Origin, place: Place) -> Counts<'_> {
        Counts(if place == NONE { Arg::Int(1) } else { origin.value(place) })
    }

    fn get(&self, nth: usize) -> Option<u64> {
        let count = if let Arg::Int(count) = self.0 { count } else { *self.0.ints().get(nth)? };
        u64::try_from(count).ok()
    }

    fn sum(&self) -> Option<u64> {
        self.0.ints().iter().try_fold(0_u64, |sum, count| sum.checked_add(u64::try_from(*count).ok()?))
    }
}

/// Where the shares of the processes are in a buffer: its displacements come behind its counts.
fn displacements<'a>(origin: &'a Origin, side: &Side) -> Option<&'a [i64]> {
    let place = side.count.checked_add(1).filter(|_| side.count != NONE)?;
    let is_array =
        |param: &trace_format::mpi::Param| matches!(param.kind, Kind::Int | Kind::Aint) && !param.len.is_empty();
    origin.func.row().params.get(usize::from(place)).filter(|param| is_array(param))?;
    if let Arg::Ints(places) = origin.value(place) { Some(places) } else { None }
}

fn start(class: Class) -> Start {
    match class {
        Class::Send(_, start)
        | Class::Recv(start)
        | Class::SendRecv(start)
        | Class::SendRecvReplace(start)
        | Class::Mrecv(start)
        | Class::FileIo(start)
        | Class::Collective(_, start) => start,
        _ => Start::Blocking,
    }
}

/// An operation begins.
fn lasting(data: Option<News>) -> Lasts {
    Lasts::Operation { end: Rc::new(Cell::new(u64::MAX)), data }
}

/// The news that come with the data of an operation that a call has begun.
fn news(class: Class, begun: u64, operation: Option<(CommIx, u64)>) -> Option<News> {
    match class {
        Class::Recv(_) | Class::SendRecv(_) | Class::SendRecvReplace(_) => Some(News::Message(begun)),
        Class::Collective(..) => operation.map(|(object, number)| News::Collective(object, number)),
        _ => None,
    }
}
