//! The state of one rank.

use super::accesses::ExposedMemory;
use super::buffers::Buffers;
use super::call::{Origin, Pattern};
use super::comms::Objects;
use super::entered::Entered;
use super::files::Files;
use super::frees::Frees;
use super::handles::Handles;
use super::hints::Hints;
use super::op::OpId;
use super::order::News;
use super::places::Places;
use super::polls::Polls;
use super::requests::Requests;
use super::site::Site;
use super::untimely::Untimely;
use super::variables;
use crate::arg_places::NONE;
use crate::clocks::Clock;
use crate::types::Amount;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use trace_format::catalogue::{BUFFER_TOO_SMALL, CheckInfo, LEAK_WINDOW};
use trace_format::definition::Id;
use trace_format::finding::Severity;
use trace_format::mpi::{Class, FnId, Kind, ThreadLevel};
use trace_format::system::{Checksums, Found, NO_FUNCTION, Place, Signal};
use trace_reader::args::Args;
use trace_reader::reader::Repeat;
use trace_reader::reader::Varying;
use typemap::Typemap;

const SIGABRT: i32 = 6;

/// A call that has not returned.
pub(crate) struct OpenCall {
    pub(crate) origin: Rc<Origin>,
    pub(crate) entered: Entered,
}

/// One thread of a rank.
#[derive(Default)]
pub(crate) struct Thread {
    pub(crate) number: u16,
    pub(crate) open: Vec<OpenCall>,
    /// The last call, open or returned.
    pub(crate) last: Option<Rc<Origin>>,
    /// The last one that returned an error: what is said of it stands behind the calls that callbacks made in it.
    pub(crate) failed: Option<Rc<Origin>>,
    /// Taken in calls that have not returned.
    pub(crate) sums: Vec<Checksums>,
    pub(crate) polls: Polls,
    /// Calls that others are like: see [`trace_reader::reader::Sink`].
    pub(crate) kept: Vec<Option<Rc<Pattern>>>,
}

/// An error that the MPI library reported.
#[derive(Debug, Clone)]
pub(crate) struct MpiError {
    pub(crate) call: Option<Rc<Origin>>,
    pub(crate) class: u16,
    pub(crate) fatal: bool,
    pub(crate) text: String,
}

/// A call that the level of thread support forbids.
#[derive(Debug, Clone)]
pub(crate) struct Breach {
    pub(crate) call: Rc<Origin>,
    pub(crate) level: ThreadLevel,
    /// The thread that was in a call at the same time, and that call.
    pub(crate) other: Option<(u16, Option<Rc<Origin>>)>,
}

/// A finding of a check in the process.
#[derive(Debug, Clone)]
pub(crate) struct Discovery {
    pub(crate) check: &'static CheckInfo,
    pub(crate) message: String,
    pub(crate) sites: Vec<Site>,
    pub(crate) notes: Vec<String>,
    pub(crate) count: u64,
    /// Thread and number of the call that was being made.
    pub(crate) at: (u16, u64),
    /// The bytes that this call has received, where that is known.
    pub(crate) got: Option<u64>,
}

impl Discovery {
    /// Was it a call to do something with a file? Its errors end no program unless this asks for it (MPI 4.1, 14.7).
    pub(crate) fn is_about_file(&self) -> bool {
        let call = self.sites.first().and_then(|site| site.call.as_ref());
        call.is_some_and(|c| crate::arg_places::arg_places(c.func).file != NONE)
    }

    /// The call of MPI_Finalize that was about to be made, of a leak that was known then.
    pub(crate) fn ahead(&self) -> Option<&Rc<Origin>> {
        let last = self.sites.get(1..)?.last()?.call.as_ref()?;
        (self.check == &LEAK_WINDOW && last.func.row().class == Class::Finalize).then_some(last)
    }

    /// A call has returned, perhaps the one that was being made.
    pub(crate) fn has_returned(&mut self, call: &Origin, outs: &Args) {
        if self.check == &BUFFER_TOO_SMALL && self.is_at(call) {
            self.got = call.status_at(outs, call.arg_places.status, 0).and_then(|status| status.bytes);
        }
    }

    /// Was it this call that was being made?
    pub(crate) fn is_at(&self, call: &Origin) -> bool {
        self.at == (call.thread, call.index)
    }
}

