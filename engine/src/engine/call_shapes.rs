//! The deeds of a call, as far as they matter where no finding is made: its messages, the collective operation that it takes
//! part in, the request that it makes. For stretches of a run that the engine need not be given ([`crate::read_ahead`]).

use super::message_halves::takes_what_it_likes;
use super::snapshot::is_plain;
use super::{CallMessages, Engine, MessageHalf};
use crate::state::{CommIx, Origin, Pattern, Rank};
use std::cell::Cell;
use std::rc::Rc;
use trace_format::mpi::special::{ANY_SOURCE, PROC_NULL};
use trace_format::mpi::{Class, Kind, SendMode, Start, Status};
use trace_reader::args::Args;
use trace_reader::call::Call;
use trace_reader::reader::Repeat;

/// The deed of a call.
pub(crate) enum Act {
    /// Nothing that others notice, or a message to nobody.
    Nothing,
    /// It begins these: a send, a receive, or one of each.
    Messages(Box<[MessageHalf]>),
    /// It receives a message, from this rank or from the source that its status tells, with the tag that this tells.
    Open(Box<MessageHalf>, Option<i32>),
    /// It waits for a message on a communicator, and leaves it there: from this rank, with this tag, or as its status tells.
    Probe(CommIx, Option<(i32, i64)>, Option<Status>),
    /// It takes part in the next collective operation of the communicator, at this place of it.
    Collective(CommIx, u32),
}

/// A value of a call: one of the varying ones of its repeats, or what it has in common with them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Own {
    own: Option<u8>,
    common: i64,
}

impl Own {
    pub(crate) fn new(own: Option<u8>, common: i64) -> Own {
        Own { own, common }
    }

    #[inline]
    pub(crate) fn of(self, repeat: Option<&Repeat>) -> i64 {
        let own = self.own.and_then(|own| repeat?.varying.get(usize::from(own)).copied());
        own.unwrap_or(self.common)
    }
}

/// The deed of the calls of one slot, and its traces.
pub(crate) struct Shape {
    pub(crate) act: Act,
    /// Variable and handle of the request that it makes; `None`: it waits for what it begins.
    pub(crate) made: Option<(Own, Own)>,
    /// Sends and receives with a partner, collective operations, and receives and probes that take what they like.
    pub(crate) counts: [u64; 4],
}

impl Shape {
    /// Do all calls do this that differ in details alone?
    pub(crate) fn is_of_all_alike(&self) -> bool {
        let tells_by_itself = matches!(self.act, Act::Probe(..));
        !tells_by_itself && self.made.is_none_or(|(variable, handle)| variable.own.is_some() && handle.own.is_some())
    }
}

impl Engine {
    /// May calls be left out where nothing is under way? Windows need the order of all calls, and a request that is left in its
    /// variable may be taken for another one.
    pub(crate) fn may_leave_out(&self) -> bool {
        let has_none = |r: &Rank| r.requests.iter().all(|request| !request.active);
        self.may_leap() && self.model.windows.is_empty() && self.model.ranks.iter().all(has_none)
    }

    /// The shape of a call that the engine was not given. `None`: it does more than can be said here. `is_known`: calls that differ
    /// from it in details alone are sound.
    pub(crate) fn shape_of_whole(&mut self, rank: i32, call: &Call<Args>, is_known: bool) -> Option<Shape> {
        let pattern = Rc::new(Pattern::new(call.func, call.site, call.ins.clone(), call.outs.clone(), call.polls));
        let mut shape = self.shape(rank, call.thread, pattern)?;
        if is_known {
            match &mut shape.act {
                Act::Messages(halves) => halves.iter_mut().for_each(MessageHalf::forget_first_buffer),
                Act::Open(half, _) => half.forget_first_buffer(),
                Act::Nothing | Act::Probe(..) | Act::Collective(..) => {}
            }
        }
        Some(shape)
    }

    /// The shape of calls that repeat one that the engine was given, and that call.
    pub(crate) fn shape_of_kept(&mut self, rank: i32, repeat: &Repeat) -> Option<(Option<Shape>, Call<Args>)> {
        let r = self.model.ranks.get(usize::try_from(rank).ok()?)?;
        let thread = r.threads.iter().find(|thread| thread.number == repeat.thread)?;
        let pattern = thread.kept.get(usize::from(repeat.slot))?.clone()?;
        let call = pattern.as_call();
        Some((self.shape(rank, repeat.thread, pattern), call))
    }

