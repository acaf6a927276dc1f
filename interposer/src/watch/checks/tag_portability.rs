//! `tag-portability`: see `trace_format::catalogue::TAG_PORTABILITY`.

use super::arguments::{Exam, PORTABLE_TAG};
use crate::mpi::abi::Abi;
use crate::mpi::library;
use crate::mpi::words::Words;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Mutex, OnceLock};
use trace_format::catalogue::TAG_PORTABILITY;

/// The program has asked how great a tag may be.
static ASKED: AtomicBool = AtomicBool::new(false);
/// MPI_COMM_WORLD while it may be asked for its attributes; 0 otherwise.
static WORLD: AtomicI64 = AtomicI64::new(0);
/// Call sites that were told.
static TOLD: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// MPI has begun, with this MPI_COMM_WORLD.
pub(crate) fn world_begins(world: u64) {
    WORLD.store(world as i64, Ordering::Relaxed);
}

/// The greatest tag that the library allows; `None` if it does not say.
pub(super) fn upper_bound(abi: &Abi) -> Option<i32> {
    static BOUND: OnceLock<Option<i32>> = OnceLock::new();
    let world = WORLD.load(Ordering::Relaxed) as u64;
    if world == 0 {
        return None;
    }
    *BOUND.get_or_init(|| library::attribute(world, abi.keyval_tag_ub))
}

/// The program asks for an attribute of a communicator.
pub(crate) fn asked(abi: &Abi, words: &Words) {
    if words[1] as i32 == abi.keyval_tag_ub {
        ASKED.store(true, Ordering::Relaxed);
    }
}

/// A tag is valid with this library.
pub(super) fn check(exam: &mut Exam, param: usize, tag: i32) {
    if ASKED.load(Ordering::Relaxed) {
        return;
    }
    let mut told = TOLD.lock().unwrap_or_else(|e| e.into_inner());
    if !told.insert(exam.call.open.site.stack) {
        return;
    }
    drop(told);
    let argument = exam.argument(param, None);
    exam.tell(
        &TAG_PORTABILITY,
        format!("{argument} is {tag}; every MPI library allows tags up to {PORTABLE_TAG}, and greater ones only if MPI_TAG_UB says so"),
    );
}
