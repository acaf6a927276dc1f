//! `leak-growth`: see `trace_format::catalogue::LEAK_GROWTH`.

use super::leaks::{Leaks, amount};
use super::{Finding, Spot};
use crate::mpi::abi::Room;
use crate::mpi::{handles, library};
use crate::state::recording::Call;
use crate::state::thread::Thread;
use recorder::clock;
use rustc_hash::FxHashMap;
use std::sync::{Mutex, MutexGuard};
use trace_format::catalogue::LEAK_GROWTH;
use trace_format::definition::Id;
use trace_format::mpi::{FnId, Kind};

/// A program may well need some hundred communicators; one that holds this part of what there is room for, all made at
/// one place, is told so while it runs.
const ALARMING: u64 = 2;
/// At the end it is known that they are leaked, and this part is enough.
const WORTH_TELLING: u64 = 10;

/// The objects that were made at one place.
struct Place {
    /// When the first was made, in ticks.
    since: u64,
    made: u64,
    /// When this many are made it is worth looking how many of them are left.
    look_at: u64,
    told: bool,
}

type Key = (FnId, Id);
static PLACES: Mutex<Option<FxHashMap<Key, Place>>> = Mutex::new(None);

fn places() -> MutexGuard<'static, Option<FxHashMap<Key, Place>>> {
    PLACES.lock().unwrap_or_else(|e| e.into_inner())
}

/// A call has made an object of this kind.
#[cold]
pub(crate) fn made(thread: &mut Thread, call: &Call, kind: Kind) {
    let Some(room) = library::identity().room_for(kind) else { return };
    let spot = Spot::of(thread, call);
    let alarming = room.objects / ALARMING;
    let mut all = places();
    let place = all.get_or_insert_default().entry((spot.func, spot.site));
    let place = place.or_insert_with(|| Place { since: clock::now(), made: 0, look_at: alarming, told: false });
    place.made += 1;
    if place.made < place.look_at || place.told {
        return;
    }
    let is_from_here = |h: &handles::Held| {
        h.kind == kind && h.made.is_some_and(|made| (made.func, made.site) == (spot.func, spot.site))
    };
    let left: u64 = handles::held().iter().filter(|h| is_from_here(h)).map(|h| u64::from(h.times)).sum();
    if left < alarming {
        place.look_at = place.made + (alarming - left);
        return;
    }
    place.told = true;
    let since = place.since;
    drop(all);
    tell(thread, (spot, left), kind, &room, since, ("not freed", true));
}

/// Tells of places whose objects are leaked, and gives all places that were told of.
pub(super) fn check(leaks: &Leaks, thread: &mut Thread) -> Vec<Spot> {
    let mut told = Vec::new();
    for kind in [Kind::Comm, Kind::Win] {
        let Some(room) = library::identity().room_for(kind) else { continue };
        for leak in leaks.objects(kind) {
            let known = places().as_mut().and_then(|all| {
                let place = all.get_mut(&(leak.spot.func, leak.spot.site))?;
                Some((std::mem::replace(&mut place.told, true), place.since))
            });
            let Some((known, since)) = known else { continue };
            if known {
                told.push(leak.spot);
            } else if leak.count * WORTH_TELLING >= room.objects {
                told.push(leak.spot);
                tell(thread, (leak.spot, leak.count), kind, &room, since, ("never freed", false));
            }
        }
    }
    told
}

/// `left`: what is said of the objects, and whether the program still runs, so that somebody may do something about it.
fn tell(thread: &mut Thread, (spot, count): (Spot, u64), kind: Kind, room: &Room, since: u64, left: (&str, bool)) {
    let (left, at_once) = left;
    let (what, function) = (amount(count, kind.noun()), spot.func.name());
    let times = room.objects.div_ceil(count.max(1));
    let message = format!(
        "{what} made by {function} are {left}; {} has room for {}, so that about {times} times as many make it fail",
        room.library, room.objects
    );
    let mut finding = Finding::new(&LEAK_GROWTH, message).at(spot, format!("made {}", amount(1, kind.noun())));
    let seconds = clock::ticks_to_ns(clock::now().saturating_sub(since)) as f64 / 1e9;
    finding = finding.note(format!("they were made within {seconds:.1} s"));
    if at_once { finding.tell(thread) } else { finding.tell_in_report(thread) }
}
