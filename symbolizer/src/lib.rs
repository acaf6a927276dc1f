//! `libmpivet_symbols.so`: source lines for findings that a process prints by itself. Reading debug information takes half a
//! megabyte of code, and most processes never have anything to print. So `libmpivet.so` loads this library when it has a finding
//! and nobody follows the job who would print it. Never called in a signal handler; no panic leaves it.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::sync::{Mutex, Once, PoisonError};
use symbols::{Loaders, Sources};
use trace_format::codec;
use trace_format::run::discovery::Discovery;

/// Takes the answer: the bytes are there during the call.
type Answer = unsafe extern "C" fn(to: *mut c_void, bytes: *const u8, len: usize);

/// Debug information that is open, kept for the next call unless it is of more than [`MOST_OPEN`] modules.
static OPEN: Mutex<Option<Loaders>> = Mutex::new(None);
const MOST_OPEN: usize = 16;

/// Looks up the places of a discovery, which [`codec`] has encoded, and hands over the places as they are shown, encoded
/// likewise. There is no answer if the bytes are no discovery, or if something breaks.
///
/// # Safety
/// There are `len` bytes at `discovery`, and `answer` may be called with `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mpivet_show(discovery: *const u8, len: usize, answer: Answer, to: *mut c_void) {
    static QUIET: Once = Once::new();
    // The hook is that of this library alone. The caller says that there is no line.
    QUIET.call_once(|| set_hook(Box::new(|_| {})));
    // SAFETY: by the contract.
    let bytes = unsafe { std::slice::from_raw_parts(discovery, len) };
    if let Ok(Some(shown)) = catch_unwind(AssertUnwindSafe(|| show(bytes))) {
        // SAFETY: by the contract.
        unsafe { answer(to, shown.as_ptr(), shown.len()) };
    }
}

fn show(mut bytes: &[u8]) -> Option<Vec<u8>> {
    let discovery: Discovery = codec::take(&mut bytes)?.ok()?;
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut loaders = open.take().filter(|open| open.count() <= MOST_OPEN).unwrap_or_default();
    let shown = loaders.show(&discovery, &mut Sources::default());
    *open = Some(loaders);
    drop(open);
    let mut answer = Vec::new();
    codec::append(&shown, &mut answer).ok()?;
    Some(answer)
}
