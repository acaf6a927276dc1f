//! Findings that follow from others. One mistake is one finding: what follows from it becomes a line of it, and a call
//! that failed is named where others wait for it. The tables say what follows from what.

use super::partitioned_mismatch::completes_partitioned;
use crate::arg_places::arg_places;
use crate::model::Model;
use crate::state::{Draft, Kept, Origin, Site};
use trace_format::catalogue::{
    ACCESS_IN_FLIGHT, BUFFER_TYPE, COLLECTIVE_ARGUMENT_MISMATCH, COLLECTIVE_BLOCKING_MIX, COLLECTIVE_DATA_TYPE,
    COLLECTIVE_MISMATCH, CheckInfo, DIFF_REDUCTIONS, INCOMPLETE_CALL, INCOMPLETE_GOP, INCORRECT_RECV_SIZE,
    INCORRECT_SEND_SIZE, INVALID_COUNT, INVALID_DATATYPE, INVALID_OP, INVALID_ROOT, NEIGHBOUR_MISMATCH, NONPAIRED_RECV,
    NONPAIRED_SEND, PARTITIONED_MISMATCH, PARTITIONED_MISUSE, REAL_DEADLOCK, REAL_HANG_UP, RMA_LOCAL_CONFLICT,
    RMA_TYPE_MISMATCH, SEND_CHECKSUM, Side, USE_AFTER_FREE, WRONG_DATA_TYPE, WRONG_RECV_SIZE, WRONG_ROOT,
    WRONG_SEND_SIZE,
};
use trace_format::finding::Severity;
use trace_format::mpi::{Class, FnId};

type Checks = &'static [&'static CheckInfo];

/// Findings that become lines of others.
struct Consequence {
    causes: Checks,
    follow: Checks,
    by: fn(&Kept, &Kept, &Model) -> bool,
}

/// Arguments that say nothing about what is moved, and how.
const UNREADABLE: Checks = &[&INVALID_COUNT, &INVALID_DATATYPE, &INVALID_OP, &INVALID_ROOT, &USE_AFTER_FREE];

/// Arguments of several ranks that do not go together.
const UNLIKE: Checks = &[
    &WRONG_SEND_SIZE,
    &INCORRECT_SEND_SIZE,
    &WRONG_DATA_TYPE,
    &WRONG_RECV_SIZE,
    &INCORRECT_RECV_SIZE,
    &COLLECTIVE_DATA_TYPE,
    &NEIGHBOUR_MISMATCH,
    &COLLECTIVE_ARGUMENT_MISMATCH,
    &DIFF_REDUCTIONS,
    &WRONG_ROOT,
];

/// Types that differ: a variable tells which of them is not its own.
const UNLIKE_TYPES: Checks = &[&WRONG_DATA_TYPE, &COLLECTIVE_DATA_TYPE, &NEIGHBOUR_MISMATCH, &RMA_TYPE_MISMATCH];

/// Collective operations in which the library writes where it should read.
const CROSSED: Checks = &[&WRONG_ROOT, &COLLECTIVE_MISMATCH, &COLLECTIVE_BLOCKING_MIX];

/// Partitions that the two sides do not agree on.
const PARTITIONS: Checks = &[&PARTITIONED_MISMATCH, &PARTITIONED_MISUSE];

static CONSEQUENCES: &[Consequence] = &[
    Consequence { causes: UNREADABLE, follow: UNLIKE, by: same_call },
    Consequence { causes: UNLIKE_TYPES, follow: &[&BUFFER_TYPE], by: same_call },
    Consequence { causes: CROSSED, follow: &[&SEND_CHECKSUM], by: same_call },
    Consequence { causes: &[&ACCESS_IN_FLIGHT], follow: &[&SEND_CHECKSUM, &RMA_LOCAL_CONFLICT], by: same_call },
    // The library may end a process that only passes on what others got wrong.
    Consequence { causes: UNLIKE, follow: &[&INCOMPLETE_CALL], by: same_function },
    Consequence { causes: CROSSED, follow: &[&INCOMPLETE_CALL], by: same_function },
    Consequence { causes: PARTITIONS, follow: &[&INCOMPLETE_CALL], by: of_partitions },
];

/// Findings about what others miss where a call has failed and the program goes on.
const MISSING: Checks =
    &[&COLLECTIVE_MISMATCH, &INCOMPLETE_GOP, &REAL_DEADLOCK, &REAL_HANG_UP, &NONPAIRED_SEND, &NONPAIRED_RECV];

