//! Operations of several threads, in their parts.

use super::conflicts::{Begun, conflict_elsewhere};
use super::lookup::{Meant, ended_anywhere, find};
use super::operation::Operation;
use super::shards::Part;
use crate::mpi::spot::Spot;
use crate::pending::uses::{Access, Partners, Reduced, Use};
use recorder::{threads, tls};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard};
use trace_format::mpi::Class;
use trace_format::mpi::{FnId, Start};
use typemap::Buffer;

static TIME: AtomicU64 = AtomicU64::new(0);
const CLASS: Class = Class::Recv(Start::Nonblocking);

fn spot(thread: u16, call: u64) -> Spot {
    Spot { call, site: 0, func: FnId::MPI_Irecv, thread }
}

fn used((address, length): (u64, u64), writes: bool) -> Use {
    let access = if writes { Access::Write } else { Access::Read };
    let (partners, reduced) = (Partners::All, Reduced::No);
    let buffer = Buffer::bytes(address, length);
    let (param, func, base) = (0, FnId::MPI_Irecv, 0);
    Use { buffer, access, partners, reduced, param, func, base, address, count: length, datatype: 1, map: None }
}

/// Thread `thread` begins an operation on this memory: is it told of a conflict?
fn begin(thread: u16, (handle, slot): (u64, u64), buffer: (u64, u64), writes: bool) -> bool {
    let (own, made) = (Part::of(thread), spot(thread, handle));
    let mut operation = Box::new(Operation::new(CLASS, made));
    operation.uses.push(used(buffer, writes));
    let begun = own.with(|state| {
        let ix = state.add(own, (handle, slot), operation);
        state.start(own, ix, made)
    });
    let Some(Begun { ix, conflict, suspects }) = begun else { return false };
    conflict.or_else(|| conflict_elsewhere(&*suspects?, (own, ix), made)).is_some()
}

/// Thread `thread` completes the operation of a request: which call had made it, and is that certain?
fn complete(thread: u16, handle: u64, slot: u64) -> Option<(Spot, bool)> {
    find(Part::of(thread), (handle, slot), |state, Meant { part, ix, is_certain }| {
        state.release(ix);
        let over = state.remove(part, (ix, handle), (spot(thread, 0), TIME.fetch_add(1, Ordering::Relaxed)))?;
        Some((over.made, is_certain))
    })
}

/// As many threads as there may be record, as long as nobody else pretends so.
fn pretend_several() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    while threads::count() < 32 {
        threads::begin();
    }
    alone
}

/// A generator of numbers below a bound.
fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

/// The answers on conflicts and requests are those of one list of all operations, whichever thread asks.
#[test]
fn parts_find_what_one_list_would() {
    let _alone = pretend_several();
    for seed in 0..300 {
        let mut random = numbers(seed);
        let mut all: Vec<(u16, u64, (u64, u64), bool)> = Vec::new();
        for handle in seed * 1000 + 1..seed * 1000 + 200 {
            let thread = random(4) as u16;
            if random(5) < 3 || all.is_empty() {
                // Some far apart, so that there are more ranges than a part has room for.
                let buffer = (0x1000 + random(20) * 0x10_0000 + random(64), 1 + random(16));
                let writes = random(3) == 0;
                let meets = |(_, _, other, wrote): &(u16, u64, (u64, u64), bool)| {
                    (writes || *wrote) && buffer.0 < other.0 + other.1 && other.0 < buffer.0 + buffer.1
                };
                let expected = all.iter().any(meets);
                assert_eq!(begin(thread, (handle, 8 * handle), buffer, writes), expected, "seed {seed}, {handle}");
                all.push((thread, handle, buffer, writes));
            } else {
                let (maker, handle, ..) = all.swap_remove(random(all.len() as u64) as usize);
                // By a copy of the handle, or by the variable.
                let slot = if random(2) == 0 { 8 * handle } else { 1 };
                assert_eq!(complete(thread, handle, slot), Some((spot(maker, handle), true)), "seed {seed}");
                let ended = ended_anywhere(Part::of(thread), handle);
                assert_eq!(ended.map(|ended| ended.made), Some(spot(maker, handle)));
                assert_eq!(complete(thread, handle, slot), None);
            }
        }
        for (_, handle, ..) in all {
            assert!(complete(random(4) as u16, handle, 1).is_some());
        }
    }
}

/// One handle of several requests: the variable says which, and without it nothing is certain.
#[test]
fn one_handle_of_several_threads_is_told_apart_by_its_variable() {
    let _alone = pretend_several();
    let (first, second, handle) = (5, 6, 7);
    for (thread, slot) in [(first, 0x100), (second, 0x200)] {
        begin(thread, (handle, slot), (0x5000_0000 + slot, 8), true);
    }
    assert_eq!(complete(second, handle, 0x100), Some((spot(first, handle), true)), "that of the other thread");
    begin(first, (handle, 0x100), (0x5000_0100, 8), true);
    assert!(ended_anywhere(Part::of(9), handle).is_none(), "it has another request");
    let over = complete(9, handle, 0x300);
    assert!(over.is_some_and(|(_, certain)| !certain), "a copy: either");
    assert!(complete(9, handle, 0x300).is_some_and(|(_, certain)| !certain), "since the other one was a guess");
    assert_eq!(complete(9, handle, 0x300), None);
    begin(first, (handle, 0x100), (0x5000_0100, 8), true);
    assert_eq!(complete(9, handle, 0x300), Some((spot(first, handle), true)));
}

/// At least one of two threads that begin operations on the same memory at the same time is told.
#[test]
fn a_conflict_of_two_threads_at_once_is_seen() {
    let _alone = pretend_several();
    let rounds = 3000;
    let start = Barrier::new(2);
    let told: Vec<Vec<bool>> = std::thread::scope(|scope| {
        let threads = [11u16, 12].map(|thread| {
            let start = &start;
            scope.spawn(move || {
                tls::set(usize::from(thread));
                let mut told = Vec::new();
                for round in 0..rounds {
                    let handle = 2 * round + u64::from(thread);
                    // Each round elsewhere in memory, so that both have to say so, or where it was.
                    let buffer = (0x7000_0000 + round / 2 * 0x1000, 8);
                    start.wait();
                    told.push(begin(thread, (handle, 8), buffer, true));
                    start.wait();
                    assert!(complete(thread, handle, 8).is_some());
                }
                tls::set(0);
                told
            })
        });
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let [one, other] = &told[..] else { panic!("both end") };
    let missed = one.iter().zip(other).filter(|(one, other)| !**one && !**other).count();
    assert_eq!(missed, 0, "of {rounds}");
}
