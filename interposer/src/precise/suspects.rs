//! `--precise-from`: an earlier run has named calls whose buffers were changed, or read, while they were in use. Only the
//! buffers of operations that begin there are watched then.

use crate::call::{python, sites};
use crate::job::config;
use recorder::modules;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex};
use trace_format::definition::Id;
use trace_format::run::suspects::{Suspects, of_code, of_script};

static NAMED: LazyLock<Option<Suspects>> = LazyLock::new(|| config::precise_from().map(|text| Suspects::read(&text)));
/// Call sites that were compared with them.
static KNOWN: Mutex<Option<FxHashMap<Id, bool>>> = Mutex::new(None);
/// Buffers of other calls.
static OTHERS: AtomicU64 = AtomicU64::new(0);

/// Is a buffer of an operation that began at this call site to be watched?
pub(super) fn is_one(site: Id) -> bool {
    let Some(named) = NAMED.as_ref() else { return true };
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    let is_one =
        *known.get_or_insert_default().entry(site).or_insert_with(|| names_of(site).any(|n| named.calls.contains(&n)));
    OTHERS.fetch_add(u64::from(!is_one), Ordering::Relaxed);
    is_one
}

/// Are windows to be watched?
pub(super) fn are_windows() -> bool {
    NAMED.as_ref().is_none_or(|named| named.windows)
}

/// How many buffers were left alone because nobody suspects their calls.
pub(super) fn others() -> u64 {
    OTHERS.load(Ordering::Relaxed)
}

/// All names by which an earlier run may have called a place.
fn names_of(site: Id) -> impl Iterator<Item = String> {
    let modules = modules::loaded();
    let of_frame = |address: &u64| {
        let call = address.saturating_sub(1);
        let module = modules.iter().find(|module| (module.start..module.end).contains(&call))?;
        Some(of_code(&module.path, call.wrapping_sub(module.bias)))
    };
    let frames: FxHashSet<String> = sites::frames(site).iter().filter_map(of_frame).collect();
    let line = python::place(site).map(|source| of_script(&source.file, source.line));
    frames.into_iter().chain(line)
}
