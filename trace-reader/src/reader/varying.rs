//! Varying values: those in which calls of a loop differ although they are alike. They are addresses of buffers, variables of
//! requests and the handles in them, of which each call of a window of messages has others; and counts, tags and statuses, which
//! programs whose data move (particles, adaptive meshes) have others of each time.

use super::record::Moves;
use crate::args::Args;
use crate::call::Value;
use std::sync::OnceLock;
use thin_vec::ThinVec;
use trace_format::mpi::{Class, FUNCTIONS, FnId, Kind, Many, Start, Status};
use trace_format::pack::CALL_HEAD;
use trace_format::plan::{Elem, Item, Shape, plans};
use trace_format::record::{CALL_HEADER_BYTES, STATUS_BYTES, unpack_status};

/// A call has so many varying values at most.
const MAX_VARYING: usize = 5;

/// A status is so many of them.
const STATUS_WORDS: usize = STATUS_BYTES / 8;

/// The varying values of a call, in the order of [`varying_fields`]; 0 behind the last one.
pub type Varying = [i64; MAX_VARYING];

/// Which value of a parameter varies.
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
    /// This one of the two words of a status, as [`trace_format::record::pack_status`] has them.
    Status(u8),
}

impl Part {
    /// Is it a value of the return?
    pub fn is_result(self) -> bool {
        matches!(self, Part::Written | Part::Status(_))
    }
}

/// One varying value of the calls of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// Number of the parameter in the function's row, from 0.
    pub place: usize,
    /// Which value of the parameter it is.
    pub part: Part,
    /// Its first byte in the words of a record behind those in front ([`CALL_HEAD`]).
    at: usize,
    /// Its bytes: eight, or four of an integer with a sign.
    width: usize,
}

/// Digits of pi, for [`Layout::likeness`].
const SEEDS: [u64; 4] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

/// The place of a value among words.
#[derive(Clone, Copy)]
struct Place {
    word: usize,
    /// So many of its lowest bits are others'.
    shift: u32,
    /// So many of the 64 bits from there on are behind the value.
    behind: u32,
}

impl Default for Place {
    /// No place: behind all words.
    fn default() -> Place {
        Place { word: usize::MAX, shift: 0, behind: 0 }
    }
}

/// How the records of a function are laid out.
#[derive(Default)]
pub(super) struct Layout {
    pub(super) fields: Vec<Field>,
    places: [Place; MAX_VARYING],
    /// The bits in which two records must agree to be alike, by the words behind those in front, which are times and result:
    /// all but varying values. Empty: no two records are alike.
    pub(super) mask: Vec<u64>,
    /// How many parameters it has.
    pub(super) params: usize,
    /// `None`: the records are not all of one length.
    pub(super) moves: Option<Moves>,
}

/// The varying values of the calls of a function: sends, receives, MPI_Wait and accesses to windows have some. Addresses and
/// handles come first, in the order of their bytes in a record, then counts, tags and displacements, then the words of a status.
pub fn varying_fields(func: FnId) -> &'static [Field] {
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
    let of = |func: FnId| Layout { params: func.row().params.len(), moves: Moves::of(func), ..varying(func) };
    FUNCTIONS.iter().map(|f| of(f.id)).collect()
}

/// The layout of the records of a function, as far as varying values are concerned.
fn varying(func: FnId) -> Layout {
    let row = func.row();
    let is_wanted = match row.class {
        Class::Send(_, start) | Class::Recv(start) => start != Start::Persistent,
        Class::Wait(many) => many == Many::One,
        Class::Rma => true,
        _ => false,
    };
    // An access that brings a result has room for one buffer: the one that takes the result.
    let is_left_out = |place: usize| {
        let result = row.params.iter().position(|param| param.kind == Kind::RecvBuf);
        row.class == Class::Rma && result.is_some_and(|result| place < result)
    };
    let plan = &plans()[func.index()];
    let mut at = CALL_HEADER_BYTES - 8 * CALL_HEAD;
    let (mut fields, mut numbers, mut statuses) = (Vec::new(), Vec::new(), Vec::new());
    for (Item { param: place, shape }, is_result) in
        plan.ins.iter().map(|item| (*item, false)).chain(plan.outs.iter().map(|item| (*item, true)))
    {
        let field = |part, at, width| Field { place, part, at, width };
        at += match shape {
            Shape::Arg(elem) | Shape::Deref(elem) => {
                let width = elem.width();
                match elem {
                    _ if is_left_out(place) => {}
                    Elem::I64(Kind::Aint) if row.class == Class::Rma => numbers.push(field(Part::Given, at, width)),
                    Elem::Raw(Kind::Request) if is_result => fields.push(field(Part::Written, at, width)),
                    Elem::I64(Kind::SendBuf | Kind::RecvBuf | Kind::Buf | Kind::Pointer) => {
                        fields.push(field(Part::Given, at, width));
                    }
                    Elem::I32(Kind::Count | Kind::Tag) | Elem::I64(Kind::LargeCount) if !is_result => {
                        numbers.push(field(Part::Given, at, width));
                    }
                    Elem::Status => {
                        let words = (0..STATUS_WORDS).map(|word| field(Part::Status(word as u8), at + 8 * word, 8));
                        statuses.extend(words);
                    }
                    _ => {}
                }
                width
            }
            Shape::SlotAndDeref(elem) => {
                fields.push(field(Part::Slot, at, 8));
                fields.push(field(Part::Handle, at + 8, 8));
                8 + elem.width()
            }
            // Then records are not all of one length.
            _ => return Layout::default(),
        };
    }
    for more in [numbers, statuses] {
        if fields.len() + more.len() <= MAX_VARYING {
            fields.extend(more);
        }
    }
    if !is_wanted || fields.is_empty() || fields.len() > MAX_VARYING {
        return Layout::default();
    }
    let mut mask = vec![u8::MAX; at.next_multiple_of(8)];
    fields.iter().for_each(|field| mask[field.at..field.at + field.width].fill(0));
    let mask = mask.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    let mut places = [Place::default(); MAX_VARYING];
    for (place, Field { at, width, .. }) in places.iter_mut().zip(&fields) {
        *place = Place { word: at / 8, shift: 8 * (at % 8) as u32, behind: 64 - 8 * *width as u32 };
    }
    Layout { fields, places, mask, ..Layout::default() }
}

