//! Ranks that other processes read: what they are asked for, and the turns that come back.

mod counted;
pub(super) mod counting;
mod shelf;

use super::batch::Batch;
pub use super::batch::LastRounds;
use super::{Plan, Reading, Turn};
pub(super) use counted::{Helpers, LapsAfar};
use counting::LapSums;
pub use counting::{CountOrder, Positions, agree};
use serde::{Deserialize, Serialize};
pub use shelf::Shelf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use trace_reader::reader::{Keeps, RankReader};
use trace_reader::wire::{Reader, Writer};

/// The traces that one process reads, and how.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Share {
    /// See [`crate::Engine::keeps`].
    pub keeps: Keeps,
    /// The number of all ranks.
    pub ranks: usize,
    /// The ranks that it reads, by their places among all, in this order.
    pub places: Vec<usize>,
}

/// Turns of ranks on their way from the process that has read them.
#[derive(Default)]
pub struct Turns {
    pub(super) turns: Vec<Turn>,
    /// Batches that were kept where they were read: place of the rank, and number.
    pub(super) returned: Option<Vec<Returned>>,
}

/// The place of a rank, the number of a batch, and the batch.
pub(super) type Returned = (usize, u64, Batch);

impl Turns {
    /// The number of turns.
    pub fn len(&self) -> usize {
        self.turns.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Are all batches kept where they were read, so that nothing of them is here?
    pub fn are_kept(&self) -> bool {
        self.turns.iter().all(|turn| turn.batch.number_afar().is_some())
    }

    /// Puts others behind these.
    pub fn append(&mut self, others: Turns) {
        self.turns.extend(others.turns);
    }

    /// Writes them down for another process, into memory that was used before.
    pub fn write(&self, last: &mut LastRounds, memory: Vec<u8>) -> Vec<u8> {
        let mut out = Writer::into_memory(memory);
        out.byte(u8::from(self.returned.is_some()));
        if let Some(returned) = &self.returned {
            out.small(returned.len() as u64);
            for (place, number, batch) in returned {
                out.smalls([*place as u64, *number]);
                batch.write(*place, last, &mut out);
            }
            return out.bytes();
        }
        out.small(self.turns.len() as u64);
        for Turn { place, batch, unread, failed, more, skipped, laps } in &self.turns {
            out.smalls([*place as u64, *skipped as u64]);
            let is_news = unread.is_some() || failed.is_some();
            out.byte(u8::from(*more) | u8::from(is_news) << 1 | u8::from(laps.is_some()) << 2);
            if is_news {
                out.item(&(unread, failed));
            }
            if let Some(LapSums { period, from, laps }) = laps.as_deref() {
                out.smalls([*period, *from, laps.len() as u64]);
                for (sum, is_sound) in laps {
                    out.number(*sum);
                    out.byte(u8::from(*is_sound));
                }
            }
            batch.write(*place, last, &mut out);
        }
        out.bytes()
    }

    /// Turns that another process has written; `None`: they were damaged on the way.
    pub fn read(keeps: Keeps, last: &mut LastRounds, bytes: &[u8]) -> Option<Turns> {
        let mut bytes = Reader::new(bytes);
        if bytes.byte()? != 0 {
            let returned = bytes.list(|bytes| {
                let [place, number] = bytes.smalls()?;
                Some((place as usize, number, Batch::read(keeps, place as usize, last, bytes)?))
            })?;
            return Some(Turns { turns: Vec::new(), returned: Some(returned) });
        }
        let turns = bytes.list(|bytes| {
            let ([place, skipped], flags) = (bytes.smalls()?.map(|number| number as usize), bytes.byte()?);
            let (unread, failed) = if flags & 2 != 0 { bytes.item()? } else { (None, None) };
            let laps = match flags & 4 {
                0 => None,
                _ => {
                    let [period, from] = bytes.smalls()?;
                    let laps = bytes.list(|bytes| Some((bytes.number()?, bytes.byte()? != 0)))?;
                    Some(Box::new(LapSums { period, from, laps }))
                }
            };
            let batch = Batch::read(keeps, place, last, bytes)?;
            Some(Turn { place, batch, unread, failed, more: flags & 1 != 0, skipped, laps })
        })?;
        Some(Turns { turns, returned: None })
    }
}

/// A wish of the process with the engine.
pub enum Wish {
    /// Laps are to be counted where they are read: the orders for all that read.
    Count(Vec<CountOrder>),
    /// One of those who read, by its number, is to know that so many of these are counted.
    Counted(usize, u64),
    /// All that is kept is to come back, and laps are counted here again. To be answered whether anything was kept: then all who
    /// read send [`Turns`] that are returned.
    BringBack,
}

/// Wishes, and the answers to [`Wish::BringBack`].
pub struct Wishes {
    /// The way to who reads.
    pub wishes: Sender<Wish>,
    /// The way back.
    pub answers: Receiver<bool>,
}

/// Ranks that other processes read.
pub struct Elsewhere<'a> {
    /// All ranks.
    pub ranks: Vec<i32>,
    /// By place, which of the sources the rank comes from.
    pub source_of: Vec<usize>,
    /// The turns that each of the others has read.
    pub sources: Vec<Receiver<Turns>>,
    /// Set when no more is wanted.
    pub stop: &'a AtomicBool,
    /// Bytes of all traces.
    pub unread: u64,
    /// To have laps counted by those who read.
    pub wishes: Wishes,
}

/// How often so many bundles of turns a process may be ahead.
const AHEAD: usize = 4;

/// Reads a share for another process, until all is read or `stop` is set: `send` is given the turns. The readers are those of
/// [`Share::places`].
pub fn read_for_another(share: &Share, readers: Vec<&mut RankReader>, stop: &AtomicBool, mut send: impl FnMut(Turns)) {
    let plan = Plan::of(share.ranks, share.keeps);
    let readers: Vec<(usize, &mut RankReader)> = share.places.iter().copied().zip(readers).collect();
    let (sender, receiver) = sync_channel(AHEAD);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut hand_over = |turns| sender.send(turns).is_ok() && !stop.load(Ordering::Relaxed);
            Reading::new(readers, plan).read_all(&mut hand_over);
        });
        receiver.iter().for_each(|turns| send(Turns { turns, returned: None }));
    });
}
