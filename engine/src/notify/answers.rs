//! The deadlock replay is given the commands, and its answers are taken: the permissions without which the run would not have
//! got through.

use crate::deadlock_replay::{Batch, Blocked, Unpromised, Wanted};
use crate::model::{Model, recycle};
use crate::recorded::Known;
use crate::state::Rank;
use schedules::{Id, Knot, Need, Permission};

impl Model {
    /// Hands the commands to the replay over, if there are enough of them.
    #[inline]
    pub(super) fn hand_over_if_full(&mut self) {
        if self.deadlock_replay.commands.is_full()
            && let Some(answered) = self.deadlock_replay.commands.hand_over()
        {
            self.take_answer(answered);
        }
    }

    /// Waits until the replay has done all that it was told. Needed before anything changes on which it depends what a knot
    /// means, or what it found is looked at.
    pub(crate) fn settle_replay(&mut self) {
        if let Some(answered) = self.deadlock_replay.commands.ask() {
            self.take_answer(answered);
        }
        while let Some(answered) = self.deadlock_replay.commands.next_answer() {
            self.take_answer(answered);
        }
    }

    /// From now on not everything is known of a rank: `how`. Findings that concern it are dropped from now on.
    pub(crate) fn make_dim(&mut self, rank: i32, how: impl FnOnce(&mut Rank)) {
        if !self.is_dim(rank) {
            self.settle_replay();
        }
        self.has_gaps = true;
        if let Some(r) = self.rank_mut(rank) {
            how(r);
        }
    }

    /// The replay is worked on by a thread of its own from now on.
    pub(crate) fn replay_apart(&mut self) {
        if !self.deadlock_replay.off {
            self.settle_replay();
            self.deadlock_replay.commands.go_apart();
        }
    }

    /// The replay is worked on by the thread of the model again.
    pub(crate) fn replay_here(&mut self) {
        self.settle_replay();
        self.deadlock_replay.commands.come_back();
    }

    fn take_answer(&mut self, mut answered: Batch) {
        for knot in answered.knots.drain(..) {
            self.note_permission(&knot);
        }
        let spare = &mut self.spare;
        self.deadlock_replay.commands.give_back(answered, |call| recycle(spare, call));
    }

    fn note_permission(&mut self, knot: &Knot) {
        let rank = |thread: &u32| self.deadlock_replay.threads[*thread as usize].0;
        let call = |id: &Id| self.deadlock_replay.commands.call(*id).cloned();
        let mut blocks = Vec::new();
        for block in &knot.blocks {
            let needs = block.needs.iter().filter_map(|need| {
                let (op, ranks) = match need {
                    Need::Partner { op, thread } => (op, vec![rank(thread)]),
                    Need::Nobody { op } => (op, Vec::new()),
                    Need::Calls { op, threads } => (op, threads.iter().map(rank).collect()),
                };
                Some(Wanted { op: call(op)?, ranks })
            });
            let needs = needs.collect();
            blocks.extend(call(&block.call).map(|call| Blocked { rank: rank(&block.thread), call, needs }));
        }
        if blocks.iter().any(|b| self.is_dim(b.rank)) {
            return;
        }
        let (mut buffers, mut early) = (Vec::new(), Vec::new());
        for permission in &knot.permissions {
            match permission {
                Permission::Buffer { op, bytes } => buffers.extend(call(op).map(|op| (op, *bytes))),
                Permission::Early { op } => early.extend(call(op)),
            }
        }
        let key = key_of(self, blocks.iter().map(|b| b.call.clone()));
        let most = buffers.iter().map(|b| b.1).sum();
        let mut new = Unpromised { blocks, buffers, early, least: knot.least, count: 1, most, key };
        match self.deadlock_replay.found.iter_mut().find(|u| u.key == new.key) {
            Some(known) => {
                (new.count, new.most) = (known.count + 1, known.most.max(new.most));
                if new.order() < known.order() {
                    *known = new;
                } else {
                    (known.count, known.most) = (new.count, new.most);
                }
            }
            None => self.deadlock_replay.found.push(new),
        }
    }
}

impl Unpromised {
    /// Is it the same calls, by their places in the program, that got through? To compare with what did not in the end.
    pub(crate) fn is_at(&self, model: &Model, calls: impl Iterator<Item = Known>) -> bool {
        self.key == key_of(model, calls)
    }
}

/// Where the calls are in the program.
fn key_of(model: &Model, calls: impl Iterator<Item = Known>) -> Vec<u64> {
    let mut key: Vec<u64> = calls.map(|call| model.place(&call)).collect();
    key.sort_unstable();
    key.dedup();
    key
}
