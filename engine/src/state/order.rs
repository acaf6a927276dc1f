//! Which calls of a process come behind which of others, as far as messages and collective operations say: the orders that hold
//! in every run that goes the same way, not those of the clock. Asked for pairs of calls, seldom; what is written down meanwhile
//! is one entry for a call that may bring news of others, while there are windows.

use super::comms::CommIx;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::RefCell;
use std::rc::Rc;

/// A call: its process, and its place among the calls of that.
pub(crate) type CallPlace = (i32, u64);

/// How a process may learn what others did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// The message of the receive that the call of this number began.
    Message(u64),
    /// The collective operation of this number on a communicator: what all did before they called it.
    Collective(CommIx, u64),
    /// The call of another process that begins or ends an epoch for this one.
    Epoch(Epoch),
    /// In a way that is not followed: it may have learned anything that had happened.
    Anything,
}

/// The call of MPI_Win_post or of MPI_Win_complete that belongs to the n-th epoch of an origin for a target, both as places in the
/// group of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Epoch {
    pub(crate) window: CommIx,
    pub(crate) target: i32,
    pub(crate) origin: i32,
    pub(crate) nth: u64,
    /// It ends the epoch.
    pub(crate) is_end: bool,
}

/// The calls that bring news to one process, in their order.
#[derive(Debug, Default)]
struct Log {
    entries: Vec<(u64, News)>,
    /// There were too many entries in front of this call, and they were dropped.
    since: u64,
}

/// The calls of a collective operation.
#[derive(Debug, Default)]
struct Calls {
    made: Vec<CallPlace>,
    /// Processes that take part.
    size: usize,
    /// Processes that nobody will ask of.
    forgotten: usize,
    /// No process has left it before all had called it.
    is_meeting: bool,
}

/// Where each process of a window has made it: nothing before that bears on its accesses.
pub(crate) type Begun = FxHashMap<i32, u64>;

/// Entries of one process; of older ones nothing is known any more.
const MOST_ENTRIES: usize = 1 << 11;
/// Messages and collective operations.
const MOST_MEETINGS: usize = 1 << 20;
/// With fewer things in it, nobody looks what can be forgotten.
const LONG: usize = 1 << 12;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Order {
    logs: FxHashMap<i32, Log>,
    /// By the call that began a receive: the calls that began the sends of its messages.
    sent: FxHashMap<CallPlace, SmallVec<[CallPlace; 1]>>,
    /// The calls of a collective operation.
    collectives: FxHashMap<(CommIx, u64), Calls>,
    epochs: FxHashMap<Epoch, CallPlace>,
    /// How many things were in it when all was forgotten that could be.
    len_after_forgetting: usize,
    /// By process, entries in front of the call, and how news are taken.
    pasts: RefCell<FxHashMap<(i32, usize, Taken), Rc<Past>>>,
}

/// How news are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Taken {
    /// Whoever may have learned of a call has.
    AsPossible,
    /// Whoever must have learned of it has.
    AsCertain,
}

/// The calls that come before a call.
#[derive(Debug, Default)]
struct Past {
    /// By process: all calls up to and without this one.
    upto: FxHashMap<i32, u64>,
    /// Calls among them that may have told of anything.
    vague: Vec<CallPlace>,
    /// The calls of which data or other news have come.
    told: FxHashSet<CallPlace>,
}

impl Order {
    /// Is it worth while to forget what nobody will ask for?
    pub(crate) fn is_long(&self) -> bool {
        self.len() > LONG.max(2 * self.len_after_forgetting)
    }

    fn len(&self) -> usize {
        let logged: usize = self.logs.values().map(|log| log.entries.len()).sum();
        self.sent.len() + self.epochs.len() + self.collectives.len() + logged
    }

    /// All was forgotten that could be.
    pub(crate) fn was_forgotten(&mut self) {
        self.len_after_forgetting = self.len();
    }

