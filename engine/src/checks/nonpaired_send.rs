//! `nonpaired-send`: see `trace_format::catalogue::NONPAIRED_SEND`.

use crate::ending::{Alone, Ending};
use crate::model::Model;
use crate::state::{Draft, Findings, Site, outside_rank};
use trace_format::catalogue::{CheckInfo, NONPAIRED_SEND};
use trace_format::mpi::Kind;
use trace_format::names::{NoNames, format_int};

pub(super) static CHECK: &CheckInfo = &NONPAIRED_SEND;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for a in e.alone.iter().filter(|a| a.is_send) {
        findings.add_lazy(model, CHECK, &[&a.shown], 1, || {
            draft(CHECK, a, "the send without a receive", |peer, tag| {
                let (rank, function) = (a.rank, a.origin.name());
                format!("nobody receives the message that rank {rank} sends to {peer} with tag {tag} ({function})")
            })
        });
    }
}

/// The finding that half of a message is alone: `said` of the other rank and of the tag.
pub(super) fn draft(check: &'static CheckInfo, a: &Alone, what: &str, said: impl Fn(&str, &str) -> String) -> Draft {
    let tag = format_int(Kind::Tag, i64::from(a.tag), &NoNames);
    let mut draft = Draft::new(check, said(&outside_rank(a.peer), &tag), vec![Site::new(&a.shown, what)]);
    if !std::rc::Rc::ptr_eq(&a.shown, &a.origin) {
        draft.calls.push(Site::new(&a.origin, "where it was described"));
    }
    draft.missed.push(a.peer);
    draft.notes.extend(a.near.clone());
    draft
}
