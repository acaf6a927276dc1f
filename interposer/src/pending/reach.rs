//! Which memory the pending operations of a part may use, for other threads to look at without its lock: conflicts between
//! operations of several threads are mistakes, so that mostly nobody needs more than this.
//!
//! A thread that begins an operation says first which memory it uses, then adds it under the lock of its part, then looks at
//! what the others say. Of two threads that begin operations on the same memory at the same time at least one sees what the
//! other one says, goes to its part, and finds the operation there, or comes first: then the other one looks only behind that,
//! and sees it. What is said is taken back only while nothing is pending: buffers are used again and again, and so long nobody
//! writes here.

use super::state::State;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};

#[repr(align(128))]
pub(crate) struct Reach {
    says: AtomicU8,
    reads: Spans,
    writes: Spans,
}

/// There never was an operation.
const NOTHING: u8 = 0;
/// There are operations; there was no need to say where, since one thread alone called MPI.
const SOMETHING: u8 = 1;
const WHERE: u8 = 2;

/// Ranges of addresses that hold all the buffers of pending operations, and maybe more.
struct Spans {
    count: AtomicUsize,
    all: [(AtomicU64, AtomicU64); MOST],
}

const MOST: usize = 8;

impl Reach {
    pub(crate) const fn new() -> Reach {
        Reach { says: AtomicU8::new(NOTHING), reads: Spans::new(), writes: Spans::new() }
    }

    #[inline(always)]
    pub(crate) fn is_used(&self) -> bool {
        self.says.load(Ordering::Relaxed) != NOTHING
    }

    /// The first operation of the part is made. As all that changes this, under its lock.
    #[inline(always)]
    pub(crate) fn begin(&self) {
        if !self.is_used() {
            self.says.store(SOMETHING, Ordering::Relaxed);
            fence(Ordering::SeqCst);
        }
    }

    /// There are other threads: says where the operations are from now on.
    #[inline(always)]
    pub(crate) fn follow(&self, state: &State) {
        if self.says.load(Ordering::Relaxed) != WHERE {
            self.say(state);
        }
    }

    #[cold]
    #[inline(never)]
    fn say(&self, state: &State) {
        let pending = state.requests.iter().filter(|(_, operation)| !operation.keys.is_empty());
        for used in pending.flat_map(|(_, operation)| &operation.uses) {
            self.add(&used.buffer.span(), used.access.writes());
        }
        self.says.store(WHERE, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// A buffer that an operation is about to read, or to write (and maybe read).
    #[inline(always)]
    pub(crate) fn add(&self, span: &Range<u64>, writes: bool) {
        let spans = if writes { &self.writes } else { &self.reads };
        if !spans.hold(span) {
            spans.add(span);
        }
    }

    /// May a pending operation use this memory in a way that does not go with reading it, or `writes`?
    #[inline(always)]
    pub(crate) fn meets(&self, span: &Range<u64>, writes: bool) -> bool {
        let says_where = self.says.load(Ordering::Relaxed) == WHERE;
        !says_where || self.writes.meet(span) || writes && self.reads.meet(span)
    }

    /// Another thread was here, and found no conflict.
    pub(crate) fn was_met(&self, state: &State) {
        self.follow(state);
        if state.pending.is_empty() {
            self.reads.count.store(0, Ordering::Relaxed);
            self.writes.count.store(0, Ordering::Relaxed);
        }
    }
}

impl Spans {
    const fn new() -> Spans {
        Spans { count: AtomicUsize::new(0), all: [const { (AtomicU64::new(0), AtomicU64::new(0)) }; MOST] }
    }

    #[inline(always)]
    fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        let all = self.all.iter().take(self.count.load(Ordering::Relaxed));
        all.map(|(start, end)| start.load(Ordering::Relaxed)..end.load(Ordering::Relaxed))
    }

    #[inline(always)]
    fn hold(&self, span: &Range<u64>) -> bool {
        span.is_empty() || self.ranges().any(|range| range.start <= span.start && span.end <= range.end)
    }

    #[inline(always)]
    fn meet(&self, span: &Range<u64>) -> bool {
        self.ranges().any(|range| range.start < span.end && span.start < range.end)
    }

    /// Others read this meanwhile: ranges grow only.
    #[cold]
    #[inline(never)]
    fn add(&self, span: &Range<u64>) {
        let distance =
            |range: &Range<u64>| range.start.saturating_sub(span.end).max(span.start.saturating_sub(range.end));
        let nearest = self.ranges().enumerate().min_by_key(|(_, range)| distance(range));
        let count = self.count.load(Ordering::Relaxed);
        let place = match nearest {
            Some((place, range)) if distance(&range) == 0 || count == MOST => place,
            _ => count,
        };
        let Some((start, end)) = self.all.get(place) else { return };
        if place == count {
            start.store(span.start, Ordering::Relaxed);
            end.store(span.end, Ordering::Relaxed);
            self.count.store(count + 1, Ordering::Release);
        } else {
            start.fetch_min(span.start, Ordering::Relaxed);
            end.fetch_max(span.end, Ordering::Relaxed);
        }
        fence(Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_held_and_no_more_while_there_is_room() {
        let spans = Spans::new();
        let of = |nth: u64| nth * 100..nth * 100 + 10;
        for nth in 1..=8 {
            assert!(!spans.hold(&of(nth)) && !spans.meet(&of(nth)));
            spans.add(&of(nth));
            assert!(spans.hold(&of(nth)) && spans.meet(&(nth * 100 + 9..nth * 100 + 30)));
            assert!(!spans.meet(&(nth * 100 + 10..nth * 100 + 90)));
        }
        // Where there is no room the nearest one grows.
        spans.add(&of(20));
        assert!(spans.hold(&of(20)) && spans.meet(&of(15)) && !spans.meet(&(710..790)) && spans.hold(&(0..0)));
        spans.add(&(110..120));
        assert!(spans.hold(&(105..115)), "what follows another one goes with it");
    }

    #[test]
    fn reads_go_with_reads() {
        let reach = Reach::new();
        assert!(!reach.is_used());
        reach.begin();
        assert!(reach.is_used() && reach.meets(&(0..1), false), "nobody knows where it is");
        reach.says.store(WHERE, Ordering::Relaxed);
        reach.add(&(100..200), false);
        assert!(!reach.meets(&(150..160), false) && reach.meets(&(150..160), true));
        reach.add(&(300..400), true);
        assert!(reach.meets(&(350..360), false) && !reach.meets(&(200..300), true));
    }
}
