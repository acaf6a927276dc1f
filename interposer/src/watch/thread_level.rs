//! Tells of calls that the level of thread support in force forbids ([`crate::state::levels`]).

use crate::job::config;
use crate::state::levels;
use crate::state::thread::Thread;
use crate::watch::report;
use std::collections::BTreeSet;
use std::sync::Mutex;
use trace_format::catalogue::FINALIZE_MISUSE;
use trace_format::mpi::{Class, Function};
use trace_format::system::SystemEvent;

/// Call sites that were told.
static TOLD: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());
/// A program without any regard for the level is told of so many places.
const MAX_TOLD: usize = 16;

/// Records and tells that call number `call` of the thread was forbidden; once for a place.
#[cold]
pub(crate) fn breach(thread: &mut Thread, row: &Function, call: u64, site: u32, inside: u32) {
    // The report says it, whatever the level, as `finalize-misuse`.
    if row.class == Class::Finalize && config::selection().is_on(&FINALIZE_MISUSE) {
        return;
    }
    {
        let mut told = TOLD.lock().unwrap_or_else(|e| e.into_inner());
        if told.len() >= MAX_TOLD || !told.insert(site) {
            return;
        }
    }
    let Some((level, start)) = levels::in_force() else { return };
    let other = u16::try_from(inside).ok();
    thread.system(&SystemEvent::ThreadLevel { call, level, other });
    report::thread_level(&level.breach(row.name, thread.number(), other, start.name()));
}
