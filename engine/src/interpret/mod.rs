//! The effect of a call on its rank and on the run: at its start (operations begin), and at its return (operations end,
//! objects appear).

mod accesses;
mod attached;
mod bridges;
mod buffers;
mod completion;
mod conflicts;
mod epochs;
mod file_accesses;
mod files;
mod finalize;
mod forget;
mod infos;
mod locks;
mod news;
mod own_memory;
mod partitioned;
mod polls;
mod promises;
mod returns;
mod starts;
mod sums;
mod synchronizations;
mod system;
mod touched;
mod variables;

use crate::arg_places::{ArgPlaces, NONE};
use crate::collective::is_free;
use crate::model::Model;
use crate::state::{CommKey, Entered, Misused, OpenCall, Origin, Pattern, Request};
use std::cell::Cell;
use std::rc::Rc;
use trace_format::definition::Id;
use trace_format::mpi::predefined::{UNKNOWN_ERROR_CLASS, error_class_name};
use trace_format::mpi::{Class, Kind, SendMode, Start};
use trace_reader::args::{Arg, Args};
use trace_reader::call::{Call, Outcome};
use trace_reader::reader::Repeat;

/// May a receive that ended with this error class have taken a message?
pub(crate) fn may_have_received(class: u16) -> bool {
    let received = matches!(error_class_name(class), "MPI_ERR_TRUNCATE" | "MPI_ERR_IN_STATUS");
    class == 0 || class == UNKNOWN_ERROR_CLASS || received
}

/// Does this error class of a collective call say that its arguments were refused, before anything was sent?
pub(crate) fn is_refused(class: u16) -> bool {
    let arguments = ["BUFFER", "COUNT", "TYPE", "COMM", "ROOT", "OP", "ARG"];
    error_class_name(class).strip_prefix("MPI_ERR_").is_some_and(|name| arguments.contains(&name))
}

/// When a call ended, as far as that is known.
fn end_of(outcome: Outcome, polls: u32, (time, t_return): (u64, u64)) -> u64 {
    match outcome {
        Outcome::Open => u64::MAX,
        // Several calls in one record: when each of them was is not known.
        Outcome::Returned(_) if polls > 0 => time,
        Outcome::Returned(_) => t_return,
    }
}

impl Model {
    /// A call that is open or has returned.
    pub(crate) fn call(&mut self, rank: i32, call: &mut Call<Args>) {
        let Call { thread, index, outcome, t_call, t_return, .. } = *call;
        let pattern = self.keep(rank, call);
        let (time, end) = (t_call, Cell::new(end_of(outcome, pattern.polls, (t_call, t_return))));
        let varying = pattern.varying();
        let origin = self.origin(Origin { rank, time, end, thread, index, varying, pattern });
        self.made(origin, outcome, t_return);
    }

    /// Keeps the values that a call has in common with others, if it says where. What is left of it means nothing.
    pub(crate) fn keep(&mut self, rank: i32, call: &mut Call<Args>) -> Rc<Pattern> {
        let pattern = self.pattern(call);
        if let Some(place) = call.slot.map(usize::from) {
            let kept = &mut self.ranks[rank as usize].thread(call.thread).kept;
            if kept.len() <= place {
                kept.resize(place + 1, None);
            }
            kept[place] = Some(pattern.clone());
        }
        pattern
    }

    /// A call that repeats a kept one.
    #[inline]
    pub(crate) fn repeat(&mut self, rank: i32, repeat: &Repeat) {
        let Repeat { slot, thread, class, index, t_call, t_return, varying } = *repeat;
        let kept = &self.ranks[rank as usize].thread(thread).kept;
        let Some(pattern) = kept.get(usize::from(slot)).cloned().flatten() else {
            debug_assert!(false, "call {index} of rank {rank} repeats one that was not kept");
            return self.lose_sight();
        };
        pattern.comes_again();
        let outcome = Outcome::Returned(class);
        let (time, end) = (t_call, Cell::new(end_of(outcome, pattern.polls, (t_call, t_return))));
        let origin = self.origin(Origin { rank, time, end, thread, index, varying, pattern });
        self.made(origin, outcome, t_return);
    }

