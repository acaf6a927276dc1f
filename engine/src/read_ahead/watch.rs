//! Whether it is worth to look for rounds of a rank.

use super::rounds::RoundFinder;

/// Looks at the events of one rank as long as that promises something: one that does not repeat itself is looked at now and
/// then.
pub(super) enum Watch {
    /// There are too many ranks, or laps are not asked for.
    Never,
    Awake(Box<RoundFinder>),
    /// So many events are left out, and then it is looked at by this.
    Asleep(usize, Box<RoundFinder>),
}

impl Watch {
    pub(super) fn new(finder: Option<Box<RoundFinder>>) -> Watch {
        finder.map_or(Watch::Never, Watch::Awake)
    }

    /// Gives the finder that looks at the events to be read next. True: it knows of no call that was kept.
    pub(super) fn begin(&mut self) -> (Option<Box<RoundFinder>>, bool) {
        match std::mem::replace(self, Watch::Never) {
            Watch::Awake(finder) => (Some(finder), false),
            Watch::Asleep(0, finder) => (Some(finder), true),
            other => {
                *self = other;
                (None, false)
            }
        }
    }

    /// So many events were read, and this has looked at them.
    pub(super) fn end(&mut self, finder: Option<Box<RoundFinder>>, events: usize) {
        match (finder, &mut *self) {
            (Some(mut finder), _) => {
                *self = match finder.may_sleep() {
                    Some(events) => Watch::Asleep(events, Box::new(finder.anew())),
                    None => Watch::Awake(finder),
                }
            }
            (None, Watch::Asleep(left, _)) => *left = left.saturating_sub(events),
            (None, _) => {}
        }
    }
}
