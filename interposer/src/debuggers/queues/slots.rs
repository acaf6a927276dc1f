//! The entries of operations: those with a request have them as long as they are known, calls while the thread is inside.

use super::mpivet_queues;
use super::pages::{change, entry, turn};
use queue_table::{Operation, flag, stamp};
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;
use trace_format::definition::Id;

/// An entry that belongs to one operation or call at a time.
struct Slot {
    index: u64,
    entry: &'static Operation,
}

/// Entries of nobody, and how many there are in all.
static FREE: Mutex<(Vec<u64>, u64)> = Mutex::new((Vec::new(), 0));

impl Slot {
    #[cold]
    fn take() -> Option<Slot> {
        let mut free = FREE.lock().unwrap_or_else(|e| e.into_inner());
        let index = free.0.pop().unwrap_or(free.1);
        let entry = entry(&mpivet_queues.operations, index)?;
        free.1 = free.1.max(index + 1);
        Some(Slot { index, entry })
    }

    fn clear(&self) {
        turn(&self.entry.stamp, stamp::EMPTY);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.clear();
        FREE.lock().unwrap_or_else(|e| e.into_inner()).0.push(self.index);
    }
}

/// The entries of an operation, or of a call: two if it sends and receives. They are kept for the next one.
#[derive(Default)]
pub(crate) struct Queued {
    slots: [Option<Slot>; 2],
    /// How many of them say something.
    used: u8,
    /// How many of them hold what was last said, and may say it again.
    written: u8,
}

impl Queued {
    pub(crate) const fn new() -> Queued {
        Queued { slots: [const { None }; 2], used: 0, written: 0 }
    }

    fn slots(&self) -> impl Iterator<Item = &Operation> {
        self.slots.iter().take(self.used.into()).flatten().map(|slot| slot.entry)
    }

    /// The next entry to say something in.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<&'static Operation> {
        let slot = self.slots.get_mut(usize::from(self.used))?;
        if slot.is_none() {
            *slot = Slot::take();
        }
        self.used += u8::from(slot.is_some());
        self.written = self.used;
        slot.as_ref().map(|slot| slot.entry)
    }

    /// The operation is over, or the call has returned.
    #[inline(always)]
    pub(crate) fn clear(&mut self) {
        if self.used != 0 {
            if let [Some(first), second] = &self.slots {
                turn(&first.entry.stamp, stamp::EMPTY);
                second.iter().filter(|_| self.used > 1).for_each(Slot::clear);
            }
            self.used = 0;
        }
    }

    /// Nothing is to be said again.
    pub(crate) fn forget(&mut self) {
        self.clear();
        self.written = 0;
    }

    /// A call is made again as it was: says what it said the last time. `order`: as of all operations. False if that is not known.
    #[inline(always)]
    pub(crate) fn again(&mut self, order: u64) -> bool {
        if self.written == 0 || self.used != 0 {
            return false;
        }
        self.used = self.written;
        for entry in self.slots() {
            change(&entry.stamp, stamp::LIVE, || entry.order.store(order, Relaxed));
        }
        true
    }

    /// A persistent operation begins, at this call site. `order`: as of all operations.
    pub(crate) fn start(&self, order: u64, site: Id) {
        for entry in self.slots() {
            change(&entry.stamp, stamp::LIVE, || {
                entry.order.store(order, Relaxed);
                entry.site.store(site, Relaxed);
                entry.flags.fetch_and(!flag::COMPLETE, Relaxed);
            });
        }
    }

    /// A persistent operation is over, and may begin again.
    pub(crate) fn rest(&self) {
        self.slots().for_each(|entry| turn(&entry.stamp, stamp::RESTING));
    }

    /// The program was told that it is complete.
    pub(crate) fn complete(&mut self) {
        self.written = 0;
        for entry in self.slots().filter(|entry| entry.stamp.load(Relaxed) & stamp::MASK == stamp::LIVE) {
            change(&entry.stamp, stamp::LIVE, || {
                entry.flags.fetch_or(flag::COMPLETE, Relaxed);
            });
        }
    }
}

/// Is any operation on this communicator under way?
pub(super) fn is_in_use(comm: Id) -> bool {
    let all = FREE.lock().unwrap_or_else(|e| e.into_inner()).1;
    (0..all)
        .filter_map(|index| entry::<Operation>(&mpivet_queues.operations, index))
        .any(|entry| entry.stamp.load(Relaxed) & stamp::MASK == stamp::LIVE && entry.communicator.load(Relaxed) == comm)
}
