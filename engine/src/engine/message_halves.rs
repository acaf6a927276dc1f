//! The halves of messages in the calls of a lap, and what two of them need in order to go together: laps are counted, too, whose
//! calls differ in buffers, counts, tags and statuses alone ([`crate::read_ahead`]).

use super::Engine;
use crate::arg_places::{ArgPlaces, NONE, Place, Side, arg_places};
use crate::state::{CommIx, Origin, are_alike};
use crate::types::Amount;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use trace_format::definition::Id;
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG, PROC_NULL};
use trace_format::mpi::{Class, Kind, SendMode, Start, Status};
use trace_reader::args::{Arg, Args};
use trace_reader::call::Call;
use trace_reader::reader::{Repeat, varying_status};

/// An integer argument that may differ from lap to lap.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Detail {
    /// Which of the varying values it is.
    own: Option<u8>,
    place: Place,
}

/// One half of a message: a send, or a receive that names its source and tag.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct MessageHalf {
    pub(crate) rank: i32,
    pub(crate) is_send: bool,
    pub(crate) comm: CommIx,
    /// World rank of the partner; `None`: MPI_PROC_NULL.
    pub(crate) peer: Option<i32>,
    /// Its tag in the lap where it was found.
    pub(crate) first_tag: i64,
    one: Amount,
    tag: Detail,
    count: Detail,
    buffer: Detail,
    status: Place,
    own_status: Option<u8>,
    /// Its tag and elements come from the call that made a persistent request, and are the same each time.
    persistent: Option<(i64, i64)>,
    /// `None`: it is not looked up in which variables buffers are, or that was done when its request was made.
    known: Option<KnownBuffers>,
    site: Id,
    datatype: Id,
    /// Address, elements, and bytes received, where it was found.
    first_buffer: (i64, i64, u64),
}

/// The buffers of calls from one place about which there is nothing new.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct KnownBuffers {
    /// Between these addresses, with no more elements than that, of which no more bytes were received.
    at: (i64, i64),
    count: i64,
    got: u64,
    /// Others may be in local variables if they are between these addresses; `None`: there is something new about all others.
    locals: Option<(u64, u64)>,
}

/// Rank, call site, parameter, datatype and address of a buffer.
pub(crate) type PlaceOfBuffer = (i32, Id, Place, Id, i64);

/// Buffers of calls that were looked at one by one: so many elements and bytes received are nothing new.
#[derive(Default)]
pub(crate) struct SeenBuffers(FxHashMap<PlaceOfBuffer, SmallVec<[(i64, u64); 2]>>);

/// Some of these for another process: place, elements and bytes received.
pub(crate) type ListedBuffers = Vec<(PlaceOfBuffer, Vec<(i64, u64)>)>;

/// So many places are remembered, and so many amounts at each of them.
const MOST_SEEN: usize = 1 << 14;

const MOST_AMOUNTS: usize = 8;

impl MessageHalf {
    fn place_of_buffer(&self, at: i64) -> PlaceOfBuffer {
        (self.rank, self.site, self.buffer.place, self.datatype, at)
    }
}

impl SeenBuffers {
    pub(crate) fn add(&mut self, half: &MessageHalf) {
        if half.known.is_none() {
            return;
        }
        if self.0.len() >= MOST_SEEN {
            self.0.clear();
        }
        let (at, count, got) = half.first_buffer;
        let amounts = self.0.entry(half.place_of_buffer(at)).or_default();
        if !amounts.iter().any(|known| count <= known.0 && got <= known.1) {
            amounts.retain(|known| known.0 > count || known.1 > got);
            amounts.truncate(MOST_AMOUNTS - 1);
            amounts.push((count, got));
        }
    }

    /// The buffers of these ranks.
    pub(crate) fn of_ranks(&self, wanted: impl Fn(i32) -> bool) -> ListedBuffers {
        let all = self.0.iter().filter(|(place, _)| wanted(place.0));
        all.map(|(place, amounts)| (*place, amounts.to_vec())).collect()
    }

