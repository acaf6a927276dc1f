//! The catalogue of checks: code, name, severity and explanation of everything that mpivet can find.
//!
//! One file a check. The doc comment of its entry is the page of `docs/checks.md` and what `mpivet explain NAME`
//! prints; its headings are fixed (a test holds them): What it finds, Why it is wrong, Example, How to fix.
//! The rule that decides lives in the half that can: `engine/src/checks/` or `interposer/src/watch/checks/`.
//! To add a check: add its file here and its line in [`CHECKS`], then its rule; the rest: ARCHITECTURE.md, How to add
//! things.

mod own_severity;
pub use own_severity::{NAMES_FREED, RECEIVES, bytes_of_room, room};

use crate::mpi::Kind;
use crate::severity::Severity;

/// Which half of mpivet decides a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// In the running process: printed at once, also without the analyzer, which puts it into the report.
    Dynamic,
    /// From the traces of all ranks.
    Analyzer,
}

/// The subject of a check: the hundreds of its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// How a process ends, and where it may call MPI at all.
    Process,
    /// Operations under way, their requests and buffers.
    Operations,
    /// Arguments of a call.
    Arguments,
    /// Objects that are not freed.
    Leaks,
    /// Messages between ranks.
    Messages,
    /// Collective operations.
    Collectives,
    /// Ranks that wait for each other.
    Deadlocks,
    /// One-sided communication, files, partitioned communication, neighbourhoods.
    Windows,
    /// Data that the user watches.
    Watched,
}

impl Group {
    /// By the code of a check; `None`: there is no such group.
    pub fn of(code: &str) -> Option<Group> {
        Some(match code.strip_prefix("MV")?.bytes().next()? {
            b'0' => Group::Process,
            b'1' => Group::Operations,
            b'2' => Group::Arguments,
            b'3' => Group::Leaks,
            b'4' => Group::Messages,
            b'5' => Group::Collectives,
            b'6' => Group::Deadlocks,
            b'7' => Group::Windows,
            b'8' => Group::Watched,
            _ => return None,
        })
    }
}

/// The argument that is wrong with a call, by the kinds of parameters in the table of functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// That it is called at all: at this place, in this order, with calls of other ranks.
    Function,
    /// A value that it is given.
    Input(&'static [Kind]),
    /// An object that it makes.
    Output(&'static [Kind]),
    /// The object that it frees.
    Freed,
    /// The argument that the message names.
    Named,
}

/// Kinds of parameters that are message buffers.
pub const BUFFERS: &[Kind] = &[Kind::SendBuf, Kind::RecvBuf, Kind::Buf];
/// Kinds of parameters that are numbers of elements.
pub const COUNTS: &[Kind] = &[Kind::Count, Kind::LargeCount];

/// Which findings come first: what ended the run, then what is certain, then what may happen, and last what tends to follow
/// from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// The run ended or hangs because of it.
    Fatal,
    /// It happened.
    Real,
    /// It may happen in another run.
    Potential,
    /// Something was left undone when the run ended, often because of another finding.
    Consequence,
}

/// Work of the process that checks share: it is done if one of them is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The check does its own.
    Own,
    /// Each argument of a call is looked at before the library is entered.
    Arguments,
    /// Operations with requests are followed from their start to their completion.
    Operations,
    /// The datatypes of the buffers of a call are looked at.
    Datatypes,
}

/// One entry of the catalogue.
#[derive(Debug, PartialEq, Eq)]
pub struct CheckInfo {
    /// Stable code, for example `MV601`.
    pub code: &'static str,
    /// Stable name in kebab-case: what users write in suppressions and see in reports.
    pub name: &'static str,
    /// Severity of its findings if neither the calls ([`CheckInfo::severity_at`]) nor the user say another.
    pub severity: Severity,
    /// The half of mpivet that decides it.
    pub side: Side,
    /// Whether it is looked for without being asked for. Off are checks of what is legal and common.
    pub default_on: bool,
    /// One line.
    pub summary: &'static str,
    /// The part of a call that is wrong.
    pub subject: Subject,
    /// Rank of its findings in the order of a report.
    pub urgency: Urgency,
    /// Work of the process that it shares with other checks.
    pub work: Work,
}

