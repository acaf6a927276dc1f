//! Severities of findings that are wrong in one call and merely unwise in another, by the calls that they speak of.

use super::{BUFFER_TOO_SMALL, CheckInfo, INACCESSIBLE_BUFFER, NONPERSISTENT_REQUEST_FREE, REQUEST_CANCEL};
use crate::mpi::{Class, FnId};
use crate::severity::Severity;

impl CheckInfo {
    /// How severe a finding of the process is by itself; `calls`: its calls and what each is in it, the one being made first.
    pub fn severity_at<'a>(&self, calls: impl IntoIterator<Item = (FnId, &'a str)>) -> Severity {
        let mut calls = calls.into_iter().map(|(f, role)| (f.row().class, role));
        if self == &INACCESSIBLE_BUFFER || self == &BUFFER_TOO_SMALL {
            // The message may be shorter than the buffer: what it does is known when it has come.
            let is_less =
                calls.next().is_some_and(|(class, role)| role == RECEIVES || takes_less(class) && role != NAMES_FREED);
            return if is_less { Severity::Warning } else { self.severity };
        }
        let mut classes = calls.map(|(class, _)| class);
        let harmless = if self == &REQUEST_CANCEL {
            !classes.any(sends)
        } else if self == &NONPERSISTENT_REQUEST_FREE {
            !classes.any(receives)
        } else {
            false
        };
        if harmless { Severity::Note } else { self.severity }
    }
}

/// The role of a call in a finding about the buffer that it receives into, where it may have others.
pub const RECEIVES: &str = "receives";

/// The role of a call in a finding about a buffer that the program has freed.
pub const NAMES_FREED: &str = "names freed memory";

/// A note of a receive whose count is greater than the memory: so many bytes may come.
pub fn room(bytes: u64) -> String {
    format!("{ROOM}{bytes} bytes")
}

/// How many bytes may come by a note of [`room`].
pub fn bytes_of_room(note: &str) -> Option<u64> {
    note.strip_prefix(ROOM)?.split(' ').next()?.parse().ok()
}

const ROOM: &str = "there is room for ";

/// Is the count of its only buffer an upper bound?
fn takes_less(class: Class) -> bool {
    matches!(class, Class::Recv(_) | Class::Mrecv(_) | Class::PartitionedRecv)
}

fn both(class: Class) -> bool {
    matches!(class, Class::SendRecv(_) | Class::SendRecvReplace(_))
}

fn sends(class: Class) -> bool {
    both(class) || matches!(class, Class::Send(..) | Class::PartitionedSend)
}

fn receives(class: Class) -> bool {
    both(class) || matches!(class, Class::Recv(_) | Class::Mrecv(_) | Class::PartitionedRecv)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::NULL_BUFFER;
    use crate::mpi::FnId::*;

    #[test]
    fn the_calls_decide_what_is_harmless() {
        let at = |check: &CheckInfo, functions: &[FnId]| check.severity_at(functions.iter().map(|f| (*f, "calls")));
        assert_eq!(at(&REQUEST_CANCEL, &[MPI_Cancel, MPI_Irecv]), Severity::Note);
        assert_eq!(at(&REQUEST_CANCEL, &[MPI_Cancel, MPI_Isend]), Severity::Warning);
        assert_eq!(at(&REQUEST_CANCEL, &[MPI_Cancel, MPI_Start, MPI_Send_init]), Severity::Warning);
        assert_eq!(at(&REQUEST_CANCEL, &[MPI_Cancel, MPI_Isendrecv]), Severity::Warning);
        assert_eq!(at(&NONPERSISTENT_REQUEST_FREE, &[MPI_Request_free, MPI_Isend]), Severity::Note);
        assert_eq!(at(&NONPERSISTENT_REQUEST_FREE, &[MPI_Request_free, MPI_Irecv]), Severity::Warning);
        assert_eq!(at(&INACCESSIBLE_BUFFER, &[MPI_Recv]), Severity::Warning);
        assert_eq!(at(&INACCESSIBLE_BUFFER, &[MPI_Imrecv]), Severity::Warning);
        assert_eq!(at(&INACCESSIBLE_BUFFER, &[MPI_Precv_init]), Severity::Warning);
        let receives = INACCESSIBLE_BUFFER.severity_at([(MPI_Sendrecv, RECEIVES)]);
        assert_eq!(receives, Severity::Warning);
        for exact in [MPI_Send, MPI_Bcast, MPI_Sendrecv] {
            assert_eq!(at(&INACCESSIBLE_BUFFER, &[exact]), Severity::Error, "{exact:?}");
        }
        assert_eq!(at(&NULL_BUFFER, &[MPI_Recv]), NULL_BUFFER.severity);
        assert_eq!(at(&BUFFER_TOO_SMALL, &[MPI_Recv]), Severity::Warning);
        assert_eq!(BUFFER_TOO_SMALL.severity_at([(MPI_Recv, NAMES_FREED)]), Severity::Error);
        assert_eq!((bytes_of_room(&room(40)), bytes_of_room("there is no room")), (Some(40), None));
    }
}
