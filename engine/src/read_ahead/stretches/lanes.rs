//! The messages of a stretch, by communicator, sender, receiver and tag.

use super::Cond;
use crate::engine::{Engine, Filling};
use crate::state::CommIx;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Communicator, places of the sender and the receiver, tag.
type Key = (CommIx, (usize, usize), i64);

/// Messages that match in the order in which they are sent and received.
#[derive(Default)]
struct Lane {
    /// Places of the sender and the receiver.
    ends: (usize, usize),
    sent: u32,
    received: u32,
    /// Halves that have not met the other one; `None`: what is in it has to be looked at by the engine.
    waiting: SmallVec<[Option<Filling>; 1]>,
    /// So many of these have met it.
    met: usize,
}

/// See the module.
#[derive(Default)]
pub(super) struct Lanes {
    by_key: FxHashMap<Key, u32>,
    lanes: Vec<Lane>,
    used: usize,
}

impl Lanes {
    /// The lane with a key.
    #[inline]
    fn lane(&mut self, key: Key) -> u32 {
        let Lanes { by_key, lanes, used } = self;
        *by_key.entry(key).or_insert_with(|| {
            let ix = *used;
            if ix == lanes.len() {
                lanes.push(Lane::default());
            }
            let lane = &mut lanes[ix];
            (lane.ends, lane.sent, lane.received, lane.met) = (key.1, 0, 0, 0);
            lane.waiting.clear();
            *used += 1;
            ix as u32
        })
    }

    /// Somebody waits for the next message that nobody has asked for.
    pub(super) fn look(&mut self, key: Key) -> Cond {
        let ix = self.lane(key);
        Cond::Sent(ix, self.lanes[ix as usize].received)
    }

    /// A half is there: what it waits for, and whether it goes together with the other one, as far as that is there.
    pub(super) fn add(&mut self, key: Key, is_send: bool, filling: Option<Filling>, engine: &Engine) -> (Cond, bool) {
        let ix = self.lane(key);
        let lane = &mut self.lanes[ix as usize];
        let (number, others) = if is_send { (lane.sent, lane.received) } else { (lane.received, lane.sent) };
        let fits = if others > number {
            let other = lane.waiting.get(lane.met).copied().flatten();
            lane.met += 1;
            if lane.met == lane.waiting.len() {
                lane.waiting.clear();
                lane.met = 0;
            }
            match (filling, other) {
                (Some(sent), Some(room)) if is_send => engine.go_together(&sent, &room),
                (Some(room), Some(sent)) => engine.go_together(&sent, &room),
                _ => false,
            }
        } else {
            lane.waiting.push(filling);
            true
        };
        if is_send {
            lane.sent += 1;
            (Cond::Received(ix, number), fits)
        } else {
            lane.received += 1;
            (Cond::Sent(ix, number), fits)
        }
    }

    #[inline]
    pub(super) fn is_sent(&self, lane: u32, number: u32) -> bool {
        self.lanes[lane as usize].sent > number
    }

    #[inline]
    pub(super) fn is_received(&self, lane: u32, number: u32) -> bool {
        self.lanes[lane as usize].received > number
    }

    /// Places of the sender and the receiver.
    pub(super) fn ends(&self, lane: u32) -> (usize, usize) {
        self.lanes[lane as usize].ends
    }

    pub(super) fn clear(&mut self) {
        self.by_key.clear();
        self.used = 0;
    }
}
