//! Failures, as codes and texts for the debugger.

use mqs::codes;
use std::ffi::{CStr, c_int};

/// Why an entry point could not do what it was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    NoInformation,
    EndOfList,
    /// A null pointer, or a function that the debugger left out.
    NoCallbacks,
    NoMemory,
    NotSetUp,
    Unreadable,
    NoTable,
    OtherVersion,
    Damaged,
    OtherTypes,
    UnknownClass,
    /// A mistake in here.
    Internal,
}

impl Failure {
    /// The failures with codes of our own, in the order of these.
    const OWN: [(Failure, &CStr); 10] = [
        (Failure::NoCallbacks, c"the debugger did not provide what is needed for this"),
        (Failure::NoMemory, c"the debugger has no memory for this"),
        (Failure::NotSetUp, c"this image or process was not set up"),
        (Failure::Unreadable, c"the memory of the process cannot be read: it may have ended"),
        (Failure::NoTable, c"the process has no table of message queues at the symbol mpivet_queues"),
        (Failure::OtherVersion, c"libmpivet.so in the process is of another version than libmpivet_queues.so"),
        (Failure::Damaged, c"the table of message queues in the process is damaged"),
        (Failure::OtherTypes, c"only processes with pointers of 8 bytes and int of 4 can be looked at"),
        (Failure::UnknownClass, c"there is no such class of operations"),
        (Failure::Internal, c"internal error in libmpivet_queues.so"),
    ];

    pub(crate) fn code(self) -> c_int {
        match self {
            Failure::NoInformation => codes::NO_INFORMATION,
            Failure::EndOfList => codes::END_OF_LIST,
            own => {
                let place = Self::OWN.iter().position(|(failure, _)| *failure == own).unwrap_or(Self::OWN.len());
                codes::FIRST_USER_CODE + place as c_int
            }
        }
    }
}

/// The text of a code.
pub(crate) fn text(code: c_int) -> &'static CStr {
    let own = || usize::try_from(code.checked_sub(codes::FIRST_USER_CODE)?).ok().and_then(|i| Failure::OWN.get(i));
    match code {
        codes::OK => c"no error",
        codes::NO_INFORMATION => c"no information",
        codes::END_OF_LIST => c"end of list",
        _ => own().map_or(c"unknown code", |(_, text)| text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_text() {
        for (failure, expected) in Failure::OWN {
            assert_eq!(text(failure.code()), expected);
        }
        assert_eq!(Failure::NoCallbacks.code(), 100);
        assert_eq!(
            (text(0), text(99), text(1000), text(c_int::MIN)),
            (c"no error", c"unknown code", c"unknown code", c"unknown code")
        );
    }
}
