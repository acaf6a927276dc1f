//! The messages of a lap: which sends and receives belong together, by their places in the lap, whatever counts and tags they
//! have. A lap whose messages all go together does to the engine what the lap did in which they were found.
//!
//! Messages from one rank to another on a communicator that have one tag match receives with this tag in the order of both
//! (MPI 4.1 section 3.5). So pairs that were found in one lap are those of another one, too, if both halves of each have the same
//! tag there, and if no two pairs have one tag of which the one is sent first and the other received first.

use super::elsewhere::counting::{HalfOfLap, Size};
use super::laps::Source;
use crate::engine::{CallMessages, Engine, Filling, MessageHalf, SeenBuffers};
use crate::types::UNKNOWN;
use rustc_hash::FxHashMap;

/// A half, and the place of its call in the lap of its rank.
struct Placed {
    place: usize,
    half: MessageHalf,
}

/// So many times as many sends may have to differ in their tags.
const MOST_CROSSED: usize = 8;

/// So many receives and sends are looked at for that, beyond those that come in order.
const MOST_LOOKED_AT: usize = 1 << 20;

/// Halves of all ranks in a lap that differs: MPI_Startall has as many as it is given requests.
const MOST_HALVES: usize = 1 << 18;

/// The place of a half: that of its rank among the sources, and its own among the halves of that rank.
type Whose = (usize, usize);

/// The halves of messages from one rank to another on a communicator, with their tags.
#[derive(Default)]
struct Way {
    sends: Vec<(i64, Whose)>,
    receives: Vec<(i64, Whose)>,
}

/// The calls of a lap, as they are handed over.
pub(super) struct Listing {
    halves: Vec<Vec<Placed>>,
    is_clear: bool,
    probes: bool,
    /// The number of all.
    listed: usize,
}

/// See the module.
pub(super) struct Messages {
    halves: Vec<Vec<Placed>>,
    /// Sends, and receives that belong to them.
    pairs: Vec<(Whose, Whose)>,
    /// Sends that must differ in their tags.
    crossed: Vec<(Whose, Whose)>,
    /// All tags have to be those of the lap in which the pairs were found: a probe sees the first message with a tag.
    tags_stay: bool,
    /// Tags and data in the lap that is looked at.
    fillings: Vec<Vec<Filling>>,
}

impl Listing {
    /// For so many ranks.
    pub(super) fn new(ranks: usize) -> Listing {
        Listing { halves: (0..ranks).map(|_| Vec::new()).collect(), is_clear: true, probes: false, listed: 0 }
    }

    /// The engine was given the call at this place of the lap of the source at that place.
    pub(super) fn note(
        &mut self,
        source: &Source,
        at: usize,
        place: usize,
        engine: &mut Engine,
        seen: &mut SeenBuffers,
    ) {
        if !self.is_clear {
            return;
        }
        let Some(CallMessages { halves, probes }) = engine.messages_of_last(source.rank()) else {
            self.is_clear = false;
            return;
        };
        self.probes |= probes;
        self.listed += halves.len();
        if self.listed > MOST_HALVES {
            (self.halves, self.is_clear) = (Vec::new(), false);
            return;
        }
        halves.iter().for_each(|half| seen.add(half));
        self.halves[at].extend(halves.into_iter().map(|half| Placed { place, half }));
    }

