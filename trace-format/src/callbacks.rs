//! What the callbacks of a generalized request were called with, and what they answered (MPI 4.1, 13.2).

use crate::call::Status;
use crate::text::{format_status, parse_status};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which of the three functions of MPI_Grequest_start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    Query,
    Free,
    Cancel,
}

impl Which {
    pub const ALL: [Which; 3] = [Which::Query, Which::Free, Which::Cancel];

    /// The standard's name of the parameter.
    pub fn name(self) -> &'static str {
        match self {
            Which::Query => "query_fn",
            Which::Free => "free_fn",
            Which::Cancel => "cancel_fn",
        }
    }
}

/// One call of a callback that has returned, recorded by the thread in whose MPI call the library made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Callback {
    pub which: Which,
    /// The call of MPI_Grequest_start that made the request: its thread, and [`crate::call::Call::index`].
    pub request: (u16, u64),
    /// As the program passed it to MPI_Grequest_start; of a Fortran program its address.
    pub extra_state: u64,
    /// What `cancel_fn` was told.
    pub complete: Option<bool>,
    /// What `query_fn` left in the status.
    pub status: Option<Status>,
    /// The error code that it returned, in the numbers of the library.
    pub result: i32,
}

impl fmt::Display for Callback {
    /// The inverse of [`Callback::parse`].
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Callback { which, request: (thread, index), extra_state, complete, status, result } = self;
        write!(f, "callback {} of {thread}.{index} state={extra_state:#x}", which.name())?;
        if let Some(complete) = complete {
            write!(f, " complete={}", i32::from(*complete))?;
        }
        if let Some(status) = status {
            write!(f, " status={}", format_status(status))?;
        }
        write!(f, " result={result}")
    }
}

impl Callback {
    /// What stands behind the word `callback`.
    pub fn parse(text: &str) -> Result<Callback, String> {
        let wrong = || format!("`{text}` is not of the form query_fn of 0.1 state=0x10 result=0");
        let mut words = text.split_whitespace();
        let name = words.next().ok_or_else(wrong)?;
        let which = Which::ALL.into_iter().find(|w| w.name() == name).ok_or_else(wrong)?;
        let request = words.nth(1).and_then(|request| request.split_once('.')).ok_or_else(wrong)?;
        let request = (request.0.parse().map_err(|_| wrong())?, request.1.parse().map_err(|_| wrong())?);
        let mut callback = Callback { which, request, extra_state: 0, complete: None, status: None, result: 0 };
        for word in words {
            let (name, value) = word.split_once('=').ok_or_else(wrong)?;
            match name {
                "state" => {
                    let digits = value.strip_prefix("0x").ok_or_else(wrong)?;
                    callback.extra_state = u64::from_str_radix(digits, 16).map_err(|_| wrong())?;
                }
                "complete" => callback.complete = Some(value != "0"),
                "status" => callback.status = Some(parse_status(value)?),
                "result" => callback.result = value.parse().map_err(|_| wrong())?,
                _ => return Err(wrong()),
            }
        }
        Ok(callback)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_can_be_read() {
        let status = Status { source: 1, tag: 2, bytes: Some(4), cancelled: true };
        for which in Which::ALL {
            for (complete, status) in [(None, None), (Some(true), Some(status)), (Some(false), None)] {
                let callback = Callback { which, request: (1, 7), extra_state: 0xbeef, complete, status, result: -1 };
                let text = callback.to_string();
                let read = Callback::parse(text.strip_prefix("callback ").unwrap());
                assert_eq!(read, Ok(callback), "{text}");
            }
        }
        for wrong in ["", "query_fn", "query_fn of 1", "free of 0.1", "free_fn of 0.1 state=5", "free_fn of 0.1 x=0"] {
            assert!(Callback::parse(wrong).is_err(), "{wrong}");
        }
    }
}
