//! Options, read from the environment once when MPI starts.

use std::path::PathBuf;
use std::sync::OnceLock;
use trace_format::selection::Selection;

/// Most frames kept of a call stack.
pub(crate) const MAX_STACK_DEPTH: usize = 64;

pub(crate) struct Config {
    /// `MPIVET_DISABLE`: do nothing at all.
    pub(crate) disabled: bool,
    /// `MPIVET_DIR`: where the trace goes.
    pub(crate) dir: Option<PathBuf>,
    /// `MPIVET_STACK_DEPTH`: frames kept of a call stack.
    pub(crate) stack_depth: usize,
    /// `MPIVET_RUN`: started by `mpivet run`, which says itself where the trace is.
    pub(crate) under_run: bool,
}

fn set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0")
}

/// Which findings this process makes: `MPIVET_CHECKS`, `MPIVET_SEVERITY` and `MPIVET_MAX_FINDINGS`, read at the first use.
/// Words that mean nothing are passed over, and that is said once.
pub(crate) fn selection() -> &'static Selection {
    static SELECTION: OnceLock<Selection> = OnceLock::new();
    SELECTION.get_or_init(|| {
        let (selection, errors) = Selection::from_environment(|name| std::env::var(name).ok());
        errors.iter().for_each(|e| crate::log::line(&e.to_string()));
        selection
    })
}

impl Config {
    pub(crate) fn from_environment() -> Config {
        let disabled = set("MPIVET_DISABLE");
        if !disabled {
            // Wrong words are told now rather than at the first finding.
            selection();
        }
        let depth = std::env::var("MPIVET_STACK_DEPTH").ok().filter(|d| !d.is_empty());
        let stack_depth = match depth.as_deref().map(str::parse::<usize>) {
            None => 8,
            Some(Ok(n)) => n.clamp(1, MAX_STACK_DEPTH),
            Some(Err(_)) => {
                crate::log::line("MPIVET_STACK_DEPTH is not a number; using 8");
                8
            }
        };
        Config {
            disabled,
            dir: std::env::var_os("MPIVET_DIR").filter(|d| !d.is_empty()).map(PathBuf::from),
            stack_depth,
            under_run: set("MPIVET_RUN"),
        }
    }
}
