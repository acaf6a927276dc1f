//! The checks: each turns facts of the engine into findings of its kind. One file a check; the list is below.
//! What a check means is in the catalogue (`trace-format/src/catalogue/`).

use crate::engine::Model;
use crate::engine::collective::{Gathering, Verdict, View};
use crate::engine::concurrent::Misuse;
use crate::engine::ending::Ending;
use crate::engine::facts::{Origin, Report, Site, rank_list};
use crate::engine::flows::{Flow, misfits};
use crate::engine::p2p::Message;
use std::sync::Arc;
use trace_format::catalogue::CheckInfo;

mod in_process;

/// What a check looks at.
pub(crate) enum Rule {
    /// A send and the receive that got its message, where the two are not obviously alike. True: the message is
    /// done with, later rules do not see it.
    Message(fn(&Message, &Model, &mut Report) -> bool),
    /// Two calls of two threads that were at the same thing at once.
    Misuse(fn(&Misuse, &Model, &mut Report)),
    /// The parts of one collective operation.
    Parts(fn(&Gathering, &Model, &mut Report) -> Verdict),
    /// What one collective operation moves and does not fit; one of them at least.
    Flows(fn(&Gathering, &[Flow], &Model, &mut Report) -> bool),
    /// The end of the run.
    End(fn(&Ending, &Model, &mut Report)),
}

macro_rules! checks {
    ($( $module:ident: $stage:ident ),* $(,)?) => {
        $( mod $module; )*
        /// Every check with its rule. Within a stage the order says which cause wins over which consequence.
        static RULES: &[(&CheckInfo, Rule)] = &[ $( ($module::CHECK, Rule::$stage($module::rule)) ),* ];
    };
}

checks! {
    wrong_data_type: Message,
    wrong_send_size: Message,
    concurrent_misuse: Misuse,
    collective_mismatch: Parts,
    wrong_root: Parts,
    diff_reductions: Parts,
    in_place_misuse: Parts,
    collective_data_type: Flows,
    wrong_recv_size: Flows,
    abend: End,
    abort: End,
    incomplete_call: End,
    thread_level: End,
    mpi_error: End,
    missing_finalize: End,
    unfinished_send: End,
    unfinished_recv: End,
    nonfreed_request: End,
    nonpaired_send: End,
    nonpaired_recv: End,
    incomplete_gop: End,
    unfinished_gop: End,
    real_deadlock: End,
    real_hang_up: End,
}

/// A message whose two halves are not obviously alike.
pub(crate) fn message(model: &mut Model, message: &Message) {
    let mut report = std::mem::take(&mut model.report);
    for (_, rule) in RULES {
        if let Rule::Message(rule) = rule
            && rule(message, model, &mut report)
        {
            break;
        }
    }
    model.report = report;
}

/// Two calls of two threads that were at the same thing at once.
pub(crate) fn misuse(model: &mut Model, misuse: &Misuse) {
    let mut report = std::mem::take(&mut model.report);
    for (_, rule) in RULES {
        if let Rule::Misuse(rule) = rule {
            rule(misuse, model, &mut report);
        }
    }
    model.report = report;
}

/// The parts of a collective operation.
pub(crate) fn collective(model: &mut Model, g: &Gathering) -> Verdict {
    let mut report = std::mem::take(&mut model.comms.list[g.comm as usize].report);
    let mut verdict = Verdict::Fine;
    if !agree(g) || !in_place_misuse::agree(g) {
        for (_, rule) in RULES {
            if let Rule::Parts(rule) = rule
                && verdict < Verdict::Broken
            {
                verdict = verdict.max(rule(g, model, &mut report));
            }
        }
    }
    if verdict < Verdict::Broken {
        let flows = misfits(model, g);
        if !flows.is_empty() {
            verdict = Verdict::Wrong;
            for (_, rule) in RULES {
                if let Rule::Flows(rule) = rule
                    && rule(g, &flows, model, &mut report)
                {
                    break;
                }
            }
        }
    }
    model.comms.list[g.comm as usize].report = report;
    verdict
}

/// Do all parts name the same function, root and reduction operation? The quick way through for nearly all.
fn agree(g: &Gathering) -> bool {
    let mut views = g.views();
    let Some(first) = views.next() else { return true };
    let (coll, root, op) = (first.coll(), first.root(), first.op());
    views.all(|v| v.coll() == coll && v.root() == root && v.op() == op)
}

/// The end of the run.
pub(crate) fn end(ending: &Ending, model: &Model, report: &mut Report) {
    in_process::rule(ending, model, report);
    for (_, rule) in RULES {
        if let Rule::End(rule) = rule {
            rule(ending, model, report);
        }
    }
}

