//! Severities of findings that are wrong in one call and merely unwise in another, by the calls that they speak of.

use super::{CheckInfo, INACCESSIBLE_BUFFER, NONPERSISTENT_REQUEST_FREE, REQUEST_CANCEL};
use crate::mpi::{Class, FnId};
use crate::severity::Severity;

impl CheckInfo {
    /// How severe a finding of the process is by itself; `calls`: its calls and what each is in it, the one being made first.
    pub fn severity_at<'a>(&self, calls: impl IntoIterator<Item = (FnId, &'a str)>) -> Severity {
        let mut calls = calls.into_iter().map(|(f, role)| (f.row().class, role));
        if self == &INACCESSIBLE_BUFFER {
            // The message may be shorter than the buffer: what it does is known when it has come.
            let is_less = calls.next().is_some_and(|(class, role)| takes_less(class) || role == RECEIVES);
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
    }
}
