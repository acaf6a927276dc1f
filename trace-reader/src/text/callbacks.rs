//! Calls of the callbacks of generalized requests, in the notation.

use super::{format_status, parse_status};
use std::fmt::Write as _;
use trace_format::callbacks::{Callback, Which};

/// One line; the inverse of [`parse_callback`].
pub fn format_callback(callback: &Callback) -> String {
    let Callback { which, request: (thread, index), extra_state, complete, status, result } = callback;
    let mut text = format!("callback {} of {thread}.{index} state={extra_state:#x}", which.name());
    if let Some(complete) = complete {
        _ = write!(text, " complete={}", i32::from(*complete));
    }
    if let Some(status) = status {
        _ = write!(text, " status={}", format_status(status));
    }
    _ = write!(text, " result={result}");
    text
}

/// Reads what stands behind the word `callback`.
pub fn parse_callback(text: &str) -> Result<Callback, String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use trace_format::mpi::Status;

    #[test]
    fn what_is_printed_can_be_read() {
        let status = Status { source: 1, tag: 2, bytes: Some(4), cancelled: true };
        for which in Which::ALL {
            for (complete, status) in [(None, None), (Some(true), Some(status)), (Some(false), None)] {
                let callback = Callback { which, request: (1, 7), extra_state: 0xbeef, complete, status, result: -1 };
                let text = format_callback(&callback);
                let read = parse_callback(text.strip_prefix("callback ").unwrap());
                assert_eq!(read, Ok(callback), "{text}");
            }
        }
        for wrong in ["", "query_fn", "query_fn of 1", "free of 0.1", "free_fn of 0.1 state=5", "free_fn of 0.1 x=0"] {
            assert!(parse_callback(wrong).is_err(), "{wrong}");
        }
    }
}
