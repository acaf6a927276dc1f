//! `incomplete-gop`: see `trace_format::catalogue::INCOMPLETE_GOP`.

use super::grouped;
use crate::ending::Ending;
use crate::model::Model;
use crate::state::{Draft, Findings, plural, rank_list};
use trace_format::catalogue::{CheckInfo, INCOMPLETE_GOP};

pub(super) static CHECK: &CheckInfo = &INCOMPLETE_GOP;

pub(super) fn rule(e: &Ending, model: &Model, findings: &mut Findings) {
    for i in &e.incomplete {
        let ranks: Vec<i32> = i.calls.iter().map(|c| c.rank).collect();
        let name = i.calls.first().map_or("", |c| c.name());
        let verb = if ranks.len() == 1 { "calls" } else { "call" };
        let nots = if i.missing.len() == 1 { "does not" } else { "do not" };
        let message = format!("{} {verb} {name}, {} {nots}", rank_list(&ranks), rank_list(&i.missing));
        let sites = grouped(model, i.calls.iter().map(|c| (c.clone(), "takes part".to_owned())));
        let mut draft = Draft::new(CHECK, message, sites).ranks(ranks);
        if i.more > 0 {
            draft
                .notes
                .push(format!("{} on the same communicator had no partners either", plural(i.more, "later call")));
        }
        findings.add(model, draft);
    }
}