    pub(crate) fn of_list(list: ListedBuffers) -> SeenBuffers {
        SeenBuffers(list.into_iter().map(|(place, amounts)| (place, amounts.into())).collect())
    }

    fn has(&self, half: &MessageHalf, (at, count, got): (i64, i64, u64)) -> bool {
        let known = self.0.get(&half.place_of_buffer(at));
        known.is_some_and(|amounts| amounts.iter().any(|known| count <= known.0 && got <= known.1))
    }
}

/// Parameters of which the last one may be a detail, and more.
const PARAMS: usize = 16;

/// Arguments of calls that came whole and are kept, and that were looked at before the engine was given them, by slot. They stand
/// for those of calls that repeat them and have none of their own, as those that combine a send and a receive.
#[derive(Default)]
pub(crate) struct WholeCalls(FxHashMap<u16, [Option<i64>; PARAMS]>);

impl WholeCalls {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    #[inline]
    pub(crate) fn note(&mut self, call: &Call<Args>) {
        if let Some(slot) = call.slot
            && has_messages(call)
        {
            self.0.insert(slot, std::array::from_fn(|place| call.ins.int(place)));
        }
    }
}

/// Tag and data of such a half in a call of a later lap.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filling {
    pub(crate) tag: i64,
    amount: Amount,
}

impl Filling {
    /// How often its signature comes in its data.
    pub(crate) fn reps(&self) -> u64 {
        self.amount.reps
    }

    /// Where a receive of any tag has taken a message with this one.
    pub(crate) fn with_taken(self, tag: i64) -> Filling {
        let wanted = if self.tag == i64::from(ANY_TAG) { tag } else { self.tag };
        Filling { tag: wanted, ..self }
    }
}

/// An argument, or a module, where the calls of laps are looked at: in the process with the engine, or in the one that reads them.
pub(crate) trait Known {
    /// An argument that a repeat has in common with the call that it repeats.
    fn kept_int(&self, rank: i32, repeat: &Repeat, place: Place) -> Option<i64>;

    /// Is the address in the program of a rank, or in a library?
    fn is_in_module(&self, rank: i32, address: u64) -> bool;
}

impl Known for Engine {
    #[cold]
    fn kept_int(&self, rank: i32, repeat: &Repeat, place: Place) -> Option<i64> {
        let pattern = self.model.ranks.get(usize::try_from(rank).ok()?)?.kept(repeat)?;
        pattern.common_int(place)
    }

    fn is_in_module(&self, rank: i32, address: u64) -> bool {
        self.model.ranks.get(rank as usize).is_none_or(|r| r.places.is_in_module(address))
    }
}

impl MessageHalf {
    /// Tag and data of a half in a call that is like the one where it was found. `None`: nobody says it, or it is to be noted which
    /// variable its buffer is in.
    #[inline]
    pub(crate) fn filling(
        &self,
        call: CallSeen,
        whole: &WholeCalls,
        seen: &SeenBuffers,
        known: &impl Known,
    ) -> Option<Filling> {
        self.tag_and_filling(call, whole, seen, known)?.1
    }

    /// As [`MessageHalf::filling`], and the tag, if somebody says that.
    #[inline(always)]
    pub(crate) fn tag_and_filling(
        &self,
        call: CallSeen,
        whole: &WholeCalls,
        seen: &SeenBuffers,
        known: &impl Known,
    ) -> Option<(i64, Option<Filling>)> {
        let int = |detail: Detail| match (call, detail.own) {
            (CallSeen::Repeat(repeat), Some(own)) => repeat.varying.get(usize::from(own)).copied(),
            (CallSeen::Repeat(repeat), None) => match whole.0.get(&repeat.slot) {
                Some(ints) => ints.get(usize::from(detail.place)).copied().flatten(),
                None => known.kept_int(self.rank, repeat, detail.place),
            },
            (CallSeen::Whole(call), _) => call.ins.int(detail.place.into()),
            (CallSeen::Other, _) => None,
        };
        let (tag, count) = match self.persistent {
            Some(fixed) => fixed,
            None => (int(self.tag)?, int(self.count)?),
        };
        if let Some(buffers) = &self.known {
            let at = int(self.buffer)?;
            let got = if self.status == NONE { 0 } else { got(self, call) };
            let is_within = buffers.at.0 <= at && at <= buffers.at.1 && count <= buffers.count && got <= buffers.got;
            if !is_within && self.may_be_in_variable(buffers, at, known) && !seen.has(self, (at, count, got)) {
                return Some((tag, None));
            }
        }
        Some((tag, (count >= 0).then(|| Filling { tag, amount: self.one.times(count) })))
    }

