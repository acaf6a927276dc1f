//! Leaks: things that the program was given and has not given back when MPI is over; the common parts of the checks `leak-*`.
//!
//! They look when the library's MPI_Finalize, or the last MPI_Session_finalize, has returned: until then callbacks of the
//! program may free objects. What may be freed at any time, even later, is looked at when the process ends.

use super::loans::{self, Lent};
use super::{Finding, Spot};
use super::{
    grequest_misuse, leak_bsend_buffer, leak_communicator, leak_datatype, leak_errhandler, leak_file, leak_group,
    leak_growth, leak_info, leak_keyval, leak_message, leak_op, leak_port, leak_session, leak_window, send_buffers,
};
use crate::mpi::descent::{self, Descent};
use crate::mpi::handles::{self, Held};
use crate::mpi::sessions;
use crate::state::thread::Thread;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use trace_format::catalogue::CheckInfo;
use trace_format::definition::Id;
use trace_format::mpi::{Class, FnId, Kind};

/// The leaks of one place.
pub(super) struct Leak {
    /// The call that made the first of them.
    pub(super) spot: Spot,
    pub(super) count: u64,
    /// The model that the first of them is derived from.
    descent: Descent,
}

impl Leak {
    pub(super) fn is_at(&self, spot: &Spot) -> bool {
        (self.spot.func, self.spot.site) == (spot.func, spot.site)
    }
}

/// Everything that is leaked.
pub(super) struct Leaks {
    held: Vec<Held>,
    lent: Vec<(Lent, Spot)>,
    buffers: Vec<Spot>,
}

/// Most places that one check names.
const MAX_PLACES: usize = 50;
/// So many from one place grow with the time that the program runs.
const GROWTH: u64 = 1000;

impl Leaks {
    fn now() -> Leaks {
        let mut held = handles::held();
        let is_lent = |h: &Held| h.made.is_none_or(|spot| !is_to_be_freed(spot.func));
        let lent: FxHashSet<(Kind, Id)> = held.iter().filter(|h| is_lent(h)).map(|h| (h.kind, h.id)).collect();
        held.retain(|h| !lent.contains(&(h.kind, h.id)));
        Leaks { held, lent: loans::outstanding(), buffers: send_buffers::outstanding() }
    }

    /// Objects of a kind, by the place that made them.
    pub(super) fn objects(&self, kind: Kind) -> Vec<Leak> {
        let objects = self.held.iter().filter(|h| h.kind == kind);
        by_place(objects.filter_map(|h| Some((h.made?, u64::from(h.times), h.descent))))
    }

    /// Buffers for buffered sends, by the place that attached them.
    pub(super) fn buffers(&self) -> Vec<Leak> {
        by_place(self.buffers.iter().map(|spot| (*spot, 1, Descent::Open)))
    }

    /// Things of which `is_wanted` is true, by the place that lent them.
    pub(super) fn things(&self, is_wanted: impl Fn(&Lent) -> bool) -> Vec<Leak> {
        by_place(self.lent.iter().filter(|(what, _)| is_wanted(what)).map(|(_, spot)| (*spot, 1, Descent::Open)))
    }
}

/// Objects of calls that make nothing new (predefined datatypes without a name, the intercommunicator to the parents) are
/// not the program's to free.
fn is_to_be_freed(function: FnId) -> bool {
    function.row().class != Class::Local
}

fn by_place(made: impl Iterator<Item = (Spot, u64, Descent)>) -> Vec<Leak> {
    let mut places: FxHashMap<(FnId, Id), Leak> = FxHashMap::default();
    for (spot, count, descent) in made {
        let leak = places.entry((spot.func, spot.site)).or_insert(Leak { spot, count: 0, descent });
        leak.count += count;
        if (spot.thread, spot.call) < (leak.spot.thread, leak.spot.call) {
            (leak.spot, leak.descent) = (spot, descent);
        }
    }
    let mut all: Vec<Leak> = places.into_values().collect();
    all.sort_by_key(|leak| (leak.spot.thread, leak.spot.call, leak.spot.func));
    all
}

/// A check's words on its leaks.
pub(super) struct Wording {
    /// The thing that is leaked: "communicator".
    pub(super) noun: &'static str,
    /// The deed of the first call: "made".
    pub(super) made: &'static str,
    /// The deed that was never done: "freed".
    pub(super) undone: &'static str,
}

impl Wording {
    pub(super) const fn freed(kind: Kind) -> Wording {
        Wording { noun: kind.noun(), made: "made", undone: "freed" }
    }
}

/// Tells of leaks, a finding a place.
pub(super) fn tell(thread: &mut Thread, check: &'static CheckInfo, wording: &Wording, leaks: &[Leak]) {
    let Wording { noun, made, undone } = wording;
    for (i, leak) in leaks.iter().take(MAX_PLACES).enumerate() {
        let (what, function) = (amount(leak.count, noun), leak.spot.func.name());
        let are = if leak.count == 1 { "is" } else { "are" };
        let message = format!("{what} {made} by {function} {are} never {undone}");
        let mut finding = Finding::new(check, message).at(leak.spot, format!("{made} {}", amount(1, noun)));
        if let Some(ended) = descent::ended(leak.descent) {
            finding = finding.at(ended, "finalized its session");
        }
        if leak.count >= GROWTH {
            finding = finding.note("so many from one place usually grow with the time that the program runs");
        }
        if i + 1 == MAX_PLACES && leaks.len() > MAX_PLACES {
            finding = finding.note(format!("there are {} other places", leaks.len() - MAX_PLACES));
        }
        finding.tell_in_report(thread);
    }
}

/// "3 communicators", "an error handler".
pub(super) fn amount(count: u64, noun: &str) -> String {
    match count {
        1 if noun.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {noun}"),
        1 => format!("a {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

/// MPI was started and ended at least once.
static ENDED: AtomicBool = AtomicBool::new(false);
/// Neither the world model nor a session was open when the last of them had ended.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// MPI_Finalize is about to be called.
#[cold]
pub(crate) fn before_end(thread: &mut Thread, here: Spot) {
    leak_window::before_end(&Leaks::now(), here, thread);
}

/// MPI_Finalize or MPI_Session_finalize has returned.
#[cold]
pub(crate) fn after_end(thread: &mut Thread) {
    ENDED.store(true, Ordering::SeqCst);
    let over = sessions::is_over();
    IS_OVER.store(over, Ordering::SeqCst);
    if !over {
        return;
    }
    let leaks = Leaks::now();
    let grown = leak_growth::check(&leaks, thread);
    leak_communicator::check(&leaks, &grown, thread);
    leak_datatype::check(&leaks, thread);
    leak_group::check(&leaks, thread);
    leak_op::check(&leaks, thread);
    leak_window::check(&leaks, &grown, thread);
    leak_file::check(&leaks, thread);
    leak_keyval::check(&leaks, thread);
    leak_message::check(&leaks, thread);
    leak_bsend_buffer::check(&leaks, thread);
    leak_port::check(&leaks, thread);
    grequest_misuse::at_end(thread);
    // They are told of, and their handles mean nothing to an MPI that begins anew.
    handles::forget_ended();
}

/// The process ends by exit(3), and nothing of the program is left to run.
#[cold]
pub(crate) fn at_exit(thread: &mut Thread) {
    let leaks = Leaks::now();
    if ENDED.load(Ordering::SeqCst) {
        leak_session::check(&leaks, thread);
    }
    if IS_OVER.load(Ordering::SeqCst) && sessions::is_over() {
        leak_errhandler::check(&leaks, thread);
        leak_info::check(&leaks, thread);
    }
}
