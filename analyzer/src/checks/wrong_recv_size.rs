//! `wrong-recv-size`: see `trace_format::catalogue::WRONG_RECV_SIZE`.

use super::{flow_ranks, flow_sites};
use crate::engine::Model;
use crate::engine::collective::Gathering;
use crate::engine::facts::{Draft, Report};
use crate::engine::flows::{Flow, Misfit};
use trace_format::catalogue::{CheckInfo, WRONG_RECV_SIZE};

pub(super) static CHECK: &CheckInfo = &WRONG_RECV_SIZE;

pub(super) fn rule(_: &Gathering, flows: &[Flow], model: &Model, report: &mut Report) -> bool {
    let wrong: Vec<&Flow> = flows.iter().filter(|f| f.misfit == Misfit::Amount).collect();
    let Some(f) = wrong.first() else { return false };
    let all = &model.signatures;
    let (sent, expected) = (all.describe(f.sent), all.describe(f.expected));
    let name = f.from.call.name();
    let message = if f.alike {
        format!("in {name} rank {} takes part with {sent}, rank {} with {expected}", f.from.rank, f.to.rank)
    } else {
        format!("in {name} rank {} sends {sent} to rank {}, which expects {expected}", f.from.rank, f.to.rank)
    };
    report.add(model, Draft::new(CHECK, message, flow_sites(model, &wrong)).ranks(flow_ranks(&wrong)));
    true
}
