//! The messages of a lap: which sends and receives belong together, by their places in the lap, whatever counts and tags they
//! have. A lap whose messages all go together does to the engine what the lap did in which they were found.
//!
//! On each communicator, the first message from one rank to another goes with the first receive of the one from the other, and so
//! on: if tags are the same in each such pair, this is how they match (MPI 4.1 section 3.5), and if they are not, it is not known.

use super::laps::Source;
use crate::engine::{Engine, Filling, MessageHalf};
use rustc_hash::FxHashMap;

/// A half, and the place of its call in the lap of its rank.
struct Placed {
    place: usize,
    half: MessageHalf,
}

/// The place of a half: that of its rank among the sources, and its own among the halves of that rank.
type Whose = (usize, usize);

/// The calls of a lap, as they are handed over.
pub(super) struct Listing {
    halves: Vec<Vec<Placed>>,
    is_clear: bool,
}

/// See the module.
pub(super) struct Messages {
    halves: Vec<Vec<Placed>>,
    /// Sends, and receives that belong to them.
    pairs: Vec<(Whose, Whose)>,
    /// Tags and data in the lap that is looked at.
    fillings: Vec<Vec<Filling>>,
}

impl Listing {
    /// For so many ranks.
    pub(super) fn new(ranks: usize) -> Listing {
        Listing { halves: (0..ranks).map(|_| Vec::new()).collect(), is_clear: true }
    }

    /// The engine was given the call at this place of the lap of the rank that has this place among the sources.
    pub(super) fn note(&mut self, source: usize, rank: i32, place: usize, engine: &mut Engine) {
        if !self.is_clear {
            return;
        }
        match engine.halves_of_last(rank) {
            Some(halves) => self.halves[source].extend(halves.into_iter().map(|half| Placed { place, half })),
            None => self.is_clear = false,
        }
    }

    /// `None`: something else decides which messages belong together, or whether they are right.
    pub(super) fn messages(self) -> Option<Messages> {
        if !self.is_clear {
            return None;
        }
        let mut lanes: FxHashMap<_, (Vec<Whose>, Vec<Whose>)> = FxHashMap::default();
        let mut order = Vec::new();
        for (source, halves) in self.halves.iter().enumerate() {
            for (at, Placed { half, .. }) in halves.iter().enumerate() {
                let Some(peer) = half.peer else { continue };
                let (from, to) = if half.is_send { (half.rank, peer) } else { (peer, half.rank) };
                let lane = lanes.entry((half.comm, from, to)).or_insert_with(|| {
                    order.push((half.comm, from, to));
                    Default::default()
                });
                if half.is_send { lane.0.push((source, at)) } else { lane.1.push((source, at)) }
            }
        }
        let mut pairs = Vec::new();
        for (sends, receives) in order.iter().filter_map(|lane| lanes.get(lane)) {
            if sends.len() != receives.len() {
                return None;
            }
            pairs.extend(sends.iter().copied().zip(receives.iter().copied()));
        }
        let fillings = self.halves.iter().map(|halves| Vec::with_capacity(halves.len())).collect();
        Some(Messages { halves: self.halves, pairs, fillings })
    }
}

impl Messages {
    /// Do all messages of the lap go together that begins so many laps behind what was handed over?
    pub(super) fn go_together(&mut self, sources: &mut [Source], engine: &Engine) -> bool {
        for (source, (halves, fillings)) in sources.iter_mut().zip(self.halves.iter().zip(&mut self.fillings)) {
            fillings.clear();
            let (mut place, mut wanted) = (0, halves.iter().peekable());
            source.look_through_lap(|call| {
                while let Some(placed) = wanted.next_if(|placed| placed.place == place) {
                    fillings.extend(engine.filling(&placed.half, call));
                }
                place += 1;
            });
            if fillings.len() != halves.len() {
                return false;
            }
        }
        let filling = |(source, at): Whose| &self.fillings[source][at];
        self.pairs.iter().all(|(send, receive)| engine.go_together(filling(*send), filling(*receive)))
    }
}
