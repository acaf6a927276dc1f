//! The requests of one rank: what the engine knows of each, in the table of `trace_format::requests`, which tells what
//! request a handle means.

use super::call::Origin;
use super::channels::ChannelEnd;
use super::comms::CommIx;
use super::op::OpId;
use super::persistents::Made;
use std::rc::Rc;
use trace_format::mpi::Class;
use trace_format::requests::{Ix, Requests as Table};

pub(crate) type ReqId = Ix;

/// A request that the program has not completed (or freed, if it is persistent).
pub(crate) struct Request {
    /// The call that made it.
    pub(crate) origin: Rc<Origin>,
    pub(crate) class: Class,
    pub(crate) persistent: bool,
    /// Started and not completed.
    pub(crate) active: bool,
    /// Persistent, and the call that completed it last has failed: Open MPI 4.1 takes the handle of such a request away,
    /// and nothing is left that could be started or freed.
    pub(crate) perhaps_gone: bool,
    /// The call that started it last, if it is persistent.
    pub(crate) start: Option<Rc<Origin>>,
    pub(crate) send: Option<OpId>,
    pub(crate) recv: Option<OpId>,
    /// Communicator, number of the operation on it, place of the rank.
    pub(crate) collective: Option<(CommIx, u64, u32)>,
    /// Few have any of this. It is apart, as many requests come and go.
    pub(crate) rare: Option<Box<Rare>>,
    pub(crate) cancelled: bool,
    /// A generalized request for which MPI_Grequest_complete was not called.
    pub(crate) incomplete: bool,
    /// The program was told that it is complete, without completing it (MPI_Request_get_status).
    pub(crate) seen_complete: bool,
}

/// See [`Request::rare`].
#[derive(Default)]
pub(crate) struct Rare {
    /// A persistent collective: its number, and that of its next start.
    pub(crate) made: Option<Made>,
    /// The channel of a partitioned operation.
    pub(crate) partitioned: Option<ChannelEnd>,
    /// The window of a one-sided access.
    pub(crate) window: Option<CommIx>,
    /// The call that was last about to complete it, where threads may compete.
    pub(crate) claim: Option<Rc<Origin>>,
}

impl Request {
    pub(crate) fn new(origin: &Rc<Origin>, class: Class) -> Request {
        Request {
            origin: origin.clone(),
            class,
            persistent: false,
            active: true,
            perhaps_gone: false,
            start: None,
            send: None,
            recv: None,
            collective: None,
            rare: None,
            cancelled: false,
            incomplete: false,
            seen_complete: false,
        }
    }

    /// See [`Request::rare`]: makes it, if there is none.
    pub(crate) fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// See [`Rare::partitioned`].
    pub(crate) fn partitioned(&self) -> Option<&ChannelEnd> {
        self.rare.as_ref()?.partitioned.as_ref()
    }

    /// See [`Rare::window`].
    pub(crate) fn window(&self) -> Option<CommIx> {
        self.rare.as_ref()?.window
    }
}

pub(crate) struct Requests {
    table: Table<Request>,
    /// Bytes from one element of an array of requests to the next.
    pub(crate) stride: u64,
    /// Some request was perhaps gone.
    doubtful: bool,
}

impl Default for Requests {
    fn default() -> Requests {
        Requests { table: Table::default(), stride: 8, doubtful: false }
    }
}

impl Requests {
    pub(crate) fn add(&mut self, request: Request, handle: i64, slot: u64) {
        let handle = handle as u64;
        if self.doubtful {
            self.discard_gone(handle);
        }
        self.table.add(handle, slot, request);
    }

    /// A handle that is given out again proves that its request is gone.
    #[cold]
    fn discard_gone(&mut self, handle: u64) {
        let gone = |table: &Table<Request>| {
            table.find(handle, 0).filter(|id| table.get(*id).is_some_and(|request| request.perhaps_gone))
        };
        while let Some(id) = gone(&self.table) {
            self.table.discard(id, ());
        }
    }

    /// The call that completed a persistent request has failed: see [`Request::perhaps_gone`].
    pub(crate) fn doubt(&mut self, id: ReqId) {
        self.doubtful = true;
        self.table.get_mut(id).into_iter().for_each(|request| request.perhaps_gone = true);
    }

    #[inline]
    pub(crate) fn get(&self, id: ReqId) -> Option<&Request> {
        self.table.get(id)
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: ReqId) -> Option<&mut Request> {
        self.table.get_mut(id)
    }

    /// Nobody knows any more which generalized requests are incomplete.
    pub(crate) fn forget_incomplete(&mut self) {
        let all: Vec<ReqId> = self.table.iter().map(|(id, _)| id).collect();
        for id in all {
            self.table.get_mut(id).into_iter().for_each(|request| request.incomplete = false);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Request> {
        self.table.iter().map(|(_, request)| request)
    }

    /// Handle and place of the `i`-th of an array of requests at `base`; `None` for null handles, 0 where the place is
    /// not known.
    #[inline]
    fn element(&self, handles: &[i64], base: u64, i: usize) -> Option<(u64, u64)> {
        let handle = *handles.get(i).filter(|handle| **handle != 0)?;
        let slot = if base == 0 { 0 } else { base.wrapping_add(i as u64 * self.stride) };
        Some((handle as u64, slot))
    }

    /// The request that is meant by the `i`-th of an array of requests at `base`.
    #[inline]
    pub(crate) fn find_in(&self, handles: &[i64], base: u64, i: usize) -> Option<ReqId> {
        let (handle, slot) = self.element(handles, base, i)?;
        self.table.find(handle, slot)
    }

    /// As `find_in`, if there is no doubt.
    pub(crate) fn certain(&self, handles: &[i64], base: u64, i: usize) -> Option<ReqId> {
        let (handle, slot) = self.element(handles, base, i)?;
        self.table.certain(handle, slot)
    }

    /// As `find_in`; false: it is a mere guess, as there are several requests with the handle, which was written elsewhere.
    pub(crate) fn meant_in(&self, handles: &[i64], base: u64, i: usize) -> Option<(ReqId, bool)> {
        let (handle, slot) = self.element(handles, base, i)?;
        let (found, is_certain) = self.table.meant(handle, slot)?;
        Some((found, is_certain || self.table.stands_at(found, slot)))
    }

    /// All requests with a handle, if there are no more of them than an array has, so that each of them is meant.
    pub(crate) fn all_meant(&self, handles: &[i64], handle: i64) -> impl Iterator<Item = ReqId> {
        let all = || self.table.with(handle as u64);
        let are_meant = handles.iter().filter(|other| **other == handle).count() >= all().count();
        all().filter(move |_| are_meant)
    }

    pub(crate) fn remove(&mut self, id: ReqId) -> Option<Request> {
        self.table.remove(id, ())
    }

    /// As `remove`, of what is of no interest any more.
    #[inline]
    pub(crate) fn discard(&mut self, id: ReqId) {
        self.table.discard(id, ());
    }

    /// The objects of collectives that are under way, of partitioned operations and of one-sided accesses.
    pub(crate) fn objects(&self) -> impl Iterator<Item = CommIx> {
        let collectives = self.iter().filter_map(|r| r.collective).map(|(comm, ..)| comm);
        let others = self.iter().flat_map(|r| r.partitioned().map(|end| end.comm).into_iter().chain(r.window()));
        collectives.chain(others)
    }

    pub(crate) fn open_collectives(&self) -> u64 {
        self.iter().filter(|r| r.active && r.collective.is_some()).count() as u64
    }
}
