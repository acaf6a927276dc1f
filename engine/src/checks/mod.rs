//! The checks: each turns facts of the engine into findings of its kind. One file a check; the list is below.
//! The catalogue says what a check means (`trace-format/src/catalogue/`).

mod consequences;
mod in_process;

use crate::collective::{self, Ends, Flow, Misfit, What, misfit, misfits, start_of};
use crate::ending::Ending;
use crate::model::{Model, Rules};
use crate::state::{
    AccessConflict, CommIx, Damage, DescribedPair, Draft, FileConflict, Findings, Gathering, Holder, Message, Misuse,
    Origin, OutOfRange, Site, Spoilt, UnlikeSides, Untrue, Verdict, View, WrongResult, rank_list,
};
use crate::waits::Knot;
pub use abend::name as signal_name;
pub(crate) use buffer_type::{unlike, unlike_array};
pub(crate) use consequences::relate;
use std::collections::BTreeSet;
use std::rc::Rc;
use trace_format::catalogue::CheckInfo;
use trace_format::mpi::FnId;

/// The facts that a check looks at.
pub(crate) enum Rule {
    /// A send and the receive that got its message, where the two are not obviously alike. True: the message is
    /// done with, later rules do not see it.
    Message(fn(&Message, &Model, &mut Findings) -> bool),
    /// A message whose data have arrived changed.
    Damage(fn(&Damage, &Model, &mut Findings)),
    /// Data of one collective operation that have arrived changed; some at least.
    Spoilt(fn(&[Spoilt], &Model, &mut Findings)),
    /// A reduction of which some results are wrong; one of them at least.
    Result(fn(&[WrongResult], &Model, &mut Findings)),
    /// Two calls of two threads that were at the same thing at once.
    Misuse(fn(&Misuse, &Model, &mut Findings)),
    /// A partitioned send and its receive that do not describe the same data.
    Partitioned(fn(&DescribedPair, Misfit, &Model, &mut Findings)),
    /// Two accesses to a window that must not overlap.
    Accesses(fn(&AccessConflict, &Model, &mut Findings)),
    /// Two accesses to a file that nothing separates.
    FileAccesses(fn(&FileConflict, &Model, &mut Findings)),
    /// An assertion of a call of synchronization that is not true.
    Untrue(fn(&Untrue, &Model, &mut Findings)),
    /// Processes that would wait for each other's locks.
    Locks(fn(&[Holder], &Model, &mut Findings)),
    /// An access beyond the memory of its target.
    Range(fn(&OutOfRange, &Model, &mut Findings)),
    /// An access whose two sides differ in type.
    Sides(fn(&UnlikeSides, &Model, &mut Findings)),
    /// The parts of one collective operation.
    Parts(fn(&Gathering, &Model, &mut Findings) -> Verdict),
    /// The data that one collective operation moves and that do not fit; one of them at least.
    Flows(fn(&Gathering, &[Flow], &Model, &mut Findings) -> bool),
    /// The data that one neighbourhood collective moves and that do not fit.
    Edges(fn(&Gathering, &[Flow], &Model, &mut Findings) -> bool),
    /// The end of the run.
    End(fn(&Ending, &Model, &mut Findings)),
}

/// `module: stage` for the function `rule` of the module; `+ stage = function` for what it does in other stages.
macro_rules! checks {
    ($( $module:ident: $stage:ident $(+ $other:ident = $function:ident)* ),* $(,)?) => {
        $( mod $module; )*
        /// Every check with its rules. Within a stage the order says which cause wins over which consequence.
        static RULES: &[(&CheckInfo, Rule)] = &[ $(
            ($module::CHECK, Rule::$stage($module::rule)),
            $( ($module::CHECK, Rule::$other($module::$function)), )*
        )* ];
    };
}

