//! The recording ends at once, where the stages of threads may not be touched any more: they may have been emptied by half, or
//! belong to another thread. A jump out of this library may have left the heap locked, so that all that is to be said is
//! prepared when the recording begins.

use crate::process::signals;
use crate::record::{clock, log, trace};
use std::sync::OnceLock;
use trace_format::system::SystemEvent;
use trace_format::writer::encode_system;

/// Why the recording ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    JumpedOut,
    InternalError,
    OtherStack,
    OtherThread,
}

const ALL: [Reason; 4] = [Reason::JumpedOut, Reason::InternalError, Reason::OtherStack, Reason::OtherThread];

impl Reason {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Reason::JumpedOut => "a signal handler of the program has jumped out of mpivet (siglongjmp)",
            Reason::InternalError => "internal error",
            Reason::OtherStack => {
                "another stack came to its turn inside of an MPI call: user-level threads in the MPI library, or a callback \
                 that changes the stack"
            }
            Reason::OtherThread => "an MPI call has returned on another thread: user-level threads in the MPI library",
        }
    }
}

struct Prepared {
    reason: Reason,
    line: String,
    /// Its time is still to be filled in.
    record: Vec<u8>,
}

static PREPARED: OnceLock<Vec<Prepared>> = OnceLock::new();

/// Prepares what [`stop`] says.
pub(crate) fn prepare() {
    PREPARED.get_or_init(|| {
        let one = |reason: Reason| {
            let mut record = Vec::new();
            encode_system(&SystemEvent::Lost { reason: reason.text().to_owned() }, 0, &mut record);
            Prepared { reason, line: log::lines(log::NAME, &trace::stops(reason.text())), record }
        };
        ALL.map(one).into()
    });
}

/// Ends the recording. Neither allocates nor locks.
#[cold]
pub(crate) fn stop(reason: Reason) {
    let prepared = || PREPARED.get()?.iter().find(|prepared| prepared.reason == reason);
    let Some(Prepared { line, record, .. }) = prepared() else { return trace::lost(reason.text()) };
    if trace::is_lost() {
        return;
    }
    let mut bytes = [0; trace::MAX_PROCESS_RECORD];
    if let Some(bytes) = bytes.get_mut(..record.len()) {
        bytes.copy_from_slice(record);
        if let Some(time) = bytes.get_mut(8..16) {
            time.copy_from_slice(&clock::now().to_le_bytes());
        }
        trace::process_event(bytes, signals::next_serial());
    }
    if trace::lose(reason.text()) {
        log::raw(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_fits_a_record_of_the_process() {
        prepare();
        let prepared = PREPARED.get().unwrap();
        assert_eq!(prepared.len(), ALL.len());
        assert!(prepared.iter().all(|p| p.record.len() <= trace::MAX_PROCESS_RECORD && p.line.ends_with('\n')));
    }
}
