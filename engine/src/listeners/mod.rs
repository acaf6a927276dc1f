//! The engine tells of a run beside findings, to those who count or draw it: calls, messages, collective operations,
//! communicators. Nothing is kept for them if nobody listens.

use crate::arg_places::arg_places;
use crate::clocks::Clock;
pub use crate::state::{CallSeen, Half};
use crate::state::{Instance, Origin, Part};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use trace_format::mpi::{Kind, special};
use trace_format::ranks::Ranks;
use trace_format::system::SystemEvent;
use trace_reader::args::Args;

/// Takes what happened, rank by rank in each rank's order; ranks in any interleaving.
///
/// Times are in ticks of the rank that they are about; see [`Listener::introduce`].
pub trait Listener: Send {
    /// The clock of a rank. Comes before anything else about it.
    fn introduce(&mut self, _rank: i32, _host: &str, _clock: Clock) {}
    /// A call has returned, or the run ended in it ([`CallSeen::end`] is `None`).
    fn call(&mut self, _call: &Returned) {}
    /// A message was sent and received, both sides are done with it or the run is over.
    fn message(&mut self, _message: &Message) {}
    /// A send or receive without its other half at the end of the run.
    fn alone(&mut self, _half: &Half, _is_send: bool) {}
    /// All processes are done with a collective operation, or the run is over.
    fn collective(&mut self, _collective: &Collective) {}
    /// A communicator, window or file, at the end of the run or earlier. It may come again; the last word counts.
    fn communicator(&mut self, _communicator: &Communicator) {}
    /// An event of a rank's trace beside its calls: annotations of the program, samples, signals.
    fn system(&mut self, _rank: i32, _thread: u16, _time: u64, _event: &SystemEvent) {}
}

/// The caller of the engine keeps a clone to read what was collected.
impl<T: Listener> Listener for Arc<Mutex<T>> {
    fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        self.lock().unwrap_or_else(PoisonError::into_inner).introduce(rank, host, clock);
    }

    fn call(&mut self, call: &Returned) {
        self.lock().unwrap_or_else(PoisonError::into_inner).call(call);
    }

    fn message(&mut self, message: &Message) {
        self.lock().unwrap_or_else(PoisonError::into_inner).message(message);
    }

    fn alone(&mut self, half: &Half, is_send: bool) {
        self.lock().unwrap_or_else(PoisonError::into_inner).alone(half, is_send);
    }

    fn collective(&mut self, collective: &Collective) {
        self.lock().unwrap_or_else(PoisonError::into_inner).collective(collective);
    }

    fn communicator(&mut self, communicator: &Communicator) {
        self.lock().unwrap_or_else(PoisonError::into_inner).communicator(communicator);
    }

    fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        self.lock().unwrap_or_else(PoisonError::into_inner).system(rank, thread, time, event);
    }
}

/// Several listeners, each of which is told everything.
impl Listener for Vec<Box<dyn Listener>> {
    fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        self.iter_mut().for_each(|l| l.introduce(rank, host, clock));
    }

    fn call(&mut self, call: &Returned) {
        self.iter_mut().for_each(|l| l.call(call));
    }

    fn message(&mut self, message: &Message) {
        self.iter_mut().for_each(|l| l.message(message));
    }

    fn alone(&mut self, half: &Half, is_send: bool) {
        self.iter_mut().for_each(|l| l.alone(half, is_send));
    }

    fn collective(&mut self, collective: &Collective) {
        self.iter_mut().for_each(|l| l.collective(collective));
    }

    fn communicator(&mut self, communicator: &Communicator) {
        self.iter_mut().for_each(|l| l.communicator(communicator));
    }

    fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        self.iter_mut().for_each(|l| l.system(rank, thread, time, event));
    }
}

/// A call with what it was given and answered.
#[derive(Debug)]
pub struct Returned<'a> {
    pub call: CallSeen,
    /// How many more times the same poll was made with the same negative answer. The times are those of the whole row.
    pub polls: u32,
    /// Error class as in [`trace_reader::call::Outcome::Returned`]; 0 is success. `None`: it did not return.
    pub class: Option<u16>,
    /// When the call, or the last of its polls, returned.
    pub last: Option<u64>,
    /// The bytes that it sends, or says to have received; `None`: neither, or it is not known.
    pub bytes: Option<u64>,
    pub ins: &'a Args,
    pub outs: &'a Args,
}

