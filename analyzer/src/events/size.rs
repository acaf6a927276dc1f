//! The size of an export, and its limit.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that were written to all outputs together.
#[derive(Debug, Clone, Default)]
pub struct Size(Arc<AtomicU64>);

impl Size {
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts what goes to `out`.
    pub fn counted(&self, out: impl Write + Send + 'static) -> Box<dyn Write + Send> {
        Box::new(Counted { out, size: self.clone() })
    }
}

struct Counted<W> {
    out: W,
    size: Size,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.size.0.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The limit of an export: calls, messages and collective operations behind it are left out.
#[derive(Debug, Clone, Default)]
pub struct Limit {
    pub size: Size,
    /// Bytes; 0: there is none.
    pub most: u64,
}

impl Limit {
    pub(super) fn is_reached(&self) -> bool {
        self.most > 0 && self.size.bytes() >= self.most
    }
}
