//! Snapshots of the buffers of a pending operation that it only reads: nobody may change them (MPI 4.1, 3.7.2).

use crate::job::config;
use crate::mpi::types;
use crate::pending::uses::{Access, Use};
use recorder::memory::{self, Region};
use smallvec::SmallVec;
use typemap::{Buffer, Change, Sampling, Snapshot};

/// The snapshots of one operation. Nobody holds the lock of all operations while they are taken and compared: that takes
/// as long as reading the data.
#[derive(Default)]
pub(crate) struct Snapshots {
    /// Behind those taken there may be one that is over: the next one takes its memory. (A new one would be moved there right
    /// after it was written, in larger pieces than it was written in, and for that processors wait.)
    all: SmallVec<[Taken; 1]>,
    taken: usize,
}

struct Taken {
    /// Which of the operation's buffers.
    place: usize,
    region: Region,
    snapshot: Snapshot,
}

/// More buffers of one call are not looked at.
const MAX_BUFFERS: usize = 64;

/// Is anybody told of buffers that have changed?
pub(crate) fn are_wanted() -> bool {
    config::checksums().which != config::Which::None
}

impl Snapshots {
    pub(crate) fn is_empty(&self) -> bool {
        self.taken == 0
    }

    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        self.taken = 0;
        if self.all.len() > 1 {
            self.all.truncate(1);
        }
        if !self.all.first().is_some_and(|taken| taken.snapshot.is_small()) {
            self.all.clear();
        }
    }

    pub(crate) fn take(&mut self, uses: &[Use]) {
        if !are_wanted() {
            return;
        }
        let policy = config::checksums();
        let mut left = MAX_BUFFERS;
        for (place, used) in uses.iter().enumerate() {
            if used.access != Access::Read || left == 0 {
                continue;
            }
            left -= 1;
            let region = memory::region(&used.buffer.span());
            let is_taken = match self.all.get_mut(self.taken) {
                Some(taken) => {
                    (taken.place, taken.region) = (place, region);
                    looked_at(region, used, |buffer| policy.take_again(&mut taken.snapshot, buffer)).is_some()
                }
                None => {
                    let snapshot = looked_at(region, used, |buffer| policy.take(buffer));
                    self.all.extend(snapshot.map(|snapshot| Taken { place, region, snapshot }));
                    self.all.len() > self.taken
                }
            };
            self.taken += usize::from(is_taken);
        }
    }

    /// The first buffer that is no longer what it was, and where it has changed.
    pub(crate) fn changed<'a>(&self, uses: &'a [Use]) -> Option<(&'a Use, Change)> {
        self.all.iter().take(self.taken).find_map(|taken| {
            let used = uses.get(taken.place)?;
            // SAFETY: `looked_at` passes a buffer that can be read.
            let change = looked_at(taken.region, used, |buffer| unsafe { taken.snapshot.changed(buffer) });
            Some((used, change??))
        })
    }
}

/// Runs `f` with the buffer, or with a copy of it that has the same layout; `None` if it cannot be read.
#[inline]
pub(crate) fn looked_at<T>(region: Region, used: &Use, f: impl FnOnce(&Buffer) -> T) -> Option<T> {
    if memory::is_there(region, &used.buffer.span()) {
        return Some(f(&used.buffer));
    }
    looked_at_with_care(used, f)
}

/// Looks at memory that may be gone.
fn looked_at_with_care<T>(used: &Use, f: impl FnOnce(&Buffer) -> T) -> Option<T> {
    let span = used.buffer.span();
    if span.end - span.start > memory::MAX_COPIED {
        return memory::is_readable(&span).then(|| f(&used.buffer));
    }
    let mut copy = Vec::new();
    memory::copy(&span, &mut copy)?;
    let moved = used.address.wrapping_sub(span.start).wrapping_add(copy.as_ptr() as u64);
    let buffer = match &used.map {
        Some(map) => Buffer::new(moved, map, used.count),
        None => types::with(used.datatype, |map| Buffer::new(moved, map, used.count))?,
    };
    Some(f(&buffer))
}

impl config::Checksums {
    fn take(&self, buffer: &Buffer) -> Snapshot {
        // SAFETY: `looked_at` passes a buffer that can be read.
        unsafe { Snapshot::take(buffer, self.sampling()) }
    }

    fn take_again(&self, snapshot: &mut Snapshot, buffer: &Buffer) {
        // SAFETY: as above.
        unsafe { snapshot.take_again(buffer, self.sampling()) }
    }

    fn sampling(&self) -> Sampling {
        Sampling { over: self.sample_over.unwrap_or(u64::MAX) }
    }
}
