//! Probes in the replay: they wait for a message without receiving it.

use super::graph::Dependence;
use super::waiting::Waiting;
use super::{Act, Op, Replay};

/// What a probe looked for, and the message that it was told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub comm: u32,
    pub at: u32,
    /// `None`: any.
    pub source: Option<u32>,
    pub tag: Option<i32>,
    /// Source and tag of the message.
    pub told: (u32, i32),
}

impl Look {
    /// Would a send like this be told of? `told`: as the one that was.
    pub(super) fn sees(&self, act: &Act, told: bool) -> bool {
        let Act::Send { comm, to, from, tag, .. } = *act else { return false };
        (comm, to) == (self.comm, self.at)
            && match told {
                true => (from, tag) == self.told,
                false => self.source.is_none_or(|s| s == from) && self.tag.is_none_or(|t| t == tag),
            }
    }
}

impl<T: Clone> Replay<T> {
    /// Is there a message that a probe would be told of, and not one that goes to a receive that is there already?
    pub(super) fn is_there(&self, look: &Look, told: bool) -> bool {
        let here =
            || self.waiting.get((look.comm, look.at)).into_iter().flat_map(Waiting::all).filter_map(|id| self.op(id));
        here().any(|op| look.sees(&op.act, told) && !here().any(|recv| recv.act.takes(&op.act)))
    }

    /// Is the message there, perhaps to go to a receive that was posted before?
    pub(super) fn is_sent(&self, look: &Look) -> bool {
        let here =
            self.waiting.get((look.comm, look.at)).into_iter().flat_map(Waiting::all).filter_map(|id| self.op(id));
        here.into_iter().any(|op| look.sees(&op.act, true))
    }

    /// Lets those look again who probe there.
    pub(super) fn wake_probing(&mut self, comm: u32, at: u32) {
        if !self.probing.is_empty()
            && let Some(probing) = self.probing.remove(&(comm, at))
        {
            self.ready.extend(probing);
        }
    }

    /// Lets threads go on that probe for a message of which nothing is known: it was not told of, or nobody knows what
    /// became of it.
    pub(super) fn leave_vain_probes(&mut self, over: bool) {
        for lane in 0..self.lanes.len() as u32 {
            let Some(look) = self.front(lane).and_then(|call| call.look) else { continue };
            let comes = |op: &Op<T>| !op.posted && look.sees(&op.act, true);
            let waits = over && self.is_sent(&look) || self.ops.iter().flatten().any(comes);
            if !waits && !self.is_there(&look, true) {
                self.lanes[lane as usize].steps.pop_front();
                self.queued -= 1;
                self.ready.push(lane);
            }
        }
        self.go_on();
    }

    /// What a probe waits for; `None`: who knows.
    pub(super) fn arrival(&self, lane: u32, look: &Look, over: bool) -> Option<Dependence> {
        let process = |lane: u32| self.lanes[lane as usize].order >> 16;
        // Another thread of the process may have received the message here, which it did later in the run.
        let alone = (0..self.lanes.len() as u32).all(|l| l == lane || process(l) != process(lane));
        let open = look.source.is_none() || look.tag.is_none();
        if !alone || self.is_sent(look) || open && (!over || self.is_there(look, false)) {
            return None;
        }
        self.sender(look)?;
        // Any message that it would be told of lets it go on.
        let coming = self.ops.iter().flatten().filter(|op| !op.posted && look.sees(&op.act, false));
        let mut lanes: Vec<u32> = coming.map(|op| op.lane).collect();
        lanes.sort_unstable();
        lanes.dedup();
        Some(Dependence::Any(lanes))
    }

    /// The thread that has still to send the message.
    pub(super) fn sender(&self, look: &Look) -> Option<u32> {
        self.ops.iter().flatten().find(|op| !op.posted && look.sees(&op.act, true)).map(|op| op.lane)
    }
}
