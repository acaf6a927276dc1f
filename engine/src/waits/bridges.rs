//! When a call that makes an intercommunicator of two groups can return: the leaders wait for each other, all others for
//! their leader. A leader may also wait for all of the other group.

use super::collectives::in_collective;
use super::conditions::{Outlooks, all};
use super::{Cond, Why};
use crate::model::Model;
use crate::state::{Bridge, Entered, OpenCall};

/// When the call that has `entered` can return.
pub(super) fn in_bridge(outlooks: &mut Outlooks, entered: &Entered) -> Cond {
    let model = outlooks.model;
    let Some((comm, index, position)) = entered.collective else { return Cond::Free };
    let on = |rank: i32| Cond::On { rank, certain: true, why: Why::Collective };
    match (in_collective(outlooks, comm, index, position), entered.bridge) {
        (Cond::Free, Some(bridge @ Bridge::Leader { own, other, tag, nth })) => {
            let made = model.bridges.get(&(own.min(other), own.max(other), tag));
            let came = made.is_none_or(|m| m[usize::from(other > own)] >= nth);
            if came { other_group(model, bridge) } else { on(other) }
        }
        (Cond::Free, Some(Bridge::Led { leader })) => {
            // Until the leader's call is over.
            let parts = model.comms.list[comm].space.get(index).map(|i| &i.parts);
            let leader_in = parts.into_iter().flatten().flatten().any(|p| p.call.rank == leader && !p.done);
            if leader_in { on(leader) } else { Cond::Free }
        }
        (cond, _) => cond,
    }
}

/// The ranks of the other group that have not come yet, while its leader is in the same call.
fn other_group(model: &Model, bridge: Bridge) -> Cond {
    let Bridge::Leader { own, other, tag, nth } = bridge else { return Cond::Free };
    let theirs = Some(Bridge::Leader { own: other, other: own, tag, nth });
    let Some(rank) = usize::try_from(other).ok().and_then(|r| model.ranks.get(r)) else { return Cond::Free };
    let call = rank.open_calls().find(|open: &&OpenCall| open.entered.bridge == theirs);
    let Some((comm, index, _)) = call.and_then(|open| open.entered.collective) else { return Cond::Free };
    let c = &model.comms.list[comm];
    let Some(instance) = c.space.get(index).filter(|i| !i.bad && !c.spoiled && !c.space.tangled) else {
        return Cond::Free;
    };
    let missing = (0..instance.parts.len() as u32).filter(|p| instance.parts[*p as usize].is_none());
    let may = |p: u32| Cond::On { rank: c.member(p), certain: false, why: Why::Collective };
    all(missing.map(may).collect())
}
