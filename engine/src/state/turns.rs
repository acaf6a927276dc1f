//! Whether the threads of a process use an object one after the other.

use super::call::Origin;
use super::rank::Rank;

/// Which thread of a process used an object last, and when its call returned.
#[derive(Default)]
pub(crate) struct LastUse {
    thread: u16,
    until: u64,
}

impl LastUse {
    /// Had a call of another thread not returned when this one began?
    pub(crate) fn overlaps(&self, call: &Origin) -> bool {
        self.thread != call.thread && call.time < self.until
    }

    /// The call has returned: see [`Self::overlaps`].
    pub(crate) fn is_overlapped(&mut self, call: &Origin) -> bool {
        let overlaps = self.overlaps(call);
        (self.thread, self.until) = (call.thread, self.until.max(call.end()));
        overlaps
    }
}

impl Rank {
    /// Is another thread than that of the call in one like this?
    pub(crate) fn is_beside(&self, call: &Origin, is_like: impl Fn(&Origin) -> bool) -> bool {
        let others = self.threads.iter().filter(|thread| thread.number != call.thread);
        others.flat_map(|thread| &thread.open).any(|open| is_like(&open.origin))
    }
}