/// Everything about one rank.
#[derive(Default)]
pub(crate) struct Rank {
    pub(crate) objects: Objects,
    pub(crate) handles: Handles,
    pub(crate) requests: Requests,
    pub(crate) buffers: Buffers,
    pub(crate) frees: Frees,
    /// Buffers that may lie in variables of the program.
    pub(crate) variables: variables::Buffers,
    pub(crate) threads: Vec<Thread>,
    /// Messages taken by matched probes, by handle.
    pub(crate) messages: FxHashMap<i64, Vec<OpId>>,
    /// MPI_THREAD_MULTIPLE: threads that have made no call yet may make one at any time.
    pub(crate) multiple: bool,
    /// MPI_THREAD_SINGLE or MPI_THREAD_FUNNELED: no other thread may make calls.
    pub(crate) funneled: bool,
    /// Time of the last event.
    pub(crate) now: u64,
    /// When the system last said something of it: that it ended.
    pub(crate) heard: u64,
    /// When it made its last call other than MPI_Abort, with which a handler of a fatal signal may end the job.
    pub(crate) went_on: u64,
    /// Ticks that clocks of two processors may differ by, at most.
    pub(crate) slack: u64,
    /// How its ticks are read.
    pub(crate) clock: Clock,
    /// It takes checksums of what it sends and receives.
    pub(crate) sums: bool,
    /// Calls that the level of thread support forbids.
    pub(crate) breaches: Vec<Breach>,
    /// Processes of other worlds that it has met.
    pub(crate) met: FxHashSet<i32>,
    /// Calls in which it may have learned of what other processes did, once there are windows.
    pub(crate) learned: u64,
    /// The info objects that say something of windows.
    pub(crate) infos: FxHashMap<Id, Hints>,
    /// Memory of its own that others may access.
    pub(crate) exposes: ExposedMemory,
    /// The news that the call brings which is returning.
    pub(crate) news: Vec<News>,
    /// Sessions that are open.
    pub(crate) sessions: u32,
    pub(crate) types: FxHashMap<Id, Amount>,
    pub(crate) extents: FxHashMap<Id, i64>,
    /// Typemaps of its derived datatypes, where the trace says them.
    pub(crate) typemaps: FxHashMap<Id, Arc<Typemap>>,
    pub(crate) names: FxHashMap<(Kind, Id), String>,
    pub(crate) places: Places,
    pub(crate) initialized: bool,
    /// The function that started MPI.
    pub(crate) start: Option<FnId>,
    /// The thread that called it: the main one.
    pub(crate) main_thread: Option<u16>,
    /// The last MPI_Finalize, and the first.
    pub(crate) finalize: Option<Rc<Origin>>,
    pub(crate) first_finalize: Option<Rc<Origin>>,
    /// Calls of other threads that may have been made during MPI_Finalize.
    pub(crate) untimely: Vec<Untimely>,
    pub(crate) finalized: bool,
    pub(crate) exit: Option<i32>,
    pub(crate) signal: Option<Signal>,
    pub(crate) abort: Option<Rc<Origin>>,
    pub(crate) errors: Vec<MpiError>,
    pub(crate) files: Files,
    pub(crate) discoveries: Vec<Discovery>,
    /// Calls that returned an error, by thread and index.
    pub(crate) failures: FxHashSet<(u16, u64)>,
    /// Recording stopped before the end.
    pub(crate) lost: bool,
    /// Some calls were not recorded: nothing is known for certain about what this rank did not do.
    pub(crate) holed: bool,
    pub(crate) missing: bool,
    pub(crate) calls: u64,
    pub(crate) sends: u64,
    pub(crate) recvs: u64,
    pub(crate) collectives: u64,
    pub(crate) events: u64,
}

impl Rank {
    /// Since when it has done nothing new, and the time of its last event, both in nanoseconds since 1970.
    pub(crate) fn idle(&self) -> (u64, u64) {
        let polls = self.threads.iter().filter_map(|t| t.polls.since()).min();
        (self.clock.unix_ns(polls.unwrap_or(self.went_on)), self.clock.unix_ns(self.now.max(self.heard)))
    }

    /// May there be a variable at an address: a static one, or a local one of functions whose variables are between these two?
    pub(crate) fn may_have_variable(&self, address: u64, (low, high): (u64, u64)) -> bool {
        (low..high).contains(&address) || self.places.is_in_module(address)
    }

    /// Will all its calls come from one thread, unless it breaks the rules?
    pub(crate) fn has_one_thread(&self) -> bool {
        self.funneled && !self.multiple && self.threads.len() == 1
    }

    /// It has not ended what MPI_Init or MPI_Session_init began.
    pub(crate) fn is_left_open(&self) -> bool {
        self.initialized && self.finalize.is_none() || self.sessions > 0
    }

    /// Calls that have not returned, innermost first, thread by thread.
    pub(crate) fn open_calls(&self) -> impl Iterator<Item = &OpenCall> {
        self.threads.iter().flat_map(|t| t.open.iter().rev())
    }

    /// A call of a thread that is open, or was its last one or the last that failed.
    pub(crate) fn call(&self, thread: u16, index: u64) -> Option<Rc<Origin>> {
        let t = self.threads.iter().find(|t| t.number == thread)?;
        let open = t.open.iter().map(|o| &o.origin).find(|o| o.index == index);
        open.or(t.last.iter().chain(&t.failed).find(|l| l.index == index)).cloned()
    }

