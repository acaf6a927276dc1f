//! Laps that are counted where their calls are read. The process with the engine says once what a lap is made of; from then on
//! others keep the calls, and send of each lap a sum: what each send says of its message, less what each receive says of it. If all
//! sums together are 0, the two ends of each message say the same, but for a chance of 1 in 2^64.
//!
//! ```text
//! first    Wish::Count  -> courier -> Offer ->          helper
//!                                  <- Ready, positions
//!                                  -> Count, from lap n
//!          Turn { batch: afar, laps: sums } <-          Shelf (keeps the batch)
//!          Wish::Counted(laps)     -> Counted ->        Shelf (drops what is in them)
//!          Wish::BringBack         -> BringBack ->
//!          Returned                <-                   Shelf (gives all that it has)
//! ```

use crate::engine::{Filling, ListedBuffers, MessageHalf};
use serde::{Deserialize, Serialize};

/// One half of a message in the laps of a rank.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct HalfOfLap {
    /// The place of its call in the lap.
    pub(in super::super) at: u64,
    /// The number of its message, from 1; 0: it goes to nobody, or comes from nobody.
    pub(in super::super) message: u64,
    pub(in super::super) size: Size,
    pub(in super::super) half: MessageHalf,
}

/// How long a message may be.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(in super::super) enum Size {
    /// As long as the other half says.
    Same,
    /// The send has no more than there is room for: so many times the signature.
    AtMost(u64),
    /// The receive has room for so much.
    Room(u64),
}

/// The laps of one rank.
#[derive(Debug, Serialize, Deserialize)]
pub(in super::super) struct LapsOfRank {
    pub(in super::super) place: usize,
    /// Its events in front of the first lap, and in each.
    pub(in super::super) start: u64,
    pub(in super::super) lap: u64,
    pub(in super::super) halves: Vec<HalfOfLap>,
    /// Where its modules are.
    pub(in super::super) modules: Vec<(u64, u64)>,
}

/// The laps that a process is to count, of the ranks that it reads.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct CountOrder {
    pub(in super::super) ranks: Vec<LapsOfRank>,
    /// All tags have to be those of the lap in which the pairs were found.
    pub(in super::super) tags_stay: bool,
    /// Buffers about which there is nothing new.
    pub(in super::super) seen: ListedBuffers,
    /// The first lap of which no rank has been sent anything.
    pub(in super::super) from: u64,
    /// Tells orders apart.
    pub(in super::super) period: u64,
}

impl CountOrder {
    /// Is there nothing to count?
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }
}

/// Places of ranks, and how many events of each were sent.
pub type Positions = Vec<(usize, u64)>;

/// From which lap on all count that have these orders and have come so far.
pub fn agree(orders: &mut [CountOrder], positions: &[Positions]) {
    let laps_sent = |rank: &LapsOfRank| {
        let sent = positions.iter().flatten().find(|(place, _)| *place == rank.place).map_or(0, |(_, sent)| *sent);
        sent.saturating_sub(rank.start).div_ceil(rank.lap.max(1))
    };
    let from = orders.iter().flat_map(|order| &order.ranks).map(laps_sent).max().unwrap_or(0);
    orders.iter_mut().for_each(|order| order.from = from);
}

/// Sums of laps that all ranks of a process have gone through.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(in super::super) struct LapSums {
    /// See [`CountOrder`].
    pub(in super::super) period: u64,
    pub(in super::super) from: u64,
    /// In the order of the laps; false: there is something about the lap that sums do not say.
    pub(in super::super) laps: Vec<(u64, bool)>,
}

impl HalfOfLap {
    /// The part of a half in the sum of its lap; `None`: it is not as it should be, or nobody knows.
    pub(super) fn part(&self, filling: Option<Filling>, tags_stay: bool) -> Option<u64> {
        let filling = filling?;
        if tags_stay && filling.tag != self.half.first_tag {
            return None;
        }
        if self.message == 0 {
            return Some(0);
        }
        let length = match self.size {
            Size::Same => filling.reps(),
            Size::AtMost(most) => (filling.reps() <= most).then_some(0)?,
            Size::Room(room) => (filling.reps() == room).then_some(0)?,
        };
        let tag = u64::try_from(filling.tag).ok()?;
        let said = mixed(mixed(mixed(self.message) ^ tag) ^ length);
        Some(if self.half.is_send { said } else { said.wrapping_neg() })
    }
}

/// Each bit depends on each (the last steps of MurmurHash3).
#[inline]
fn mixed(mut number: u64) -> u64 {
    number = (number ^ number >> 33).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd);
    number = (number ^ number >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    number ^ number >> 33
}
