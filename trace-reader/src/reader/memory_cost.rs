//! The memory that events take while they wait to be taken, counted in ordinary events: a few may hold as much as
//! thousands of others.

use super::{Keeps, LeanEvent, RankEvent, Repeat, Rounds, Sink};
use crate::args::Args;
use crate::call::{Call, Value};
use std::cell::Cell;
use std::mem::size_of;
use trace_format::definition::Definition;
use trace_format::ranks::Ranks;
use trace_format::system::{Checksum, Found, Place, SystemEvent};

/// Bytes beside an event's own that count as one more event.
const UNIT: usize = 1024;

impl LeanEvent {
    /// How many ordinary events take as much memory: 1 or more.
    #[inline]
    pub fn memory_cost(&self) -> usize {
        let elsewhere = match self {
            RankEvent::Call(call) => of_call(call),
            RankEvent::Return { outs, .. } => outs.elsewhere(),
            RankEvent::System { event, .. } => of_system(event),
            RankEvent::Definition(definition) => of_definition(definition),
        };
        1 + elsewhere / UNIT
    }
}

/// A sink that counts what another one is given, by the memory that it takes.
pub(super) struct CostMeter<'a, S> {
    pub(super) sink: &'a mut S,
    pub(super) taken: &'a Cell<usize>,
}

impl<S> CostMeter<'_, S> {
    #[inline]
    fn add(&self, cost: usize) {
        self.taken.set(self.taken.get().saturating_add(cost));
    }
}

impl<S: Sink> Sink for CostMeter<'_, S> {
    fn event(&mut self, event: LeanEvent) {
        self.add(event.memory_cost());
        self.sink.event(event);
    }

    fn keeps(&self) -> Keeps {
        self.sink.keeps()
    }

    fn wants_likeness(&self) -> bool {
        self.sink.wants_likeness()
    }

    #[inline(always)]
    fn call<E>(&mut self, likeness: Option<u64>, fill: impl FnOnce(&mut Call<Args>) -> Result<(), E>) -> Result<(), E> {
        let mut cost = 0;
        let result = self.sink.call(likeness, |call| {
            fill(call)?;
            cost = 1 + of_call(call) / UNIT;
            Ok(())
        });
        self.add(cost);
        result
    }

    #[inline(always)]
    fn repeat(&mut self, repeat: Repeat) {
        self.add(1);
        self.sink.repeat(repeat);
    }

    fn round_len(&self) -> Option<usize> {
        self.sink.round_len()
    }

    fn knows(&mut self, round: &[Repeat]) -> bool {
        self.sink.knows(round)
    }

    fn rounds(&mut self, rounds: Rounds) {
        self.add(rounds.times.len());
        self.sink.rounds(rounds);
    }
}

/// Bytes that the values of a call have elsewhere.
pub(super) fn of_call(call: &Call<Args>) -> usize {
    call.ins.elsewhere() + call.outs.elsewhere()
}

impl Args {
    /// Bytes that its values have elsewhere.
    #[inline]
    fn elsewhere(&self) -> usize {
        self.rest().iter().map(|(_, value)| size_of::<(u8, Value)>() + of_value(value)).sum()
    }
}

fn of_value(value: &Value) -> usize {
    match value {
        Value::None | Value::Int(_) | Value::Request { .. } | Value::Status(_) => 0,
        Value::Requests { handles: all, .. } | Value::Ints(all) => size_of_val(&all[..]),
        Value::Statuses(all) => size_of_val(&all[..]),
        Value::Str(text) => text.len(),
    }
}

fn of_system(event: &SystemEvent) -> usize {
    match event {
        SystemEvent::MpiError { text, .. } | SystemEvent::Lost { reason: text } => text.len(),
        SystemEvent::Found(Found { code, message, places, notes, .. }) => {
            let roles = places.iter().map(|place| size_of::<Place>() + place.role.len());
            let notes = notes.iter().map(|note| size_of::<String>() + note.len());
            code.len() + message.len() + roles.chain(notes).sum::<usize>()
        }
        SystemEvent::Checksums(sums) => (sums.sent.len() + sums.received.len()) * size_of::<Checksum>(),
        // Short, or a name.
        _ => 0,
    }
}

fn of_definition(definition: &Definition) -> usize {
    match definition {
        Definition::Module(module) => module.path.len() + module.build_id.len(),
        Definition::Stack { frames, .. } => size_of_val(&frames[..]),
        Definition::Frames { slots, .. } => size_of_val(&slots[..]),
        Definition::Comm { local, remote, neighbors, .. } => {
            let near = neighbors.iter().map(|n| size_of_val(&n.sources[..]) + size_of_val(&n.destinations[..]));
            of_ranks(local) + remote.iter().map(of_ranks).chain(near).sum::<usize>()
        }
        Definition::Group { ranks, .. } => of_ranks(ranks),
        Definition::Datatype { ints, types, .. } => size_of_val(&ints[..]) + size_of_val(&types[..]),
        Definition::CommName { name, .. } | Definition::TypeName { name, .. } => name.len(),
        Definition::Bridge(bridge) => of_ranks(&bridge.local) + bridge.port.len(),
        Definition::Blob { bytes, .. } | Definition::Dump { bytes, .. } => bytes.len(),
        Definition::Source { file, function, .. } => file.len() + function.len(),
        Definition::SourceStack { sources, .. } => size_of_val(&sources[..]),
        Definition::Array(array) => array.element_type.len() + array.variable.len(),
        Definition::Op { .. } | Definition::Object { .. } | Definition::OnComm { .. } => 0,
    }
}

fn of_ranks(ranks: &Ranks) -> usize {
    ranks.runs().len() * size_of::<(i32, i32, i32)>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::Call;
    use trace_format::mpi::FnId;

    #[test]
    fn events_that_hold_much_memory_cost_more() {
        let mut call = Call::new(FnId::MPI_Waitall);
        let plain = RankEvent::Call(call.clone());
        call.ins[1] = Value::Requests { base: 1, handles: vec![7; 10_000] };
        assert_eq!(LeanEvent::from(plain).memory_cost(), 1);
        assert_eq!(LeanEvent::from(RankEvent::Call(call)).memory_cost(), 1 + 80_000 / UNIT);
        let stack = Definition::Stack { id: 1, frames: vec![1; 256] };
        assert_eq!(LeanEvent::Definition(stack).memory_cost(), 1 + 2048 / UNIT);
        let text = "x".repeat(4 * UNIT);
        let lost = LeanEvent::System { thread: 0, time: 0, event: SystemEvent::Lost { reason: text } };
        assert_eq!(lost.memory_cost(), 5);
    }
}
