//! `probe-receive-race`: see `trace_format::catalogue::PROBE_RECEIVE_RACE`.

use crate::ending::Ending;
use crate::model::Model;
use crate::recorded::{Probed, Race};
use crate::state::{Draft, Findings, Site};
use trace_format::catalogue::{CheckInfo, PROBE_RECEIVE_RACE};

pub(super) static CHECK: &CheckInfo = &PROBE_RECEIVE_RACE;

pub(super) fn rule(_: &Ending, model: &Model, findings: &mut Findings) {
    for race in &model.deadlock_replay.matchings.races {
        if let Some(probed) = &race.probed {
            findings.add(model, draft(race, probed));
        }
    }
}

fn draft(race: &Race, probed: &Probed) -> Draft {
    let (recv, probe) = (race.recv.name(), probed.probe.name());
    let (at, from, told) = (race.recv.rank, race.other.rank, probed.found.rank);
    let does = if probed.happened { "got" } else { "may get" };
    let message = match told == from {
        true => format!("{recv} of rank {at} {does} another message of rank {from} than the one that {probe} found"),
        false => format!(
            "{recv} of rank {at} {does} the message of rank {from}, and not that of rank {told}, which {probe} found"
        ),
    };
    let other =
        if probed.happened { "sent the message that was received" } else { "sends the message that may be received" };
    let sites = vec![
        Site::new(&probed.probe, "found a message"),
        Site::new(&race.recv, "does not ask for that message"),
        Site::new(&probed.found, "sends the message that was found"),
        Site::new(&race.other, other),
    ];
    Draft::new(CHECK, message, sites).ranks([at]).note("receive with the source and the tag that the probe returned")
}
