//! `comm-free-mismatch`: see `trace_format::catalogue::COMM_FREE_MISMATCH`.

use super::{MAX_SITES, answers, explained, grouped, note_behind, said, same_call};
use crate::arg_places::{NONE, arg_places};
use crate::collective::{What, is_free, what};
use crate::ending::{Ending, Step};
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering, Origin, Verdict, rank_list};
use crate::waits::Knot;
use trace_format::catalogue::{COMM_FREE_MISMATCH, CheckInfo};
use trace_format::definition::Id;
use trace_format::finding::Severity;
use trace_format::mpi::{Class, Coll, FnId, Kind};
use trace_reader::args::Arg;

pub(super) static CHECK: &CheckInfo = &COMM_FREE_MISMATCH;

fn frees(what: What) -> bool {
    matches!(what, What::Coll(coll) if is_free(coll))
}

/// Does a collective make an object out of the one that it is called on?
fn makes(func: FnId) -> bool {
    let s = arg_places(func);
    matches!(s.class, Class::Collective(..)) && [s.new_comm, s.new_win, s.new_file].iter().any(|place| *place != NONE)
}

/// The kind of object that a call is about.
fn object(call: &Origin) -> &'static str {
    match arg_places(call.func).ordering_object().0 {
        Kind::Win => "window",
        Kind::File => "file",
        _ => "communicator",
    }
}

/// One rank frees a communicator that others still use. For windows and files that is a `collective-mismatch`.
pub(super) fn rule(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    let mut kinds = g.views().map(|v| v.coll());
    let first = kinds.next();
    if kinds.all(|k| Some(k) == first) {
        return Verdict::Fine;
    }
    if !g.views().any(|v| matches!(v.coll(), What::Coll(Coll::CommFree | Coll::CommDisconnect))) {
        return Verdict::Fine;
    }
    let says: Vec<(i32, String)> = g.views().map(|v| (v.rank, format!("in {}", v.call.name()))).collect();
    let message = format!("a communicator is freed in the place of another operation on it: {}", answers(&says));
    let sites = grouped(model, said(g, |v| format!("calls {}", v.call.name())));
    let draft = Draft::new(CHECK, message, sites).ranks(g.views().map(|v| v.rank));
    findings.add(model, draft.note("what follows on this communicator is not checked: it follows from this"));
    Verdict::Spoiled
}

/// Do the ranks wait for each other in the same call on different objects?
pub(super) fn explains(knot: &Knot, e: &Ending, model: &Model) -> bool {
    let Some(calls) = same_call(knot, e) else { return false };
    let func = calls[0].func;
    if !frees(what(func)) && !makes(func) {
        return false;
    }
    let mut objects: Vec<_> = calls.iter().filter_map(|c| object_number(c, model)).collect();
    let known = objects.len() == calls.len();
    objects.sort_unstable();
    objects.dedup();
    known && objects.len() == calls.len()
}

/// The object that a collective is called on.
fn object_number(call: &Origin, model: &Model) -> Option<u32> {
    let (kind, place) = arg_places(call.func).ordering_object();
    let Arg::Int(id) = call.arg(place.into()) else { return None };
    let member = model.ranks[call.rank as usize].objects.members.get(&(kind, id as Id))?;
    member.map(|m| m.ix)
}

pub(super) fn end(e: &Ending, model: &Model, findings: &mut Findings) {
    for (i, knot, _) in explained(e, model).filter(|(_, _, check)| std::ptr::eq(*check, CHECK)) {
        let Some(calls) = same_call(knot, e) else { continue };
        let message = format!(
            "{} wait for each other in {}, each on another {}",
            rank_list(&knot.ranks),
            calls[0].name(),
            object(calls[0])
        );
        let sites = grouped(model, calls.iter().map(|c| ((*c).clone(), e.graph.role(c.rank))).collect::<Vec<_>>());
        let mut draft = Draft::new(CHECK, message, sites).ranks(knot.ranks.iter().copied());
        note_behind(&mut draft, e, i);
        findings.add(model, draft);
    }
    let circle = model.circle_of_frees();
    let (Some(one), Some(other)) = (circle.first(), circle.get(1)) else { return };
    let ranks = |edge: &[Step]| edge.iter().map(|s| s.first.rank).collect::<Vec<i32>>();
    let mut kinds: Vec<&str> = circle.iter().flatten().map(|s| object(&s.first)).collect();
    kinds.dedup();
    let objects = if let [one] = kinds[..] { one } else { "object" };
    let message = match circle.len() {
        2 => format!(
            "{} and {} free two {objects}s in different orders",
            rank_list(&ranks(one)),
            rank_list(&ranks(other))
        ),
        n => format!("the ranks free {n} {objects}s in different orders, each before the next in a cycle"),
    };
    let parts = circle.iter().flatten().flat_map(|s| {
        [(s.first.clone(), "frees this one first".to_owned()), (s.then.clone(), "then this one".to_owned())]
    });
    let mut sites = grouped(model, parts.collect::<Vec<_>>());
    sites.truncate(MAX_SITES);
    // It got through: no library is known to wait there, and none promises not to.
    let draft = Draft::new(CHECK, message, sites).severity(Severity::Warning);
    findings.add(
        model,
        draft
            .ranks(circle.iter().flat_map(|edge| ranks(edge)))
            .note("a deadlock where these calls wait for the other ranks, which they may do and did not here"),
    );
}
