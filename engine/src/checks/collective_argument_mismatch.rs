//! `collective-argument-mismatch`: see `trace_format::catalogue::COLLECTIVE_ARGUMENT_MISMATCH`.

use super::{answers, explained, grouped, note_behind, said, same_call, size_misfit};
use crate::collective::{Ends, Flow, What, what};
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering, Origin, Verdict, View, rank_list};
use crate::waits::Knot;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;
use trace_format::catalogue::{COLLECTIVE_ARGUMENT_MISMATCH, CheckInfo};
use trace_format::definition::{GROUP_EMPTY, Id};
use trace_format::mpi::special::UNDEFINED;
use trace_format::mpi::{Coll, FnId, Kind};
use trace_format::names::{NoNames, format_int};
use trace_format::ranks::Ranks;
use trace_reader::args::Arg;
use trace_reader::call::Value;

pub(super) static CHECK: &CheckInfo = &COLLECTIVE_ARGUMENT_MISMATCH;

/// Parameters whose values must be the same on all ranks.
fn common(what: What) -> &'static [&'static str] {
    use Coll::*;
    match what {
        What::Coll(CartCreate) => &["ndims", "dims", "periods", "reorder"],
        What::Coll(GraphCreate) => &["nnodes", "index", "edges", "reorder"],
        What::Coll(DistGraphCreate | DistGraphCreateAdjacent) => &["reorder"],
        What::Coll(IntercommMerge) => &["high"],
        What::Coll(CommSplitType) => &["split_type"],
        What::Coll(WinFence) => &["assert"],
        What::Coll(FileOpen) => &["amode"],
        What::Coll(FileSetView) => &["etype", "datarep"],
        What::Coll(FileSetSize | FilePreallocate) => &["size"],
        What::Coll(FileSetAtomicity) => &["flag"],
        What::Coll(FileSeekShared) => &["offset", "whence"],
        What::Group(FnId::MPI_Intercomm_create) => &["local_leader"],
        _ => &[],
    }
}

/// Has the function arguments besides root, operation, counts and types that ranks must agree on?
pub(super) fn compares(what: What) -> bool {
    what == What::Coll(Coll::CommCreate) || !common(what).is_empty()
}

/// The value of a parameter as far as it must agree; `None` if the rank may say what it likes, or it is not known.
fn value(v: &View, name: &str, model: &Model) -> Option<Value> {
    let place = v.call.func.row().param(name)?;
    let kind = v.call.func.row().params[place].kind;
    Some(match (kind, v.call.arg(place)) {
        (_, Arg::None) => return None,
        // Any integer but 0 is true.
        (Kind::Flag, Arg::Int(flag)) => Value::Int(i64::from(flag != 0)),
        (Kind::Flag, Arg::Ints(flags)) => Value::Ints(flags.iter().map(|f| i64::from(*f != 0)).collect()),
        (Kind::Datatype, Arg::Int(id)) => Value::Int(model.extent(v.rank, id as Id).filter(|extent| *extent != 0)?),
        (Kind::Const, Arg::Int(asserted)) if name == "assert" => Value::Int(asserted & fence_bits(model)?),
        (Kind::Const, Arg::Int(v)) if v == i64::from(UNDEFINED) => return None,
        (_, other) => other.into(),
    })
}

/// The assertions that all ranks must give alike in MPI_Win_fence (MPI 4.1 section 12.5.1), where they are known.
fn fence_bits(model: &Model) -> Option<i64> {
    FENCE.iter().map(|name| model.constants.get(*name).copied()).try_fold(0, |all, bit| Some(all | bit?))
}

const FENCE: [&str; 2] = ["MPI_MODE_NOPRECEDE", "MPI_MODE_NOSUCCEED"];

/// Names of the constants that a parameter is made of.
const CONSTANTS: [(&str, &[&str]); 4] = [
    ("assert", &FENCE),
    (
        "amode",
        &[
            "MPI_MODE_RDONLY",
            "MPI_MODE_RDWR",
            "MPI_MODE_WRONLY",
            "MPI_MODE_CREATE",
            "MPI_MODE_EXCL",
            "MPI_MODE_DELETE_ON_CLOSE",
            "MPI_MODE_UNIQUE_OPEN",
            "MPI_MODE_SEQUENTIAL",
            "MPI_MODE_APPEND",
        ],
    ),
    (
        "split_type",
        &[
            "MPI_COMM_TYPE_SHARED",
            "MPI_COMM_TYPE_HW_GUIDED",
            "MPI_COMM_TYPE_HW_UNGUIDED",
            "MPI_COMM_TYPE_RESOURCE_GUIDED",
        ],
    ),
    ("whence", &["MPI_SEEK_SET", "MPI_SEEK_CUR", "MPI_SEEK_END"]),
];