    /// The engine was not given the call where it was found: nothing is known about its buffer.
    pub(super) fn forget_first_buffer(&mut self) {
        self.known.iter_mut().for_each(|known| known.at = (1, 0));
    }

    /// As [`crate::model::Model::note_buffers`] has it.
    fn may_be_in_variable(&self, buffers: &KnownBuffers, at: i64, known: &impl Known) -> bool {
        let Some((low, high)) = buffers.locals else { return true };
        let Some(address) = u64::try_from(at).ok().filter(|address| *address > 0) else { return false };
        (low..high).contains(&address) || known.is_in_module(self.rank, address)
    }

    /// Source and tag of the message that a receive has taken.
    pub(crate) fn taken(&self, call: CallSeen) -> Option<(i32, i32)> {
        let status = status_of(self.status, self.own_status, call)?;
        (status.source >= 0 && status.tag >= 0).then_some((status.source, status.tag))
    }

    /// How often its signature came in its data where it was found, and which signature it is.
    pub(crate) fn first_reps(&self) -> (u32, u64) {
        let count = self.persistent.map_or(self.first_buffer.1, |(_, count)| count);
        (self.one.sig, self.one.times(count).reps)
    }
}

/// A call that is looked at where it is.
#[derive(Clone, Copy)]
pub(crate) enum CallSeen<'a> {
    Whole(&'a Call<Args>),
    Repeat(&'a Repeat),
    /// It came whole, and has no message and is not kept.
    Other,
}

/// Is there anything in a call that comes whole that matters where laps are counted?
pub(crate) fn is_looked_into(call: &Call<Args>) -> bool {
    call.slot.is_some() || has_messages(call)
}

/// Is it a receive or a probe from any source, or of any tag?
pub(super) fn takes_what_it_likes(origin: &Origin) -> bool {
    let s = origin.arg_places;
    let is_open = |place, any: i32| origin.int(place) == Some(any.into());
    matches!(s.class, Class::Recv(_) | Class::Probe(_))
        && (is_open(s.peer, ANY_SOURCE) || is_open(s.tag, ANY_TAG) && !is_open(s.peer, PROC_NULL))
}

fn has_messages(call: &Call<Args>) -> bool {
    let class = arg_places(call.func).class;
    matches!(class, Class::Send(..) | Class::Recv(_) | Class::SendRecv(_) | Class::SendRecvReplace(_))
}

/// Messages of a call.
#[derive(Default)]
pub(crate) struct CallMessages {
    pub(crate) halves: SmallVec<[MessageHalf; 2]>,
    /// It has seen a message without receiving it: which one depends on the tags of all.
    pub(crate) probes: bool,
}

impl Engine {
    /// The messages of the call that the rank, which has one thread, made last. `None`: more than counts and tags decides
    /// what comes of the call.
    pub(crate) fn messages_of_last(&mut self, rank: i32) -> Option<CallMessages> {
        let r = self.model.ranks.get(usize::try_from(rank).ok()?)?;
        // The range of a buffer may reach into memory that is exposed; and lanes that are not counted say which thread used them.
        if !r.exposes.is_empty() || !r.has_one_thread() {
            return None;
        }
        let origin = r.threads.first()?.last.clone()?;
        self.messages_of(&origin)
    }

    /// The messages of a call of a rank with one thread: see [`Engine::messages_of_last`].
    pub(super) fn messages_of(&mut self, origin: &Origin) -> Option<CallMessages> {
        let s = origin.arg_places;
        let with_status = |half: Option<MessageHalf>| half.map(|half| MessageHalf { status: s.status, ..half });
        let mut messages = CallMessages::default();
        let halves = &mut messages.halves;
        match s.class {
            Class::Local | Class::Collective(..) | Class::Wait(_) => {}
            Class::Probe(Start::Blocking) => messages.probes = true,
            Class::StartOne | Class::StartAll => {
                let (base, handles) = origin.requests();
                for place in 0..handles.len() {
                    let requests = &self.model.ranks[origin.rank as usize].requests;
                    let request = requests.get(requests.certain(handles, base, place)?)?;
                    if !matches!(request.class, Class::Collective(..)) {
                        let (made, class) = (request.origin.clone(), request.class);
                        halves.push(self.half_of_persistent(&made, class)?);
                    }
                }
            }
            Class::Send(mode, Start::Blocking | Start::Nonblocking) if mode != SendMode::Buffered => {
                halves.push(self.half(origin, true, (s.peer, s.tag, s.send))?);
            }
            Class::Recv(Start::Blocking | Start::Nonblocking) => {
                halves.push(with_status(self.half(origin, false, (s.peer, s.tag, s.recv)))?);
            }
            Class::SendRecv(Start::Blocking | Start::Nonblocking)
            | Class::SendRecvReplace(Start::Blocking | Start::Nonblocking) => {
                halves.push(self.half(origin, true, (s.peer, s.tag, s.send))?);
                halves.push(with_status(self.half(origin, false, (s.peer2, s.tag2, s.recv)))?);
            }
            _ => return None,
        }
        Some(messages)
    }

    /// The halves of the call that the rank made last, as far as they are known, also of a receive that takes what it likes.
    pub(crate) fn halves_of_last(&mut self, rank: i32) -> SmallVec<[MessageHalf; 2]> {
        let last =
            usize::try_from(rank).ok().and_then(|rank| self.model.ranks.get(rank)?.threads.first()?.last.clone());
        match last {
            Some(origin) if takes_what_it_likes(&origin) => self.open_half(&origin).into_iter().collect(),
            _ => self.messages_of_last(rank).map(|messages| messages.halves).unwrap_or_default(),
        }
    }

    /// The half that is started with a request that this call has made.
    fn half_of_persistent(&mut self, made: &Origin, class: Class) -> Option<MessageHalf> {
        let s = made.arg_places;
        let (is_send, side) = match class {
            Class::Send(mode, _) if mode != SendMode::Buffered => (true, s.send),
            Class::Recv(_) => (false, s.recv),
            _ => return None,
        };
        let half = self.half(made, is_send, (s.peer, s.tag, side))?;
        let persistent = Some((half.first_tag, made.int(side.count)?));
        Some(MessageHalf { persistent, known: None, ..half })
    }

    /// `None`, too, of a receive that takes what it likes.
    fn half(&mut self, origin: &Origin, is_send: bool, (peer, tag, side): (Place, Place, Side)) -> Option<MessageHalf> {
        let is_open = |place, any: i32| origin.int(place) == Some(any.into());
        if is_open(peer, ANY_SOURCE) || is_open(tag, ANY_TAG) && !is_open(peer, PROC_NULL) {
            return None;
        }
        self.any_half(origin, is_send, (peer, tag, side))
    }

    /// The half of a receive that takes what it likes, without partner and tag.
    pub(super) fn open_half(&mut self, origin: &Origin) -> Option<MessageHalf> {
        let s = origin.arg_places;
        let half = self.any_half(origin, false, (s.peer, s.tag, s.recv))?;
        Some(MessageHalf { status: s.status, peer: None, ..half })
    }

    fn any_half(
        &mut self,
        origin: &Origin,
        is_send: bool,
        (peer, tag, side): (Place, Place, Side),
    ) -> Option<MessageHalf> {
        let ArgPlaces { comm, class, varying, .. } = *origin.arg_places;
        let s = origin.arg_places;
        let is_combined = matches!(class, Class::SendRecv(_) | Class::SendRecvReplace(_));
        let own = |own: Option<u8>| own.filter(|_| !is_combined);
        let datatype = origin.int(side.datatype)? as u32;
        let variables = &self.model.ranks[origin.rank as usize].variables;
        // A message to nobody is in no buffer.
        let is_looked_up = variables.is_told() && origin.int(peer)? as i32 != PROC_NULL;
        let known = is_looked_up.then(|| {
            let (at, count, got) = origin.known_buffers(side);
            let has_type = variables.kept.get(&(origin.site, side.buf)).is_some_and(|kept| kept.has_type(datatype));
            let is_typed = has_type || self.model.elements_of(origin.rank, datatype).is_none();
            let locals = is_typed.then(|| variables.locals(origin.site, origin.thread));
            KnownBuffers { at, count, got, locals }
        });
        let target = match origin.int(peer)? as i32 {
            ANY_SOURCE | PROC_NULL => None,
            _ => Some(self.model.target(origin, peer, tag, s)?),
        };
        let first_tag = origin.int(tag)?;
        let comm = match target {
            Some(target) => target.comm,
            None => self.model.resolve(origin, Kind::Comm, origin.int(comm)? as u32)?.ix,
        };
        let one = self.model.one(origin.rank, datatype)?;
        let status = origin.status_at(&origin.outs, s.status, 0).filter(|_| !is_send);
        let got = status.and_then(|status| status.bytes).unwrap_or(0);
        let first_buffer = (origin.int(side.buf).unwrap_or(0), origin.int(side.count).unwrap_or(0), got);
        (!self.model.comms.list[comm].is_foreign()).then_some(MessageHalf {
            rank: origin.rank,
            is_send,
            comm,
            peer: target.map(|target| target.peer),
            first_tag,
            one,
            tag: Detail { own: own(origin.own_tag), place: tag },
            count: Detail { own: own(origin.own_count), place: side.count },
            buffer: Detail { own: own(varying.argument(side.buf.into()).map(|at| at as u8)), place: side.buf },
            status: NONE,
            own_status: own(varying.status),
            persistent: None,
            known,
            site: origin.site,
            datatype,
            first_buffer,
        })
    }

    /// Are the two obviously one message, which is as it should be? See [`crate::model::Model::compare_pair`].
    #[inline]
    pub(crate) fn go_together(&self, sent: &Filling, room: &Filling) -> bool {
        sent.tag == room.tag
            && sent.tag >= 0
            && are_alike(sent.amount, room.amount)
            && !(self.model.short_sends && sent.amount.reps < room.amount.reps)
    }

    /// Is a message shorter than its receive a finding?
    pub(crate) fn minds_short_sends(&self) -> bool {
        self.model.short_sends
    }

    /// Where the program of a rank and its libraries are: from, and to.
    pub(crate) fn modules_of(&self, rank: i32) -> Vec<(u64, u64)> {
        usize::try_from(rank)
            .ok()
            .and_then(|rank| self.model.ranks.get(rank))
            .map_or_else(Vec::new, |r| r.places.ranges())
    }
}

/// Bytes that a receive says it got, where that differs from the call that it repeats.
fn got(half: &MessageHalf, call: CallSeen) -> u64 {
    status_of(half.status, half.own_status, call).and_then(|status| status.bytes).unwrap_or(0)
}

/// The status of a call, if it does not have it in common with those that it repeats.
fn status_of(place: Place, own: Option<u8>, call: CallSeen) -> Option<Status> {
    match (call, own) {
        (CallSeen::Repeat(repeat), Some(own)) => varying_status(own.into(), &repeat.varying),
        (CallSeen::Repeat(_), None) | (CallSeen::Other, _) => None,
        (CallSeen::Whole(call), _) => match call.outs.get(place.into()) {
            Arg::Status(status) => Some(status),
            _ => None,
        },
    }
}
