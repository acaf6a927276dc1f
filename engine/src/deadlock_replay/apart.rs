//! The replay in a thread of its own.

use super::commands::Batch;
use super::worker::Worker;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// Batches that may be under way: before another one is handed over, the answers to the first of them are waited for.
const MOST_UNDER_WAY: usize = 2;

/// See the module.
pub(super) struct Apart {
    batches: SyncSender<Batch>,
    answers: Receiver<Batch>,
    thread: JoinHandle<Box<Worker>>,
    under_way: usize,
}

impl Apart {
    pub(super) fn new(mut worker: Box<Worker>) -> Apart {
        let (batches, work) = sync_channel::<Batch>(MOST_UNDER_WAY);
        let (done, answers) = sync_channel(MOST_UNDER_WAY);
        let thread = thread::spawn(move || {
            for mut batch in work {
                worker.work(&mut batch);
                if done.send(batch).is_err() {
                    break;
                }
            }
            worker
        });
        Apart { batches, answers, thread, under_way: 0 }
    }

    /// Hands a batch over. The answers to an earlier one, if it was time for them.
    pub(super) fn hand_over(&mut self, batch: Batch) -> Option<Batch> {
        let answered = if self.under_way == MOST_UNDER_WAY { self.next_answer() } else { None };
        // Whoever does not take it has panicked: see `end`.
        self.under_way += usize::from(self.batches.send(batch).is_ok());
        answered
    }

    /// The answers to the first batch that is under way.
    pub(super) fn next_answer(&mut self) -> Option<Batch> {
        if self.under_way == 0 {
            return None;
        }
        self.under_way -= 1;
        self.answers.recv().ok()
    }

    /// Ends the thread. Nothing may be under way. Panics as the thread has, if it has.
    pub(super) fn end(self) -> Box<Worker> {
        drop(self.batches);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
