//! `invalid-request`: see `trace_format::catalogue::INVALID_REQUEST`.

use super::arguments::{Argument, Exam};
use super::handle;
use crate::state::recording::Call;
use trace_format::catalogue::INVALID_REQUEST;
use trace_format::mpi::Kind;

/// More requests than this in one call are not looked at one by one.
const MOST: usize = 4096;

/// Is an argument the handle of a request?
pub(super) fn check(exam: &mut Exam, argument: Argument, null: bool) -> bool {
    handle::check(exam, &INVALID_REQUEST, argument, null)
}

/// Do requests that are waited for, or asked about, look like requests? Cheap, since it is done at every such call.
#[inline(always)]
pub(super) fn all_look_valid(call: &Call, count: Option<usize>, place: usize) -> bool {
    let abi = call.abi;
    let word = |param: usize| call.words.get(param).copied().unwrap_or(0);
    let number = count.map_or(1, |count| word(count) as i32);
    if number < 0 {
        return false;
    }
    let (number, base) = (number as usize, word(place));
    if base < abi.lowest_address {
        return number == 0;
    }
    if number > MOST {
        return true;
    }
    // SAFETY: the program passed a variable or an array of so many requests, which are recorded, too.
    unsafe { abi.look_like_requests(base, number) }
}

/// A request is garbage: which, and what it is.
#[cold]
pub(super) fn garbage(exam: &mut Exam, place: usize, array: bool) -> bool {
    if !array && exam.word(place) == 0 {
        let what = exam.argument(place, None);
        return exam.tell(&INVALID_REQUEST, format!("{what} is NULL; it must be the address of a request"));
    }
    let mut found = false;
    exam.handles(place, Kind::Request, !array, array, None, |exam, argument| {
        found = check(exam, argument, true);
        !found
    });
    found
}
