//! `rma-range`: see `trace_format::catalogue::RMA_RANGE`. Where the process does not know the memory of the target, the analyzer
//! finds it.

use super::{Finding, Spot};
use crate::state::thread::Thread;
use trace_format::catalogue::{CheckInfo, RMA_RANGE};

static CHECK: &CheckInfo = &RMA_RANGE;

/// The call `here` accesses memory that is not in the window, in words behind its name.
#[cold]
pub(crate) fn tell(thread: &mut Thread, here: Spot, accessed: &str) {
    let message = format!("{} accesses {accessed}", here.func.name());
    Finding::new(CHECK, message).at(here, "accesses the window").tell(thread);
}