    fn made(&mut self, origin: Rc<Origin>, outcome: Outcome, t_return: u64) {
        let Origin { rank, time, thread, .. } = *origin;
        let (polls, s) = (origin.polls, origin.arg_places);
        let r = &mut self.ranks[rank as usize];
        r.calls += 1 + u64::from(polls);
        r.events += 1;
        r.now = r.now.max(time);
        let is_late = r.finalize.is_some();
        let before = r.thread(thread).last.replace(origin.clone());
        if !matches!(s.class, Class::Abort) {
            r.went_on = r.went_on.max(time);
            // It handles the signal. Of which thread that was may be unknown.
            let alone = r.threads.len() == 1;
            r.signal.take_if(|s| s.thread.map_or(alone, |t| t == thread));
        }
        before.into_iter().for_each(|before| self.recycle(before));
        if is_late {
            self.after_finalize(&origin);
        }
        if self.ranks[rank as usize].variables.is_told() && origin.is_new_buffer() {
            let outs = matches!(outcome, Outcome::Returned(_)).then_some(&origin.outs);
            self.note_buffers(&origin, outs);
        }
        match outcome {
            Outcome::Open => {
                let entered = self.enter(&origin, s, None);
                self.ranks[rank as usize].thread(thread).open.push(OpenCall { origin, entered });
            }
            Outcome::Returned(class) => {
                let r = &mut self.ranks[rank as usize];
                r.events += 1;
                let plain = class == 0 && !r.sums && !self.blind && !self.listeners.is_on();
                if plain && r.thread(thread).polls.all().is_empty() && self.quick(&origin, s) {
                    return;
                }
                let entered = self.enter(&origin, s, Some(class));
                let outs = &origin.outs;
                self.leave(&origin, s, entered, class, outs);
                self.hear_return(&origin, polls, (class, t_return), outs);
                if !self.blind {
                    self.note_poll(&origin, entered, class != 0, outs, 1 + u64::from(polls));
                }
            }
        }
    }

    /// A call of the kinds that are made most often, which has returned without an error: what [`Model::enter`] and
    /// [`Model::leave`] do with it. False for other calls.
    #[inline]
    fn quick(&mut self, origin: &Rc<Origin>, s: &ArgPlaces) -> bool {
        let (mut send, mut recv) = (None, None);
        match s.class {
            Class::Local if !s.hands_out && !s.is_of_files && (s.win, s.info) == (NONE, NONE) => return true,
            // Its buffer may be in memory that others access.
            _ if !self.ranks[origin.rank as usize].exposes.is_empty() => return false,
            Class::Send(mode, Start::Nonblocking) => send = self.start_send(origin, None, s, mode),
            Class::Recv(Start::Nonblocking) => recv = self.start_recv(origin, None, s.peer, s.tag, s),
            _ => return false,
        }
        let mut request = Request::new(origin, s.class);
        (request.send, request.recv) = (send, recv);
        self.add_request(request, &origin.outs);
        true
    }

    /// The return of an open call. `(time, polls)`: when, and how many more polls with the same answer were counted in
    /// its record meanwhile, the last of which ended then.
    pub(crate) fn return_of(
        &mut self,
        rank: i32,
        thread: u16,
        index: u64,
        (time, polls): (u64, u32),
        class: u16,
        outs: &Args,
    ) {
        let r = &mut self.ranks[rank as usize];
        r.events += 1;
        r.calls += u64::from(polls);
        r.now = r.now.max(time);
        let open = &mut self.ranks[rank as usize].thread(thread).open;
        // The innermost call returns; those that were left by a jump pile up in front.
        let Some(place) = open.iter().rposition(|o| o.origin.index == index) else {
            return self.note_repeated(rank, thread, index, polls.into());
        };
        let OpenCall { origin, entered } = open.remove(place);
        if self.ranks[rank as usize].variables.is_told() {
            self.note_buffers(&origin, Some(outs));
        }
        if let Some(discovery) = self.ranks[rank as usize].discoveries.last_mut() {
            discovery.has_returned(&origin, outs);
        }
        // Nobody knows what happened between the polls: the first of them says nothing of a time.
        origin.end.set(if polls > 0 { origin.time } else { time });
        self.leave(&origin, origin.arg_places, entered, class, outs);
        self.hear_return(&origin, polls, (class, time), outs);
        if !self.blind {
            self.note_poll(&origin, entered, class != 0, outs, 1 + u64::from(polls));
        }
    }

