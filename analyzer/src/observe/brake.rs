//! Ends the reading of traces before their end, and says so in the report.

use nix::sys::signal::Signal;
use report::Damage;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Whoever holds one may end the reading. All its clones are one.
#[derive(Debug, Clone, Default)]
pub struct Brake(Arc<State>);

#[derive(Debug, Default)]
struct State {
    /// The signal that ends the reading. 0: none yet.
    signal: AtomicI32,
    /// All that there was has been read.
    is_over: AtomicBool,
}

impl Brake {
    /// Ends the reading for this signal. False: everything has been read.
    pub fn pull(&self, signal: i32) -> bool {
        self.0.signal.store(signal, Ordering::Relaxed);
        !self.0.is_over.load(Ordering::Relaxed)
    }

    /// The signal for which the reading ends.
    pub(super) fn signal(&self) -> Option<i32> {
        Some(self.0.signal.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
    }

    pub(super) fn say_over(&self, is_over: bool) {
        self.0.is_over.store(is_over, Ordering::Relaxed);
    }
}

/// Reading that ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) signal: i32,
    /// Bytes of the traces, and how many of them were read.
    pub(super) size: u64,
    pub(super) read: u64,
    pub(super) events: u64,
}

impl Cut {
    pub(super) fn damage(&self) -> Damage {
        let Cut { signal, size, read, events } = self;
        // There was more, however little.
        let percent = (100.0 * *read as f64 / (*size).max(1) as f64).floor().min(99.0);
        let name = Signal::try_from(*signal).map_or("a signal", Signal::as_str);
        let what = format!(
            "{name} has ended the analysis when {percent} % of the traces ({events} events) were read; nothing is said of \
             what came later"
        );
        Damage::new(None, what)
    }
}