    /// `None`: something else decides which messages belong together, or whether they are right.
    pub(super) fn messages(self) -> Option<Messages> {
        if !self.is_clear {
            return None;
        }
        let mut ways: FxHashMap<_, Way> = FxHashMap::default();
        for (source, halves) in self.halves.iter().enumerate() {
            for (at, Placed { half, .. }) in halves.iter().enumerate() {
                let Some(peer) = half.peer else { continue };
                let (from, to) = if half.is_send { (half.rank, peer) } else { (peer, half.rank) };
                let way = ways.entry((half.comm, from, to)).or_default();
                let list = if half.is_send { &mut way.sends } else { &mut way.receives };
                list.push((half.first_tag, (source, at)));
            }
        }
        let (mut pairs, mut crossed, mut looked_at) = (Vec::new(), Vec::new(), 0);
        for Way { sends, receives } in ways.into_values() {
            if sends.len() != receives.len() {
                return None;
            }
            let mut receives: Vec<Option<(i64, Whose)>> = receives.into_iter().map(Some).collect();
            // With the place of the receive.
            let mut taken: Vec<(usize, Whose)> = Vec::with_capacity(sends.len());
            let (mut first, mut last) = (0, 0);
            for (tag, send) in sends {
                let place = first + receives[first..].iter().position(|receive| receive.is_some_and(|r| r.0 == tag))?;
                let (_, receive) = receives[place].take()?;
                if place < last {
                    crossed.extend(taken.iter().filter(|(other, _)| *other > place).map(|(_, other)| (*other, send)));
                    looked_at += taken.len();
                }
                looked_at += place - first;
                if looked_at > MOST_LOOKED_AT {
                    return None;
                }
                first += receives[first..].iter().take_while(|receive| receive.is_none()).count();
                last = last.max(place);
                taken.push((place, send));
                pairs.push((send, receive));
            }
            if crossed.len() > MOST_CROSSED * pairs.len() {
                return None;
            }
        }
        let fillings = self.halves.iter().map(|halves| Vec::with_capacity(halves.len())).collect();
        Some(Messages { halves: self.halves, pairs, crossed, tags_stay: self.probes, fillings })
    }
}

impl Messages {
    /// The halves of each rank, to count laps where they are read, and whether tags have to stay. `None`: sums say too little.
    pub(super) fn halves_of_laps(&self, engine: &Engine) -> Option<(Vec<Vec<HalfOfLap>>, bool)> {
        let one =
            |placed: &Placed| HalfOfLap { at: placed.place as u64, message: 0, size: Size::Same, half: placed.half };
        let mut all: Vec<Vec<HalfOfLap>> = self.halves.iter().map(|halves| halves.iter().map(one).collect()).collect();
        let reps = |(source, at): Whose| {
            let seen = self.fillings.get(source).and_then(|fillings| fillings.get(at));
            let (signature, first) = self.halves[source][at].half.first_reps();
            (signature, seen.map_or(first, Filling::reps))
        };
        for (number, &(send, receive)) in (1..).zip(&self.pairs) {
            let ((sent, length), (expected, room)) = (reps(send), reps(receive));
            if sent != expected || sent == UNKNOWN || length > room {
                return None;
            }
            // Most receives that have more room than they need have it always, and as much.
            let sizes = match length == room {
                true => (Size::Same, Size::Same),
                false if engine.minds_short_sends() => return None,
                false => (Size::AtMost(room), Size::Room(room)),
            };
            for ((source, at), size) in [(send, sizes.0), (receive, sizes.1)] {
                (all[source][at].message, all[source][at].size) = (number, size);
            }
        }
        Some((all, self.tags_stay || !self.crossed.is_empty()))
    }

    /// Do all messages of the lap go together that begins so many laps behind what was handed over?
    pub(super) fn go_together(&mut self, sources: &mut [Source], engine: &Engine, seen: &SeenBuffers) -> bool {
        for (source, (halves, fillings)) in sources.iter_mut().zip(self.halves.iter().zip(&mut self.fillings)) {
            fillings.clear();
            let (mut place, mut wanted) = (0, halves.iter().peekable());
            source.look_through_lap(|call, whole| {
                while let Some(placed) = wanted.next_if(|placed| placed.place == place) {
                    fillings.extend(placed.half.filling(call, whole, seen, engine));
                }
                place += 1;
            });
            if fillings.len() != halves.len() {
                return false;
            }
            let has_first_tag = |(placed, filling): (&Placed, &Filling)| filling.tag == placed.half.first_tag;
            if self.tags_stay && !halves.iter().zip(fillings.iter()).all(has_first_tag) {
                return false;
            }
        }
        let filling = |(source, at): Whose| &self.fillings[source][at];
        self.pairs.iter().all(|(send, receive)| engine.go_together(filling(*send), filling(*receive)))
            && self.crossed.iter().all(|(one, other)| filling(*one).tag != filling(*other).tag)
    }
}
