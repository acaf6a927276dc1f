//! Buffers of the calls of a rank that may lie in variables of the program, for the end of the run: then it is looked up which
//! these are.

use super::call::Origin;
use crate::arg_places::Side;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;
use symbols::variables::Storage;
use trace_format::definition::{Array, Combiner, Id};

/// Buffers that are kept of a call site and parameter.
const MAX_KEPT: usize = 8;
/// Call sites of a rank of which buffers are kept.
const MAX_SITES: usize = 1 << 14;

/// A basic element of a datatype.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Element {
    /// Its first byte, from the address of the buffer.
    pub(crate) offset: i64,
    pub(crate) basic: Id,
    /// How it is represented: see `types::basic`.
    pub(crate) letter: char,
    pub(crate) size: u64,
}

/// The bytes of a buffer, in memory that a variable may lie in.
#[derive(Debug, Clone)]
pub(crate) struct Extent {
    pub(crate) call: Rc<Origin>,
    pub(crate) side: Side,
    /// Addresses: the first byte, and one past the last.
    pub(crate) bytes: (u64, u64),
    /// One past the last byte that must be in the same variable for certain, as the first one is.
    pub(crate) same: u64,
    /// The bytes that a receive has got, where that is known.
    pub(crate) got: Option<u64>,
    /// It writes, and the count is the most that may come.
    pub(crate) takes_less: bool,
    /// Where the return addresses lie, if it may be on the stack.
    pub(crate) slots: Option<Rc<[u64]>>,
}

/// A datatype that a buffer was described with.
#[derive(Debug, Clone)]
pub(crate) struct Typed {
    pub(crate) call: Rc<Origin>,
    pub(crate) side: Side,
    /// Where the buffer begins.
    pub(crate) address: i64,
    pub(crate) datatype: Id,
    pub(crate) elements: Arc<[Element]>,
}

#[derive(Debug, Default)]
pub(crate) struct Kept {
    pub(crate) extents: Vec<Extent>,
    pub(crate) types: Vec<Typed>,
    /// Named datatypes of which it is not known how elements are represented, MPI_BYTE for one.
    pub(crate) unformed: SmallVec<[Id; 2]>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Where the return addresses of stacks lie, by thread; `None`: not always there.
    frames: FxHashMap<(Id, u16), Option<Rc<[u64]>>>,
    /// Datatypes with displacements that may lead from one variable to another.
    pub(crate) irregular: FxHashSet<Id>,
    /// By call site and parameter.
    pub(crate) kept: FxHashMap<(Id, u8), Kept>,
    /// Arrays of interpreted programs, likewise.
    arrays: FxHashMap<(Id, u8), Array>,
}

impl Buffers {
    /// A datatype is defined, of these.
    pub(crate) fn define_type(&mut self, id: Id, combiner: Combiner, types: &[Id]) {
        if !combiner.is_regular() || types.iter().any(|id| self.irregular.contains(id)) {
            self.irregular.insert(id);
        }
    }

    /// Says where the return addresses of a stack lie.
    pub(crate) fn define(&mut self, stack: Id, thread: u16, slots: &[u64]) {
        let new = (!slots.is_empty()).then(|| Rc::from(slots));
        let known = self.frames.entry((stack, thread)).or_insert_with(|| new.clone());
        if *known != new {
            *known = None;
        }
    }

    /// The array of the first call from a place.
    pub(crate) fn define_array(&mut self, array: Array) {
        self.arrays.entry((array.stack, array.parameter)).or_insert(array);
    }

    /// The array that a call of an interpreted program was given, if it is known.
    pub(crate) fn array(&self, typed: &Typed) -> Option<&Array> {
        let array = self.arrays.get(&(typed.call.site, typed.side.buf))?;
        let is_it = array.datatype == typed.datatype && i64::try_from(array.address) == Ok(typed.address);
        is_it.then_some(array)
    }

    /// Does the trace say where stacks lie?
    pub(crate) fn is_told(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Between which addresses local variables of the functions of a stack may be.
    pub(crate) fn locals(&self, stack: Id, thread: u16) -> (u64, u64) {
        locals_between(self.slots(stack, thread))
    }

    pub(crate) fn slots(&self, stack: Id, thread: u16) -> Option<&Rc<[u64]>> {
        self.frames.get(&(stack, thread))?.as_ref()
    }

    /// Buffers that are kept of a call site and parameter; `None`: there are too many.
    pub(crate) fn at(&mut self, site: Id, parameter: u8) -> Option<&mut Kept> {
        let is_full = self.kept.len() >= MAX_SITES;
        match self.kept.entry((site, parameter)) {
            std::collections::hash_map::Entry::Occupied(known) => Some(known.into_mut()),
            std::collections::hash_map::Entry::Vacant(new) => (!is_full).then(|| new.insert(Kept::default())),
        }
    }

    pub(crate) fn calls(&self) -> impl Iterator<Item = &Rc<Origin>> {
        self.kept.values().flat_map(|kept| {
            let extents = kept.extents.iter().map(|extent| &extent.call);
            extents.chain(kept.types.iter().map(|typed| &typed.call))
        })
    }
}

/// Between which addresses local variables may be, by the places of the return addresses of a stack.
pub(crate) fn locals_between(slots: Option<&Rc<[u64]>>) -> (u64, u64) {
    slots.and_then(|slots| slots.first().copied().zip(slots.last().copied())).unwrap_or((0, 0))
}

impl Kept {
    /// Is a datatype known, or are there enough?
    pub(crate) fn has_type(&self, datatype: Id) -> bool {
        self.types.len() >= MAX_KEPT
            || self.types.iter().any(|typed| typed.datatype == datatype)
            || self.unformed.contains(&datatype)
    }

    /// Keeps an extent, if it reaches where no other one does.
    pub(crate) fn add(&mut self, extent: Extent) {
        let (from, to) = extent.bytes;
        let is_same = |known: &Extent| Rc::ptr_eq(&known.call, &extent.call) && known.bytes == extent.bytes;
        if let Some(known) = self.extents.iter_mut().find(|known| is_same(known)) {
            known.got = known.got.max(extent.got);
            return;
        }
        let covers = |known: &Extent| known.bytes.0 == from && known.bytes.1 >= to && known.got >= extent.got;
        if self.extents.iter().any(covers) {
            return;
        }
        self.extents.retain(|known| known.bytes.0 != from || known.bytes.1 > to || known.got > extent.got);
        if self.extents.len() < MAX_KEPT {
            self.extents.push(extent);
        } else if let Some(last) = self.extents.iter_mut().max_by_key(|known| known.bytes.1)
            && last.bytes.1 < to
        {
            *last = extent;
        }
    }
}

/// A buffer that reaches beyond the variable that it begins in.
#[derive(Debug, Clone)]
pub(crate) struct TooSmall {
    pub(crate) extent: Extent,
    pub(crate) storage: Storage,
}

/// A datatype that is not that of the variable.
#[derive(Debug, Clone)]
pub(crate) struct Unlike {
    pub(crate) typed: Typed,
    /// The sentence behind the name of the call.
    pub(crate) words: String,
}