    /// Has the program's error handler ended the process when it was called with this error?
    pub(crate) fn was_ended_by_handler(&self, error: &MpiError) -> bool {
        let inside = |call: &Rc<Origin>| self.open_calls().any(|open| Rc::ptr_eq(&open.origin, call));
        let ended = self.abort.is_some() || self.exit.is_some() && self.finalize.is_none();
        !error.fatal && ended && error.call.as_ref().is_some_and(inside)
    }

    /// The call that the thread which a signal interrupted was in.
    pub(crate) fn interrupted(&self, signal: &Signal) -> Option<Rc<Origin>> {
        let number = signal.thread?;
        let thread = self.threads.iter().find(|t| t.number == number);
        thread.and_then(|t| t.open.last()).map(|o| o.origin.clone())
    }

    /// Has the MPI library aborted the process in this call of MPI_Finalize, where objects were left that it knows of?
    pub(crate) fn is_ended_by_leak(&self, finalize: &Origin) -> bool {
        let inside = self.open_calls().any(|o| (o.origin.thread, o.origin.index) == (finalize.thread, finalize.index));
        let aborted = self.signal.as_ref().is_some_and(|signal| signal.signal == SIGABRT);
        let leaks = || self.discoveries.iter().filter_map(Discovery::ahead);
        inside && aborted && leaks().any(|f| (f.thread, f.index) == (finalize.thread, finalize.index))
    }

    /// Did a check in the process find an error in a call?
    pub(crate) fn is_found_wrong(&self, call: &Origin) -> bool {
        self.discoveries.iter().any(|d| d.is_at(call) && d.check.severity == Severity::Error)
    }

    pub(crate) fn discovery(&self, rank: i32, thread: u16, found: Found) -> Option<Discovery> {
        let check = found.check()?;
        let site = |place: &Place| match place.func {
            NO_FUNCTION => Site { rank, call: None, pc: 0, stack: place.site, role: place.role.clone() },
            _ => Site::new(&self.call_at(rank, place), place.role.clone()),
        };
        let sites = found.places.iter().map(site).collect();
        let at = found.places.first().map_or((thread, u64::MAX), |p| (p.thread, p.call));
        let mut discovery =
            Discovery { check, message: found.message, sites, notes: found.notes, count: found.count, at, got: None };
        if let Some(call) = discovery.sites.first().and_then(|site| site.call.clone()) {
            discovery.has_returned(&call, &call.outs);
        }
        Some(discovery)
    }

    /// The call at a place: with its arguments as long as these are kept.
    fn call_at(&self, rank: i32, place: &Place) -> Rc<Origin> {
        let pending = || {
            let calls = self.requests.iter().flat_map(|r| r.start.iter().chain([&r.origin]));
            calls.into_iter().find(|o| o.thread == place.thread && o.index == place.call).cloned()
        };
        self.call(place.thread, place.call).or_else(pending).unwrap_or_else(|| {
            let func = FnId::from_index(place.func.into()).unwrap_or(FnId::MPI_Init);
            let ins = Args::new(func.row().params.len());
            let &Place { thread, call: index, site, .. } = place;
            let outs = ins.clone();
            let pattern = Rc::new(Pattern::new(func, site, ins, outs, 0));
            Rc::new(Origin { rank, time: 0, end: Cell::new(0), thread, index, varying: Varying::default(), pattern })
        })
    }

    #[inline(always)]
    pub(crate) fn thread(&mut self, number: u16) -> &mut Thread {
        if self.threads.first().is_some_and(|t| t.number == number) {
            return &mut self.threads[0];
        }
        self.other_thread(number)
    }

    #[inline(never)]
    fn other_thread(&mut self, number: u16) -> &mut Thread {
        let place = match self.threads.iter().position(|t| t.number == number) {
            Some(place) => place,
            None => {
                let place = self.threads.partition_point(|t| t.number < number);
                // Most processes have one.
                self.threads.reserve_exact(1);
                self.threads.insert(place, Thread { number, ..Thread::default() });
                place
            }
        };
        &mut self.threads[place]
    }
}

impl Rank {
    pub(crate) fn counts(&self) -> [u64; 5] {
        [self.calls, self.sends, self.recvs, self.collectives, self.events]
    }

    /// The kept values of the call that this one repeats.
    pub(crate) fn kept(&self, repeat: &Repeat) -> Option<&Pattern> {
        let thread = self.threads.iter().find(|thread| thread.number == repeat.thread)?;
        thread.kept.get(usize::from(repeat.slot))?.as_deref()
    }

    pub(crate) fn counts_mut(&mut self) -> [&mut u64; 5] {
        [&mut self.calls, &mut self.sends, &mut self.recvs, &mut self.collectives, &mut self.events]
    }
}

/// Signals that a program brings upon itself: SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS; the others
/// come from outside.
pub fn is_crash(signal: i32) -> bool {
    matches!(signal, 4 | 5 | 6 | 7 | 8 | 11 | 31)
}
