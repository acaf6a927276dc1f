//! Commands to the replay: plain values in batches, so that the replay can be worked on by a thread of its own while the model
//! goes on. Operations and calls have numbers that are given out here, and that come back when the replay is done with them.
//!
//! ```text
//! Model -> Commands -> Batch -> Worker (here, or in a thread) -> Batch with its answers -> Model::take_answer
//! ```
//!
//! When a batch is full, and when its answers are taken, depends on the number of commands alone, and whoever needs to know all
//! waits for it ([`Model::settle_replay`]): the threads may run as they like, and the findings are the same.
//!
//! [`Model::settle_replay`]: crate::model::Model::settle_replay

use super::apart::Apart;
use super::worker::Worker;
use crate::recorded::Known;
use schedules::{Act, Gone, Id, Knot, Needs, Probe};

/// Commands of a batch. Calls are kept until the answer to them comes: with twice as many, and more batches under way, their
/// memory is in no near cache when it is used again.
const TOGETHER: usize = 1 << 10;

/// Something that the replay is to do. It owns nothing: what does is beside the commands, in their order.
#[derive(Clone, Copy)]
pub(super) enum Command {
    Thread {
        order: u64,
    },
    Collective {
        number: u32,
        size: u32,
    },
    PartNeeds {
        collective: u32,
        position: u32,
    },
    PartMayNeed {
        collective: u32,
        position: u32,
    },
    Start {
        id: Id,
        thread: u32,
        act: Act,
    },
    Pair {
        send: Id,
        recv: Id,
    },
    /// So many of the numbers beside the commands.
    Forget {
        ids: u32,
    },
    Release {
        id: Id,
    },
    /// So many operations, and so many of them that were complete, are among the numbers beside the commands.
    Wait {
        name: Id,
        thread: u32,
        ops: u32,
        any: Option<u32>,
        patient: bool,
        returned: bool,
    },
    Probe {
        name: Id,
        thread: u32,
        patient: bool,
    },
    /// Looks for knots now, when the run has ended or not.
    Knots {
        over: bool,
    },
}

/// Commands, and then the answers to them.
#[derive(Default)]
pub(crate) struct Batch {
    pub(super) commands: Vec<Command>,
    /// The numbers that commands speak of, in their order.
    pub(super) ids: Vec<Id>,
    /// Positions that parts of collective operations depend on, and other things that commands speak of.
    pub(super) positions: Vec<Vec<u32>>,
    pub(super) needs: Vec<Needs>,
    pub(super) probes: Vec<Probe>,
    /// How much is kept is asked.
    pub(super) asks: bool,
    pub(super) kept: usize,
    pub(super) lag: usize,
    pub(crate) knots: Vec<Knot>,
    pub(super) gone: Gone,
}

/// Where the replay is worked on.
pub(super) enum Place {
    Here(Box<Worker>),
    Apart(Apart),
}

/// See the module.
pub(crate) struct Commands {
    /// By number: the operations and calls that the replay knows.
    pub(super) calls: Vec<Option<Known>>,
    free: Vec<Id>,
    /// Numbers of collective operations: so many were given out, and these are free.
    collectives: u32,
    free_collectives: Vec<u32>,
    batch: Batch,
    /// Batches whose answers were taken, for their memory.
    spare: Vec<Batch>,
    place: Place,
    /// A batch with so many commands is full.
    together: usize,
    /// How much is kept was asked of all that was handed over.
    asked: bool,
    /// Operations that the replay kept, and steps that it lagged behind, when that was asked last.
    pub(super) kept: usize,
    pub(super) lag: usize,
}

impl Default for Commands {
    fn default() -> Commands {
        Commands {
            calls: Vec::new(),
            free: Vec::new(),
            collectives: 0,
            free_collectives: Vec::new(),
            batch: Batch::default(),
            spare: Vec::new(),
            place: Place::Here(Box::default()),
            together: TOGETHER,
            asked: true,
            kept: 0,
            lag: 0,
        }
    }
}

impl Commands {
    /// A thread; they are numbered from 0.
    pub(crate) fn thread(&mut self, order: u64) {
        self.batch.commands.push(Command::Thread { order });
    }

    /// A new collective operation of `size` processes: its number.
    pub(crate) fn collective(&mut self, size: u32, needs: Needs) -> u32 {
        let number = self.free_collectives.pop().unwrap_or_else(|| {
            self.collectives += 1;
            self.collectives - 1
        });
        self.batch.commands.push(Command::Collective { number, size });
        self.batch.needs.push(needs);
        number
    }

    pub(crate) fn part_needs(&mut self, collective: u32, position: u32, needed: Vec<u32>) {
        self.batch.commands.push(Command::PartNeeds { collective, position });
        self.batch.positions.push(needed);
    }

    pub(crate) fn part_may_need(&mut self, collective: u32, position: u32, near: Vec<u32>) {
        self.batch.commands.push(Command::PartMayNeed { collective, position });
        self.batch.positions.push(near);
    }

