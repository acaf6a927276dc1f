//! `abort`: see `trace_format::catalogue::ABORT`.

use super::grouped;
use crate::ending::{Ending, was};
use crate::model::Model;
use crate::state::{Draft, Findings, Origin, Site, rank_list};
use trace_format::catalogue::{ABORT, CheckInfo};

pub(super) static CHECK: &CheckInfo = &ABORT;

/// The error code that MPI_Abort was called with.
pub(super) fn error_code(abort: &Origin) -> i64 {
    let place = abort.func.row().param("errorcode");
    place.map(|p| abort.arg(p).int()).unwrap_or(0)
}

/// The one of several processes that ended before the others, if that was seen.
fn first_of(killed: &[i32], e: &Ending, model: &Model) -> Option<String> {
    let mut deaths = e.seen.deaths.iter().filter(|death| killed.contains(&death.rank));
    let first = deaths.next()?;
    let by = first.status.map(|status| status & 0x7f).filter(|signal| *signal != 0);
    let signal = by.map(|signal| match signal {
        SIGKILL => "it was killed by SIGKILL (out of memory?)".to_owned(),
        _ => format!("it was killed by {}", super::abend::name(signal)),
    });
    let unrecorded = model.ranks[first.rank as usize].signal.is_none();
    let second = deaths.next();
    if second.is_none() && killed.len() == 1 {
        // A signal on record is in the message.
        return signal
            .filter(|_| unrecorded)
            .map(|signal| format!("rank {} ran on {}: {signal}", first.rank, first.host));
    }
    let gap = second.map_or(0, |second| second.after_ns.saturating_sub(first.after_ns));
    let when = match gap >= LEAST_GAP_NS {
        true => format!("{} ms before the next", gap / 1_000_000),
        // Perhaps nobody has seen the ends of the others.
        false if first.is_alone && second.is_some() => "when nothing had told the others to end".to_owned(),
        false if first.is_told => "as the launcher says".to_owned(),
        false => return None,
    };
    let how = match signal {
        Some(signal) => format!(": {signal}"),
        None if unrecorded => "; it has no signal on record (SIGKILL? out of memory?)".to_owned(),
        None => String::new(),
    };
    Some(format!("rank {} on {} ended first, {when}{how}", first.rank, first.host))
}

/// By its number on every architecture of Linux.
const SIGKILL: i32 = 9;

/// Processes that are ended at once differ by less: the system gives back their memory in turn. Most launchers take longer to
/// end those that are left.
const LEAST_GAP_NS: u64 = 2_000_000;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for rank in &e.aborted {
        let r = &model.ranks[*rank as usize];
        let Some(call) = &r.abort else { continue };
        // The error that its handler was called with is the cause.
        if r.errors.iter().any(|error| r.was_ended_by_handler(error)) {
            continue;
        }
        let message = format!("rank {rank} ended the job with MPI_Abort, error code {}", error_code(call));
        let mut draft = Draft::new(CHECK, message, vec![Site::new(call, "ends the job")]);
        draft.notes.extend(e.aftermath());
        findings.add(model, draft);
    }
    if e.killed.is_empty() || e.has_cause() {
        return;
    }
    // Nothing inside of the run explains the end. Who was sent a signal by somebody else than the launcher was the first,
    // and the launcher has then ended the others.
    let signal = |rank: &i32| model.ranks[*rank as usize].signal.as_ref().filter(|s| s.is_last);
    let (first, others): (Vec<i32>, Vec<i32>) =
        e.killed.iter().partition(|rank| signal(rank).is_some_and(|s| !s.by_launcher));
    let (killed, others) = if first.is_empty() { (others, first) } else { (first, others) };
    let mut parts = Vec::new();
    let mut sites = Vec::new();
    for rank in &killed {
        let r = &model.ranks[*rank as usize];
        let open = r.open_calls().next().map(|o| (o.origin.clone(), "was in this call".to_owned()));
        let last = r.threads.iter().find_map(|t| t.last.clone()).map(|l| (l, "its last call".to_owned()));
        match open.or(last) {
            Some(part) => parts.push(part),
            None => sites.push(Site { rank: *rank, call: None, pc: 0, stack: 0, role: "made no call".into() }),
        }
    }
    let mut all = grouped(model, parts);
    all.append(&mut sites);
    all.truncate(super::MAX_SITES);
    let signals: Vec<_> = killed.iter().filter_map(signal).collect();
    let how = match signals[..] {
        // Where it is not known of some, nothing is said of all.
        [first, ..] if signals.len() == killed.len() && signals.iter().all(|s| s.signal == first.signal) => {
            let sender = if signals.iter().all(|s| s.by_launcher) { " from the launcher" } else { "" };
            format!(" by {}{sender}", super::abend::name(first.signal))
        }
        _ => String::new(),
    };
    let message =
        format!("{} {} ended from outside{how} before the end of the program", rank_list(&killed), was(&killed));
    let first = first_of(&killed, e, model);
    let mut draft = Draft::new(CHECK, message, all).ranks(killed);
    draft.notes.extend(first);
    if !e.seen.lost_hosts.is_empty() {
        draft.notes.push(format!(
            "mpivet had lost the connection with {} (a failure of the host or its network?)",
            e.seen.lost_hosts.join(", ")
        ));
    }
    if !others.is_empty() {
        draft.notes.push(format!("{} {} ended by the launcher afterwards", rank_list(&others), was(&others)));
    }
    findings.add(model, draft);
}
