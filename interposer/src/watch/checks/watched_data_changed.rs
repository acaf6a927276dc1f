//! `watched-data-changed`: see `trace_format::catalogue::WATCHED_DATA_CHANGED`.

use super::{Finding, Spot};
use crate::mpi::words::is_true;
use crate::state::recording::Call;
use crate::state::slow_path::WATCHED_DATA;
use crate::state::thread::Thread;
use crate::watch::annotations;
use recorder::slow_path;
use recorder::{log, memory};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use trace_format::catalogue::WATCHED_DATA_CHANGED;
use trace_format::mpi::FnId;
use xxhash_rust::xxh3::Xxh3;

/// A copy of memory up to this size is kept, so that the bytes that changed can be named.
const MOST_COPIED: usize = 64 << 10;

struct Watched {
    name: String,
    address: u64,
    bytes: u64,
    contents: Contents,
    /// Where it was looked at last.
    last: Moment,
}

#[derive(PartialEq, Eq)]
enum Contents {
    Copy(Vec<u8>),
    Checksum(u64),
}

/// When a call looks at memory.
#[derive(Clone, Copy)]
struct Moment {
    spot: Spot,
    returned: bool,
    /// The call is one of the program to mpivet.
    is_ours: bool,
}

/// Is anything watched? All that calls test otherwise.
static ON: AtomicBool = AtomicBool::new(false);
static WATCHED: Mutex<Vec<Watched>> = Mutex::new(Vec::new());

fn watched() -> MutexGuard<'static, Vec<Watched>> {
    WATCHED.lock().unwrap_or_else(|e| e.into_inner())
}

fn set_on(is_on: bool) {
    ON.store(is_on, Ordering::Relaxed);
    slow_path::set(WATCHED_DATA, is_on);
}

/// Is anything watched?
#[inline(always)]
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The memory as it is now; `None` if it cannot be read.
fn contents(address: u64, bytes: u64) -> Option<Contents> {
    let mut part = vec![0u8; MOST_COPIED.min(bytes as usize)];
    if bytes as usize <= MOST_COPIED {
        return memory::read(address, &mut part).then_some(Contents::Copy(part));
    }
    let mut checksum = Xxh3::new();
    for at in (0..bytes).step_by(MOST_COPIED) {
        let part = part.get_mut(..(bytes - at).min(MOST_COPIED as u64) as usize)?;
        if !memory::read(address + at, part) {
            return None;
        }
        checksum.update(part);
    }
    Some(Contents::Checksum(checksum.digest()))
}

/// The program asks to watch memory; a name that is watched already gets a new place.
pub(crate) fn watch(name: &str, address: u64, bytes: u64, spot: Spot) {
    unwatch(name);
    let Some(contents) = contents(address, bytes) else {
        return log::line(&format!("mpivet_watch(\"{name}\"): the memory cannot be read; it is not watched"));
    };
    let last = Moment { spot, returned: true, is_ours: true };
    watched().push(Watched { name: name.to_owned(), address, bytes, contents, last });
    set_on(true);
}

/// The program needs the memory no longer watched.
pub(crate) fn unwatch(name: &str) {
    let mut all = watched();
    all.retain(|w| w.name != name);
    set_on(!all.is_empty());
}

/// Looks at all that is watched, at the begin (or the return) of a call.
#[cold]
pub(crate) fn look(thread: &mut Thread, call: &Call, returned: bool) {
    // A call to mpivet asks these two first.
    if matches!(call.info.row.id, FnId::MPI_Initialized | FnId::MPI_Finalized) {
        return;
    }
    // A poll without an answer is counted at an earlier one, and has no record to be named by.
    let flag = call.info.poll.and_then(|p| call.words.get(p)).copied();
    let is_ours = annotations::is_for_us(call);
    if returned && (is_ours || call.open.repeats && !is_true(call.abi, flag)) {
        return;
    }
    let here = Moment { spot: Spot::of(thread, call), returned, is_ours };
    let mut findings = Vec::new();
    let mut all = watched();
    all.retain_mut(|w| {
        let Some(now) = contents(w.address, w.bytes) else {
            log::line(&format!("`{}` can no longer be read; it is not watched any more", w.name));
            return false;
        };
        if now != w.contents {
            findings.push(changed(w, &now, here));
            w.contents = now;
        }
        w.last = here;
        true
    });
    set_on(!all.is_empty());
    drop(all);
    findings.into_iter().for_each(|finding| finding.tell(thread));
}

fn changed(w: &Watched, now: &Contents, here: Moment) -> Finding {
    let function = if here.is_ours { "call of mpivet" } else { here.spot.func.name() };
    let during = here.returned && w.last.spot == here.spot;
    let when = match (here.returned, during) {
        (_, true) => format!("during this {function}"),
        (false, _) => format!("before this {function}"),
        (true, false) => format!("before or during this {function}"),
    };
    let message = format!("`{}` ({} bytes) has changed {when}{}", w.name, w.bytes, difference(&w.contents, now));
    let finding = Finding::new(&WATCHED_DATA_CHANGED, message);
    if during {
        return finding.at(here.spot, "changed meanwhile");
    }
    let last = if w.last.returned { "unchanged when it returned" } else { "unchanged when it was called" };
    finding.at(here.spot, "found changed").at(w.last.spot, last)
}

fn difference(before: &Contents, now: &Contents) -> String {
    let (Contents::Copy(before), Contents::Copy(now)) = (before, now) else { return String::new() };
    let differs = |(a, b): (&u8, &u8)| a != b;
    let first = before.iter().zip(now).position(differs).unwrap_or(0);
    let last = before.iter().zip(now).rposition(differs).unwrap_or(0);
    if first == last { format!(": byte {first}") } else { format!(": between bytes {first} and {last}") }
}
