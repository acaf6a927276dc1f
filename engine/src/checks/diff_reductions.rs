//! `diff-reductions`: see `trace_format::catalogue::DIFF_REDUCTIONS`.

use super::{answers, grouped, said};
use crate::model::Model;
use crate::state::{Draft, Findings, Gathering, Verdict, op_name};
use trace_format::catalogue::{CheckInfo, DIFF_REDUCTIONS};
use trace_format::definition::FIRST_USER_ID;
use trace_format::mpi::special::PROC_NULL;

pub(super) static CHECK: &CheckInfo = &DIFF_REDUCTIONS;

pub(super) fn rule(g: &Gathering, model: &Model, findings: &mut Findings) -> Verdict {
    // Operations of the program have numbers of their rank: which are the same, nobody knows. A process that takes
    // part in name only has no operation.
    let key = |op: u32| if op >= FIRST_USER_ID { FIRST_USER_ID } else { op };
    let taking = || g.views().filter(|v| v.root() != Some(PROC_NULL)).filter_map(|v| v.op());
    let first = taking().next().map(key);
    if taking().all(|op| Some(key(op)) == first) {
        return Verdict::Fine;
    }
    let name = |op: Option<u32>| op.map(op_name).unwrap_or_default();
    let says: Vec<(i32, String)> = g.views().map(|v| (v.rank, name(v.op()))).collect();
    let function = g.views().next().map_or("", |v| v.call.name());
    let message = format!("the ranks name different reduction operations in {function}: {}", answers(&says));
    let sites = grouped(model, said(g, |v| format!("names {}", name(v.op()))));
    findings.add(model, Draft::new(CHECK, message, sites).ranks(g.views().map(|v| v.rank)));
    Verdict::Wrong
}
