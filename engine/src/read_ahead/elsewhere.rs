//! Ranks that other processes read: what they are asked for, and the turns that come back.

use super::batch::Batch;
pub use super::batch::LastRounds;
use super::{Plan, Reading, Turn};
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
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
pub struct Turns(pub(super) Vec<Turn>);

impl Turns {
    /// Writes them down for another process, into memory that was used before.
    pub fn write(&self, last: &mut LastRounds, memory: Vec<u8>) -> Vec<u8> {
        let mut out = Writer::into_memory(memory);
        out.small(self.0.len() as u64);
        for Turn { place, batch, unread, failed, more, skipped } in &self.0 {
            out.smalls([*place as u64, *skipped as u64]);
            let is_news = unread.is_some() || failed.is_some();
            out.byte(u8::from(*more) | u8::from(is_news) << 1);
            if is_news {
                out.item(&(unread, failed));
            }
            batch.write(*place, last, &mut out);
        }
        out.bytes()
    }

    /// Turns that another process has written; `None`: they were damaged on the way.
    pub fn read(keeps: Keeps, last: &mut LastRounds, bytes: &[u8]) -> Option<Turns> {
        let mut bytes = Reader::new(bytes);
        let mut turn = |bytes: &mut Reader| {
            let ([place, skipped], flags) = (bytes.smalls()?.map(|number| number as usize), bytes.byte()?);
            let (unread, failed) = if flags & 2 != 0 { bytes.item()? } else { (None, None) };
            let batch = Batch::read(keeps, place, last, bytes)?;
            Some(Turn { place, batch, unread, failed, more: flags & 1 != 0, skipped })
        };
        let count = bytes.count(1)?;
        (0..count).map(|_| turn(&mut bytes)).collect::<Option<Vec<Turn>>>().map(Turns)
    }
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
        receiver.iter().for_each(|turns| send(Turns(turns)));
    });
}
