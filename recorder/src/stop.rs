//! The recording ends at once, where the stages of threads may not be touched any more: they may have been emptied by half, or
//! belong to another thread. A jump out of this library may have left the heap locked, so that all that is to be said is
//! prepared when the recording begins.

use crate::{clock, log, trace};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use trace_format::system::SystemEvent;
use trace_format::writer::encode_system;

/// Why the recording ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason(&'static str);

impl Reason {
    /// A thread has left this library by a jump.
    pub const JUMPED_OUT: Reason = Reason::new("a signal handler of the program has jumped out of mpivet (siglongjmp)");

    /// A reason of who uses the recorder, in words for the user.
    pub const fn new(text: &'static str) -> Reason {
        assert!(text.len() + 32 <= trace::MAX_PROCESS_RECORD, "it does not fit a record of the process");
        Reason(text)
    }
}

static A_THREAD_HAS_LEFT: AtomicBool = AtomicBool::new(false);

/// Has a thread jumped out of this library, so that any lock may be held for ever?
pub fn has_a_thread_left() -> bool {
    A_THREAD_HAS_LEFT.load(Ordering::SeqCst)
}

/// A thread has jumped out of this library. Recording is still to be stopped.
pub fn a_thread_has_left() {
    A_THREAD_HAS_LEFT.store(true, Ordering::SeqCst);
}

struct Prepared {
    reason: Reason,
    line: String,
    /// Its time is still to be filled in.
    record: Vec<u8>,
}

static PREPARED: OnceLock<Vec<Prepared>> = OnceLock::new();

/// Prepares what [`stop`] says for a jump and for the reasons of who uses the recorder.
pub fn prepare(others: &[Reason]) {
    PREPARED.get_or_init(|| {
        let one = |reason: &Reason| {
            let mut record = Vec::new();
            encode_system(&SystemEvent::Lost { reason: reason.0.to_owned() }, 0, &mut record);
            Prepared { reason: *reason, line: log::lines(&trace::stops(reason.0)), record }
        };
        others.iter().chain([&Reason::JUMPED_OUT]).map(one).collect()
    });
}

/// Ends the recording. Neither allocates nor locks.
#[cold]
pub fn stop(reason: Reason) {
    let prepared = || PREPARED.get()?.iter().find(|prepared| prepared.reason == reason);
    let Some(Prepared { line, record, .. }) = prepared() else { return trace::lost(reason.0) };
    if trace::is_lost() {
        return;
    }
    let mut bytes = [0; trace::MAX_PROCESS_RECORD];
    if let Some(bytes) = bytes.get_mut(..record.len()) {
        bytes.copy_from_slice(record);
        if let Some(time) = bytes.get_mut(8..16) {
            time.copy_from_slice(&clock::now().to_le_bytes());
        }
        trace::process_event(bytes);
    }
    if trace::lose(reason.0) {
        log::raw(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_fits_a_record_of_the_process() {
        prepare(&[Reason::new("another one")]);
        let prepared = PREPARED.get().unwrap();
        assert_eq!(prepared.len(), 2);
        assert!(prepared.iter().all(|p| p.record.len() <= trace::MAX_PROCESS_RECORD && p.line.ends_with('\n')));
    }
}