/// A constant, or several that are combined, by name.
fn constant(value: i64, name: &str, model: &Model) -> Option<String> {
    let (_, names) = CONSTANTS.iter().find(|(parameter, _)| *parameter == name)?;
    let named = || names.iter().filter_map(|name| Some((*name, *model.constants.get(*name)?)));
    if let Some((name, _)) = named().find(|(_, v)| *v == value) {
        return Some(name.to_owned());
    }
    if name == "assert" && value == 0 {
        return Some(format!("neither {} nor {}", FENCE[0], FENCE[1]));
    }
    let parts: Vec<(&str, i64)> = named().filter(|(_, v)| *v != 0 && value & v == *v).collect();
    let whole = parts.iter().fold(0, |all, (_, v)| all | v) == value && matches!(name, "assert" | "amode");
    (whole && !parts.is_empty()).then(|| parts.iter().map(|p| p.0).collect::<Vec<_>>().join("|"))
}

fn in_words(v: &View, name: &str, value: &Value, model: &Model) -> String {
    let kind = v.call.func.row().param(name).map_or(Kind::Int, |place| v.call.func.row().params[place].kind);
    match (kind, value) {
        (Kind::Const, Value::Int(v)) => constant(*v, name, model).unwrap_or_else(|| v.to_string()),
        (Kind::Datatype, Value::Int(extent)) => format!("a type of extent {extent}"),
        (_, Value::Int(v)) => format_int(kind, *v, &NoNames),
        (_, Value::Ints(all)) => {
            let mut items: Vec<String> = all.iter().take(8).map(i64::to_string).collect();
            if all.len() > 8 {
                items.push(format!("... {} values", all.len()));
            }
            format!("[{}]", items.join(","))
        }
        (_, Value::Str(text)) => format!("{text:?}"),
        _ => "?".into(),
    }
}

pub(super) fn rule(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    let Some(first) = g.views().next() else { return Verdict::Fine };
    if first.coll() == What::Coll(Coll::CommCreate) {
        return groups(g, model, findings);
    }
    // MPI_Intercomm_merge: within a group.
    let low = model.comms.list[g.comm].a.len();
    let merge = first.coll() == What::Coll(Coll::IntercommMerge);
    let side = |v: &View| merge && v.position >= low;
    for name in common(first.coll()) {
        for high in [false, true] {
            let all: Vec<(View, Value)> = g
                .views()
                .filter(|v| side(v) == high)
                .filter_map(|v| value(&v, name, model).map(|value| (v, value)))
                .collect();
            if all.windows(2).all(|w| w[0].1 == w[1].1) {
                continue;
            }
            let says: Vec<(i32, String)> =
                all.iter().map(|(v, value)| (v.rank, in_words(v, name, value, model))).collect();
            let function = first.call.name();
            let message = format!("the ranks pass different values for `{name}` of {function}: {}", answers(&says));
            let parts =
                all.iter().map(|(v, value)| (v.call.clone(), format!("passes {}", in_words(v, name, value, model))));
            let sites = grouped(model, parts.collect::<Vec<_>>());
            findings.add(model, Draft::new(CHECK, message, sites).ranks(all.iter().map(|(v, _)| v.rank)));
            return Verdict::Wrong;
        }
    }
    Verdict::Fine
}

/// The group that a call names.
fn group_of<'a>(call: &Origin, model: &'a Model) -> Option<&'a Ranks> {
    static EMPTY: LazyLock<Ranks> = LazyLock::new(Ranks::default);
    let place = call.func.row().param("group")?;
    let Arg::Int(id) = call.arg(place) else { return None };
    match id as Id {
        GROUP_EMPTY => Some(&*EMPTY),
        id => model.ranks[call.rank as usize].objects.groups.get(&id),
    }
}