/// Relates all findings of a run, in the order of their ranks and calls.
pub(crate) fn relate(all: &mut Vec<Kept>, model: &Model) {
    for Consequence { causes, follow, by } in CONSEQUENCES {
        let (followers, mut others): (Vec<Kept>, Vec<Kept>) =
            std::mem::take(all).into_iter().partition(|kept| is_one_of(&kept.draft, follow));
        for kept in followers {
            let is_cause =
                |cause: &&mut Kept| is_one_of(&cause.draft, causes) && covers(cause, &kept) && by(cause, &kept, model);
            match others.iter_mut().find(is_cause) {
                Some(cause) => fold(&mut cause.draft, &kept.draft),
                None => all.push(kept),
            }
        }
        all.append(&mut others);
    }
    name_failed_calls(all, model);
}

fn is_one_of(draft: &Draft, checks: Checks) -> bool {
    checks.iter().any(|check| check.code == draft.check.code)
}

/// Did the cause happen as often? A mistake at the same place that happened without it is another.
fn covers(cause: &Kept, kept: &Kept) -> bool {
    kept.count <= cause.count.saturating_mul(kept.ranks.len().max(1) as u64)
}

fn fold(cause: &mut Draft, follower: &Draft) {
    let line = match follower.check.code == BUFFER_TYPE.code {
        true => format!("the declaration says which of them is wrong: {}", follower.message),
        false => format!("follows from it: {}: {}", follower.check.name, follower.message),
    };
    cause.severity = cause.severity.min(follower.severity);
    cause.notes.push(line);
}

/// Does the consequence speak of a call of the cause?
fn same_call(cause: &Kept, kept: &Kept, model: &Model) -> bool {
    let is_its = |site: &Site| {
        let place = model.place_of_site(site);
        cause.ranks.contains(&site.rank) && cause.draft.calls.iter().any(|c| model.place_of_site(c) == place)
    };
    kept.draft.calls.iter().any(is_its)
}

fn same_function(cause: &Kept, kept: &Kept, _: &Model) -> bool {
    let funcs = |kept: &Kept| -> Vec<FnId> {
        kept.draft.calls.iter().filter_map(|site| Some(site.call.as_ref()?.func)).collect()
    };
    let its = funcs(cause);
    funcs(kept).iter().any(|func| its.contains(func))
}

/// Does the consequence speak of a call that completes partitioned operations?
fn of_partitions(_: &Kept, kept: &Kept, model: &Model) -> bool {
    kept.draft.calls.iter().any(|site| site.call.as_ref().is_some_and(|call| completes_partitioned(call, model)))
}

/// Calls that failed before they took part are named by the findings of those who miss them.
fn name_failed_calls(all: &mut [Kept], model: &Model) {
    let is_failed = |site: &Site| {
        let call = site.call.as_ref()?;
        let failed = model.ranks.get(site.rank as usize)?.failures.contains(&(call.thread, call.index));
        failed.then(|| call.clone())
    };
    let failed: Vec<_> = all
        .iter()
        .filter(|kept| kept.draft.check.side == Side::Dynamic && kept.draft.check.severity == Severity::Error)
        .filter_map(|kept| Some((is_failed(kept.draft.calls.first()?)?, kept.draft.check)))
        .collect();
    for kept in all.iter_mut().filter(|kept| is_one_of(&kept.draft, MISSING)) {
        let waits = kept.draft.waits.iter().flat_map(|w| &w.waits_for);
        let concerned: Vec<i32> = kept.ranks.iter().chain(waits).chain(&kept.draft.missed).copied().collect();
        let is_missed =
            |call: &Origin| concerned.contains(&call.rank) && misses(kept.draft.check, arg_places(call.func).class);
        // The last one is the nearest.
        let missed = failed.iter().filter(|(call, _)| is_missed(call)).max_by_key(|(call, _)| call.time);
        if let Some((call, check)) = missed {
            kept.draft.calls.push(Site::new(call, format!("failed before it took part: see {}", check.name)));
        }
    }
}

/// Is a call of this class what the finding may miss?
fn misses(check: &CheckInfo, class: Class) -> bool {
    let is = |checks: &[&CheckInfo]| checks.iter().any(|c| c.code == check.code);
    let waits = is(&[&REAL_DEADLOCK, &REAL_HANG_UP]);
    match class {
        Class::Collective(..) => !is(&[&NONPAIRED_SEND, &NONPAIRED_RECV]),
        Class::Send(..) => waits || is(&[&NONPAIRED_RECV]),
        Class::Recv(_) | Class::Mrecv(_) => waits || is(&[&NONPAIRED_SEND]),
        Class::SendRecv(_) | Class::SendRecvReplace(_) => waits || is(&[&NONPAIRED_SEND, &NONPAIRED_RECV]),
        _ => false,
    }
}
