//! Messages to people: one write(2) to standard error a message, no locks and no buffers of the program.

/// Writes `mpivet: TEXT` as one line.
pub(crate) fn line(text: &str) {
    raw(format!("mpivet: {text}\n").as_bytes());
}

/// Writes bytes as they are. Safe in a signal handler.
pub(crate) fn raw(mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the pointer and length are those of a live slice.
        let n = unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
        if n <= 0 {
            return;
        }
        bytes = bytes.get(n as usize..).unwrap_or(&[]);
    }
}
