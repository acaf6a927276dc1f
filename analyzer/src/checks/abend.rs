//! `abend`: see `trace_format::catalogue::ABEND`.

use crate::engine::Model;
use crate::engine::ending::Ending;
use crate::engine::facts::{Draft, Report, Site};
use trace_format::catalogue::{ABEND, CheckInfo};

pub(super) static CHECK: &CheckInfo = &ABEND;

pub(super) fn name(signal: i32) -> String {
    let known = match signal {
        4 => "SIGILL (illegal instruction)",
        5 => "SIGTRAP (trap)",
        6 => "SIGABRT (abort)",
        7 => "SIGBUS (bus error)",
        8 => "SIGFPE (arithmetic error, such as an integer division by zero)",
        11 => "SIGSEGV (access to memory that is not there)",
        31 => "SIGSYS (bad system call)",
        n => return format!("signal {n}"),
    };
    known.to_owned()
}

pub(super) fn rule(e: &Ending, model: &Model, report: &mut Report) {
    for rank in &e.crashed {
        let r = &model.ranks[*rank as usize];
        let Some(signal) = &r.signal else { continue };
        let thread = r.threads.iter().find(|t| t.number == signal.thread);
        let open = thread.and_then(|t| t.open.last()).map(|o| o.origin.clone());
        // What was wrong with the call is the cause. A signal does not say which thread it came to.
        if r.open_calls().any(|open| r.is_found_wrong(&open.origin)) {
            continue;
        }
        let inside = open.as_ref().map(|o| format!(" inside of {}", o.name())).unwrap_or_default();
        let message = format!("rank {rank} died of {}{inside}", name(signal.signal));
        let role = if open.is_some() { "the call that it died in" } else { "where it died" };
        let site = Site { rank: *rank, call: open, pc: signal.pc, role: role.into() };
        let mut draft = Draft::new(CHECK, message, vec![site]);
        if let Some(last) = thread.and_then(|t| t.last.as_ref()).filter(|_| inside.is_empty()) {
            draft.calls.push(Site::new(last, "the last MPI call before"));
        }
        draft.notes.extend(e.aftermath());
        report.add(model, draft);
    }
}
