//! Messages to people: one write(2) to standard error a message, no locks and no buffers of the program.

use crate::environment;
use std::sync::OnceLock;
use trace_format::columns::{COLUMNS, LEAST_COLUMNS, wrapped};

/// What our lines begin with.
pub const NAME: &str = "mpivet: ";

/// Writes `mpivet: TEXT` as one line, or as several on a narrow terminal.
pub fn line(text: &str) {
    raw(lines(NAME, text).as_bytes());
}

/// A line, in several if the terminal is narrow. Each has what tells who says it.
pub fn lines(who: &str, text: &str) -> String {
    let end = |line: String| format!("{who}{line}\n");
    match columns() {
        Some(width) => {
            let room = width.saturating_sub(who.len()).max(LEAST_COLUMNS);
            wrapped(text, room, |word| word.chars().count()).into_iter().map(end).collect()
        }
        None => end(text.to_owned()),
    }
}

/// Columns of the terminal that standard error ends at, if it does.
fn columns() -> Option<usize> {
    static WIDTH: OnceLock<Option<usize>> = OnceLock::new();
    let columns = || environment::var(COLUMNS).ok()?.parse().ok();
    WIDTH.get_or_init(columns).filter(|n| *n >= LEAST_COLUMNS)
}

/// Writes bytes as they are. Safe in a signal handler.
pub fn raw(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the pointer and length are those of a live slice.
        let n = unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
        if n <= 0 {
            return;
        }
        bytes = bytes.get(n as usize..).unwrap_or(&[]);
    }
}