checks! {
    wrong_data_type: Message,
    wrong_send_size: Message,
    incorrect_send_size: Message,
    recv_checksum: Damage,
    collective_recv_checksum: Spoilt + Result = result,
    concurrent_misuse: Misuse,
    partitioned_mismatch: Partitioned,
    rma_conflict: Accesses,
    rma_local_race: Accesses,
    rma_epoch: Untrue,
    rma_range: Range,
    rma_type_mismatch: Sides,
    comm_free_mismatch: Parts + End = end,
    collective_mismatch: Parts,
    collective_blocking_mix: Parts,
    wrong_root: Parts,
    diff_reductions: Parts,
    in_place_misuse: Parts,
    neighbour_mismatch: Edges + Parts = creation,
    collective_data_type: Flows,
    collective_argument_mismatch: Parts + Flows = counts + End = end,
    wrong_recv_size: Flows,
    incorrect_recv_size: Flows,
    buffer_type: End,
    buffer_too_small: End,
    abend: End,
    abort: End,
    incomplete_call: End,
    thread_level: End,
    finalize_misuse: End,
    file_misuse: End,
    ignored_io_error: End,
    mpi_error: End,
    early_exit_others_wait: End,
    missing_finalize: End,
    unfinished_send: End,
    unfinished_recv: End,
    nonfreed_request: End,
    nonpaired_send: End,
    nonpaired_recv: End,
    incomplete_gop: End,
    unfinished_gop: End,
    grequest_misuse: End,
    partitioned_misuse: End,
    real_deadlock: End,
    real_hang_up: End,
    no_progress: End,
    potential_deadlock: End + Locks = locks,
    potential_hang_up: End,
    message_race: End,
    probe_receive_race: End,
    file_conflict: FileAccesses,
}

/// The last calls of ranks that have finished.
pub(crate) fn finished_at(finished: &[i32], model: &Model) -> Vec<Site> {
    let ends = finished.iter().filter_map(|r| {
        let r = &model.ranks[*r as usize];
        r.finalize.clone().or_else(|| r.threads.iter().find_map(|t| t.last.clone()))
    });
    grouped(model, ends.map(|c| (c, "finished here".to_owned())).collect::<Vec<_>>())
}

/// The rules of the checks that are on. One that is off must not take its consequences with it.
fn rules(model: &Model) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(|(check, _)| model.selection.is_on(check)).map(|(_, rule)| rule)
}

/// Runs `judge` with each rule of the checks that are on, the model, and the findings of the run, lent by the model meanwhile.
fn each_rule(model: &mut Model, mut judge: impl FnMut(&Rule, &Model, &mut Findings)) {
    let mut findings = std::mem::take(&mut model.findings);
    rules(model).for_each(|rule| judge(rule, model, &mut findings));
    model.findings = findings;
}

/// The rules of this module, for matching.
pub(crate) struct AllRules;

impl Rules for AllRules {
    fn message(&self, model: &mut Model, message: &Message) {
        let mut is_done = false;
        each_rule(model, |rule, model, findings| match rule {
            Rule::Message(rule) if !is_done => is_done = rule(message, model, findings),
            _ => {}
        });
    }

    fn damage(&self, model: &mut Model, damage: &Damage) {
        each_rule(model, |rule, model, findings| {
            if let Rule::Damage(rule) = rule {
                rule(damage, model, findings);
            }
        });
    }

    fn spoilt(&self, model: &mut Model, comm: CommIx, spoilt: &[Spoilt]) {
        let mut findings = std::mem::take(&mut model.comms.list[comm].findings);
        for rule in rules(model) {
            if let Rule::Spoilt(rule) = rule {
                rule(spoilt, model, &mut findings);
            }
        }
        model.comms.list[comm].findings = findings;
    }

    fn wrong_results(&self, model: &mut Model, comm: CommIx, wrong: &[WrongResult]) {
        let mut findings = std::mem::take(&mut model.comms.list[comm].findings);
        for rule in rules(model) {
            if let Rule::Result(rule) = rule {
                rule(wrong, model, &mut findings);
            }
        }
        model.comms.list[comm].findings = findings;
    }

    fn misuse(&self, model: &mut Model, misuse: &Misuse) {
        each_rule(model, |rule, model, findings| {
            if let Rule::Misuse(rule) = rule {
                rule(misuse, model, findings);
            }
        });
    }

    fn partitioned(&self, model: &mut Model, pair: &DescribedPair) {
        let Some(misfit) = misfit(&mut model.signatures, pair.send.amount, pair.recv.amount) else { return };
        each_rule(model, |rule, model, findings| {
            if let Rule::Partitioned(rule) = rule {
                rule(pair, misfit, model, findings);
            }
        });
    }

    fn access_conflict(&self, model: &mut Model, conflict: &AccessConflict) {
        each_rule(model, |rule, model, findings| {
            if let Rule::Accesses(rule) = rule {
                rule(conflict, model, findings);
            }
        });
    }