    /// Nobody will ask for anything that has happened so far.
    pub(crate) fn clear(&mut self) {
        *self = Order::default();
    }

    /// The call of a process has brought news.
    pub(crate) fn learn(&mut self, (rank, call): CallPlace, news: News) {
        self.pasts.get_mut().clear();
        let log = self.logs.entry(rank).or_default();
        log.entries.push((call, news));
        if log.entries.len() > MOST_ENTRIES {
            log.since = log.entries[MOST_ENTRIES / 2].0;
            let since = log.since;
            self.forget(rank, since);
        }
    }

    /// A receive has the message of a send.
    pub(crate) fn pair(&mut self, send: CallPlace, receive: CallPlace) {
        self.pasts.get_mut().clear();
        if self.sent.len() < MOST_MEETINGS {
            self.sent.entry(receive).or_default().push(send);
        }
    }

    /// A process takes part in a collective operation. `size`: how many do.
    pub(crate) fn take_part(&mut self, operation: (CommIx, u64), size: usize, call: CallPlace) {
        self.pasts.get_mut().clear();
        if self.collectives.len() < MOST_MEETINGS {
            let calls = self.collectives.entry(operation).or_default();
            calls.size = size;
            calls.made.push(call);
        }
    }

    /// No process has left a collective operation before all had called it.
    pub(crate) fn meet(&mut self, operation: (CommIx, u64)) {
        self.collectives.get_mut(&operation).into_iter().for_each(|calls| calls.is_meeting = true);
    }

    /// A call of a process begins or ends an epoch for another one.
    pub(crate) fn begin_or_end(&mut self, epoch: Epoch, call: CallPlace) {
        self.pasts.get_mut().clear();
        if self.epochs.len() < MOST_MEETINGS {
            self.epochs.insert(epoch, call);
        }
    }

    /// Nobody will ask whether calls of a process that come before this one are in order with others.
    pub(crate) fn forget(&mut self, rank: i32, since: u64) {
        let Some(log) = self.logs.get_mut(&rank) else { return };
        self.pasts.get_mut().clear();
        let end = log.entries.partition_point(|(call, _)| *call < since);
        for (_, news) in log.entries.drain(..end) {
            match news {
                News::Message(receive) => _ = self.sent.remove(&(rank, receive)),
                News::Collective(comm, number) => {
                    let Some(calls) = self.collectives.get_mut(&(comm, number)) else { continue };
                    calls.forgotten += 1;
                    if calls.forgotten >= calls.size {
                        self.collectives.remove(&(comm, number));
                    }
                }
                News::Epoch(epoch) => _ = self.epochs.remove(&epoch),
                News::Anything => {}
            }
        }
    }

    /// Does one call come before another one for certain?
    pub(crate) fn is_before(&self, earlier: CallPlace, later: CallPlace) -> bool {
        match earlier.0 == later.0 {
            true => earlier.1 < later.1,
            false => self.past(later, Taken::AsPossible).upto.get(&earlier.0).is_some_and(|upto| earlier.1 < *upto),
        }
    }

    /// Does one call come before another one, whatever a library does?
    pub(crate) fn must_be_before(&self, earlier: CallPlace, later: CallPlace) -> bool {
        match earlier.0 == later.0 {
            true => earlier.1 < later.1,
            false => self.past(later, Taken::AsCertain).upto.get(&earlier.0).is_some_and(|upto| earlier.1 < *upto),
        }
    }

    /// May `earlier` come before `later`, both accesses to one window or the ends of such, for all that is known? `begun`: of the
    /// window.
    pub(crate) fn may_be_before(&self, earlier: CallPlace, later: CallPlace, begun: &Begun) -> bool {
        if earlier.0 == later.0 {
            return earlier.1 < later.1;
        }
        let past = self.past(later, Taken::AsPossible);
        past.upto.get(&earlier.0).is_some_and(|upto| earlier.1 < *upto) || self.is_doubtful(&past, earlier, begun)
    }

