//! Works on the replay: does what the commands say.

use super::commands::{Batch, Command};
use schedules::{Call, DeadlockReplay, Id, Knot, Needs};

/// Steps that the replay may lag behind without being looked at; the second one for each thread.
const PATIENCE: usize = 1 << 14;

const PATIENCE_A_THREAD: usize = 64;

/// See the module.
#[derive(Default)]
pub(super) struct Worker {
    replay: DeadlockReplay,
    threads: usize,
    /// How far it may lag behind before it is looked at.
    patience: usize,
}

/// Takes numbers from the front of a list.
#[inline(always)]
fn take<'a>(ids: &mut &'a [Id], count: u32) -> &'a [Id] {
    let (taken, left) = ids.split_at(count as usize);
    *ids = left;
    taken
}

/// Looks what keeps the replay from going on, if it lags far behind.
#[inline(always)]
fn keep_up(replay: &mut DeadlockReplay, patience: &mut usize, threads: usize, knots: &mut Vec<Knot>) {
    if replay.lag() > (*patience).max(PATIENCE).max(PATIENCE_A_THREAD * threads) {
        knots.append(&mut replay.knots(false));
        *patience = 2 * replay.lag();
    }
}

impl Worker {
    /// Does what the batch says, and puts the answers into it.
    pub(super) fn work(&mut self, batch: &mut Batch) {
        let Batch { commands, ids, positions, needs, probes, knots, .. } = batch;
        let mut left: &[Id] = ids;
        let (mut positions, mut needs, mut probes) = (positions.drain(..), needs.drain(..), probes.drain(..));
        let replay = &mut self.replay;
        for command in &*commands {
            match *command {
                Command::Start { id, thread, act } => replay.start(id, thread, act),
                Command::Pair { send, recv } => replay.pair(send, recv),
                Command::Forget { ids } => {
                    for id in take(&mut left, ids) {
                        replay.forget(*id);
                    }
                }
                Command::Wait { name, thread, ops, any, patient, returned } => {
                    let ops = take(&mut left, ops);
                    let any = any.map(|any| take(&mut left, any));
                    replay.wait(thread, &Call { ops, any, patient, returned, probe: None, name });
                    keep_up(replay, &mut self.patience, self.threads, knots);
                }
                Command::Probe { name, thread, patient } => {
                    let probe = probes.next();
                    replay.wait(thread, &Call { ops: &[], any: None, patient, returned: true, probe, name });
                    keep_up(replay, &mut self.patience, self.threads, knots);
                }
                Command::Release { id } => replay.release(id),
                Command::Collective { number, size } => {
                    replay.collective(number, size, needs.next().unwrap_or(Needs::Nobody));
                }
                Command::PartNeeds { collective, position } => {
                    replay.part_needs(collective, position, positions.next().unwrap_or_default());
                }
                Command::PartMayNeed { collective, position } => {
                    replay.part_may_need(collective, position, positions.next().unwrap_or_default());
                }
                Command::Thread { order } => {
                    replay.thread(order);
                    self.threads += 1;
                }
                Command::Knots { over } => knots.append(&mut replay.knots(over)),
            }
        }
        drop((positions, needs, probes));
        commands.clear();
        ids.clear();
        std::mem::swap(&mut batch.gone, self.replay.gone());
        if batch.asks {
            (batch.kept, batch.lag) = (self.replay.kept(), self.replay.lag());
        }
    }
}
