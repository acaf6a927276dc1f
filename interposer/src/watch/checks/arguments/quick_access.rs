//! The quick look at an access to a window, as programs with one-sided communication make them most often.

use super::exam::NO_OP;
use super::is_there;
use crate::call::access_places::AccessPlaces;
use crate::call::operands::ONE;
use crate::mpi::properties::Standing;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use trace_format::mpi::{Kind, predefined};

/// True if the arguments are all right.
#[inline(never)]
pub(super) fn passes(thread: &mut Thread, call: &Call) -> bool {
    let (abi, info) = (call.abi, call.info);
    let Some(places) = AccessPlaces::of(info.func) else { return false };
    let rules = &info.rules;
    if info.request.is_some() || rules.special || rules.meets {
        return false;
    }
    let word = |param: usize| call.words.get(param).copied().unwrap_or(0);
    let count = |param: Option<usize>| match param {
        Some(param) if info.row.params.get(param).is_some_and(|p| p.kind.width() == 8) => word(param) as i64,
        Some(param) => i64::from(word(param) as i32),
        None => 1,
    };
    let window = thread.handles.properties(Kind::Win, abi.handle_arg(Kind::Win, word(places.window)));
    let (Standing::Sound, Some(ranks)) = (window.standing, window.ranks) else { return false };
    if !(0..ranks).contains(&(word(places.target) as i32)) || count(places.count) < 0 {
        return false;
    }
    let buffers = &info.operands.list;
    let mut is_nothing = false;
    if let Some(op) = places.op {
        let op = thread.handles.properties(Kind::Op, abi.handle_arg(Kind::Op, word(op)));
        if op.standing != Standing::Sound || !(1..=predefined::OPS.len()).contains(&(op.id as usize)) {
            return false;
        }
        is_nothing = op.id == *NO_OP && buffers.iter().any(|other| other.kind == Kind::RecvBuf);
    }
    let of_target = thread.handles.properties(Kind::Datatype, abi.handle_arg(Kind::Datatype, word(places.datatype)));
    if of_target.standing != Standing::Sound || of_target.uncommitted {
        return false;
    }
    for (number, operand) in buffers.iter().enumerate() {
        let (is_read, address) = (operand.kind == Kind::SendBuf, word(operand.param));
        // MPI_NO_OP takes nothing from the origin, if there is a result.
        if is_read && is_nothing {
            continue;
        }
        // Buffers that begin at one address are looked at more closely.
        if operand.many.is_some() || buffers.iter().take(number).any(|other| word(other.param) == address) {
            return false;
        }
        let count = count(Some(operand.count).filter(|count| *count != ONE));
        let datatype = abi.handle_arg(Kind::Datatype, word(operand.datatype));
        let datatype = thread.handles.properties(Kind::Datatype, datatype);
        let is_sound = datatype.standing == Standing::Sound && !datatype.uncommitted;
        if count < 0 || !is_sound || !is_there(&mut thread.mappings, address, count, datatype, !is_read) {
            return false;
        }
    }
    true
}
