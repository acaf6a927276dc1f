//! Post-start-complete-wait in the replay (MPI 4.1, 12.5.2): MPI_Win_start may block until all its targets have posted,
//! and MPI_Win_wait returns when all origins have completed.

use crate::arg_places::arg_places;
use crate::deadlock_replay::Meeting;
use crate::model::Model;
use crate::recorded::Known;
use crate::state::CommIx;
use schedules::{Act, Id, Needs};
use smallvec::SmallVec;
use trace_format::mpi::{Class, RmaSync};

/// Position in a meeting of the process that starts or completes.
const GIVES: u32 = 0;

/// Position in a meeting of the process that waits for it.
const WAITS: u32 = 1;

impl Model {
    /// A process comes to meetings in a call; it waits there for the other ones, or not.
    pub(crate) fn notify_meetings(
        &mut self,
        origin: &Known,
        window: CommIx,
        waits: bool,
        meetings: impl Iterator<Item = Meeting>,
    ) {
        let comm = &self.comms.list[window];
        let unknown = comm.is_foreign() || comm.made_wrongly || comm.members().any(|r| self.is_dim(r));
        if self.deadlock_replay.off || unknown {
            return;
        }
        let thread = self.replay_thread(origin.rank, origin.thread);
        let w = &mut self.deadlock_replay;
        let mut ids: SmallVec<[Id; 8]> = SmallVec::new();
        for meeting in meetings {
            // The one who waits does so by his nature at the end, and by leave of the library at the beginning.
            let needs = if meeting.end { Needs::Root(GIVES) } else { Needs::Nobody };
            let known = w.meetings.half.remove(&meeting);
            let collective = known.map_or_else(|| w.commands.collective(2, needs), |(collective, _)| collective);
            let position = if waits { WAITS } else { GIVES };
            let id = w.commands.start(thread, Act::Part { collective, position }, origin.clone());
            if known.is_none() {
                w.meetings.half.insert(meeting, (collective, id));
            }
            ids.push(id);
        }
        if waits {
            w.meetings.waiting.insert((origin.rank, origin.thread), ids);
        } else {
            ids.into_iter().for_each(|id| w.commands.forget(id));
        }
    }

    /// A call that waits for meetings has returned.
    pub(crate) fn notify_met(&mut self, origin: &Known, sync: RmaSync, failed: bool) {
        let Some(ops) = self.deadlock_replay.meetings.waiting.remove(&(origin.rank, origin.thread)) else { return };
        let thread = self.replay_thread(origin.rank, origin.thread);
        let w = &mut self.deadlock_replay;
        if failed {
            return ops.into_iter().for_each(|id| w.commands.release(id));
        }
        // Whoever polls could have done something else.
        if sync == RmaSync::RmaTest {
            return ops.into_iter().for_each(|id| w.commands.forget(id));
        }
        let any = None::<std::iter::Empty<Id>>;
        w.commands.wait(thread, origin.clone(), ops.iter().copied(), any, (true, true));
        ops.into_iter().for_each(|id| w.commands.forget(id));
        self.hand_over_if_full();
    }

    /// Nothing is known of the epochs of the window any more: nobody waits for who has not come.
    pub(crate) fn forget_meetings(&mut self, window: CommIx) {
        let window = self.comms.list[window].serial;
        let w = &mut self.deadlock_replay;
        w.meetings.unclear = true;
        w.meetings.half.retain(|meeting, (_, id)| {
            let kept = meeting.window != window;
            if !kept {
                w.commands.release(*id);
            }
            kept
        });
    }

    /// Drops what was found of epochs, if something was forgotten of any: it depends on what was read first.
    pub(super) fn drop_unclear_meetings(&mut self) {
        if !self.deadlock_replay.meetings.unclear {
            return;
        }
        let is_epoch = |call: &Known| matches!(arg_places(call.func).class, Class::RmaSync(_));
        self.deadlock_replay.found.retain(|f| !f.blocks.iter().any(|b| is_epoch(&b.call)));
    }
}
