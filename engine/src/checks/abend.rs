//! `abend`: see `trace_format::catalogue::ABEND`.

use super::buffer_too_small;
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, Origin, Site};
use std::rc::Rc;
use trace_format::catalogue::{ABEND, CheckInfo};

pub(super) static CHECK: &CheckInfo = &ABEND;

/// The name of a signal, and what it means.
pub fn name(signal: i32) -> String {
    let known = match signal {
        4 => "SIGILL (illegal instruction)",
        5 => "SIGTRAP (trap)",
        6 => "SIGABRT (abort)",
        7 => "SIGBUS (bus error)",
        8 => "SIGFPE (arithmetic error, such as an integer division by zero)",
        11 => "SIGSEGV (access to memory that is not there)",
        31 => "SIGSYS (bad system call)",
        2 => "SIGINT",
        9 => "SIGKILL",
        15 => "SIGTERM",
        n => return format!("signal {n}"),
    };
    known.to_owned()
}

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for rank in &e.crashed {
        let r = &model.ranks[*rank as usize];
        let Some(signal) = &r.signal else { continue };
        let thread = signal.thread.and_then(|number| r.threads.iter().find(|t| t.number == number));
        let open = r.interrupted(signal);
        // A wrong call is the cause. A signal may not say which thread it came to.
        let wrong = |o: &Rc<Origin>| r.is_found_wrong(o) || buffer_too_small::explains(o, model);
        let unknown = signal.thread.is_none() && r.open_calls().any(|open| wrong(&open.origin));
        let leak = open.as_ref().is_some_and(|o| r.is_ended_by_leak(o));
        if unknown || leak || open.as_ref().is_some_and(wrong) {
            continue;
        }
        let inside = open.as_ref().map(|o| format!(" inside of {}", o.name())).unwrap_or_default();
        let message = format!("rank {rank} died of {}{inside}", name(signal.signal));
        let (pc, role) = match (&open, signal.caller) {
            (Some(_), _) => (signal.pc, "the call that it died in"),
            (None, 0) => (signal.pc, "where it died"),
            // The call is the instruction before the one that it returns to.
            (None, caller) => (caller - 1, "it died in the function called here"),
        };
        let site = Site { rank: *rank, call: open, pc, stack: 0, role: role.into() };
        let mut draft = Draft::new(CHECK, message, vec![site]);
        if let Some(last) = thread.and_then(|t| t.last.as_ref()).filter(|_| inside.is_empty()) {
            draft.calls.push(Site::new(last, "the last MPI call before"));
        }
        draft.notes.extend(e.aftermath_of(*rank));
        findings.add(model, draft);
    }
}
