//! A sink takes events from the reader. It may keep calls, and is then told only how others repeat them.

use super::{LeanEvent, RankEvent, Repeat, Rounds};
use crate::args::Args;
use crate::call::Call;

/// Which calls a [`Sink`] keeps, to be told only how others repeat them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Keeps {
    /// None: each call comes whole.
    Nothing,
    /// It keeps them for calls with the same values.
    Same,
    /// It keeps them for calls that differ in [`super::varying_fields`] alone.
    Alike,
}

/// Takes events from the reader. Programs repeat themselves: a sink that keeps calls is not given whole calls that repeat them.
pub trait Sink {
    /// An event that comes whole. A call with a [`Call::slot`] is to be kept until another one comes with the same slot.
    fn event(&mut self, event: LeanEvent);

    /// A call, which `fill` puts where the sink wants to have it. If that fails there is no call, whatever it has put there.
    /// `likeness`: see [`Sink::wants_likeness`].
    #[inline(always)]
    fn call<E>(
        &mut self,
        _likeness: Option<u64>,
        fill: impl FnOnce(&mut Call<Args>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut call = Call::blank();
        fill(&mut call)?;
        self.event(RankEvent::Call(call));
        Ok(())
    }

    /// Is [`Sink::call`] to be given the likeness of calls: a hash of all their values but their times, their result and their
    /// varying values? Only calls with records of one length have one.
    fn wants_likeness(&self) -> bool {
        false
    }

    /// A call that repeats a kept one: only sinks that keep calls get any.
    fn repeat(&mut self, _repeat: Repeat) {}

    /// A round of a loop that comes again, once or several times.
    fn rounds(&mut self, rounds: Rounds) {
        rounds.each().for_each(|repeat| self.repeat(repeat));
    }

    /// Which calls it keeps. The reader asks before it hands over records, and may ask again: the answer may change.
    fn keeps(&self) -> Keeps {
        Keeps::Nothing
    }

    /// The number of calls after which the thread repeats itself; `None`: the sink does not know, or takes no rounds.
    fn round_len(&self) -> Option<usize> {
        None
    }

    /// Does the sink take further rounds of these calls, which differ in their times alone, by [`Sink::rounds`]? The last round
    /// has come to [`Sink::repeat`]. Yes holds until [`super::RankReader::keep_anew`], and while the number of calls in the round
    /// is a multiple of [`Sink::round_len`].
    fn knows(&mut self, _round: &[Repeat]) -> bool {
        false
    }
}

impl<F: FnMut(LeanEvent)> Sink for F {
    fn event(&mut self, event: LeanEvent) {
        self(event);
    }
}
