//! Statuses of our own where the program ignores them: what came is recorded all the same.

use crate::abi::Abi;
use crate::encode::Words;
use crate::info::Info;
use crate::recording::encoder;
use crate::thread::Thread;
use trace_format::plan::Shape;

/// Passes statuses of our own where the program ignores them.
#[inline(always)]
pub(crate) fn own(thread: &mut Thread, info: &Info, abi: &'static Abi, words: &mut Words) {
    let Some((param, array)) = info.status else { return };
    if !words.get(param).is_some_and(|w| abi.is_status_ignore(*w)) {
        return;
    }
    let count = if array { count(thread, info, abi, words) } else { 1 };
    let bytes = count.max(1) * abi.status_size();
    let depth = thread.depth;
    if thread.statuses.len() <= depth {
        thread.statuses.resize_with(depth + 1, Vec::new);
    }
    if let Some(own) = thread.statuses.get_mut(depth) {
        if own.len() < bytes {
            own.resize(bytes, 0);
        }
        own.chunks_mut(abi.status_size()).take(count.max(1)).for_each(|s| abi.blank_status(s));
        if let Some(word) = words.get_mut(param) {
            *word = own.as_mut_ptr() as u64;
        }
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
