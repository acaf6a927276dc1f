//! Operations that are over, for the next ones of their thread.

use super::operation::Operation;
use crate::call::call_cache::{self, Place};
use crate::mpi::spot::Spot;
use trace_format::mpi::Class;

/// Operations of a thread that are over: the next ones take their memory, and those of the same call their buffers, too.
#[expect(clippy::vec_box, reason = "the table holds boxes, and these come from there and go there")]
pub(crate) struct Spare {
    any: Vec<Box<Operation>>,
    of_calls: [Option<Box<Operation>>; call_cache::PLACES],
}

/// A thread keeps no more: what a burst of operations has used goes back.
const MAX_SPARE: usize = 256;
const MAX_SPARE_USES: usize = 64;

impl Spare {
    pub(crate) const fn new() -> Spare {
        Spare { any: Vec::new(), of_calls: [const { None }; call_cache::PLACES] }
    }

    /// The last operation of the call that is remembered at `place`, with its buffers, if it is there.
    pub(crate) fn take_again(&mut self, place: Option<Place>) -> Option<Box<Operation>> {
        self.of_calls.get_mut(place?.index())?.take_if(|operation| operation.place == place)
    }

    /// An operation without buffers.
    pub(crate) fn take(&mut self, class: Class, made: Spot) -> Box<Operation> {
        self.any.pop().unwrap_or_else(|| Box::new(Operation::new(class, made)))
    }

    pub(crate) fn give_back(&mut self, mut operation: Box<Operation>) {
        if operation.uses.capacity() > MAX_SPARE_USES {
            return;
        }
        if !operation.keys.is_empty() {
            operation.keys.clear();
        }
        operation.snapshots.clear();
        if operation.partitions.is_some() {
            operation.partitions = None;
        }
        operation.queued.clear();
        let place = operation.place.and_then(|place| self.of_calls.get_mut(place.index()));
        let other = match place {
            Some(place) => place.replace(operation),
            None => Some(operation),
        };
        if let Some(mut other) = other.filter(|_| self.any.len() < MAX_SPARE) {
            other.uses.clear();
            other.place = None;
            self.any.push(other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::call_cache::{CallCache, Same};
    use crate::call::info;
    use crate::call::sites::{Arrival, Site};
    use crate::mpi::abi::{self, Abi};
    use crate::mpi::changes::Witness;
    use crate::pending::uses::{Access, Partners, Reduced, Use};
    use trace_format::mpi::{FnId, SendMode, Start};
    use typemap::Buffer;

    #[test]
    fn buffers_are_taken_over_by_the_same_call_alone() {
        abi::all().for_each(taken_over_by_the_same_call_alone);
    }

    fn taken_over_by_the_same_call_alone(abi: &'static Abi) {
        let class = Class::Send(SendMode::Standard, Start::Nonblocking);
        let made = Spot { call: 1, site: 2, func: FnId::MPI_Isend, thread: 0 };
        let infos = info::all(abi, info::NOTHING_SAID);
        let (words, values) = ([0; crate::mpi::library::MAX_ARGS], [0u8; call_cache::BYTES]);
        let mut cache = CallCache::new(0);
        // The second one takes the place of the first one.
        let arrival = Arrival { return_address: 1, stack_pointer: 0 };
        let same = Same::of(&infos[0], arrival, &words);
        let mut keep =
            |stack| cache.keep(5, &same, Site { stack, ..Site::default() }, None, values.as_ptr(), Witness::now());
        // Other tests make objects meanwhile, and then no call is kept.
        let places = [1, 2].map(|stack| (0..1000).find_map(|_| keep(stack)));
        let mut spare = Spare::new();
        let operation = |place| {
            let mut operation = Box::new(Operation::new(class, made));
            let (access, partners, reduced) = (Access::Read, Partners::All, Reduced::No);
            let buffer = Buffer::bytes(0x1000, 8);
            let (param, func, base, address) = (0, FnId::MPI_Isend, 0x1000, 0x1000);
            let (count, datatype, map) = (8, 1, None);
            operation.uses.push(Use {
                buffer,
                access,
                partners,
                reduced,
                param,
                func,
                base,
                address,
                count,
                datatype,
                map,
            });
            operation.place = place;
            operation
        };
        assert!(spare.take_again(places[0]).is_none() && spare.take_again(None).is_none());
        spare.give_back(operation(places[0]));
        assert!(spare.take_again(places[1]).is_none() && spare.take_again(None).is_none());
        assert_eq!(spare.take_again(places[0]).map(|operation| operation.uses.len()), Some(1));
        assert!(spare.take_again(places[0]).is_none());
        spare.give_back(operation(places[0]));
        spare.give_back(operation(places[1]));
        assert!(spare.take_again(places[0]).is_none());
        let other = spare.take(class, made);
        assert!(other.uses.is_empty() && other.place.is_none());
        assert_eq!(spare.take_again(places[1]).map(|operation| operation.uses.len()), Some(1));
    }
}