    fn file_conflict(&self, model: &mut Model, conflict: &FileConflict) {
        each_rule(model, |rule, model, findings| {
            if let Rule::FileAccesses(rule) = rule {
                rule(conflict, model, findings);
            }
        });
    }

    fn untrue(&self, model: &mut Model, untrue: &Untrue) {
        each_rule(model, |rule, model, findings| {
            if let Rule::Untrue(rule) = rule {
                rule(untrue, model, findings);
            }
        });
    }

    fn lock_knot(&self, model: &mut Model, knot: &[Holder]) {
        each_rule(model, |rule, model, findings| {
            if let Rule::Locks(rule) = rule {
                rule(knot, model, findings);
            }
        });
    }

    fn out_of_range(&self, model: &mut Model, access: &OutOfRange) {
        each_rule(model, |rule, model, findings| {
            if let Rule::Range(rule) = rule {
                rule(access, model, findings);
            }
        });
    }

    fn unlike_sides(&self, model: &mut Model, access: &UnlikeSides) {
        each_rule(model, |rule, model, findings| {
            if let Rule::Sides(rule) = rule {
                rule(access, model, findings);
            }
        });
    }

    fn collective(&self, model: &mut Model, g: &Gathering) -> Verdict {
        let mut findings = std::mem::take(&mut model.comms.list[g.comm].findings);
        let mut verdict = Verdict::Fine;
        if !agree(g) || !in_place_misuse::agree(g) {
            for (check, rule) in RULES {
                if let Rule::Parts(rule) = rule
                    && verdict < Verdict::Broken
                {
                    let said = rule(g, model, &mut findings);
                    // Where the rest cannot be judged, it cannot be judged either if nobody wants to know why.
                    if said >= Verdict::Broken || model.selection.is_on(check) {
                        verdict = verdict.max(said);
                    }
                }
            }
        }
        if verdict < Verdict::Broken {
            let flows = misfits(model, g);
            if !flows.is_empty() {
                let mut told = |rule: &Rule| match rule {
                    Rule::Flows(rule) if !is_among_neighbors(g) => rule(g, &flows, model, &mut findings),
                    Rule::Edges(rule) if is_among_neighbors(g) => rule(g, &flows, model, &mut findings),
                    _ => false,
                };
                if rules(model).any(&mut told) {
                    verdict = Verdict::Wrong;
                }
            }
        }
        model.comms.list[g.comm].findings = findings;
        verdict
    }
}

/// Do all parts name the same function, root and reduction operation, and has it no other argument that must agree?
/// The quick way through for nearly all.
fn agree(g: &Gathering) -> bool {
    let mut views = g.views();
    let Some(first) = views.next() else { return true };
    let (coll, start, root, op) = (first.coll(), start_of(first.call.func), first.root(), first.op());
    !collective_argument_mismatch::compares(coll)
        && views.all(|v| v.coll() == coll && start_of(v.call.func) == start && v.root() == root && v.op() == op)
}

/// Is it a neighbourhood collective?
fn is_among_neighbors(g: &Gathering) -> bool {
    let coll = g.views().next().map(|v| v.coll());
    matches!(coll, Some(What::Coll(coll)) if collective::is_among_neighbors(coll))
}

/// The end of the run.
pub(crate) fn end(ending: &Ending, model: &Model, findings: &mut Findings) {
    in_process::rule(ending, model, findings);
    for rule in rules(model) {
        if let Rule::End(rule) = rule {
            rule(ending, model, findings);
        }
    }
}

/// The last call of a rank.
fn last_call(rank: i32, model: &Model) -> Option<Rc<Origin>> {
    model.ranks[rank as usize].threads.iter().find_map(|t| t.last.clone())
}

/// That ranks ended without ending MPI, in words.
fn departure(left: &[i32], model: &Model) -> String {
    let statuses: Vec<i32> = left.iter().filter_map(|r| model.ranks[*r as usize].exit).collect();
    let status = match statuses[..] {
        [first, ..] if statuses.iter().all(|s| *s == first) => format!(" with exit status {first}"),
        _ => String::new(),
    };
    let by_sessions = |r: &i32| !model.ranks[*r as usize].initialized || model.ranks[*r as usize].finalize.is_some();
    let what = if left.iter().all(by_sessions) { FnId::MPI_Session_finalize } else { FnId::MPI_Finalize };
    format!("{} ended{status} without {}", rank_list(left), what.name())
}

