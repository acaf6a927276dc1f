//! `libmpivet_symbols.so`, which knows the source lines of addresses: loaded from beside this library when there is something
//! to print. Not for signal handlers.

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use trace_format::codec;
use trace_format::run::discovery::{Discovery, Shown};
use trace_format::run::proc;

const NAME: &str = "libmpivet_symbols.so";

type Answer = unsafe extern "C" fn(*mut c_void, *const u8, usize);
type Show = unsafe extern "C" fn(*const u8, usize, Answer, *mut c_void);

fn library() -> Option<Show> {
    static SHOW: OnceLock<Option<Show>> = OnceLock::new();
    *SHOW.get_or_init(|| {
        let path = beside()?;
        // SAFETY: a library of mpivet's own, which does nothing when it is loaded.
        let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }.ok()?;
        // SAFETY: the function has this type: `symbolizer/src/lib.rs`.
        let show = unsafe { library.get::<Show>(b"mpivet_show\0") }.ok().map(|show| *show);
        // It stays.
        std::mem::forget(library);
        show
    })
}

/// Where the library must be. The loader may know this one by a relative name, from a directory that the program has left.
fn beside() -> Option<PathBuf> {
    let own = library as *const () as u64;
    let maps = proc::own_maps();
    let path = proc::mapped(&maps).find(|mapped| mapped.range.contains(&own))?.path;
    Some(Path::new(path).with_file_name(NAME))
}

/// Where the places of a discovery are; `None`: the library is not there.
pub(crate) fn show(discovery: &Discovery) -> Option<Vec<Option<Shown>>> {
    let show = library()?;
    let (mut asked, mut answered) = (Vec::new(), Vec::new());
    codec::append(discovery, &mut asked).ok()?;
    // SAFETY: the bytes are there during the call, and `take` gets the vector that it expects.
    unsafe { show(asked.as_ptr(), asked.len(), take, (&raw mut answered).cast()) };
    codec::take(&mut &answered[..])?.ok()
}

/// Keeps the answer in the vector `to`.
unsafe extern "C" fn take(to: *mut c_void, bytes: *const u8, len: usize) {
    // SAFETY: `show` passes its vector, and the library its answer.
    unsafe { (*to.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(bytes, len)) };
}
