//! Partitions of an operation (MPI 4.1, chapter 4): the ones of a send are MPI's from the time that they are marked ready, the
//! ones of a receive until they have arrived.

use crate::mpi::types;
use crate::pending::operation::{Operation, watched};
use crate::pending::state::{State, Used};
use crate::pending::uses::Use;
use crate::precise::{self, accesses};
use trace_format::requests::Ix;
use typemap::{Buffer, Key, Pending};

/// State of a partitioned operation.
pub(crate) struct Partitions {
    /// Partitions of a send that were marked ready since it was started.
    pub(crate) ready: Vec<bool>,
    pub(crate) is_send: bool,
    /// A call has marked what it must not: which partitions were meant is not known.
    pub(crate) is_confused: bool,
    /// The memory of the partitions of a receive that has begun.
    keys: Vec<Key>,
}

/// The memory of more partitions is not followed.
const MOST_FOLLOWED: usize = 1 << 10;

impl Partitions {
    pub(crate) fn new(partitions: usize, is_send: bool) -> Partitions {
        Partitions { ready: vec![false; partitions], is_send, is_confused: false, keys: Vec::new() }
    }

    fn is_followed(&self) -> bool {
        self.ready.len() <= MOST_FOLLOWED
    }
}

/// The memory of one partition.
fn buffer_of(used: &Use, partition: usize, partitions: usize) -> Option<Buffer> {
    let each = used.count.checked_div(partitions as u64)?;
    let elements = each.checked_mul(partition as u64)?;
    let at = |extent: i64| used.address.checked_add_signed(extent.checked_mul(i64::try_from(elements).ok()?)?);
    match &used.map {
        Some(map) => Some(Buffer::new(at(map.extent())?, map, each)),
        None => types::with(used.datatype, |map| Some(Buffer::new(at(map.extent())?, map, each))).flatten(),
    }
}

impl Operation {
    /// It begins: no partition of a send is ready, and no partition of a receive has arrived.
    pub(crate) fn start_partitions(&mut self, ix: Ix, pending: &mut Pending<Used>) {
        let Some(partitions) = &mut self.partitions else { return };
        partitions.ready.fill(false);
        partitions.keys.clear();
        let [used] = &self.uses[..] else { return };
        if partitions.is_send || !partitions.is_followed() {
            return;
        }
        let all = partitions.ready.len();
        let place = std::ptr::from_ref(&*pending) as usize;
        for partition in 0..all {
            let Some(buffer) = buffer_of(used, partition, all) else { return };
            let key = pending.insert(buffer.clone(), true, Used::new(ix, 0));
            if precise::is_watching() {
                accesses::begins((place, key), watched(self.started, used, buffer));
            }
            self.keys.push(key);
            partitions.keys.push(key);
        }
    }
}

impl State {
    /// A partition of a send is marked ready: an operation that is writing there, its use of the memory and a byte of it.
    pub(crate) fn mark_ready(&mut self, ix: Ix, partition: i64) -> Option<(Used, u64)> {
        let State { requests, pending, .. } = self;
        let operation = requests.get_mut(ix)?;
        let partitions = operation.partitions.as_mut().filter(|p| p.is_send)?;
        let place = usize::try_from(partition).ok()?;
        let is_first = !std::mem::replace(partitions.ready.get_mut(place)?, true);
        let [used] = &operation.uses[..] else { return None };
        let is_followed = is_first && operation.active && partitions.is_followed();
        let buffer = is_followed.then(|| buffer_of(used, place, partitions.ready.len())).flatten()?;
        let conflict = pending.conflict(&buffer, false).map(|(other, address)| (*other, address));
        let key = pending.insert(buffer.clone(), false, Used::new(ix, 0));
        operation.keys.push(key);
        if precise::is_watching() {
            let place = std::ptr::from_ref(&*pending) as usize;
            accesses::begins((place, key), watched(operation.started, used, buffer));
        }
        conflict
    }

    /// A partition of a receive has arrived: it is the program's again.
    pub(crate) fn arrived(&mut self, ix: Ix, partition: i64) {
        let partitions = self.requests.get(ix).and_then(|operation| operation.partitions.as_ref());
        let key = partitions.and_then(|p| p.keys.get(usize::try_from(partition).ok()?)).copied();
        let Some(key) = key else { return };
        self.pending.remove(key);
        if precise::is_there() {
            accesses::ends((std::ptr::from_ref(&self.pending) as usize, key));
        }
    }
}
