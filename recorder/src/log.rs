//! Messages to people: one write(2) to standard error a message, no locks and no buffers of the program.

use crate::environment;
use std::sync::OnceLock;
use trace_format::settings::columns::{self, COLUMNS};

/// The beginning of our lines.
const NAME: &str = "mpivet: ";

/// Writes `mpivet: TEXT` as one line, or as several on a narrow terminal.
pub fn line(text: &str) {
    raw(lines(text).as_bytes());
}

/// `mpivet: TEXT`, as one line or as several.
pub fn lines(text: &str) -> String {
    columns::lines(NAME, text, columns())
}

/// Columns of the terminal that standard error ends at, if it does.
pub fn columns() -> Option<usize> {
    static WIDTH: OnceLock<Option<usize>> = OnceLock::new();
    *WIDTH.get_or_init(|| environment::var(COLUMNS).ok()?.parse().ok())
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
