//! Probes in the deadlock replay: they wait for a message without receiving it.

use super::graph::Dependence;
use super::waiting::Waiting;
use super::{Act, DeadlockReplay, Op, Step};

/// The arguments of a probe, and the message that it reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probe {
    pub comm: u32,
    pub at: u32,
    /// `None`: any.
    pub source: Option<u32>,
    pub tag: Option<i32>,
    /// Source and tag of the message that it reported.
    pub reported: (u32, i32),
}

impl Probe {
    /// Would the probe report this send? `reported`: only the message that it reported in the run.
    pub(super) fn sees(&self, act: &Act, reported: bool) -> bool {
        let Act::Send { comm, to, from, tag, .. } = *act else { return false };
        (comm, to) == (self.comm, self.at)
            && match reported {
                true => (from, tag) == self.reported,
                false => self.source.is_none_or(|s| s == from) && self.tag.is_none_or(|t| t == tag),
            }
    }
}

impl DeadlockReplay {
    /// Is there a message that a probe would report and that no posted receive takes first?
    pub(super) fn is_there(&self, probe: &Probe, reported: bool) -> bool {
        let here =
            || self.waiting.get((probe.comm, probe.at)).into_iter().flat_map(Waiting::all).filter_map(|id| self.op(id));
        here().any(|op| probe.sees(&op.act, reported) && !here().any(|recv| recv.act.takes(&op.act)))
    }

    /// Was the message sent, even if a receive that was posted before takes it?
    pub(super) fn is_sent(&self, probe: &Probe) -> bool {
        let here =
            self.waiting.get((probe.comm, probe.at)).into_iter().flat_map(Waiting::all).filter_map(|id| self.op(id));
        here.into_iter().any(|op| probe.sees(&op.act, true))
    }

    /// Lets threads try again that probe at this place.
    pub(super) fn wake_probing(&mut self, comm: u32, at: u32) {
        if !self.probing.is_empty()
            && let Some(probing) = self.probing.remove(&(comm, at))
        {
            self.ready.extend(probing);
        }
    }

    /// Lets threads continue that probe for an unknown message: it was never recorded, or nobody knows where it went.
    pub(super) fn leave_vain_probes(&mut self, over: bool) {
        for thread in 0..self.threads.len() as u32 {
            let Some(probe) = self.front(thread).and_then(|call| call.probe) else { continue };
            let comes = |op: &Op| !op.posted && probe.sees(&op.act, true);
            let waits = over && self.is_sent(&probe) || self.ops.iter().flatten().any(comes);
            if !waits && !self.is_there(&probe, true) {
                if let Some(Step::Wait(call, _)) = self.threads[thread as usize].steps.pop_front() {
                    self.gone.ids.push(call.name);
                }
                self.queued -= 1;
                self.ready.push(thread);
            }
        }
        self.go_on();
    }

    /// The threads that a probe waits for; `None`: unknown.
    pub(super) fn arrival(&self, thread: u32, probe: &Probe, over: bool) -> Option<Dependence> {
        let process = |thread: u32| self.threads[thread as usize].order >> 16;
        // Another thread of the process may have received the message here, although it did so later in the run.
        let alone = (0..self.threads.len() as u32).all(|l| l == thread || process(l) != process(thread));
        let open = probe.source.is_none() || probe.tag.is_none();
        if !alone || self.is_sent(probe) || open && (!over || self.is_there(probe, false)) {
            return None;
        }
        self.sender(probe)?;
        // Any message that it would report lets it continue.
        let coming = self.ops.iter().flatten().filter(|op| !op.posted && probe.sees(&op.act, false));
        let mut threads: Vec<u32> = coming.map(|op| op.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        Some(Dependence::Any(threads))
    }

    /// The first of the threads that have still to send such a message.
    pub(super) fn sender(&self, probe: &Probe) -> Option<u32> {
        let coming = self.ops.iter().flatten().filter(|op| !op.posted && probe.sees(&op.act, true));
        coming.map(|op| op.thread).min_by_key(|thread| self.threads[*thread as usize].order)
    }
}
