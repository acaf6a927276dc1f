//! `abort`: see `trace_format::catalogue::ABORT`.

use super::grouped;
use crate::engine::Model;
use crate::engine::ending::Ending;
use crate::engine::facts::{Draft, Report, Site, rank_list};
use trace_format::call::Value;
use trace_format::catalogue::{ABORT, CheckInfo};

pub(super) static CHECK: &CheckInfo = &ABORT;

pub(super) fn rule(e: &Ending, model: &Model, report: &mut Report) {
    for rank in &e.aborted {
        let Some(call) = &model.ranks[*rank as usize].abort else { continue };
        let place = call.func.row().param("errorcode");
        let code = place.and_then(|p| call.ins.get(p)).map(Value::int).unwrap_or(0);
        let message = format!("rank {rank} ended the job with MPI_Abort, error code {code}");
        let mut draft = Draft::new(CHECK, message, vec![Site::new(call, "ends the job")]);
        draft.notes.extend(e.aftermath());
        report.add(model, draft);
    }
    if e.killed.is_empty() || e.has_cause() {
        return;
    }
    // Nothing inside of the run explains the end.
    let mut parts = Vec::new();
    let mut sites = Vec::new();
    for rank in &e.killed {
        let r = &model.ranks[*rank as usize];
        let open = r.open_calls().next().map(|o| (o.origin.clone(), "was in this call".to_owned()));
        let last = r.threads.iter().find_map(|t| t.last.clone()).map(|l| (l, "its last call".to_owned()));
        match open.or(last) {
            Some(part) => parts.push(part),
            None => sites.push(Site { rank: *rank, call: None, pc: 0, role: "made no call".into() }),
        }
    }
    let mut all = grouped(model, parts);
    all.append(&mut sites);
    all.truncate(super::MAX_SITES);
    let signals: Vec<i32> =
        e.killed.iter().filter_map(|r| model.ranks[*r as usize].signal.as_ref()).map(|s| s.signal).collect();
    let how = match signals[..] {
        [first, ..] if signals.iter().all(|s| *s == first) => format!(" by signal {first}"),
        _ => String::new(),
    };
    let verb = if e.killed.len() == 1 { "was" } else { "were" };
    let message = format!("{} {verb} ended from outside{how} before the end of the program", rank_list(&e.killed));
    report.add(model, Draft::new(CHECK, message, all).ranks(e.killed.iter().copied()));
}
