//! The requests of one rank. A handle value is no key: libraries give the same value to several outstanding requests
//! and reuse values at once. Which request is meant follows from where its variable stands.

use super::comms::CommIx;
use super::facts::Origin;
use super::p2p::OpId;
use super::slab::Slab;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;
use trace_format::mpi::Class;

pub(crate) type ReqId = u32;

/// A request that the program has not completed (or freed, if it is persistent).
pub(crate) struct Request {
    pub(crate) handle: i64,
    /// Address of the variable that the call wrote the handle to; 0 if not known.
    slot: u64,
    /// The call that made it.
    pub(crate) origin: Arc<Origin>,
    pub(crate) class: Class,
    pub(crate) persistent: bool,
    /// Started and not completed.
    pub(crate) active: bool,
    /// The call that started it last, if it is persistent.
    pub(crate) start: Option<Arc<Origin>>,
    pub(crate) send: Option<OpId>,
    pub(crate) recv: Option<OpId>,
    /// Communicator, number of the operation on it, place of the rank.
    pub(crate) collective: Option<(CommIx, u64, u32)>,
    pub(crate) cancelled: bool,
    /// The call that was last about to complete it, where threads may compete.
    pub(crate) claim: Option<Arc<Origin>>,
}

impl Request {
    pub(crate) fn new(origin: &Arc<Origin>, class: Class) -> Request {
        Request {
            handle: 0,
            slot: 0,
            origin: origin.clone(),
            class,
            persistent: false,
            active: true,
            start: None,
            send: None,
            recv: None,
            collective: None,
            cancelled: false,
            claim: None,
        }
    }
}

pub(crate) struct Requests {
    pub(crate) all: Slab<Request>,
    by_handle: FxHashMap<i64, SmallVec<[ReqId; 2]>>,
    /// Bytes from one element of an array of requests to the next.
    pub(crate) stride: u64,
}

impl Default for Requests {
    fn default() -> Requests {
        Requests { all: Slab::default(), by_handle: FxHashMap::default(), stride: 8 }
    }
}

/// Handles seen are remembered (without requests) as long as there are not more than this many.
const MAX_HANDLES: usize = 1 << 16;

impl Requests {
    pub(crate) fn add(&mut self, mut request: Request, handle: i64, slot: u64) -> ReqId {
        request.handle = handle;
        request.slot = slot;
        let id = self.all.insert(request);
        self.by_handle.entry(handle).or_default().push(id);
        id
    }

    /// The request meant by a handle that stands at `slot`: the last one written there, otherwise the oldest.
    pub(crate) fn find(&self, handle: i64, slot: u64) -> Option<ReqId> {
        if handle == 0 {
            return None;
        }
        let live = self.by_handle.get(&handle)?;
        if let [only] = live[..] {
            return Some(only);
        }
        let here = live.iter().rev().find(|id| slot != 0 && self.all[**id].slot == slot);
        here.or(live.first()).copied()
    }

    /// The `i`-th of an array of requests at `base`.
    pub(crate) fn find_in(&self, handles: &[i64], base: u64, i: usize) -> Option<ReqId> {
        let handle = *handles.get(i)?;
        let slot = if base == 0 { 0 } else { base.wrapping_add(i as u64 * self.stride) };
        self.find(handle, slot)
    }

    /// As `find_in`, if there is no doubt.
    pub(crate) fn certain(&self, handles: &[i64], base: u64, i: usize) -> Option<ReqId> {
        let id = self.find_in(handles, base, i)?;
        let slot = base.wrapping_add(i as u64 * self.stride);
        let alone = self.by_handle.get(&self.all[id].handle).is_some_and(|live| live.len() == 1);
        (alone || base != 0 && self.all[id].slot == slot).then_some(id)
    }

    pub(crate) fn remove(&mut self, id: ReqId) -> Option<Request> {
        let request = self.all.remove(id)?;
        if let Some(live) = self.by_handle.get_mut(&request.handle) {
            live.retain(|l| *l != id);
            if live.is_empty() && self.by_handle.len() > MAX_HANDLES {
                self.by_handle.remove(&request.handle);
            }
        }
        Some(request)
    }

    /// The objects of collectives that are under way.
    pub(super) fn collectives(&self) -> impl Iterator<Item = CommIx> {
        self.all.iter().filter_map(|(_, r)| r.collective).map(|(comm, ..)| comm)
    }

    pub(crate) fn open_collectives(&self) -> u64 {
        self.all.iter().filter(|(_, r)| r.active && r.collective.is_some()).count() as u64
    }
}
