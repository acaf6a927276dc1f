//! How much was watched, for the report.

use recorder::in_flight::{Counts, lacks};
use trace_format::watched::Watched;

/// Buffers that nobody has tried to watch.
pub(super) struct Apart {
    /// In memory that windows expose.
    pub(super) exposed: u64,
    /// They belong to calls that an earlier run does not suspect.
    pub(super) unsuspected: u64,
}

/// `windows`: how many were watched, of how many; `reason`: why nothing is watched.
pub(super) fn of(counts: &Counts, apart: &Apart, windows: (usize, usize), reason: Option<String>) -> Watched {
    let left_out = [
        (counts.small, "buffers share their pages with other data"),
        (counts.place, "buffers are on a stack, for which no watchpoint was left, or shared"),
        (apart.exposed, "buffers are in memory that a window exposes"),
        (apart.unsuspected, "buffers are of calls that the earlier run does not suspect"),
        (counts.full, "buffers were too many at a time"),
        (counts.pages, "pages or watchpoints were given up after 64 accesses each"),
    ];
    let reasons = [
        (
            counts.lacks & lacks::CALLS != 0,
            "the kernel does not hand system calls over: those by unusual ways fail on watched memory",
        ),
        (
            counts.lacks & lacks::WATCHPOINTS != 0,
            "there are no watchpoints (perf_event_open), so that stacks are not watched",
        ),
        (
            counts.is_over != 0 && reason.is_none(),
            "all was given up before the end, because watching took too much time",
        ),
    ];
    let reasons = reasons.iter().filter(|(holds, _)| *holds).map(|(_, words)| (*words).to_owned());
    let reason = reason.map(|reason| format!("nothing is watched (any more), because {reason}"));
    Watched {
        buffers: (
            counts.watched,
            counts.watched + counts.small + counts.place + counts.full + apart.exposed + apart.unsuspected,
        ),
        windows: (windows.0 as u64, windows.1 as u64),
        accesses: counts.traps,
        left_out: left_out.iter().filter(|(n, _)| *n > 0).map(|(n, words)| (*n, (*words).to_owned())).collect(),
        reasons: reasons.chain(reason).collect(),
    }
}
