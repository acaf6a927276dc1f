//! Statuses of our own where the program ignores them: what came is recorded all the same.

use crate::call::encode::encoder;
use crate::call::info::Info;
use crate::mpi::abi::{Abi, MOST_STATUS_BYTES};
use crate::mpi::words::Words;
use crate::state::thread::Thread;
use trace_format::plan::Shape;

/// Most statuses of a call that the program ignores and mpivet has written: a count beyond it is rather a mistake than a number
/// of requests.
const MOST: usize = 1 << 20;

/// Passes statuses of our own where the program ignores them.
#[inline(always)]
pub(crate) fn own(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &mut Words) {
    let Some((param, array)) = info.status else { return };
    if !words.get(param).is_some_and(|w| abi.is_status_ignore(*w)) {
        return;
    }
    let count = if array { count(thread, info, abi, words) } else { 1 };
    if count > MOST {
        return;
    }
    let own = place(thread, abi, count.max(1));
    let size = abi.status_size() / 4;
    let blank = abi.blank_status();
    for nth in 0..count.max(1) {
        // Whole for every family: what is too much of one goes under the next.
        if let Some(to) = own.get_mut(nth * size..).and_then(|to| to.first_chunk_mut()) {
            *to = *blank;
        }
    }
    if let Some(word) = words.get_mut(param) {
        *word = own.as_mut_ptr() as u64;
    }
}

/// Gives its own status to a function with one, called outside of any other call.
#[inline(always)]
pub(crate) fn own_one(thread: &mut Thread, param: usize, abi: &'static Abi, words: &mut Words) {
    if let Some(word) = words.get_mut(param).filter(|w| abi.is_status_ignore(**w)) {
        *thread.status = *abi.blank_status();
        *word = thread.status.as_mut_ptr() as u64;
    }
}

/// Is this where the statuses of our own begin that the call got which is being made?
pub(crate) fn is_own(thread: &Thread, address: u64) -> bool {
    let of_depth = thread.statuses.get(thread.depth).map(|own| own.as_ptr() as u64);
    address == thread.status.as_ptr() as u64 || of_depth == Some(address)
}

/// Room for so many statuses, of the call that is being made.
#[inline(always)]
fn place<'a>(thread: &'a mut Thread, abi: &Abi, count: usize) -> &'a mut [u32] {
    let (depth, words) = (thread.depth, (count * abi.status_size() + MOST_STATUS_BYTES) / 4);
    let is_there = thread.statuses.get(depth).is_some_and(|own| own.len() >= words);
    if !is_there {
        make_room(&mut thread.statuses, depth, words);
    }
    thread.statuses.get_mut(depth).map_or(&mut [], |own| own)
}

#[cold]
fn make_room(statuses: &mut Vec<Vec<u32>>, depth: usize, words: usize) {
    if statuses.len() <= depth {
        statuses.resize_with(depth + 1, Vec::new);
    }
    if let Some(own) = statuses.get_mut(depth) {
        own.resize(words, 0);
    }
}

/// Length of the array of statuses; for those of Waitsome and Testsome that of the array of requests.
fn count(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &Words) -> usize {
    let encoder = encoder(std::ptr::null_mut(), &mut thread.handles, info, abi, words);
    let lengths = info.plan.ins.iter().filter_map(|i| match i.shape {
        Shape::SlotAndArray { len, at_root, .. } => Some(encoder.length(len, at_root)),
        _ => None,
    });
    lengths.max().unwrap_or(1)
}
