//! Collective operations: the k-th collective call of each process on a communicator (window, file) belongs to
//! instance k (MPI 4.1 sections 6.1 and 6.14); blocking and nonblocking ones share one order. Persistent ones match by the
//! order in which they were made (6.13), whatever the order of their starts: `collective/persistent.rs`.

use crate::collective::{What, what};
use crate::model::Model;
use crate::state::{Comm, CommIx, Gathering, Made, Misused, Origin, Part, Persistents, Verdict, peers};
use std::rc::Rc;

impl Model {
    /// The process at `position` makes its next collective call on the object: the number of the operation. `start`: the
    /// call that starts a persistent one.
    pub(crate) fn arrive(
        &mut self,
        comm: CommIx,
        position: u32,
        call: &Rc<Origin>,
        start: Option<(&Rc<Origin>, Made)>,
    ) -> u64 {
        let dim = self.ranks[call.rank as usize].holed;
        // The order in which persistent operations are started is another matter.
        if start.is_none() && self.has_threads(call.rank) && matches!(what(call.func), What::Coll(_)) {
            let last_call = &mut self.comms.list[comm].space.last_call;
            if let Some(first) = last_call.insert(position, call.clone()) {
                self.note_use(Misused::Object(comm), &first, call);
            }
        }
        let space = &mut self.comms.list[comm].space;
        let size = space.next.len();
        let shown = start.map_or(call, |(start, _)| start);
        let (thread, time) = std::mem::replace(&mut space.last[position as usize], (shown.thread, shown.time));
        space.tangled |= thread != shown.thread && shown.time < time;
        let index = match start {
            None => space.next_of(position),
            Some((_, made)) => space.of_start(position, made),
        };
        let instance = &mut space.queue[(index - space.base) as usize];
        instance.parts[position as usize] = Some(Part::new(call, start.map(|(start, _)| start), dim));
        instance.arrived += 1;
        let all = instance.arrived as usize == size;
        let is_certain = !space.tangled;
        self.notify_part(comm, index, position);
        if is_certain && !self.windows.is_empty() {
            self.order.take_part((comm, index), size, (shown.rank, shown.index));
        }
        if all {
            self.check_collective(comm, index);
        }
        index
    }

    /// The call of the process at `position` has failed before it took part, which was not known when it began.
    pub(crate) fn not_taken_part(&mut self, comm: CommIx, index: u64, position: u32) {
        self.notify_bad(comm, index);
        let space = &mut self.comms.list[comm].space;
        if space.withdraw(index, position) {
            return;
        }
        // Which operations belong together is uncertain.
        space.tangled = true;
        self.part_done(comm, index, position);
    }

    /// The process at `position` is done with its part.
    pub(crate) fn part_done(&mut self, comm: CommIx, index: u64, position: u32) {
        self.notify_part_end(comm, index, position);
        let space = &mut self.comms.list[comm].space;
        if let Some(instance) = space.get_mut(index)
            && let Some(part) = &mut instance.parts[position as usize]
            && !part.done
        {
            part.done = true;
            part.ended = self.listeners.ending_call();
            instance.done += 1;
            let over = instance.done as usize == instance.parts.len();
            if over && instance.parts.iter().flatten().any(|p| p.sums.is_some()) && !instance.bad {
                self.compare_part_sums(comm, index);
            }
            let Comm { space, a, b, serial, .. } = &mut self.comms.list[comm];
            let group = |position, rank| peers(a, b.as_ref(), position).get(rank);
            space.retire(|instance| self.listeners.over(*serial, instance, &group));
        }
    }

    /// Holds the parts that are there against each other.
    pub(crate) fn check_collective(&mut self, comm: CommIx, index: u64) {
        let c = &self.comms.list[comm];
        if c.spoiled || c.is_foreign() || c.space.tangled {
            return;
        }
        let Some(instance) = c.space.get(index) else { return };
        if instance.parts.iter().flatten().any(|p| p.dim) {
            return;
        }
        let known = self.comms.list[comm].space.is_made_wrongly(index);
        let verdict = match known {
            Some(true) => Verdict::Wrong,
            Some(false) => return,
            None => self.judge(comm, index),
        };
        let c = &mut self.comms.list[comm];
        c.spoiled |= verdict == Verdict::Spoiled;
        c.space.get_mut(index).into_iter().for_each(|instance| instance.bad = verdict != Verdict::Fine);
        if verdict != Verdict::Fine {
            self.notify_bad(comm, index);
            self.comms.spoil_made_by(comm, index);
        }
    }

    /// Asks the checks about the parts of an operation.
    fn judge(&mut self, comm: CommIx, index: u64) -> Verdict {
        // Lent to the checks, which need the rest of the model as well.
        let Some(parts) = self.comms.list[comm].space.take_parts(index) else { return Verdict::Fine };
        let verdict = self.rules.collective(self, &Gathering { comm, parts: &parts });
        self.comms.list[comm].space.give_parts(index, parts);
        verdict
    }

    /// The process at `position` has made another persistent operation on the object.
    pub(crate) fn make_persistent(&mut self, comm: CommIx, position: u32, call: &Rc<Origin>) -> Made {
        let part = Part::new(call, None, self.ranks[call.rank as usize].holed);
        let space = &mut self.comms.list[comm].space;
        let size = space.next.len();
        let persistents = space.persistents.get_or_insert_with(|| Box::new(Persistents::new(size)));
        let number = persistents.make(position, part);
        if let Some((number, parts)) = persistents.made_by_all() {
            self.check_made(comm, number, &parts);
        }
        Made { number, starts: 0 }
    }

    /// Whether all made the same operation with arguments that go together: the standard wants that when it is made.
    fn check_made(&mut self, comm: CommIx, number: u32, parts: &[Option<Part>]) {
        let c = &self.comms.list[comm];
        let dim = parts.iter().flatten().any(|p| p.dim);
        if dim || c.spoiled || c.is_foreign() || c.space.tangled {
            return;
        }
        let verdict = self.rules.collective(self, &Gathering { comm, parts });
        let c = &mut self.comms.list[comm];
        c.spoiled |= verdict == Verdict::Spoiled;
        if verdict != Verdict::Fine {
            c.space.persistents.iter_mut().for_each(|all| all.note_wrong(number));
        }
    }
}
