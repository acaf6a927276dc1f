//! `nonpaired-recv`: see `trace_format::catalogue::NONPAIRED_RECV`.

use crate::Model;
use crate::ending::Ending;
use crate::facts::{Draft, Findings, Site, outside_rank};
use trace_format::catalogue::{CheckInfo, NONPAIRED_RECV};
use trace_format::mpi::Kind;
use trace_format::names::{NoNames, format_int};

pub(super) static CHECK: &CheckInfo = &NONPAIRED_RECV;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for a in e.alone.iter().filter(|a| !a.is_send) {
        findings.add_lazy(model, CHECK, &[&a.shown], 1, || {
            let tag = format_int(Kind::Tag, i64::from(a.tag), &NoNames);
            let message = nonpaired(a.rank, &outside_rank(a.peer), &tag, a.origin.name());
            let mut draft = Draft::new(CHECK, message, vec![Site::new(&a.shown, "the receive without a send")]);
            if !std::rc::Rc::ptr_eq(&a.shown, &a.origin) {
                draft.calls.push(Site::new(&a.origin, "where it was described"));
            }
            draft.missed.push(a.peer);
            draft.notes.extend(a.near.clone());
            draft
        });
    }
}

fn nonpaired(rank: i32, peer: &str, tag: &str, function: &str) -> String {
    format!("nobody sends the message that rank {rank} wants to receive from {peer} with tag {tag} ({function})")
}