/// Ranks that hold each other, where another check than `real-deadlock` says why.
fn explained<'a>(e: &'a Ending, model: &'a Model) -> impl Iterator<Item = (usize, &'a Knot, &'static CheckInfo)> {
    e.verdict.knots.iter().enumerate().filter_map(|(i, knot)| {
        let check = if collective_argument_mismatch::explains(knot, e, model) {
            collective_argument_mismatch::CHECK
        } else if comm_free_mismatch::explains(knot, e, model) {
            comm_free_mismatch::CHECK
        } else if grequest_misuse::explains(knot, e) {
            grequest_misuse::CHECK
        } else if partitioned_misuse::explains(knot, e) {
            partitioned_misuse::CHECK
        } else {
            return None;
        };
        model.selection.is_on(check).then_some((i, knot, check))
    })
}

/// Ranks that hold each other, with their number, as `real-deadlock` tells of them.
fn real_deadlocks<'a>(e: &'a Ending, model: &'a Model) -> impl Iterator<Item = (usize, &'a Knot)> {
    let on = model.selection.is_on(real_deadlock::CHECK);
    let own = move |i: &usize| on && !explained(e, model).any(|(known, ..)| known == *i);
    e.verdict.knots.iter().enumerate().filter(move |(i, _)| own(i))
}

/// Which of these ranks wait for which. If that is more than [`MAX_EDGES`], a part of them is told, those in the circle first.
fn note_waits(draft: &mut Draft, e: &Ending, ranks: &[i32], circle: &[i32]) {
    let mut told: BTreeSet<i32> = BTreeSet::new();
    let mut left = MAX_EDGES;
    for rank in circle.iter().chain(ranks) {
        let edges = e.graph.edges(*rank);
        if edges <= left && told.insert(*rank) {
            left -= edges;
        }
    }
    for rank in ranks.iter().filter(|rank| told.contains(rank)) {
        e.graph.waits(*rank).for_each(|(call, ranks, any)| draft.waits(call, ranks, any));
    }
    if told.len() < ranks.len() {
        draft.notes.push(format!("for whom they wait is told of {} of these {} ranks", told.len(), ranks.len()));
    }
}

/// The calls that the ranks of a knot wait in, if each waits in one, and all are calls of the same function.
fn same_call<'a>(knot: &Knot, e: &'a Ending) -> Option<Vec<&'a Rc<Origin>>> {
    let mut calls = Vec::new();
    for rank in &knot.ranks {
        let [call] = e.graph.calls(*rank) else { return None };
        calls.push(call);
    }
    calls.windows(2).all(|w| w[0].func == w[1].func).then_some(calls)
}

/// A rank that holds itself (`knot`, the `i`-th), as `message` says.
fn tell_own_wait(
    check: &'static CheckInfo,
    (i, knot): (usize, &Knot),
    message: String,
    (e, model, findings): (&Ending, &Model, &mut Findings),
) {
    let Some(rank) = knot.ranks.first().copied() else { return };
    let mut sites: Vec<Site> = e.graph.roles(rank).map(|(call, role)| Site::new(call, role)).collect();
    sites.extend(e.graph.awaited(rank).iter().cloned());
    let mut draft = Draft::new(check, message, sites).ranks([rank]);
    note_waits(&mut draft, e, &knot.ranks, &[]);
    note_behind(&mut draft, e, i);
    findings.add(model, draft);
}

/// Ranks that wait behind ranks that cannot go on. They are told once, with the first knot: who waits for which is not
/// one sentence where there are several.
fn note_behind(draft: &mut Draft, e: &Ending, knot: usize) {
    if knot == 0 && !e.verdict.behind.is_empty() {
        let verb = if e.verdict.behind.len() == 1 { "waits" } else { "wait" };
        draft.notes.push(format!("{} {verb} behind them", rank_list(&e.verdict.behind)));
    }
}

/// Pairs of ranks of which one waits for the other that are told in one finding.
const MAX_EDGES: usize = 100_000;

/// More places than this are not listed in one finding.
const MAX_SITES: usize = 8;

