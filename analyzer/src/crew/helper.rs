//! The work of a helper.

use super::orders::{Answer, Member, Order, Task, Words, has_order, next_order};
use super::{LastRounds, Turns, Way};
use engine::read_ahead::{Shelf, read_for_another};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use trace_reader::reader::{Defects, RankReader};

/// Does what the first process wants, until it wants no more.
pub(super) fn help(team: &impl Way) {
    _ = Answer::words(team, &Words::Is(Member::this()));
    loop {
        match next_order(team) {
            Some(Order::Read(task)) => {
                let done = catch_unwind(AssertUnwindSafe(|| Work::new(team, &task).read(&task)));
                let answer = match done {
                    Ok(Ok(defects)) => Words::Done(defects),
                    Ok(Err(why)) => Words::Failed(why),
                    Err(_) => Words::Failed("it has panicked; its words are on standard error".to_owned()),
                };
                if let Err(e) = Answer::words(team, &answer) {
                    _ = Answer::words(team, &Words::Failed(e.to_string()));
                }
            }
            // They came when all was read.
            Some(Order::Stop | Order::Offer | Order::Count(_) | Order::Counted(_) | Order::BringBack) => {}
            Some(Order::End) | None => return,
        }
    }
}

/// A task that is being done.
struct Work<'a, W> {
    team: &'a W,
    shelf: Shelf,
    /// No more is wanted.
    is_stopped: bool,
    last: LastRounds,
    memory: Vec<u8>,
    /// Turns that were not sent yet, since nothing is in them that the first process would wait for.
    waiting: Turns,
}

/// Turns whose batches are kept here, and that are sent together: each message takes the first process as long as some hundred of
/// them.
const TOGETHER: usize = 256;

impl<'a, W: Way> Work<'a, W> {
    fn new(team: &'a W, task: &Task) -> Work<'a, W> {
        let shelf = Shelf::new(&task.share);
        let (last, memory, waiting) = Default::default();
        Work { team, shelf, is_stopped: false, last, memory, waiting }
    }

    fn read(&mut self, task: &Task) -> Result<Vec<Defects>, String> {
        let Task { dir, share, traces, piece, stay_closed } = task;
        let open = |stem: &str, process: i32| {
            let mut reader = RankReader::open_stem(dir, stem).map_err(|e| e.to_string())?;
            reader.renumber(process);
            reader.writer_is_gone();
            piece.iter().for_each(|piece| reader.read_in_pieces(*piece));
            if *stay_closed {
                reader.stay_closed();
            }
            Ok::<_, String>(reader)
        };
        let mut readers = Vec::with_capacity(traces.len());
        for trace in traces {
            readers.push(open(&trace.stem, trace.process)?);
        }
        let stop = AtomicBool::new(false);
        read_for_another(share, readers.iter_mut().collect(), &stop, |turns: Turns| {
            while has_order(self.team) || self.shelf.is_full() && !self.is_stopped {
                self.follow();
            }
            let turns = self.shelf.pass(turns);
            let is_light = turns.are_kept();
            self.waiting.append(turns);
            if !is_light || self.waiting.len() >= TOGETHER {
                self.send_waiting();
            }
            if self.is_stopped {
                stop.store(true, Ordering::Relaxed);
            }
        });
        self.send_waiting();
        // The last laps are still to be handed over.
        while self.shelf.is_counting() && !self.is_stopped {
            self.follow();
        }
        if self.shelf.is_counting() {
            let kept = self.shelf.give_back();
            self.send(&kept);
        }
        Ok(readers.into_iter().map(|mut reader| std::mem::take(&mut reader.defects)).collect())
    }

    fn send_waiting(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if !waiting.is_empty() {
            self.send(&waiting);
        }
    }

    fn send(&mut self, turns: &Turns) {
        Answer::turns(self.team, turns, (&mut self.last, &mut self.memory));
    }

    /// Waits for an order, and does what it says.
    fn follow(&mut self) {
        // They come in front of the answer, and nobody waits for them in the meantime.
        self.send_waiting();
        match next_order(self.team) {
            Some(Order::Offer) => {
                _ = Answer::words(self.team, &Words::Ready(self.shelf.positions()));
                self.follow();
            }
            Some(Order::Count(Some(order))) => self.shelf.count(order),
            Some(Order::Counted(laps)) => self.shelf.drop_counted(laps),
            Some(Order::BringBack) => {
                let kept = self.shelf.give_back();
                self.send(&kept);
            }
            Some(Order::Count(None)) => {}
            Some(Order::Stop | Order::Read(_) | Order::End) | None => self.is_stopped = true,
        }
    }
}