    /// May news of `earlier`, which has sent data, have come before `later`? `begun`: of the window.
    pub(crate) fn may_be_told(&self, earlier: CallPlace, later: CallPlace, begun: &Begun) -> bool {
        let past = self.past(later, Taken::AsPossible);
        earlier.0 == later.0 || past.told.contains(&earlier) || self.is_doubtful(&past, earlier, begun)
    }

    /// May a call come before that of which this is the past, in a way that is not followed?
    fn is_doubtful(&self, past: &Past, earlier: CallPlace, begun: &Begun) -> bool {
        // Nobody knows what a process had heard before there were windows that has not made this one.
        let strangers = past.upto.iter().filter(|(rank, _)| !begun.contains_key(*rank));
        let strangers = strangers.map(|(rank, upto)| (*rank, upto.saturating_sub(1)));
        let doubts =
            past.vague.iter().copied().filter(|(rank, call)| begun.get(rank).is_some_and(|begun| call > begun));
        let mut doubts = strangers.chain(doubts).peekable();
        if doubts.peek().is_none() {
            return false;
        }
        // News from before the earlier call did not tell of it.
        let before = self.past(earlier, Taken::AsPossible);
        doubts.any(|(rank, call)| before.upto.get(&rank).is_none_or(|upto| call >= *upto))
    }

    /// The calls that news of a process are of; none if that is not known.
    pub(crate) fn sources(&self, (rank, news): (i32, News)) -> &[CallPlace] {
        match news {
            News::Message(receive) => self.sent.get(&(rank, receive)).map_or(&[], |all| all.as_slice()),
            News::Collective(comm, number) => {
                let calls = self.collectives.get(&(comm, number));
                calls.filter(|calls| calls.made.len() == calls.size).map_or(&[], |calls| &calls.made)
            }
            News::Epoch(epoch) => self.epochs.get(&epoch).map_or(&[], std::slice::from_ref),
            News::Anything => &[],
        }
    }

    /// Have all calls that news are of come before those, whatever a library does?
    fn is_certain(&self, news: News) -> bool {
        match news {
            News::Message(_) => true,
            News::Collective(comm, number) => {
                self.collectives.get(&(comm, number)).is_some_and(|calls| calls.is_meeting)
            }
            // MPI_Win_start need not wait.
            News::Epoch(epoch) => epoch.is_end,
            News::Anything => false,
        }
    }

    /// The calls that come before a call of a process, but for its own.
    fn past(&self, (rank, call): CallPlace, taken: Taken) -> Rc<Past> {
        let entries = self.logs.get(&rank).map_or(0, |log| log.entries.partition_point(|(at, _)| *at < call));
        if let Some(past) = self.pasts.borrow().get(&(rank, entries, taken)) {
            return past.clone();
        }
        let past = Rc::new(self.find_past((rank, call), taken));
        self.pasts.borrow_mut().insert((rank, entries, taken), past.clone());
        past
    }

    fn find_past(&self, of: CallPlace, taken: Taken) -> Past {
        let mut past = Past::default();
        let mut ahead = vec![of];
        while let Some((rank, upto)) = ahead.pop() {
            let known = past.upto.entry(rank).or_default();
            let from = std::mem::replace(known, upto.max(*known));
            if upto <= from {
                continue;
            }
            let Some(log) = self.logs.get(&rank) else { continue };
            if from < log.since {
                past.vague.push((rank, log.since));
            }
            let all = &log.entries;
            let [from, to] = [from, upto].map(|call| all.partition_point(|(at, _)| *at < call));
            let is_wanted = |(_, news): &&(u64, News)| taken == Taken::AsPossible || self.is_certain(*news);
            for (call, news) in all.get(from..to).unwrap_or_default().iter().filter(is_wanted) {
                let sources = self.sources((rank, *news));
                if sources.is_empty() {
                    past.vague.push((rank, *call));
                }
                past.told.extend(sources);
                ahead.extend(sources);
            }
        }
        past
    }
}
