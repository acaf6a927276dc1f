//! When freed objects are forgotten.

/// So many freed objects are kept before they are gone through, and more with many ranks.
pub(crate) const SWEEP_AT: usize = 4096;

/// When the freed objects are gone through next.
pub(crate) struct Sweeps {
    pub(crate) waiting: usize,
    pub(crate) at: usize,
    /// At every call that frees something: for tests.
    pub(crate) always: bool,
}

impl Default for Sweeps {
    fn default() -> Sweeps {
        Sweeps { waiting: 0, at: SWEEP_AT, always: false }
    }
}