/// More places than this are not listed in one finding.
const MAX_SITES: usize = 8;

/// One site for all ranks that say the same from the same place: `ranks 1-3: MPI_SUM`.
fn grouped(model: &Model, parts: impl IntoIterator<Item = (Arc<Origin>, String)>) -> Vec<Site> {
    let mut groups: Vec<(u64, String, Arc<Origin>, Vec<i32>)> = Vec::new();
    for (call, says) in parts {
        let place = model.place(&call);
        match groups.iter_mut().find(|g| g.0 == place && g.1 == says) {
            Some(g) => g.3.push(call.rank),
            None => groups.push((place, says, call.clone(), vec![call.rank])),
        }
    }
    let more = groups.len().saturating_sub(MAX_SITES);
    groups.truncate(MAX_SITES);
    let mut sites: Vec<Site> = groups
        .into_iter()
        .map(|(_, says, call, ranks)| {
            let role = if ranks.len() == 1 { says } else { format!("{}: {says}", rank_list(&ranks)) };
            Site::new(&call, role)
        })
        .collect();
    if more > 0
        && let Some(last) = sites.last_mut()
    {
        last.role = format!("{} ({more} more places)", last.role);
    }
    sites
}

/// What the parts of a collective say, most common answer first, in words: `ranks 1-3 name MPI_SUM, rank 0 MPI_MAX`.
fn answers(answers: &[(i32, String)]) -> String {
    let mut groups: Vec<(&str, Vec<i32>)> = Vec::new();
    for (rank, says) in answers {
        match groups.iter_mut().find(|g| g.0 == says) {
            Some(g) => g.1.push(*rank),
            None => groups.push((says, vec![*rank])),
        }
    }
    let more = groups.len().saturating_sub(4);
    let mut parts: Vec<String> =
        groups.iter().take(4).map(|(says, ranks)| format!("{} {says}", rank_list(ranks))).collect();
    if more > 0 {
        parts.push(format!("{more} more answers"));
    }
    parts.join(", ")
}

/// The calls of all parts with what each says.
fn said<'a>(g: &Gathering<'a>, says: impl Fn(&View<'a>) -> String) -> Vec<(Arc<Origin>, String)> {
    g.views().map(|v| (v.call.clone(), says(&v))).collect()
}

/// Sites of flows that do not fit: who sends and who expects what.
fn flow_sites(model: &Model, flows: &[&Flow]) -> Vec<Site> {
    let all = &model.signatures;
    let mut parts: Vec<(Arc<Origin>, String)> = Vec::new();
    let mut push = |call: &Arc<Origin>, says: String| {
        if !parts.iter().any(|p| p.0.rank == call.rank && p.1 == says) {
            parts.push((call.clone(), says));
        }
    };
    for f in flows {
        let (sent, expected) = (all.describe(f.sent), all.describe(f.expected));
        if f.alike {
            push(f.to.call, format!("takes part with {expected}"));
            push(f.from.call, format!("takes part with {sent}"));
        } else {
            push(f.from.call, format!("sends {sent}"));
            push(f.to.call, format!("expects {expected}"));
        }
    }
    parts.sort_by_key(|p| p.0.rank);
    grouped(model, parts)
}

/// Ranks at the ends of flows.
fn flow_ranks(flows: &[&Flow]) -> Vec<i32> {
    let mut ranks: Vec<i32> = flows.iter().flat_map(|f| [f.from.rank, f.to.rank]).collect();
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::catalogue::{CHECKS, Side};

    #[test]
    fn every_entry_of_the_catalogue_has_one_rule_and_a_page() {
        let in_process = |check: &CheckInfo| {
            let rule = concat!(env!("CARGO_MANIFEST_DIR"), "/../interposer/src/checks/");
            std::path::Path::new(rule).join(check.name.replace('-', "_")).with_extension("rs").exists()
        };
        for check in CHECKS {
            let rules = RULES.iter().filter(|(c, _)| std::ptr::eq(*c, *check)).count();
            assert!(rules <= 1, "{} has {rules} rules here", check.name);
            // What a process decides by itself may need the other ranks in further cases.
            let inside = check.side == Side::Dynamic && in_process(check);
            assert!(rules == 1 || inside, "{} has no rule", check.name);
            assert!(check.doc.contains("```trace"), "{} has no example", check.name);
        }
        for (check, _) in RULES {
            assert!(CHECKS.iter().any(|c| std::ptr::eq(*c, *check)), "{} is not in the catalogue", check.name);
        }
    }
}
