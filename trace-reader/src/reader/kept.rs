//! Calls that a sink keeps, for others that are as they are: each has a slot. A call is as another one if all of their values but
//! the varying ones ([`super::varying`]) are the same, from whichever cell of the packed records they come; or, of calls that have
//! no varying values, or where those must be the same, too, if their cell has not changed in between.

use super::memory_cost::of_call;
use super::varying::{Layout, layout};
use crate::args::Args;
use crate::call::Call;
use crate::unpack::Unpacked;
use rustc_hash::FxHashMap;
use thin_vec::ThinVec;
use trace_format::mpi::FnId;
use trace_format::record::Commit;

/// Slots of a thread: loops have fewer different calls.
const MOST: usize = 1 << 10;

/// Bytes of values that the kept calls of a thread may have elsewhere: many may name the same long array.
const MOST_BYTES: usize = 1 << 20;

/// The key of a slot of one cell, which is no hash.
const OF_CELL: u64 = 1 << 63;

/// A call, and others that are as it. The second of them is handed over to be kept: most calls that differ from the ones before
/// them have no second.
struct Kept {
    /// The reader has it.
    is_known: bool,
    /// The version of its cell, if it is that of one cell alone.
    version: u64,
    func: FnId,
    layout: &'static Layout,
    may_be_counted: bool,
    polls: u32,
    /// Bytes that the values of the one that was handed over last have elsewhere.
    bytes: u32,
    /// Its record: see [`Unpacked`], and [`super::varying`]. No words: nothing is alike.
    key: u64,
    template: ThinVec<u64>,
}

/// The slot that the last call from a cell had.
#[derive(Clone, Copy)]
struct Link {
    /// The version of the cell then; 0: there was none.
    version: u64,
    slot: u16,
}

/// A call that is as a kept one.
pub(super) struct Like {
    pub(super) slot: u16,
    pub(super) func: FnId,
    pub(super) layout: &'static Layout,
    /// More calls may be counted in its record, and so many more were.
    pub(super) may_be_counted: bool,
    pub(super) polls: u32,
}

/// See the module.
#[derive(Default)]
pub(super) struct KeptCalls {
    /// By cell.
    links: Vec<Link>,
    slots: Vec<Kept>,
    /// The slots, by the hash of what must be the same in all calls of one.
    by_likeness: FxHashMap<u64, u16>,
    /// Bytes that the values of all kept calls have elsewhere.
    bytes: usize,
    /// Calls with the same varying values alone are alike.
    is_strict: bool,
    is_full: bool,
}

impl KeptCalls {
    /// The kept call that this one is as. `alike`: its varying values may be others.
    #[inline(always)]
    pub(super) fn like(&mut self, unpacked: &Unpacked, alike: bool) -> Option<Like> {
        let link = self.links.get(usize::from(unpacked.cell.index));
        // As long as its words stay, they need not be looked at again.
        let slot = match link.filter(|link| link.version == unpacked.cell.version && self.is_strict != alike) {
            Some(link) => link.slot,
            None => self.find(unpacked, alike)?,
        };
        let kept = self.slots.get(usize::from(slot)).filter(|kept| kept.is_known)?;
        let Kept { func, layout, may_be_counted, polls, .. } = *kept;
        Some(Like { slot, func, layout, may_be_counted, polls })
    }

    /// The slot of calls as this one, which the cell is linked with.
    #[inline]
    fn find(&mut self, unpacked: &Unpacked, alike: bool) -> Option<u16> {
        let place = usize::from(unpacked.cell.index);
        let last = self.links.get(place).map(|link| link.slot).filter(|_| alike && !self.is_strict);
        let last = last.filter(|slot| self.slots.get(usize::from(*slot)).is_some_and(|kept| kept.is_as(unpacked)));
        let slot = match last {
            Some(slot) => slot,
            None => self.look_up(unpacked, alike)?,
        };
        self.link(unpacked, slot);
        Some(slot)
    }