impl Layout {
    /// Puts the words of a record there, for [`Layout::is_alike`]; none if it has another length.
    pub(super) fn set_template(&self, words: &[u64], template: &mut ThinVec<u64>) {
        template.clear();
        if words.len() == self.mask.len() {
            template.reserve_exact(words.len());
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
        let (words, template) = (&words[..mask.len()], &template[..mask.len()]);
        let mut differ = 0;
        for i in 0..mask.len() {
            differ |= (words[i] ^ template[i]) & mask[i];
        }
        differ == 0
    }

    /// A hash of all words that must be the same in records that are alike, with the key of the record; `None`: no two are.
    #[inline]
    pub(super) fn likeness(&self, key: u64, words: &[u64]) -> Option<u64> {
        if words.len() != self.mask.len() || words.is_empty() {
            return None;
        }
        let fold = |one: u64, other: u64| {
            let product = u128::from(one) * u128::from(other);
            product as u64 ^ (product >> 64) as u64
        };
        let (pairs, rest) = words.as_chunks::<2>();
        let (masks, rest_masks) = self.mask.as_chunks::<2>();
        let mut hash = fold(key ^ SEEDS[0], SEEDS[1]);
        for ([a, b], [mask_a, mask_b]) in pairs.iter().zip(masks) {
            hash = fold(a & mask_a ^ SEEDS[2], b & mask_b ^ hash);
        }
        for (word, mask) in rest.iter().zip(rest_masks) {
            hash = fold(word & mask ^ SEEDS[3], hash ^ SEEDS[1]);
        }
        Some(fold(hash ^ SEEDS[0], SEEDS[2]))
    }

    /// The varying values in these words of a call.
    #[inline(always)]
    pub(super) fn varying(&self, words: &[u64]) -> Varying {
        self.places.map(|Place { word, shift, behind }| {
            let at = |place: usize| words.get(place).copied().unwrap_or(0);
            // The next word has the bits that are missing, which may be none.
            let whole = at(word) >> shift | at(word.wrapping_add(1)) << 1 << (63 - shift);
            (whole << behind).cast_signed() >> behind
        })
    }
}

/// The varying values among decoded ones; 0 for what is not there.
// Inlined, and without a place in memory: values that are put together there and copied at once have to wait until they are in
// the cache, behind all that was written before.
#[inline(always)]
pub fn varying_of(fields: &[Field], ins: &Args, outs: &Args) -> Varying {
    let value = |&Field { place, part, .. }: &Field| match part {
        Part::Written => outs.int(place),
        Part::Slot => ins.slot(place).map(|slot| slot as i64).or_else(|| ins.int(place)),
        Part::Given | Part::Handle => ins.int(place),
        Part::Status(word) => Some(outs.status_word(place, word)),
    };
    let at = |number: usize| fields.get(number).and_then(value).unwrap_or(0);
    let varying: Varying = [at(0), at(1), at(2), at(3), at(4)];
    varying
}

/// The status whose first word is this one of the varying values.
#[inline]
pub fn varying_status(at: usize, varying: &Varying) -> Option<Status> {
    let words: &[i64; STATUS_WORDS] = varying.get(at..)?.first_chunk()?;
    let whole = words.iter().rev().fold(0, |whole: u128, word| whole << 64 | u128::from(word.cast_unsigned()));
    Some(unpack_status(&whole.to_le_bytes()))
}

/// The values `ins` of another call that is alike, with these varying ones in their places.
pub fn with_varying(fields: &[Field], varying: &Varying, ins: &Args) -> Vec<Value> {
    let mut values = ins.to_values();
    for (field, varying) in fields.iter().zip(varying) {
        match (field.part, values.get_mut(field.place)) {
            (Part::Given, Some(Value::Int(value))) => *value = *varying,
            (Part::Slot, Some(Value::Request { slot, .. })) => *slot = *varying as u64,
            (Part::Handle, Some(Value::Request { handle, .. })) => *handle = *varying,
            _ => {}
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One buffer comes first, then counts and the place at the target.
    #[test]
    fn accesses_to_windows_have_varying_values() {
        let names = |func: FnId| -> Vec<&str> {
            varying_fields(func).iter().map(|field| func.row().params[field.place].name).collect()
        };
        let put = ["origin_addr", "origin_count", "target_disp", "target_count"];
        for func in [FnId::MPI_Put, FnId::MPI_Get, FnId::MPI_Accumulate, FnId::MPI_Put_c] {
            assert_eq!(names(func), put, "{func:?}");
        }
        assert_eq!(
            names(FnId::MPI_Get_accumulate),
            ["result_addr", "result_count", "target_disp", "target_count"],
            "the other buffer must be the same"
        );
        assert_eq!(names(FnId::MPI_Fetch_and_op), ["result_addr", "target_disp"]);
        assert_eq!(names(FnId::MPI_Compare_and_swap), ["result_addr", "target_disp"]);
        assert!(names(FnId::MPI_Rput).is_empty());
    }
}
