//! Functions of the debugger that all parts use (5.8.1): memory, and places to keep data for an image or a process.

use crate::failure::Failure;
use mqs::BasicCallbacks;
use std::ffi::c_void;
use std::sync::Mutex;

static BASIC: Mutex<Option<BasicCallbacks>> = Mutex::new(None);

/// Keeps the debugger's functions.
pub(crate) fn set(callbacks: BasicCallbacks) {
    *BASIC.lock().unwrap_or_else(|e| e.into_inner()) = Some(callbacks);
}

fn basic() -> Result<BasicCallbacks, Failure> {
    BASIC.lock().unwrap_or_else(|e| e.into_inner()).ok_or(Failure::NoCallbacks)
}

/// Moves a value to memory of the debugger's.
fn store<T>(value: T) -> Result<*mut T, Failure> {
    let malloc = basic()?.malloc.ok_or(Failure::NoCallbacks)?;
    // SAFETY: the debugger's malloc, as section 5.8.1 describes it.
    let place = unsafe { malloc(size_of::<T>()) }.cast::<T>();
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::NoMemory);
    }
    // SAFETY: memory of that size, aligned, and nobody else's.
    unsafe { place.write(value) };
    Ok(place)
}

/// Drops a value that [`store`] has moved to memory of the debugger's.
///
/// # Safety
/// `place` came from [`store`] with the same type and was not dropped before.
unsafe fn drop_stored<T>(place: *mut T) -> Result<(), Failure> {
    if place.is_null() {
        return Err(Failure::NotSetUp);
    }
    // SAFETY: the caller vouches for the value.
    unsafe { place.drop_in_place() };
    if let Some(free) = basic()?.free {
        // SAFETY: it came from the debugger's malloc.
        unsafe { free(place.cast::<c_void>()) };
    }
    Ok(())
}

/// Data of ours that the debugger keeps with an object of its own.
pub(crate) trait Attachment: Sized {
    type Owner;

    /// Lets the debugger keep `info`.
    fn put(callbacks: &BasicCallbacks, owner: *mut Self::Owner, info: *mut Self) -> Result<(), Failure>;
    /// The data that the debugger keeps, or null.
    fn get(callbacks: &BasicCallbacks, owner: *mut Self::Owner) -> Result<*mut Self, Failure>;
}

/// Keeps a value with an object of the debugger's.
pub(crate) fn keep<K: Attachment>(owner: *mut K::Owner, value: K) -> Result<(), Failure> {
    let callbacks = basic()?;
    let place = store(value)?;
    let kept = K::put(&callbacks, owner, place);
    if kept.is_err() {
        // SAFETY: it was stored above, and nobody knows of it.
        _ = unsafe { drop_stored(place) };
    }
    kept
}

/// Looks at data that the debugger keeps.
pub(crate) fn with<K: Attachment, T>(
    owner: *mut K::Owner,
    look: impl FnOnce(&mut K) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let place = K::get(&basic()?, owner)?;
    // SAFETY: null, or what `keep` has stored for this object; debuggers make one call of an object at a time (5.12).
    look(unsafe { place.as_mut() }.ok_or(Failure::NotSetUp)?)
}

/// Drops data that the debugger kept.
///
/// # Safety
/// `info` is what [`keep`] has stored, and the debugger has not given it up before.
pub(crate) unsafe fn give_up<K: Attachment>(info: *mut K) -> Result<(), Failure> {
    // SAFETY: the caller vouches for it.
    unsafe { drop_stored(info) }
}