    fn shape(&mut self, rank: i32, thread: u16, pattern: Rc<Pattern>) -> Option<Shape> {
        let r = self.model.ranks.get(usize::try_from(rank).ok()?)?;
        if !r.exposes.is_empty() || !r.has_one_thread() || pattern.polls > 0 || !is_plain(pattern.arg_places) {
            return None;
        }
        let made = pattern.made_places();
        let varying = pattern.varying();
        let origin = Origin { rank, time: 0, end: Cell::new(0), thread, index: 0, varying, pattern };
        let s = origin.arg_places;
        let act = match s.class {
            Class::Local => Act::Nothing,
            Class::Collective(..) => {
                let member = self.model.collective_object(&origin, s)?;
                let comm = &self.model.comms.list[member.ix];
                if comm.is_foreign() || comm.b.is_some() {
                    return None;
                }
                Act::Collective(member.ix, member.position)
            }
            Class::Send(SendMode::Ready, _) | Class::Wait(_) | Class::StartOne | Class::StartAll => return None,
            Class::Probe(_) => self.probe_of(&origin)?,
            Class::Recv(start) if takes_what_it_likes(&origin) => {
                if start != Start::Blocking {
                    return None;
                }
                let half = self.open_half(&origin)?;
                // The engine minds receives and probes there that take what they like: see `Model::notify_start`.
                if self.model.comms.list[half.comm].made_wrongly {
                    return None;
                }
                let named = match origin.int(s.peer) == Some(ANY_SOURCE.into()) {
                    true => None,
                    false => Some(self.model.target(&origin, s.peer, s.tag, s)?.peer),
                };
                Act::Open(Box::new(half), named)
            }
            Class::SendRecv(start) | Class::SendRecvReplace(start) if start != Start::Blocking => return None,
            _ => {
                let CallMessages { mut halves, probes: false } = self.messages_of(&origin)? else { return None };
                halves.retain(|half| half.peer.is_some());
                if halves.is_empty() { Act::Nothing } else { Act::Messages(halves.into_vec().into()) }
            }
        };
        let begins = match s.class {
            Class::Send(_, start) | Class::Recv(start) | Class::Collective(_, start) => start == Start::Nonblocking,
            _ => false,
        };
        let made = begins.then(|| {
            let (variable, handle) = origin.new_request(&origin.outs);
            (Own::new(made.0, variable as i64), Own::new(made.1, handle))
        });
        let mut counts = [0; 4];
        counts[3] = u64::from(takes_what_it_likes(&origin) && !matches!(act, Act::Nothing));
        match &act {
            Act::Messages(halves) => halves.iter().for_each(|half| counts[usize::from(!half.is_send)] += 1),
            Act::Collective(..) => counts[2] = 1,
            Act::Open(..) => counts[1] = 1,
            Act::Nothing | Act::Probe(..) => {}
        }
        Some(Shape { act, made, counts })
    }

    /// A probe with a result.
    fn probe_of(&mut self, origin: &Origin) -> Option<Act> {
        let s = origin.arg_places;
        if origin.int(s.peer) == Some(PROC_NULL.into()) {
            return Some(Act::Nothing);
        }
        let comm = self.model.resolve(origin, Kind::Comm, origin.int(s.comm)? as u32)?.ix;
        let named = match takes_what_it_likes(origin) {
            true => None,
            false => {
                let target = self.model.target(origin, s.peer, s.tag, s)?;
                Some((target.peer, target.tag.into()))
            }
        };
        let made = &self.model.comms.list[comm];
        let is_told = !made.is_foreign() && !made.made_wrongly;
        is_told.then(|| Act::Probe(comm, named, origin.status_at(&origin.outs, s.status, 0)))
    }

    /// World rank of the process that a rank knows by this number on a communicator.
    pub(crate) fn peer(&self, comm: CommIx, rank: i32, number: i32) -> Option<i32> {
        let comm = self.model.comms.list.get(comm)?;
        comm.peers(comm.position(rank)?).get(number)
    }

    /// Bytes from one element of an array of requests of a rank to the next.
    pub(crate) fn request_stride(&self, rank: i32) -> u64 {
        usize::try_from(rank).ok().and_then(|rank| self.model.ranks.get(rank)).map_or(8, |r| r.requests.stride)
    }

    /// The ranks of a communicator, by their places in it.
    pub(crate) fn members(&self, comm: CommIx) -> Vec<i32> {
        self.model.comms.list[comm].members().collect()
    }
}
