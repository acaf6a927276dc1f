//! The accesses to a window that no synchronization has ended, with what holds them together.

use super::accesses::{Accessed, Over, Together};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Accesses of one origin to one target under a lock.
#[derive(Default)]
struct Locked {
    accesses: Vec<Accessed>,
    /// So many of the first ones bring no result: a local flush has looked at them.
    settled: usize,
}

/// The open accesses to a window. A flush of one process looks at its own alone.
#[derive(Default)]
pub(crate) struct OpenAccesses {
    /// Accesses under a lock, by origin and target.
    locked: FxHashMap<i32, BTreeMap<i32, Locked>>,
    others: FxHashMap<Together, Vec<Accessed>>,
}

impl OpenAccesses {
    pub(crate) fn add(&mut self, together: Together, access: Accessed) {
        match together {
            Together::Locked { target, origin } => {
                self.locked.entry(origin).or_default().entry(target).or_default().accesses.push(access);
            }
            Together::Fences { .. } | Together::Start { .. } => self.others.entry(together).or_default().push(access),
        }
    }

    /// Takes out an epoch of MPI_Win_start.
    pub(super) fn take_epoch(&mut self, target: i32, origin: i32, nth: u64) -> Vec<Accessed> {
        self.others.remove(&Together::Start { target, origin, nth }).unwrap_or_default()
    }

    /// Takes out what belongs to a phase of fences.
    pub(super) fn take_phase(&mut self, phase: u64) -> Over {
        if self.others.is_empty() {
            return Vec::new();
        }
        let of_phase = |key: &Together| matches!(key, Together::Fences { phase: p, .. } if *p == phase);
        in_order(self.others.extract_if(|key, _| of_phase(key)).collect())
    }

    /// Takes out the accesses of an origin under its lock on a target, or under all its locks.
    pub(crate) fn take_locked(&mut self, origin: i32, target: Option<i32>) -> Over {
        let Some(of_origin) = self.locked.get_mut(&origin) else { return Vec::new() };
        let named = |(target, locked): (i32, Locked)| (Together::Locked { target, origin }, locked.accesses);
        match target {
            Some(target) => of_origin.remove_entry(&target).map(named).into_iter().collect(),
            None => std::mem::take(of_origin).into_iter().map(named).collect(),
        }
    }

    /// A local flush: an access that has brought a result is over at the target, too.
    pub(crate) fn flush_locally(&mut self, origin: i32, target: Option<i32>) {
        let Some(of_origin) = self.locked.get_mut(&origin) else { return };
        let settle = |Locked { accesses, settled }: &mut Locked| {
            accesses.extract_if(*settled.., |access| access.call.brings_result()).for_each(drop);
            *settled = accesses.len();
        };
        match target {
            Some(target) => of_origin.get_mut(&target).into_iter().for_each(settle),
            None => of_origin.values_mut().for_each(settle),
        }
    }

    pub(crate) fn take_all(&mut self) -> Over {
        let origins: Vec<i32> = self.locked.keys().copied().collect();
        let mut all: Over = self.others.drain().collect();
        origins.into_iter().for_each(|origin| all.extend(self.take_locked(origin, None)));
        in_order(all)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Accessed> {
        let locked = self.locked.values().flat_map(BTreeMap::values).flat_map(|locked| &locked.accesses);
        self.others.values().flatten().chain(locked)
    }
}

/// The order in which ranks are read tells nothing.
fn in_order(mut all: Over) -> Over {
    all.sort_by_key(|(key, _)| *key);
    all
}