    /// The start of a call. `class`: its result, where it is known already.
    fn enter(&mut self, origin: &Rc<Origin>, s: &ArgPlaces, class: Option<u16>) -> Entered {
        let mut entered = Entered::default();
        self.listeners.begin(origin);
        if self.blind && !matches!(s.class, Class::Finalize | Class::Abort) {
            return entered;
        }
        self.notify_unseen(s.class);
        // A call that failed started nothing; a receive that found its message too long has taken it.
        let failed = class.is_some_and(|c| c != 0);
        let received = class.is_none_or(may_have_received);
        if s.file != NONE {
            self.enter_file_call(origin, s);
        }
        match s.class {
            Class::Send(mode, Start::Blocking | Start::Nonblocking) if !failed => {
                entered.send = self.start_send(origin, None, s, mode);
            }
            Class::Recv(Start::Blocking | Start::Nonblocking) if received => {
                entered.recv = self.start_recv(origin, None, s.peer, s.tag, s);
            }
            Class::SendRecv(_) | Class::SendRecvReplace(_) if received => {
                entered.send = self.start_send(origin, None, s, SendMode::Standard);
                entered.recv = self.start_recv(origin, None, s.peer2, s.tag2, s);
            }
            Class::Collective(coll, Start::Blocking | Start::Nonblocking) => {
                if let Some(m) = self.collective_object(origin, s) {
                    let r = &mut self.ranks[origin.rank as usize];
                    r.collectives += 1;
                    if is_free(coll) && !failed {
                        r.frees.note(m.ix, origin);
                        self.notify_freed(origin, s, m);
                    }
                    if !class.is_some_and(is_refused) {
                        entered.collective = Some((m.ix, self.arrive(m.ix, m.position, origin, None), m.position));
                    }
                }
            }
            Class::CommCreateGroup | Class::CommFromGroup => {
                let rank = origin.rank;
                let group = origin.int(s.group).unwrap_or(0) as Id;
                let most = self.ranks.len();
                let objects = &mut self.ranks[rank as usize].objects;
                if let Some(ranks) = objects.groups.get(&group).filter(|g| g.len() <= most).cloned() {
                    let id = origin.int(s.comm);
                    let parent =
                        id.and_then(|id| self.comms.resolve(rank, objects, Kind::Comm, id as Id)).map(|m| m.ix);
                    let tag = origin.int(s.tag).unwrap_or(0);
                    let text = match origin.value(s.text) {
                        Arg::Str(text) => text.to_owned(),
                        _ => String::new(),
                    };
                    let key = CommKey::GroupCalls { parent, ranks, tag, text };
                    if let Some(m) = self.comms.group_calls(rank, key) {
                        entered.collective = Some((m.ix, self.arrive(m.ix, m.position, origin, None), m.position));
                    }
                }
            }
            Class::IntercommCreate | Class::IntercommFromGroups => self.enter_bridge(origin, s, &mut entered),
            Class::StartOne | Class::StartAll => {
                let (base, handles) = origin.requests();
                for i in 0..handles.len() {
                    let requests = &self.ranks[origin.rank as usize].requests;
                    if let Some(id) = requests.find_in(handles, base, i) {
                        self.start_persistent(origin, id);
                    }
                }
            }
            Class::Wait(_) | Class::Test(_) if self.has_threads(origin.rank) => self.claim(origin),
            Class::Probe(Start::Blocking) | Class::Mprobe(Start::Blocking) if class.is_none() => {
                entered.target = self.target(origin, s.peer, s.tag, s);
            }
            // At its start: the message is there, and what is wrong with its size may keep the call from returning.
            Class::Mrecv(Start::Blocking) => self.matched_recv(origin, s, Start::Blocking, false, &Args::default()),
            Class::RmaSync(sync) => entered.window = self.enter_epoch(origin, sync),
            // At its start: the library may end the program instead of returning.
            Class::Rma | Class::RmaRequest if class.is_none() => {
                entered.is_range_known = self.begin_access(origin, s);
            }
            // At its start: whoever waits may return before it does.
            Class::GrequestComplete => self.grequest_complete(origin),
            Class::Finalize => self.begin_finalize(origin),
            Class::Abort => self.ranks[origin.rank as usize].abort = Some(origin.clone()),
            _ => {}
        }
        entered
    }

    /// A thread begins to complete requests: no other may be about it.
    fn claim(&mut self, origin: &Rc<Origin>) {
        let (base, handles) = origin.requests();
        for i in 0..handles.len() {
            let requests = &mut self.ranks[origin.rank as usize].requests;
            let Some(id) = requests.certain(handles, base, i) else { continue };
            let Some(request) = requests.get_mut(id).filter(|r| r.active) else { continue };
            let what = Misused::Request(request.start.as_ref().unwrap_or(&request.origin).clone());
            if let Some(first) = request.rare().claim.replace(origin.clone()) {
                self.note_use(what, &first, origin);
            }
        }
    }
}
