//! `incorrect-recv-size`: see `trace_format::catalogue::INCORRECT_RECV_SIZE`.

use super::size_misfit;
use super::wrong_recv_size::do_harm;
use crate::collective::{Ends, Flow};
use crate::model::Model;
use crate::state::{Findings, Gathering};
use trace_format::catalogue::{CheckInfo, INCORRECT_RECV_SIZE};

pub(super) static CHECK: &CheckInfo = &INCORRECT_RECV_SIZE;

pub(super) fn rule(_: &Gathering, flows: &[Flow], model: &Model, findings: &mut Findings) -> bool {
    let moves = flows.iter().all(|f| f.ends == Ends::Transfer);
    moves && !do_harm(flows, model) && size_misfit(CHECK, flows, model, findings)
}
