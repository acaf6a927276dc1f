//! The checks as they are asked while calls are matched.

use super::Model;
use crate::state::{
    AccessConflict, CommIx, Damage, DescribedPair, FileConflict, Gathering, Holder, Message, Misuse, OutOfRange,
    Spoilt, UnlikeSides, Untrue, Verdict, WrongResult,
};

/// Judges calls that belong together. The checks know the whole model, and therefore matching cannot know them.
pub(crate) trait Rules: Sync {
    /// A message whose two halves are not obviously alike.
    fn message(&self, model: &mut Model, message: &Message);
    /// A message whose data have arrived changed.
    fn damage(&self, model: &mut Model, damage: &Damage);
    /// Data of a collective operation that have arrived changed.
    fn spoilt(&self, model: &mut Model, comm: CommIx, spoilt: &[Spoilt]);
    /// A reduction with wrong results.
    fn wrong_results(&self, model: &mut Model, comm: CommIx, wrong: &[WrongResult]);
    /// Two calls of two threads that were at the same thing at once.
    fn misuse(&self, model: &mut Model, misuse: &Misuse);
    /// A partitioned send and its receive, which were described.
    fn partitioned(&self, model: &mut Model, pair: &DescribedPair);
    /// Two accesses to a window that must not overlap.
    fn access_conflict(&self, model: &mut Model, conflict: &AccessConflict);
    /// Two accesses to a file that nothing separates.
    fn file_conflict(&self, model: &mut Model, conflict: &FileConflict);
    /// An assertion of a call of synchronization that is not true.
    fn untrue(&self, model: &mut Model, untrue: &Untrue);
    /// Processes that would wait for each other's locks.
    fn lock_knot(&self, model: &mut Model, knot: &[Holder]);
    /// An access beyond the memory of its target.
    fn out_of_range(&self, model: &mut Model, access: &OutOfRange);
    /// An access whose two sides differ in type.
    fn unlike_sides(&self, model: &mut Model, access: &UnlikeSides);
    /// The parts of a collective operation.
    fn collective(&self, model: &mut Model, parts: &Gathering) -> Verdict;
}