/// One site for all ranks that say the same from the same place: `ranks 1-3: MPI_SUM`.
fn grouped(model: &Model, parts: impl IntoIterator<Item = (Rc<Origin>, String)>) -> Vec<Site> {
    let mut groups: Vec<(u64, String, Rc<Origin>, Vec<i32>)> = Vec::new();
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

/// The answers of the parts of a collective, most common first, in words: `ranks 1-3 name MPI_SUM, rank 0 MPI_MAX`.
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
fn said<'a>(g: &Gathering<'a>, says: impl Fn(&View<'a>) -> String) -> Vec<(Rc<Origin>, String)> {
    g.views().map(|v| (v.call.clone(), says(&v))).collect()
}

/// Sites of flows that do not fit: who sends and who expects what.
fn flow_sites(model: &Model, flows: &[&Flow]) -> Vec<Site> {
    /// Words on one call, at most.
    const MOST: usize = 4;
    let all = &model.signatures;
    let mut parts: Vec<(Rc<Origin>, Vec<String>)> = Vec::new();
    let mut push = |call: &Rc<Origin>, words: String| match parts.iter_mut().find(|p| Rc::ptr_eq(&p.0, call)) {
        Some((_, said)) if said.contains(&words) || said.len() > MOST => {}
        Some((_, said)) if said.len() == MOST => said.push("...".into()),
        Some((_, said)) => said.push(words),
        None => parts.push((call.clone(), vec![words])),
    };
    for f in flows {
        let (sent, expected) = (all.describe(f.sent), all.describe(f.expected));
        if f.ends != Ends::Transfer {
            push(f.to.call, format!("takes part with {expected}"));
            push(f.from.call, format!("takes part with {sent}"));
        } else {
            push(f.from.call, format!("sends {sent}"));
            push(f.to.call, format!("expects {expected}"));
        }
    }
    parts.sort_by_key(|p| p.0.rank);
    grouped(model, parts.into_iter().map(|(call, said)| (call, said.join(", "))))
}

/// A finding about amounts in a collective operation that do not fit, if there are such.
fn size_misfit(check: &'static CheckInfo, flows: &[Flow], model: &Model, findings: &mut Findings) -> bool {
    let wrong: Vec<&Flow> = flows.iter().filter(|f| f.misfit == Misfit::Amount).collect();
    let Some(f) = wrong.first() else { return false };
    let all = &model.signatures;
    let (sent, expected) = (all.describe(f.sent), all.describe(f.expected));
    let name = f.from.call.name();
    let message = if f.ends != Ends::Transfer {
        format!("in {name} rank {} takes part with {sent}, rank {} with {expected}", f.from.rank, f.to.rank)
    } else {
        format!("in {name} rank {} sends {sent} to rank {}, which expects {expected}", f.from.rank, f.to.rank)
    };
    let mut draft = Draft::new(check, message, flow_sites(model, &wrong)).ranks(flow_ranks(&wrong));
    if f.ends == Ends::WithoutRoot {
        draft = draft.note("the root has not come; whatever it gives or expects, it cannot fit both");
    }
    findings.add(model, draft);
    true
}

/// A finding about a message and a room of different sizes.
fn message_sizes(check: &'static CheckInfo, m: &Message, model: &Model, findings: &mut Findings) {
    findings.add_lazy(model, check, &[&m.send, &m.recv], m.count, || {
        let all = &model.signatures;
        let bytes = |b: Option<u64>| b.map(|b| format!(" ({b} bytes)")).unwrap_or_default();
        let message = format!(
            "rank {} sends {}{} to rank {}, whose receive has room for {}{}",
            m.send.rank,
            all.describe(m.sent),
            bytes(m.sent.bytes),
            m.recv.rank,
            all.describe(m.room),
            bytes(m.room.bytes)
        );
        Draft::new(check, message, vec![Site::new(&m.send, "the send"), Site::new(&m.recv, "the receive")])
    });
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
    fn every_entry_of_the_catalogue_has_a_rule_and_a_page() {
        let in_process = |check: &CheckInfo| {
            let rule = concat!(env!("CARGO_MANIFEST_DIR"), "/../interposer/src/watch/checks/");
            std::path::Path::new(rule).join(check.name.replace('-', "_")).with_extension("rs").exists()
        };
        for check in CHECKS {
            let here = RULES.iter().any(|(c, _)| std::ptr::eq(*c, *check));
            assert!(here || check.side == Side::Dynamic && in_process(check), "{} has no rule", check.name);
            assert!(check.doc().contains("```trace"), "{} has no example", check.name);
        }
        for (check, _) in RULES {
            assert!(CHECKS.iter().any(|c| std::ptr::eq(*c, *check)), "{} is not in the catalogue", check.name);
        }
    }
}
