//! The functions of the tool interface, taken from the library by name. They are not in the table of functions, since calls
//! of them are not recorded.

use super::level::Level;
use crate::mpi::library::{MAX_ARGS, MpiLibrary, call_words};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

/// A reference on the tool interface; given back when dropped.
pub(crate) struct Interface {
    library: &'static MpiLibrary,
    /// It may be called from several threads at once.
    pub(crate) is_threaded: bool,
    /// Addresses of functions that were called.
    found: RefCell<FxHashMap<&'static str, usize>>,
    /// Room for a name and a description. To clear it anew for each variable takes longer than to read them.
    pub(crate) texts: RefCell<(Text, Text)>,
    /// Room for a value.
    pub(crate) words: RefCell<Vec<u64>>,
    /// The library's count of references, where this one was counted there and not taken by MPI_T_init_thread.
    counted: Option<&'static AtomicI32>,
}

/// Longest name and longest description that are read.
const MAX_NAME: usize = 1024;
const MAX_DESCRIPTION: usize = 8192;

impl Interface {
    /// MPI_T_init_thread. `None`: the library lacks the interface or refuses. `threaded`: several threads are wanted.
    pub(crate) fn open(library: &'static MpiLibrary, threaded: bool) -> Option<Interface> {
        if library.abi().tool.must_stay_in_use {
            // One reference stays for good.
            static STAYS: Once = Once::new();
            STAYS.call_once(|| std::mem::forget(Interface::take(library, threaded)));
        }
        Interface::take(library, threaded)
    }

    fn new(library: &'static MpiLibrary) -> Interface {
        let texts = RefCell::new((Text::of(MAX_NAME), Text::of(MAX_DESCRIPTION)));
        Interface {
            library,
            is_threaded: false,
            found: RefCell::default(),
            texts,
            words: RefCell::default(),
            counted: None,
        }
    }

    /// A reference for a look at what MPI_Init has registered, which opens nothing (see `Tool::references`). `None`: the library
    /// has no such count, or somebody uses the interface. MPI has started, and nobody has used the interface until now.
    pub(crate) fn look(library: &'static MpiLibrary) -> Option<Interface> {
        let count = library.symbol(library.abi().tool.references?)?;
        // SAFETY: an `int` of the library, which is never unloaded.
        let count = unsafe { AtomicI32::from_ptr(count.cast()) };
        count.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst).ok()?;
        let mut interface = Interface::new(library);
        interface.counted = Some(count);
        Some(interface)
    }

    fn take(library: &'static MpiLibrary, threaded: bool) -> Option<Interface> {
        let level = |name| library.abi().constant(name).unwrap_or(0) as i32;
        let (single, multiple) = (level("MPI_THREAD_SINGLE"), level("MPI_THREAD_MULTIPLE"));
        let required = if threaded { multiple } else { single };
        let mut provided = single;
        let mut interface = Interface::new(library);
        let level = Level::keep(library);
        let done = interface.call("PMPI_T_init_thread", &[required as u64, &raw mut provided as u64]);
        drop(level);
        if done != 0 {
            std::mem::forget(interface);
            return None;
        }
        // Some libraries leave it as it is if the interface was in use already.
        interface.is_threaded = threaded && provided == multiple;
        Some(interface)
    }

    /// Does anybody in this process use the interface already? To be asked only where that matters: some libraries crash.
    pub(crate) fn is_in_use(library: &'static MpiLibrary) -> bool {
        let (interface, mut number) = (Interface::new(library), 0i32);
        let done = interface.call("PMPI_T_cvar_get_num", &[&raw mut number as u64]);
        std::mem::forget(interface);
        done == 0
    }

    /// Calls a function; an error class, 0 for success. A function that the library lacks fails.
    pub(crate) fn call(&self, name: &'static str, args: &[u64]) -> i32 {
        let find = || self.library.symbol(name).or_else(|| self.library.symbol(name.trim_start_matches('P')));
        let address = || find().map_or(0, |f| f as usize);
        let f = *self.found.borrow_mut().entry(name).or_insert_with(address) as *mut c_void;
        if f.is_null() {
            return i32::MAX;
        }
        let mut words = [0; MAX_ARGS];
        words.iter_mut().zip(args).for_each(|(w, a)| *w = *a);
        // SAFETY: the function is that of the standard, and callers pass its arguments.
        unsafe { call_words(f, MAX_ARGS, &words) as i32 }
    }

    /// A number that a function gives, 0 if it fails.
    pub(crate) fn number(&self, name: &'static str) -> i32 {
        let mut number = 0i32;
        if self.call(name, &[&raw mut number as u64]) == 0 { number } else { 0 }
    }
}

impl Drop for Interface {
    fn drop(&mut self) {
        let Some(count) = self.counted else {
            self.call("PMPI_T_finalize", &[]);
            return;
        };
        // Has another thread of the program taken a reference by now, the library has not opened for it what it would close with
        // the last one. Then this reference stays.
        _ = count.compare_exchange(1, 0, Ordering::SeqCst, Ordering::SeqCst);
    }
}

/// Room for a text that the library writes, and its length as the functions take and give it.
pub(crate) struct Text {
    bytes: Vec<u8>,
    len: i32,
}

impl Text {
    fn of(most: usize) -> Text {
        Text { bytes: vec![0; most], len: 0 }
    }

    /// The addresses of text and length for the next call.
    pub(crate) fn room(&mut self) -> [u64; 2] {
        if let Some(first) = self.bytes.first_mut() {
            *first = 0;
        }
        self.len = self.bytes.len() as i32;
        [self.bytes.as_mut_ptr() as u64, &raw mut self.len as u64]
    }

    /// The text that the library has written; empty if it has written none.
    pub(crate) fn text(&self) -> String {
        CStr::from_bytes_until_nul(&self.bytes).map(|c| c.to_string_lossy().into_owned()).unwrap_or_default()
    }
}
