//! The thread level of the program, which MPI_T_init_thread of some libraries replaces by the level that it is asked for, so that
//! MPI_Query_thread answers with that.

use crate::mpi::library::MpiLibrary;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// The library's own knowledge of the level; known to it again when dropped.
pub(super) struct Level {
    /// The levels that were asked for and provided.
    levels: Vec<(&'static AtomicU32, u32)>,
    /// Whether the latter is MPI_THREAD_MULTIPLE.
    multiple: Vec<(&'static AtomicU8, u8)>,
}

impl Level {
    pub(super) fn keep(library: &MpiLibrary) -> Level {
        let mut level = Level { levels: Vec::new(), multiple: Vec::new() };
        let names = library.abi().tool.level;
        for name in names.ints {
            if let Some(address) = library.symbol(name) {
                // SAFETY: an `int` of the library, which is never unloaded.
                let known = unsafe { AtomicU32::from_ptr(address.cast()) };
                level.levels.push((known, known.load(Ordering::SeqCst)));
            }
        }
        for name in names.bools {
            if let Some(address) = library.symbol(name) {
                // SAFETY: a `bool` of the library, which is never unloaded.
                let known = unsafe { AtomicU8::from_ptr(address.cast()) };
                level.multiple.push((known, known.load(Ordering::SeqCst)));
            }
        }
        level
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        self.levels.iter().for_each(|(known, value)| known.store(*value, Ordering::SeqCst));
        self.multiple.iter().for_each(|(known, value)| known.store(*value, Ordering::SeqCst));
    }
}
