//! Rounds of loops. A sink may know the number of calls after which a thread repeats itself. Then one round of them is unpacked
//! as a whole, and of the rounds behind it only the times are read ([`crate::unpack::Unpacker::rounds`]).

use super::blocks::BlockRef;
use super::memory_cost::CostMeter;
use super::ring::Amount;
use super::{OpenError, Place, RankReader, Repeat, Rounds, Sink};
use crate::unpack::CallTimes;
use std::cell::Cell;
use std::sync::Arc;

/// A round has at most [`MOST`] calls; short ones are taken together until they have [`FEWEST`].
const MOST: usize = 1 << 10;
const FEWEST: usize = 32;
/// Trials in a block, and behind each that was not in vain: no round comes again in front of a loop's second one, nor before the
/// packer has learned of the loop.
const TRIALS: u32 = 6;
/// So many trials in a row are of one length: then the other length is tried.
const OF_ONE_KIND: u32 = 4;
/// So many blocks are left out at most, where all trials of those before them were in vain.
const LONGEST_PAUSE: u32 = 4;

/// Trials with the blocks of a thread: does a round come again?
#[derive(Default)]
pub(super) struct Trials {
    /// It takes two rounds for handles to come again: libraries take those last that they gave first.
    twice: bool,
    /// The round that was unpacked last, if the sink knows it.
    known: Option<Arc<[Repeat]>>,
    /// Trials that are left in the block at hand.
    left: u32,
    /// The last trials in it, so many, were in vain.
    in_a_row: u32,
    /// There was a trial in the block at hand.
    tried: bool,
    /// One of them was not in vain.
    gained: bool,
    /// The last blocks in which there were trials, so many, had none but vain ones.
    in_vain: u32,
    /// So many of the next blocks are left out.
    pause: u32,
    times: Vec<CallTimes>,
}

impl Trials {
    /// The sink has forgotten the round that it knew.
    pub(super) fn forget(&mut self) {
        self.known = None;
    }

    /// A block begins.
    pub(super) fn begin(&mut self) {
        if std::mem::take(&mut self.gained) {
            self.in_vain = 0;
        } else if self.tried {
            self.in_vain = self.in_vain.saturating_add(1);
            // One block in vain does not count: it may be like no other.
            self.pause = (self.in_vain - 1).min(LONGEST_PAUSE);
        }
        (self.tried, self.in_a_row) = (false, 0);
        self.left = if self.pause == 0 { TRIALS } else { 0 };
        self.pause = self.pause.saturating_sub(1);
    }

    /// The trial is over.
    fn ended(&mut self, known: Option<Vec<Repeat>>) {
        self.tried = true;
        self.known = known.map(Arc::from);
        if self.known.is_some() {
            (self.gained, self.left, self.in_a_row) = (true, TRIALS, 0);
            return;
        }
        self.left = self.left.saturating_sub(1);
        self.in_a_row += 1;
        self.twice ^= self.in_a_row >= OF_ONE_KIND;
    }

    /// How many of the next calls are to be tried as a round, if calls come again after `round_len`.
    fn plan(&self, round_len: Option<usize>) -> Option<usize> {
        let round_len = round_len.filter(|round_len| self.left > 0 && (1..=MOST).contains(round_len))?;
        Some(round_len * FEWEST.div_ceil(round_len) * (1 + usize::from(self.twice)))
    }
}

impl RankReader {
    /// Hands over the next records in the block at hand of the only thread, or rounds that come again. False if no more may be
    /// read.
    pub(super) fn go_on<S: Sink>(
        &mut self,
        number: u16,
        block: &BlockRef,
        budget: &mut usize,
        (most, taken): (usize, &Cell<usize>),
        sink: &mut CostMeter<S>,
    ) -> Result<bool, OpenError> {
        let Some(thread) = self.threads.get_mut(number) else { return Ok(false) };
        thread.keep_as_one_of(self.header.size.max(1).cast_unsigned() as usize);
        let round_len = sink.round_len();
        // The sink may be another one than before, with other rounds.
        let known = thread.trials.known.take();
        let known = known.filter(|round| round_len.is_some_and(|round_len| round.len().is_multiple_of(round_len)));
        if let Some(round) = known {
            let wanted = (most.saturating_sub(taken.get()) / round.len()).max(1);
            let mut times = std::mem::take(&mut thread.trials.times);
            let (rounds, bytes) = self.blocks.rounds(block, wanted, &mut times);
            if rounds > 0 {
                let index = thread.pass(times.len(), bytes);
                sink.rounds(Rounds { round: &round, index, times: &times });
            }
            thread.trials.times = times;
            thread.trials.known = Some(round).filter(|_| rounds == wanted);
            if rounds > 0 {
                return Ok(true);
            }
        }
        let keeps = sink.keeps();
        let amount = match thread.trials.plan(round_len) {
            Some(calls) => Amount::Round(calls),
            None if *budget == 0 => return Ok(false),
            None => {
                *budget -= 1;
                Amount::Bytes(self.piece.unwrap_or(usize::MAX))
            }
        };
        let place = Place::of(&self.blocks);
        let (blobs, defects, mut calls) = (&self.blobs, &mut self.defects, Vec::new());
        let last = self.blocks.look(block, amount, |unpacked| {
            match thread.hand_over_unpacked(&unpacked, blobs, keeps, sink) {
                Ok(repeat) if matches!(amount, Amount::Round(_)) => calls.extend(repeat),
                Ok(_) => {}
                Err(what) => place.damaged(defects, what),
            }
            taken.get() < most
        })?;
        if let Amount::Round(wanted) = amount
            && last == Some(false)
        {
            let is_round = calls.len() == wanted && self.blocks.knows_round(number) && sink.knows(&calls);
            thread.trials.ended(Some(calls).filter(|_| is_round));
        }
        if last != Some(false) {
            thread.end_block(last.is_some());
            self.waiting = self.waiting.saturating_sub(block.header.len.into());
            // Trials are not charged to the budget, but the block has been used up.
            *budget -= usize::from(matches!(amount, Amount::Round(_)) && *budget > 0);
        }
        Ok(true)
    }
}
