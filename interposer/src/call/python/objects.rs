//! Objects of the interpreter, read where they lie through the kernel: a wrong address is an error and not a fault.

use super::layout::Layout;
use super::source::{self, Memory};

/// Entries of a dictionary that are looked at.
const MAX_ENTRIES: u64 = 8192;
/// Classes that a class may be derived through.
const MAX_BASES: usize = 8;

/// The memory of the interpreter's objects.
pub(super) struct Objects {
    pub(super) memory: Memory,
    pub(super) layout: Layout,
}

impl Objects {
    pub(super) fn field(&self, object: u64, offset: u64) -> Option<u64> {
        self.memory.word(object.wrapping_add(offset))
    }

    /// The type of an object, if it is alive. The count of references of one that was freed is 0, or overwritten by an address.
    fn type_of(&self, object: u64) -> Option<u64> {
        if object == 0 || !object.is_multiple_of(8) {
            return None;
        }
        let references = self.memory.word(object).filter(|n| (1..1 << 32).contains(n));
        references.and_then(|_| self.field(object, self.layout.object_type))
    }

    /// The name of the type of an object that is alive, with its module if the type is defined in C: `numpy.ndarray`.
    pub(super) fn type_name(&self, object: u64) -> Option<String> {
        self.name_of(self.type_of(object)?)
    }

    fn name_of(&self, class: u64) -> Option<String> {
        const NAME: u64 = 24;
        self.memory.c_text(self.field(class, NAME)?)
    }

    /// Is the object of a class of mpi4py, or of one that is derived from such?
    pub(super) fn is_of_mpi4py(&self, object: u64) -> bool {
        const BASE: u64 = 256;
        let next = |class: &u64| self.field(*class, BASE).filter(|base| *base != 0);
        let mut classes = std::iter::successors(self.type_of(object), next).take(MAX_BASES);
        classes.any(|class| self.name_of(class).is_some_and(|name| name.starts_with("mpi4py.MPI.")))
    }

    /// The first item of a list.
    pub(super) fn first_of_list(&self, list: u64) -> Option<u64> {
        const SIZE: u64 = 16;
        const ITEMS: u64 = 24;
        self.field(list, SIZE).filter(|size| *size > 0)?;
        self.memory.word(self.field(list, ITEMS)?)
    }

    pub(super) fn items_of_tuple(&self, tuple: u64, most: usize) -> Option<Vec<u64>> {
        const SIZE: u64 = 16;
        const ITEMS: u64 = 24;
        let size = usize::try_from(self.field(tuple, SIZE)?).ok()?;
        self.memory.words(tuple.wrapping_add(ITEMS), size.min(most))
    }

    /// The object that a method is bound to.
    pub(super) fn owner_of(&self, method: u64) -> Option<u64> {
        const OWNER: u64 = 24;
        self.field(method, OWNER)
    }

    /// The variable in a cell.
    pub(super) fn in_cell(&self, cell: u64) -> Option<u64> {
        const CONTENTS: u64 = 16;
        self.field(cell, CONTENTS)
    }

    pub(super) fn text(&self, object: u64) -> Option<String> {
        source::text(&self.memory, &self.layout, object)
    }

    /// The keys of a dictionary of names that have this value.
    pub(super) fn keys_of(&self, dictionary: u64, value: u64) -> Option<Vec<u64>> {
        const KEYS: u64 = 32;
        const LOG2_BYTES_OF_INDEX: u64 = 9;
        const KIND: u64 = 10;
        const COUNT: u64 = 24;
        const INDEX: u64 = 32;
        const OF_NAMES: u8 = 1;
        let keys = self.field(dictionary, KEYS)?;
        let byte = |offset: u64| self.memory.byte(keys.wrapping_add(offset));
        let index = 1u64.checked_shl(byte(LOG2_BYTES_OF_INDEX)?.into())?;
        let count = self.field(keys, COUNT).filter(|count| *count <= MAX_ENTRIES)? as usize;
        let words = if byte(KIND)? == OF_NAMES { 2 } else { 3 };
        let entries = self.memory.words(keys.wrapping_add(INDEX).wrapping_add(index), count * words)?;
        // The value is the last word of an entry, and the key the one before.
        let pairs = entries.chunks_exact(words).filter_map(|entry| entry.last_chunk());
        Some(pairs.filter(|[_, held]| *held == value).map(|[key, _]| *key).collect())
    }
}