/// A send and the receive that got it.
#[derive(Debug, Clone, Copy)]
pub struct Message {
    pub send: Half,
    pub recv: Half,
}

impl Message {
    /// A send says what the receive from anybody left open.
    pub(crate) fn of(send: Half, recv: Half) -> Message {
        Message { send, recv: Half { peer: send.call.rank, tag: send.tag, ..recv } }
    }
}

/// A collective operation with the parts that came, by their place in the communicator.
#[derive(Debug)]
pub struct Collective<'a> {
    pub comm: u32,
    pub parts: &'a [Half],
    /// Processes of the communicator.
    pub size: usize,
}

/// A communicator, window or file of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Communicator {
    /// Never given to another one.
    pub number: u32,
    pub kind: Kind,
    pub name: Option<String>,
    /// World ranks (see [`crate::worlds`]) in the order of the group.
    pub ranks: Ranks,
    /// The other group of an intercommunicator.
    pub remote: Option<Ranks>,
}

/// The listeners.
#[derive(Default)]
pub(crate) struct Listeners {
    pub(crate) listener: Option<Box<dyn Listener>>,
    /// The call that begins or returns just now.
    pub(crate) now: Option<Rc<Origin>>,
}

impl Listeners {
    pub(crate) fn listen(&mut self, listener: Box<dyn Listener>) {
        self.listener = Some(listener);
    }

    pub(crate) fn is_on(&self) -> bool {
        self.listener.is_some()
    }

    pub(crate) fn introduce(&mut self, rank: i32, host: &str, clock: Clock) {
        self.listener.iter_mut().for_each(|l| l.introduce(rank, host, clock));
    }

    pub(crate) fn system(&mut self, rank: i32, thread: u16, time: u64, event: &SystemEvent) {
        self.listener.iter_mut().for_each(|l| l.system(rank, thread, time, event));
    }

    /// Operations that end now end in this call.
    pub(crate) fn begin(&mut self, origin: &Rc<Origin>) {
        if self.is_on() {
            self.now = Some(origin.clone());
        }
    }

    /// The call that ends what ends now, if anybody wants to know.
    pub(crate) fn ending_call(&self) -> Option<Rc<Origin>> {
        self.now.clone()
    }

    /// A call has returned, the last of its polls at `last`.
    pub(crate) fn returned(
        &mut self,
        origin: &Origin,
        polls: u32,
        (class, last): (u16, u64),
        bytes: Option<u64>,
        outs: &Args,
    ) {
        if let Some(listener) = &mut self.listener {
            let (call, class, last) = (CallSeen::new(origin), Some(class), Some(last));
            listener.call(&Returned { call, polls, class, last, bytes, ins: origin.common_ins(), outs });
        }
    }

    /// The call of now ends nothing that the program would learn of; the answer is for [`Listeners::go_on`].
    pub(crate) fn look_away(&mut self) -> Option<Rc<Origin>> {
        self.now.take()
    }

    pub(crate) fn go_on(&mut self, now: Option<Rc<Origin>>) {
        self.now = now;
    }

    /// A collective operation is over. `group` knows which process the one at a place calls by a rank.
    pub(crate) fn over(&mut self, comm: u32, instance: &Instance, group: &dyn Fn(u32, i32) -> Option<i32>) {
        let Some(listener) = &mut self.listener else { return };
        let half = |(position, part): (usize, &Part)| Half {
            call: CallSeen::new(part.shown()),
            ended: part.ended.as_deref().map(CallSeen::new),
            bytes: None,
            comm,
            peer: match part.call.int(arg_places(part.call.func).root).and_then(|r| i32::try_from(r).ok()) {
                Some(special::ROOT) => part.call.rank,
                Some(root) => group(position as u32, root).unwrap_or(-1),
                None => -1,
            },
            tag: 0,
        };
        let parts = instance.parts.iter().enumerate().filter_map(|(i, p)| Some((i, p.as_ref()?)));
        let parts: Vec<Half> = parts.map(half).collect();
        listener.collective(&Collective { comm, parts: &parts, size: instance.parts.len() });
    }
}
