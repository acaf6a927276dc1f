//! `datatype-alignment`: see `trace_format::catalogue::DATATYPE_ALIGNMENT`.

use super::{Finding, Spot};
use crate::operands::{self, Use};
use crate::recording::Call;
use crate::thread::Thread;
use rustc_hash::FxHashSet;
use std::sync::Mutex;
use trace_format::catalogue::{CheckInfo, DATATYPE_ALIGNMENT};
use trace_format::definition::{FIRST_USER_ID, Id, UNKNOWN_ID};
use trace_format::mpi::predefined::DATATYPES;
use typemap::{Misaligned, SelfOverlap};

static CHECK: &CheckInfo = &DATATYPE_ALIGNMENT;

/// Datatypes that were looked at, and whether for receiving several elements. Ids are never used again.
static SEEN: Mutex<Option<FxHashSet<(Id, bool, bool)>>> = Mutex::new(None);

/// So many are remembered.
const MAX_SEEN: usize = 1 << 16;

/// A call is about to be made: datatypes of the program are looked at when they are first used in their way.
#[inline(always)]
pub(super) fn before(thread: &mut Thread, call: &Call) {
    if !call.info.operands.is_empty() && operands::has_own_types(thread, call) {
        look(thread, call);
    }
}

#[inline(never)]
fn look(thread: &mut Thread, call: &Call) {
    for used in operands::uses(thread, call) {
        let (Some(map), id) = (&used.map, used.datatype) else { continue };
        let (writes, several) = (used.access.writes(), used.count > 1);
        if id < FIRST_USER_ID || !is_new(id, writes, several) {
            continue;
        }
        // Two elements say what any number would.
        let count = used.count.min(2);
        if writes && map.overlaps_itself(count) == SelfOverlap::Yes {
            overlap(thread, call, &used);
        } else if let Some(misaligned) = map.misaligned(count) {
            misalignment(thread, call, &used, misaligned);
        }
    }
}

/// Is the datatype used in this way for the first time?
fn is_new(id: Id, writes: bool, several: bool) -> bool {
    let mut seen = SEEN.lock().unwrap_or_else(|e| e.into_inner());
    let seen = seen.get_or_insert_default();
    if seen.len() >= MAX_SEEN {
        seen.clear();
    }
    seen.insert((id, writes, several))
}

fn param(call: &Call, used: &Use) -> &'static str {
    call.info.row.params.get(usize::from(used.param)).map_or("the buffer", |p| p.name)
}

fn overlap(thread: &mut Thread, call: &Call, used: &Use) {
    let here = Spot::of(thread, call);
    let message = format!(
        "{} receives into {} with a datatype that names some of its bytes twice: what is in them afterwards is not defined",
        here.func.name(),
        param(call, used)
    );
    Finding::new(CHECK, message).at(here, "uses the datatype").tell(thread);
}

fn misalignment(thread: &mut Thread, call: &Call, used: &Use, misaligned: Misaligned) {
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
        param(call, used)
    );
    Finding::new(CHECK, message).at(here, "uses the datatype").tell(thread);
}
