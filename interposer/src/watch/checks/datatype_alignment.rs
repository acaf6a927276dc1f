//! `datatype-alignment`: see `trace_format::catalogue::DATATYPE_ALIGNMENT`.

use super::arguments::{Amount, Exam, Times};
use super::{Finding, Spot};
use crate::mpi::types;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use crate::watch::operands;
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use trace_format::catalogue::{CheckInfo, DATATYPE_ALIGNMENT};
use trace_format::definition::{FIRST_USER_ID, Id, UNKNOWN_ID};
use trace_format::mpi::Kind;
use trace_format::mpi::predefined::DATATYPES;
use typemap::{Misaligned, SelfOverlap};

static CHECK: &CheckInfo = &DATATYPE_ALIGNMENT;

/// Datatypes of the program that were looked at and are not freed, whether for receiving, and what of them.
static SEEN: Mutex<Option<FxHashMap<(Id, bool), Seen>>> = Mutex::new(None);

/// How a datatype was looked at.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// The most elements.
    count: u64,
    times: u32,
}

/// After so many times only twice as many elements are looked at again.
const EACH_COUNT: u32 = 32;

/// So many are remembered.
const MAX_SEEN: usize = 1 << 16;

/// A call is about to be made: datatypes of the program are looked at when they are first used in their way.
#[inline(always)]
pub(crate) fn before(thread: &mut Thread, call: &Call) {
    if call.info.operands.is_empty() {
        if call.info.rules.unpacks {
            look_at_unpacked(thread, call);
        }
    } else if operands::has_own_types(thread, call) {
        look(thread, call);
    }
}

#[inline(never)]
fn look(thread: &mut Thread, call: &Call) {
    for used in operands::uses(thread, call) {
        let (Some(map), id) = (&used.map, used.datatype) else { continue };
        let (writes, param) = (used.access.writes(), usize::from(used.param));
        if id < FIRST_USER_ID || !is_new(id, writes, used.count) {
            continue;
        }
        // Elements that are far from each other in the buffer may be those that overlap.
        if writes && map.overlaps_itself(used.count) == SelfOverlap::Yes {
            overlap(thread, call, param, used.count);
        // Two elements say of their alignment what any number would.
        } else if let Some(misaligned) = map.misaligned(used.count.min(2)) {
            misalignment(thread, call, param, misaligned);
        }
    }
}

/// Memory that a call without communication fills, or one-sided communication at its origin.
#[inline(never)]
fn look_at_unpacked(thread: &mut Thread, call: &Call) {
    for buffer in call.info.rules.buffers.iter().filter(|b| b.writes) {
        let Amount::Typed { counts: [Some(count), None], datatype, times: Times::One } = buffer.amount else {
            continue;
        };
        let mut exam = Exam::new(thread, call);
        let (count, id) = (exam.int(count).max(0) as u64, exam.object(Kind::Datatype, datatype).id);
        if id < FIRST_USER_ID || !exam.matters(&buffer.when) || !is_new(id, true, count) {
            continue;
        }
        if types::with(id, |map| map.overlaps_itself(count)) == Some(SelfOverlap::Yes) {
            overlap(thread, call, buffer.param, count);
        }
    }
}

/// Is the datatype used for the first time in this way, or with more elements than ever?
fn is_new(id: Id, writes: bool, count: u64) -> bool {
    let mut seen = SEEN.lock().unwrap_or_else(|e| e.into_inner());
    let seen = seen.get_or_insert_default();
    if seen.len() >= MAX_SEEN {
        seen.clear();
    }
    let Seen { count: most, times } = seen.entry((id, writes)).or_default();
    let enough = if *times < EACH_COUNT { *most } else { most.saturating_mul(2) };
    if count <= enough {
        return false;
    }
    (*most, *times) = (count, *times + 1);
    true
}

/// The program has freed a datatype. (If it holds the same one a second time, that is looked at once more.)
pub(crate) fn freed(id: Id) {
    let mut seen = SEEN.lock().unwrap_or_else(|e| e.into_inner());
    if let Some(seen) = seen.as_mut() {
        for writes in [false, true] {
            seen.remove(&(id, writes));
        }
    }
}

fn param(call: &Call, param: usize) -> &'static str {
    call.info.row.params.get(param).map_or("the buffer", |p| p.name)
}

fn overlap(thread: &mut Thread, call: &Call, place: usize, count: u64) {
    let here = Spot::of(thread, call);
    let (function, name) = (here.func.name(), param(call, place));
    let what = match count {
        1 => "a datatype that names".to_owned(),
        _ => format!("{count} elements of a datatype that name"),
    };
    let message = format!(
        "{function} receives into {name} with {what} some of its bytes twice: what is in them afterwards is not defined"
    );
    Finding::new(CHECK, message).at(here, "uses the datatype").tell(thread);
}

fn misalignment(thread: &mut Thread, call: &Call, place: usize, misaligned: Misaligned) {
    let here = Spot::of(thread, call);
    let Misaligned { position, basic, offset, alignment } = misaligned;
    let name = match basic {
        UNKNOWN_ID => "basic element",
        id => DATATYPES.get((id as usize).wrapping_sub(1)).copied().unwrap_or("basic element"),
    };
    let message = format!(
        "{} uses a datatype for {} whose {name} at byte {offset} (element {position} of its basic elements) can never be \
         aligned to {alignment} bytes together with the others",
        here.func.name(),
        param(call, place)
    );
    Finding::new(CHECK, message).at(here, "uses the datatype").tell(thread);
}