    /// The number of an operation that a call starts.
    #[inline]
    pub(crate) fn start(&mut self, thread: u32, act: Act, call: Known) -> Id {
        let id = self.number(call);
        self.batch.commands.push(Command::Start { id, thread, act });
        id
    }

    #[inline]
    pub(crate) fn pair(&mut self, send: Id, recv: Id) {
        self.batch.commands.push(Command::Pair { send, recv });
    }

    /// The model will not name the operation again, but to pair it.
    #[inline]
    pub(crate) fn forget(&mut self, id: Id) {
        match self.batch.commands.last_mut() {
            Some(Command::Forget { ids }) => *ids += 1,
            _ => self.batch.commands.push(Command::Forget { ids: 1 }),
        }
        self.batch.ids.push(id);
    }

    pub(crate) fn release(&mut self, id: Id) {
        self.batch.commands.push(Command::Release { id });
    }

    /// A call that waits for operations: for all, or for any, and these were complete.
    #[inline(always)]
    pub(crate) fn wait(
        &mut self,
        thread: u32,
        call: Known,
        ops: impl Iterator<Item = Id>,
        any: Option<impl Iterator<Item = Id>>,
        (patient, returned): (bool, bool),
    ) {
        let name = self.number(call);
        let ids = &mut self.batch.ids;
        let from = ids.len();
        ids.extend(ops);
        let between = ids.len();
        let any = any.map(|any| {
            ids.extend(any);
            (ids.len() - between) as u32
        });
        let ops = (between - from) as u32;
        self.batch.commands.push(Command::Wait { name, thread, ops, any, patient, returned });
    }

    pub(crate) fn probe(&mut self, thread: u32, call: Known, probe: Probe, patient: bool) {
        let name = self.number(call);
        self.batch.commands.push(Command::Probe { name, thread, patient });
        self.batch.probes.push(probe);
    }

    pub(crate) fn knots(&mut self, over: bool) {
        self.batch.commands.push(Command::Knots { over });
    }

    /// The call of a number that the replay has not given back.
    pub(crate) fn call(&self, id: Id) -> Option<&Known> {
        self.calls.get(id as usize)?.as_ref()
    }

    #[inline(always)]
    fn number(&mut self, call: Known) -> Id {
        if let Some(id) = self.free.pop() {
            self.calls[id as usize] = Some(call);
            return id;
        }
        self.calls.push(Some(call));
        self.calls.len() as Id - 1
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.batch.commands.len() >= self.together
    }

    /// Hands the commands over. An earlier batch that is answered now, or this one.
    pub(crate) fn hand_over(&mut self) -> Option<Batch> {
        let mut batch = std::mem::replace(&mut self.batch, self.spare.pop().unwrap_or_default());
        self.asked = batch.asks;
        match &mut self.place {
            Place::Here(worker) => {
                worker.work(&mut batch);
                Some(batch)
            }
            Place::Apart(apart) => apart.hand_over(batch),
        }
    }

    /// Hands the commands over and asks how much is kept, unless all were handed over and that was asked.
    pub(crate) fn ask(&mut self) -> Option<Batch> {
        if self.batch.commands.is_empty() && self.asked {
            return None;
        }
        self.batch.asks = true;
        self.hand_over()
    }

    /// Waits for the next batch that is not answered.
    pub(crate) fn next_answer(&mut self) -> Option<Batch> {
        match &mut self.place {
            Place::Here(_) => None,
            Place::Apart(apart) => apart.next_answer(),
        }
    }

    /// The answers of a batch were taken but for the numbers that are free again. Their calls go to `free`.
    pub(crate) fn give_back(&mut self, mut batch: Batch, mut free: impl FnMut(Known)) {
        if batch.asks {
            (self.kept, self.lag) = (batch.kept, batch.lag);
        }
        for id in &batch.gone.ids {
            if let Some(call) = self.calls.get_mut(*id as usize).and_then(Option::take) {
                free(call);
            }
        }
        self.free.append(&mut batch.gone.ids);
        self.free_collectives.append(&mut batch.gone.collectives);
        batch.asks = false;
        self.spare.push(batch);
    }

    /// The replay is worked on by a thread of its own from now on. Nothing may be under way.
    pub(crate) fn go_apart(&mut self) {
        if let Place::Here(worker) = &mut self.place {
            self.place = Place::Apart(Apart::new(std::mem::take(worker)));
        }
    }

    /// The replay is worked on here again. Nothing may be under way.
    pub(crate) fn come_back(&mut self) {
        self.place = match std::mem::replace(&mut self.place, Place::Here(Box::default())) {
            Place::Apart(apart) => Place::Here(apart.end()),
            here => here,
        };
    }

    /// Batches are full with so many commands: for tests.
    pub(crate) fn set_together(&mut self, commands: usize) {
        self.together = commands.max(1);
    }
}
