//! A sink takes what is read, and may keep calls, so as to be told only how others repeat them.

use super::{LeanEvent, RankEvent, Repeat, Rounds};
use crate::args::Args;
use crate::call::Call;

/// Which calls a [`Sink`] keeps, to be told only how others repeat them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// None: each call comes whole.
    Nothing,
    /// For those with the same values.
    Same,
    /// For those that differ in what [`super::varying_fields`] says.
    Alike,
}

/// Takes what is read. Programs repeat themselves: a sink that keeps calls is not given whole calls that repeat them.
pub trait Sink {
    /// An event that comes whole. A call with a [`Call::slot`] is to be kept until another one comes with the same slot.
    fn event(&mut self, event: LeanEvent);

    /// A call, which `fill` puts where the sink wants to have it. If that fails there is no call, whatever it has put there.
    #[inline(always)]
    fn call<E>(&mut self, fill: impl FnOnce(&mut Call<Args>) -> Result<(), E>) -> Result<(), E> {
        let mut call = Call::blank();
        fill(&mut call)?;
        self.event(RankEvent::Call(call));
        Ok(())
    }

    /// A call that repeats a kept one. Comes to those alone who keep calls.
    fn repeat(&mut self, _repeat: Repeat) {}

    /// A round of a loop that comes again, once or several times.
    fn rounds(&mut self, rounds: Rounds) {
        rounds.each().for_each(|repeat| self.repeat(repeat));
    }

    /// Which calls it keeps. The reader asks before it hands over records, and may ask again: the answer may change.
    fn keeps(&self) -> Keeps {
        Keeps::Nothing
    }

    /// For those who know how many calls a round has that comes again, and take whole rounds: so many.
    fn round_len(&self) -> Option<usize> {
        None
    }

    /// The last calls were given as these to [`Sink::repeat`]. May the next ones, which are the same but for their times, come
    /// to [`Sink::rounds`], as long as there is a [`Sink::round_len`] that goes into their number, and until
    /// [`super::RankReader::keep_anew`]?
    fn knows(&mut self, _round: &[Repeat]) -> bool {
        false
    }
}

impl<F: FnMut(LeanEvent)> Sink for F {
    fn event(&mut self, event: LeanEvent) {
        self(event);
    }
}