/// `NAME = "code" "name" severity side: "summary" about subject, urgency`; `side off:` is a check that finds nothing unless it is
/// asked for, and without an urgency it is [`Urgency::Real`]; `; Work` behind it is work that it shares with others.
macro_rules! check {
    ($(#[doc = $doc:literal])* $NAME:ident = $code:literal $name:literal $severity:ident $side:ident $($off:ident)?: $summary:literal
        about $subject:expr $(, $urgency:ident)? $(; $work:ident)?) => {
        pub(super) const PAGE: &str = concat!($($doc, "\n"),*);
        $(#[doc = $doc])*
        pub static $NAME: crate::catalogue::CheckInfo = {
            #[allow(unused_imports)]
            use crate::{catalogue::{BUFFERS, COUNTS, Subject::*}, mpi::Kind};
            crate::catalogue::CheckInfo {
                code: $code,
                name: $name,
                severity: crate::severity::Severity::$severity,
                side: crate::catalogue::Side::$side,
                default_on: check!(@default_on $($off)?),
                summary: $summary,
                subject: $subject,
                urgency: check!(@urgency $($urgency)?),
                work: check!(@work $($work)?),
            }
        };
    };
    (@default_on) => { true };
    (@default_on off) => { false };
    (@work) => { crate::catalogue::Work::Own };
    (@work $work:ident) => { crate::catalogue::Work::$work };
    (@urgency) => { crate::catalogue::Urgency::Real };
    (@urgency $urgency:ident) => { crate::catalogue::Urgency::$urgency };
}

macro_rules! catalogue {
    ($( $module:ident :: $NAME:ident ),* $(,)?) => {
        $( mod $module; pub use $module::$NAME; )*
        /// Every check, in the order of the codes.
        pub static CHECKS: &[&CheckInfo] = &[ $( &$NAME ),* ];
        /// Their pages, apart from the entries: a process that makes findings has no use for a hundred kilobytes of text.
        static PAGES: &[&str] = &[ $( $module::PAGE ),* ];
    };
}

catalogue! {
    abend::ABEND,
    abort::ABORT,
    incomplete_call::INCOMPLETE_CALL,
    mpi_error::MPI_ERROR,
    missing_finalize::MISSING_FINALIZE,
    call_outside_mpi::CALL_OUTSIDE_MPI,
    thread_level::THREAD_LEVEL,
    concurrent_misuse::CONCURRENT_MISUSE,
    early_exit_others_wait::EARLY_EXIT_OTHERS_WAIT,
    finalize_misuse::FINALIZE_MISUSE,
    unfinished_send::UNFINISHED_SEND,
    unfinished_recv::UNFINISHED_RECV,
    nonfreed_request::NONFREED_REQUEST,
    overlapping::OVERLAPPING,
    overlapping_sendrecv::OVERLAPPING_SENDRECV,
    send_checksum::SEND_CHECKSUM,
    nonpersistent_request_free::NONPERSISTENT_REQUEST_FREE,
    wrong_request_free::WRONG_REQUEST_FREE,
    request_cancel::REQUEST_CANCEL,
    request_misuse::REQUEST_MISUSE,
    buffered_send_space::BUFFERED_SEND_SPACE,
    grequest_misuse::GREQUEST_MISUSE,
    access_in_flight::ACCESS_IN_FLIGHT,
    invalid_rank::INVALID_RANK,
    invalid_tag::INVALID_TAG,
    invalid_count::INVALID_COUNT,
    invalid_root::INVALID_ROOT,
    invalid_op::INVALID_OP,
    invalid_datatype::INVALID_DATATYPE,
    invalid_comm::INVALID_COMM,
    invalid_group::INVALID_GROUP,
    invalid_request::INVALID_REQUEST,
    invalid_window::INVALID_WINDOW,
    invalid_file::INVALID_FILE,
    invalid_info::INVALID_INFO,
    invalid_topology::INVALID_TOPOLOGY,
    invalid_argument::INVALID_ARGUMENT,
    session_mix::SESSION_MIX,
    null_buffer::NULL_BUFFER,
    inaccessible_buffer::INACCESSIBLE_BUFFER,
    uncommitted_datatype::UNCOMMITTED_DATATYPE,
    use_after_free::USE_AFTER_FREE,
    double_free::DOUBLE_FREE,
    in_place_misuse::IN_PLACE_MISUSE,
    aliased_buffers::ALIASED_BUFFERS,
    tag_portability::TAG_PORTABILITY,
    datatype_alignment::DATATYPE_ALIGNMENT,
    buffer_type::BUFFER_TYPE,
    buffer_too_small::BUFFER_TOO_SMALL,
    leak_communicator::LEAK_COMMUNICATOR,
    leak_datatype::LEAK_DATATYPE,
    leak_group::LEAK_GROUP,
    leak_op::LEAK_OP,
    leak_window::LEAK_WINDOW,
    leak_file::LEAK_FILE,
    leak_errhandler::LEAK_ERRHANDLER,
    leak_keyval::LEAK_KEYVAL,
    leak_info::LEAK_INFO,
    leak_message::LEAK_MESSAGE,
    leak_bsend_buffer::LEAK_BSEND_BUFFER,
    leak_session::LEAK_SESSION,
    leak_port::LEAK_PORT,
    leak_growth::LEAK_GROWTH,
    nonpaired_send::NONPAIRED_SEND,
    nonpaired_recv::NONPAIRED_RECV,
    recv_checksum::RECV_CHECKSUM,
    incorrect_send_size::INCORRECT_SEND_SIZE,
    wrong_send_size::WRONG_SEND_SIZE,
    wrong_data_type::WRONG_DATA_TYPE,
    message_race::MESSAGE_RACE,
    probe_receive_race::PROBE_RECEIVE_RACE,
    incomplete_gop::INCOMPLETE_GOP,
    unfinished_gop::UNFINISHED_GOP,
    incorrect_recv_size::INCORRECT_RECV_SIZE,
    wrong_recv_size::WRONG_RECV_SIZE,
    collective_recv_checksum::COLLECTIVE_RECV_CHECKSUM,
    collective_data_type::COLLECTIVE_DATA_TYPE,
    diff_reductions::DIFF_REDUCTIONS,
    wrong_root::WRONG_ROOT,
    collective_mismatch::COLLECTIVE_MISMATCH,
    collective_blocking_mix::COLLECTIVE_BLOCKING_MIX,
    collective_overlap::COLLECTIVE_OVERLAP,
    collective_argument_mismatch::COLLECTIVE_ARGUMENT_MISMATCH,
    comm_free_mismatch::COMM_FREE_MISMATCH,
    real_deadlock::REAL_DEADLOCK,
    potential_deadlock::POTENTIAL_DEADLOCK,
    real_hang_up::REAL_HANG_UP,
    potential_hang_up::POTENTIAL_HANG_UP,
    no_progress::NO_PROGRESS,
    rma_epoch::RMA_EPOCH,
    rma_conflict::RMA_CONFLICT,
    rma_local_conflict::RMA_LOCAL_CONFLICT,
    rma_range::RMA_RANGE,
    file_misuse::FILE_MISUSE,
    file_conflict::FILE_CONFLICT,
    partitioned_misuse::PARTITIONED_MISUSE,
    partitioned_mismatch::PARTITIONED_MISMATCH,
    rma_type_mismatch::RMA_TYPE_MISMATCH,
    rma_local_race::RMA_LOCAL_RACE,
    neighbour_mismatch::NEIGHBOUR_MISMATCH,
    ignored_io_error::IGNORED_IO_ERROR,
    watched_data_changed::WATCHED_DATA_CHANGED,
}

/// The check called `name`, by name or code.
pub fn by_name(name: &str) -> Option<&'static CheckInfo> {
    CHECKS.iter().copied().find(|c| c.name == name || c.code.eq_ignore_ascii_case(name))
}

impl CheckInfo {
    /// The page: its doc comment, Markdown.
    pub fn doc(&self) -> &'static str {
        CHECKS.iter().zip(PAGES).find(|(check, _)| check.code == self.code).map_or("", |(_, page)| page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_complete_and_unique() {
        let mut seen = std::collections::HashSet::new();
        for pair in CHECKS.windows(2) {
            assert!(pair[0].code < pair[1].code, "{} is out of order", pair[1].code);
        }
        for c in CHECKS {
            assert!(seen.insert(c.code) && seen.insert(c.name), "{} appears twice", c.name);
            assert!(c.code.len() == 5 && Group::of(c.code).is_some(), "{}", c.code);
            assert!(c.name.chars().all(|ch| ch.is_ascii_lowercase() || ch == '-'), "{}", c.name);
            assert!(!c.summary.is_empty() && !c.summary.ends_with('.'), "{}", c.name);
            let mut at = 0;
            for heading in ["# What it finds", "# Why it is wrong", "# Example", "# How to fix"] {
                let place = c.doc()[at..].find(heading);
                at += place.unwrap_or_else(|| panic!("{}: no heading `{heading}` in its place", c.name));
            }
        }
    }
}
