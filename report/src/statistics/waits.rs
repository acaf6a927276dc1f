//! The causes and lengths of waits.
//!
//! A wait begins with the call in which the program really waits: the receive itself if it blocks, otherwise the call
//! that completed it. It ends when the other side came, and no later than the call.

use engine::clocks::Clocks;
use engine::listeners::{CallSeen, Collective, Half, Message};
use engine::{Needs, needs_of};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::AddAssign;
use trace_format::mpi::{Class, Many, SendMode, Start};

/// Time by cause.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Waits {
    /// A receive waited until the send of its message began.
    pub late_sender: f64,
    /// A send waited until the receive of its message began.
    pub late_receiver: f64,
    /// A collective operation waited until the processes came that it needs.
    pub collective: f64,
    /// The rest of the time in calls that may wait: data under way, and waiting of which the cause is not known.
    pub other: f64,
}

impl Waits {
    /// The part that another process causes.
    pub fn explained(&self) -> f64 {
        self.late_sender + self.late_receiver + self.collective
    }
}

impl AddAssign for Waits {
    fn add_assign(&mut self, more: Waits) {
        self.late_sender += more.late_sender;
        self.late_receiver += more.late_receiver;
        self.collective += more.collective;
        self.other += more.other;
    }
}

/// Why a call waited. Where two are as good, the first one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    Collective,
    LateReceiver,
    LateSender,
}

/// Nanoseconds that a call waited, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub(crate) call: CallSeen,
    pub(crate) ns: u64,
    pub(crate) cause: Cause,
}

/// May a call of this class wait for others?
pub(super) fn may_wait(class: Class) -> bool {
    match class {
        Class::Send(_, start)
        | Class::Recv(start)
        | Class::SendRecv(start)
        | Class::SendRecvReplace(start)
        | Class::Probe(start)
        | Class::Mprobe(start)
        | Class::Mrecv(start)
        | Class::Collective(_, start)
        | Class::BufferFlush(start) => start == Start::Blocking,
        Class::Wait(_) | Class::Init | Class::Finalize | Class::SessionFinalize => true,
        Class::CommCreateGroup | Class::IntercommCreate | Class::CommFromGroup | Class::IntercommFromGroups => true,
        Class::RmaSync(sync) => !Class::RmaSync(sync).is_poll(),
        _ => false,
    }
}

/// The wait of a call from its beginning to a moment of another rank.
fn until(clocks: &Clocks, call: CallSeen, other: &CallSeen, cause: Cause) -> Option<Wait> {
    let end = call.end.filter(|_| may_wait(call.func.row().class))?;
    let (begin, came) = (clocks.ns(call.rank, call.begin), clocks.ns(other.rank, other.begin));
    let ns = came.saturating_sub(begin).min(clocks.span(call.rank, call.begin, end));
    (ns > 0).then_some(Wait { call, ns, cause })
}

/// The receiver waited for the sender.
pub(crate) fn late_sender(clocks: &Clocks, message: &Message) -> Option<Wait> {
    until(clocks, message.recv.ended?, &message.send.call, Cause::LateSender)
}

/// The sender waited for the receiver: it was still in the call when the receive began, and it cannot have been done
/// with the message before, unless something else kept it there.
pub(crate) fn late_receiver(clocks: &Clocks, message: &Message) -> Option<Wait> {
    let never =
        |half: &Half| matches!(half.call.func.row().class, Class::Send(SendMode::Buffered | SendMode::Ready, _));
    let call = message.send.ended.filter(|_| !never(&message.send))?;
    let wait = until(clocks, call, &message.recv.call, Cause::LateReceiver)?;
    let (end, posted) = (clocks.ns(call.rank, call.end?), clocks.ns(message.recv.call.rank, message.recv.call.begin));
    (end >= posted).then_some(wait)
}

/// The waits at a collective operation: each part waits for the parts that it needs by the logic of the operation.
pub(crate) fn at_collective(clocks: &Clocks, collective: &Collective, mut each: impl FnMut(Wait)) {
    let parts = collective.parts;
    let (Some(first), true) = (parts.first(), parts.len() == collective.size) else { return };
    let came = |half: &Half| clocks.ns(half.call.rank, half.call.begin);
    let mut wait = |half: &Half, last: &Half| {
        if let Some(wait) = half.ended.and_then(|call| until(clocks, call, &last.call, Cause::Collective)) {
            each(wait);
        }
    };
    // Between groups, the processes beside the root name nobody and take no part.
    let named = parts.iter().map(|p| p.peer).find(|p| *p >= 0);
    let root = named.and_then(|root| parts.iter().find(|p| p.call.rank == root));
    let concerned = || parts.iter().filter(|p| p.peer >= 0);
    match needs_of(first.call.func) {
        Needs::All => {
            let Some(last) = parts.iter().max_by_key(|p| came(p)) else { return };
            parts.iter().for_each(|p| wait(p, last));
        }
        Needs::RootNeedsAll => {
            if let (Some(root), Some(last)) = (root, concerned().max_by_key(|p| came(p))) {
                wait(root, last);
            }
        }
        Needs::AllNeedRoot => {
            if let Some(root) = root {
                concerned().for_each(|p| wait(p, root));
            }
        }
        Needs::Lower => {
            let mut last = first;
            for part in parts {
                last = if came(part) > came(last) { part } else { last };
                wait(part, last);
            }
        }
        Needs::Nobody => {}
    }
}

/// Waits of one rank. A call may complete several operations: their waits all began with the call, so that the call
/// waited as long as the longest of them.
#[derive(Debug, Default)]
pub(super) struct LongestWaits(BTreeMap<(u16, u64), Wait>);

/// Calls whose operations may still be under way elsewhere. Beyond, the oldest one is taken to be done with.
const MAX_CALLS: usize = 1024;

impl LongestWaits {
    /// Notes a wait; returns a wait that became certain.
    pub(super) fn note(&mut self, wait: Wait) -> Option<Wait> {
        if !completes_several(wait.call.func.row().class) {
            return Some(wait);
        }
        let call = (wait.call.thread, wait.call.index);
        let known = self.0.entry(call).or_insert(wait);
        if (wait.ns, wait.cause) > (known.ns, known.cause) {
            *known = wait;
        }
        (self.0.len() > MAX_CALLS).then(|| self.0.pop_first()).flatten().map(|(_, wait)| wait)
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn rest(&mut self) -> impl Iterator<Item = Wait> + use<> {
        std::mem::take(&mut self.0).into_values()
    }
}

fn completes_several(class: Class) -> bool {
    matches!(class, Class::Wait(Many::All | Many::Some) | Class::SendRecv(_) | Class::SendRecvReplace(_))
}
