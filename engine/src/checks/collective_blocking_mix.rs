//! `collective-blocking-mix`: see `trace_format::catalogue::COLLECTIVE_BLOCKING_MIX`.

use super::{answers, grouped, said};
use crate::arg_places::{NONE, arg_places};
use crate::collective::start_of;
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering, Verdict};
use trace_format::catalogue::{COLLECTIVE_BLOCKING_MIX, CheckInfo};
use trace_format::mpi::{FnId, Start};

pub(super) static CHECK: &CheckInfo = &COLLECTIVE_BLOCKING_MIX;

fn form(func: FnId) -> &'static str {
    match start_of(func) {
        Start::Blocking => "blocking",
        Start::Nonblocking => "nonblocking",
        Start::Persistent => "persistent",
    }
}

pub(super) fn rule(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    let mut starts = g.views().map(|v| start_of(v.call.func));
    let first = starts.next();
    // The standard's rules of matching are about communication, not about files.
    let on_file = g.views().any(|v| arg_places(v.call.func).file != NONE);
    if on_file || starts.all(|s| Some(s) == first) {
        return Verdict::Fine;
    }
    let says: Vec<(i32, String)> =
        g.views().map(|v| (v.rank, format!("in {} ({})", v.call.name(), form(v.call.func)))).collect();
    let message = format!("different forms of a collective operation meet: {}", answers(&says));
    let sites = grouped(model, said(g, |v| format!("the {} form", form(v.call.func))));
    findings.add(model, Draft::new(CHECK, message, sites).ranks(g.views().map(|v| v.rank)));
    Verdict::Wrong
}
