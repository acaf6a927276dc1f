//! Looks at the arguments of a call before the library is entered. A quick look at the calls that programs make most
//! often compares numbers alone; whatever does not pass it, and every other call, is examined argument by argument, by
//! the rules of the function ([`crate::call::rules`]). The first finding of a call is the last: what follows is its consequence.

mod exam;
mod quick_access;
pub(crate) mod special;
use crate::call::info::OnWindow;
pub(super) use crate::call::rules::{Amount, Buffer, Of, Part, Test, Times, When};
use crate::call::rules::{NONE, Rules};
pub(super) use exam::{Argument, Exam, up_to};

use super::{
    aliased_buffers, in_place_misuse, inaccessible_buffer, invalid_argument, invalid_comm, invalid_count,
    invalid_datatype, invalid_file, invalid_group, invalid_info, invalid_op, invalid_rank, invalid_request,
    invalid_root, invalid_tag, invalid_window, null_buffer, session_mix,
};
use crate::mpi::properties::{Properties, Standing};
use crate::mpi::sessions;
use crate::state::recording::Call;
use crate::state::thread::Thread;
use recorder::mappings;
use trace_format::mpi::Kind;
use trace_format::mpi::special::{ANY_SOURCE, ANY_TAG};

/// The greatest tag that every MPI library allows (MPI 4.1, 9.1.2).
pub(super) const PORTABLE_TAG: i32 = 32767;

/// Looks at the arguments of a call that is about to be made. True if something was found: it is the cause of what else
/// may be wrong with the call.
#[inline(always)]
pub(crate) fn check(thread: &mut Thread, call: &Call) -> bool {
    !call.open.is_fine && look(thread, call)
}

#[inline(never)]
fn look(thread: &mut Thread, call: &Call) -> bool {
    let rules = &*call.info.rules;
    if rules.are_empty() {
        return false;
    }
    if rules.requests.is_some_and(|(count, place)| invalid_request::all_look_valid(call, count, place))
        && !lacks_results(call, rules)
    {
        return false;
    }
    let is_fine = !rules.messages.is_empty() && passes(thread, call, rules) || !examine(thread, call);
    if let Some(place) = call.open.place.filter(|_| is_fine) {
        thread.call_cache.set_fine(place, true);
    }
    !is_fine
}

/// Are statuses to be written to NULL, which is not MPI_STATUS_IGNORE in each library?
#[inline(always)]
fn lacks_results(call: &Call, rules: &Rules) -> bool {
    let at = call.words.get(rules.results & NONE).copied().unwrap_or(0);
    at == 0 && !call.abi.is_status_ignore(at)
}

/// The quick look at a point-to-point call: true if its arguments are all right.
#[inline(always)]
fn passes(thread: &mut Thread, call: &Call, rules: &Rules) -> bool {
    let abi = call.abi;
    let word = |param: usize| call.words.get(param & NONE).copied().unwrap_or(0);
    let comm = thread.handles.properties(Kind::Comm, abi.handle_arg(Kind::Comm, word(rules.comm)));
    let (Standing::Sound, Some(ranks)) = (comm.standing, comm.ranks) else { return false };
    if rules.results != NONE && lacks_results(call, rules) {
        return false;
    }
    for m in &rules.messages {
        let (rank, tag) = (word(m.rank) as i32, word(m.tag) as i32);
        if !((0..ranks).contains(&rank) || m.receives && abi.rank(rank) == ANY_SOURCE) {
            return false;
        }
        if !((0..=PORTABLE_TAG).contains(&tag) || m.receives && abi.tag(tag) == ANY_TAG) {
            return false;
        }
        if m.buf == NONE {
            continue;
        }
        let count = if m.wide { word(m.count) as i64 } else { i64::from(word(m.count) as i32) };
        let datatype = thread.handles.properties(Kind::Datatype, abi.handle_arg(Kind::Datatype, word(m.datatype)));
        if count < 0 || datatype.standing != Standing::Sound || datatype.uncommitted {
            return false;
        }
        if !is_there(&mut thread.mappings, word(m.buf), count, datatype, m.receives) {
            return false;
        }
    }
    true
}

/// Is a buffer certainly memory of the process, or of no bytes?
#[inline(always)]
fn is_there(mappings: &mut mappings::Cache, base: u64, count: i64, datatype: &Properties, writes: bool) -> bool {
    if count <= 0 || datatype.bytes == 0 {
        return true;
    }
    let start = base.wrapping_add_signed(datatype.true_lb);
    let length = (count - 1).checked_mul(datatype.extent).and_then(|length| length.checked_add(datatype.true_extent));
    let end = length.filter(|length| *length >= 0 && datatype.extent >= 0);
    end.and_then(|length| start.checked_add(length as u64)).is_some_and(|end| mappings.holds(start, end, writes))
}

/// Looks at every argument, but for accesses to windows that a quick look has found all right. True if something was found.
#[cold]
#[inline(never)]
fn examine(thread: &mut Thread, call: &Call) -> bool {
    let rules = &call.info.rules;
    let mut exam = Exam::new(thread, call);
    // Here, so that calls of other kinds do not pay for it.
    if call.info.on_window == OnWindow::Accesses && quick_access::passes(&mut exam) {
        return false;
    }
    for rule in &rules.rules {
        if !exam.matters(&rule.when) {
            continue;
        }
        let found = match rule.test {
            Test::Handle { kind, null, variable, array, counts, transfers } => {
                let mut wrong = false;
                exam.handles(rule.param, kind, variable, array, counts, |exam, argument| {
                    wrong = wrong
                        || match kind {
                            Kind::Comm => invalid_comm::check(exam, argument, null),
                            Kind::Group => invalid_group::check(exam, argument, null),
                            Kind::Datatype => invalid_datatype::check(exam, argument, null, transfers),
                            Kind::Win => invalid_window::check(exam, argument, null),
                            Kind::File => invalid_file::check(exam, argument, null),
                            Kind::Info => invalid_info::check(exam, argument, null),
                            Kind::Request => invalid_request::check(exam, argument, null),
                            _ => invalid_argument::handle(exam, argument, null),
                        };
                    !wrong
                });
                wrong
            }
            Test::Rank { of, wildcard, array } => invalid_rank::check(&mut exam, rule.param, of, wildcard, array),
            Test::Root => invalid_root::check(&mut exam, rule.param),
            Test::Tag { wildcard } => invalid_tag::check(&mut exam, rule.param, wildcard),
            Test::Count { array } => invalid_count::check(&mut exam, rule.param, array),
            Test::Op { datatype, one_sided } => invalid_op::check(&mut exam, rule.param, datatype, one_sided),
            Test::Output => invalid_argument::output(&mut exam, rule.param),
            Test::Array { counts } => invalid_argument::array(&mut exam, rule.param, counts),
        };
        if found {
            return true;
        }
    }
    if let Some((count, place)) = rules.requests
        && invalid_request::garbage(&mut exam, place, count.is_some())
    {
        return true;
    }
    if rules.meets && sessions::were_any() && session_mix::check(&mut exam) {
        return true;
    }
    if rules.special && special::check(&mut exam) {
        return true;
    }
    for buffer in &rules.buffers {
        if exam.matters(&buffer.when)
            && (in_place_misuse::check(&mut exam, buffer)
                || null_buffer::check(&mut exam, buffer)
                || inaccessible_buffer::check(&mut exam, buffer))
        {
            return true;
        }
    }
    aliased_buffers::check(&mut exam, &rules.buffers)
}