/// MPI 4.1 section 7.4.2: all members of a group that is passed must pass it, in the same order.
fn groups(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    if model.comms.list[g.comm].b.is_some() {
        return Verdict::Fine;
    }
    let passed: FxHashMap<i32, &Ranks> =
        g.views().filter_map(|v| group_of(v.call, model).map(|group| (v.rank, group))).collect();
    let mut seen: FxHashSet<&Ranks> = FxHashSet::default();
    for v in g.views() {
        let Some(group) = passed.get(&v.rank).filter(|group| seen.insert(group)) else { continue };
        let mut members = group.iter().filter_map(|rank| passed.get(&rank).map(|other| (rank, other)));
        let Some((rank, other)) = members.find(|(_, other)| *other != group) else { continue };
        let name = |group: &Ranks| if group.is_empty() { "an empty group".into() } else { format!("{{{group}}}") };
        let message = format!(
            "in MPI_Comm_create rank {} passes the group {}, but rank {rank}, which is in it, passes {}",
            v.rank,
            name(group),
            name(other)
        );
        let sites = grouped(
            model,
            said(g, |v| format!("passes {}", passed.get(&v.rank).map_or_else(|| "a group".into(), |g| name(g)))),
        );
        findings.add(model, Draft::new(CHECK, message, sites).ranks(g.views().map(|v| v.rank)));
        return Verdict::Wrong;
    }
    Verdict::Fine
}

/// Counts of a reduction.
pub(super) fn counts(_: &Gathering, flows: &[Flow], model: &Model, findings: &mut Findings) -> bool {
    flows.iter().all(|f| f.ends == Ends::Contributions) && size_misfit(CHECK, flows, model, findings)
}

/// The parameters that tell one call of a group from another, by name.
fn told_apart_by(func: FnId) -> &'static [&'static str] {
    match func {
        FnId::MPI_Comm_create_group => &["tag", "group"],
        FnId::MPI_Comm_create_from_group => &["stringtag", "group"],
        FnId::MPI_Intercomm_create => &["tag"],
        _ => &[],
    }
}

/// The values that the calls of a knot pass for a parameter, if they do not all pass the same.
fn differing(knot: &Knot, e: &Ending, model: &Model) -> Option<(&'static str, Vec<(i32, String)>)> {
    let calls = same_call(knot, e)?;
    let in_words = |call: &Origin, name: &str| match name {
        "group" => group_of(call, model).map(|g| format!("{{{g}}}")),
        _ => match call.arg(call.func.row().param(name)?) {
            Arg::Int(tag) => Some(tag.to_string()),
            Arg::Str(text) => Some(format!("{text:?}")),
            _ => None,
        },
    };
    for name in told_apart_by(calls[0].func) {
        let says: Option<Vec<_>> = calls.iter().map(|c| Some((c.rank, in_words(c, name)?))).collect();
        let says = says?;
        // Different groups in a circle of several ranks are calls in the wrong order.
        let pair = *name != "group" || knot.ranks.len() == 2;
        if pair && says.iter().any(|s| s.1 != says[0].1) {
            return Some((name, says));
        }
    }
    None
}

/// Do the ranks wait for each other because their arguments do not say the same?
pub(super) fn explains(knot: &Knot, e: &Ending, model: &Model) -> bool {
    differing(knot, e, model).is_some()
}

/// Calls that make a communicator for a group and do not find each other.
pub(super) fn end(e: &Ending, model: &Model, findings: &mut Findings) {
    for (i, knot, _) in explained(e, model).filter(|(_, _, check)| std::ptr::eq(*check, CHECK)) {
        let (Some((name, says)), Some(calls)) = (differing(knot, e, model), same_call(knot, e)) else { continue };
        debug_assert!(matches!(what(calls[0].func), What::Group(_)));
        let message = format!(
            "{} wait for each other in {}, since they pass different values for `{name}`: {}",
            rank_list(&knot.ranks),
            calls[0].name(),
            answers(&says)
        );
        let parts = calls.iter().zip(&says).map(|(call, (_, value))| ((*call).clone(), format!("passes {value}")));
        let sites = grouped(model, parts.collect::<Vec<_>>());
        let mut draft = Draft::new(CHECK, message, sites).ranks(knot.ranks.iter().copied());
        note_behind(&mut draft, e, i);
        findings.add(model, draft);
    }
}
