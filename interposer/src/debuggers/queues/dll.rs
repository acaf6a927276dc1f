//! `MPIR_dll_name`: where debuggers find the message-queue DLL (MQS 5.1).
//!
//! A library that has a variable of this name (Open MPI) keeps it, with its own DLL: whoever looks there reads what it
//! always read. Whoever looks a name up as the loader does, first in what is preloaded, finds this one.

use std::cell::UnsafeCell;
use std::ffi::{CStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The DLL, beside this library.
const NAME: &str = "libmpivet_queues.so";

/// A path with a zero behind it.
#[repr(transparent)]
pub(super) struct DllName(UnsafeCell<[u8; libc::PATH_MAX as usize]>);

// SAFETY: written once, by the constructor of this library, before there are other threads.
unsafe impl Sync for DllName {}

/// Found by its name. Empty where the DLL is missing.
#[unsafe(no_mangle)]
#[allow(non_upper_case_globals, reason = "symbols of C are written like this")]
pub(super) static MPIR_dll_name: DllName = DllName(UnsafeCell::new([0; libc::PATH_MAX as usize]));

/// Writes the path down. To be called by the constructor of this library.
pub(super) fn fill() {
    let Some(path) = path() else { return };
    // SAFETY: no other thread runs yet, and there is no other reference.
    let place = unsafe { &mut *MPIR_dll_name.0.get() };
    let bytes = path.as_os_str().as_bytes();
    if bytes.len() < place.len() {
        place.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    }
}

fn path() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: an address of this library, and a place for the answer.
    let found = unsafe { libc::dladdr((&raw const MPIR_dll_name).cast::<c_void>(), &mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the loader's name is a C string.
    let own = unsafe { CStr::from_ptr(info.dli_fname) };
    let own = std::fs::canonicalize(Path::new(std::ffi::OsStr::from_bytes(own.to_bytes()))).ok()?;
    Some(own.with_file_name(NAME)).filter(|path| path.is_file())
}
