//! `neighbour-mismatch`: see `trace_format::catalogue::NEIGHBOUR_MISMATCH`.

use super::{flow_ranks, flow_sites, grouped};
use crate::collective::{Flow, LoneEdge, Misfit, lone_edges};
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering, Origin, Site, Verdict, View};
use std::rc::Rc;
use trace_format::catalogue::{CheckInfo, NEIGHBOUR_MISMATCH};
use trace_format::finding::Severity;

pub(super) static CHECK: &CheckInfo = &NEIGHBOUR_MISMATCH;

/// Edges that only one of their ends names when the graph is made.
pub(super) fn creation(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    let lone = lone_edges(g);
    let Some(first) = lone.first() else { return Verdict::Fine };
    let pairs: Vec<Pair> = lone.iter().map(Pair::of_lone).collect();
    let message = format!("in {} {}", first.from.call.name(), in_words(&pairs));
    let note = "what follows on this communicator is not checked: it follows from this";
    findings.add(model, draft_of(model, message, &pairs).note(note));
    Verdict::Wrong
}

/// Blocks that do not fit between neighbours.
pub(super) fn rule(_: &Gathering, flows: &[Flow], model: &Model, findings: &mut Findings) -> bool {
    let uneven: Vec<Pair> = flows.iter().filter_map(Pair::of_flow).collect();
    let draft = if uneven.is_empty() { of_blocks(flows, model) } else { of_uneven(flows, &uneven, model) };
    let is_told = draft.is_some();
    draft.into_iter().for_each(|draft| findings.add(model, draft));
    is_told
}

fn of_blocks(flows: &[Flow], model: &Model) -> Option<Draft> {
    let is_formal = |f: &Flow| matches!(f.misfit, Misfit::Type(d) if d.formal);
    let only_formal = flows.iter().all(is_formal);
    let wrong: Vec<&Flow> = flows.iter().filter(|f| only_formal || !is_formal(f)).collect();
    let f = wrong.first()?;
    let (sent, expected) = (model.signatures.describe(f.sent), model.signatures.describe(f.expected));
    let (name, from, to, edge) = (f.from.call.name(), f.from.rank, f.to.rank, f.edge?);
    let message = format!(
        "in {name} rank {from} sends {sent} to rank {to}, its destination {}, which expects {expected} from its source {}",
        edge.out, edge.into
    );
    let mut draft = Draft::new(CHECK, message, flow_sites(model, &wrong)).ranks(flow_ranks(&wrong));
    if only_formal {
        let note =
            "the two types look the same in memory here, so that the data arrive; the standard does not promise it";
        draft = draft.severity(Severity::Warning).note(note);
    }
    if edge.both_ways {
        let note =
            "the two are neighbours in both directions: what goes in the negative one comes from the positive one";
        draft = draft.note(note);
    }
    Some(draft)
}

/// A graph of MPI_Graph_create that is not symmetric, and data that are to go along it.
fn of_uneven(flows: &[Flow], pairs: &[Pair], model: &Model) -> Option<Draft> {
    let name = flows.first()?.from.call.name();
    let message = format!("{name} is called on a graph that is not symmetric: {}", in_words(pairs));
    Some(draft_of(model, message, pairs))
}

/// Two processes that do not name each other as often, and what their calls say.
struct Pair<'a> {
    ends: [View<'a>; 2],
    says: [String; 2],
}

impl<'a> Pair<'a> {
    fn of_lone(edge: &LoneEdge<'a>) -> Pair<'a> {
        let ends = [edge.from, edge.to];
        Pair { ends, says: [names(edge.to, edge.outs, "destination"), names(edge.from, edge.ins, "source")] }
    }

    fn of_flow(flow: &Flow<'a>) -> Option<Pair<'a>> {
        let Misfit::Edges { outs, ins } = flow.misfit else { return None };
        let ends = [flow.from, flow.to];
        Some(Pair { ends, says: [names(flow.to, outs, "neighbour"), names(flow.from, ins, "neighbour")] })
    }
}

fn names(other: View, times: usize, what: &str) -> String {
    let rank = other.rank;
    match times {
        0 => format!("does not name rank {rank} as a {what}"),
        1 => format!("names rank {rank} as a {what}"),
        n => format!("names rank {rank} as a {what} {n} times"),
    }
}

/// The first of the pairs, and how many there are.
fn in_words(pairs: &[Pair]) -> String {
    let Some(Pair { ends: [from, to], says: [one, other] }) = pairs.first() else { return String::new() };
    let more = match pairs.len() - 1 {
        0 => String::new(),
        1 => " (and 1 more edge)".into(),
        n => format!(" (and {n} more edges)"),
    };
    format!("rank {} {one}, but rank {} {other}{more}", from.rank, to.rank)
}

fn draft_of(model: &Model, message: String, pairs: &[Pair]) -> Draft {
    let mut ranks: Vec<i32> = pairs.iter().flat_map(|p| p.ends.map(|v| v.rank)).collect();
    ranks.sort_unstable();
    ranks.dedup();
    Draft::new(CHECK, message, sites_of(model, pairs)).ranks(ranks)
}

/// One site for each call, with all that it says.
fn sites_of(model: &Model, pairs: &[Pair]) -> Vec<Site> {
    /// Words on one call, at most.
    const MOST: usize = 3;
    let mut calls: Vec<(&Rc<Origin>, Vec<&str>)> = Vec::new();
    for (view, words) in pairs.iter().flat_map(|p| p.ends.iter().zip(&p.says)) {
        match calls.iter_mut().find(|c| Rc::ptr_eq(c.0, view.call)) {
            Some((_, said)) if said.len() > MOST || said.contains(&words.as_str()) => {}
            Some((_, said)) => said.push(if said.len() == MOST { "..." } else { words }),
            None => calls.push((view.call, vec![words])),
        }
    }
    calls.sort_by_key(|c| c.0.rank);
    grouped(model, calls.into_iter().map(|(call, said)| (call.clone(), said.join(", "))))
}
