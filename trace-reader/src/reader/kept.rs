//! Calls that a sink keeps, for others that are as they are: each has a slot. A call is as another one if all of their values but
//! the varying ones ([`super::varying`]) are the same, from whichever cell of the packed records they come. Calls without varying
//! values, and all calls where varying values count, too, are as the one before from their cell if that has not changed.

use super::memory_cost::of_call;
use super::varying::{Layout, layout};
use crate::args::Args;
use crate::call::Call;
use crate::unpack::Unpacked;
use rustc_hash::FxHashMap;
use thin_vec::ThinVec;
use trace_format::mpi::FnId;
use trace_format::record::Commit;

/// Slots of all ranks together, and of a thread at most and at least: loops have fewer different calls.
const OF_ALL: usize = 1 << 18;

const MOST: usize = 1 << 10;

const FEWEST: usize = 1 << 6;

/// Bytes of values that the kept calls of a thread may have elsewhere: many may name the same long array.
const MOST_BYTES: usize = 1 << 20;

/// The slot of no call.
const NO_SLOT: u16 = u16::MAX;

/// A call, and others that are as it. The second of them is handed over to be kept: most calls that differ from the ones before
/// them have no second.
struct Kept {
    /// The reader has it.
    is_known: bool,
    func: FnId,
    layout: &'static Layout,
    may_be_counted: bool,
    polls: u32,
    /// Bytes that the values of the one that was handed over last have elsewhere.
    bytes: u32,
    /// Its record: see [`Unpacked`], and [`super::varying`]. No words: nothing is alike, and the slot is that of one cell.
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
pub(super) struct KeptCalls {
    /// So many slots at most.
    most: usize,
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

impl Default for KeptCalls {
    fn default() -> KeptCalls {
        KeptCalls::of_at_most(MOST)
    }
}

impl KeptCalls {
    fn of_at_most(most: usize) -> KeptCalls {
        let (links, slots, by_likeness) = (Vec::new(), Vec::new(), FxHashMap::default());
        KeptCalls { most, links, slots, by_likeness, bytes: 0, is_strict: false, is_full: false }
    }

    /// The process is one of so many.
    pub(super) fn share_among(&mut self, ranks: usize) {
        self.most = (OF_ALL / ranks.max(1)).clamp(FEWEST, MOST);
    }

    /// The kept call that this one is as. `alike`: its varying values may be others.
    #[inline(always)]
    pub(super) fn like(&mut self, unpacked: &Unpacked, alike: bool) -> Option<Like> {
        let slot = self.find(unpacked, alike)?;
        let kept = self.slots.get(usize::from(slot)).filter(|kept| kept.is_known)?;
        let Kept { func, layout, may_be_counted, polls, .. } = *kept;
        Some(Like { slot, func, layout, may_be_counted, polls })
    }

    /// The slot of calls as this one, which the cell is linked with.
    #[inline(always)]
    fn find(&mut self, unpacked: &Unpacked, alike: bool) -> Option<u16> {
        if self.is_strict != alike
            && let Some(link) = self.links.get_mut(usize::from(unpacked.cell.index))
        {
            // As long as its words stay, they need not be looked at again.
            let stays = link.version == unpacked.cell.version;
            if stays || self.slots.get(usize::from(link.slot)).is_some_and(|kept| kept.is_as(unpacked)) {
                link.version = unpacked.cell.version;
                return Some(link.slot);
            }
        }
        self.look_up(unpacked, alike)
    }

    /// As [`KeptCalls::find`], where the last call of the cell was not as this one.
    #[inline(never)]
    fn look_up(&mut self, unpacked: &Unpacked, alike: bool) -> Option<u16> {
        if self.is_strict == alike {
            // Calls with other varying values are no more alike, or are from now on: nothing is known.
            *self = KeptCalls { is_strict: !alike, ..KeptCalls::of_at_most(self.most) };
        }
        let slot = self.by_likeness.get(&self.likeness(unpacked)?).copied()?;
        self.slots.get(usize::from(slot)).filter(|kept| kept.is_as(unpacked))?;
        self.link(unpacked, slot);
        Some(slot)
    }

    fn link(&mut self, unpacked: &Unpacked, slot: u16) {
        let place = usize::from(unpacked.cell.index);
        if self.links.len() <= place {
            self.links.resize(place + 1, Link { version: 0, slot: NO_SLOT });
        }
        self.links[place] = Link { version: unpacked.cell.version, slot };
    }

    /// Stands for what must be the same in all calls of one slot; `None`: calls from other cells are never as this one.
    fn likeness(&self, unpacked: &Unpacked) -> Option<u64> {
        let func = FnId::from_index(Commit::unpack(unpacked.key).func as usize).filter(|_| !self.is_strict)?;
        layout(func).likeness(unpacked.key, unpacked.words)
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
            // Slots that cells have left are among them.
            self.is_full = true;
            return None;
        }
        self.bytes = others + bytes;
        (kept.is_known, kept.bytes) = (true, bytes as u32);
        (kept.may_be_counted, kept.polls) = (call.func.row().may_be_counted(), call.polls);
        Some(slot)
    }

    /// The first call that is as no other one.
    fn add(&mut self, func: FnId, unpacked: &Unpacked) {
        let (likeness, layout, key) = (self.likeness(unpacked), layout(func), unpacked.key);
        let slot = match likeness {
            Some(likeness) => self.by_likeness.get(&likeness).copied(),
            None => self.slot_of_cell(unpacked),
        };
        if likeness.is_some() && slot.is_some() {
            // It is another call with the same hash, to which cells are linked.
            return;
        }
        if slot.is_none() && self.slots.len() >= self.most {
            self.is_full = true;
            return;
        }
        let slot = slot.unwrap_or_else(|| {
            let template = ThinVec::new();
            let (is_known, may_be_counted, polls, bytes) = (false, false, 0, 0);
            self.slots.push(Kept { is_known, func, layout, may_be_counted, polls, bytes, key, template });
            (self.slots.len() - 1) as u16
        });
        let kept = &mut self.slots[usize::from(slot)];
        (kept.is_known, kept.func, kept.layout, kept.key) = (false, func, layout, key);
        if let Some(likeness) = likeness {
            layout.set_template(unpacked.words, &mut kept.template);
            self.by_likeness.insert(likeness, slot);
        }
        self.link(unpacked, slot);
    }

    /// The slot of the cell that this call is from, if it has one.
    fn slot_of_cell(&self, unpacked: &Unpacked) -> Option<u16> {
        let link = self.links.get(usize::from(unpacked.cell.index))?;
        self.slots.get(usize::from(link.slot)).filter(|kept| kept.template.is_empty())?;
        Some(link.slot)
    }

    /// None of the kept calls is there any more; the next ones that are as they were are handed over once more.
    pub(super) fn keep_anew(&mut self) {
        self.slots.iter_mut().for_each(|kept| kept.is_known = false);
    }

    /// Forgets all, if there were more different calls than slots: the program does something else now. True if it was so.
    pub(super) fn make_room(&mut self) -> bool {
        if self.is_full {
            *self = KeptCalls { is_strict: self.is_strict, ..KeptCalls::of_at_most(self.most) };
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