    #[inline(never)]
    fn look_up(&mut self, unpacked: &Unpacked, alike: bool) -> Option<u16> {
        self.be_strict(!alike);
        let (likeness, is_of_cell) = self.likeness(unpacked);
        let slot = self.by_likeness.get(&likeness).copied()?;
        let kept = self.slots.get(usize::from(slot))?;
        let is_it = if is_of_cell { kept.version == unpacked.cell.version } else { kept.is_as(unpacked) };
        is_it.then_some(slot)
    }

    fn link(&mut self, unpacked: &Unpacked, slot: u16) {
        let place = usize::from(unpacked.cell.index);
        if self.links.len() <= place {
            self.links.resize(place + 1, Link { version: 0, slot });
        }
        self.links[place] = Link { version: unpacked.cell.version, slot };
    }

    /// Stands for what must be the same in calls of one slot; and whether that is the slot of one cell.
    fn likeness(&self, unpacked: &Unpacked) -> (u64, bool) {
        let func = FnId::from_index(Commit::unpack(unpacked.key).func as usize).filter(|_| !self.is_strict);
        match func.and_then(|func| layout(func).likeness(unpacked.key, unpacked.words)) {
            Some(likeness) => (likeness & !OF_CELL, false),
            None => (u64::from(unpacked.cell.index) | OF_CELL, true),
        }
    }

    /// The slot in which the call is to be kept, for others that are as it. There is one if a call before it was as it.
    pub(super) fn keep(&mut self, call: &Call<Args>, unpacked: &Unpacked, alike: bool) -> Option<u16> {
        if call.is_open() {
            return None;
        }
        let Some(slot) = self.find(unpacked, alike) else {
            self.add(call.func, unpacked);
            return None;
        };
        let kept = self.slots.get_mut(usize::from(slot))?;
        let bytes = of_call(call);
        let others = self.bytes - kept.bytes as usize;
        if others.saturating_add(bytes) > MOST_BYTES {
            return None;
        }
        self.bytes = others + bytes;
        (kept.is_known, kept.bytes) = (true, bytes as u32);
        (kept.may_be_counted, kept.polls) = (call.func.row().may_be_counted(), call.polls);
        Some(slot)
    }

    /// The first call that is as no other one.
    fn add(&mut self, func: FnId, unpacked: &Unpacked) {
        let (likeness, is_of_cell) = self.likeness(unpacked);
        let (key, version, layout) = (unpacked.key, unpacked.cell.version, layout(func));
        let slot = self.by_likeness.get(&likeness).copied();
        if slot.is_none() && self.slots.len() >= MOST {
            self.is_full = true;
            return;
        }
        let slot = slot.unwrap_or(self.slots.len() as u16);
        if usize::from(slot) == self.slots.len() {
            let template = ThinVec::new();
            let (is_known, may_be_counted, polls, bytes) = (false, false, 0, 0);
            self.slots.push(Kept { is_known, version, func, layout, may_be_counted, polls, bytes, key, template });
            self.by_likeness.insert(likeness, slot);
        }
        let kept = &mut self.slots[usize::from(slot)];
        (kept.is_known, kept.version, kept.func, kept.layout, kept.key) = (false, version, func, layout, key);
        kept.template.clear();
        if !is_of_cell {
            layout.set_template(unpacked.words, &mut kept.template);
        }
        self.link(unpacked, slot);
    }

    /// Are calls with other varying values no more alike, or are they from now on? Then nothing is known.
    fn be_strict(&mut self, strict: bool) {
        if self.is_strict != strict {
            *self = KeptCalls { is_strict: strict, ..KeptCalls::default() };
        }
    }

    /// None of the kept calls is there any more; the next ones that are as they were are handed over once more.
    pub(super) fn keep_anew(&mut self) {
        self.slots.iter_mut().for_each(|kept| kept.is_known = false);
    }

    /// Forgets all, if there were more different calls than slots: the program does something else now. True if it was so.
    pub(super) fn make_room(&mut self) -> bool {
        if self.is_full {
            *self = KeptCalls { is_strict: self.is_strict, ..KeptCalls::default() };
            return true;
        }
        false
    }
}

impl Kept {
    /// Are these the words of a call that is as this one, whatever its varying values are?
    #[inline(always)]
    fn is_as(&self, unpacked: &Unpacked) -> bool {
        unpacked.key == self.key && self.layout.is_alike(unpacked.words, &self.template)
    }
}
