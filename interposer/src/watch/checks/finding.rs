//! A finding of a check in this process: on standard error at once, if no other process has said it, and in the trace for
//! the report.

use crate::mpi::spot::Spot;
use crate::state::thread::Thread;
use crate::watch::{annotations, report};
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use trace_format::catalogue::CheckInfo;
use trace_format::definition::Id;
use trace_format::system::{Found, NO_FUNCTION, Place, SystemEvent};

fn place(spot: Spot, role: String) -> Place {
    Place { thread: spot.thread, call: spot.call, func: spot.func as u16, site: spot.site, role }
}

/// A finding of a check.
#[must_use]
pub(crate) struct Finding {
    check: &'static CheckInfo,
    message: String,
    places: Vec<Place>,
    notes: Vec<String>,
}

impl Finding {
    /// A finding of `check`; the message is one sentence that does not name the rank.
    pub(crate) fn new(check: &'static CheckInfo, message: impl Into<String>) -> Finding {
        Finding { check, message: message.into(), places: Vec::new(), notes: Vec::new() }
    }

    /// A call that proves it, and what it is in the finding: "the send is pending", "freed here".
    pub(crate) fn at(mut self, spot: Spot, role: impl Into<String>) -> Finding {
        self.places.push(place(spot, role.into()));
        self
    }

    /// A place outside of MPI, in a thread of this number.
    pub(crate) fn outside(mut self, thread: u16, site: Id, role: impl Into<String>) -> Finding {
        self.places.push(Place { thread, call: u64::MAX, func: NO_FUNCTION, site, role: role.into() });
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Finding {
        self.notes.push(note.into());
        self
    }

    /// Prints and records it. The same check at the same places is printed once.
    #[cold]
    pub(crate) fn tell(self, thread: &mut Thread) {
        self.say(thread, true);
    }

    /// Records it for the report alone: what is found when all is over nobody waits for.
    #[cold]
    pub(crate) fn tell_in_report(self, thread: &mut Thread) {
        self.say(thread, false);
    }

    fn say(mut self, thread: &mut Thread, at_once: bool) {
        let times = told(self.check, &self.places);
        if times > MOST_RECORDED {
            return;
        }
        self.notes.extend(annotations::region(thread.number()).map(|name| format!("in the region {name}")));
        if times == 1 && at_once {
            report::found(self.check, &self.message, &self.places, &self.notes);
        }
        self.record(thread);
    }

    /// Records it: it was printed already.
    #[cold]
    pub(crate) fn record(self, thread: &mut Thread) {
        let Finding { check, message, places, notes } = self;
        thread.system(&SystemEvent::Found(Found { code: check.code.to_owned(), message, places, notes, count: 1 }));
    }
}

/// One finding at the same places is recorded so often, so that the report can count it.
const MOST_RECORDED: u32 = 1000;

type Key = (&'static str, Vec<(u16, Id)>);
static TOLD: Mutex<Option<FxHashMap<Key, u32>>> = Mutex::new(None);

/// Counts a finding: how often it was found now.
fn told(check: &CheckInfo, places: &[Place]) -> u32 {
    let key = (check.code, places.iter().map(|p| (p.func, p.site)).collect());
    let mut told = TOLD.lock().unwrap_or_else(|e| e.into_inner());
    let times = told.get_or_insert_default().entry(key).or_insert(0);
    *times = times.saturating_add(1);
    *times
}
