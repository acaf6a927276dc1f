//! Values that differ from one call to the next of a loop although the calls are alike: addresses of buffers, variables of
//! requests and what is written to them. A window of messages has others in each call.

use super::decode::Moves;
use crate::args::Args;
use crate::call::Value;
use std::sync::OnceLock;
use trace_format::mpi::{Class, FUNCTIONS, FnId, Kind, Many, Start};
use trace_format::pack::CALL_HEAD;
use trace_format::plan::{Elem, Item, Shape, plans};
use trace_format::record::CALL_HEADER_BYTES;

/// So many values of a call may be its own.
const MOST_OWN: usize = 3;

/// Values of a call that are its own, as its function has them.
pub type Own = [i64; MOST_OWN];

/// What such a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// An integer or address at the call.
    Given,
    /// The address of the variable that holds the handle, where a request is passed by reference.
    Slot,
    /// The handle in that variable at the call.
    Handle,
    /// The handle that was written at the return.
    Written,
}

/// One value of calls of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Number of the parameter in the function's row, from 0.
    pub place: usize,
    /// Which value of the parameter it is.
    pub part: Part,
    /// Byte of the words behind the first ones of a record: it has eight.
    at: usize,
}

/// Where eight bytes are among words.
#[derive(Clone, Copy)]
struct Place {
    word: usize,
    /// So many bits of it are not theirs.
    shift: u32,
}

impl Default for Place {
    /// Where nothing is.
    fn default() -> Place {
        Place { word: usize::MAX, shift: 0 }
    }
}

/// The records of a function.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) fields: Vec<Field>,
    places: [Place; MOST_OWN],
    /// What must be the same in two records for them to be alike, by the words behind the first ones, in which are times and
    /// result: not what is a call's own. Empty: nothing is.
    pub(super) mask: Vec<u64>,
    /// How many parameters it has.
    pub(super) params: usize,
    /// `None`: they are not all of one length.
    pub(super) moves: Option<Moves>,
}

/// The values of calls of a function that are their own.
pub fn own_fields(func: FnId) -> &'static [Field] {
    &layout(func).fields
}

/// The layout of the records of a function.
#[inline(always)]
pub(super) fn layout(func: FnId) -> &'static Layout {
    static ALL: OnceLock<Vec<Layout>> = OnceLock::new();
    &ALL.get_or_init(layouts)[func.index()]
}

#[cold]
#[inline(never)]
fn layouts() -> Vec<Layout> {
    let of = |func: FnId| Layout { params: func.row().params.len(), moves: Moves::of(func), ..own(func) };
    FUNCTIONS.iter().map(|f| of(f.id)).collect()
}

/// What the records of a function have of their own.
fn own(func: FnId) -> Layout {
    let row = func.row();
    let is_wanted = match row.class {
        Class::Send(_, start) | Class::Recv(start) => start != Start::Persistent,
        Class::Wait(many) => many == Many::One,
        _ => false,
    };
    let plan = &plans()[func.index()];
    let mut at = CALL_HEADER_BYTES - 8 * CALL_HEAD;
    let mut fields = Vec::new();
    for (Item { param: place, shape }, is_result) in
        plan.ins.iter().map(|item| (*item, false)).chain(plan.outs.iter().map(|item| (*item, true)))
    {
        let mut field = |part, at| fields.push(Field { place, part, at });
        at += match shape {
            Shape::Arg(elem) | Shape::Deref(elem) => {
                match elem {
                    Elem::Raw(Kind::Request) if is_result => field(Part::Written, at),
                    Elem::I64(Kind::SendBuf | Kind::RecvBuf | Kind::Buf | Kind::Pointer) => field(Part::Given, at),
                    _ => {}
                }
                elem.width()
            }
            Shape::SlotAndDeref(elem) => {
                field(Part::Slot, at);
                field(Part::Handle, at + 8);
                8 + elem.width()
            }
            // Records that are not all of one length.
            _ => return Layout::default(),
        };
    }
    if !is_wanted || fields.is_empty() || fields.len() > MOST_OWN {
        return Layout::default();
    }
    let mut mask = vec![u8::MAX; at.next_multiple_of(8)];
    fields.iter().for_each(|field| mask[field.at..field.at + 8].fill(0));
    let mask = mask.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let mut places = [Place::default(); MOST_OWN];
    for (place, Field { at, .. }) in places.iter_mut().zip(&fields) {
        *place = Place { word: at / 8, shift: 8 * (at % 8) as u32 };
    }
    Layout { fields, places, mask, ..Layout::default() }
}

impl Layout {
    /// Puts the words of a record there, for [`Layout::is_alike`]; none if it has another length.
    pub(super) fn set_template(&self, words: &[u64], template: &mut Vec<u64>) {
        template.clear();
        if words.len() == self.mask.len() {
            template.extend_from_slice(words);
        }
    }

    /// Are these, of a call of the function, all words that must be the same?
    #[inline]
    pub(super) fn is_alike(&self, words: &[u64], template: &[u64]) -> bool {
        let mask = &self.mask[..];
        if words.len() != template.len() || mask.len() != template.len() || mask.is_empty() {
            return false;
        }
        // Several words at a time: this is done for nearly each call of a window of messages.
        let all = words.iter().zip(template).zip(mask);
        all.fold(0, |differ, ((word, known), mask)| differ | (word ^ known) & mask) == 0
    }

    /// What of these words of a call is its own.
    #[inline(always)]
    pub(super) fn own(&self, words: &[u64]) -> Own {
        self.places.map(|Place { word, shift }| {
            let at = |place: usize| words.get(place).copied().unwrap_or(0);
            // Of the next one as many bits as are missing, which may be none.
            (at(word) >> shift | at(word.wrapping_add(1)) << 1 << (63 - shift)) as i64
        })
    }
}

/// The values of these fields in decoded ones; 0 for what is not there.
pub fn own_of(fields: &[Field], ins: &Args, outs: &Args) -> Own {
    let mut own = [0; MOST_OWN];
    for (own, Field { place, part, .. }) in own.iter_mut().zip(fields.iter().copied()) {
        let value = match part {
            Part::Written => outs.int(place),
            Part::Slot => ins.slot(place).map(|slot| slot as i64).or_else(|| ins.int(place)),
            Part::Given | Part::Handle => ins.int(place),
        };
        *own = value.unwrap_or(0);
    }
    own
}

/// The values at the call with those of its own in their places.
pub fn with_own(fields: &[Field], own: &Own, ins: &Args) -> Vec<Value> {
    let mut values = ins.to_values();
    for (field, own) in fields.iter().zip(own) {
        match (field.part, values.get_mut(field.place)) {
            (Part::Given, Some(Value::Int(value))) => *value = *own,
            (Part::Slot, Some(Value::Request { slot, .. })) => *slot = *own as u64,
            (Part::Handle, Some(Value::Request { handle, .. })) => *handle = *own,
            _ => {}
        }
    }
    values
}
